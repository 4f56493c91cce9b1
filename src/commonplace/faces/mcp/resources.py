"""Matches a URI to a resource and extracts the variables of its URI template."""

import re
from collections.abc import Iterable
from urllib.parse import unquote

from commonplace.dialects.dialect import Resource

_VARIABLE = re.compile(r"\{(\w+)\}")


def find(resources: Iterable[Resource], uri: str) -> tuple[Resource, dict[str, str]] | None:
    """The resource with a URI, and the values of its template variables.

    A fixed URI takes precedence over a template.
    """
    listed = sorted(resources, key=lambda one: "{" in one.uri)
    for one in listed:
        if one.uri == uri:
            return one, {}
        if "{" in one.uri and (match := _pattern(one.uri, one.deep).fullmatch(uri)):
            return one, {name: unquote(value) for name, value in match.groupdict().items()}
    return None


def _pattern(template: str, deep: bool) -> re.Pattern[str]:
    pieces = _VARIABLE.split(template)
    signs = "[^?#]+" if deep else "[^/?#]+"
    fixed, names = map(re.escape, pieces[::2]), (f"(?P<{name}>{signs})" for name in pieces[1::2])
    return re.compile(
        "".join(piece for pair in zip(fixed, (*names, ""), strict=True) for piece in pair)
    )
