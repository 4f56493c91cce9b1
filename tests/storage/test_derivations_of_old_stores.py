"""A store from before grounds and turns were kept knows them after its upgrade."""

import json
from contextlib import closing
from pathlib import Path

import apsw

from tests.conftest import StoppedClock
from tests.dialects.hindsight_client import Hindsight
from tests.storage import old_stores

NEW = ("grounds", "unsettled", "turns")


def test_an_older_store_knows_what_rests_on_what(home: Path, clock: StoppedClock) -> None:
    path = home / "commonplace.db"
    old_stores.load_store("0015", path)
    _aged(path)

    engine = old_stores.open_small(home, clock)
    hindsight = Hindsight(engine)
    assert hindsight("get_mental_model", mental_model_id="dora")["is_stale"] is True
    [doomed] = [one["id"] for one in hindsight.facts() if "Rome" in one["text"]]
    assert "Rome" in hindsight("get_mental_model", mental_model_id="dora")["content"]
    engine.forget("default", [doomed])
    assert [one["text"] for one in hindsight("list_memories", type="observation")["items"]] == [
        "Dora has a dog. Dora works at Acme."
    ]
    # It was made again by itself, as it asked for before the upgrade.
    assert "Rome" not in hindsight("get_mental_model", mental_model_id="dora")["content"]
    engine.db.close()


def _aged(path: Path) -> None:
    """Make a store what one of before would be: without the new tables, and with models as they
    were written then.
    """
    with closing(apsw.Connection(str(path))) as connection:
        for name in NEW:
            connection.execute(f"drop table {name}")
        ((body,),) = connection.execute("select body from standings where name = 'dora'").fetchall()
        kept = json.loads(str(body))
        old = {
            name: kept[name]
            for name in ("title", "query", "tokens_max", "content", "sources", "history")
        }
        old |= {
            "trigger": {"refresh_after_consolidation": True},
            "refreshed_at": kept["refreshed_at"],
            "seen_at": 1,
        }
        connection.execute("update standings set body = ? where name = 'dora'", (json.dumps(old),))
        connection.execute("delete from migrations where name = '0005_hindsight_grounds'")
        assert connection.changes() == 1
