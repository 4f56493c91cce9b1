"""Old files are upgraded after a backup; foreign, newer and edited ones are refused in words."""

import re
from pathlib import Path

import apsw
import pytest

from commonplace.errors import Forbidden, Unsupported
from commonplace.storage import migrations, queries
from commonplace.storage.migrations import Migration, open_database
from tests.conftest import StoppedClock

SQL = Path(queries.__file__).with_name("sql")
# Conditions, orders and endings that the code adds to a query.
PARTS = (
    "filter_",
    "named_",
    "order_",
    "match_",
    "own_",
    "label_",
    "at_most",
    "count_way",
    "found_on_way",
)
SECOND = Migration(
    "0002_second",
    "create table extra (id integer primary key) strict; insert into extra values (7);",
)
BROKEN = Migration(
    "0002_second",
    "create table extra (id integer primary key) strict; insert into nowhere values (7);",
)


def shape(connection: apsw.Connection) -> list[tuple[object, ...]]:
    rows = connection.execute(
        "select type, name, tbl_name, sql from sqlite_schema order by type, name"
    ).fetchall()
    return [(*row[:3], plain(str(row[3]))) for row in rows if not str(row[1]).startswith("sqlite_")]


def plain(sql: str) -> str:
    """A statement without comments, which a renamed table keeps, and without the quotes that SQLite
    gives its name.
    """
    uncommented = re.sub(r"--.*", "", sql)
    unquoted = re.sub(
        r"""(?i)(create (?:virtual )?table|on) ["'](\w+)["']""", r"\1 \2", uncommented
    )
    return " ".join(unquoted.split())


def test_schema_and_migrations_end_in_the_same_database(
    tmp_path: Path, clock: StoppedClock
) -> None:
    open_database(tmp_path / "a.db", clock).close()
    written = apsw.Connection(":memory:")
    written.execute(migrations.schema_text())
    assert shape(apsw.Connection(str(tmp_path / "a.db"))) == shape(written)


def test_every_named_query_compiles(tmp_path: Path, clock: StoppedClock) -> None:
    open_database(tmp_path / "a.db", clock).close()
    connection = apsw.Connection(str(tmp_path / "a.db"))
    from commonplace.storage import sql_functions

    sql_functions.register(connection)
    words = ("select", "insert", "replace", "update", "delete", "with")
    whole = {
        name: sql for name, sql in queries.load_queries().items() if sql.lower().startswith(words)
    }
    failed: dict[str, str] = {}
    for name, sql in whole.items():
        try:
            connection.execute("explain " + sql, Nulls()).fetchall()
        except apsw.SQLError as error:
            failed[name] = str(error)
    # What is no statement is a part of one, so that no query is passed over.
    texts = "".join(file.read_text(encoding="utf-8") for file in SQL.glob("*.sql"))
    parts = [
        name for name in queries.load_queries() if name not in whole and not name.startswith(PARTS)
    ]

    assert failed == {}
    assert [name for name in parts if f"{{{name}}}" not in texts] == []
    assert len(whole) > 200


class Nulls(dict[str, object]):
    def __missing__(self, name: str) -> None:
        return None


def test_an_old_file_is_upgraded_after_a_backup(tmp_path: Path, clock: StoppedClock) -> None:
    path = tmp_path / "a.db"
    first = migrations.packaged_steps()
    db = open_database(path, clock, steps=first)
    with db.transaction():
        db.run("put_store_info", name="colour", value="green")
    db.close()
    upgraded = open_database(path, clock, steps=(*first, SECOND))
    assert upgraded.select("select id from extra", {}) == [{"id": 7}]
    assert upgraded.value("find_store_info", name="colour") == "green"
    upgraded.close()
    kept = apsw.Connection(str(tmp_path / "a.db.before-0002_second.bak"))
    assert kept.execute("select value from store_info").fetchall() == [("green",)]
    assert kept.execute("select count(*) from sqlite_schema where name = 'extra'").fetchall() == [
        (0,)
    ]


