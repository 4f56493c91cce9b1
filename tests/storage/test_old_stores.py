"""Stores that earlier versions left behind are brought up to date with everything in them."""

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from tests.conftest import StoppedClock
from tests.storage import old_stores

NAMES = sorted(file.stem for file in old_stores.STORES.glob("*.sql"))


@pytest.fixture
def path(home: Path) -> Path:
    return home / "commonplace.db"


@pytest.mark.parametrize("name", NAMES)
def test_an_old_store_has_a_row_in_every_table(name: str, path: Path) -> None:
    old_stores.load_store(name, path)
    with closing(apsw.Connection(str(path))) as store:
        tables = [str(row[0]) for row in store.execute("select name from sqlite_schema where type = 'table'")]
        counts = {table: store.execute(f'select count(*) from "{table}"').fetchall()[0][0] for table in tables}
        states = {row[0] for row in store.execute("select distinct state from jobs")}
    assert len(tables) > 30
    assert [table for table, count in counts.items() if not count] == []
    assert states == {"pending", "running", "completed", "failed", "cancelled"}


@pytest.mark.parametrize("name", NAMES)
def test_an_old_store_answers_as_it_did_when_it_was_made(name: str, path: Path, clock: StoppedClock) -> None:
    old_stores.load_store(name, path)
    engine = old_stores.open_small(path.parent, clock)
    told, then = old_stores.answers(engine), old_stores.told_then(name)
    engine.db.close()
    assert len(then["export"]) > 100
    assert told.keys() == then.keys()
    for part, answer in then.items():
        assert told[part] == answer, part
