"""Creates a new file, upgrades an older one, and refuses an unknown one."""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw

from commonplace import errors
from commonplace.clock import Clock
from commonplace.storage.database import Database, translate_errors, translate_schema_errors

APPLICATION_ID = 0xC033B00C - 2**32  # Marks the file as ours; SQLite keeps it as a signed number.
_SQL = Path(__file__).with_name("sql")
_RETRY_S = 0.02


@dataclass(frozen=True, slots=True)
class Migration:
    """One step from an older schema to a newer one. Its text may never change once released."""

    name: str
    sql: str

    @property
    def sha256(self) -> str:
        """The fingerprint recorded when the step is applied."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def packaged_steps() -> tuple[Migration, ...]:
    """The migrations of this version, oldest first."""
    files = sorted((_SQL / "migrations").iterdir(), key=lambda file: file.name)
    return tuple(
        Migration(f.name[:-4], f.read_text(encoding="utf-8"))
        for f in files
        if f.name.endswith(".sql")
    )


def schema_text() -> str:
    """The schema that all migrations result in."""
    return (_SQL / "schema.sql").read_text(encoding="utf-8")


def open_database(
    path: Path,
    clock: Clock,
    *,
    busy_timeout_ms: int = 30_000,
    steps: Sequence[Migration] | None = None,
) -> Database:
    """Open the file. It is created or upgraded first if necessary."""
    known = packaged_steps() if steps is None else tuple(steps)
    _make_file(path)
    deadline = time.monotonic() + busy_timeout_ms / 1000
    while True:
        try:
            with translate_errors():
                _prepare(path, known, clock, busy_timeout_ms)
            return Database(path, busy_timeout_ms=busy_timeout_ms)
        except errors.Busy:
            # SQLite does not wait when it switches a new file to write-ahead logging, so processes
            # that start together collide.
            if time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_S)


def _make_file(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            path.touch(mode=0o600)
    except OSError as error:
        raise errors.Forbidden(
            f"The store cannot be created: {error.strerror}.",
            hint="Set COMMONPLACE_HOME to a folder you can write to.",
        ) from error


def _prepare(path: Path, known: tuple[Migration, ...], clock: Clock, busy_timeout_ms: int) -> None:
    connection = apsw.Connection(str(path))
    try:
        connection.set_busy_timeout(busy_timeout_ms)
        with translate_schema_errors():
            _check_owner(connection)
            steps = _pending_steps(connection, known)
        if steps and not connection.pragma("user_version"):
            # Works only before the first table. A purge then returns its pages to the disk.
            connection.pragma("auto_vacuum", "incremental")
        if connection.pragma("journal_mode") != "wal":
            connection.pragma("journal_mode", "wal")
        if steps:
            _upgrade(connection, path, known, clock.now())
    finally:
        connection.close()


def _check_owner(connection: apsw.Connection) -> None:
    # The tables are read before the application id, because a process that creates the file now
    # commits both in one transaction.
    filled = connection.execute("select 1 from sqlite_schema limit 1").fetchone()
    if filled and connection.pragma("application_id") != APPLICATION_ID:
        raise errors.Unsupported(
            "The file is a database, but not a Commonplace store.",
            hint="Set COMMONPLACE_DATABASE to another file name.",
        )


def _pending_steps(
    connection: apsw.Connection, known: tuple[Migration, ...]
) -> tuple[Migration, ...]:
    """The migrations to apply, after a check of those that were applied."""
    if not connection.pragma("user_version"):
        return known
    applied: dict[str, str] = dict(
        connection.execute("select name, sha256 from migrations order by name")
    )
    by_name = {step.name: step for step in known}
    for name, sha256 in applied.items():
        if name not in by_name:
            raise errors.Unsupported(
                "The store was made by a newer version of Commonplace (it has the migration"
                f" {name}).",
                hint="Install the newest version, or restore a backup made by this one.",
            )
        if by_name[name].sha256 != sha256:
            raise errors.Unsupported(
                f"Migration {name} was edited after it was applied to this store.",
                hint="Put the old text back and add a new migration instead.",
            )
    return tuple(step for step in known if step.name not in applied)


def _upgrade(
    connection: apsw.Connection, path: Path, known: tuple[Migration, ...], now: int
) -> None:
    steps = _pending_steps(connection, known)
    if steps and connection.pragma("user_version"):
        _copy_before_upgrade(connection, path.with_name(f"{path.name}.before-{steps[0].name}.bak"))
    for step in steps:
        connection.execute("begin immediate")
        try:
            # Another process may have applied the step while this one waited.
            if step in _pending_steps(connection, known):
                connection.execute(step.sql)
                connection.execute(
                    "insert into migrations (name, sha256, applied_at) values (?, ?, ?)",
                    (step.name, step.sha256, now),
                )
                connection.pragma("application_id", APPLICATION_ID)
                connection.pragma("user_version", known.index(step) + 1)
            connection.execute("commit")
        except BaseException:
            if connection.in_transaction:
                connection.execute("rollback")
            raise


def _copy_before_upgrade(connection: apsw.Connection, target: Path) -> None:
    copy = apsw.Connection(str(target))
    try:
        with copy.backup("main", connection, "main") as backup:
            backup.step(-1)
    finally:
        copy.close()
    target.chmod(0o600)
