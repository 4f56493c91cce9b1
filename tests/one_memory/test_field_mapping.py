"""What one dialect wrote comes out of the others as the design maps it, and an edit there takes
nothing away.
"""

from dataclasses import replace
from typing import Any

import pytest

from commonplace.dialects.kinds import MEMORIES, MEMSTATE
from commonplace.engine.engine import Engine
from commonplace.engine.facts.stats import KINDS
from commonplace.records.memory import Draft, Edit, Memory, Scope
from commonplace.reserved_metadata import user_metadata
from commonplace.vault.vault import VAULT_FIELD
from tests.conftest import StoppedClock
from tests.dialects.dialect_client import Client
from tests.one_memory.dialect_clients import ask

DAY_MS = 86_400_000


def only(engine: Engine) -> Memory:
    (memory,) = engine.list("default")
    return memory


def everywhere(
    clients: dict[str, Client], number: int, project: str = ""
) -> dict[str, dict[str, Any]]:
    """A memory as each dialect shows it."""
    where = {"project_id": project} if project else {}
    return {
        "vault": ask(clients["vault"], "memory_search", query="lamp oil")["results"][0],
        "memories": ask(clients["memories"], "list_memories", **where)["memories"][0],
        "memstate": ask(clients["memstate"], "memstate_get", memory_id=str(number))["data"],
        "powermem": ask(clients["powermem"], "get_memory", memory_id=number)["data"],
        "hindsight": ask(clients["hindsight"], "get_memory", memory_id=str(number)),
    }


def test_tags_title_kind_project_and_times_carry_over(
    engine: Engine, clients: dict[str, Client], clock: StoppedClock
) -> None:
    draft = Draft(
        "The lamp oil is in the loft.",
        title="Oil",
        kind="decision",
        tags=("lamps", "loft"),
        metadata={"by": "Ada"},
        category="stores",
        happened_at=clock.now() - DAY_MS,
        scope=Scope(project="pier"),
    )
    memory = engine.remember("default", draft).memory
    born = "2026-09-21T14:13:20.000Z"
    shown = everywhere(clients, memory.id, "pier")

    assert [shown[name]["tags"] for name in ("vault", "memories", "powermem")] == [
        ["lamps", "loft"]
    ] * 3
    # Hindsight has no projects, and its own page names them in tags.
    assert shown["hindsight"]["tags"] == ["lamps", "loft", "project:pier"]
    assert shown["memstate"]["topics"] == ["lamps", "loft"]
    assert (shown["vault"]["title"], shown["memories"]["title"]) == ("Oil", "Oil")
    assert (shown["powermem"]["title"], shown["hindsight"]["context"]) == ("Oil", "stores")
    assert shown["memstate"]["summary"] == "Oil: The lamp oil is in the loft."
    assert (shown["memories"]["type"], shown["memstate"]["category"]) == ("decision", "decision")
    assert (shown["powermem"]["memory_type"], shown["hindsight"]["type"]) == ("decision", "world")
    assert (shown["memories"]["scope"], shown["memstate"]["project_id"]) == ("project", "pier")
    assert [
        shown[name]["metadata"] for name in ("memories", "memstate", "powermem", "hindsight")
    ] == [{"by": "Ada"}] * 4
    assert [shown[name]["created_at"] for name in ("vault", "memstate", "powermem")] == [born] * 3
    assert shown["hindsight"]["mentioned_at"] == born
    assert born.startswith(shown["memories"]["updatedAt"])
    assert shown["hindsight"]["occurred_start"] == "2026-09-20T14:13:20.000Z"
    text = clients["memories"].result("list_memories", project_id="pier")["content"][0]["text"]
    assert "Oil\n    The lamp oil" in text


