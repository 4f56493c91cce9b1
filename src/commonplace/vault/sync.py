"""Two-way sync: what a person or a sync client did in the folder becomes versions, and files follow memories.

A file is the truth about its note: where both changed, the file's words win and the memory's stay in its history.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePosixPath

from commonplace import ids
from commonplace.engine.notes import Past
from commonplace.errors import CommonplaceError, Conflict, NotFound, TooLarge
from commonplace.records import UNSET, Draft, Edit, Memory, Origin
from commonplace.storage import notes as rows
from commonplace.storage.files import explained
from commonplace.storage.notes import Kept
from commonplace.vault import folder, names, notes
from commonplace.vault.folder import Listing, Seen
from commonplace.vault.notes import Note, text_of
from commonplace.vault.place import Vault, mark_of, marked, path_id, sha256, title_of
from commonplace.vault.writing import GRACE_MS, follow

ORIGIN = Origin(dialect="vault", reason="changed in the folder")
_GONE = Origin(dialect="vault", reason="the file was removed")
_TOGETHER = 200
_AHEAD_MS = 24 * 3_600_000  # An id from further in the future was not given out by a clock that goes right.


@dataclass(slots=True)
class Report:
    """What a comparison did, and what a person should know of the folder."""

    added: int = 0
    changed: int = 0
    forgotten: int = 0
    restored: int = 0
    written: int = 0
    # Files by their path, with what is the matter with each.
    missing: list[str] = field(default_factory=list[str])
    broken: dict[str, str] = field(default_factory=dict[str, str])
    copies: list[str] = field(default_factory=list[str])
    passed: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class _Found:
    """A file that may have changed, read."""

    path: str
    seen: Seen
    sha256: str
    note: Note


def sync(vault: Vault, *, full: bool = False, settle: bool = True) -> Report:
    """Bring folder and memories together. `full` reads every file, also those whose time and size did not change.

    Without `settle`, nothing at all is written where nothing changed, not even a file's new time.
    """
    with explained(vault.root):
        return _sync(vault, full, settle)


def _sync(vault: Vault, full: bool, settle: bool) -> Report:
    listing, report = folder.listed(vault.root), Report()
    report.passed = listing.passed
    bank_id = vault.bank_id
    known = rows.listed(vault.engine.db, bank_id) if bank_id is not None else []
    if not known and not listing.files and (bank_id is None or not full):
        return report
    by_path = {one.path: one for one in known}
    found = _changed(vault, listing, by_path, report, full=full)
    identified = list(_identified(vault, found, known, listing))
    report.copies = [one.path for one, _, copy in identified if copy]
    identified = [found for found in identified if not _is_known(vault, found[0], found[1], settle)]
    for start in range(0, len(identified), _TOGETHER):
        # One write to the disk for many files; each is still a part of its own, which can fail by itself.
        with vault.engine.db.transaction():
            for one, number, copy in identified[start : start + _TOGETHER]:
                _guarded(report, one.path, partial(_apply, vault, one, number, copy, report))
    _note_missing(vault, listing, known, report)
    if (bank_id := vault.bank_id) is not None:
        waiting = rows.behind(vault.engine.db, bank_id)
        waiting += rows.without_file(vault.engine.db, bank_id) if full else []
        for number in dict.fromkeys(waiting):
            _guarded(report, ids.note(number), partial(_follow, vault, number, report))
    return report


def _guarded(report: Report, path: str, work: Callable[[], None]) -> None:
    """Do the work on one file; what is wrong with it is told and holds up no other."""
    try:
        work()
    except CommonplaceError as error:
        report.broken[path] = f"{error.message} {error.hint}".strip()


def _follow(vault: Vault, number: int, report: Report) -> None:
    report.written += follow(vault, number, ORIGIN)


def _changed(vault: Vault, listing: Listing, by_path: dict[str, Kept], report: Report, *, full: bool) -> list[_Found]:
    found: list[_Found] = []
    for path, seen in listing.files.items():
        kept = by_path.get(path)
        if not full and kept and kept.missing_at is None and (kept.mtime_ns, kept.size) == (seen.mtime_ns, seen.size):
            continue
        try:
            data = _read(vault, path, seen)
            note = notes.read(notes.split(data), PurePosixPath(path).stem)
            found.append(_Found(path, seen, sha256(data), note))
        except NotFound:
            continue  # Gone since it was listed; the next look knows more.
        except CommonplaceError as error:
            report.broken[path] = f"{error.message} {error.hint}".strip()
    return found


def _read(vault: Vault, path: str, seen: Seen) -> bytes:
    if seen.size > folder.FILE_BYTES_MAX:
        raise TooLarge("It is too large for a note.", hint="Split it into parts.")
    return folder.contents(vault.root, path)


def _identified(
    vault: Vault, found: list[_Found], known: list[Kept], listing: Listing
) -> Iterable[tuple[_Found, int, bool]]:
    """Each changed file with the id of its note, and whether it is a copy of another note's file."""
    by_path, by_id = {one.path: one for one in known}, {one.memory_id: one for one in known}
    changed = {one.path: one for one in found}
    # Files that were not read still carry what they carried.
    owners = {one.memory_id: one.path for one in known if one.path in listing.files and one.path not in changed}
    ahead = ids.floor(vault.engine.clock.now() + _AHEAD_MS)
    stems = {names.folded(path.removesuffix(".md")) for path in listing.files}

    def order(one: _Found) -> tuple[bool, bool, int, str]:
        kept = by_id.get(one.note.id or 0)
        return (not (kept and kept.path == one.path), _conflicting(one.path, stems), len(one.path), one.path)

    lost = {one.sha256: one for one in known if one.path not in listing.files}
    for one in sorted(found, key=order):
        carried = one.note.id if one.note.id is not None and one.note.id <= ahead else None
        kept = by_path.get(one.path)
        if carried is not None and owners.get(carried, one.path) == one.path:
            owners[carried] = one.path
            yield one, carried, False
            continue
        copy = carried is not None or (_conflicting(one.path, stems) and kept is None)
        if kept is not None and owners.get(kept.memory_id, one.path) == one.path and kept.memory_id != carried:
            number = kept.memory_id
            copy = carried is not None
        elif carried is None and (moved := lost.pop(one.sha256, None)) and moved.memory_id not in owners:
            number, copy = moved.memory_id, False
        else:
            number = _own_id(vault, one.path)
        owners[number] = one.path
        yield one, number, copy


