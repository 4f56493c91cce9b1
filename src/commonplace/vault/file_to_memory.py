"""From file to memory: what a person or a sync client did to a file becomes a version of its note.

Where the memory changed too since both last said the same, the two are merged, and the result is
written into the file. Where both changed the same lines, those of the file stay in the note, and
the others are kept in a conflict file.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from commonplace.engine.note_import import Adoption, Past
from commonplace.errors import CommonplaceError, Conflict
from commonplace.limits import TEXT_BYTES_MAX
from commonplace.records.memory import UNSET, Draft, Edit, Memory, Origin, Unset
from commonplace.storage import note_files as rows
from commonplace.storage.note_files import Kept
from commonplace.vault import folder
from commonplace.vault.conflicts import keep_conflict
from commonplace.vault.file_matching import Found, Named, own_id
from commonplace.vault.frontmatter import Note, all_tags, text_of, text_only_tags
from commonplace.vault.markdown import link_names, text_tags
from commonplace.vault.report import Report
from commonplace.vault.three_way_merge import Merged, three_way_merge
from commonplace.vault.tombstones import is_erased
from commonplace.vault.vault import Vault, completed, marked, title_of, told

ORIGIN = Origin(dialect="vault", reason="changed in the folder")


@dataclass(frozen=True, slots=True)
class _Common:
    """What memory and file said when they last said the same. Version 0 where nobody knows."""

    version: int
    text: str = ""
    title: str = ""
    tags: tuple[str, ...] = ()
    deleted: bool = False


def apply(vault: Vault, one: Found, number: int, copy: bool, report: Report) -> None:
    """Make a file's content the newest version of its note."""
    with vault.engine.db.transaction():
        if folder.seen(vault.root, one.path) != one.seen:
            # Written since it was read, perhaps by ourselves: this is an old copy, and the next
            # look knows more.
            return
        kept, memory = rows.find(vault.engine.db, number), vault.memory(number)
        if memory is not None:
            one = replace(one, note=completed(one.note, memory))
        version = None
        if memory is None:
            if is_erased(vault, number, one.sha256):
                return
            memory = _adopt(vault, one, number, copy)
            report.added += 1
        elif (
            kept is None
            or kept.sha256 != one.sha256
            or (kept.missing_at and kept.version == memory.version)
        ):
            base = _base(vault, memory, kept, one.note)
            memory = _revised(vault, memory, (one, copy), base, report)
            # What only the memory knows is for the file to follow.
            version = base.version if base and _differs(memory, one.note) else None
        else:
            # Only moved or touched; what the memory says since is for the file to follow.
            version = kept.version if kept.version < memory.version else None
            memory = _moved(vault, memory, one, copy, report)
        current = _kept(memory, one, memory.version if version is None else version)
        rows.put(vault.engine.db, current)
        rows.put_wikilinks(vault.engine.db, memory.bank_id, {memory.id: link_names(memory.text)})
        rows.displace(vault.engine.db, current, vault.engine.clock.now())


def adopt_many(vault: Vault, named: Sequence[Named], report: Report) -> bool:
    """Store the notes of many new files in one go; whether that could be done. If not, each is
    tried by itself.
    """
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
        rows.put_wikilinks(
            vault.engine.db, made[0].bank_id, {one.id: link_names(one.text) for one in made}
        )
        for one in current:
            rows.displace(vault.engine.db, one, vault.engine.clock.now())
    report.added += len(made)
    return True


def _kept(memory: Memory, one: Found, version: int) -> Kept:
    seen = one.seen
    return Kept(
        memory.id, memory.bank_id, one.path, seen.settled_ns, seen.size, one.sha256, version
    )


def _base(vault: Vault, memory: Memory, kept: Kept | None, note: Note) -> _Common | None:
    """What the file held before, where the memory went on since; None where every difference is the
    file's.
    """
    if kept is not None and kept.version >= memory.version:
        return None
    history = vault.engine.history(vault.bank, memory.id)
    if kept is not None:
        found = next((one for one in history if one.number == kept.version), None)
    elif history[-1].origin.reason == ORIGIN.reason:
        return None  # The memory says only what a file said.
    else:
        # What was known of the file is lost. It may be an older state of the note.
        found = next((one for one in reversed(history) if one.text == text_of(note)), None)
    return (
        _Common(found.number, found.text, found.title, found.tags, found.forgotten)
        if found
        else _Common(0)
    )


