"""Reads SQLite files of other programs from a private copy.

A log beside such a file holds recent changes, and SQLite would have to write there to read it. A
reader of the original file would also block its program for the time of an import.
"""

import shutil
import tempfile
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from commonplace import filesystem
from commonplace.errors import Busy, Invalid
from commonplace.storage import queries
from commonplace.storage.database import Row

_MAGIC = b"SQLite format 3\x00"
_COPIES_MAX = 3
_LOGS = ("-wal", "-journal")
_TABLE = "main.sqlite_schema"  # The placeholder for the table in the queries.


class ExternalFile:
    """An open file of another program."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._queries = queries.load_queries()

    def tables(self) -> dict[str, tuple[str, ...]]:
        """The columns of every table."""
        found: dict[str, list[str]] = {}
        for table, column in self._connection.execute(self._queries["foreign_columns"]):
            found.setdefault(str(table), []).append(str(column))
        return {table: tuple(columns) for table, columns in found.items()}

    def numbers(self, table: str) -> list[int]:
        """The row ids of a table."""
        with translate_errors():
            return [
                int(str(number))
                for (number,) in self._connection.execute(self._query_for("foreign_numbers", table))
            ]

    def row(self, table: str, number: int) -> Row:
        """One row. A damaged row raises an error, and other rows can still be read."""
        with translate_errors():
            cursor = self._connection.execute(
                self._query_for("foreign_row", table), {"number": number}
            )
            values = next(iter(cursor), None)
            if values is None:
                raise Invalid("The row was deleted.", hint="Close the program that uses the file.")
            return dict(
                zip((column[0] for column in cursor.get_description()), values, strict=True)
            )

    def _query_for(self, query: str, table: str) -> str:
        return self._queries[query].replace(_TABLE, 'main."' + table.replace('"', '""') + '"')


@contextmanager
def open_copy(path: Path) -> Generator[ExternalFile]:
    """Open a private copy of a file of another program."""
    filesystem.check_regular_file(path)
    with tempfile.TemporaryDirectory(prefix="commonplace-import-") as folder:
        with filesystem.translate_os_errors(path):
            copy = _copy(path, Path(folder))
        with (
            translate_errors(),
            closing(apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)) as connection,
        ):
            # The file is untrusted: code in its schema must not run.
            connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
            connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
            yield ExternalFile(connection)


def is_database(head: bytes) -> bool:
    """Whether a file that begins like this is a SQLite database."""
    return head.startswith(_MAGIC)


@contextmanager
def translate_errors() -> Generator[None]:
    """Turn errors of the driver about an external file into our errors."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise _in_use() from error
    except (apsw.Error, UnicodeDecodeError) as error:
        raise Invalid(
            "The file is damaged or not a database.",
            hint="Close the program that uses it, or import a backup of it.",
        ) from error


def _copy(path: Path, folder: Path) -> Path:
    """A consistent copy of a file and its log: neither changed while they were copied."""
    copy = folder / "copy.db"
    for _ in range(_COPIES_MAX):
        before = _state(path)
        for ending in ("", *_LOGS):
            target = _beside(copy, ending)
            target.unlink(missing_ok=True)
            if _beside(path, ending).exists():
                shutil.copyfile(_beside(path, ending), target)
        if _state(path) == before:
            return copy
    raise _in_use()


def _state(path: Path) -> list[tuple[int, int] | None]:
    found = [_beside(path, ending) for ending in ("", *_LOGS)]
    return [(one.stat().st_mtime_ns, one.stat().st_size) if one.exists() else None for one in found]


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _in_use() -> Busy:
    return Busy("Another program is writing to the file.", hint="Close that program and try again.")
