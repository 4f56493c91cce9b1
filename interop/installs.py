"""`make installs`: pip installs the wheel and its dependencies on every Python that is found (needs
the network).
"""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.docs.loading import script
from tests.packaging.trial import tried

OLDEST = (3, 11)


def pythons() -> list[Path]:
    """One interpreter of each version: those on the PATH, and those that pyenv keeps."""
    named = [shutil.which(f"python3.{minor}") for minor in range(OLDEST[1], 30)]
    kept = (Path.home() / ".pyenv" / "versions").glob("*/bin/python3")
    found: dict[tuple[int, int], Path] = {}
    for python in [*map(Path, filter(None, named)), *sorted(kept)]:
        said = subprocess.run([python, "-V"], capture_output=True, text=True, check=False).stdout
        version = re.match(r"Python (\d+)\.(\d+)", said)
        if version and (number := (int(version[1]), int(version[2]))) >= OLDEST:
            found.setdefault(number, python)
    return [found[number] for number in sorted(found)]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        dist = Path(folder, "dist")
        script("distributions").main(dist)
        (wheel,) = dist.glob("*.whl")
        for number, python in enumerate(pythons()):
            began = time.monotonic()
            place = Path(folder, str(number))
            environment = place / "environment"
            subprocess.run([python, "-m", "venv", environment], check=True)
            pip = [
                environment / "bin" / "python",
                "-m",
                "pip",
                "--disable-pip-version-check",
                "install",
                "-qq",
            ]
            subprocess.run([*pip, wheel], check=True)
            print(
                f"{python}: {tried(environment, place)}, {time.monotonic() - began:.0f} s",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
