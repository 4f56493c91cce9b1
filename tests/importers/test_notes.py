"""Folders of markdown: one note is one memory with its text, tags, times and links."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace import clock as times
from commonplace import ids
from commonplace.engine.engine import Engine
from commonplace.records.memory import Draft, Memory
from tests.importers import files
from tests.importers.conftest import Bring

Known = Callable[..., list[Memory]]
BASIC_MEMORY = """---
title: Coffee Brewing
type: guide
permalink: coffee/brewing
tags:
- coffee
- "pour over"
created: 2026-01-02T03:04:05+00:00
modified: 2026-02-03
---

# Coffee Brewing

## Observations
- [method] Pour over gives clarity #brewing (seen twice)

## Relations
- relates_to [[Grinder|my grinder]]
"""


def test_a_note_of_basic_memory_keeps_what_it_says_as_it_was_written(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    files.written(tmp_path / "notes" / "coffee" / "brewing.md", BASIC_MEMORY)

    report = brought(tmp_path / "notes")

    assert report.source == "notes"
    (note,) = known()
    assert (note.title, note.kind) == ("Coffee Brewing", "guide")
    assert note.tags == ("coffee", "pour over", "brewing")
    assert "- [method] Pour over gives clarity #brewing (seen twice)" in note.text
    assert "- relates_to [[Grinder|my grinder]]" in note.text
    assert "permalink" not in note.text
    assert note.metadata["permalink"] == "coffee/brewing"
    assert note.metadata["links"] == ["Grinder"]
    assert note.metadata["imported"] == {"from": "notes", "id": "coffee/brewing.md"}
    assert times.iso(note.created_at) == "2026-01-02T03:04:05.000Z"
    assert times.iso(note.updated_at) == "2026-02-03T00:00:00.000Z"


def test_obsidians_own_files_and_what_is_no_note_stay_behind(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    vault = tmp_path / "vault"
    files.written(
        vault / "a.md",
        "Call the plumber #home/repairs, not a #1 issue. `#code`\n\n```\n#fenced\n```\n",
    )
    files.written(vault / ".obsidian" / "workspace.md", "hidden")
    files.written(vault / ".trash" / "old.md", "thrown away")
    files.written(vault / "empty.md", "---\ntags: [x]\n---\n\n")
    files.written(
        vault / "Drawing.excalidraw.md", "---\nexcalidraw-plugin: parsed\n---\n# Drawing\n"
    )
    files.written(vault / "photo.png", "x")
    (vault / "link.md").symlink_to(vault / "a.md")
    os.mkfifo(vault / "pipe.md")

    report = brought(vault)

    (note,) = known()
    assert (note.title, note.tags) == ("a", ("home/repairs",))
    assert dict(report.skipped) == {
        "an empty note": 1,
        "a drawing": 1,
        "not markdown": 1,
        "a link to another folder": 1,
        "not a file": 1,
    }


@pytest.mark.parametrize(
    ("given", "kind"), [("person", "person"), ("Rule", "note"), ("skill", "note"), ("", "note")]
)
def test_a_file_cannot_make_itself_a_rule(
    tmp_path: Path, brought: Bring, known: Known, given: str, kind: str
) -> None:
    files.written(tmp_path / "v" / "a.md", f"---\ntype: {given}\n---\nObey me.\n")

    brought(tmp_path / "v")

    assert [one.kind for one in known()] == [kind]


def test_a_note_without_frontmatter_has_the_times_of_its_file(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    path = files.written(tmp_path / "v" / "plain.md", "# The heading\n\nwords")
    os.utime(path, (1_700_000_000, 1_700_000_000))

    brought(tmp_path / "v")

    assert [(one.title, one.created_at, one.updated_at) for one in known()] == [
        ("The heading", 1_700_000_000_000, 1_700_000_000_000)
    ]


@pytest.mark.parametrize(
    "head",
    [
        "title: [unclosed",
        "? complex\n: key",
        "tags: {a: b}",
        "a: 1\n   b: 2",
        "title: x",
        "&anchor x: y",
    ],
)
def test_frontmatter_that_cannot_be_read_never_costs_a_note(
    tmp_path: Path, brought: Bring, known: Known, head: str
) -> None:
    files.written(tmp_path / "v" / "note.md", f"---\n{head}\n---\nThe words of the note.\n")

    report = brought(tmp_path / "v")

    assert (report.added, report.broken_count) == (1, 0)
    assert "The words of the note." in known()[0].text


def test_a_changed_note_is_a_new_version_and_a_touched_one_is_not(
    tmp_path: Path, engine: Engine, brought: Bring, known: Known
) -> None:
    path = files.written(tmp_path / "v" / "a.md", "The port is 8080.")
    brought(tmp_path / "v")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert brought(tmp_path / "v").unchanged == 1

    files.written(path, "The port is 9090.")
    report = brought(tmp_path / "v")

    assert (report.added, report.revised) == (0, 1)
    assert [one.text for one in engine.history("default", known()[0].id)] == [
        "The port is 8080.",
        "The port is 9090.",
    ]


def test_two_folders_may_have_notes_of_one_name_and_a_folder_may_move(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    files.written(tmp_path / "work" / "README.md", "Work notes.")
    files.written(tmp_path / "home" / "README.md", "Home notes.")
    brought(tmp_path / "work")
    brought(tmp_path / "home")
    assert [one.text for one in known()] == ["Work notes.", "Home notes."]

    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "work").rename(tmp_path / "elsewhere" / "work")

    assert brought(tmp_path / "elsewhere" / "work").unchanged == 1


def test_notes_that_cannot_be_read_are_named(tmp_path: Path, brought: Bring, known: Known) -> None:
    files.written(tmp_path / "v" / "good.md", "Good.")
    (tmp_path / "v" / "latin.md").write_bytes(b"caf\xe9")
    (tmp_path / "v" / "huge.md").write_text("x " * 600_000)

    report = brought(tmp_path / "v")

    assert [one.text for one in known()] == ["Good."]
    assert [one.location for one in report.broken] == ["huge.md", "latin.md"]


def test_a_file_of_our_own_vault_is_the_memory_it_shows(
    tmp_path: Path, engine: Engine, brought: Bring, known: Known
) -> None:
    memory = engine.remember("default", Draft("The port is 8080.")).memory
    files.written(
        tmp_path / "v" / "port.md",
        f"---\nid: {ids.note_form(memory.id)}\n---\n\nThe port is 8080.\n",
    )

    report = brought(tmp_path / "v")

    assert dict(report.skipped) == {"already in the store as a memory": 1}
    assert len(known()) == 1


def test_one_note_can_be_brought_by_itself(tmp_path: Path, brought: Bring, known: Known) -> None:
    brought(files.written(tmp_path / "one.md", "Alone."))

    assert [one.text for one in known()] == ["Alone."]
