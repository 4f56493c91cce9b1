"""The walls: nothing of another bank and nothing of another user comes out, or is changed, through
any tool by any id.

Every tool of every dialect is called with whatever names the stranger's things; the tables say
which tools there are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from commonplace import ids
from commonplace.dialects import registry
from commonplace.dialects.dialect import Call, Tool
from commonplace.engine.engine import Engine
from commonplace.engine.reflect.directives import Directive
from commonplace.engine.reflect.mental_models import MentalModel
from commonplace.records.memory import Draft, Scope
from commonplace.records.work import DocumentDraft, ReminderDraft, SessionDraft
from tests.dialects.dialect_client import Client
from tests.one_memory.dialect_clients import FORMS, ask

SECRET = "quincunx"
CUE = "Zofia"
TEXT = f"{CUE} keeps the lamp oil in the {SECRET}."
TAG = "of-the-lamps"
# Handles that a contract lets anybody use who has them: its tools for sessions and streams take no
# user.
HANDLES = ("session_id", "stream_id")
WORDS = ("query", "q", "pattern", "source_query", "keypath_prefix")
OWN = "The tide tables hang by the door."


@dataclass(frozen=True)
class Stranger:
    """Somebody else's things, behind the wall."""

    bank: str
    user: str
    number: int
    version: int
    names: dict[str, list[str]]

    def state(self, engine: Engine) -> object:
        """Everything that nobody on this side may change."""
        memory = engine.get(self.bank, self.number)
        document = engine.get_document(self.bank, self.names["document_id"][0])
        session = engine.get_session(self.bank, self.names["session_id"][0])
        reminder = engine.get_reminder(self.bank, self.names["reminder"][0])
        history = engine.history(self.bank, self.number)
        return memory, document.text, document.sha256, session, reminder, len(history)


def stranger(engine: Engine, bank: str, user: str) -> Stranger:
    """Somebody with one of everything."""
    scope = Scope(project="cellar", user=user)
    document, _ = engine.put_document(
        bank, DocumentDraft("told/lamps", TEXT, metadata={"user": user})
    )
    draft = Draft(
        TEXT,
        title=SECRET,
        kind="rule",
        key="lamps.oil",
        tags=(TAG,),
        document_id=document.id,
        scope=scope,
    )
    memory = engine.remember(bank, draft).memory
    session = engine.start_session(
        bank, SessionDraft(f"About {SECRET}", project="cellar", user=user)
    )
    reminder = engine.add_reminder(
        bank, ReminderDraft("0 9 * * *", TEXT, project="cellar", user=user)
    )
    names = {
        "project_id": ["cellar"],
        "document_id": [document.name],
        "session_id": [ids.short_form(session.id)],
        "reminder": [ids.short_form(reminder.id)],
        "tags": [TAG],
    }
    if not user:
        model = engine.add_mental_model(bank, MentalModel("lamps", SECRET, CUE))
        engine.refresh_mental_model(bank, model.name)
        directive = engine.add_directive(bank, Directive(SECRET, TEXT))
        folder = engine.add_folder(bank, SECRET)
        page = engine.add_page(bank, MentalModel("", SECRET, CUE, folder=folder.name))
        names |= {
            "mental_model_id": ["lamps"],
            "directive_id": [ids.uuid_form(directive.id)],
            "page_id": [page.name],
            "parent_id": [folder.name],
            "node_id": [page.name, folder.name],
        }
    return Stranger(bank, user, memory.id, memory.version_id, names)


def candidates(one: Stranger, tool: Tool, name: str) -> list[Any]:
    """What an argument may be given to reach for a stranger's things."""
    numbers = [form(number) for number in (one.number, one.version) for form in FORMS]
    if name == "id" and "reminder" in tool.name:
        return one.names["reminder"]
    if name in ("id", "memory_id", "operation_id"):
        return [*numbers, *one.names.get("directive_id", [])]
    if name == "memory_ids":
        return [[number] for number in numbers]
    if name == "keypath":
        return ["lamps.oil", "lamps", *numbers, f"rule.{ids.short_form(one.number)}"]
    if name == "phases":
        return [[CUE], ["work"]]
    if name == "document_id":
        return [*one.names["document_id"], *numbers]
    if name in WORDS:
        return [CUE, f"Where does {CUE} keep the lamp oil?"]
    if name == "tags":
        return [[TAG]]
    return list(one.names.get(name, []))


PLAIN: dict[str, Any] = {
    "text": OWN,
    "title": "Tides",
    "body": OWN,
    "content": OWN,
    "value": OWN,
    "messages": OWN,
    "message": OWN,
    "chunk": OWN,
    "name": "Tides",
    "project_id": "pier",
    "cron_expression": "0 8 * * *",
    "bank_id": "default",
    "stream_id": "m00000000001",
    "mental_model_id": "tides",
    "directive_id": ids.uuid_form(1),
    "page_id": "kp-tides",
    "node_id": "kp-tides",
    "source_query": "When is the tide?",
}
# Optional arguments that widen what a tool looks at.
WIDER: dict[str, Any] = {
    "include_deleted": True,
    "include_superseded": True,
    "include_content": True,
    "include_chunks": True,
    "include_source_facts": True,
    "include_based_on": True,
    "include_entities": True,
    "include_disabled": True,
    "recursive": True,
    "all": True,
    "retrieval_strategy": "hybrid_graph",
    "graph_depth": 2,
}
REACHING = (
    "project_id",
    "parent_id",
    "document_id",
    "memory_id",
    "keypath",
    "session_id",
    "tags",
    *WORDS,
)


