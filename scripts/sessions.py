"""Runs the console sessions of a page in a fresh home and puts what they print into it.

A session is a ```console block: a line that starts with `$ ` is a command, the lines after it are
what it printed. The output goes to a pseudo terminal of 80 columns, because the page shows what a
person sees. Ids and times differ from run to run: if nothing else does, the page stays as it was.
The times of a page are those of one run.
"""

import os
import pty
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

COLUMNS = 80
_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
_ID = re.compile(r"\bm0[0-9a-hjkmnp-tv-z]{7,10}\b")
_VARYING = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d\.\d{3}Z)?)?|\d[\d,]* bytes")


def rerun(page: str, environment: Mapping[str, str]) -> str:
    """The page with the output of each command as it is now."""
    real_ids: dict[
        str, str
    ] = {}  # The ids printed on the page, and those that stand for them in this run.
    with tempfile.TemporaryDirectory() as folder:
        own = {
            "HOME": folder,
            "TZ": "UTC",
            "LOGNAME": "ada",
            "COLUMNS": str(COLUMNS),
            "NO_COLOR": "1",
        }
        place = {
            name: value
            for name, value in environment.items()
            if not name.startswith(("COMMONPLACE_", "XDG_"))
        }
        place |= own | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{environment.get('PATH', '')}"
        }
        now = _BLOCK.sub(lambda block: _rerun_block(block[0], real_ids, folder, place), page)
    return page if _VARYING.sub("…", now) == _VARYING.sub("…", page) else now


def _rerun_block(
    block: str, real_ids: dict[str, str], folder: str, environment: Mapping[str, str]
) -> str:
    steps = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return "".join(_rerun_step(step, real_ids, folder, environment) for step in steps)


def _rerun_step(
    step: str, real_ids: dict[str, str], folder: str, environment: Mapping[str, str]
) -> str:
    command, _, before = step.partition("\n")
    # An id that no command has printed is an example, and stands for itself.
    real_ids |= {one: one for one in _ID.findall(command) if one not in real_ids}
    printed = run(
        _ID.sub(lambda found: real_ids.get(found[0], found[0]), command), folder, environment
    )
    if "internal error" in printed:
        raise RuntimeError(f"A bug, not a page: {command}\n{printed}")
    unknown = [one for one in dict.fromkeys(_ID.findall(before)) if one not in real_ids]
    new = [one for one in dict.fromkeys(_ID.findall(printed)) if one not in real_ids.values()]
    # A page that shows fewer ids than the program printed keeps the new ones as they came.
    real_ids |= dict(zip(unknown, new, strict=False)) | {one: one for one in new[len(unknown) :]}
    page_ids = {real: shown for shown, real in real_ids.items()}
    now = _ID.sub(lambda found: page_ids.get(found[0], found[0]), printed)
    gap = "\n" if before.endswith("\n\n") else ""
    return f"$ {command}\n{now.strip(chr(10))}\n{gap}" if now.strip() else f"$ {command}\n{gap}"


def run(command: str, folder: str, environment: Mapping[str, str]) -> str:
    """What a shell command prints to a person: standard output first, then the notes."""
    terminal, inside = pty.openpty()
    with tempfile.TemporaryFile() as notes:
        process = subprocess.Popen(
            command,
            shell=True,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=inside,
            stderr=notes,
        )
        os.close(inside)
        printed = _read_all(terminal)
        process.wait()
        notes.seek(0)
        # Tables are padded to the width of the terminal, which nobody sees there and everybody
        # would in a file.
        return re.sub(r"[ \r]+$", "", (printed + notes.read()).decode(), flags=re.MULTILINE)


def _read_all(terminal: int) -> bytes:
    parts: list[bytes] = []
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # Linux says that the other end was closed in this way.
            part = b""
        if not part:
            os.close(terminal)
            return b"".join(parts)
        parts.append(part)
