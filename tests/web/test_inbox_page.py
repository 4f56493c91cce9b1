"""Inbox: what waits for a decision, and each decision with its undo."""

import re
from html import unescape

from commonplace.app import open_engine
from commonplace.records.work import ReminderDraft
from commonplace.settings import load
from tests.conftest import StoppedClock
from tests.faces.http_client import Running
from tests.web.visitor import Visitor


def test_an_empty_inbox_says_what_it_is_for(visitor: Visitor) -> None:
    assert b"Nothing waits for you" in visitor.get("/inbox?bank=nothing").body


def test_a_contradiction_is_settled_and_the_decision_undone(visitor: Visitor) -> None:
    visitor.remember("The staging server listens on port 8080.", bank="odds")
    visitor.remember("The staging server listens on port 9090.", bank="odds")
    pairs = visitor.json("/inbox.json?bank=odds")["contradictions"]
    assert len(pairs) == 1

    done = visitor.post("/inbox/settle?bank=odds", {"action": "forget", "id": pairs[0][1]})
    assert visitor.json("/inbox.json?bank=odds")["contradictions"] == []
    page = visitor.get(done.headers["location"]).body.decode()
    steps = unescape(re.findall(r'name="steps" value="([^"]+)"', page)[0])
    visitor.post("/undo?bank=odds", {"steps": steps, "back": "/inbox?bank=odds"})

    assert len(visitor.json("/memories.json?bank=odds")["memories"]) == 2


def test_near_twins_are_merged_into_one(visitor: Visitor) -> None:
    visitor.remember("Deploys run on Tuesdays.", bank="twins")
    visitor.remember("deploys run on tuesdays", bank="twins")
    twins = visitor.json("/inbox.json?bank=twins")["twins"]
    assert len(twins) == 1

    visitor.post("/inbox/settle?bank=twins", {"action": "merge", "id": twins[0]})
    assert len(visitor.json("/memories.json?bank=twins")["memories"]) == 1
    assert visitor.json("/inbox.json?bank=twins")["twins"] == []


def test_a_reminder_that_is_due_is_shown_until_it_was_seen(
    running: Running, visitor: Visitor
) -> None:
    long_ago = StoppedClock(1_600_000_000_000)
    engine = open_engine(load({"COMMONPLACE_HOME": str(running.home)}), long_ago)
    engine.add_reminder("due", ReminderDraft("0 9 * * *", "Look at the queue."))
    engine.db.close()
    due = visitor.json("/inbox.json?bank=due")["due"]
    assert [one["message"] for one in due] == ["Look at the queue."]

    visitor.post("/inbox/settle?bank=due", {"action": "seen"})
    assert visitor.json("/inbox.json?bank=due")["due"] == []


def test_looking_writes_nothing(visitor: Visitor) -> None:
    visitor.remember("Deploys run on Fridays.", bank="look")
    visitor.remember("deploys run on fridays", bank="look")
    before = len(visitor.json("/status.json")["jobs"])
    visitor.get("/inbox?bank=look")

    assert len(visitor.json("/status.json")["jobs"]) == before
