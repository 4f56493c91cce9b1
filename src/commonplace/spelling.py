"""Suggestions for misspelt names."""

from collections.abc import Iterable


def closest_name(given: str, allowed: Iterable[str]) -> str:
    """The allowed name closest to a given one, or "" when none is similar."""
    # Imported here, because it is slow to load and needed for misspelt names only.
    from difflib import get_close_matches

    by_lower_case = {one.lower(): one for one in allowed}
    found = get_close_matches(given.lower(), by_lower_case, n=1)
    return by_lower_case[found[0]] if found else ""


def hint(given: str, allowed: Iterable[str]) -> str:
    """A hint with the closest name and all allowed ones."""
    names = tuple(allowed)
    meant = closest_name(given, names)
    listed = " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return f"Did you mean {meant}? Use {listed}." if meant else f"Use {listed}."
