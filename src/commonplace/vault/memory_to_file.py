"""From memory to file: writes new notes, and changes made through any dialect."""

import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from commonplace.engine.engine import Engine
from commonplace.errors import CommonplaceError, Conflict, Invalid, NotFound
from commonplace.filesystem import translate_os_errors
from commonplace.records.memory import Draft, Edit, IdempotencyKey, Memory, Origin
from commonplace.storage.rows import note_files as rows
from commonplace.storage.rows.note_files import NoteFile
from commonplace.vault.folder import filenames, folder
from commonplace.vault.folder.root_marker import claim, is_usable
from commonplace.vault.folder.tombstones import Cleared, clear_erased_files
from commonplace.vault.note_format import frontmatter
from commonplace.vault.note_format.frontmatter import Note, text_only_tags
from commonplace.vault.note_format.markdown import link_names
from commonplace.vault.vault import (
    VAULT_FIELD,
    Vault,
    note_metadata,
    note_of,
    sha256,
    vault_metadata,
    vault_of,
)

_TAGS_ORIGIN = Origin(dialect="vault", reason="the tags in the text changed")
GRACE_MS = 90_000  # Sync clients replace a file by removing it first; some take a minute for it.


@dataclass(frozen=True, slots=True)
class NewNote:
    """A note to create."""

    title: str
    body: str
    tags: tuple[str, ...] = ()


def add_note(vault: Vault, wanted: NewNote, key: IdempotencyKey | None, origin: Origin) -> Memory:
    """Create a note; its file is on disk when this returns. The same key returns the same note.

    While the folder is away, the note is only in the store, and is written once it is back.
    """
    parts: list[Path] = []
    try:
        with vault.engine.db.transaction():
            number = _create_once(vault, wanted, key, origin, parts)
        try:
            _publish_file(vault, number, parts[0] if parts else None, origin)
        except CommonplaceError:
            if is_usable(vault):
                raise
    finally:
        for part in parts:
            part.unlink(missing_ok=True)
    memory = vault.memory(number)
    if memory is None:
        raise NotFound("The note of this key was erased.", hint="Use a new key.")
    return memory


def write_note(vault: Vault, number: int, origin: Origin) -> bool:
    """Write a memory into its file, unless that has other edits; returns whether it changed."""
    if not is_usable(vault):
        return False
    with vault.engine.db.transaction():
        kept, memory = rows.find(vault.engine.db, number), vault.memory(number)
        if memory is None or (kept is None and not vault_metadata(memory)):
            return False  # The memory is erased, or no note.
        if kept is None or kept.mtime_ns == 0:
            _publish_file(vault, number, None, origin)
            return True
        seen = folder.stat_file(vault.root, kept.path)
        if seen is None:
            return _rewrite_missing(vault, kept, memory, origin)
        data = folder.read_bytes(vault.root, kept.path)
        if sha256(data) != kept.sha256:
            return False
        page = frontmatter.split_file(data)
        before = frontmatter.parse_note(page, Path(kept.path).stem)
        said = note_of(memory, before)
        after = frontmatter.update_fields(page, before, said)
        if after != data:
            folder.replace(vault.root, kept.path, after, seen)
        _record_file(vault, _update_text_tags(vault, memory, said), kept.path, after)
        return after != data


def _update_text_tags(vault: Vault, memory: Memory, said: Note) -> Memory:
    """Update the tags of a memory from its text."""
    in_text, mark = list(text_only_tags(said)), vault_metadata(memory)
    same = set(memory.tags) == {*said.tags, *in_text} and mark.get("text_tags", []) == in_text
    if same or memory.forgotten_at is not None:
        return memory
    rest = {name: value for name, value in mark.items() if name != "text_tags"}
    metadata = {
        **memory.metadata,
        VAULT_FIELD: {**rest, **({"text_tags": in_text} if in_text else {})},
    }
    edit = Edit(tags=frontmatter.all_tags(said), metadata=metadata)
    return vault.engine.revise(vault.bank, memory.id, edit, _TAGS_ORIGIN).memory


def catch_up_files(engine: Engine, trash: Collection[int] = ()) -> Cleared:
    """Write changed memories into their files, and clear files of erased ones.

    Failures are retried by the next sync. Of the erased notes in `trash`, files that a person made
    move to a `.trash` beside them.
    """
    cleared, banks = Cleared(), set[str]()
    if engine.vault is not None:
        banks.update(rows.banks_with_outdated_files(engine.db, engine.clock.now()))
        banks.update(rows.banks_of_erased(engine.db, trash))
    for vault in (vault_of(engine, bank) for bank in sorted(banks)):
        with suppress(CommonplaceError):
            clear_erased_files(vault, cleared, trash)
        for number in rows.outdated_notes(engine.db, vault.bank_id or 0):
            with suppress(CommonplaceError):
                write_note(vault, number, Origin(dialect="vault"))
    return cleared


def _free_path(vault: Vault, title: str) -> str:
    """A free path for a new note, in the inbox if one is set."""
    inbox = f"{vault.engine.vault_inbox}/" if vault.engine.vault_inbox else ""
    if inbox and folder.is_behind_link(vault.root, inbox):
        inbox = ""
    known = rows.paths(vault.engine.db, vault.bank_id, inbox) if vault.bank_id is not None else []
    taken = {filenames.fold_path(path) for path in known}
    place = vault.root / inbox
    if place.is_dir():
        with translate_os_errors(place):
            taken.update(filenames.fold_path(name) for name in os.listdir(place))
    return inbox + filenames.free_name(title, taken.__contains__)