WRITES: dict[str, tuple[str, dict[str, Any]]] = {
    "vault": (
        "memory_append",
        {"title": "Oil", "body": "The lamp oil is in the loft.", "tags": ["lamps"]},
    ),
    "memories": (
        "add_memory",
        {
            "content": "The lamp oil is in the loft.",
            "type": "skill",
            "tags": ["lamps"],
            "paths": ["src/**"],
            "category": "stores",
            "metadata": {"by": "Ada"},
            "project_id": "pier",
        },
    ),
    "memstate": (
        "memstate_set",
        {
            "project_id": "pier",
            "keypath": "stores.oil",
            "value": "The lamp oil is in the loft.",
            "category": "requirement",
            "topics": ["lamps"],
        },
    ),
    "powermem": (
        "add_memory",
        {
            "messages": "The lamp oil is in the loft.",
            "agent_id": "keeper",
            "run_id": "night",
            "memory_type": "semantic",
            "metadata": {"by": "Ada", "vault": "north"},
        },
    ),
    "hindsight": (
        "sync_retain",
        {
            "content": "On 3 May 2026 the lamp oil went to the loft.",
            "context": "stores",
            "tags": ["lamps"],
            "metadata": {"by": "Ada"},
            "document_id": "log",
        },
    ),
}
EDITS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "memories": [
        ("edit_memory", {"content": "The lamp oil is in the shed."}),
        # A client that sends back everything it was shown, as forms do.
        ("edit_memory", {"content": "The lamp oil is in the hold.", "echo": True}),
    ],
    "memstate": [("memstate_set", {"value": "The lamp oil is in the crypt."})],
    "powermem": [
        ("update_memory", {"content": "The lamp oil is in the attic.", "metadata": {"seen": "yes"}})
    ],
}


@pytest.mark.parametrize("editor", EDITS)
@pytest.mark.parametrize("writer", WRITES)
def test_an_edit_elsewhere_takes_nothing_away(
    engine: Engine, clients: dict[str, Client], writer: str, editor: str, clock: StoppedClock
) -> None:
    tool, given = WRITES[writer]
    ask(clients[writer], tool, **given)
    for name, change in EDITS[editor]:
        before = only(engine)
        words = dict(change)
        if words.pop("echo", False):
            where = {"project_id": before.scope.project} if before.scope.project else {}
            (shown,) = ask(clients[editor], "list_memories", **where)["memories"]
            words |= {
                one: shown[one]
                for one in ("type", "tags", "paths", "category", "metadata")
                if one in shown
            }
        named = {"memories": "id", "memstate": "keypath", "powermem": "memory_id"}[editor]
        where = {"project_id": before.scope.project or "elsewhere"} if editor == "memstate" else {}
        if before.scope.agent and editor == "powermem":
            where = {"agent_id": before.scope.agent}
        clock.advance(1)
        ask(clients[editor], name, **words, **where, **{named: str(before.id)})
        after = only(engine)
        added = words.get("metadata", {}) if editor == "powermem" else {}
        assert after.text == change.get("content", change.get("value"))
        assert after == replace(
            before,
            text=after.text,
            metadata={**before.metadata, **added},
            version=before.version + 1,
            version_id=after.version_id,
            updated_at=after.updated_at,
        )


def test_an_edit_elsewhere_is_a_version_a_changed_file_and_a_changed_fact(
    engine: Engine, clients: dict[str, Client], clock: StoppedClock
) -> None:
    note = ask(clients["vault"], "memory_append", title="Oil", body="The lamp oil is in the loft.")[
        "id"
    ]
    clock.advance(1)
    ask(clients["memories"], "edit_memory", id=note, content="The lamp oil is in the shed.")
    clock.advance(1)
    ask(
        clients["powermem"], "update_memory", memory_id=note, content="The lamp oil is in the hold."
    )

    versions = ask(clients["memstate"], "memstate_history", memory_id=note)["data"]["versions"]
    assert [(one["summary"], one["source"]) for one in versions] == [
        ("Oil: The lamp oil is in the loft.", "vault"),
        ("Oil: The lamp oil is in the shed.", "memories"),
        ("Oil: The lamp oil is in the hold.", "powermem"),
    ]
    ask(clients["vault"], "memory_search", query="oil")
    assert engine.vault
    assert "in the hold." in (engine.vault / "Oil.md").read_text()
    assert (
        ask(clients["hindsight"], "get_memory", memory_id=note)["text"]
        == "The lamp oil is in the hold."
    )


