"""Finds damage in a store, and repairs what is derived.

Canonical rows are never changed. The indexes of SQLite count as derived, because they can be
rebuilt from their tables.
"""

import json
import os
import shutil
import stat
from pathlib import Path

import apsw

from commonplace import filesystem
from commonplace.errors import Invalid, NotFound, Unsupported
from commonplace.storage import backups, migrations, text_index
from commonplace.storage.database import Database, translate_errors
from commonplace.storage.rows import banks, memories

_FOUND_MAX = 1_000_000
_PAGE = 200
_FILE_MODE = 0o600
_FOLDER_MODE = 0o700
_MAGIC = b"SQLite format 3\0"


def file_damage(db: Database) -> list[str]:
    """The damage that SQLite finds in the file, except in the text index, which has its own
    check.
    """
    lines = [str(row["line"]) for row in db.all("integrity")]
    return [line for line in lines if line != "ok" and "fts5" not in line.lower()]


def reindex(db: Database) -> None:
    """Rebuild every index from its table, unless the rows violate it."""
    with db.maintenance() as connection:
        try:
            connection.execute("reindex")
        except apsw.ConstraintError:
            # Two rows have the same key. This is canonical damage, which the next check reports.
            return


def broken_references(db: Database) -> dict[str, int]:
    """The number of rows of each table that refer to a missing row."""
    return {row["name"]: row["count"] for row in db.all("broken_references")}


def found_ids(db: Database, name: str) -> list[int]:
    """The ids that a named check reports."""
    return [row["id"] for row in db.all(name, limit=_FOUND_MAX)]


def unreadable_ids(db: Database) -> list[int]:
    """The memories with a field, in any version, that is not valid text or JSON."""
    wrong: set[int] = set()
    for name in ("memory_bytes", "version_bytes"):
        after = 0
        while rows := db.all(name, after=after, limit=_PAGE):
            wrong.update(
                row["memory_id"] for row in rows if not (row["valid"] and _is_text(row["bytes"]))
            )
            after = rows[-1]["id"]
    return sorted(wrong)


def schema_fault(db: Database) -> str:
    """The fault in the record of migrations, or an empty text."""
    return _schema_fault({row["name"]: row["sha256"] for row in db.all("recorded_steps")})


def reindex_found(db: Database, name: str) -> None:
    """Index the memories that a named check reports, except unreadable ones."""
    with db.transaction():
        unreadable = set(unreadable_ids(db))
        for number in (number for number in found_ids(db, name) if number not in unreadable):
            memory = memories.find(db, int(db.value("bank_of_memory", id=number) or 0), number)
            if memory is not None:
                # Indexing a first version does not delete tags, because normally there are none.
                text_index.drop_labels(db, [number])
                text_index.index_memory(db, memory)


def replace_vectors(db: Database) -> None:
    """Drop vectors with a wrong bank or state, and queue their memories for new ones."""
    with db.transaction():
        for number in found_ids(db, "misplaced_vectors"):
            db.run("drop_vectors", ids=json.dumps([number]))
            db.run(
                "queue_embedding", memory_id=number, bank_id=db.value("bank_of_memory", id=number)
            )


def drop_orphans(db: Database) -> None:
    """Delete derived rows whose memory does not exist."""
    with db.transaction():
        text_index.drop_orphans(db)
        db.run("drop_lost_links")


def rebuild_text_index(db: Database) -> None:
    """Rebuild the text index from the stored terms, and from the memories whose terms are
    missing.
    """
    with db.transaction():
        text_index.repair_texts(db)
    drop_orphans(db)
    reindex_found(db, "memories_without_text")


def id_counter_lag(db: Database) -> int:
    """The difference between the highest id and the id counter, or 0."""
    return max(0, int(db.value("highest_id")) - int(db.value("last_id") or 0))


def advance_id_counter(db: Database) -> None:
    """Move the id counter beyond the highest id."""
    with db.transaction():
        banks.skip_ids(db, int(db.value("highest_id")))


def expired_leases(db: Database, now: int) -> int:
    """The number of jobs whose lease expired, because their worker stopped."""
    return int(db.value("count_expired_leases", now=now))


def late_jobs(db: Database, before: int) -> int:
    """The number of jobs that were due at a moment and have not started."""
    return int(db.value("count_late_jobs", before=before))


def log_bytes(db: Database) -> int:
    """The size of the write-ahead log."""
    log = _beside(db.path, "-wal")
    return log.stat().st_size if log.exists() else 0


