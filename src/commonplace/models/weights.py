"""Finds weights that came inside an installed package. Only its data files are used; its code is never run."""

import importlib.util
from pathlib import Path


def folder_of(package: str, *files: str) -> Path | None:
    """The folder of a package that holds some files; None when it is not installed, or holds something else."""
    spec = importlib.util.find_spec(package)
    for location in (spec.submodule_search_locations if spec else None) or ():
        if all((Path(location) / file).is_file() for file in files):
            return Path(location)
    return None
