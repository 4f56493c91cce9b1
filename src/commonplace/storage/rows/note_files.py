"""Rows of the files of notes."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from commonplace import ids
from commonplace.storage.database import Database

_JUST_NOW_MS = 60_000
# The folder of the stored path of a note whose file was replaced by that of another note. No path
# of a note begins with a dot.
DISPLACED_PREFIX = ".nowhere/"
# The stored time of a file that must be read again although it has not changed; set by a migration.
READ_AGAIN_NS = 1


@dataclass(frozen=True, slots=True)
class NoteFile:
    """The file of a note as it was when it was last read or written."""

    memory_id: int
    bank_id: int
    path: str
    mtime_ns: int
    size: int
    sha256: str
    version: int
    missing_at: int | None = None
    # Whether Commonplace created the file. Storing 0 does not reset it.
    made_here: int = 0


@dataclass(frozen=True, slots=True)
class ErasedNoteFile:
    """The file of a note that was erased for good, as it was when it was last read or written."""

    memory_id: int
    bank: str
    path: str
    mtime_ns: int
    size: int
    sha256: str
    # Whether the user created the file, so that only the user removes it.
    stays: int = 0
    made_here: int = 0


@dataclass(frozen=True, slots=True)
class VaultRoot:
    """The folder of a bank's notes: the content of its marker file, and a hash of its last path."""

    mark: str
    place: str


@dataclass(frozen=True, slots=True)
class ExpectedFile:
    """A file that is expected in a folder of notes; `present` if the last sync found it."""

    memory_id: int
    path: str
    sha256: str
    present: int


@dataclass(frozen=True, slots=True)
class Backlink:
    """A note that links to a name."""

    name: str
    memory_id: int
    path: str


def find(db: Database, memory_id: int) -> NoteFile | None:
    """The file of a note."""
    row = db.one("find_note", memory_id=memory_id)
    return NoteFile(**row) if row else None


def list_files(db: Database, bank_id: int) -> list[NoteFile]:
    """The files of a bank's notes."""
    return [NoteFile(**row) for row in db.all("list_notes", bank_id=bank_id)]


def files_at(
    db: Database, bank_id: int, paths: Iterable[str], numbers: Iterable[int]
) -> list[NoteFile]:
    """The files of a bank's notes at some paths, those of some notes, and all that are missing."""
    given = {"paths": json.dumps(list(paths)), "ids": json.dumps(list(numbers))}
    return [NoteFile(**row) for row in db.all("concerned_notes", bank_id=bank_id, **given)]


def paths(db: Database, bank_id: int, folder: str = "") -> list[str]:
    """The paths of the files of a bank's notes, or of those in a folder, which ends with /."""
    return [row["name"] for row in db.all("note_paths", bank_id=bank_id, folder=folder)]


def file_stamps(db: Database, bank_id: int) -> dict[str, tuple[int, int]]:
    """The time and size of each file of a bank at the last sync. A missing file has impossible
    values.
    """
    return {
        row["path"]: (row["mtime_ns"], row["size"])
        for row in db.all("note_stamps", bank_id=bank_id)
    }


def put(db: Database, kept: NoteFile) -> None:
    """Store the state of a file."""
    db.run("put_note", **asdict(kept))


def displace(db: Database, kept: NoteFile, now: int) -> None:
    """Record that the files of all other notes at the path of this one are missing."""
    location = {"bank_id": kept.bank_id, "path": kept.path, "memory_id": kept.memory_id}
    db.run("displace_notes", nowhere=DISPLACED_PREFIX, now=now, **location)


def put_many(db: Database, kept: Sequence[NoteFile]) -> None:
    """Store the states of several files."""
    db.run_many("put_note", [asdict(one) for one in kept])


def ids_in_use(db: Database, numbers: Sequence[int]) -> set[int]:
    """Those of some ids that belong to a memory, a version or a note being erased, in any bank."""
    return {row["id"] for row in db.all("taken_ids", ids=json.dumps(list(numbers)))}


def forgotten_without_file(db: Database, bank_id: int) -> set[int]:
    """The forgotten notes of a bank whose files are missing."""
    return {row["memory_id"] for row in db.all("gone_notes", bank_id=bank_id)}


def drop(db: Database, memory_id: int) -> None:
    """Delete the row of a file."""
    db.run("drop_note", memory_id=memory_id)


def erased_files(db: Database, bank: str) -> list[ErasedNoteFile]:
    """The files of a bank whose notes were erased."""
    return [ErasedNoteFile(**row) for row in db.all("erased_notes", bank=bank)]


def find_erased(db: Database, memory_id: int) -> ErasedNoteFile | None:
    """The file of an erased note."""
    row = db.one("erased_note", memory_id=memory_id)
    return ErasedNoteFile(**row) if row else None


