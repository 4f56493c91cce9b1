"""Two-way sync: what a person or a sync client did in the folder becomes versions, and files follow
memories.

Where both changed, they are merged; where they changed the same lines, the file's stay in the note.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from commonplace import ids
from commonplace.errors import CommonplaceError
from commonplace.filesystem import explained
from commonplace.records.memory import Origin
from commonplace.storage import note_files as rows
from commonplace.storage.note_files import Kept
from commonplace.vault import filenames, folder, tombstones
from commonplace.vault.file_matching import Found, Named, identified, without_numbered_copies
from commonplace.vault.file_reading import Stamps, changed
from commonplace.vault.file_to_memory import ORIGIN, adopt_many, apply
from commonplace.vault.folder import Listing
from commonplace.vault.markdown import link_names
from commonplace.vault.memory_to_file import GRACE_MS, follow
from commonplace.vault.report import Report
from commonplace.vault.root_marker import claim, standing
from commonplace.vault.tombstones import Graves
from commonplace.vault.vault import Vault

_GONE = Origin(dialect="vault", reason="the file was removed")
_IGNORED = Origin(dialect="vault", reason="the file is ignored")
_TOGETHER = 200


def sync(vault: Vault, *, full: bool = False, settle: bool = True) -> Report:
    """Bring folder and memories together. `full` reads every file, also those whose time and size
    did not change.

    Without `settle`, nothing at all is written where nothing changed, not even a file's new time.
    """
    report = Report()
    with explained(vault.root):
        report.standing = standing(vault)
        if report.standing in ("away", "other"):
            return report
        buried = tombstones.graves(vault)
        listing = folder.listed(vault.root)
        report.passed, report.conflicts = listing.passed, listing.conflicts
        if listing.files:
            claim(vault)
        for path in [path for path in buried.paths if buried.holds(path, listing.files.get(path))]:
            del listing.files[path]
            report.passed[path] = tombstones.STAYS
        bank_id = vault.bank_id
        stamps = rows.stamps(vault.engine.db, bank_id) if bank_id is not None else {}
        # The folder looks exactly as it did most of the time.
        if full or listing.files != stamps:
            _take_in(vault, listing, buried, report, (None if full else stamps, settle))
        if (bank_id := vault.bank_id) is not None:
            waiting = rows.behind(vault.engine.db, bank_id)
            waiting += rows.without_file(vault.engine.db, bank_id) if full else []
            for number in dict.fromkeys(waiting):
                _guarded(report, ids.note(number), partial(_follow, vault, number, report))
    return report


def _take_in(
    vault: Vault, listing: Listing, buried: Graves, report: Report, how: tuple[Stamps | None, bool]
) -> None:
    stamps, settle = how
    found = changed(vault.root, listing, stamps, report)
    known = _concerned(vault, listing, stamps, found)
    found = without_numbered_copies(found, known, listing)
    by_path = {one.path: one for one in known}
    living = [one for one in found if one.path in by_path]
    found = living + _unburied(
        vault, [one for one in found if one.path not in by_path], buried, listing, report
    )
    if stamps is None and listing.whole:
        tombstones.clear(vault, buried)
    named = list(identified(vault, found, known, listing))
    report.copies = [one.path for one, _, copy in named if copy]
    by_id = {one.memory_id: one for one in known}
    if stamps is None and (bank_id := vault.bank_id) is not None:
        # Made again from the files; most of it is known.
        links = {number: link_names(one.note.body) for one, number, _ in named if number in by_id}
        rows.put_wikilinks(vault.engine.db, bank_id, links)
    named = [each for each in named if not _is_known(by_id.get(each[1]), each[0], settle)]
    for start in range(0, len(named), _TOGETHER):
        # One write to the disk for many files.
        with vault.engine.db.transaction():
            _apply_some(vault, named[start : start + _TOGETHER], by_id, report)
    _note_missing(vault, listing, known, report)


def _concerned(
    vault: Vault, listing: Listing, stamps: Stamps | None, found: list[Found]
) -> list[Kept]:
    """What is known of the notes that a look is about: of all, or of those whose files changed,
    came or are gone.

    Where one file of many is never as it should be, a broken one for example, looks must not take
    longer for it.
    """
    bank_id, db = vault.bank_id, vault.engine.db
    if bank_id is None:
        return []
    if stamps is None:
        return rows.listed(db, bank_id)
    paths = {one.path for one in found} | (stamps.keys() - listing.files.keys())
    return rows.concerned(
        db, bank_id, paths, {one.note.id for one in found if one.note.id is not None}
    )


def _apply_some(
    vault: Vault, named: list[Named], by_id: Mapping[int, Kept], report: Report
) -> None:
    taken = rows.taken(vault.engine.db, [number for _, number, _ in named])
    fresh = [each for each in named if each[1] not in taken and each[1] not in by_id]
    done = {each[1] for each in fresh} if fresh and adopt_many(vault, fresh, report) else set[int]()
    # Each is a part of its own, which can fail by itself.
    for one, number, copy in (each for each in named if each[1] not in done):
        _guarded(report, one.path, partial(apply, vault, one, number, copy, report))


def _guarded(report: Report, path: str, work: Callable[[], None]) -> None:
    """Do the work on one file; what is wrong with it is told and holds up no other."""
    try:
        work()
    except CommonplaceError as error:
        report.broken[path] = f"{error.message} {error.hint}".strip()


def _follow(vault: Vault, number: int, report: Report) -> None:
    report.written += follow(vault, number, ORIGIN)


def _unburied(
    vault: Vault, found: list[Found], buried: Graves, listing: Listing, report: Report
) -> list[Found]:
    """The files that were not erased as notes, or were changed since."""
    out: list[Found] = []
    for one in found:
        if grave := buried.contents.get(one.sha256):
            report.passed[one.path] = tombstones.STAYS
            del listing.files[one.path]
            tombstones.lies(vault, grave, one.path, one.seen, buried)
        else:
            out.append(one)
    return out


def _is_known(kept: Kept | None, one: Found, settle: bool) -> bool:
    """Whether a file is what it was; its time alone matters only to those who want to know it by
    that.
    """
    if kept is None or kept.missing_at is not None or kept.mtime_ns in (0, rows.READ_AGAIN_NS):
        return False
    if (kept.path, kept.sha256) != (one.path, one.sha256):
        return False
    return not settle or kept.mtime_ns == one.seen.settled_ns


def _note_missing(vault: Vault, listing: Listing, known: list[Kept], report: Report) -> None:
    """Note which files are not there, and believe it of those that stay away."""
    now, bank_id = vault.engine.clock.now(), vault.bank_id
    away = [one for one in known if one.path not in listing.files] if listing.whole else []
    believed = rows.gone(vault.engine.db, bank_id) if away and bank_id is not None else set[int]()
    for before in (one for one in away if one.memory_id not in believed):
        # Looked up again, because it may have been found under another path just now.
        kept = rows.find(vault.engine.db, before.memory_id)
        if kept is None or kept.path in listing.files or not kept.mtime_ns:
            continue
        aside = kept.path in listing.conflicts or listing.is_ignored(kept.path)
        if aside and kept.made_here:
            continue  # What an agent said stays known, wherever its file was put.
        if not aside:
            if (
                folder.seen(vault.root, kept.path) is not None
                or filenames.placeholder(kept.path) in listing.passed
            ):
                continue
            report.missing.append(
                ids.note(kept.memory_id) if kept.path.startswith(rows.NOWHERE) else kept.path
            )
        with vault.engine.db.transaction():
            if kept.missing_at is None:
                rows.put(vault.engine.db, replace(kept, missing_at=now))
            elif now - kept.missing_at >= GRACE_MS:
                memory = vault.memory(kept.memory_id)
                if memory and memory.forgotten_at is None and memory.version == kept.version:
                    after = vault.engine.forget(
                        vault.bank, [memory.id], _IGNORED if aside else _GONE
                    )[0].memory
                    rows.put(vault.engine.db, replace(kept, version=after.version))
                    report.forgotten += 1
