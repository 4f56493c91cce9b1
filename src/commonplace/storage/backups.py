"""Backups of the whole file, made and restored while other processes use the store.

Every copy reads one snapshot of its source. Without a snapshot, SQLite restarts the copy at every
write of another process, and a busy store would never finish.
"""

import glob
import os
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeAlias

import apsw

from commonplace import filesystem, ids
from commonplace.clock import Clock
from commonplace.errors import Conflict, Invalid, Unsupported
from commonplace.storage import migrations
from commonplace.storage.database import Database, translate_errors
from commonplace.storage.migrations import Migration
from commonplace.storage.rows import banks

Progress: TypeAlias = Callable[[int, int | None], None]

FOLDER_PREFIX = ".commonplace-restore-"
_PAGES = 1000
_COPIES_MAX = 10_000
_MARK_MARGIN = 2**32
_TRY_ANOTHER = "Choose another backup; nothing was changed."


def write(
    db: Database, target: Path, progress: Progress | None = None, *, verify: bool = True
) -> int:
    """Copy the store into a new file, checked before it gets its name. Returns its size."""
    with filesystem.new_file(target) as part:
        with (
            translate_errors(),
            closing(_open(db.path, db.busy_timeout_ms)) as source,
            closing(_open(part)) as copy,
        ):
            _copy(source, copy, progress)
            # One self-contained file: in WAL mode, every reader would create two more files.
            copy.pragma("journal_mode", "delete")
            if verify and integrity_problems(copy, "quick_check"):
                raise Unsupported(
                    "The store is damaged, so it was not copied.",
                    hint="Run `commonplace doctor` to see what is wrong.",
                )
        size = part.stat().st_size
    return size


def restore(
    db: Database,
    source: Path,
    clock: Clock,
    progress: Progress | None = None,
    *,
    steps: Sequence[Migration] | None = None,
) -> Path:
    """Replace the content of the store by a backup. Returns the path of a copy of the old content.

    Other processes continue and see either all of the old content or all of the new. They cannot
    write between the copy and the change, so every acknowledged write is in one of the two.
    """
    _check_source(db, source)
    with (
        filesystem.translate_os_errors(db.path),
        tempfile.TemporaryDirectory(prefix=FOLDER_PREFIX, dir=db.path.parent) as folder,
    ):
        draft = Path(folder) / "draft.db"
        _prepare(db, source, draft, clock, steps)
        with (
            closing(_open(draft)) as new,
            db.maintenance() as live,
            closing(live.backup("main", new, "main")) as backup,
        ):
            # A step of zero pages takes the write lock and copies nothing.
            backup.step(0)
            kept = _copy_before_restore(db)
            try:
                _run(backup, progress)
            except BaseException:
                kept.unlink()
                raise
            return kept


def integrity_problems(connection: apsw.Connection, check: str) -> list[str]:
    """The problems that a check of SQLite reports; empty without any."""
    found = [str(row[0]) for row in connection.execute(f"pragma {check}(20)")]
    return [] if found == ["ok"] else found


@contextmanager
def open_read_only(path: Path) -> Generator[apsw.Connection]:
    """A read-only connection that also creates no files beside the database."""
    log = path.with_name(path.name + "-wal")
    # A process that has the file open in WAL mode has a log beside it.
    uri = path.absolute().as_uri() + ("?mode=ro" if log.exists() else "?immutable=1")
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    with closing(apsw.Connection(uri, flags=flags)) as connection:
        connection.set_busy_timeout(2_000)
        yield connection


