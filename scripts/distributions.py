"""Builds the wheel and the source archive into a folder, with the build backend that is installed:
no network.
"""

import sys
from contextlib import chdir
from pathlib import Path

from flit_core import buildapi

ROOT = Path(__file__).parent.parent


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with chdir(ROOT):  # The backend builds the project of the current folder.
        for build in (buildapi.build_wheel, buildapi.build_sdist):
            print(folder / build(str(folder)))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
