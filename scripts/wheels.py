"""Asks the package index whether every pinned dependency has a wheel for each Python and platform
we name.

Prints one line per dependency that is missing somewhere, and a table for docs/install.md. `pip`
resolves for another platform without installing anything. Exits with 1 if anything is missing.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
GLIBC = 28  # manylinux_2_28 and older: Debian 10, Ubuntu 20.04, RHEL 8
MACOS = 14
PLATFORMS = {
    "Linux x86-64": (
        "linux",
        "x86_64",
        [f"manylinux_2_{minor}_x86_64" for minor in range(5, GLIBC + 1)],
    ),
    "Linux ARM": (
        "linux",
        "aarch64",
        [f"manylinux_2_{minor}_aarch64" for minor in range(17, GLIBC + 1)],
    ),
    "macOS x86-64": ("darwin", "x86_64", [f"macosx_{MACOS}_0_x86_64"]),
    "macOS ARM": ("darwin", "arm64", [f"macosx_{MACOS}_0_arm64"]),
    "Windows x86-64": ("win32", "AMD64", ["win_amd64"]),
    "Windows ARM": ("win32", "ARM64", ["win_arm64"]),
}


def pinned(python: str, system: str, machine: str) -> Iterator[str]:
    """The locked packages that a platform needs, as `name==version`."""
    place = {"python_version": python, "python_full_version": f"{python}.0"}
    place |= {"sys_platform": system, "platform_machine": machine}
    for line in re.findall(
        r"^[a-z][^\\\n]*", (ROOT / "requirements.txt").read_text(), re.MULTILINE
    ):
        requirement = Requirement(line.strip())
        if requirement.marker is None or requirement.marker.evaluate(place):
            yield f"{requirement.name}{requirement.specifier}"


def missing(python: str, tags: list[str], wanted: list[str]) -> Iterator[str]:
    """The packages for which there is no wheel."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--dry-run",
        "--no-deps",
        "--ignore-installed",
        "--quiet",
    ]
    command += ["--only-binary", ":all:", "--target", str(ROOT / "build"), "--implementation", "cp"]
    command += ["--python-version", python, *(part for tag in tags for part in ("--platform", tag))]
    while True:
        done = subprocess.run([*command, *wanted], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
        absent = re.search(r"No matching distribution found for (\S+)", done.stderr)
        if absent is None or absent[1] not in wanted:
            raise SystemExit(done.stderr)
        yield absent[1]
        wanted = [one for one in wanted if one != absent[1]]


def main(pythons: list[str]) -> int:
    rows: dict[str, list[str]] = {name: [] for name in PLATFORMS}
    for python in pythons:
        for name, (system, machine, tags) in PLATFORMS.items():
            wanted = list(pinned(python, system, machine))
            absent = list(missing(python, tags, wanted))
            print(
                f"{python} {name}: {len(wanted)} packages, missing: {', '.join(absent) or 'none'}",
                flush=True,
            )
            rows[name].append("all" if not absent else "not " + ", ".join(absent))
    print(
        "\n| | "
        + " | ".join(f"Python {python}" for python in pythons)
        + " |\n"
        + "|---" * (len(pythons) + 1)
        + "|"
    )
    print("\n".join(f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items()))
    return int(any(cell != "all" for cells in rows.values() for cell in cells))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(PYTHONS)))