def _check_source(db: Database, source: Path) -> None:
    filesystem.check_regular_file(source)
    with filesystem.translate_os_errors(source):
        if os.path.samefile(source, db.path):
            raise Invalid(
                "The backup is the store itself.",
                hint="Give the path of a file made by `commonplace backup`.",
            )
    try:
        with open_read_only(source) as connection:
            ours = connection.pragma("application_id") == migrations.APPLICATION_ID
            if not ours or not connection.pragma("user_version"):
                raise Unsupported(
                    f"{source.name!r} is not a Commonplace backup.", hint=_TRY_ANOTHER
                )
            if integrity_problems(connection, "integrity_check"):
                raise _damaged(source)
    except apsw.NotADBError as error:
        raise Invalid(f"{source.name!r} is not a database.", hint=_TRY_ANOTHER) from error
    except (apsw.CorruptError, apsw.FormatError) as error:
        raise _damaged(source) from error
    except apsw.BusyError as error:
        raise Conflict(
            f"{source.name!r} is in use by another program.", hint="Close it and try again."
        ) from error
    except apsw.Error as error:
        raise Unsupported(
            f"{source.name!r} cannot be read as a backup.", hint=_TRY_ANOTHER
        ) from error


def _prepare(
    db: Database, source: Path, draft: Path, clock: Clock, steps: Sequence[Migration] | None
) -> None:
    """Prepare the new content with the schema of this build: no process sees an older one."""
    with translate_errors(), open_read_only(source) as old, closing(_open(draft)) as new:
        _copy(old, new, None)
    last_id, mark = _next_counters(db, clock.now())
    page_size = int(db.value("page_size"))
    draft_db = migrations.open_database(draft, clock, steps=steps)
    try:
        with draft_db.transaction():
            # Ids allocated since the backup are known outside and must not be allocated again.
            draft_db.run("draw_ids", floor=last_id, count=0)
            # A process follows vectors by number and purges by count. Both continue above all
            # numbers any process has seen, so each one drops its cache and reads the restored
            # vectors again.
            lowest = draft_db.value("lowest_vector")
            for name in (
                "renew_purge_counts",
                "lift_vectors",
                "settle_vectors",
                "drop_vector_mark",
                "set_vector_mark",
            ):
                draft_db.run(name, mark=mark, lowest=lowest)
        with draft_db.maintenance() as connection:
            connection.execute("pragma journal_mode = delete")
            if connection.pragma("page_size") != page_size:
                # SQLite cannot put pages of one size into a live file of another.
                connection.execute(f"pragma page_size = {page_size}; vacuum")
            if integrity_problems(connection, "integrity_check"):
                raise _damaged(source)
    finally:
        draft_db.close()


def _next_counters(db: Database, now: int) -> tuple[int, int]:
    """An id and a number for vectors and purges, above all that any process has seen."""
    try:
        with db.transaction():
            # The margin covers numbers that processes read before the store is locked.
            return banks.new_ids(db, now)[0], int(db.value("newest_mark")) + _MARK_MARGIN
    except Unsupported:
        # A damaged store may not have its numbers. Both grow slower than time.
        return ids.smallest_id(now), ids.smallest_id(now)


def older_copies(db: Database) -> list[str]:
    """The names of the copies that restores and upgrades left beside the store."""
    with filesystem.translate_os_errors(db.path):
        return sorted(one.name for one in db.path.parent.glob(f"{glob.escape(db.path.name)}.*.bak"))


def _copy_before_restore(db: Database) -> Path:
    for number in range(1, _COPIES_MAX):
        target = db.path.with_name(f"{db.path.name}.before-restore-{number}.bak")
        if not target.exists():
            # Not verified, because a restore often replaces a damaged store, whose rest must be
            # kept.
            write(db, target, verify=False)
            return target
    raise Conflict(
        "There are too many copies from earlier restores.", hint="Delete some of the .bak files."
    )


def _copy(source: apsw.Connection, target: apsw.Connection, progress: Progress | None) -> None:
    source.execute("begin; select 1 from sqlite_schema").fetchall()
    try:
        with target.backup("main", source, "main") as backup:
            _run(backup, progress)
    finally:
        source.execute("rollback")


def _run(backup: apsw.Backup, progress: Progress | None) -> None:
    while not backup.done:
        backup.step(_PAGES)
        if progress:
            progress(backup.page_count - backup.remaining, backup.page_count)


def _open(path: Path, busy_timeout_ms: int = 0) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(busy_timeout_ms)
    return connection


def _damaged(source: Path) -> Unsupported:
    return Unsupported(f"{source.name!r} is damaged.", hint=_TRY_ANOTHER)
