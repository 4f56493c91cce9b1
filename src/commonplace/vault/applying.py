"""From file to memory: what a person or a sync client did to a file becomes a version of its note.

A file is the truth about what was changed in it. What was changed only in the memory since the file was last in step,
by a forget for example, is no truth of the file's: it stays, and is written into the file.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from commonplace.engine.notes import Adoption, Past
from commonplace.errors import CommonplaceError, Conflict
from commonplace.records import UNSET, Draft, Edit, Memory, Origin, Unset
from commonplace.storage import notes as rows
from commonplace.storage.notes import Kept
from commonplace.vault import folder
from commonplace.vault.erasing import is_erased
from commonplace.vault.identity import Found, Named, own_id
from commonplace.vault.notes import Note, text_of
from commonplace.vault.place import Vault, marked, title_of, told
from commonplace.vault.report import Report

ORIGIN = Origin(dialect="vault", reason="changed in the folder")


@dataclass(frozen=True, slots=True)
class _Agreed:
    """What memory and file said when they last said the same."""

    text: str
    title: str
    tags: tuple[str, ...]
    deleted: bool


def apply(vault: Vault, one: Found, number: int, copy: bool, report: Report) -> None:
    """Make a file's content the newest version of its note."""
    with vault.engine.db.transaction():
        if folder.seen(vault.root, one.path) != one.seen:
            # Written since it was read, perhaps by ourselves: this is an old copy, and the next look knows more.
            return
        kept, memory = rows.find(vault.engine.db, number), vault.memory(number)
        version = None
        if memory is None:
            if is_erased(vault, number, one.sha256):
                return
            memory = _adopt(vault, one, number, copy)
            report.added += 1
        elif kept is None or kept.sha256 != one.sha256 or (kept.missing_at and kept.version == memory.version):
            base = _base(vault, memory, kept)
            memory = _revised(vault, memory, one, copy, base, report)
            # What only the memory knows is for the file to follow.
            version = kept.version if kept and base and _differs(memory, one.note) else None
        else:
            # Only moved or touched; what the memory says since is for the file to follow.
            version = kept.version if kept.version < memory.version else None
            memory = _moved(vault, memory, one, copy, report)
        current = _kept(memory, one, memory.version if version is None else version)
        rows.put(vault.engine.db, current)
        rows.displace(vault.engine.db, current, vault.engine.clock.now())


def adopt_many(vault: Vault, named: Sequence[Named], report: Report) -> bool:
    """Store the notes of many new files in one go; whether that could be done. If not, each is tried by itself."""
    with vault.engine.db.transaction():
        if any(folder.seen(vault.root, one.path) != one.seen for one, _, _ in named):
            return False
        adoptions = [_adoption(vault, one, number, copy) for one, number, copy in named]
        try:
            made = vault.engine.adopt(vault.bank, adoptions, ORIGIN)
        except CommonplaceError:
            return False
        pairs = zip(made, named, strict=True)
        current = [_kept(memory, found, memory.version) for memory, (found, _, _) in pairs]
        rows.put_many(vault.engine.db, current)
        for one in current:
            rows.displace(vault.engine.db, one, vault.engine.clock.now())
    report.added += len(made)
    return True


def _kept(memory: Memory, one: Found, version: int) -> Kept:
    seen = one.seen
    return Kept(memory.id, memory.bank_id, one.path, seen.settled_ns, seen.size, one.sha256, version)


def _base(vault: Vault, memory: Memory, kept: Kept | None) -> _Agreed | None:
    """What the file held before, where the memory went on since; None where every difference is the file's."""
    if kept is None or kept.version >= memory.version:
        return None
    history = vault.engine.history(vault.bank, memory.id)
    found = next((one for one in history if one.number == kept.version), None)
    return _Agreed(found.text, found.title, found.tags, found.forgotten) if found else None


def _differs(memory: Memory, note: Note) -> bool:
    said = told(memory, note)
    return (said.body, said.title, said.tags, said.deleted) != (note.body, note.title, note.tags, note.deleted)


def _adopt(vault: Vault, one: Found, number: int, copy: bool) -> Memory:
    try:
        return vault.engine.adopt(vault.bank, [_adoption(vault, one, number, copy)], ORIGIN)[0]
    except Conflict:
        # The id belongs to a memory of another bank: this is a copy of its file.
        return vault.engine.adopt(vault.bank, [_adoption(vault, one, own_id(vault, one.path), copy)], ORIGIN)[0]


def _adoption(vault: Vault, one: Found, number: int, copy: bool) -> Adoption:
    note, changed_at = one.note, one.seen.mtime_ns // 1_000_000
    draft = Draft(
        text=text_of(note), title=note.title, tags=note.tags, metadata=marked(note, one.path, copy=copy, rest={})
    )
    deleted = (note.deleted_at or vault.engine.clock.now()) if note.deleted else None
    return Adoption(draft, Past(number, note.created_at or changed_at, note.updated_at or changed_at, deleted))


def _revised(vault: Vault, memory: Memory, one: Found, copy: bool, base: _Agreed | None, report: Report) -> Memory:
    note, engine = one.note, vault.engine
    edit = _edit(memory, one, copy, base)
    # A status that the file has only because nobody wrote the new one into it yet says nothing.
    deleted = note.deleted if base is None or note.deleted != base.deleted else memory.forgotten_at is not None
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


def _edit(memory: Memory, one: Found, copy: bool, base: _Agreed | None) -> Edit:
    """What a person changed in a file."""
    note, text = one.note, text_of(one.note)
    same_title = title_of(memory) == note.title or memory.title == note.title.strip()
    metadata = marked(note, one.path, copy=copy, rest=memory.metadata)
    title: str | Unset = UNSET if same_title or (base and base.title == note.title.strip()) else note.title
    if title is UNSET and not same_title:
        metadata = marked(replace(note, title=title_of(memory)), one.path, copy=copy, rest=memory.metadata)
    return Edit(
        text=UNSET if text == memory.text or (base and base.text == text) else text,
        title=title,
        tags=UNSET if note.tags == memory.tags or (base and base.tags == note.tags) else note.tags,
        metadata=metadata if metadata != memory.metadata else UNSET,
    )


def _moved(vault: Vault, memory: Memory, one: Found, copy: bool, report: Report) -> Memory:
    metadata = marked(one.note, one.path, copy=copy, rest=memory.metadata)
    if memory.forgotten_at is not None or metadata == memory.metadata:
        return memory
    report.changed += 1
    return vault.engine.revise(vault.bank, memory.id, Edit(metadata=metadata), ORIGIN).memory
