"""Stores that earlier versions left behind are brought up to date with everything in them."""

import json
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from commonplace.engine.engine import Engine
from commonplace.engine.operations import archive
from commonplace.records.memory import Draft
from commonplace.records.query import Query
from commonplace.storage import text_index
from commonplace.storage.migrations import open_database
from tests.conftest import StoppedClock
from tests.engine.archives import exported
from tests.storage import old_stores

NAMES = sorted(file.stem for file in old_stores.STORES.glob("*.sql"))


@pytest.fixture
def path(home: Path) -> Path:
    return home / "commonplace.db"


@pytest.mark.parametrize("name", NAMES)
def test_an_old_store_has_a_row_in_every_table(name: str, path: Path) -> None:
    old_stores.load_store(name, path)
    with closing(apsw.Connection(str(path))) as store:
        tables = [
            str(row[0])
            for row in store.execute("select name from sqlite_schema where type = 'table'")
        ]
        counts = {
            table: store.execute(f'select count(*) from "{table}"').fetchall()[0][0]
            for table in tables
        }
        states = {row[0] for row in store.execute("select distinct state from jobs")}
    assert len(tables) > 30
    assert [table for table, count in counts.items() if not count] == []
    assert states == {"pending", "running", "completed", "failed", "cancelled"}


@pytest.mark.parametrize("name", NAMES)
def test_an_old_store_answers_as_it_did_when_it_was_made(
    name: str, path: Path, clock: StoppedClock
) -> None:
    old_stores.load_store(name, path)
    engine = old_stores.open_small(path.parent, clock)
    told, then = old_stores.answers(engine), old_stores.told_then(name)
    engine.db.close()
    assert len(then["export"]) > 100
    assert told.keys() == then.keys()
    for part, answer in then.items():
        assert told[part] == answer, part


@pytest.mark.parametrize("name", NAMES)
def test_an_archive_of_that_time_is_imported_whole(
    name: str, home: Path, clock: StoppedClock
) -> None:
    engine = old_stores.open_small(home, clock)
    lines = old_stores.told_then(name)["export"]
    archive.import_archive(engine, [json.dumps(line) + "\n" for line in lines])
    assert [json.loads(line) for line in exported(engine)] == lines
    engine.db.close()


@pytest.mark.parametrize("name", NAMES)
def test_a_backup_of_that_time_is_restored_whole(
    name: str, home: Path, tmp_path: Path, clock: StoppedClock
) -> None:
    old_stores.load_store(name, tmp_path / "backup.db")
    engine = old_stores.open_small(home, clock)
    engine.restore_backup(tmp_path / "backup.db")
    engine.db.close()
    engine = old_stores.open_small(home, clock)
    assert [json.loads(line) for line in exported(engine)] == old_stores.told_then(name)["export"]
    assert [one for one in engine.doctor() if one.state != "ok"] == []
    engine.db.close()


RENAMED_TABLES = {
    "facts": "store_info",
    "replies": "idempotency_keys",
    "standings": "bank_items",
    "fields": "metadata_index",
    "texts": "text_index",
    "stale": "embedding_queue",
    "grounds": "derivations",
    "unsettled": "stale_derivations",
    "turns": "refresh_schedule",
}
RENAMED_COLUMNS = {
    ("memories", "user"): "user_name",
    ("sessions", "user"): "user_name",
    ("reminders", "user"): "user_name",
    ("replies", "reply"): "result",
    ("grounds", "memory_id"): "source_id",
    ("grounds", "holder_id"): "derived_id",
    ("unsettled", "memory_id"): "source_id",
    ("turns", "standing_id"): "item_id",
    ("turns", "follows"): "after_consolidation",
    ("vaults", "mark"): "marker",
    ("vaults", "place"): "path_digest",
}


def test_every_row_of_every_table_is_the_same_after_the_tables_got_their_names(
    path: Path, clock: StoppedClock
) -> None:
    old_stores.load_store("0015", path)
    before = rows_of(path)
    open_database(path, clock).close()
    after = rows_of(path)
    applied = {str(row["name"]) for row in after["migrations"]} - {
        str(row["name"]) for row in before["migrations"]
    }
    assert "0016_schema_words" in applied
    after["migrations"] = [row for row in after["migrations"] if row["name"] not in applied]
    assert {RENAMED_TABLES.get(table, table) for table in before} == set(after)
    for table, rows in before.items():
        renamed = [
            {RENAMED_COLUMNS.get((table, name), name): value for name, value in row.items()}
            for row in rows
        ]
        assert after[RENAMED_TABLES.get(table, table)] == renamed, table


def test_the_renaming_can_be_undone_and_done_again(path: Path, clock: StoppedClock) -> None:
    old_stores.load_store("0015", path)
    before = rows_of(path)
    open_database(path, clock).close()
    after = rows_of(path)
    with closing(apsw.Connection(str(path))) as store:
        old_stores.undo_renaming(store)
    assert rows_of(path) == before
    open_database(path, clock).close()
    assert rows_of(path) == after


def rows_of(path: Path) -> dict[str, list[dict[str, object]]]:
    """Every row of every table that is not the inside of the text index, in the order of its
    values.
    """
    with closing(apsw.Connection(str(path))) as store:
        listed = (
            "select name from pragma_table_list where schema = 'main' and type in ('table',"
            " 'virtual')"
        )
        tables = [str(name) for (name,) in store.execute(listed) if name != "sqlite_schema"]
        found = dict[str, list[dict[str, object]]]()
        for table in tables:
            given = "rowid, *" if table in ("texts", "text_index") else "*"
            cursor = store.execute(f"select {given} from {table}")
            names = [column[0] for column in cursor.get_description()]
            found[table] = sorted((dict(zip(names, row, strict=True)) for row in cursor), key=repr)
    return found


def test_a_renamed_text_index_still_wipes_what_is_deleted_and_can_be_made_again(
    path: Path, clock: StoppedClock
) -> None:
    old_stores.load_store("0015", path)
    engine = old_stores.open_small(path.parent, clock)
    assert text_index.is_sound(engine.db)
    assert engine.db.select("select v from text_index_config where k = 'secure-delete'", {}) == [
        {"v": 1}
    ]
    [memory] = [one for one in engine.list("lamps") if "Wicks" in one.text]
    engine.remember("lamps", Draft("Quixotic zebras."))
    [zebras] = [one for one in engine.list("lamps") if "zebras" in one.text]
    assert any(b"zebra" in block for block in _blocks(engine))
    engine.purge("lamps", [zebras.id])
    assert not any(b"zebra" in block for block in _blocks(engine))
    engine.rebuild()
    with engine.db.transaction():
        text_index.repair_texts(engine.db)
    assert text_index.is_sound(engine.db)
    assert [hit.memory.id for hit in engine.recall("lamps", Query("wicks", limit=1)).hits] == [
        memory.id
    ]
    engine.db.close()


def _blocks(engine: Engine) -> list[bytes]:
    return [
        bytes(row["block"]) for row in engine.db.select("select block from text_index_data", {})
    ]