def _own_id(vault: Vault, path: str) -> int:
    """The id for a file that has none of its own."""
    turn = 0
    while True:
        number = path_id(path, turn)
        kept, memory = rows.find(vault.engine.db, number), vault.memory(number)
        if memory is None and kept is None:
            return number
        # The same path again is the same note, also when what was known of its file is lost.
        if memory is not None and kept is None and mark_of(memory).get("file") == path:
            return number
        if kept is not None and kept.path == path:
            return number
        turn += 1


def _conflicting(path: str, stems: set[str]) -> bool:
    place = PurePosixPath(path)
    return names.conflict(place.stem, lambda base: names.folded(str(place.with_name(base))) in stems)


def _is_known(vault: Vault, one: _Found, number: int, settle: bool) -> bool:
    """Whether a file is what it was; its time alone matters only to those who want to know it by that."""
    kept = rows.find(vault.engine.db, number)
    if kept is None or kept.missing_at is not None or not kept.mtime_ns:
        return False
    if (kept.path, kept.sha256) != (one.path, one.sha256):
        return False
    return not settle or kept.mtime_ns == one.seen.settled_ns


def _apply(vault: Vault, one: _Found, number: int, copy: bool, report: Report) -> None:
    """Make a file's content the newest version of its note."""
    current = Kept(number, 0, one.path, one.seen.settled_ns, one.seen.size, one.sha256, 0)
    with vault.engine.db.transaction():
        kept, memory = rows.find(vault.engine.db, number), vault.memory(number)
        version = None
        if memory is None:
            memory = _adopt(vault, one, number, copy)
            report.added += 1
        elif kept is None or kept.sha256 != one.sha256 or (kept.missing_at and kept.version == memory.version):
            memory = _revised(vault, memory, one, copy, report)
        else:
            # Only moved or touched; what the memory says since is for the file to follow.
            version = kept.version if kept.version < memory.version else None
            memory = _moved(vault, memory, one, copy, report)
        current = replace(current, memory_id=memory.id, bank_id=memory.bank_id)
        rows.put(vault.engine.db, replace(current, version=memory.version if version is None else version))