def test_time_travel_shows_the_state_before_an_edit_elsewhere(
    engine: Engine, clients: dict[str, Client]
) -> None:
    ask(clients["memstate"], "memstate_set", project_id="pier", keypath="stores.oil", value="loft")
    number = only(engine).id
    ask(clients["powermem"], "update_memory", memory_id=number, content="shed")
    ask(clients["memories"], "forget_memory", id=str(number))

    def tree(**more: int) -> dict[str, str]:
        return ask(clients["memstate"], "memstate_get", project_id="pier", **more)["data"][
            "memories"
        ]

    assert [tree(at_revision=n) for n in (1, 2, 3)] == [
        {"project.pier.stores.oil": "loft"},
        {"project.pier.stores.oil": "shed"},
        {},
    ]
    assert tree() == {}


def test_a_source_that_a_teller_named_is_not_taken_for_that_of_a_later_edit(
    engine: Engine, clients: dict[str, Client]
) -> None:
    ask(
        clients["memstate"],
        "memstate_remember",
        project_id="pier",
        content="Oil: loft",
        source="meeting",
    )
    ask(clients["memories"], "edit_memory", id=str(only(engine).id), content="shed")
    versions = ask(clients["memstate"], "memstate_history", project_id="pier", keypath="oil")[
        "data"
    ]["versions"]
    assert [one["source"] for one in versions] == ["meeting", "memories"]


@pytest.mark.parametrize(
    "kind", [*MEMORIES.names, *MEMSTATE.names, *KINDS, "semantic", "Ganz Eigenes"]
)
def test_a_kind_shows_as_one_of_a_closed_list_and_is_found_under_that_name(
    engine: Engine, clients: dict[str, Client], kind: str
) -> None:
    memory = engine.remember("default", Draft("The lamp oil is in the loft.", kind=kind)).memory
    engine.remember(
        "default",
        Draft("Apart.", kind="rule" if MEMORIES.display_kind(kind) != "rule" else "skill"),
    )
    shown = MEMORIES.display_kind(kind)
    assert shown in MEMORIES.names
    assert MEMSTATE.display_kind(kind) in MEMSTATE.names
    for given in ({"type": shown}, {"types": [shown]}):
        listed = ask(clients["memories"], "list_memories", **given)["memories"]
        assert [(one["type"], one.get("kind", one["type"])) for one in listed] == [(shown, kind)]
    for category in (kind, MEMSTATE.display_kind(kind)):
        found = ask(
            clients["memstate"], "memstate_search", query="lamp oil", categories=[category]
        )["data"]["results"]
        assert [one["memory"]["category"] for one in found] == [MEMSTATE.display_kind(kind)]
    preview = ask(clients["memories"], "bulk_forget_memories", types=[shown], dry_run=True)
    assert [one["type"] for one in preview["memories"]] == [shown]

    ask(clients["memories"], "edit_memory", id=str(memory.id), type=shown)
    assert engine.get("default", memory.id).kind == kind
    other = "skill" if shown != "skill" else "decision"
    ask(clients["memories"], "edit_memory", id=str(memory.id), type=other)
    assert engine.get("default", memory.id).kind == other


def test_a_key_of_an_agent_is_read_set_and_deleted_like_any_other(
    engine: Engine, clients: dict[str, Client]
) -> None:
    memstate = clients["memstate"]
    for agent in ("night", "day"):
        engine.remember(
            "default", Draft("loft", key="stores.oil", scope=Scope(project="pier", agent=agent))
        )
    ask(memstate, "memstate_set", project_id="pier", keypath="stores.oil", value="shed")
    tree = ask(memstate, "memstate_get", project_id="pier")["data"]["memories"]
    history = ask(memstate, "memstate_history", project_id="pier", keypath="stores.oil")["data"][
        "versions"
    ]

    assert tree == {"project.pier.stores.oil": "shed"}
    assert [one["summary"] for one in history] == ["loft", "shed"]
    assert engine.count("default") == 2
    assert (
        ask(memstate, "memstate_delete", project_id="pier", keypath="stores.oil")["data"][
            "deleted_count"
        ]
        == 2
    )
    assert ask(memstate, "memstate_get", project_id="pier")["data"]["memories"] == {}