def _differs(memory: Memory, note: Note) -> bool:
    said = told(memory, note)
    return (said.body, said.title, said.tags, said.deleted) != (
        note.body,
        note.title,
        note.tags,
        note.deleted,
    )


def _adopt(vault: Vault, one: Found, number: int, copy: bool) -> Memory:
    try:
        return vault.engine.adopt(vault.bank, [_adoption(vault, one, number, copy)], ORIGIN)[0]
    except Conflict:
        # The id belongs to a memory of another bank: this is a copy of its file.
        return vault.engine.adopt(
            vault.bank, [_adoption(vault, one, own_id(vault, one.path), copy)], ORIGIN
        )[0]


def _adoption(vault: Vault, one: Found, number: int, copy: bool) -> Adoption:
    note, changed_at = one.note, one.seen.mtime_ns // 1_000_000
    metadata = marked(note, one.path, copy=copy, rest={})
    draft = Draft(text=text_of(note), title=note.title, tags=all_tags(note), metadata=metadata)
    deleted = (note.deleted_at or vault.engine.clock.now()) if note.deleted else None
    return Adoption(
        draft, Past(number, note.created_at or changed_at, note.updated_at or changed_at, deleted)
    )


def _revised(
    vault: Vault, memory: Memory, file: tuple[Found, bool], base: _Common | None, report: Report
) -> Memory:
    (one, _), engine = file, vault.engine
    note = one.note
    edit, in_conflict = _edit(memory, file, base)
    if in_conflict:
        report.conflicts.append(keep_conflict(vault, memory, one.path))
    # A status that the file has only because nobody wrote the new one into it yet says nothing.
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


def _edit(memory: Memory, file: tuple[Found, bool], base: _Common | None) -> tuple[Edit, bool]:
    """What is to change in a memory because of its file, and whether both had changed the same."""
    one, copy = file
    note = one.note
    merged = _merged_text(memory, note, base)
    same_title = title_of(memory) == note.title or memory.title == note.title.strip()
    title: str | Unset = (
        UNSET if same_title or (base and base.title == note.title.strip()) else note.title
    )
    titles_differ = title is not UNSET and base is not None and base.title != memory.title
    after = replace(note, title=title_of(memory)) if title is UNSET and not same_title else note
    if merged.text != text_of(note):
        after = replace(after, body=merged.text)
    after = replace(after, tags=note.tags if base is None else _merged_tags(memory, note, base))
    tags = all_tags(after)
    metadata = marked(after, one.path, copy=copy, rest=memory.metadata)
    edit = Edit(
        text=UNSET if merged.text == memory.text else merged.text,
        title=title,
        tags=UNSET if tags == memory.tags else tags,
        metadata=metadata if metadata != memory.metadata else UNSET,
    )
    return edit, merged.conflict_count > 0 or titles_differ


def _merged_text(memory: Memory, note: Note, base: _Common | None) -> Merged:
    """What file and memory say together; where both changed the same lines, those of the file."""
    text = text_of(note)
    if base is None or text == memory.text:
        return Merged(text)
    if not base.version:
        return Merged(text, 1)
    merged = three_way_merge(base.text, text, memory.text)
    fits = merged.text.strip() and len(merged.text.encode()) <= TEXT_BYTES_MAX
    return merged if fits else Merged(text, 1)


def _merged_tags(memory: Memory, note: Note, base: _Common) -> tuple[str, ...]:
    """The tags that the frontmatter is to have; those in the text change with the text."""
    in_text = {*text_tags(base.text), *text_tags(memory.text)}
    kept = [tag for tag in note.tags if tag in memory.tags or tag not in base.tags]
    added = [tag for tag in memory.tags if tag not in base.tags and tag not in in_text]
    return tuple(dict.fromkeys([*kept, *added]))


def _moved(vault: Vault, memory: Memory, one: Found, copy: bool, report: Report) -> Memory:
    """The memory of a note whose file says what it said, from another place or to a reader that now
    knows more.
    """
    metadata = marked(one.note, one.path, copy=copy, rest=memory.metadata)
    if memory.forgotten_at is not None or metadata == memory.metadata:
        return memory
    report.changed += 1
    tags = tuple(dict.fromkeys([*memory.tags, *text_only_tags(one.note)]))
    edit = Edit(metadata=metadata, tags=UNSET if tags == memory.tags else tags)
    return vault.engine.revise(vault.bank, memory.id, edit, ORIGIN).memory