def _create_once(
    vault: Vault, wanted: NewNote, key: IdempotencyKey | None, origin: Origin, parts: list[Path]
) -> int:
    def work() -> int:
        number, part = _create_note(vault, wanted, origin)
        parts.extend([part] if part else [])
        return number

    if key is None:
        return work()
    content = [wanted.title, wanted.body, list(wanted.tags)]
    return vault.engine.once(vault.bank, key, content, work)[0]


def _create_note(vault: Vault, wanted: NewNote, origin: Origin) -> tuple[int, Path | None]:
    """A new note as memory and, where the folder is there, as bytes on disk that have no name
    yet.
    """
    path = _free_path(vault, wanted.title)
    note = Note(wanted.title, wanted.body, tags=wanted.tags)
    draft = Draft(
        text=wanted.body,
        title=wanted.title,
        tags=frontmatter.all_tags(note),
        metadata=note_metadata(note, path, copy=False, rest={}),
    )
    memory = vault.engine.remember(vault.bank, draft, origin).memory
    data = frontmatter.render_note(note_of(memory))
    part = None
    if is_usable(vault):
        claim(vault, make=True)
        part = folder.stage(vault.root, data)
    kept = NoteFile(
        memory.id, memory.bank_id, path, 0, len(data), sha256(data), memory.version, made_here=1
    )
    rows.put(vault.engine.db, kept)
    return memory.id, part


def _publish_file(vault: Vault, number: int, part: Path | None, origin: Origin) -> None:
    """Write the file of a note that has none."""
    memory, kept = vault.memory(number), rows.find(vault.engine.db, number)
    has_file = kept is not None and kept.mtime_ns
    if memory is None or has_file or not is_usable(vault):
        return
    claim(vault, make=True)
    data = frontmatter.render_note(note_of(memory))
    path = _wanted_path(vault, memory, kept) or _free_path(vault, note_of(memory).title)
    staged = part or folder.stage(vault.root, data)
    try:
        path, made = _publish_under_free_name(vault, memory, (staged, path), data)
    finally:
        staged.unlink(missing_ok=True)
    if not is_usable(vault):
        # The disk went away just now: the file is below its mount point, and is written again.
        return
    with vault.engine.db.transaction():
        if path != vault_metadata(memory).get("file") and memory.forgotten_at is None:
            metadata = {**memory.metadata, "vault": {**vault_metadata(memory), "file": path}}
            memory = vault.engine.revise(vault.bank, number, Edit(metadata=metadata), origin).memory
        _record_file(vault, memory, path, data, made=made)


def _publish_under_free_name(
    vault: Vault, memory: Memory, staged: tuple[Path, str], data: bytes
) -> tuple[str, bool]:
    """The path of the published file, and whether it was made here.

    Another file may have taken the name meanwhile; it stays, and is used if it has the same bytes.
    """
    part, path = staged
    while not folder.publish(part, vault.root, path):
        if _has_content(vault, path, data):
            return path, False
        path = _free_path(vault, note_of(memory).title)
    return path, True


def _wanted_path(vault: Vault, memory: Memory, kept: NoteFile | None) -> str:
    """The path that a note had, if it can be used; else ""."""
    path = kept.path if kept else _safe_path(str(vault_metadata(memory).get("file", "")))
    is_unusable = path.startswith(rows.DISPLACED_PREFIX) or folder.is_behind_link(vault.root, path)
    return "" if is_unusable else path


def _has_content(vault: Vault, path: str, data: bytes) -> bool:
    with suppress(Invalid, NotFound):
        return sha256(folder.read_bytes(vault.root, path)) == sha256(data)
    return False  # Not a regular file.


def _rewrite_missing(vault: Vault, kept: NoteFile, memory: Memory, origin: Origin) -> bool:
    """Write the missing file of a changed memory again, after the grace period."""
    if kept.missing_at is None or vault.engine.clock.now() - kept.missing_at < GRACE_MS:
        return False
    if memory.forgotten_at is not None:
        rows.put(vault.engine.db, replace(kept, version=memory.version))
        return False
    rows.put(vault.engine.db, replace(kept, mtime_ns=0, missing_at=None))
    _publish_file(vault, memory.id, None, origin)
    return True


def _record_file(
    vault: Vault, memory: Memory, path: str, data: bytes, *, made: bool = False
) -> None:
    seen = folder.stat_file(vault.root, path)
    if seen is None:
        raise Conflict(f"{Path(path).name!r} was removed meanwhile.", hint="Try again.")
    kept = NoteFile(
        memory.id,
        memory.bank_id,
        path,
        seen.stable_mtime_ns,
        seen.size,
        sha256(data),
        memory.version,
    )
    rows.put(vault.engine.db, replace(kept, made_here=int(made)))
    rows.put_wikilinks(vault.engine.db, memory.bank_id, {memory.id: link_names(memory.text)})


def _safe_path(path: str) -> str:
    """A path from an archive, if it is a safe one below the root; else ""."""
    parts = path.split("/")
    safe = all(
        filenames.safe_stem(part) == part.removesuffix(".md") or filenames.safe_stem(part) == part
        for part in parts
        if part
    )
    return path if path.endswith(".md") and safe and ".." not in parts and "" not in parts else ""


def write_ids(vault: Vault, numbers: Sequence[int]) -> int:
    """Write ids into files of notes without one; returns how many files changed."""
    done = 0
    for number in numbers if is_usable(vault) else ():
        kept, memory = rows.find(vault.engine.db, number), vault.memory(number)
        if kept is None or memory is None or folder.stat_file(vault.root, kept.path) is None:
            continue
        with suppress(Invalid), vault.engine.db.transaction():
            page = frontmatter.split_file(folder.read_bytes(vault.root, kept.path))
            # An id of another program is kept.
            if "id" in page.spans and frontmatter.parse_note(page, "").id in (None, number):
                continue
            rows.put(vault.engine.db, replace(kept, version=0))
            done += write_note(vault, number, Origin())
    return done
