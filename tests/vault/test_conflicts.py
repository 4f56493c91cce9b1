"""When a person and an agent edit the same note, the text of both stays visible."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from commonplace.engine.engine import Engine
from commonplace.faces.cli.command import Shell
from commonplace.faces.cli.commands.maintenance import doctor
from commonplace.faces.cli.commands.vault import vault as vault_command
from commonplace.records.memory import Edit
from commonplace.vault.memory_to_file import catch_up_files
from commonplace.vault.sync import sync
from commonplace.vault.vault import Vault, vault_of
from tests.conftest import StoppedClock
from tests.vault.note_files import BY, edit, files, kept, known

LIST = "Buy oil.\n\nCall Ada.\n\nMend the sail."


@pytest.fixture
def vault(engine: Engine) -> Vault:
    return vault_of(engine)


def revised(vault: Vault, number: int, text: str) -> None:
    vault.engine.revise("default", number, Edit(text=text), BY)


def conflict_files(vault: Vault) -> dict[str, str]:
    return {name: text for name, text in files(vault).items() if "conflicted copy" in name}


def test_changes_of_different_lines_are_merged(vault: Vault) -> None:
    memory = kept(vault, "List", LIST)
    revised(vault, memory.id, LIST.replace("Buy oil.", "Buy more oil."))
    edit(vault, "List.md", "Mend the sail.", "Mend the sail.\n\nPaint the hull.")
    report = sync(vault)
    merged = "Buy more oil.\n\nCall Ada.\n\nMend the sail.\n\nPaint the hull."
    assert vault.engine.get("default", memory.id).text == merged
    assert files(vault)["List.md"].endswith(f"\n\n{merged}\n")
    assert (report.conflicts, conflict_files(vault)) == ([], {})
    assert sync(vault, full=True).changed == 0


def test_the_same_line_stays_as_the_person_wrote_it_and_the_agents_text_lies_beside(
    vault: Vault, home: Path
) -> None:
    memory = kept(vault, "List", LIST)
    revised(
        vault,
        memory.id,
        LIST.replace("Call Ada.", "Call Ben.").replace("Buy oil.", "Buy more oil."),
    )
    edit(vault, "List.md", "Call Ada.", "Write to Ada.")
    report = sync(vault)
    assert report.conflicts == ["List (conflicted copy, version 2).md"]
    # What the agent changed elsewhere in the note is in the note.
    text = "Buy more oil.\n\nWrite to Ada.\n\nMend the sail."
    assert known(vault) == {"List": (text, "", True)}
    assert files(vault)["List.md"].endswith(f"\n\n{text}\n")
    beside = conflict_files(vault)["List (conflicted copy, version 2).md"]
    assert beside.endswith("\n\nBuy more oil.\n\nCall Ben.\n\nMend the sail.\n")
    assert 'conflict_of: "[[List]]"\n' in beside
    assert "written_by: ada\n" in beside
    for command, arguments in ((vault_command, ["status"]), (doctor, [])):
        told = CliRunner().invoke(command, arguments, obj=Shell(str(home))).output
        assert "conflicted copy" in " ".join(told.split())
    (vault.root / "List (conflicted copy, version 2).md").unlink()
    assert sync(vault, full=True).conflicts == []
    assert (
        "conflict" not in CliRunner().invoke(vault_command, ["status"], obj=Shell(str(home))).output
    )


def test_two_titles_are_a_conflict_too(vault: Vault) -> None:
    memory = kept(vault)
    vault.engine.revise("default", memory.id, Edit(title="Journey"), BY)
    edit(vault, "Plan.md", "title: Plan", "title: Voyage")
    sync(vault)
    assert set(known(vault)) == {"Voyage"}
    assert "title: Journey\n" in conflict_files(vault)["Plan (conflicted copy, version 2).md"]


def test_an_edit_of_an_agent_is_on_disk_also_when_nothing_is_known_of_the_file(
    vault: Vault,
) -> None:
    memory = kept(vault)
    revised(vault, memory.id, "We walk.")
    with vault.engine.db.transaction():
        vault.engine.db.run("drop_note", memory_id=memory.id)
    edit(vault, "Plan.md", "We sail.", "We fly.")
    sync(vault)
    assert known(vault)["Plan"][0] == "We fly."
    assert [text.endswith("\n\nWe walk.\n") for text in conflict_files(vault).values()] == [True]


def test_a_second_conflict_of_the_same_version_gets_a_name_of_its_own(vault: Vault) -> None:
    memory = kept(vault)
    (vault.root / "Plan (conflicted copy, version 2).md").write_text("A person's own.")
    revised(vault, memory.id, "We walk.")
    edit(vault, "Plan.md", "We sail.", "We fly.")
    sync(vault)
    assert conflict_files(vault)["Plan (conflicted copy, version 2).md"] == "A person's own."
    assert conflict_files(vault)["Plan (conflicted copy, version 2, 2).md"].endswith(
        "\n\nWe walk.\n"
    )


def test_purging_a_note_removes_its_conflict_file_unless_a_person_changed_it(vault: Vault) -> None:
    for title in ("One", "Two"):
        memory = kept(vault, title)
        revised(vault, memory.id, "We walk.")
        edit(vault, f"{title}.md", "We sail.", "We fly.")
        sync(vault)
    (vault.root / "Two (conflicted copy, version 2).md").write_text("Mine now.")
    vault.engine.purge("default", [one.id for one in vault.engine.list("default")], BY)
    catch_up_files(vault.engine)
    assert files(vault) == {"Two (conflicted copy, version 2).md": "Mine now."}


def test_a_note_that_becomes_too_long_by_merging_is_a_conflict(vault: Vault) -> None:
    half = "x" * 600_000
    memory = kept(vault, "Long", "top\n\nend")
    revised(vault, memory.id, f"top\n\nend\n{half}")
    edit(vault, "Long.md", "\ntop", f"\n{half}\ntop")
    sync(vault)
    assert known(vault)["Long"][0] == f"{half}\ntop\n\nend"
    assert len(conflict_files(vault)) == 1


def test_a_forgotten_note_stays_forgotten_when_both_changed_its_words(
    vault: Vault, clock: StoppedClock
) -> None:
    memory = kept(vault)
    revised(vault, memory.id, "We walk.")
    vault.engine.forget("default", [memory.id], BY)
    clock.advance(1_000)
    edit(vault, "Plan.md", "We sail.", "We fly.")
    sync(vault)
    assert known(vault) == {"Plan": ("We fly.", "", False)}
    assert len(conflict_files(vault)) == 1
