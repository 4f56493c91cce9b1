"""A folder of markdown notes, as Obsidian and basic-memory keep them: one note is one memory.

Wikilinks, observations and relations stay in the text as they were written; tags, times, title and type are read from
the frontmatter, tags also from the text. A note is known again by the folder's name and its path.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from commonplace.engine.taking import Foreign
from commonplace.errors import CommonplaceError
from commonplace.importers import plain_yaml
from commonplace.importers.reading import (
    Object,
    Place,
    Read,
    Skipped,
    Thing,
    broken,
    first_of,
    kind_of,
    labels_of,
    line_of,
    moment_of,
    object_of,
    provenance,
    text_of,
)
from commonplace.limits import IMPORT_FILES_MAX, TAG_CHARS_MAX, TAGS_MAX, TEXT_BYTES_MAX
from commonplace.records import Draft
from commonplace.vault import notes

SOURCE = "notes"
ENDINGS = (".md", ".markdown")
NOT_MARKDOWN = "not markdown"
EMPTY_NOTE = "an empty note"
DRAWING = "a drawing"
_ROOM = 100_000  # frontmatter beside a text at its limit
_CODE = re.compile(r"^(```|~~~).*?^\1[^\n]*$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_TAG = re.compile(r"(?<![\w/#&\[(])#([^\W\d_][\w/-]*|\d+[^\W\d][\w/-]*)")
_LINK = re.compile(r"\[\[([^\]|#^]+)")
_LINKS_MAX = 200
_CREATED = ("created", "created_at", "creation_date", "date_created", "date")
_UPDATED = ("modified", "updated", "updated_at", "modified_at", "last_modified", "date_modified")
# Kinds that agents are told to obey, or that are made here: not for any file in a folder to claim.
_COMMANDS = ("rule", "skill", "observation")
_READ = {"title", "tags", "tag", "type", *_CREATED, *_UPDATED}


def read(place: Place) -> Iterator[Read]:
    """Every note below a folder, or one note. Hidden folders, where programs keep their own things, are passed over."""
    root = place.path if place.path.is_dir() else place.path.parent
    found = sorted(_files(place.path)) if place.path.is_dir() else [place.path]
    for done, path in enumerate(found, start=1):
        name = path.relative_to(root).as_posix()
        if path.suffix.lower() in ENDINGS:
            read = _note(path, name)
            yield read if isinstance(read, Skipped) else _in_folder(read, root.resolve().name)
        else:
            yield Skipped(name, NOT_MARKDOWN)
        place.progress(done, len(found))


def _in_folder(thing: Thing, folder: str) -> Thing:
    """A note known by its folder's name and its path in it: folders may move, and two may have a README each."""
    return replace(thing, foreign=replace(thing.foreign, key=f"{folder}/{thing.foreign.key}"))


def has_notes(folder: Path) -> bool:
    """Whether there is a note below a folder."""
    return any(path.suffix.lower() in ENDINGS for path in _files(folder))


def _files(folder: Path) -> Iterator[Path]:
    count = 0
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        for name in names:
            if name.startswith("."):
                continue
            count += 1
            if count > IMPORT_FILES_MAX:
                return
            yield Path(parent) / name


def _note(path: Path, name: str) -> Thing | Skipped:
    try:
        # A link could lead anywhere on the disk.
        if path.is_symlink():
            return Skipped(name, "a link to another place")
        if not path.is_file():
            return Skipped(name, "not a file")
        if path.stat().st_size > TEXT_BYTES_MAX + _ROOM:
            return broken(name, f"it is larger than {TEXT_BYTES_MAX:,} bytes")
        data, changed = path.read_bytes(), round(path.stat().st_mtime * 1000)
    except OSError as error:
        return broken(name, (error.strerror or "it cannot be read").lower())
    try:
        page = notes.split(data)
    except CommonplaceError as error:
        if data.startswith(b"---") and b"\x00" not in data:
            return _plain(path, name, data, changed)
        return broken(name, error.message[:1].lower() + error.message[1:].rstrip("."))
    head = _head("".join(page.head or ()))
    if head is None:
        return _plain(path, name, data, changed)
    return _thing(path, name, head, page.body, changed)


def _kind(value: object) -> str:
    kind = kind_of(value)
    return "note" if kind.lower() in _COMMANDS else kind


def _plain(path: Path, name: str, data: bytes, changed: int) -> Thing | Skipped:
    """A note whose frontmatter is not what it should be: all of it is text."""
    return _thing(path, name, {}, data.decode(errors="surrogateescape"), changed)


def _head(text: str) -> Object | None:
    try:
        found: object = plain_yaml.read(text)
    except CommonplaceError:
        return None
    return object_of(found) if found is None or object_of(found) else None


def _thing(path: Path, name: str, head: Object, body: str, changed: int) -> Thing | Skipped:
    if "excalidraw-plugin" in head:
        return Skipped(name, DRAWING)
    if not body.strip():
        return Skipped(name, EMPTY_NOTE)
    heading = re.search(r"^#[ \t]+(.+?)[ \t]*#*[ \t]*$", body, re.MULTILINE)
    title = line_of(head.get("title")) or (line_of(heading[1]) if heading else "") or line_of(path.stem)
    said = _CODE.sub(" ", body)
    tags = [*labels_of(head.get("tags")), *labels_of(head.get("tag")), *_TAG.findall(said)]
    rest = {key: value for key, value in head.items() if key not in _READ and value is not None}
    links = list(dict.fromkeys(line_of(link) for link in _LINK.findall(said)))[:_LINKS_MAX]
    draft = Draft(
        body,
        title=title,
        kind=_kind(head.get("type")),
        tags=tuple(dict.fromkeys(tag for tag in tags if len(tag) <= TAG_CHARS_MAX))[:TAGS_MAX],
        metadata=rest | ({"links": links} if links else {}) | provenance(SOURCE, name),
    )
    updated = moment_of(first_of(head, *_UPDATED)) or changed
    created = moment_of(first_of(head, *_CREATED)) or updated
    foreign = Foreign(name, draft, created, max(created, updated))
    return Thing(name, foreign, own=notes.own_id(text_of(head.get("id")) or None))