def put_erased(db: Database, one: ErasedNoteFile) -> None:
    """Store the file of an erased note."""
    db.run("put_erased_note", **asdict(one))


def drop_erased(db: Database, memory_id: int) -> None:
    """Delete the row of an erased note."""
    db.run("drop_erased_note", memory_id=memory_id)


def banks_with_notes(db: Database) -> list[str]:
    """The banks that have notes."""
    return [row["name"] for row in db.all("banks_with_notes")]


def banks_to_erase(db: Database) -> list[str]:
    """The banks, also erased ones, whose folders contain files to be removed."""
    return [row["bank"] for row in db.all("banks_to_erase")]


def banks_of_erased(db: Database, numbers: Collection[int]) -> list[str]:
    """The banks whose folders contain the files of some erased notes."""
    return (
        [row["bank"] for row in db.all("banks_of_erased", ids=json.dumps(list(numbers)))]
        if numbers
        else []
    )


def banks_with_outdated_files(db: Database, now: int) -> list[str]:
    """The banks with files that lack a recent change or erasure by another dialect."""
    return [
        row["name"] for row in db.all("banks_behind", since=ids.smallest_id(now - _JUST_NOW_MS))
    ]


def change_counters(db: Database) -> tuple[int, int]:
    """Counters that change with every write and every erasure."""
    row = db.one("notes_pulse")
    return (row["written"], row["erased"]) if row else (0, 0)


def outdated_notes(db: Database, bank_id: int) -> list[int]:
    """The notes whose memories changed since their files were written."""
    return [row["memory_id"] for row in db.all("notes_behind", bank_id=bank_id)]


def notes_without_file(db: Database, bank_id: int) -> list[int]:
    """The notes that have no file yet."""
    return [row["id"] for row in db.all("notes_without_file", bank_id=bank_id)]


def find_root(db: Database, bank: str) -> VaultRoot | None:
    """The folder of a bank's notes."""
    row = db.one("vault_root", bank=bank)
    return VaultRoot(**row) if row else None


def put_root(db: Database, bank: str, root: VaultRoot) -> None:
    """Store the folder of a bank's notes."""
    db.run("put_vault_root", bank=bank, **asdict(root))


def drop_root(db: Database, bank: str) -> None:
    """Delete the row of a bank's folder."""
    db.run("drop_vault_root", bank=bank)


def expected_files(db: Database, bank: str, limit: int) -> list[ExpectedFile]:
    """The files expected in a bank's folder of notes."""
    return [ExpectedFile(**row) for row in db.all("expected_files", bank=bank, limit=limit)]


def move_to_folder(db: Database, bank_id: int, present: Iterable[str], now: int) -> None:
    """Mark every note outside the folder to be written into it. A forgotten note is only marked as
    missing.
    """
    given = {"bank_id": bank_id, "present": json.dumps(list(present)), "nowhere": DISPLACED_PREFIX}
    db.run("rehome_notes", **given)
    db.run("rehome_forgotten_notes", now=now, **given)


def put_conflict_file(db: Database, bank: str, path: str, memory_id: int, sha256: str) -> None:
    """Store a conflict file that was written beside a note."""
    db.run("put_conflict_file", bank=bank, path=path, memory_id=memory_id, sha256=sha256)


def erased_conflict_files(db: Database, bank: str) -> list[tuple[str, str]]:
    """The conflict files of a bank's erased notes that are to be removed, each with its
    fingerprint.
    """
    return [(row["path"], row["sha256"]) for row in db.all("erased_conflict_files", bank=bank)]


def drop_conflict_file(db: Database, bank: str, path: str) -> None:
    """Delete the row of a conflict file."""
    db.run("drop_conflict_file", bank=bank, path=path)


def put_wikilinks(db: Database, bank_id: int, links: Mapping[int, Iterable[str]]) -> None:
    """Store the names to which some notes link. Unchanged rows are not written."""
    known: dict[int, set[str]] = {}
    for row in db.all("wikilinks_of", ids=json.dumps(list(links))):
        known.setdefault(row["memory_id"], set()).add(row["name"])
    changed = {
        number: set(found)
        for number, found in links.items()
        if set(found) != known.get(number, set())
    }
    if not changed:
        return
    with db.transaction():
        db.run("drop_wikilinks", ids=json.dumps(list(changed)))
        given = [(number, name) for number, found in changed.items() for name in sorted(found)]
        db.run_many(
            "put_wikilink",
            [{"memory_id": number, "bank_id": bank_id, "name": name} for number, name in given],
        )


def backlinks(db: Database, bank_id: int, names: Iterable[str]) -> list[Backlink]:
    """The notes that link to one of some names, by their path; forgotten notes are left out."""
    given = json.dumps(list(names), ensure_ascii=False)
    return [Backlink(**row) for row in db.all("backlinks", bank_id=bank_id, names=given)]
