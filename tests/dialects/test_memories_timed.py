"""Reminders and streams of memories.sh, through the MCP layer."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from commonplace.app import open_engine
from commonplace.clock import parse_moment
from commonplace.engine.engine import Engine
from commonplace.settings import load
from tests.conftest import StoppedClock
from tests.dialects.memories_client import Memories
from tests.dialects.requirements import requirement

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
MONDAY = "2027-03-01T08:00:00Z"


def at(home: Path, now: str, zone: str = "UTC") -> tuple[Memories, StoppedClock]:
    """A client at a moment, of a server whose time zone is set."""
    clock = StoppedClock(parse_moment(now))
    return Memories(
        open_engine(load({"COMMONPLACE_HOME": str(home), "COMMONPLACE_TIMEZONE": zone}), clock)
    ), clock


@requirement("memories:add_reminder:creates")
def test_a_reminder_shows_its_next_turn(home: Path) -> None:
    memories, _ = at(home, MONDAY)
    data, text = memories.data_and_text(
        "add_reminder", cron_expression="0 9 * * *", message=" Stand up "
    )
    assert (
        text == f"Created reminder {data['id']} (global) next at 2027-03-01T09:00:00.000Z: Stand up"
    )
    assert data["reminder"]["nextTriggerAt"] == "2027-03-01T09:00:00.000Z"
    assert (data["reminder"]["cronExpression"], data["reminder"]["enabled"]) == ("0 9 * * *", True)
    assert (
        "Reminder message cannot be empty"
        in memories.failure("add_reminder", cron_expression="0 9 * * *", message=" ")["text"]
    )


@requirement("memories:reminders:cron")
@pytest.mark.parametrize(
    ("cron", "expected"),
    [
        ("* * * * *", "2027-03-01T08:01"),
        ("*/15 * * * *", "2027-03-01T08:15"),
        ("0 9 * * MON-FRI", "2027-03-01T09:00"),
        ("0 9 * * sat,sun", "2027-03-06T09:00"),
        ("0 9 * * 7", "2027-03-07T09:00"),
        ("0 9 * * 0", "2027-03-07T09:00"),
        ("0 9 1 JAN *", "2028-01-01T09:00"),
        ("0 0 13 * 5", "2027-03-05T00:00"),  # Both days restricted: either one.
        ("0 0 13 * *", "2027-03-13T00:00"),
        ("0 0 1-31 * 5", "2027-03-05T00:00"),  # A whole range is no restriction.
        ("0 0 13 * 0-6", "2027-03-13T00:00"),
        ("0 0 29 2 *", "2028-02-29T00:00"),
        ("5/10 8 * * *", "2027-03-01T08:05"),
        ("0 8 1 3 *", "2028-03-01T08:00"),  # Strictly after now.
    ],
)
def test_when_a_cron_expression_comes_due(home: Path, cron: str, expected: str) -> None:
    memories, _ = at(home, MONDAY)
    data = memories("add_reminder", cron_expression=cron, message="m")
    assert data["reminder"]["nextTriggerAt"] == f"{expected}:00.000Z"


@requirement("memories:reminders:cron")
@pytest.mark.parametrize(
    "cron",
    [
        "0 0 30 2 *",
        "60 * * * *",
        "* * * *",
        "* * * * * *",
        "@daily",
        "a b c d e",
        "5-1 * * * *",
        "*/0 * * * *",
        "",
    ],
)
def test_what_is_no_cron_expression_is_refused(home: Path, cron: str) -> None:
    memories, _ = at(home, MONDAY)
    assert (
        memories.failure("add_reminder", cron_expression=cron, message="m")["type"]
        == "validation_error"
    )
    assert memories("list_reminders", include_disabled=True)["reminders"] == []


@requirement("memories:reminders:cron")
def test_the_time_zone_is_the_users(home: Path) -> None:
    memories, _ = at(home, MONDAY, "America/New_York")
    data = memories("add_reminder", cron_expression="0 9 * * *", message="m")
    assert data["reminder"]["nextTriggerAt"] == "2027-03-01T14:00:00.000Z"
    assert data["reminder"]["timezone"] == "America/New_York"


@requirement(
    "memories:list_reminders:scope", "memories:add_reminder:global", "memories:scope:every-tool"
)
def test_reminders_are_listed_by_scope(memories: Memories) -> None:
    def add(message: str, **more: Any) -> str:
        number: str = memories(
            "add_reminder", cron_expression="0 9 * * *", message=message, **more
        )["id"]
        return number

    assert memories.text("list_reminders") == "No reminders found."
    add("global", **{"global": True})
    add("web", project_id="web")
    add("api", project_id="api")
    hers = add("hers", user_id="ada")
    add("theirs", tenant_id="acme")

    def listed(**given: Any) -> set[str]:
        return {one["message"] for one in memories("list_reminders", **given)["reminders"]}

    assert listed() == {"global"}
    assert listed(project_id="web") == {"global", "web"}
    assert listed(user_id="ada") == {"hers"}
    assert listed(tenant_id="acme") == {"theirs"}
    for tool in ("enable_reminder", "disable_reminder", "delete_reminder"):
        assert memories.failure(tool, id=hers)["text"] == f"Reminder {hers} not found."
        assert memories.failure(tool, id=hers, user_id="bob")["code"] == "REMINDER_NOT_FOUND"
    memories("delete_reminder", id=hers, user_id="ada")
    assert listed(user_id="ada") == set()


@requirement(
    "memories:disable_reminder:keeps",
    "memories:enable_reminder:recomputes",
    "memories:list_reminders:disabled",
    "memories:delete_reminder:deletes",
)
def test_a_reminder_rests_comes_back_and_goes(home: Path) -> None:
    memories, clock = at(home, MONDAY)
    number = memories("add_reminder", cron_expression="0 9 * * *", message="m")["id"]
    data, text = memories.data_and_text("disable_reminder", id=number)
    assert (data["reminder"]["enabled"], data["reminder"].get("nextTriggerAt"), text) == (
        False,
        None,
        f"Disabled reminder {number}.",
    )
    assert memories("list_reminders")["reminders"] == []
    assert memories.text("list_reminders", include_disabled=True) == (
        f"1 reminders:\n- {number} [disabled] 0 9 * * * :: m (next: n/a)"
    )
    clock.advance(2 * DAY_MS)
    assert memories.text("run_due_reminders") == "No due reminders (0 active checked)."
    assert memories.text("enable_reminder", id=number) == (
        f"Enabled reminder {number}. Next trigger: 2027-03-03T09:00:00.000Z"
    )
    assert memories.text("delete_reminder", id=number) == f"Deleted reminder {number}."
    assert memories.failure("delete_reminder", id=number)["text"] == f"Reminder {number} not found."


@requirement("memories:run_due:emits", "memories:run_due:dry-run", "memories:reminders:missed")
def test_what_is_due_comes_once_however_many_turns_were_missed(home: Path) -> None:
    memories, clock = at(home, MONDAY)
    number = memories("add_reminder", cron_expression="0 * * * *", message="hourly")["id"]
    memories("add_reminder", cron_expression="0 * * * *", message="elsewhere", project_id="p")
    assert memories.text("run_due_reminders") == "No due reminders (1 active checked)."
    clock.advance(5 * HOUR_MS + 60_000)

    for _ in range(2):
        data, text = memories.data_and_text("run_due_reminders", dry_run=True)
        assert text == f"Triggered 1 reminder(s):\n- {number} :: hourly (0 * * * *)"
        assert (data["triggered"], data["dryRun"]) == (1, True)
    data = memories("run_due_reminders")
    assert (data["triggered"], data["checked"]) == (1, 1)
    assert data["reminders"][0]["dueAt"] == "2027-03-01T09:00:00.000Z"
    assert data["reminders"][0]["nextTriggerAt"] == "2027-03-01T14:00:00.000Z"
    assert memories("run_due_reminders")["triggered"] == 0
    assert memories("run_due_reminders", project_id="p")["triggered"] == 1


@requirement("memories:stream:start", "memories:stream:append", "memories:stream:finalize")
def test_a_stream_becomes_a_memory(memories: Memories) -> None:
    data, text = memories.data_and_text(
        "start_memory_stream", type="fact", tags=["a"], project_id="p"
    )
    stream = data["streamId"]
    assert text.startswith(f"Started stream {stream}. Use append_memory_chunk")
    assert memories.text("append_memory_chunk", stream_id=stream, chunk="Tea is ") == (
        "Appended chunk (7 chars). Stream now has 1 chunks, 7 total chars."
    )
    memories("append_memory_chunk", stream_id=stream, chunk="")
    assert memories("append_memory_chunk", stream_id=stream, chunk="at 😀")["totalChars"] == 11
    assert memories.contents(project_id="p") == []

    data, text = memories.data_and_text("finalize_memory_stream", stream_id=stream)
    assert text == f"Created 📋 FACT {data['id']} from 3 chunks (11 chars)."
    memory = data["memory"]
    assert (memory["content"], memory["type"], memory["tags"]) == ("Tea is at 😀", "fact", ["a"])
    assert memories.contents(project_id="p") == ["Tea is at 😀"]
    for tool, more in (("append_memory_chunk", {"chunk": "x"}), ("finalize_memory_stream", {})):
        assert (
            f"Stream {stream} not found or expired."
            in memories.failure(tool, stream_id=stream, **more)["text"]
        )


@requirement("memories:stream:cancel")
def test_a_cancelled_stream_and_a_blank_one_leave_nothing(memories: Memories) -> None:
    stream = memories("start_memory_stream")["id"]
    memories("append_memory_chunk", stream_id=stream, chunk="abc")
    assert memories.text("cancel_memory_stream", stream_id=stream) == (
        f"Cancelled stream {stream} (discarded 1 chunks, 3 chars)."
    )
    error = memories.failure("cancel_memory_stream", stream_id=stream)
    assert error["text"] == f"Stream {stream} not found or already finalized."

    blank = memories("start_memory_stream")["id"]
    memories("append_memory_chunk", stream_id=blank, chunk=" \n")
    data, text = memories.data_and_text("finalize_memory_stream", stream_id=blank)
    assert (text, data.get("memory")) == (f"Stream {blank} was empty - no memory created.", None)
    memories.failure("finalize_memory_stream", stream_id=blank)
    assert memories.contents() == []


@requirement("memories:streams:restart")
def test_a_stream_survives_a_restart(home: Path) -> None:
    memories, _ = at(home, MONDAY)
    stream = memories("start_memory_stream", tags=["kept"])["id"]
    memories("append_memory_chunk", stream_id=stream, chunk="before ")
    memories.engine.db.close()

    memories, _ = at(home, MONDAY)
    memories("append_memory_chunk", stream_id=stream, chunk="and after")
    memory = memories("finalize_memory_stream", stream_id=stream)["memory"]
    assert (memory["content"], memory["tags"]) == ("before and after", ["kept"])


@requirement("memories:streams:expire")
def test_a_stream_nobody_touches_for_a_day_is_gone(
    engine: Engine, memories: Memories, clock: StoppedClock
) -> None:
    stream = memories("start_memory_stream")["id"]
    clock.advance(DAY_MS - 1)
    memories("append_memory_chunk", stream_id=stream, chunk="alive")
    clock.advance(DAY_MS + 1)
    memories.failure("append_memory_chunk", stream_id=stream, chunk="too late")
    assert datetime.fromtimestamp(clock.now() / 1000, UTC).year == 2026
