"""The small dialect: five tools that a model understands at once, and hooks that it does not
see.
"""

import json
from typing import Any

import pytest

from commonplace import Draft, Scope
from commonplace.dialects import registry
from commonplace.engine.engine import Engine
from commonplace.faces.mcp import messages
from commonplace.models import token_count
from tests.dialects.dialect_client import Client

DIALECT = registry.find("commonplace")


@pytest.fixture
def client(engine: Engine) -> Client:
    return Client(engine, DIALECT)


def ask(by: Client, tool: str, /, **given: Any) -> dict[str, Any]:
    result = by.result(tool, **given)
    assert not result["isError"], result
    answer: dict[str, Any] = result["structuredContent"]
    return answer


def texts(client: Client, query: str) -> list[str]:
    return [one["text"] for one in ask(client, "recall", query=query)["memories"]]


def test_a_model_sees_five_tools_in_under_a_thousand_tokens(client: Client) -> None:
    shown = client.listed()

    assert list(shown) == ["recall", "remember", "revise", "forget", "brief"]
    # What clients put before a model: name, description and arguments.
    seen = [[one["name"], one["description"], one["inputSchema"]] for one in shown.values()]
    instructions = messages.instructions(DIALECT)
    assert token_count.count(json.dumps(seen)) + token_count.count(instructions) < 1_000


def test_what_is_remembered_is_recalled_revised_and_forgotten(client: Client) -> None:
    kept = ask(client, "remember", text="Staging listens on port 8080.")
    assert kept["change"] == "added"
    assert texts(client, "Which port does staging use?") == ["Staging listens on port 8080."]

    name = kept["memory"]["id"]
    revised = ask(client, "revise", id=name, text="Staging listens on port 9090.")
    assert (revised["change"], revised["memory"]["version"]) == ("revised", 2)
    assert texts(client, "Which port does staging use?") == ["Staging listens on port 9090."]

    assert ask(client, "forget", id=name) == {"forgotten": name}
    assert texts(client, "Which port does staging use?") == []
    assert client.result("revise", id=name, text="x")["isError"]


def test_a_newer_value_replaces_the_older_one_and_a_repeat_changes_nothing(client: Client) -> None:
    ask(client, "remember", text="The staging server listens on port 8080.")
    changed = ask(client, "remember", text="The staging server listens on port 9090 now.")
    again = ask(client, "remember", text="The staging server listens on port 9090 now.")

    assert (changed["change"], again["change"]) == ("revised", "unchanged")
    assert len(client.engine.list("default")) == 1


def test_a_rule_is_in_every_brief_of_its_project(client: Client) -> None:
    ask(client, "remember", text="Write tests first.", kind="rule", project_id="shop")
    ask(client, "remember", text="The shop sells tea.", project_id="shop")

    brief = ask(client, "brief", project_id="shop")
    assert "Write tests first." in brief["brief"]
    assert "The shop sells tea." in brief["brief"]
    assert "Write tests first." not in ask(client, "brief", project_id="bank")["brief"]
    assert brief["tokens"] <= 1_200


def test_a_project_narrows_to_itself_and_to_what_belongs_to_none(client: Client) -> None:
    ask(client, "remember", text="The port of the shop is 1.", project_id="shop")
    ask(client, "remember", text="The port of the bank is 2.", project_id="bank")

    found = ask(client, "recall", query="which port?", project_id="shop")["memories"]
    assert [one["text"] for one in found] == ["The port of the shop is 1."]


def test_memories_of_another_user_are_neither_seen_nor_changed(client: Client) -> None:
    scope = Scope(user="ada")
    theirs = client.engine.remember("default", Draft("Ada's port is 7.", scope=scope)).memory

    assert texts(client, "Which port is Ada's?") == []
    for tool in ("revise", "forget"):
        given = {"text": "x"} if tool == "revise" else {}
        assert client.result(tool, id=str(theirs.id), **given)["isError"]
    assert client.engine.get("default", theirs.id) == theirs


def test_a_mistake_gets_a_message_with_a_hint(client: Client) -> None:
    for tool, given in (
        ("recall", {"query": " "}),
        ("remember", {"text": "  "}),
        ("revise", {"id": "m0000000000z", "text": "x"}),
        ("forget", {"id": "?"}),
    ):
        result = client.result(tool, **given)
        assert result["isError"], tool
        assert len(result["content"][0]["text"]) > 20


def test_hooks_are_tools_that_no_list_shows(client: Client) -> None:
    session = {"session_id": "s1", "cwd": "/srv/shop", "client": "codex"}
    ask(client, "hook_prompt", prompt="We use pnpm here.", **session)
    ask(client, "hook_stop", last_assistant_message="Ok.", **session)
    ask(client, "hook_pre_compact", **session)
    ask(client, "hook_session_end", reason="exit", **session)
    again = {**session, "session_id": "s2"}
    result = client.result("hook_session_start", source="startup", **again)

    answer = json.loads(result["content"][0]["text"])
    assert "We use pnpm here." in answer["hookSpecificOutput"]["additionalContext"]
    assert json.loads(client.result("hook_stop")["content"][0]["text"]) == {}
