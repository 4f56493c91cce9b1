"""memories.sh, PowerMem and mem0: rows become memories with all their fields."""

import hashlib
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from commonplace import clock as times
from commonplace.engine.engine import Engine
from commonplace.records.memory import Edit, Memory, Scope
from tests.importers import files
from tests.importers.conftest import Bring

Known = Callable[..., list[Memory]]


def test_a_memory_of_memories_sh_keeps_everything_it_says(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    project = {"scope": "project", "project_id": "github.com/acme/app", "metadata": '{"skill": 1}'}
    files.memories_sh(tmp_path / "local.db", files.RULE | project).close()

    brought(tmp_path / "local.db")

    (rule,) = known()
    assert (rule.text, rule.kind, rule.category) == ("Use pnpm, never npm", "rule", "pkg")
    assert (rule.tags, rule.paths) == (("tools", "js"), ("src/**/*.ts", "*.js"))
    assert rule.scope == Scope(project="github.com/acme/app")
    assert rule.metadata == {"skill": 1, "imported": {"from": "memories", "id": "tMqt2KwffoRX"}}
    assert times.iso(rule.created_at) == "2026-03-01T10:00:00.000Z"
    assert times.iso(rule.updated_at) == "2026-03-02T10:00:00.000Z"


def test_what_was_deleted_or_has_expired_there_does_not_come_back(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    gone = {"id": "a", "content": "Gone", "deleted_at": "2026-03-03 10:00:00"}
    with closing(files.memories_sh(tmp_path / "local.db", gone)) as connection, connection:
        connection.execute("alter table memories add column expires_at TEXT")
        connection.execute(
            "insert into memories (id, content, expires_at) values ('b', 'Over',"
            " '2026-01-01T00:00:00Z')"
        )

    report = brought(tmp_path / "local.db")

    assert (known(), report.added) == ([], 0)
    assert dict(report.skipped) == {"deleted in the source": 1, "expired in the source": 1}


def test_the_export_finds_what_the_database_brought_and_takes_nothing_away(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    files.memories_sh(tmp_path / "local.db", files.RULE).close()
    row = {
        "id": "tMqt2KwffoRX",
        "content": "Use pnpm, never npm",
        "type": "rule",
        "tags": ["tools", "js"],
    } | {
        "scope": "global",
        "created_at": "2026-03-01 10:00:00",
    }
    exported = {
        "version": "1.0",
        "exported_at": "x",
        "project_id": "github.com/acme/app",
        "memories": [row],
    }
    brought(tmp_path / "local.db")

    report = brought(files.written(tmp_path / "export.json", exported))

    assert (report.added, report.revised, report.unchanged) == (0, 0, 1)
    (rule,) = known()
    assert (rule.category, rule.paths, rule.version) == ("pkg", ("src/**/*.ts", "*.js"), 1)


def test_the_yaml_export_says_the_same_as_the_json_one(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    text = """version: "1.0"
exported_at: 2026-11-15T13:39:02.617Z
project_id: github.com/acme/app
memories:
  - id: g8ci3lCDIe9_
    content: "We chose SQLite: one file"
    type: decision
    tags: []
    scope: global
    created_at: 2026-11-15 13:38:54
  - id: tNVTMCn4qVSR
    content: |-
      Ports:

        - 8080
    type: fact
    tags:
      - infra
    scope: project
    created_at: 2026-11-15 13:38:55
"""
    report = brought(files.written(tmp_path / "export.yaml", text))

    assert report.added == 2
    first, second = known()
    assert (first.text, first.kind, first.scope.project) == (
        "We chose SQLite: one file",
        "decision",
        "",
    )
    assert (second.text, second.tags) == ("Ports:\n\n  - 8080", ("infra",))
    assert second.scope.project == "github.com/acme/app"


def test_a_file_that_its_program_is_writing_to_is_read_whole_and_left_alone(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    path = tmp_path / "local.db"
    with closing(
        files.memories_sh(path, {"id": "a", "content": "Flushed"}, wal=True)
    ) as connection:
        connection.execute("insert into memories (id, content) values ('b', 'Only in the log')")
        connection.commit()
        connection.execute("begin immediate")
        connection.execute("insert into memories (id, content) values ('c', 'Not committed')")
        before = {
            file.name: hashlib.sha256(file.read_bytes()).hexdigest()
            for file in tmp_path.glob("local.db*")
        }

        brought(path)

        after = {
            file.name: hashlib.sha256(file.read_bytes()).hexdigest()
            for file in tmp_path.glob("local.db*")
        }
    assert {memory.text for memory in known()} == {"Flushed", "Only in the log"}
    assert after == before


def test_a_file_in_rollback_mode_can_be_read_while_it_is_locked(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    path = tmp_path / "local.db"
    with closing(files.memories_sh(path, {"id": "a", "content": "Kept"})) as connection:
        connection.execute("begin exclusive")
        connection.execute("update memories set content = 'Half done'")
        brought(path)
    assert [memory.text for memory in known()] == ["Kept"]
    assert [file.name for file in tmp_path.glob("local.db*")] == ["local.db"]


def test_what_changed_there_is_a_new_version_here(
    tmp_path: Path, engine: Engine, brought: Bring, known: Known
) -> None:
    path = tmp_path / "local.db"
    files.memories_sh(path, files.RULE).close()
    brought(path)
    files.memories_sh(
        path, files.RULE | {"content": "Use bun", "updated_at": "2026-04-01 00:00:00"}
    ).close()

    report = brought(path)

    assert (report.added, report.revised) == (0, 1)
    (rule,) = known()
    assert (rule.text, rule.version, times.iso(rule.updated_at)) == (
        "Use bun",
        2,
        "2026-04-01T00:00:00.000Z",
    )
    assert [version.text for version in engine.history("default", rule.id)] == [
        "Use pnpm, never npm",
        "Use bun",
    ]


def test_an_edit_made_here_stays_while_the_source_says_the_same(
    tmp_path: Path, engine: Engine, brought: Bring, known: Known
) -> None:
    files.memories_sh(tmp_path / "local.db", files.RULE).close()
    brought(tmp_path / "local.db")
    engine.revise("default", known()[0].id, Edit(text="Use pnpm 9"))

    report = brought(tmp_path / "local.db")

    assert report.unchanged == 1
    assert [memory.text for memory in known()] == ["Use pnpm 9"]


@pytest.mark.parametrize("verb", ["forget", "purge"])
def test_what_was_forgotten_here_is_not_brought_back(
    tmp_path: Path, engine: Engine, brought: Bring, known: Known, verb: str
) -> None:
    path = tmp_path / "local.db"
    files.memories_sh(path, files.RULE).close()
    brought(path)
    getattr(engine, verb)("default", [known()[0].id])
    files.memories_sh(path, files.RULE | {"content": "Use bun"}).close()

    report = brought(path)

    assert known() == []
    assert dict(report.skipped) == {
        "forgotten in the store" if verb == "forget" else "erased from the store": 1
    }


def test_powermem_keeps_whose_a_memory_is_and_drops_its_own_bookkeeping(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    whose = {"user_id": "alice", "agent_id": "a1", "run_id": "r1", "category": "food"}
    metadata = {"importance": "high", "tags": ["drink"]}
    files.powermem(
        tmp_path / "pm.db", files.powermem_payload("Likes coffee", **whose, metadata=metadata)
    )

    report = brought(tmp_path / "pm.db")

    (memory,) = known()
    assert memory.scope == Scope(user="alice", agent="a1", run="r1")
    assert (memory.text, memory.category, memory.tags) == ("Likes coffee", "food", ("drink",))
    assert set(memory.metadata) == {"importance", "tags", "imported"}
    assert times.iso(memory.created_at) == "2026-08-01T13:42:06.726Z"
    assert dict(report.users) == {"alice": 1}


def test_powermems_unnamed_user_is_the_owner(tmp_path: Path, brought: Bring, known: Known) -> None:
    files.powermem(
        tmp_path / "pm.db",
        files.powermem_payload("Port 8080", user_id="mcp_user"),
        table="my collection",
    )

    brought(tmp_path / "pm.db")

    assert [memory.scope for memory in known()] == [Scope()]


def test_a_user_who_turns_out_to_be_the_owner_moves_once_and_never_back(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    files.powermem(tmp_path / "pm.db", files.powermem_payload("Likes coffee", user_id="alice"))
    brought(tmp_path / "pm.db")

    moved = brought(tmp_path / "pm.db", owners=("alice",))
    again = brought(tmp_path / "pm.db", owners=("alice",))
    without = brought(tmp_path / "pm.db")

    assert (moved.moved, again.unchanged, without.unchanged) == (1, 1, 1)
    assert [(memory.text, memory.scope.user) for memory in known()] == [("Likes coffee", "")]


def test_broken_rows_are_named_and_the_others_taken(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    rows: list[Any] = [
        files.powermem_payload("Good"),
        "{not json",
        files.powermem_payload("   "),
        "{}",
    ]
    files.powermem(tmp_path / "pm.db", *rows, files.powermem_payload("Also good"))
    with closing(sqlite3.connect(tmp_path / "pm.db")) as connection, connection:
        connection.execute("insert into memories (id, payload) values (5, cast(x'ff7b7d' as text))")

    report = brought(tmp_path / "pm.db")

    assert [memory.text for memory in known()] == ["Good", "Also good"]
    assert report.broken_count == 4
    assert {one.location.split()[0] for one in report.broken} == {"memories"}
    assert "memories row 5" in [one.location for one in report.broken]


def test_a_backup_of_powermem_can_be_brought_too(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    item = {
        "id": 777166475130568704,
        "memory": "Likes tea",
        "user_id": "mcp_user",
        "agent_id": None,
        "metadata": {},
    }
    backup = {"version": "1.0", "source": "powermem-cli", "count": 1, "memories": [item]}
    files.powermem(tmp_path / "pm.db", files.powermem_payload("Likes tea", user_id="mcp_user"))

    assert brought(files.written(tmp_path / "b.json", backup)).added == 1
    assert brought(tmp_path / "pm.db").added == 0
    assert [memory.text for memory in known()] == ["Likes tea"]


@pytest.mark.parametrize("shape", ["list", "results", "lines of an answer"])
def test_mem0_is_taken_in_every_shape_it_gives_out(
    tmp_path: Path, brought: Bring, known: Known, shape: str
) -> None:
    item = {
        "id": "u-1",
        "memory": "Works at TechCorp",
        "hash": "x",
        "user_id": "dev",
        "app_id": "crm",
        "score": 0.4,
    } | {
        "metadata": {"type": "professional", "hash": "y"},
        "categories": ["work"],
        "created_at": "2025-01-02T03:04:05-07:00",
        "updated_at": None,
    }
    over = {"id": "u-2", "memory": "Old", "expiration_date": "2025-01-01"}
    wrapped: Any = {
        "list": [item, over],
        "results": {"results": [item, over], "relations": []},
    }.get(shape, {"count": 2, "next": None, "results": [item, over]})
    path = files.written(tmp_path / "mem0.json", json.dumps(wrapped, indent=2))

    report = brought(path)

    (memory,) = known()
    assert (memory.text, memory.tags, memory.scope) == (
        "Works at TechCorp",
        ("work",),
        Scope("crm", "dev"),
    )
    assert memory.metadata == {"type": "professional", "imported": {"from": "mem0", "id": "u-1"}}
    assert times.iso(memory.created_at) == "2025-01-02T10:04:05.000Z"
    assert dict(report.skipped) == {"expired in the source": 1}


def test_the_history_of_mem0_gives_the_last_word_on_each_memory(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    files.mem0_history(
        tmp_path / "history.db",
        ("m1", None, "Likes tea", "ADD", "2025-01-02T03:04:05+00:00", None, 0),
        ("m2", None, "Gone", "ADD", "2025-01-02T03:04:05+00:00", None, 0),
        (
            "m1",
            "Likes tea",
            "Likes coffee",
            "UPDATE",
            "2025-01-02T03:04:05+00:00",
            "2025-02-02T03:04:05+00:00",
            0,
        ),
        ("m2", "Gone", None, "DELETE", None, None, 1),
    )

    report = brought(tmp_path / "history.db")

    (memory,) = known()
    assert (memory.text, times.iso(memory.created_at)) == (
        "Likes coffee",
        "2025-01-02T03:04:05.000Z",
    )
    assert times.iso(memory.updated_at) == "2025-02-02T03:04:05.000Z"
    assert dict(report.skipped) == {"deleted in the source": 1}


def openmemory(**more: Any) -> dict[str, Any]:
    """What a backup of OpenMemory has in its memories.json, with one memory that was deleted."""
    memory = {
        "id": "m-1",
        "user_id": "u-1",
        "app_id": "a-1",
        "content": "Prefers window seats",
        "metadata": {"n": 1},
    } | {
        **{
            "state": "active",
            "created_at": "2025-05-01T10:00:00+00:00",
            "updated_at": None,
            "deleted_at": None,
        },
        "category_ids": ["c-1"],
    }
    return {
        "user": {"id": "u-1", "user_id": "ada", "name": "Ada"},
        "apps": [{"id": "a-1", "name": "cursor"}],
        "categories": [{"id": "c-1", "name": "travel"}],
        "memories": [memory | more, memory | {"id": "m-2", "state": "deleted"}],
        "export_meta": {"version": "1"},
    }


@pytest.mark.parametrize("form", ["zip", "file", "lines"])
def test_a_backup_of_openmemory_is_taken_with_the_names_of_its_numbers(
    tmp_path: Path, brought: Bring, known: Known, form: str
) -> None:
    line = {
        "id": "m-1",
        "content": "Prefers window seats",
        "metadata": {"n": 1},
        "state": "active",
    } | {
        **{
            "created_at": "2025-05-01T10:00:00+00:00",
            "updated_at": None,
            "app": "cursor",
            "categories": ["travel"],
        },
    }
    match form:
        case "zip":
            path = files.zipped(tmp_path / "memories_export_ada.zip", memories=openmemory())
        case "file":
            path = files.written(tmp_path / "memories.json", openmemory())
        case _:
            path = files.written(
                tmp_path / "m.jsonl",
                f"{json.dumps(line)}\n{json.dumps(line | {'state': 'deleted'})}\n",
            )

    report = brought(path)
    again = brought(path, owners=("ada",))

    (memory,) = known()
    assert (report.source, report.added, dict(report.skipped)) == (
        "mem0",
        1,
        {"deleted in the source": 1},
    )
    assert (memory.text, memory.tags, memory.scope) == (
        "Prefers window seats",
        ("travel",),
        Scope(agent="cursor"),
    )
    assert memory.metadata == {"n": 1, "imported": {"from": "mem0", "id": "m-1"}}
    assert (again.moved, again.unchanged) == ((0, 1) if form == "lines" else (1, 0))
