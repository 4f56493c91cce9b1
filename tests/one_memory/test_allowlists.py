"""An allowlist holds in every dialect: a bank that an owner made read-only is read-only for every
client.
"""

from typing import Any

import pytest

from commonplace.dialects import allowlists, registry
from commonplace.dialects.dialect import Call, Tool
from commonplace.engine.engine import Engine
from commonplace.faces.mcp import messages, protocol
from commonplace.faces.mcp.parsing import ProtocolError, Request
from commonplace.records.memory import BankEdit, Draft, Scope
from commonplace.records.query import Filter
from tests.dialects.dialect_client import Client
from tests.one_memory.dialect_clients import SAMPLES, DialectClients, new_statement, rows

READ_ONLY = ["recall", "list_memories"]
OTHERS = [name for name in registry.NAMES if name != "hindsight"]
TOOLS = [(name, tool) for name in OTHERS for tool in registry.find(name).tools.values()]


def limited(engine: Engine, *tools: str, bank: str = "ro") -> None:
    engine.create_bank(bank, BankEdit(config={allowlists.CONFIG_FIELD: list(tools)}))


def sample(tool: Tool) -> dict[str, Any]:
    """Arguments with which a tool passes the check of its arguments."""
    kinds: dict[str, Any] = {
        "array": ["x"],
        "integer": 1,
        "number": 1,
        "boolean": True,
        "object": {},
    }
    required = [one for one in tool.parameters if one.required]
    known = {one.name: SAMPLES[one.name]("lamp") for one in required if one.name in SAMPLES}
    return {one.name: kinds.get(str(one.schema.get("type")), "x") for one in required} | known


def asked(engine: Engine, name: str, method: str, params: dict[str, Any]) -> dict[str, Any]:
    request = Request(1, method, params, messages.LEGACY[-1], "tester")
    return protocol.execute(request, registry.find(name), lambda _: Call(engine, "ro"))


def test_every_tool_is_allowed_or_not_by_what_it_does() -> None:
    hindsight = registry.find("hindsight").tools
    assert {name for names in allowlists.EQUIVALENT_TOOLS.values() for name in names} <= set(
        hindsight
    )
    for _, tool in TOOLS:
        assert tool.actions
        assert set(tool.actions) <= set(allowlists.EQUIVALENT_TOOLS)
    # What Hindsight's own tools do to one memory is what they stand for.
    for tool in hindsight.values():
        for role in tool.roles:
            if role.action not in ("apart", "sweep"):
                assert tool.name in allowlists.EQUIVALENT_TOOLS[role.action]


@pytest.mark.parametrize(("name", "tool"), TOOLS, ids=lambda one: getattr(one, "name", one))
def test_a_bank_that_allows_reading_is_changed_by_no_tool_of_any_dialect(
    engine: Engine, name: str, tool: Tool
) -> None:
    engine.remember("ro", Draft("The lamp stands in the hall.", scope=Scope(project="house")))
    limited(engine, *READ_ONLY)
    before = engine.list("ro", Filter(status="any"))

    result = Client(engine, registry.single_bank(name), bank="ro").result(tool.name, **sample(tool))

    refused = "does not allow" in str(result)
    needs_more = set(tool.actions) & {"fetch", "history"}
    assert refused == bool(tool.effect != "reads" or needs_more), result
    if refused:
        assert result["isError"]
        assert "Use another bank, or ask its owner to add" in str(result)
    assert engine.list("ro", Filter(status="any")) == before
    assert engine.list_sessions("ro").items == ()


@pytest.mark.parametrize("row", rows("find"), ids=str)
def test_what_is_allowed_works(engine: Engine, row: Any) -> None:
    what = new_statement()
    engine.remember("ro", Draft(what.text))
    limited(engine, *READ_ONLY, "reflect")
    client = Client(engine, registry.single_bank(row.dialect), bank="ro")
    speaker = DialectClients(lambda _, tool, given: str(client.result(tool, **given)))
    assert what.marker in speaker.call(row, what.cue, words=what.question)


def test_an_allowlist_holds_for_the_bank_that_a_call_names(engine: Engine) -> None:
    limited(engine, *READ_ONLY)
    memories = Client(engine, registry.find("memories"))
    for tenant in ("ro", " ro "):
        result = memories.result("add_memory", content="Sesame.", tenant_id=tenant)
        assert result["isError"]
        assert "The bank 'ro' does not allow add_memory." in result["content"][0]["text"]
        assert "retain or sync_retain" in result["content"][0]["text"]
    # A connection to a limited bank reaches another one as before, where a call may name one.
    assert not Client(engine, registry.find("memories"), bank="ro").result(
        "add_memory", content="x", tenant_id="open"
    )["isError"]
    assert engine.count("ro") == 0
    assert engine.count("open") == 1


def test_resources_and_suggestions_show_nothing_that_may_not_be_listed(engine: Engine) -> None:
    engine.remember("ro", Draft("Sesame.", kind="rule", scope=Scope(project="cellar")))
    ref = {"type": "ref/resource", "uri": "memories://project/{id}"}
    completing = {"ref": ref, "argument": {"name": "id", "value": "cel"}}
    assert asked(engine, "memories", "completion/complete", completing)["completion"]["values"] == [
        "cellar"
    ]
    limited(engine, "recall")
    assert (
        asked(engine, "memories", "completion/complete", completing)["completion"]["values"] == []
    )
    for name, uri in (("memories", "memories://rules"), ("powermem", "powermem://memory")):
        with pytest.raises(ProtocolError, match="does not allow"):
            asked(engine, name, "resources/read", {"uri": uri})
    limited(engine, "list_memories")
    assert "Sesame" in str(
        asked(engine, "memories", "resources/read", {"uri": "memories://project/cellar"})
    )
