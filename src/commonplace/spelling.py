"""What somebody may have meant by a misspelt name."""

from collections.abc import Iterable


def name(given: str, allowed: Iterable[str]) -> str:
    """The allowed name that is most like a given one, or "" where none is."""
    # It takes longer to load than all that is needed where nothing is misspelt.
    from difflib import get_close_matches

    by_lower_case = {one.lower(): one for one in allowed}
    found = get_close_matches(given.lower(), by_lower_case, n=1)
    return by_lower_case[found[0]] if found else ""


def hint(given: str, allowed: Iterable[str]) -> str:
    """What to use instead of a name: the nearest one first, then all of them."""
    names = tuple(allowed)
    meant = name(given, names)
    listed = " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return f"Did you mean {meant}? Use {listed}." if meant else f"Use {listed}."
