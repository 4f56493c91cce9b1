"""A store from before grounds and turns were kept knows them after its upgrade."""

import json
from pathlib import Path

import apsw

from commonplace.app import open_engine
from commonplace.settings import load
from commonplace.storage.migrations import open_database
from tests.conftest import StoppedClock
from tests.dialects.hindsight_client import Hindsight

NEW = ("grounds", "unsettled", "turns")


def test_an_older_store_knows_what_rests_on_what(tmp_path: Path, clock: StoppedClock) -> None:
    settings = load({"COMMONPLACE_HOME": str(tmp_path)})
    engine = open_engine(settings, clock)
    hindsight = Hindsight(engine)
    [doomed, *_] = hindsight.keep("Dora lives in Rome. Dora works at Acme. Dora has a dog.")
    hindsight("create_mental_model", name="Dora", source_query="Where does Dora live?", mental_model_id="dora")
    engine.db.close()
    _aged(settings.database_path, clock)

    engine = open_engine(settings, clock)
    hindsight = Hindsight(engine)
    assert hindsight("get_mental_model", mental_model_id="dora")["is_stale"] is True
    engine.forget("default", [doomed])
    assert [one["text"] for one in hindsight("list_memories", type="observation")["items"]] == [
        "Dora has a dog. Dora works at Acme."
    ]
    # It was made again by itself, as it asked for before the upgrade.
    assert "Rome" not in hindsight("get_mental_model", mental_model_id="dora")["content"]
    engine.db.close()


def _aged(path: Path, clock: StoppedClock) -> None:
    """Make a store what one of before would be: without the new tables, and with models as they were written then."""
    connection = apsw.Connection(str(path))
    for name in NEW:
        connection.execute(f"drop table {name}")
    (body,) = connection.execute("select body from standings").fetchone() or ("",)
    kept = json.loads(body)
    old = {name: kept[name] for name in ("title", "query", "tokens_max", "content", "sources", "history")}
    old |= {"trigger": {"refresh_after_consolidation": True}, "refreshed_at": kept["refreshed_at"], "seen_at": 1}
    connection.execute("update standings set body = ?", (json.dumps(old),))
    connection.execute("delete from migrations where name = '0005_hindsight_grounds'")
    assert connection.changes() == 1
    connection.close()
    open_database(path, clock).close()
