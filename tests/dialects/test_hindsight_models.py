"""Hindsight's mental models through the MCP layer: what they are made of, and when they are made
again.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from commonplace.app import open_engine
from commonplace.engine.engine import Engine
from commonplace.engine.operations import maintenance
from commonplace.settings import load
from tests.conftest import StoppedClock
from tests.dialects.hindsight_client import Hindsight
from tests.dialects.requirements import requirement

HOUR_MS = 3_600_000
USUAL = {"mode": "full", "refresh_after_consolidation": False}


def until(clock: StoppedClock, hour: int) -> None:
    """Moves the clock to the next full hour of that number, in UTC."""
    now = datetime.fromtimestamp(clock.now() / 1000, UTC)
    there = now.replace(hour=hour, minute=0, second=0, microsecond=0).timestamp() * 1000
    clock.advance(round(there - clock.now()) % (24 * HOUR_MS) or 24 * HOUR_MS)


def refreshes(hindsight: Hindsight) -> int:
    total: int = hindsight("list_operations", type="refresh_mental_model")["total"]
    return total


def make(hindsight: Hindsight, query: str = "Where is the office?", **more: object) -> None:
    answer = hindsight(
        "create_mental_model", name="Office", source_query=query, mental_model_id="office", **more
    )
    assert answer["status"] == "created", answer


def model(hindsight: Hindsight) -> dict[str, Any]:
    return hindsight("get_mental_model", mental_model_id="office")


@requirement("hindsight:model:cron")
def test_a_schedule_makes_the_answer_again_when_something_changed(
    hindsight: Hindsight, engine: Engine, clock: StoppedClock
) -> None:
    hindsight.sync_retain("The office is in Oslo.")
    make(hindsight, trigger={"refresh_cron": "0 6 * * *"})
    hindsight.sync_retain("The office is in Bergen.")
    clock.advance(HOUR_MS)
    maintenance.run_idle_tasks(engine)
    assert (model(hindsight)["is_stale"], refreshes(hindsight)) == (True, 1)
    until(clock, 6)
    maintenance.run_idle_tasks(engine)
    after = model(hindsight)
    assert (after["is_stale"], refreshes(hindsight)) == (False, 2)
    assert "Bergen" in str(after["content"])
    for _ in range(3):
        # Nothing changed since, so nothing is made again.
        until(clock, 6)
        maintenance.run_idle_tasks(engine)
    assert refreshes(hindsight) == 2


@requirement("hindsight:model:cron")
def test_a_full_schedule_makes_it_again_in_any_case_and_once_for_what_was_missed(
    hindsight: Hindsight, engine: Engine, clock: StoppedClock
) -> None:
    make(hindsight, trigger={"full_refresh_cron": "30 * * * *", "mode": "delta"})
    clock.advance(5 * HOUR_MS)
    for _ in range(3):
        maintenance.run_idle_tasks(engine)
    assert refreshes(hindsight) == 2
    hindsight("update_mental_model", mental_model_id="office", trigger={"full_refresh_cron": None})
    clock.advance(5 * HOUR_MS)
    maintenance.run_idle_tasks(engine)
    assert refreshes(hindsight) == 2


@requirement("hindsight:model:auto-refresh", "hindsight:model:interval")
def test_it_is_not_made_again_more_often_than_it_may(
    hindsight: Hindsight, engine: Engine, clock: StoppedClock
) -> None:
    make(
        hindsight,
        trigger={"refresh_after_consolidation": True, "min_refresh_interval_seconds": 600},
    )
    hindsight.sync_retain("The office is in Oslo.")
    assert (model(hindsight)["is_stale"], refreshes(hindsight)) == (True, 1)
    clock.advance(599_000)
    maintenance.run_idle_tasks(engine)
    assert refreshes(hindsight) == 1
    clock.advance(1_000)
    maintenance.run_idle_tasks(engine)
    assert (model(hindsight)["is_stale"], refreshes(hindsight)) == (False, 2)
    hindsight(
        "update_mental_model",
        mental_model_id="office",
        trigger={"min_refresh_interval_seconds": None},
    )
    hindsight("update_bank", config_updates={"mental_model_min_refresh_interval_seconds": 5})
    hindsight.sync_retain("The office is in Bergen.")
    assert refreshes(hindsight) == 2
    clock.advance(5_000)
    maintenance.run_idle_tasks(engine)
    assert refreshes(hindsight) == 3


@requirement("hindsight:model:stale")
def test_only_what_it_is_about_makes_it_stale(hindsight: Hindsight) -> None:
    hindsight.sync_retain("The office is in Oslo.", tags=["place"])
    make(hindsight, tags=["place"], trigger={"fact_types": ["world"]})
    assert model(hindsight)["is_stale"] is False
    hindsight.sync_retain("The canteen has soup.", tags=["food"])
    hindsight.sync_retain("I fixed the office door.", tags=["place"])
    assert model(hindsight)["is_stale"] is False
    hindsight.sync_retain("The office is in Bergen.", tags=["place", "norway"])
    assert model(hindsight)["is_stale"] is True
    hindsight("refresh_mental_model", mental_model_id="office")
    assert model(hindsight)["is_stale"] is False
    changed = hindsight(
        "update_mental_model", mental_model_id="office", source_query="Who is in the office?"
    )
    assert (changed["is_stale"], "Bergen" in changed["content"]) == (True, True)
    [listed] = hindsight("list_mental_models")["items"]
    assert (listed["is_stale"], "content" in listed) == (True, False)


@requirement("hindsight:model:trigger")
def test_a_trigger_says_what_an_answer_is_made_of(hindsight: Hindsight) -> None:
    hindsight.sync_retain("The office is in Oslo.", tags=["old"])
    hindsight.sync_retain("The office is in Bergen.", tags=["new"])
    hindsight.sync_retain("The office is in Tromsø.")
    groups = [{"not": {"tags": ["old"], "match": "any_strict"}}]
    schema = {"type": "object", "properties": {"office": {"type": "string"}}}
    make(hindsight, trigger={"tag_groups": groups, "response_schema": schema, "budget": "mid"})
    made = model(hindsight)
    told = str(made["content"])
    assert ("Oslo" in told, "Bergen" in told, "Tromsø" in told) == (False, True, True)
    assert list(made["structured_content"]) == ["office"]
    assert made["trigger"] == USUAL | {
        "tag_groups": groups,
        "response_schema": schema,
        "budget": "mid",
    }
    exact = hindsight(
        "update_mental_model",
        mental_model_id="office",
        tags=["new"],
        tags_match="exact",
        trigger="{}",
    )
    assert exact["trigger"]["tags_match"] == "exact"
    hindsight("refresh_mental_model", mental_model_id="office")
    assert "Tromsø" not in str(model(hindsight)["content"])


@requirement("hindsight:model:trigger")
@pytest.mark.parametrize(
    ("trigger", "said"),
    [
        ({"colour": 1}, "Unknown fields of a trigger: colour"),
        ({"mode": "half"}, "full or delta"),
        ({"refresh_cron": "every day"}, "cron expression"),
        ({"refresh_cron": "0 0 30 2 *"}, "never matches a date"),
        ({"refresh_cron": "* * * * *", "refresh_after_consolidation": True}, "cannot be combined"),
        ({"fact_types": ["dream"]}, "fact_types must be"),
        ({"fact_types": "world"}, "fact_types must be"),
        ({"tags_match": "some"}, "tags_match must be"),
        ({"tag_groups": [{"xor": []}]}, "tag group"),
        ({"budget": "huge"}, "budget must be"),
        ({"min_refresh_interval_seconds": -1}, "min_refresh_interval_seconds must be"),
        ({"keep_trace": "yes"}, "keep_trace must be"),
        ({"response_schema": []}, "response_schema must be"),
    ],
)
def test_a_bad_trigger_is_refused_before_anything_is_written(
    hindsight: Hindsight, engine: Engine, trigger: dict[str, object], said: str
) -> None:
    given = {"name": "Office", "source_query": "Where is the office?", "mental_model_id": "office"}
    assert said in hindsight("create_mental_model", **given, trigger=trigger)["error"]
    assert engine.list_banks() == ()
    make(hindsight)
    assert (
        said in hindsight("update_mental_model", mental_model_id="office", trigger=trigger)["error"]
    )
    assert model(hindsight)["trigger"] == USUAL


@requirement("hindsight:model:history", "hindsight:model:clear")
def test_what_an_answer_said_before_is_kept_until_it_is_cleared(
    hindsight: Hindsight, clock: StoppedClock
) -> None:
    make(hindsight)
    for place in ("Oslo", "Bergen", "Bodø"):
        clock.advance(1000)
        hindsight.sync_retain(f"The office is in {place}.")
        hindsight("refresh_mental_model", mental_model_id="office")
        hindsight("refresh_mental_model", mental_model_id="office")
    told = [str(entry["content"]) for entry in model(hindsight)["history"]]
    assert ["Bergen" in one for one in told] == [True, False, False]
    assert "Nothing is known" in told[-1]
    cleared = hindsight("clear_mental_model", mental_model_id="office")
    assert (cleared["status"], cleared["mental_model_id"]) == ("cleared", "office")
    empty = model(hindsight)
    assert (empty["content"], empty["history"], empty["is_stale"]) == ("", [], True)
    assert not {"last_refreshed_at", "reflect_response"} & set(empty)
    hindsight("refresh_mental_model", mental_model_id="office")
    assert "Bodø" in str(model(hindsight)["content"])


@requirement("hindsight:model:create")
def test_what_cannot_be_a_mental_model_is_refused_whole(
    hindsight: Hindsight, engine: Engine
) -> None:
    right = {"name": "Office", "source_query": "Where is it?"}
    for wrong, said in (
        ({"name": " "}, "name cannot be empty"),
        ({"source_query": ""}, "source_query cannot be empty"),
        ({"max_tokens": 255}, "max_tokens must be between 256 and 8192, got 255"),
        ({"max_tokens": 8193}, "max_tokens must be between 256 and 8192, got 8193"),
        ({"mental_model_id": "Big House"}, "lower-case"),
        ({"mental_model_id": "under_score"}, "lower-case"),
    ):
        assert said in hindsight("create_mental_model", **{**right, **wrong})["error"]
    assert "`source_query` is required" in hindsight.failure("create_mental_model", name="Office")
    assert engine.list_banks() == ()
    made = hindsight("create_mental_model", **right, mental_model_id="team-2")
    assert made["mental_model_id"] == "team-2"
    assert hindsight("get_mental_model", mental_model_id="team-2")["max_tokens"] == 2048


@requirement("hindsight:model:cron")
def test_schedules_that_came_with_an_archive_are_kept(
    hindsight: Hindsight, engine: Engine, clock: StoppedClock, elsewhere: Engine
) -> None:
    make(hindsight, trigger={"refresh_cron": "0 6 * * *"})
    lines: list[str] = []
    engine.export(lines.append)
    elsewhere.import_archive(lines)
    there = Hindsight(elsewhere, hindsight.client.bank)
    there.sync_retain("The office is in Oslo.")
    maintenance.sweep(elsewhere)
    until(clock, 6)
    maintenance.run_idle_tasks(elsewhere)
    assert "Oslo" in str(model(there)["content"])


@pytest.fixture
def elsewhere(tmp_path: Path, clock: StoppedClock) -> Iterator[Engine]:
    opened = open_engine(load({"COMMONPLACE_HOME": str(tmp_path / "elsewhere")}), clock)
    yield opened
    opened.db.close()
