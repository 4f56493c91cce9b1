"""The knowledge graph, Memstate and Hindsight: statements with keys, relations and documents."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonplace import clock as times
from commonplace.engine.engine import Engine
from commonplace.engine.facts.fact_metadata import fact_metadata_of
from commonplace.engine.facts.retain_request import RetainRequest
from commonplace.errors import Invalid
from commonplace.records.memory import Draft, Memory, Scope
from commonplace.records.query import Filter
from tests.importers import files
from tests.importers.conftest import Bring

Known = Callable[..., list[Memory]]
GRAPH: list[dict[str, Any]] = [
    {
        "type": "entity",
        "name": "Ada",
        "entityType": "person",
        "observations": ["Prefers tea", "Ada lives in Oslo"],
    },
    {"type": "entity", "name": "Babbage", "entityType": "person", "observations": []},
    {"type": "relation", "from": "Ada", "to": "Engine", "relationType": "works_on"},
]


@pytest.mark.parametrize("form", ["lines", "one object", "list"])
def test_every_observation_and_relation_is_a_statement_of_its_own(
    tmp_path: Path, brought: Bring, known: Known, form: str
) -> None:
    kinds = {kind: [one for one in GRAPH if one["type"] == kind] for kind in ("entity", "relation")}
    text = {
        "lines": "\n".join(json.dumps(one) for one in GRAPH),
        "one object": json.dumps(
            {"entities": kinds["entity"], "relations": kinds["relation"]}, indent=2
        ),
        "list": json.dumps(GRAPH),
    }[form]

    report = brought(files.written(tmp_path / "memory.json", text))

    assert report.source == "graph"
    assert [(one.text, one.kind, one.category) for one in known()] == [
        ("Ada: Prefers tea", "fact", "person"),
        ("Ada lives in Oslo", "fact", "person"),
        ("Babbage: person", "fact", "person"),
        ("Ada works on Engine", "fact", "relation"),
    ]


def test_a_new_observation_comes_in_without_the_known_ones_again(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    path = files.written(tmp_path / "memory.jsonl", "\n".join(json.dumps(one) for one in GRAPH))
    brought(path)
    more = GRAPH[0] | {"observations": ["Prefers tea", "Ada lives in Oslo", "Plays the harp"]}
    files.written(
        path,
        "\n".join(["{broken", json.dumps(more), json.dumps({"type": "relation", "from": "Ada"})]),
    )

    report = brought(path)

    assert (report.added, report.unchanged) == (1, 2)
    assert [(one.location, one.reason) for one in report.broken] == [
        ("line 1", "it is not JSON"),
        ("line 3", "it does not say what is related to what"),
    ]
    assert [one.text for one in known()][-1] == "Ada: Plays the harp"


def memstate(keypath: str, content: str, **more: Any) -> dict[str, Any]:
    """A memory as Memstate's tools and API give it."""
    return {
        "id": f"uuid-{keypath}-{more.get('version', 1)}",
        "content": content,
        "summary": content[:20],
        "keypath": f"project.my-app.{keypath}",
        "category": "decision",
        "project_id": "my-app",
        "topics": ["auth"],
        "version": 1,
        "is_latest": True,
        "is_deleted": False,
        "source": "agent",
        "created_at": "2026-03-12T10:00:00.123456Z",
        "updated_at": "2026-03-13T10:00:00.123456Z",
    } | more


@pytest.mark.parametrize("form", ["list", "lines", "browse", "tool", "map"])
def test_a_keypath_of_memstate_is_the_same_key_here(
    tmp_path: Path, engine: Engine, brought: Bring, known: Known, form: str
) -> None:
    rows = [memstate("auth.token-life", "15 minutes"), memstate("auth.gone", "", is_deleted=True)]
    value: Any = {
        "list": rows,
        "lines": "\n".join(json.dumps(row) for row in rows),
        "browse": {"memories": rows, "total_found": 2},
        "tool": {"ok": True, "data": {"full_memory": rows[0]}},
        "map": {
            "ok": True,
            "data": {
                "memories": {"x": "15"},
                "full_memories": {row["keypath"]: row for row in rows},
            },
        },
    }[form]

    report = brought(files.written(tmp_path / "memstate.json", value))

    assert report.source == "memstate"
    (memory,) = known()
    assert (memory.key, memory.text, memory.kind, memory.tags) == (
        "auth.token_life",
        "15 minutes",
        "decision",
        ("auth",),
    )
    assert memory.scope == Scope(project="my-app")
    assert memory.metadata["source"] == "agent"
    assert times.iso(memory.updated_at) == "2026-03-13T10:00:00.123Z"
    assert engine.find_key("default", memory.scope, "auth.token_life") is not None


