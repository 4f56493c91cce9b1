"""How a folder of notes stands beside the memories. Looks at every file, and changes nothing at
all.
"""

from pathlib import Path

from commonplace import ids
from commonplace.filesystem import explained
from commonplace.storage import note_files as rows
from commonplace.storage.note_files import Kept
from commonplace.vault import filenames, folder, tombstones
from commonplace.vault.file_matching import Found, identified, without_numbered_copies
from commonplace.vault.file_reading import changed
from commonplace.vault.folder import Listing
from commonplace.vault.report import Report
from commonplace.vault.root_marker import standing
from commonplace.vault.tombstones import Graves
from commonplace.vault.vault import Vault


def look(vault: Vault) -> Report:
    """What the next `sync` would find: the counts say what it would do, as far as a look can
    tell.
    """
    report = Report()
    with explained(vault.root), vault.engine.db.snapshot():
        report.standing = standing(vault)
        if report.standing in ("away", "other"):
            return report
        listing = folder.listed(vault.root, sweep=False)
        report.passed, report.conflicts = listing.passed, listing.conflicts
        _pass_over(listing, tombstones.known_graves(vault))
        bank_id = vault.bank_id
        known = rows.listed(vault.engine.db, bank_id) if bank_id is not None else []
        found = without_numbered_copies(changed(vault.root, listing, None, report), known, listing)
        _compare(vault, found, known, listing, report)
        if bank_id is not None:
            waiting = {
                *rows.behind(vault.engine.db, bank_id),
                *rows.without_file(vault.engine.db, bank_id),
            }
            report.written = len(waiting)
    return report


def look_without_store(root: Path) -> Report:
    """What the first `sync` would find in a folder, before there is a store."""
    report = Report(standing="new")
    with explained(root):
        listing = folder.listed(root, sweep=False)
        report.passed, report.conflicts = listing.passed, listing.conflicts
        report.added = len(
            without_numbered_copies(changed(root, listing, None, report), [], listing)
        )
    return report


def _pass_over(listing: Listing, buried: Graves) -> None:
    for path in [path for path in buried.paths if buried.holds(path, listing.files.get(path))]:
        del listing.files[path]
        listing.passed[path] = tombstones.STAYS


def _compare(
    vault: Vault, found: list[Found], known: list[Kept], listing: Listing, report: Report
) -> None:
    by_id = {one.memory_id: one for one in known}
    for one, number, copy in identified(vault, found, known, listing):
        kept = by_id.get(number)
        if copy:
            report.copies.append(one.path)
        if kept is None:
            report.added += 1
        elif (kept.path, kept.sha256) != (one.path, one.sha256) or kept.missing_at is not None:
            report.changed += 1
        by_id.pop(number, None)
    bank_id = vault.bank_id
    believed = rows.gone(vault.engine.db, bank_id) if bank_id is not None else set[int]()
    report.missing += [
        _named(kept)
        for kept in by_id.values()
        if kept.memory_id not in believed and _away(kept, listing)
    ]


def _away(kept: Kept, listing: Listing) -> bool:
    """Whether a file that was written is not in the folder, nor on its way to it from a cloud."""
    if not listing.whole or not kept.mtime_ns or kept.path in listing.files:
        return False
    if kept.path in listing.conflicts or listing.is_ignored(kept.path):
        return False
    return filenames.placeholder(kept.path) not in listing.passed


def _named(kept: Kept) -> str:
    return ids.note(kept.memory_id) if kept.path.startswith(rows.NOWHERE) else kept.path