def free_bytes(db: Database) -> tuple[int, int]:
    """The free space of the disk, and the size of the store."""
    with filesystem.translate_os_errors(db.path):
        return shutil.disk_usage(db.path.parent).free, db.path.stat().st_size


def leftovers(db: Database, before: int) -> list[str]:
    """The names of incomplete copies beside the store that have not changed since a moment."""
    with filesystem.translate_os_errors(db.path):
        return sorted(
            path.name
            for path in _unfinished_copies(db.path)
            if path.stat().st_mtime * 1000 < before
        )


def remove_leftovers(db: Database, before: int) -> None:
    """Delete incomplete copies that have not changed since a moment."""
    with filesystem.translate_os_errors(db.path):
        for name in leftovers(db, before):
            path = db.path.with_name(name)
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def paths_open_to_others(db: Database) -> list[str]:
    """The names of the store's files, and of its folder, that other users can access."""
    with filesystem.translate_os_errors(db.path):
        return [
            path.name
            for path, mode in _private_paths(db.path)
            if stat.S_IMODE(path.stat().st_mode) & ~mode
        ]


def restrict_permissions(db: Database) -> None:
    """Remove the permissions of other users, where the process may change them."""
    with filesystem.translate_os_errors(db.path):
        for path, mode in _private_paths(db.path):
            status = path.stat()
            # A shared folder, such as /tmp, has the sticky bit and must stay open.
            if status.st_uid == os.getuid() and not status.st_mode & stat.S_ISVTX:
                path.chmod(stat.S_IMODE(status.st_mode) & mode)


def examine_file(path: Path) -> list[str]:
    """The damage inside a file that should be a store. Raises if it is no database or cannot be
    read.
    """
    with filesystem.translate_os_errors(path):
        if not path.exists():
            raise NotFound(
                f"There is no store {path.name!r} yet.",
                hint="The first write creates it; check COMMONPLACE_HOME.",
            )
        filesystem.check_regular_file(path)
        with path.open("rb") as file:
            head = file.read(len(_MAGIC))
    if not head:
        raise Invalid(
            f"{path.name!r} is empty.", hint="Delete it, or restore a backup in its place."
        )
    if head != _MAGIC:
        raise Unsupported(
            f"{path.name!r} is not a database, or its first page is damaged.",
            hint=_restore_hint(path),
        )
    try:
        with translate_errors(), backups.open_read_only(path) as connection:
            return _problems_inside(connection)
    except apsw.SQLError as error:
        # SQLite reads a damaged first page as a file without tables.
        raise Unsupported(
            f"{path.name!r} is missing a part of its schema.", hint=_restore_hint(path)
        ) from error


def _problems_inside(connection: apsw.Connection) -> list[str]:
    if connection.pragma("application_id") != migrations.APPLICATION_ID:
        return ["It is a database, but not a Commonplace store."]
    steps = dict(connection.execute("select name, sha256 from migrations"))
    fault = _schema_fault({str(name): str(sha256) for name, sha256 in steps.items()})
    return [*([fault] if fault else []), *backups.integrity_problems(connection, "integrity_check")]


def _schema_fault(recorded: dict[str, str]) -> str:
    known = {step.name: step.sha256 for step in migrations.packaged_steps()}
    if newer := sorted(recorded.keys() - known.keys()):
        return (
            "The store was made by a newer version of Commonplace (it has the migration"
            f" {newer[-1]})."
        )
    if missing := sorted(known.keys() - recorded.keys()):
        return f"The migration {missing[0]} is not recorded."
    if edited := [name for name in recorded if recorded[name] != known[name]]:
        return f"The migration {edited[0]} is recorded with different text."
    return ""


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _unfinished_copies(path: Path) -> list[Path]:
    parts = path.parent.glob(f"{filesystem.PART_PREFIX}*{filesystem.PART_SUFFIX}*")
    return [*parts, *path.parent.glob(f"{backups.FOLDER_PREFIX}*")]


def _private_paths(path: Path) -> list[tuple[Path, int]]:
    if os.name != "posix":
        return []  # Other systems do not use these bits.
    beside = [path, _beside(path, "-wal"), _beside(path, "-shm")]
    return [(path.parent, _FOLDER_MODE), *((file, _FILE_MODE) for file in beside if file.exists())]


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _restore_hint(path: Path) -> str:
    return (
        f"Move {path.name!r} aside and run `commonplace restore --backup FILE` with your newest"
        " backup."
    )
