"""A folder of markdown notes, as of Obsidian and basic-memory, or its zip: one memory per note.

The text stays as it is, with wikilinks, observations and relations. Tags, times, title and type
come from the frontmatter, tags also from the text. Folder name and path identify a note.
"""

import os
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from commonplace.engine.operations.external_import import ExternalItem
from commonplace.errors import CommonplaceError
from commonplace.importers import yaml_reader, zips
from commonplace.importers.base import (
    ImportContext,
    ImportItem,
    Object,
    Skipped,
    SourceItem,
    broken_item,
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
from commonplace.records.memory import Draft
from commonplace.vault.note_format import frontmatter

SOURCE = "notes"
ENDINGS = (".md", ".markdown")
NOT_MARKDOWN = "not markdown"
EMPTY_NOTE = "an empty note"
IN_VAULT = "in the vault, which `commonplace vault sync` reads"
DRAWING = "a drawing"
_BYTES_MAX = TEXT_BYTES_MAX + 100_000  # a text at its limit, and frontmatter beside it
_TOO_LARGE = f"it is larger than {TEXT_BYTES_MAX:,} bytes"
_LINK_REASON = "a link to another folder"
# A suffix that a browser or a backup adds to the name of a zip: "Vault (1)", "Vault-2026-11-15".
_COPY = re.compile(r"(?<![\s._\d-])[\s._-]*+(?:\(\d+\)|\d{4}-?\d\d-?\d\d[\dT:._-]{0,40})$")
_CODE = re.compile(r"^(```|~~~).*?^\1[^\n]*$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_TAG = re.compile(r"(?<![\w/#&\[(])#([^\W\d_][\w/-]*|\d+[^\W\d][\w/-]*)")
_HEADING = re.compile(r"^#[ \t]++(.+)$", re.MULTILINE)
_LINK = re.compile(r"\[\[([^\]|#^]+)")
_LINKS_MAX = 200
_CREATED = ("created", "created_at", "creation_date", "date_created", "date")
_UPDATED = ("modified", "updated", "updated_at", "modified_at", "last_modified", "date_modified")
# Kinds that agents obey, or that only the engine creates; an imported file may not set them.
_COMMANDS = ("rule", "skill", "observation")
_HEAD_KEYS = {"title", "tags", "tag", "type", *_CREATED, *_UPDATED}


@dataclass(frozen=True, slots=True)
class _File:
    """A file in the folder: its path, and a function for its bytes and time of change."""

    name: str
    load: Callable[[], "tuple[bytes, int | None] | Skipped"]


def read(context: ImportContext) -> Iterator[SourceItem]:
    """Read the notes in a folder or zip, or one note. Hidden folders are skipped."""
    path = context.path
    if zips.is_zip(path):
        with zips.open_archive(path) as archive:
            yield from _read_notes(context, *_zip_files(archive, path.stem))
        return
    root = path if path.is_dir() else path.parent
    found = sorted(_walk_files(path)) if path.is_dir() else [path]
    whole = root.resolve()
    listed = [(one.relative_to(root), one) for one in found]
    kept = context.vault.resolve() if context.vault else None
    files = [_File(name.as_posix(), _loader(one, kept, whole / name)) for name, one in listed]
    yield from _read_notes(context, files, whole.name)


def _loader(
    path: Path, vault: Path | None, resolved: Path
) -> Callable[[], tuple[bytes, int | None] | Skipped]:
    if vault is not None and resolved.is_relative_to(vault):
        return lambda: Skipped(path.name, IN_VAULT)
    return lambda: _read_file(path)


def _read_notes(context: ImportContext, found: list[_File], folder: str) -> Iterator[SourceItem]:
    for done, file in enumerate(found, start=1):
        if file.name.lower().endswith(ENDINGS):
            read = _read_note(file)
            yield read if isinstance(read, Skipped) else _with_folder_key(read, folder)
        else:
            yield Skipped(file.name, NOT_MARKDOWN)
        context.progress(done, len(found))


def _with_folder_key(item: ImportItem, folder: str) -> ImportItem:
    """The note with the folder's name in its key, because two folders may have a README each."""
    return replace(item, external=replace(item.external, key=f"{folder}/{item.external.key}"))


def has_notes(path: Path) -> bool:
    """Whether a folder or a zip contains a note."""
    if path.is_dir():
        return any(file.suffix.lower() in ENDINGS for file in _walk_files(path))
    with zips.open_archive(path) as archive:
        return any(file.name.lower().endswith(ENDINGS) for file in zips.list_members(archive))


def _walk_files(folder: Path) -> Iterator[Path]:
    count = 0
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name != "node_modules"
        )
        for name in names:
            if name.startswith("."):
                continue
            count += 1
            if count > IMPORT_FILES_MAX:
                return
            yield Path(parent) / name


def _zip_files(archive: zipfile.ZipFile, stem: str) -> tuple[list[_File], str]:
    """The files of a zip and the name of their folder.

    A zipped vault has the same keys as its folder, so the common top folder is cut off.
    """
    found = zips.list_members(archive)
    tops = {PurePosixPath(one.name).parts[0] for one in found if "/" in one.name}
    one_top = len(tops) == 1 and all("/" in one.name for one in found)
    folder = tops.pop() if one_top else _COPY.sub("", stem) or stem
    cut = len(folder) + 1 if one_top else 0
    return [
        _File(one.name[cut:], lambda one=one: _read_member(archive, one)) for one in found
    ], folder


def _read_member(
    archive: zipfile.ZipFile, one: zips.ZipMember
) -> tuple[bytes, int | None] | Skipped:
    if one.is_link:
        return Skipped(one.name, _LINK_REASON)
    if one.info.file_size > _BYTES_MAX:
        return broken_item(one.name, _TOO_LARGE)
    try:
        with archive.open(one.info) as file:
            data = file.read(_BYTES_MAX + 1)
    except zips.DAMAGED:
        return broken_item(one.name, "it is damaged")
    # The size in the header of a zip may be wrong.
    return broken_item(one.name, _TOO_LARGE) if len(data) > _BYTES_MAX else (data, one.changed_at)


def _read_file(path: Path) -> tuple[bytes, int | None] | Skipped:
    try:
        # A link may lead out of the folder.
        if path.is_symlink():
            return Skipped(path.name, _LINK_REASON)
        if not path.is_file():
            return Skipped(path.name, "not a file")
        if path.stat().st_size > _BYTES_MAX:
            return broken_item(path.name, _TOO_LARGE)
        return path.read_bytes(), round(path.stat().st_mtime * 1000)
    except OSError as error:
        return broken_item(path.name, (error.strerror or "it cannot be read").lower())


def _read_note(file: _File) -> ImportItem | Skipped:
    name, loaded = file.name, file.load()
    if isinstance(loaded, Skipped):
        return replace(loaded, location=name)
    data, changed = loaded
    try:
        page = frontmatter.split_file(data)
    except CommonplaceError as error:
        if data.startswith(b"---") and b"\x00" not in data:
            return _plain_note(name, data, changed)
        return broken_item(name, error.message[:1].lower() + error.message[1:].rstrip("."))
    head = _parse_head("".join(page.head or ()))
    if head is None:
        return _plain_note(name, data, changed)
    return _note_item(name, head, page.body, changed)


def _kind(value: object) -> str:
    kind = kind_of(value)
    return "note" if kind.lower() in _COMMANDS else kind


def _plain_note(name: str, data: bytes, changed: int | None) -> ImportItem | Skipped:
    """A note with invalid frontmatter: the whole file is its text."""
    return _note_item(name, {}, data.decode(errors="surrogateescape"), changed)


def _parse_head(text: str) -> Object | None:
    try:
        found: object = yaml_reader.read(text)
    except CommonplaceError:
        return None
    return object_of(found) if found is None or object_of(found) else None


def _heading(body: str) -> str:
    """The text of the first heading, without closing `#`."""
    found = _HEADING.search(body)
    return found[1].rstrip(" \t\r").rstrip("#") if found else ""


def _note_item(name: str, head: Object, body: str, changed: int | None) -> ImportItem | Skipped:
    if "excalidraw-plugin" in head:
        return Skipped(name, DRAWING)
    if not body.strip():
        return Skipped(name, EMPTY_NOTE)
    updated = moment_of(first_of(head, *_UPDATED)) or changed
    created = moment_of(first_of(head, *_CREATED)) or updated
    last = None if created is None or updated is None else max(created, updated)
    external = ExternalItem(name, _note_draft(name, head, body), created, last)
    vault_id = frontmatter.parse_note_id(text_of(head.get("id")) or None)
    return ImportItem(name, external, vault_id=vault_id)


def _note_draft(name: str, head: Object, body: str) -> Draft:
    title = (
        line_of(head.get("title")) or line_of(_heading(body)) or line_of(PurePosixPath(name).stem)
    )
    prose = _CODE.sub(" ", body)
    tags = [*labels_of(head.get("tags")), *labels_of(head.get("tag")), *_TAG.findall(prose)]
    return Draft(
        body,
        title=title,
        kind=_kind(head.get("type")),
        tags=tuple(dict.fromkeys(tag for tag in tags if len(tag) <= TAG_CHARS_MAX))[:TAGS_MAX],
        metadata=_note_metadata(head, prose) | provenance(SOURCE, name),
    )


def _note_metadata(head: Object, prose: str) -> Object:
    """The other keys of the frontmatter, and the links in the text."""
    metadata: Object = {
        key: value for key, value in head.items() if key not in _HEAD_KEYS and value is not None
    }
    links = list(dict.fromkeys(line_of(link) for link in _LINK.findall(prose)))[:_LINKS_MAX]
    if links:
        metadata["links"] = links
    return metadata