def test_opening_again_changes_nothing(tmp_path: Path, clock: StoppedClock) -> None:
    path = tmp_path / "a.db"
    open_database(path, clock).close()
    before = path.read_bytes()
    open_database(path, clock).close()
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.db"]


def test_a_broken_step_leaves_the_old_file_as_it_was(tmp_path: Path, clock: StoppedClock) -> None:
    path = tmp_path / "a.db"
    first = migrations.packaged_steps()
    open_database(path, clock, steps=first).close()
    with pytest.raises(apsw.SQLError):
        open_database(path, clock, steps=(*first, BROKEN))
    reopened = open_database(path, clock, steps=first)
    assert reopened.select("select name from sqlite_schema where name = 'extra'", {}) == []


def test_an_edited_old_migration_is_refused(tmp_path: Path, clock: StoppedClock) -> None:
    path = tmp_path / "a.db"
    first = migrations.packaged_steps()
    open_database(path, clock, steps=first).close()
    with pytest.raises(Unsupported, match="edited") as caught:
        open_database(path, clock, steps=(Migration(first[0].name, first[0].sql + "-- "),))
    assert caught.value.hint


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path, clock: StoppedClock) -> None:
    path = tmp_path / "a.db"
    first = migrations.packaged_steps()
    open_database(path, clock, steps=(*first, SECOND)).close()
    with pytest.raises(Unsupported, match="newer version") as caught:
        open_database(path, clock, steps=first)
    assert "newest version" in caught.value.hint


def test_somebody_elses_database_is_left_alone(tmp_path: Path, clock: StoppedClock) -> None:
    path = tmp_path / "a.db"
    apsw.Connection(str(path)).execute("create table theirs (x)")
    before = path.read_bytes()
    with pytest.raises(Unsupported, match="not a Commonplace store"):
        open_database(path, clock)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "junk",
    [
        b"not a database at all, but long enough to be read as one" * 40,
        b"SQLite format 3\x00" + b"\xff" * 4000,
    ],
)
def test_a_file_that_is_no_database_is_explained(
    tmp_path: Path, clock: StoppedClock, junk: bytes
) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(junk)
    with pytest.raises(Unsupported) as caught:
        open_database(path, clock)
    assert "doctor" in caught.value.hint
    assert str(tmp_path) not in caught.value.message + caught.value.hint
    assert path.read_bytes() == junk


def test_a_folder_that_cannot_be_made_is_explained(tmp_path: Path, clock: StoppedClock) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Forbidden) as caught:
        open_database(tmp_path / "file" / "a.db", clock)
    assert "COMMONPLACE_HOME" in caught.value.hint
    assert str(tmp_path) not in caught.value.message + caught.value.hint


def test_the_store_is_readable_by_its_owner_only(tmp_path: Path, clock: StoppedClock) -> None:
    open_database(tmp_path / "home" / "a.db", clock).close()
    assert (tmp_path / "home" / "a.db").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700


def test_facts_with_a_digest_for_a_key_are_embedded_again(
    tmp_path: Path, clock: StoppedClock
) -> None:
    steps = migrations.packaged_steps()
    before = tuple(step for step in steps if step.name < "0012")
    open_database(tmp_path / "a.db", clock, steps=before).close()
    old = apsw.Connection(str(tmp_path / "a.db"))
    old.execute("insert into banks (id, name, created_at) values (1, 'b', 0)")
    for number, key in enumerate(
        ("ae755baea52561576f24b703", "stores.oil", "", "ae755baea52561576f24b70g"), 1
    ):
        old.execute(
            "insert into memories (id, bank_id, kind, text, key, version, version_id, created_at,"
            " updated_at) values (?, 1, 'note', 'oil', ?, 1, ?, 0, 0)",
            (number, key, 10 + number),
        )
    old.close()
    upgraded = open_database(tmp_path / "a.db", clock)
    assert upgraded.select("select memory_id from embedding_queue", {}) == [{"memory_id": 1}]
    upgraded.close()
