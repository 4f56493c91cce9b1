"""memories.sh through real processes: the project of a folder, many writers on one store, and the
rules as files.
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from mcp import Client

import commonplace
from commonplace.app import open_engine
from commonplace.dialects import registry
from commonplace.engine.engine import Engine
from commonplace.errors import Forbidden
from commonplace.faces.cli.command import Shell
from commonplace.faces.cli.commands.rules import rules
from commonplace.settings import load
from tests.dialects.memories_client import Memories
from tests.dialects.requirements import requirement
from tests.faces.http_client import server
from tests.faces.test_stdio_clients import visited

ADDS = 100
MARK = "Written by `commonplace rules` ("


def environment(home: Path) -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith("COMMONPLACE_")
    }
    return kept | {"COMMONPLACE_HOME": str(home)}


def stdio(
    home: Path, folder: Path, calls: list[tuple[str, dict[str, Any]]]
) -> list[dict[str, Any]]:
    """The results of calls to the real program, all sent at once, in the order of the calls."""
    lines = [
        json.dumps(
            {
                "jsonrpc": "2.0",
                "id": place,
                "method": "tools/call",
                "params": {"name": name, "arguments": given},
            }
        )
        for place, (name, given) in enumerate(calls)
    ]
    done = subprocess.run(
        [sys.executable, "-m", "commonplace", "mcp", "--dialect", "memories"],
        cwd=folder,
        env=environment(home),
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [one["result"] for one in sorted(answers, key=lambda one: one["id"])]


def repository(folder: Path, remote: str) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text(
        f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {remote}\n'
    )
    return folder


@requirement("memories:project:git", "memories:project:echo")
def test_on_stdio_the_project_is_that_of_the_folder(home: Path, tmp_path: Path) -> None:
    inside = repository(tmp_path / "repo", "git@github.com:User/Repo.git") / "src" / "deep"
    inside.mkdir(parents=True)
    calls: list[tuple[str, dict[str, Any]]] = [("add_memory", {"content": "Tea here"})]
    (added,) = stdio(home, inside, calls)
    assert "(project: github.com/User/Repo)" in added["content"][0]["text"]
    assert added["structuredContent"]["meta"]["projectId"] == "github.com/User/Repo"
    assert added["structuredContent"]["meta"]["projectSource"] == "git"

    (seen,) = stdio(home, inside, [("list_memories", {})])
    assert len(seen["structuredContent"]["data"]["memories"]) == 1
    assert seen["content"][0]["text"].endswith(
        "Project: github.com/User/Repo (from the git remote)"
    )
    (elsewhere,) = stdio(home, tmp_path, [("list_memories", {})])
    assert elsewhere["structuredContent"] == {"ok": True, "data": {"memories": []}}


@requirement("memories:project:git", "memories:project:echo")
def test_what_a_call_says_wins_over_the_folder(engine: Engine, tmp_path: Path) -> None:
    memories = Memories(engine, str(repository(tmp_path / "r", "https://tok:x@github.com/u/r.git")))

    def project(tool: str, **given: Any) -> tuple[Any, Any]:
        meta = memories.envelope(tool, **given)[0].get("meta", {})
        return meta.get("projectId"), meta.get("projectSource")

    # Who names a project, or none, knows which one it is; who names nothing is told.
    own, other = ("github.com/u/r", "git"), (None, None)
    assert project("add_memory", content="x") == own
    assert project("add_memory", content="x", project_id="p") == other
    assert project("add_memory", content="x", **{"global": True}) == other
    for tool, more in (
        ("get_context", {}),
        ("search_memories", {"query": "x"}),
        ("get_rules", {}),
        ("list_memories", {}),
        ("list_reminders", {}),
        ("run_due_reminders", {}),
        ("consolidate_memories", {"dry_run": True}),
        ("start_session", {}),
        ("start_memory_stream", {}),
        ("add_reminder", {"cron_expression": "* * * * *", "message": "m"}),
    ):
        assert project(tool, **more) == own, tool
        assert project(tool, **more, project_id="p") == other, tool
    # What destroys goes by its filters alone: the page calls project_id one of them.
    assert project("bulk_forget_memories", pattern="x", dry_run=True) == other
    assert memories("bulk_forget_memories", pattern="x", dry_run=True)["count"] == 3


@requirement("memories:crowd:none-lost", "memories:tools:availability")
def test_two_stdio_processes_and_a_server_write_at_once_and_nothing_is_lost(
    home: Path, tmp_path: Path
) -> None:
    def calls(name: str) -> list[tuple[str, dict[str, Any]]]:
        return [("add_memory", {"content": f"{name} {number}"}) for number in range(ADDS)]

    with (
        server(home, "serve", "--port", "0", module="commonplace") as running,
        ThreadPoolExecutor(10) as crowd,
    ):
        pipes = [crowd.submit(stdio, home, tmp_path, calls(name)) for name in ("one", "two")]
        posts = [
            crowd.submit(running.call, "/memories/mcp", name, given)
            for name, given in calls("http")
        ]
        piped = [answer["structuredContent"] for pipe in pipes for answer in pipe.result()]
        posted = [post.result() for post in posts]
        assert len(running.ask("/memories/mcp", "tools/list").json["result"]["tools"]) == 24
    answers = [*piped, *posted]
    assert [one for one in answers if not one["ok"]] == []
    assert len({one["data"]["id"] for one in answers}) == 3 * ADDS
    engine = commonplace.open(home)
    stored = {memory.text for memory in engine.list("default", limit=1_000)}
    assert stored == {
        f"{name} {number}" for name in ("one", "two", "http") for number in range(ADDS)
    }
    engine.db.close()


def test_a_client_with_one_bank_cannot_name_another(engine: Engine) -> None:
    single = registry.single_bank("memories")
    assert all(
        "tenant_id" not in {p.name for p in tool.parameters} for tool in single.tools.values()
    )
    assert len(single.tools) == 24


@pytest.fixture
def written(home: Path, tmp_path: Path) -> Path:
    """A project folder, and a store with rules and a skill for it."""
    engine = open_engine(load({"COMMONPLACE_HOME": str(home)}))
    memories = Memories(engine)
    memories.add("Be kind.\nAlways.", type="rule")
    memories.add(
        "Use nouns",
        type="rule",
        category="api",
        paths=["src/api/**", "src/routes/**"],
        project_id="h.com/u/r",
    )
    memories.add(
        "Use plurals",
        type="rule",
        category="api",
        paths=["src/api/**", "src/routes/**"],
        project_id="h.com/u/r",
    )
    memories.add("Not here", type="rule", project_id="other")
    metadata = {"name": "Deploy it", "description": 'Deploy "now": fast'}
    memories.add("## Deploy\n\n1. Run tests", type="skill", category="deploy", metadata=metadata)
    engine.db.close()
    return repository(tmp_path / "repo", "https://h.com/u/r.git")


def run(home: Path, *args: str) -> Result:
    result = CliRunner().invoke(rules, list(args), obj=Shell(home=str(home)), standalone_mode=False)
    assert result.exception is None, result.exception
    return result


@requirement("memories:rules:command")
@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        (
            "claude",
            {
                ".claude/rules/general.md",
                ".claude/rules/api.md",
                ".claude/skills/deploy-it/SKILL.md",
            },
        ),
        (
            "cursor",
            {
                ".cursor/rules/general.mdc",
                ".cursor/rules/api.mdc",
                ".cursor/skills/deploy-it/SKILL.md",
            },
        ),
        (
            "copilot",
            {
                ".github/copilot-instructions.md",
                ".github/instructions/api.instructions.md",
                ".github/skills/deploy-it/SKILL.md",
            },
        ),
        (
            "windsurf",
            {
                ".windsurf/rules/general.md",
                ".windsurf/rules/api.md",
                ".windsurf/skills/deploy-it/SKILL.md",
            },
        ),
        ("gemini", {"GEMINI.md", ".gemini/skills/deploy-it/SKILL.md"}),
        ("agents", {"AGENTS.md", ".agents/skills/deploy-it/SKILL.md"}),
    ],
)
def test_each_tool_gets_its_own_files(
    home: Path, written: Path, tool: str, expected: set[str]
) -> None:
    run(home, "--for", tool, "--folder", str(written))
    files = {file.relative_to(written).as_posix() for file in written.rglob("*") if file.is_file()}
    assert files - {".git/config"} == expected
    text = "\n".join((written / file).read_text(encoding="utf-8") for file in expected)
    assert text.count(MARK) == len(expected)
    assert "- Be kind.\n  Always." in text
    assert "- Use nouns\n- Use plurals" in text
    assert "src/api/**" in text
    assert 'description: "Deploy \\"now\\": fast"' in text
    assert "Not here" not in text


@pytest.mark.parametrize(
    ("tool", "file", "front"),
    [
        ("claude", ".claude/rules/api.md", 'paths: ["src/api/**", "src/routes/**"]'),
        ("cursor", ".cursor/rules/api.mdc", "globs: src/api/**,src/routes/**\nalwaysApply: false"),
        ("cursor", ".cursor/rules/general.mdc", "globs:\nalwaysApply: true"),
        (
            "copilot",
            ".github/instructions/api.instructions.md",
            'applyTo: "src/api/**,src/routes/**"',
        ),
        ("windsurf", ".windsurf/rules/api.md", 'trigger: "glob"\nglobs: src/api/**,src/routes/**'),
        ("windsurf", ".windsurf/rules/general.md", 'trigger: "always_on"'),
    ],
)
def test_paths_are_told_in_each_tools_own_form(
    home: Path, written: Path, tool: str, file: str, front: str
) -> None:
    run(home, "--for", tool, "--folder", str(written))
    assert f"{front}\n---\n" in (written / file).read_text(encoding="utf-8")


@requirement("memories:rules:command")
def test_files_written_by_hand_stay_and_ours_are_kept_up_to_date(home: Path, written: Path) -> None:
    by_hand = written / "AGENTS.md"
    by_hand.write_text("Mine.\n")
    result = run(home, "--for", "agents", "--folder", str(written))
    assert by_hand.read_text() == "Mine.\n"
    assert "written by hand" in result.stderr
    run(home, "--for", "agents", "--folder", str(written), "--force")
    assert MARK in by_hand.read_text(encoding="utf-8")

    run(home, "--for", "claude", "--folder", str(written))
    again = run(home, "--for", "claude", "--folder", str(written), "--json")
    assert {json.loads(line)["done"] for line in again.stdout.splitlines()} == {"unchanged"}
    engine = open_engine(load({"COMMONPLACE_HOME": str(home)}))
    Memories(engine)("bulk_forget_memories", types=["rule"], pattern="Use*")
    engine.db.close()
    own = written / ".claude" / "rules" / "mine.md"
    own.write_text("Mine.\n")
    dry = run(home, "--for", "claude", "--folder", str(written), "--dry-run")
    assert "would be removed  .claude/rules/api.md" in dry.stdout
    assert (written / ".claude/rules/api.md").exists()
    run(home, "--for", "claude", "--folder", str(written))
    assert not (written / ".claude/rules/api.md").exists()
    assert own.read_text() == "Mine.\n"


RULES = ".claude/rules"


def forget_rules(home: Path, pattern: str) -> None:
    engine = open_engine(load({"COMMONPLACE_HOME": str(home)}))
    Memories(engine)("bulk_forget_memories", types=["rule", "skill"], pattern=pattern)
    engine.db.close()


@requirement("memories:rules:keeps")
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_file_that_a_person_edited_copied_or_linked_is_never_removed(
    home: Path, written: Path, tmp_path: Path, force: tuple[str, ...]
) -> None:
    run(home, "--for", "claude", "--folder", str(written))
    api, copy, old = (written / RULES / name for name in ("api.md", "copy.md", "old.md"))
    api.write_text(api.read_text(encoding="utf-8") + "- My own rule.\n", encoding="utf-8")
    copy.write_bytes((written / RULES / "general.md").read_bytes())
    old.write_text(
        "<!-- Written by `commonplace rules`. An older mark without a digest. -->\n- Kept.\n"
    )
    (written / ".claude" / "skills" / "deploy-it").rename(tmp_path / "shared")
    (written / ".claude" / "skills" / "deploy-it").symlink_to(tmp_path / "shared")
    before = {
        path: path.read_bytes() for path in (api, copy, old, tmp_path / "shared" / "SKILL.md")
    }
    forget_rules(home, "*")

    result = run(home, "--for", "claude", "--folder", str(written), "--yes", *force)

    assert {path: path.read_bytes() for path in before} == before
    assert result.stdout == "removed  .claude/rules/general.md\n"
    assert f"{RULES}/api.md was edited by hand and stays as it is" in result.stderr
    assert result.stderr.count("stays as it is; its rules are gone, so remove it yourself.") == 4


@requirement("memories:rules:keeps")
def test_an_edited_file_whose_rules_remain_is_only_replaced_with_force(
    home: Path, written: Path
) -> None:
    run(home, "--for", "claude", "--folder", str(written))
    api = written / RULES / "api.md"
    ours = api.read_text(encoding="utf-8")
    api.write_text(ours.replace("nouns", "verbs"), encoding="utf-8")

    kept = run(home, "--for", "claude", "--folder", str(written), "--json")
    assert {
        "file": f"{RULES}/api.md",
        "done": "kept",
        "reason": "was edited by hand",
    }.items() <= json.loads(
        next(line for line in kept.stdout.splitlines() if "api.md" in line)
    ).items()
    assert "verbs" in api.read_text(encoding="utf-8")
    run(home, "--for", "claude", "--folder", str(written), "--force")
    assert api.read_text(encoding="utf-8") == ours


@requirement("memories:rules:asks")
def test_removing_many_files_or_all_of_them_needs_a_yes(home: Path, written: Path) -> None:
    run(home, "--for", "claude", "--folder", str(written))
    files = {file: file.read_bytes() for file in (written / ".claude").rglob("*.md")}
    assert len(files) == 3
    # A misspelt project or bank has no rules, and must not cost the files of the right one.
    forget_rules(home, "*")
    args = ("--for", "claude", "--folder", str(written))

    for answer in ("", "n\n"):
        refused = CliRunner().invoke(
            rules, args, obj=Shell(home=str(home)), input=answer, standalone_mode=False
        )
        assert isinstance(refused.exception, click.Abort | Forbidden)
        assert "Remove 3 files whose rules are gone?" in refused.stderr
        assert "to remove  .claude/rules/general.md" in refused.stderr
        assert {file: file.read_bytes() for file in files} == files
    assert run(home, *args, "--yes").stdout.count("removed  ") == 3
    assert not any(file.exists() for file in files)


def test_windsurf_files_are_no_longer_than_it_reads(home: Path, tmp_path: Path) -> None:
    engine = open_engine(load({"COMMONPLACE_HOME": str(home)}))
    for number in range(30):
        Memories(engine).add(f"Rule {number} " + "word " * 100, type="rule")
    engine.db.close()
    run(home, "--for", "windsurf", "--folder", str(tmp_path), "--project", "")
    files = list((tmp_path / ".windsurf" / "rules").iterdir())
    assert len(files) > 1
    assert all(len(file.read_text(encoding="utf-8")) <= 6_000 for file in files)
    assert sum(file.read_text(encoding="utf-8").count("- Rule ") for file in files) == 30


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_official_client_accepts_every_answer(home: Path, mode: str) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("add_memory", {"content": "Use tabs.", "type": "rule", "paths": ["*.go"]}),
        ("add_memory", {"content": "I prefer tea."}),
        ("get_context", {"query": "tea", "retrieval_strategy": "hybrid_graph"}),
        ("search_memories", {"query": "tea"}),
        ("get_rules", {}),
        ("list_memories", {}),
        ("start_session", {"title": "t"}),
        ("consolidate_memories", {"dry_run": True}),
        ("add_reminder", {"cron_expression": "0 9 * * MON", "message": "m"}),
        ("list_reminders", {}),
        ("run_due_reminders", {}),
        ("start_memory_stream", {}),
        ("bulk_forget_memories", {"pattern": "tea"}),
        ("vacuum_memories", {}),
    ]

    async def visit(client: Client) -> None:
        assert len((await client.list_tools()).tools) == 24
        for name, given in calls:
            result = await client.call_tool(name, given)
            assert not result.is_error, result
            assert result.structured_content
            assert result.structured_content["ok"] is True
        failed = await client.call_tool("edit_memory", {"id": "nope", "content": "x"})
        assert failed.is_error
        assert failed.structured_content
        assert failed.structured_content["error"]["code"] == "MEMORY_NOT_FOUND"
        rules_read = await client.read_resource("memories://rules")
        assert "Use tabs." in str(rules_read)

    visited(visit, home, "commonplace.mcp", "--dialect", "memories", mode=mode)