def test_what_belongs_to_no_project_is_reached_in_memstate_by_what_a_search_shows(
    engine: Engine, clients: dict[str, Client]
) -> None:
    memstate = clients["memstate"]
    ask(clients["hindsight"], "sync_retain", content="The lamp oil is in the loft.")
    (hit,) = ask(memstate, "memstate_search", query="lamp oil")["data"]["results"]
    where = {"project_id": hit["memory"]["project_id"], "keypath": hit["memory"]["keypath"]}

    ask(memstate, "memstate_set", **where, value="The lamp oil is in the shed.")
    (text,) = ask(memstate, "memstate_get", **where)["data"]["memories"].values()
    assert text == "The lamp oil is in the shed."
    assert ask(memstate, "memstate_history", **where)["data"]["total_versions"] == 2
    assert ask(memstate, "memstate_delete", **where)["data"]["deleted_count"] == 1
    unknown = memstate.result(
        "memstate_set", project_id="pier", keypath="mem_00000000001", value="x"
    )
    assert "There is no memory mem_00000000001" in unknown["content"][0]["text"]
    refused = memstate.result("memstate_set", project_id="", keypath="brand.new", value="x")
    assert "project_id is required" in refused["content"][0]["text"]
    assert engine.count("default") == 0


def test_memstate_tells_of_what_belongs_to_no_project_and_shows_it_as_a_tree(
    clients: dict[str, Client],
) -> None:
    memstate = clients["memstate"]
    assert "without_project" not in ask(memstate, "memstate_get")["data"]
    ask(clients["memories"], "add_memory", content="Trim the wicks.", type="rule")
    ask(clients["memories"], "add_memory", content="Oil is dear.", type="fact")
    ask(clients["memories"], "add_memory", content="Ada's.", type="rule", user_id="ada")

    listed = ask(memstate, "memstate_get")
    answer = ask(memstate, "memstate_get", keypath="rule")
    before = memstate.result("memstate_get", keypath="rule", at_revision=0)
    unknown = memstate.result("memstate_get", keypath="loft")

    assert (
        listed["data"]["total_projects"],
        listed["data"]["without_project"]["memory_count"],
    ) == (0, 2)
    assert answer["operation"] == "memories_by_keypath"
    assert list(answer["data"]["memories"].values()) == ["Trim the wicks."]
    assert "need a project_id" in before["content"][0]["text"]
    assert "need a project_id" in unknown["content"][0]["text"]


def test_a_bare_value_comes_with_its_key_where_a_title_would_stand(
    engine: Engine, clients: dict[str, Client]
) -> None:
    ask(
        clients["memstate"],
        "memstate_set",
        project_id="pier",
        keypath="lamp_oil.place",
        value="loft",
    )
    shown = everywhere(clients, only(engine).id, "pier")

    assert [shown[name]["title"] for name in ("vault", "memories", "powermem")] == [
        "lamp_oil.place"
    ] * 3
    assert (shown["hindsight"]["text"], shown["hindsight"]["context"]) == ("loft", "lamp_oil.place")
    text = clients["memories"].result("list_memories", project_id="pier")["content"][0]["text"]
    assert "lamp_oil.place\n    loft" in text
    ask(
        clients["memstate"],
        "memstate_set",
        project_id="pier",
        keypath="lamp_oil.place",
        value="It is kept in the loft " * 2,
    )
    assert "title" not in ask(clients["powermem"], "get_memory", memory_id=only(engine).id)["data"]
    ask(clients["hindsight"], "sync_retain", content="The tar is in the shed.")
    facts = ask(clients["hindsight"], "recall", query="tar")["results"]
    assert {one["context"] for one in facts} <= {"", "general"}


