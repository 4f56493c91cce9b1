"""Checks for free disk space. Some is reserved for erasing, which writes to the log before it
releases pages.
"""

import os
import sys
from pathlib import Path

from commonplace.limits import FREE_BYTES_MIN


def is_short(path: Path) -> bool:
    """Whether the disk of a store has space for erasing only."""
    if sys.platform == "win32":
        return False
    try:
        found = os.statvfs(path.parent)
        held = sum(one.stat().st_size for one in (path, Path(f"{path}-wal")) if one.exists())
    except OSError:
        return False
    free = found.f_bavail * found.f_frsize
    # Some file systems always report 0. If the disk is really full, the write itself fails.
    return 0 < free < min(FREE_BYTES_MIN, 2 * held)