def attempts(one: Stranger, tool: Tool) -> Iterator[dict[str, Any]]:
    """Calls of a tool that reach for a stranger's things: by what it must be given, and by each
    thing it may be.
    """
    names = [p.name for p in tool.parameters]
    skipped = HANDLES if one.user else ()
    wider = {name: value for name, value in WIDER.items() if name in names}
    required = [p.name for p in tool.parameters if p.required]
    plain: dict[str, Any] = {}
    for name in required:
        found = [] if name in skipped else candidates(one, tool, name)
        assert found or name in PLAIN or name in skipped, f"{tool.name}: no sample for `{name}`"
        plain[name] = found[0] if found else PLAIN.get(name, "m00000000001")
    yield plain
    yield plain | wider
    for name in names:
        if name not in skipped and name in (*required, *REACHING):
            for value in candidates(one, tool, name):
                yield plain | {name: value}
                yield plain | wider | {name: value}


def assert_hidden(client: Client, tool: Tool, given: dict[str, Any]) -> None:
    """A call tells nothing of what is behind the wall. What a caller said may be said back."""
    shown = str(client.result(tool.name, **given))
    for value in given.values():
        shown = shown.replace(str(value), "")
    assert SECRET not in shown, (tool.name, given)


@pytest.fixture(params=["another bank", "another user"])
def other(request: pytest.FixtureRequest, engine: Engine) -> Stranger:
    bank, user = ("elsewhere", "") if request.param == "another bank" else ("default", "ada")
    return stranger(engine, bank, user)


@pytest.mark.parametrize("name", registry.NAMES)
def test_no_tool_shows_or_changes_what_is_behind_the_wall(
    engine: Engine, other: Stranger, name: str
) -> None:
    client = Client(engine, registry.find(name))
    engine.remember("default", Draft(OWN, scope=Scope(project="cellar")))
    before = other.state(engine)
    tried: set[str] = set()
    for tool in client.dialect.tools.values():
        if tool.name == "delete_bank" and other.user:
            continue  # A bank goes as a whole, with everybody in it.
        for given in attempts(other, tool):
            assert_hidden(client, tool, given)
            assert other.state(engine) == before, (tool.name, given)
            tried.add(tool.name)
    assert tried == set(client.dialect.tools) - ({"delete_bank"} if other.user else set())


@pytest.mark.parametrize(
    ("name", "parameter"),
    [(name, parameter) for name, (parameter, _) in registry.BANK_PARAMETERS.items()],
)
def test_a_connection_to_one_bank_cannot_name_another(
    engine: Engine, name: str, parameter: str
) -> None:
    other = stranger(engine, "elsewhere", "")
    client = Client(engine, registry.single_bank(name))
    before = other.state(engine)
    tried: set[str] = set()
    for tool in client.dialect.tools.values():
        for given in attempts(other, tool):
            assert_hidden(client, tool, given | {parameter: "elsewhere"})
            assert other.state(engine) == before, (tool.name, given)
            tried.add(tool.name)
    assert tried == set(client.dialect.tools) > set()


RESOURCES = {
    resource.uri: resource for name in registry.NAMES for resource in registry.find(name).resources
}


def test_two_dialects_have_resources() -> None:
    memories, powermem = registry.find("memories").resources, registry.find("powermem").resources
    assert (len(memories), len(powermem), len(RESOURCES)) == (3, 1, 4)


@pytest.mark.parametrize("uri", RESOURCES)
def test_no_resource_shows_what_is_behind_the_wall(
    engine: Engine, other: Stranger, uri: str
) -> None:
    resource = RESOURCES[uri]
    given = {"id": "cellar"} if "{id}" in uri else {}
    shared = Scope(user=other.user)  # Some resources show only what belongs to no project.
    engine.remember(other.bank, Draft(TEXT, kind="rule", scope=shared))
    engine.remember("default", Draft(OWN, kind="rule"))
    engine.remember("default", Draft(OWN, kind="rule", scope=Scope(project="cellar")))

    told = resource.read(Call(engine, "default"), **given)

    assert SECRET not in told
    assert OWN in told or "total_memories" in told
    if other.bank != "default":  # On its own side of the wall the resource shows it.
        behind = resource.read(Call(engine, other.bank), **given)
        assert SECRET in behind or "total_memories" in behind


