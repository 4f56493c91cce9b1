"""SQLite files of other programs, read from a private copy.

A log beside such a file holds what is not in it yet, and SQLite would have to write there to read
it. A reader in the file itself would also keep its program from writing for as long as an import
takes.
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
_TABLE = "main.sqlite_schema"  # which the queries name in the place of the table that is meant


class ForeignFile:
    """A file of another program, opened to be read."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._queries = queries.named()

    def tables(self) -> dict[str, tuple[str, ...]]:
        """The columns of every table."""
        found: dict[str, list[str]] = {}
        for table, column in self._connection.execute(self._queries["foreign_columns"]):
            found.setdefault(str(table), []).append(str(column))
        return {table: tuple(columns) for table, columns in found.items()}

    def numbers(self, table: str) -> list[int]:
        """The numbers of a table's rows."""
        with explained():
            return [
                int(str(number))
                for (number,) in self._connection.execute(self._about("foreign_numbers", table))
            ]

    def row(self, table: str, number: int) -> Row:
        """One row; a damaged one is refused and the others can still be read."""
        with explained():
            cursor = self._connection.execute(self._about("foreign_row", table), {"number": number})
            values = next(iter(cursor), None)
            if values is None:
                raise Invalid("The row is gone.", hint="Close the program the file belongs to.")
            return dict(
                zip((column[0] for column in cursor.get_description()), values, strict=True)
            )

    def _about(self, query: str, table: str) -> str:
        return self._queries[query].replace(_TABLE, 'main."' + table.replace('"', '""') + '"')


@contextmanager
def opened(path: Path) -> Generator[ForeignFile]:
    """A file of another program for as long as it is needed."""
    filesystem.check_plain(path)
    with tempfile.TemporaryDirectory(prefix="commonplace-import-") as folder:
        with filesystem.explained(path):
            copy = _copied(path, Path(folder))
        with (
            explained(),
            closing(apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)) as connection,
        ):
            # Nobody knows who made the file: what stands in its schema is not to be run.
            connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
            connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
            yield ForeignFile(connection)


def is_database(head: bytes) -> bool:
    """Whether a file that begins like this is a SQLite database."""
    return head.startswith(_MAGIC)


@contextmanager
def explained() -> Generator[None]:
    """Turn the driver's errors about a foreign file into ours; those about our own store are told
    elsewhere.
    """
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise _in_use() from error
    except (apsw.Error, UnicodeDecodeError) as error:
        raise Invalid(
            "The file is damaged or not a database.",
            hint="Close the program it belongs to, or take a backup of it.",
        ) from error


def _copied(path: Path, folder: Path) -> Path:
    """A copy of a file and its log that belong together: nobody wrote to either while they were
    copied.
    """
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