def test_a_full_keypath_says_which_project_it_means(clients: dict[str, Client]) -> None:
    memstate = clients["memstate"]
    ask(memstate, "memstate_set", project_id="acme/pier.v2", keypath="stores.oil", value="loft")
    whole = "project.acme/pier.v2.stores.oil"

    assert ask(memstate, "memstate_get", keypath=whole)["data"]["memories"] == {whole: "loft"}
    assert ask(memstate, "memstate_history", keypath=whole)["data"]["total_versions"] == 1
    unknown = memstate.result("memstate_get", keypath="project.elsewhere.oil")
    assert (
        "does not begin with a known project. Give its project_id." in unknown["content"][0]["text"]
    )


def test_a_project_and_an_agent_are_tags_in_hindsight_to_be_seen_listed_and_filtered_by(
    clients: dict[str, Client],
) -> None:
    hindsight = clients["hindsight"]
    ask(
        clients["memories"],
        "add_memory",
        content="The lamp oil of the pier is dear.",
        project_id="pier",
    )
    ask(
        clients["memories"],
        "add_memory",
        content="The lamp oil of the quay is cheap.",
        project_id="quay",
        tags=["oil"],
    )
    ask(
        clients["memories"],
        "add_memory",
        content="The lamp oil of Ada is gone.",
        project_id="pier",
        user_id="ada",
    )
    ask(
        clients["powermem"],
        "add_memory",
        messages="The lamp oil is watched by the keeper.",
        agent_id="keeper",
    )
    ask(hindsight, "sync_retain", content="The lamp oil is sold on Mondays.")
    ask(
        hindsight,
        "sync_retain",
        content="The lamp oil of the pier comes by boat.",
        tags=["project:pier"],
    )

    def found(**more: Any) -> set[str]:
        return {
            " ".join(one.get("tags", ()))
            for one in ask(hindsight, "recall", query="lamp oil", **more)["results"]
        }

    assert found() == {"", "project:pier", "oil project:quay", "agent:keeper"}
    assert found(tags=["project:pier"]) == {"", "project:pier"}
    assert found(tags=["project:pier"], tags_match="any_strict") == {"project:pier"}
    assert found(tags=["oil", "project:quay"], tags_match="all_strict") == {"oil project:quay"}
    assert found(tags=["oil"], tags_match="exact") == set()
    assert found(tag_groups=[{"not": {"tags": ["project:pier"]}}]) == {
        "",
        "oil project:quay",
        "agent:keeper",
    }
    listed = ask(hindsight, "list_tags")["items"]
    assert {one["tag"]: one["count"] for one in listed} == {
        **{"project:pier": 2, "project:quay": 1},
        **{"oil": 1, "agent:keeper": 1},
    }
    assert [one["tag"] for one in ask(hindsight, "list_tags", q="project:*")["items"]] == [
        "project:pier",
        "project:quay",
    ]


def test_marks_of_ours_stay_out_of_sight_and_in_place(
    engine: Engine, clients: dict[str, Client]
) -> None:
    note = ask(clients["vault"], "memory_append", title="Oil", body="The lamp oil is in the loft.")[
        "id"
    ]
    before = only(engine).metadata
    assert set(before) == {VAULT_FIELD}
    assert user_metadata(before) == {}
    ask(clients["memories"], "edit_memory", id=note, metadata={"by": "Ada"})
    assert only(engine).metadata == {"by": "Ada", **before}
    ask(clients["memories"], "edit_memory", id=note, metadata=None)
    assert only(engine).metadata == before
    assert clients["memories"].result("edit_memory", id=note, metadata={VAULT_FIELD: "north"})[
        "isError"
    ]
    engine.revise("default", note, Edit(metadata={VAULT_FIELD: "north"}))
    assert user_metadata(only(engine).metadata) == {VAULT_FIELD: "north"}