def test_of_several_versions_the_newest_is_taken(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    rows = [
        memstate("db", "PostgreSQL 15", version=1, is_latest=False),
        memstate("db", "PostgreSQL 17", version=3),
        memstate("db", "PostgreSQL 16", version=2),
    ]

    report = brought(files.written(tmp_path / "memstate.json", rows))

    assert [one.text for one in known()] == ["PostgreSQL 17"]
    assert dict(report.skipped) == {"an earlier version": 2}


def test_a_key_that_was_set_here_later_keeps_its_value(
    tmp_path: Path, engine: Engine, brought: Bring, known: Known
) -> None:
    scope = Scope(project="my-app")
    engine.remember("default", Draft("Newer", key="db", scope=scope))

    report = brought(files.written(tmp_path / "memstate.json", [memstate("db", "Older")]))

    assert [one.text for one in known()] == ["Newer"]
    assert dict(report.skipped) == {"changed in the store since the last import": 1}


FACT: dict[str, Any] = {
    "text": "Alice works at Google as an engineer.",
    "source_id": "f-1",
    "fact_type": "world",
    "context": "career",
    "occurred_start": "2026-01-05T00:00:00Z",
    "occurred_end": "2026-01-06T00:00:00Z",
    "mentioned_at": "2026-02-01T00:00:00Z",
    "metadata": {"channel": "mail"},
    "tags": ["team"],
    "chunk_index": 0,
    "entities": ["Alice", "Google"],
    "created_at": "2026-02-02T00:00:00Z",
}
DOCUMENT: dict[str, Any] = {
    "id": "mail-1",
    "original_text": "Alice works at Google as an engineer.",
    "retain_params": {"context": "career"},
    "tags": ["team"],
    "created_at": "2026-02-02T00:00:00Z",
    "chunks": [],
    "facts": [FACT],
}


def test_a_bank_of_hindsight_keeps_documents_facts_and_observations(
    tmp_path: Path, engine: Engine, brought: Bring, known: Known
) -> None:
    observation = {
        "text": "Alice is at Google.",
        "source_id": "o-1",
        "proof_count": 2,
        "tags": ["team"],
    }
    files.hindsight(
        tmp_path / "bank.zip",
        DOCUMENT,
        observations=[observation],
        directives=[
            {
                "name": "Tone",
                "content": "Answer kindly.",
                "priority": 2,
                "is_active": True,
                "tags": [],
            }
        ],
        mental_models=[
            {
                "id": "who",
                "name": "Who is who",
                "source_query": "Who works where?",
                "tags": ["team"],
            }
        ],
        data__invalidated_memory_units=[{"text": "Bob left."}],
    )

    report = brought(tmp_path / "bank.zip")

    assert (report.source, report.added, report.documents, report.bank_items) == (
        "hindsight",
        2,
        1,
        2,
    )
    assert report.skipped["invalidated in the source"] == 1
    fact, seen = known()
    assert (fact.kind, fact.tags, fact.category) == ("world", ("team",), "career")
    assert (times.iso(fact.happened_at or 0), times.iso(fact.created_at)) == (
        "2026-01-05T00:00:00.000Z",
        "2026-02-02T00:00:00.000Z",
    )
    assert (seen.kind, seen.text) == ("observation", "Alice is at Google.")
    document = engine.get_document("default", "mail-1")
    assert (document.text, fact.document_id) == (DOCUMENT["original_text"], document.id)
    assert fact_metadata_of(fact).entities == ("Alice", "Google")
    assert fact_metadata_of(fact).documents == (document.id,)
    assert [one.text for one in engine.list_directives("default")] == ["Answer kindly."]
    assert [one.query for one in engine.list_mental_models("default")] == ["Who works where?"]
    again = brought(tmp_path / "bank.zip")
    assert (again.unchanged, again.documents, again.bank_items) == (5, 0, 0)


def test_a_fact_told_again_here_is_the_imported_one(
    tmp_path: Path, engine: Engine, brought: Bring
) -> None:
    files.hindsight(tmp_path / "bank.zip", DOCUMENT)
    brought(tmp_path / "bank.zip")

    engine.retain(
        "default",
        RetainRequest("Alice works at Google as an engineer.", name="mail-2", tags=("team",)),
    )

    assert engine.count("default", Filter(kinds=("world", "experience"))) == 1


def test_a_newer_export_of_hindsight_is_refused_before_anything_is_read(
    tmp_path: Path, brought: Bring
) -> None:
    files.zipped(tmp_path / "bank.zip", manifest={"schema_version": 9, "source_bank_id": "work"})

    with pytest.raises(Invalid, match="format 9"):
        brought(tmp_path / "bank.zip")
