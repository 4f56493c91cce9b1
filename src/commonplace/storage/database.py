"""One SQLite file: connections, transactions, and translation of driver errors.

Several processes on one file are the normal case. Writers queue with BEGIN IMMEDIATE and a busy
timeout, readers see the last commit, and a commit is flushed to the disk before it is acknowledged.
This module refers to no table.
"""

import threading
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import apsw

from commonplace import errors
from commonplace.limits import FREE_BYTES_MIN
from commonplace.storage import disk_reserve, queries, sql_functions
from commonplace.storage.file_identity import OpenFiles

Row: TypeAlias = dict[str, Any]
# The driver validates the types of values; Any keeps its types out of the other modules.
Value: TypeAlias = Any

_PRAGMAS = """
pragma synchronous = full;
pragma fullfsync = on;
pragma foreign_keys = on;
pragma secure_delete = on;
pragma temp_store = memory;
pragma cache_size = -16000;
"""
_FULL = (
    f"Free {FREE_BYTES_MIN // 1_000_000} MB or more and try again; forgetting and purging need disk"
    " space too."
)


class Database:
    """Runs named queries on one file. Thread-safe."""

    def __init__(self, path: Path, *, busy_timeout_ms: int = 30_000) -> None:
        self.path = path
        self.busy_timeout_ms = busy_timeout_ms
        self._queries = queries.load_queries()
        self._write_lock = threading.RLock()
        self._pool_lock = threading.Lock()
        self._idle: list[apsw.Connection] = []
        self._local = threading.local()
        self._closed = False
        self._changes_before = 0
        self._files = OpenFiles(path)
        with translate_errors():
            self._writer = self._connect()

    def all(self, name: str, /, **values: Value) -> list[Row]:
        """Every row of a named query."""
        return self.select(self._queries[name], values)

    def one(self, name: str, /, **values: Value) -> Row | None:
        """The first row of a named query, or None."""
        rows = self.select(self._queries[name], values)
        return rows[0] if rows else None

    def value(self, name: str, /, **values: Value) -> Any:
        """The first column of the first row of a named query, or None."""
        row = self.one(name, **values)
        return next(iter(row.values())) if row else None

    def run(self, name: str, /, **values: Value) -> int:
        """Run a named change inside the current transaction. Returns the number of changed rows."""
        connection = self._in_transaction()
        with translate_errors():
            connection.execute(self._queries[name], values)
            return connection.changes()

    def run_many(self, name: str, rows: Iterable[Mapping[str, Value]]) -> None:
        """Run a named change inside the current transaction for each row."""
        connection = self._in_transaction()
        with translate_errors():
            connection.executemany(self._queries[name], rows)

    def text(self, name: str) -> str:
        """The text of a named query or fragment, for composed queries."""
        return self._queries[name]

    def select(self, sql: str, values: Mapping[str, Value]) -> list[Row]:
        """Every row of a query composed from named fragments."""
        with self._reader() as connection, translate_errors():
            cursor = connection.execute(sql, dict(values))
            try:
                names = [column[0] for column in cursor.get_description()]
            except apsw.ExecutionCompleteError:  # The driver raises it when there are no rows.
                return []
            return [dict(zip(names, row, strict=True)) for row in cursor]

    @property
    def in_transaction(self) -> bool:
        """Whether this thread is inside a transaction."""
        return self._current() is self._writer

    @property
    def snapshot_cache(self) -> list[tuple[object, Any]]:
        """Questions and answers that stay valid in this thread's snapshot; empty outside of one."""
        cache: list[tuple[object, Any]] | None = getattr(self._local, "cache", None)
        return [] if self.in_transaction or cache is None else cache

    @property
    def is_in_place(self) -> bool:
        """Whether the paths of the store and of its log still lead to the open files."""
        return self._files.is_in_place() and self._files.is_log_in_place()

    @contextmanager
    def transaction(self, wait_ms: int | None = None) -> Generator[None]:
        """A write transaction. Inside another transaction it is a savepoint of that one.

        `wait_ms` limits the wait for other writers, if it is less than the busy timeout.
        """
        if self.in_transaction:
            with self._savepoint():
                yield
            return
        lock_wait_ms = (
            self.busy_timeout_ms if wait_ms is None else min(wait_ms, self.busy_timeout_ms)
        )
        if not self._write_lock.acquire(timeout=lock_wait_ms / 1000):
            raise _busy()
        outer = self._current()
        try:
            with translate_errors():
                self._begin(lock_wait_ms)
            self._local.connection = self._writer
            try:
                yield
            except BaseException:
                if self._writer.in_transaction:
                    self._writer.execute("rollback")
                raise
            with translate_errors():
                self._commit()
        finally:
            self._local.connection = outer
            self._write_lock.release()

    @contextmanager
    def use_disk_reserve(self) -> Generator[None]:
        """Allow the transactions of this thread to use the disk space reserved for erasing."""
        before = self._uses_disk_reserve
        self._local.uses_disk_reserve = True
        try:
            yield
        finally:
            self._local.uses_disk_reserve = before

    @contextmanager
    def snapshot(self) -> Generator[None]:
        """All reads inside see one state of the file."""
        if self._current():
            yield
            return
        with self._reader() as connection:
            with translate_errors():
                connection.execute("begin")
            self._local.connection, self._local.cache = connection, list[tuple[object, Any]]()
            try:
                yield
            finally:
                self._local.connection, self._local.cache = None, None
                if connection.in_transaction:
                    connection.execute("rollback")

    @contextmanager
    def maintenance(self) -> Generator[apsw.Connection]:
        """The write connection outside any transaction, for vacuum, checkpoints and the like."""
        with self._write_lock, translate_errors():
            writer = self._open_writer()
            self._files.check()
            yield writer

    def close(self) -> None:
        """Close every connection. The last process that closes moves the log into the file."""
        with self._write_lock, self._pool_lock:
            self._closed = True
            for connection in (*self._idle, self._writer):
                connection.close()
            self._idle.clear()

    def _connect(self) -> apsw.Connection:
        # Without SQLITE_OPEN_CREATE: an empty file must not replace a removed store.
        connection = apsw.Connection(
            str(self.path), flags=apsw.SQLITE_OPEN_READWRITE, statementcachesize=200
        )
        self._files.check()
        connection.set_busy_timeout(self.busy_timeout_ms)
        connection.execute(_PRAGMAS)
        sql_functions.register(connection)
        return connection

    def _current(self) -> apsw.Connection | None:
        return getattr(self._local, "connection", None)

    @property
    def _uses_disk_reserve(self) -> bool:
        return getattr(self._local, "uses_disk_reserve", False)

    def _open_writer(self) -> apsw.Connection:
        if self._closed:
            raise errors.Unsupported("The store is closed.", hint="Open it again.")
        return self._writer

    def _in_transaction(self) -> apsw.Connection:
        if not self.in_transaction:
            raise RuntimeError("A change needs a transaction.")
        return self._writer

    @contextmanager
    def _savepoint(self) -> Generator[None]:
        self._writer.execute("savepoint part")
        try:
            yield
        except BaseException:
            if self._writer.in_transaction:
                self._writer.execute("rollback to part")
                self._writer.execute("release part")
            raise
        with translate_errors():
            self._writer.execute("release part")

    def _begin(self, lock_wait_ms: int) -> None:
        writer = self._open_writer()
        writer.set_busy_timeout(lock_wait_ms)
        self._files.check()
        try:
            writer.execute("begin immediate")
        finally:
            writer.set_busy_timeout(self.busy_timeout_ms)
        self._changes_before = writer.total_changes()

    def _commit(self) -> None:
        try:
            # The write is acknowledged after this, so it must be in the file that the next start
            # opens.
            self._files.check()
            self._files.check_log()
            if self._writer.total_changes() != self._changes_before and not self._uses_disk_reserve:
                self._check_disk_reserve()
            self._writer.execute("commit")
        except (apsw.Error, errors.CommonplaceError):
            # A full disk can leave the transaction open. It is not acknowledged, so roll it back.
            if self._writer.in_transaction:
                self._writer.execute("rollback")
            raise

    def _check_disk_reserve(self) -> None:
        if disk_reserve.is_short(self.path):
            raise errors.Busy(
                "The disk is nearly full; nothing was changed.",
                hint=(
                    "Free some space, or purge memories; the remaining space is reserved for"
                    " purging."
                ),
            )

    @contextmanager
    def _reader(self) -> Generator[apsw.Connection]:
        if connection := self._current():
            yield connection
            return
        with self._pool_lock:
            if self._closed:
                raise errors.Unsupported("The store is closed.", hint="Open it again.")
            connection = self._idle.pop() if self._idle else None
        with translate_errors():
            connection = connection or self._connect()
        try:
            yield connection
        finally:
            with self._pool_lock:
                if self._closed:
                    connection.close()
                else:
                    self._idle.append(connection)


