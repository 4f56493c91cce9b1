"""Forms with files, as browsers send them."""

import re
from collections.abc import Mapping
from dataclasses import replace

from commonplace.errors import Invalid
from commonplace.faces.web.visit import Visit


def fields(headers: Mapping[bytes, bytes], body: bytes) -> dict[str, list[str]]:
    """The values of a form with files, without the files."""
    found: dict[str, list[str]] = {}
    for name, file_name, content in _parts(headers, body):
        if not file_name:
            found.setdefault(name, []).append(content.decode("utf-8", "replace"))
    return found


def with_files(visit: Visit, headers: Mapping[bytes, bytes], body: bytes) -> Visit:
    """A request with the files of its form, by their names."""
    named = {file_name: content for _, file_name, content in _parts(headers, body) if file_name}
    return replace(visit, files=named) if named else visit


def _parts(headers: Mapping[bytes, bytes], body: bytes) -> list[tuple[str, str, bytes]]:
    """The name, the file name and the content of each part."""
    kind = headers.get(b"content-type", b"")
    if not kind.startswith(b"multipart/form-data"):
        return []
    found = _BOUNDARY.search(kind)
    if found is None:
        raise Invalid("The form cannot be read.", hint="Send it from the page.")
    parts: list[tuple[str, str, bytes]] = []
    # A browser chooses a boundary that no content has.
    for piece in (b"\r\n" + body).split(b"\r\n--" + found[1])[1:-1]:
        head, _, content = piece.partition(b"\r\n\r\n")
        name, file_name = _NAME.search(head), _FILE_NAME.search(head)
        if name is not None:
            parts.append((_text(name[1]), _text(file_name[1]) if file_name else "", content))
    return parts


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


_BOUNDARY = re.compile(rb'boundary="?([^";,]{1,200})"?')
_NAME = re.compile(rb'\bname="([^"]*)"')
_FILE_NAME = re.compile(rb'\bfilename="([^"]*)"')
