"""Which file holds which note, as rows and back."""

from dataclasses import asdict, dataclass

from commonplace.storage.database import Database


@dataclass(frozen=True, slots=True)
class Kept:
    """The file of a note as it was when it was last read or written."""

    memory_id: int
    bank_id: int
    path: str
    mtime_ns: int
    size: int
    sha256: str
    version: int
    missing_at: int | None = None


def find(db: Database, memory_id: int) -> Kept | None:
    """The file of a note."""
    row = db.one("find_note", memory_id=memory_id)
    return Kept(**row) if row else None


def listed(db: Database, bank_id: int) -> list[Kept]:
    """The files of a bank's notes."""
    return [Kept(**row) for row in db.all("list_notes", bank_id=bank_id)]


def put(db: Database, kept: Kept) -> None:
    """Note what a file holds."""
    db.run("put_note", **asdict(kept))


def drop(db: Database, memory_id: int) -> None:
    """Forget about a file."""
    db.run("drop_note", memory_id=memory_id)


def pulse(db: Database) -> tuple[int, int]:
    """Numbers that change whenever something is written or erased that files may have to follow."""
    row = db.one("notes_pulse")
    return (row["written"], row["erased"]) if row else (0, 0)


def behind(db: Database, bank_id: int) -> list[int]:
    """The notes whose memories went on, or are gone, since their files were last written."""
    return [row["memory_id"] for row in db.all("notes_behind", bank_id=bank_id)]


def without_file(db: Database, bank_id: int) -> list[int]:
    """The notes that have no file yet."""
    return [row["id"] for row in db.all("notes_without_file", bank_id=bank_id)]
