"""Health: what the server did, and what can be done about what is wrong."""

from commonplace.app import open_engine
from commonplace.settings import load
from tests.faces.http_client import Running
from tests.web.visitor import Visitor


def test_calls_are_shown_by_tool_and_by_client(running: Running, visitor: Visitor) -> None:
    running.ask_modern(
        "/memories/mcp", "tools/call", {"name": "add_memory", "arguments": {"content": "A fact."}}
    )
    running.ask_modern("/memories/mcp", "tools/call", {"name": "edit_memory", "arguments": {}})
    page = visitor.get("/status").body.decode()

    assert "add_memory" in page
    assert '<th scope="row">raw</th><td class="n">2</td><td class="n">1</td>' in page


def test_the_store_is_checked_when_asked_to(visitor: Visitor) -> None:
    visitor.remember("A fact.")
    assert visitor.json("/status.json")["findings"] == []
    checked = visitor.json("/status.json?check=1")

    assert len(checked["findings"]) > 5
    assert {one["state"] for one in checked["findings"]} <= {"ok", "warning"}
    assert visitor.post("/status/fix", {}).status == 303


def test_a_waiting_job_is_cancelled_and_tried_again(running: Running, visitor: Visitor) -> None:
    engine = open_engine(load({"COMMONPLACE_HOME": str(running.home)}))
    engine.create_bank("jobs")
    later = engine.clock.now() + 3_600_000
    engine.enqueue("jobs", "retain", {}, run_at=later)
    job = visitor.json("/status.json")["jobs"][0]
    form = {"id": job["id"], "job_bank": "jobs", "action": "cancel"}
    visitor.post("/status/job", form)

    assert visitor.json("/status.json")["jobs"][0]["state"] == "cancelled"
    engine.db.close()
