"""From file to memory: an edited file becomes a version of its note.

If the memory changed too since both were last equal, they are merged and the result is written into
the file. Where both changed the same lines, the note keeps those of the file,
and a conflict file keeps the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from commonplace.engine.operations.note_import import Adoption, FileHistory
from commonplace.errors import CommonplaceError, Conflict
from commonplace.limits import TEXT_BYTES_MAX
from commonplace.records.memory import UNSET, Draft, Edit, Memory, Origin, Unset
from commonplace.storage.rows import note_files as rows
from commonplace.storage.rows.note_files import NoteFile
from commonplace.vault.conflicts import write_conflict_file
from commonplace.vault.file_matching import ChangedFile, MatchedFile, id_for_path
from commonplace.vault.folder import folder
from commonplace.vault.folder.tombstones import is_erased
from commonplace.vault.note_format.frontmatter import Note, all_tags, note_text, text_only_tags
from commonplace.vault.note_format.markdown import link_names, text_tags
from commonplace.vault.report import SyncReport
from commonplace.vault.three_way_merge import Merged, three_way_merge
from commonplace.vault.vault import Vault, complete_note, note_metadata, note_of, title_of

ORIGIN = Origin(dialect="vault", reason="changed in the folder")


@dataclass(frozen=True, slots=True)
class _CommonVersion:
    """The last version that memory and file had in common. Version 0 if it is unknown."""

    version: int
    text: str = ""
    title: str = ""
    tags: tuple[str, ...] = ()
    deleted: bool = False


def apply_file(vault: Vault, one: ChangedFile, number: int, copy: bool, report: SyncReport) -> None:
    """Make the content of a file the newest version of its note."""
    with vault.engine.db.transaction():
        if folder.stat_file(vault.root, one.path) != one.stat:
            # The file was written after it was read, perhaps by us; the next sync handles it.
            return
        kept, memory = rows.find(vault.engine.db, number), vault.memory(number)
        if memory is None:
            if is_erased(vault, number, one.sha256):
                return
            memory = _adopt(vault, one, number, copy)
            version = memory.version
            report.added += 1
        else:
            one = replace(one, note=complete_note(one.note, memory))
            memory, version = _update_memory(vault, memory, kept, (one, copy), report)
        current = _file_row(memory, one, version)
        rows.put(vault.engine.db, current)
        rows.put_wikilinks(vault.engine.db, memory.bank_id, {memory.id: link_names(memory.text)})
        rows.displace(vault.engine.db, current, vault.engine.clock.now())


def _update_memory(
    vault: Vault,
    memory: Memory,
    kept: NoteFile | None,
    file: tuple[ChangedFile, bool],
    report: SyncReport,
) -> tuple[Memory, int]:
    """The memory after its file was read, and the version that the file has."""
    one, copy = file
    if (
        kept is None
        or kept.sha256 != one.sha256
        or (kept.missing_at and kept.version == memory.version)
    ):
        base = _merge_base(vault, memory, kept, one.note)
        memory = _revise(vault, memory, file, base, report)
        # The older version number lets `write_note` write the rest into the file.
        is_behind = base is not None and _differs(memory, one.note)
        return memory, base.version if base is not None and is_behind else memory.version
    # Only moved or touched; a newer memory is still to be written into the file.
    older = kept.version if kept.version < memory.version else None
    memory = _update_location(vault, memory, one, copy, report)
    return memory, memory.version if older is None else older


def adopt_files(vault: Vault, named: Sequence[MatchedFile], report: SyncReport) -> bool:
    """Store the notes of many new files at once. False if one fails; then each is tried alone."""
    with vault.engine.db.transaction():
        if any(folder.stat_file(vault.root, one.path) != one.stat for one, _, _ in named):
            return False
        adoptions = [_build_adoption(vault, one, number, copy) for one, number, copy in named]
        try:
            made = vault.engine.adopt(vault.bank, adoptions, ORIGIN)
        except CommonplaceError:
            return False
        pairs = zip(made, named, strict=True)
        current = [_file_row(memory, found, memory.version) for memory, (found, _, _) in pairs]
        rows.put_many(vault.engine.db, current)
        rows.put_wikilinks(
            vault.engine.db, made[0].bank_id, {one.id: link_names(one.text) for one in made}
        )
        for one in current:
            rows.displace(vault.engine.db, one, vault.engine.clock.now())
    report.added += len(made)
    return True


def _file_row(memory: Memory, one: ChangedFile, version: int) -> NoteFile:
    seen = one.stat
    return NoteFile(
        memory.id, memory.bank_id, one.path, seen.stable_mtime_ns, seen.size, one.sha256, version
    )


def _merge_base(
    vault: Vault, memory: Memory, kept: NoteFile | None, note: Note
) -> _CommonVersion | None:
    """The version to merge against; None if only the file changed."""
    if kept is not None and kept.version >= memory.version:
        return None
    history = vault.engine.history(vault.bank, memory.id)
    if kept is not None:
        found = next((one for one in history if one.number == kept.version), None)
    elif history[-1].origin.reason == ORIGIN.reason:
        return None  # The newest version came from a file.
    else:
        # The row of the file is lost. The file may have the text of an older version.
        found = next((one for one in reversed(history) if one.text == note_text(note)), None)
    return (
        _CommonVersion(found.number, found.text, found.title, found.tags, found.forgotten)
        if found
        else _CommonVersion(0)
    )


def _differs(memory: Memory, note: Note) -> bool:
    said = note_of(memory, note)
    return (said.body, said.title, said.tags, said.deleted) != (
        note.body,
        note.title,
        note.tags,
        note.deleted,
    )


def _adopt(vault: Vault, one: ChangedFile, number: int, copy: bool) -> Memory:
    try:
        return vault.engine.adopt(vault.bank, [_build_adoption(vault, one, number, copy)], ORIGIN)[
            0
        ]
    except Conflict:
        # The id is of a memory in another bank; this file is a copy.
        return vault.engine.adopt(
            vault.bank, [_build_adoption(vault, one, id_for_path(vault, one.path), copy)], ORIGIN
        )[0]


def _build_adoption(vault: Vault, one: ChangedFile, number: int, copy: bool) -> Adoption:
    note, changed_at = one.note, one.stat.mtime_ns // 1_000_000
    metadata = note_metadata(note, one.path, copy=copy, rest={})
    draft = Draft(text=note_text(note), title=note.title, tags=all_tags(note), metadata=metadata)
    deleted = (note.deleted_at or vault.engine.clock.now()) if note.deleted else None
    return Adoption(
        draft,
        FileHistory(number, note.created_at or changed_at, note.updated_at or changed_at, deleted),
    )


def _revise(
    vault: Vault,
    memory: Memory,
    file: tuple[ChangedFile, bool],
    base: _CommonVersion | None,
    report: SyncReport,
) -> Memory:
    (one, _), engine = file, vault.engine
    note = one.note
    edit, in_conflict = _build_edit(memory, file, base)
    if in_conflict:
        report.conflicts.append(write_conflict_file(vault, memory, one.path))
    # A status that the file has had since the common version is not a change.
    deleted = (
        note.deleted
        if base is None or note.deleted != base.deleted
        else memory.forgotten_at is not None
    )
    if memory.forgotten_at is not None and not deleted:
        memory = engine.restore(vault.bank, [memory.id], ORIGIN)[0].memory
        report.restored += 1
    if edit != Edit():
        report.changed += 1
        if memory.forgotten_at is not None:
            return engine.amend(vault.bank, memory.id, edit, ORIGIN)
        memory = engine.revise(vault.bank, memory.id, edit, ORIGIN).memory
    if deleted and memory.forgotten_at is None:
        memory = engine.forget(vault.bank, [memory.id], ORIGIN)[0].memory
        report.forgotten += 1
    return memory


def _build_edit(
    memory: Memory, file: tuple[ChangedFile, bool], base: _CommonVersion | None
) -> tuple[Edit, bool]:
    """The edit of a memory that follows from its file, and whether there was a conflict."""
    one, copy = file
    note = one.note
    merged = _merge_text(memory, note, base)
    title, after = _merge_title(memory, note, base)
    titles_differ = title is not UNSET and base is not None and base.title != memory.title
    if merged.text != note_text(note):
        after = replace(after, body=merged.text)
    after = replace(after, tags=note.tags if base is None else _merge_tags(memory, note, base))
    tags = all_tags(after)
    metadata = note_metadata(after, one.path, copy=copy, rest=memory.metadata)
    edit = Edit(
        text=UNSET if merged.text == memory.text else merged.text,
        title=title,
        tags=UNSET if tags == memory.tags else tags,
        metadata=metadata if metadata != memory.metadata else UNSET,
    )
    return edit, merged.conflict_count > 0 or titles_differ


def _merge_title(
    memory: Memory, note: Note, base: _CommonVersion | None
) -> tuple[str | Unset, Note]:
    """The new title of the memory, and the note with the title that the file is to have."""
    if title_of(memory) == note.title or memory.title == note.title.strip():
        return UNSET, note
    if base is not None and base.title == note.title.strip():
        return UNSET, replace(note, title=title_of(memory))
    return note.title, note


def _merge_text(memory: Memory, note: Note, base: _CommonVersion | None) -> Merged:
    """The merged text of file and memory; in conflicts, the lines of the file."""
    text = note_text(note)
    if base is None or text == memory.text:
        return Merged(text)
    if not base.version:
        return Merged(text, 1)
    merged = three_way_merge(base.text, text, memory.text)
    fits = merged.text.strip() and len(merged.text.encode()) <= TEXT_BYTES_MAX
    return merged if fits else Merged(text, 1)


def _merge_tags(memory: Memory, note: Note, base: _CommonVersion) -> tuple[str, ...]:
    """The merged tags of the frontmatter. Tags in the text come from the text alone."""
    in_text = {*text_tags(base.text), *text_tags(memory.text)}
    kept = [tag for tag in note.tags if tag in memory.tags or tag not in base.tags]
    added = [tag for tag in memory.tags if tag not in base.tags and tag not in in_text]
    return tuple(dict.fromkeys([*kept, *added]))


def _update_location(
    vault: Vault, memory: Memory, one: ChangedFile, copy: bool, report: SyncReport
) -> Memory:
    """Update the metadata of a memory whose file has the same content, mostly its path."""
    metadata = note_metadata(one.note, one.path, copy=copy, rest=memory.metadata)
    if memory.forgotten_at is not None or metadata == memory.metadata:
        return memory
    report.changed += 1
    tags = tuple(dict.fromkeys([*memory.tags, *text_only_tags(one.note)]))
    edit = Edit(metadata=metadata, tags=UNSET if tags == memory.tags else tags)
    return vault.engine.revise(vault.bank, memory.id, edit, ORIGIN).memory