def test_other_users_documents_and_tags_are_not_the_owners(engine: Engine) -> None:
    stranger(engine, "default", "ada")
    hindsight = Client(engine, registry.single_bank("hindsight"))
    powermem = Client(engine, registry.find("powermem"))
    said = "Ada stores rope. Ada mends the nets."
    powermem.result("add_memory", messages=said, user_id="ada")
    powermem.result("add_memory", messages="Oil is dear. The pier is wet.")
    before = powermem.result("list_memories", user_id="ada")["structuredContent"]

    listed = hindsight.result("list_documents")["structuredContent"]
    tags = hindsight.result("list_tags")["structuredContent"]
    hindsight.result("clear_memories")

    assert (listed["total"], tags["total"]) == (1, 0)
    assert powermem.result("list_memories", user_id="ada")["structuredContent"] == before
    assert before["count"] == 3
    assert powermem.result("list_memories")["structuredContent"]["count"] == 0


def test_an_operation_for_another_user_does_not_tell_of_what(engine: Engine) -> None:
    memories = Client(engine, registry.find("memories"))
    hindsight = Client(engine, registry.single_bank("hindsight"))
    for _ in range(2):
        memories.result("add_memory", content="Ada stores rope.", user_id="ada")
    winner = ask(memories, "consolidate_memories", user_id="ada")["winners"]
    told = hindsight.result("list_operations")["structuredContent"]
    assert (len(winner), told["total"]) == (1, 1)
    assert winner[0] not in str(told)
    assert ids.uuid_form(ids.parse(winner[0])) not in str(told)


def test_a_named_user_sees_own_and_shared_rows_and_changes_own(engine: Engine) -> None:
    memories = Client(engine, registry.find("memories"))
    powermem = Client(engine, registry.find("powermem"))
    mine = ask(memories, "add_memory", content="Ada stores rope.", user_id="ada")["id"]
    ours = ask(memories, "add_memory", content="Everybody stores rope.")["id"]

    shared = ask(memories, "search_memories", query="rope", user_id="ada")["memories"]
    alone = powermem.result("search_memories", query="rope", user_id="ada")["structuredContent"][
        "results"
    ]

    assert {one["id"] for one in shared} == {mine, ours}
    assert [one["memory"] for one in alone] == ["Ada stores rope."]
    assert memories.result("edit_memory", id=ours, content="x", user_id="ada")["isError"]
    assert memories.result("edit_memory", id=mine, content="x")["isError"]
    assert powermem.result("update_memory", memory_id=ours, content="x", user_id="ada")["isError"]


def test_the_owner_by_name_is_the_owner(engine: Engine) -> None:
    powermem = Client(engine, registry.find("powermem"))
    memories = Client(engine, registry.find("memories"))
    powermem.result("add_memory", messages="The rope is in the loft.", user_id="mcp_user")
    found = ask(memories, "search_memories", query="rope", user_id="mcp_user")["memories"]
    assert [(one["content"], one.get("userId")) for one in found] == [
        ("The rope is in the loft.", None)
    ]


def test_a_project_shows_where_it_should_and_nowhere_else(engine: Engine) -> None:
    memories = Client(engine, registry.find("memories"))
    memstate = Client(engine, registry.find("memstate"))
    memories.result("add_memory", content="The rope is in the loft.", project_id="cellar")

    def seen(**more: str) -> int:
        return len(ask(memories, "search_memories", query="rope", **more)["memories"])

    def found(**more: str) -> int:
        return len(
            memstate.result("memstate_search", query="rope", **more)["structuredContent"]["data"][
                "results"
            ]
        )

    assert (seen(), seen(project_id="cellar"), seen(project_id="pier")) == (0, 1, 0)
    assert (found(), found(project_id="cellar"), found(project_id="pier")) == (1, 1, 0)


def test_marks_of_ours_cannot_be_forged_to_look_through_a_wall(engine: Engine) -> None:
    other = stranger(engine, "default", "ada")
    forged = {"fact": {"mentioned_at": 1, "sources": [other.number]}}
    powermem = Client(engine, registry.find("powermem"))
    memories = Client(engine, registry.find("memories"))
    assert powermem.result("add_memory", messages="A.", memory_type="observation", metadata=forged)[
        "isError"
    ]
    assert memories.result("add_memory", content="A.", metadata=forged)["isError"]
    own = ask(memories, "add_memory", content="A.")["id"]
    assert memories.result("edit_memory", id=own, metadata=forged)["isError"]
    assert powermem.result("update_memory", memory_id=own, content="A.", metadata=forged)["isError"]


def test_a_named_users_context_is_not_written_into_anothers_session(engine: Engine) -> None:
    memories = Client(engine, registry.find("memories"))
    memories.result("add_memory", content=TEXT, type="rule", user_id="bob")
    for user in ("ada", ""):
        session = engine.start_session(
            "default", SessionDraft("Nets", user=user, metadata={"file": "nets.md"})
        )
        handle = {
            "session_id": ids.short_form(session.id),
            "task_completed": True,
            "user_id": "bob",
        }

        told = memories.result("get_context", query="nets", **handle)["content"][0]["text"]

        assert f"Session {ids.short_form(session.id)} not found" in told
        assert engine.list_events("default", session.id) == ()