def _adopt(vault: Vault, one: _Found, number: int, copy: bool) -> Memory:
    note = one.note
    draft = Draft(
        text=text_of(note), title=note.title, tags=note.tags, metadata=marked(note, one.path, copy=copy, rest={})
    )
    deleted = (note.deleted_at or vault.engine.clock.now()) if note.deleted else None
    past = Past(number, note.created_at or one.seen.mtime_ns // 1_000_000, note.updated_at, deleted)
    past = replace(past, updated_at=note.updated_at or one.seen.mtime_ns // 1_000_000)
    try:
        return vault.engine.adopt(vault.bank, draft, past, ORIGIN)
    except Conflict:
        # The id belongs to a memory of another bank: this is a copy of its file.
        return vault.engine.adopt(vault.bank, draft, replace(past, id=_own_id(vault, one.path)), ORIGIN)


def _revised(vault: Vault, memory: Memory, one: _Found, copy: bool, report: Report) -> Memory:
    note, engine = one.note, vault.engine
    metadata = marked(note, one.path, copy=copy, rest=memory.metadata)
    same_title = title_of(memory) == note.title or memory.title == note.title.strip()
    edit = Edit(
        text=text_of(note) if text_of(note) != memory.text else UNSET,
        title=UNSET if same_title else note.title,
        tags=note.tags if note.tags != memory.tags else UNSET,
        metadata=metadata if metadata != memory.metadata else UNSET,
    )
    differs = edit != Edit()
    if memory.forgotten_at is not None and (differs or not note.deleted):
        memory = engine.restore(vault.bank, [memory.id], ORIGIN)[0].memory
        report.restored += not note.deleted
    if differs:
        memory = engine.revise(vault.bank, memory.id, edit, ORIGIN).memory
        report.changed += 1
    if note.deleted and memory.forgotten_at is None:
        memory = engine.forget(vault.bank, [memory.id], ORIGIN)[0].memory
        report.forgotten += 1
    return memory


def _moved(vault: Vault, memory: Memory, one: _Found, copy: bool, report: Report) -> Memory:
    metadata = marked(one.note, one.path, copy=copy, rest=memory.metadata)
    if memory.forgotten_at is not None or metadata == memory.metadata:
        return memory
    report.changed += 1
    return vault.engine.revise(vault.bank, memory.id, Edit(metadata=metadata), ORIGIN).memory


def _note_missing(vault: Vault, listing: Listing, known: list[Kept], report: Report) -> None:
    """Note which files are not there, and believe it of those that stay away."""
    now = vault.engine.clock.now()
    for before in known if listing.whole else ():
        # Looked up again, because it may have been found under another path just now.
        kept = rows.find(vault.engine.db, before.memory_id) if before.path not in listing.files else None
        if kept is None or kept.path in listing.files or not kept.mtime_ns:
            continue
        if folder.seen(vault.root, kept.path) is not None:
            continue
        report.missing.append(kept.path)
        with vault.engine.db.transaction():
            if kept.missing_at is None:
                rows.put(vault.engine.db, replace(kept, missing_at=now))
            elif now - kept.missing_at >= GRACE_MS:
                memory = vault.memory(kept.memory_id)
                if memory and memory.forgotten_at is None and memory.version == kept.version:
                    after = vault.engine.forget(vault.bank, [memory.id], _GONE)[0].memory
                    rows.put(vault.engine.db, replace(kept, version=after.version))
                    report.forgotten += 1
