"""The plugins are what the table of hook clients says, and what the clients can read."""

import json
import re
import zipfile
from pathlib import Path

import pytest

import commonplace
from commonplace.engine.hooks.hook_clients import EVENTS, hook_client
from tests.docs.loading import ROOT, script

plugins = script("plugins")
FILES: dict[str, str] = plugins.files()
HOOKS = {
    "claude-code": "plugins/claude-code/hooks/hooks.json",
    "codex": "plugins/codex/hooks/codex-hooks.json",
    "cursor": "plugins/cursor/hooks/cursor-hooks.json",
    "gemini": "plugins/gemini/hooks/hooks.json",
}


@pytest.mark.parametrize("path", sorted(FILES))
def test_every_file_is_what_the_table_says(path: str) -> None:
    assert (ROOT / path).read_text(encoding="utf-8") == FILES[path], "run `make docs`"


def test_no_file_is_left_that_the_table_does_not_make() -> None:
    found = {
        one.relative_to(ROOT).as_posix() for one in plugins.PLUGINS.rglob("*") if one.is_file()
    }
    assert found == {path for path in FILES if path.startswith("plugins/")}


@pytest.mark.parametrize("client", sorted(HOOKS))
def test_the_hooks_of_a_plugin_run_every_event_of_its_client(client: str) -> None:
    hooks = json.loads(FILES[HOOKS[client]])["hooks"]

    assert list(hooks) == list(hook_client(client).events.values())
    for event in EVENTS:
        command = f"commonplace hook {event} --client {client}"
        assert command in json.dumps(hooks[hook_client(client).events[event]])


def test_every_place_that_a_manifest_names_exists() -> None:
    for path, text in FILES.items():
        if path.endswith("plugin.json"):
            root = (ROOT / path).parent
            root = root.parent if root.name.startswith(".") else root
            for place in re.findall(r'"(\./[^"]*)"', text):
                assert (root / place).exists(), f"{path}: {place}"
    marketplace = json.loads(FILES[".claude-plugin/marketplace.json"])
    assert all((ROOT / one["source"]).is_dir() for one in marketplace["plugins"])


def test_versions_and_names_are_those_of_the_package() -> None:
    for path, text in FILES.items():
        if path.endswith(".json"):
            versions = set(re.findall(r'"version": "([^"]*)"', text))
            assert versions <= {commonplace.__version__}, path
    name = json.loads(FILES["server.json"])["name"]
    assert f"<!-- mcp-name: {name} -->" in (ROOT / "README.md").read_text()


def test_an_agent_plugin_has_only_the_fields_of_its_closed_schema() -> None:
    allowed = {"$schema", "name", "version", "description", "author", "homepage", "repository"}
    allowed |= {"license", "keywords", "extensions"}
    assert set(json.loads(FILES["plugins/agent/plugin.json"])) <= allowed


def test_the_skill_fits_the_limits_of_skills() -> None:
    head = plugins.SKILL.split("---\n")[1]
    fields = dict(line.split(": ", 1) for line in head.strip().splitlines())

    assert re.fullmatch(r"[a-z0-9-]{1,64}", fields["name"])
    assert len(fields["description"]) <= 1_024


def test_the_bundle_is_a_zip_with_its_manifest(tmp_path: Path) -> None:
    target = tmp_path / "commonplace.mcpb"
    plugins.pack(target)

    with zipfile.ZipFile(target) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    assert manifest["manifest_version"] == "0.3"
    assert manifest["server"]["mcp_config"]["args"] == ["mcp", "--dialect", "commonplace"]
