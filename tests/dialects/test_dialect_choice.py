"""Which dialect a client gets, and how `connect` describes each."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
from click.testing import CliRunner
from mcp import Client, StdioServerParameters

from commonplace.dialects import catalog, registry
from commonplace.faces.cli.commands.connect import connect
from tests.docs.loading import ROOT, script


def connected(home: Path) -> dict[str, Any]:
    runner = CliRunner(env={"HOME": str(home), "COMMONPLACE_HOME": str(home / "store")})
    return json.loads(runner.invoke(connect, ["cursor", "--json"], catch_exceptions=False).stdout)[
        "entry"
    ]


def test_an_assistant_that_was_given_no_dialect_corrects_and_forgets_one_memory(
    tmp_path: Path,
) -> None:
    entry = connected(tmp_path)
    choice = catalog.choices()[0]
    assert choice.name == registry.DEFAULT
    server = StdioServerParameters(command=entry["command"], args=entry["args"], env={})

    async def journey() -> None:
        with anyio.fail_after(120):
            async with Client(server) as client:

                async def asked(tool: str, **given: object) -> str:
                    answer = await client.call_tool(tool, given)
                    assert not answer.is_error, answer
                    return answer.content[0].text  # pyright: ignore

                await asked("remember", text="Ada's office is room 12.")
                await asked("remember", text="Ben's office is room 31.")
                found = await client.call_tool("recall", {"query": "Where is Ada's office?"})
                (kept,) = [
                    one["id"]
                    for one in found.structured_content["memories"]  # pyright: ignore
                    if "Ada" in one["text"]
                ]
                await asked(choice.correct_tool, id=kept, text="Ada's office is room 14.")
                assert "room 14" in await asked("recall", query="Where is Ada's office?")
                await asked(choice.forget_tool, id=kept)
                assert "room 14" not in await asked("recall", query="Where is Ada's office?")
                assert "room 31" in await asked("recall", query="Where is Ben's office?")

    anyio.run(journey)


def test_the_table_has_every_dialect_with_the_tools_that_correct_and_forget() -> None:
    rows = catalog.choices()

    assert sorted(row.name for row in rows) == sorted(registry.NAMES)
    assert [row.name for row in rows if not row.forget_tool] == []
    assert [row.name for row in rows if not row.correct_tool] == ["vault"], (
        "whose notes are corrected in an editor"
    )


def test_the_readme_the_page_and_the_program_show_the_same_table(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    page = script("connect_page")
    assert page.readme(readme) == readme, "run `make docs`"
    assert page.dialects("reference") in (ROOT / "docs" / "connect.md").read_text(encoding="utf-8")

    program = [sys.executable, "-m", "commonplace", "--home", str(tmp_path), "connect"]
    printed = subprocess.run(program, capture_output=True, text=True, check=True).stdout
    for row in catalog.choices():
        assert "\t".join(row.cells) in printed
        assert f"[{row.name}](docs/reference/dialect-{row.name}.md)" in readme