@contextmanager
def translate_errors() -> Generator[None]:
    """Turn an error of the driver into one of our errors, with the cause attached."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise _busy() from error
    except apsw.FullError as error:
        raise errors.Busy("The disk is full; nothing was changed.", hint=_FULL) from error
    except (apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError) as error:
        raise errors.Forbidden(
            "The store cannot be written.",
            hint="Check who owns the file and folder in COMMONPLACE_HOME.",
        ) from error
    except apsw.CantOpenError as error:
        raise errors.Forbidden(
            "The store cannot be opened.",
            hint="Check that the folder in COMMONPLACE_HOME exists and can be written.",
        ) from error
    except (apsw.CorruptError, apsw.NotADBError, apsw.FormatError) as error:
        raise _damaged() from error
    except UnicodeDecodeError as error:
        raise _damaged() from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise errors.Invalid(
            "A value cannot be stored: it has a lone surrogate, or is a number beyond 64 bits.",
            hint="Correct the value.",
        ) from error
    except apsw.IOError as error:
        raise errors.Busy(
            "The disk reported an error; nothing was changed.", hint="Check the disk and try again."
        ) from error


@contextmanager
def translate_schema_errors() -> Generator[None]:
    """Translate errors of the first queries on a file, which fail if it is not a store."""
    try:
        yield
    except apsw.SQLError as error:
        raise _damaged() from error


def _damaged() -> errors.Unsupported:
    return errors.Unsupported(
        "The store is damaged or not a database.",
        hint="Run `commonplace doctor`; `commonplace restore --backup FILE` restores a backup.",
    )


def _busy() -> errors.Busy:
    return errors.Busy("Another process is writing to the store.", hint="Try again in a moment.")
