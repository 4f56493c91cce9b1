"""Timeline: the store at any change, and what happened in sessions."""

from dataclasses import replace

from commonplace import ids
from commonplace.app import open_engine
from commonplace.engine.hooks import hook_log
from commonplace.engine.hooks.hook_log import LogLine
from commonplace.records.work import EventDraft, SessionDraft
from commonplace.settings import load
from tests.faces.http_client import Running
from tests.web.visitor import Visitor


def test_the_slider_shows_the_store_as_it_was(visitor: Visitor) -> None:
    one = visitor.remember("The port is 8080.", bank="past", project="shop")
    visitor.post(f"/memory/{one}/edit?bank=past", {"text": "The port is 9090.", "version": "1"})
    visitor.post("/memories/change?bank=past", {"id": one, "action": "forget"})

    def at(number: int) -> list[str]:
        found = visitor.json(f"/timeline.json?bank=past&project=shop&revision={number}")
        return [it["text"] for it in found["memories"]]

    assert [at(0), at(1), at(2), at(3)] == [[], ["The port is 8080."], ["The port is 9090."], []]
    assert at(99) == []
    assert visitor.get("/timeline?bank=past&project=shop&revision=x").status == 400


def test_a_session_shows_its_events(running: Running, visitor: Visitor) -> None:
    engine = open_engine(load({"COMMONPLACE_HOME": str(running.home)}))
    session = engine.start_session("work", SessionDraft("Log-in page", client="claude-code"))
    engine.checkpoint_session("work", session.id, EventDraft("<b>All tests pass.</b>"))
    engine.db.close()
    page = visitor.get("/timeline?bank=work").body.decode()
    assert "Log-in page" in page
    link = page.split('href="/session/')[1].split('"')[0]

    shown = visitor.get(f"/session/{link}".replace("&amp;", "&")).body.decode()
    assert "&lt;b&gt;All tests pass.&lt;/b&gt;" in shown


def test_what_hooks_handed_to_agents_is_shown(running: Running, visitor: Visitor) -> None:
    one = visitor.remember("The release is on Tuesday.")
    line = LogLine("2026-11-19T10:00:00Z", "prompt", "codex", "shown", tokens=12)
    hook_log.append(running.home, replace(line, shown=(ids.parse(one),)))
    page = visitor.get("/timeline").body.decode()

    assert "prompt of codex: shown, 12 tokens" in page
    assert f'href="/memory/{one}"' in page.split("What hooks handed to agents")[1]
