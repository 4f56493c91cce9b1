"""Which resource an address means, and the parts of the address that vary."""

import re
from collections.abc import Iterable
from urllib.parse import unquote

from commonplace.dialects.table import Resource

_PART = re.compile(r"\{(\w+)\}")


def find(resources: Iterable[Resource], uri: str) -> tuple[Resource, dict[str, str]] | None:
    """The resource of an address and the parts of it by name; a fixed address wins over one with parts."""
    listed = sorted(resources, key=lambda one: "{" in one.uri)
    for one in listed:
        if one.uri == uri:
            return one, {}
        if "{" in one.uri and (match := _pattern(one.uri).fullmatch(uri)):
            return one, {name: unquote(value) for name, value in match.groupdict().items()}
    return None


def _pattern(template: str) -> re.Pattern[str]:
    pieces = _PART.split(template)
    # A part that ends the address may have slashes in it, as ids such as `owner/repo` do.
    ends = len(pieces) - 2 if not pieces[-1] else -1
    names = (f"(?P<{pieces[at]}>{'[^?#]+' if at == ends else '[^/?#]+'})" for at in range(1, len(pieces), 2))
    fixed = map(re.escape, pieces[::2])
    return re.compile("".join(piece for pair in zip(fixed, (*names, ""), strict=True) for piece in pair))
