"""Erased notes leave no file of Commonplace behind, and files that a person made are not
removed.
"""

from pathlib import Path

import pytest
from click.testing import CliRunner

from commonplace import ids
from commonplace.dialects import registry
from commonplace.dialects.dialect import Call
from commonplace.engine.engine import Engine
from commonplace.errors import NotFound
from commonplace.faces.cli.command import Shell
from commonplace.faces.cli.commands.purge import purge
from commonplace.vault.memory_to_file import catch_up_files, write_ids
from commonplace.vault.sync import sync
from commonplace.vault.vault import Vault, list_vaults, vault_of
from tests.vault.note_files import BY, files, kept, known


@pytest.fixture
def vault(engine: Engine) -> Vault:
    return vault_of(engine)


def sync_all(engine: Engine) -> None:
    for vault in list_vaults(engine):
        sync(vault, full=True)


def test_what_a_person_made_by_hand_stays_and_is_not_read_again(vault: Vault) -> None:
    vault.root.mkdir()
    (vault.root / "hand.md").write_text("My own words.")
    ours = kept(vault)
    sync(vault)
    numbers = [one.id for one in vault.engine.list("default")]
    vault.engine.purge("default", numbers, BY)
    sync(vault)
    assert files(vault) == {"hand.md": "My own words."}
    for look in (sync(vault), sync(vault, full=True)):
        assert "yours" in look.passed["hand.md"]
        assert known(vault) == {}
    (vault.root / "hand.md").rename(vault.root / "renamed.md")
    assert "renamed.md" in sync(vault).passed
    assert known(vault) == {}
    (vault.root / "renamed.md").write_text("My own words, changed.")
    sync(vault)
    assert [text for text, _, _ in known(vault).values()] == ["My own words, changed."]
    with pytest.raises(NotFound):
        vault.engine.get("default", ours.id)


def adopted(vault: Vault, name: str = "hand.md") -> int:
    """A note that a person made, into whose file its id was written at a person's wish."""
    vault.root.mkdir(exist_ok=True)
    (vault.root / name).write_text("My own words.")
    sync(vault)
    number = next(one.id for one in vault.engine.list("default") if one.text == "My own words.")
    assert write_ids(vault, [number]) == 1
    sync(vault)
    return number


def test_a_file_that_a_person_made_is_never_removed_also_when_it_carries_our_id(
    vault: Vault,
) -> None:
    number = adopted(vault)
    ours = kept(vault)
    vault.engine.purge("default", [number, ours.id], BY)
    assert catch_up_files(vault.engine).left == 1
    sync(vault, full=True)
    assert list(files(vault)) == ["hand.md"]
    assert files(vault)["hand.md"].endswith("My own words.")
    assert known(vault) == {}


def test_a_person_who_purges_finds_an_own_file_in_the_trash_beside_it(
    vault: Vault, home: Path
) -> None:
    numbers = list[int]()
    for _ in range(2):  # The second does not replace the first.
        (vault.root / "deep").mkdir(parents=True, exist_ok=True)
        numbers.append(adopted(vault, "deep/hand.md"))
        made = kept(vault, "Ours")
        run = CliRunner().invoke(
            purge,
            [ids.short_form(numbers[-1]), ids.short_form(made.id), "--yes"],
            obj=Shell(str(home)),
            catch_exceptions=False,
        )
        assert "Removed 1 file" in run.output
        assert "Moved 1 file that you made to .trash" in run.output
    assert sorted(files(vault)) == ["deep/.trash/hand-1.md", "deep/.trash/hand.md"]
    sync(vault, full=True)
    assert known(vault) == {}


@pytest.mark.parametrize(
    ("dialect", "name", "arguments"),
    [
        ("hindsight", "delete_bank", {"bank_id": "default"}),
        ("memories", "vacuum_memories", {}),
        ("powermem", "delete_all_memories", {}),
        ("vault", "memory_forget", {}),
    ],
)
def test_no_tool_removes_a_file_that_a_person_made(
    vault: Vault, engine: Engine, dialect: str, name: str, arguments: dict[str, str]
) -> None:
    number = adopted(vault)
    if name == "memory_forget":
        arguments = {"id": ids.note_form(number)}
    if name == "vacuum_memories":
        engine.forget("default", [number], BY)
    reply = registry.find(dialect).call(name, arguments, Call(engine=engine, bank="default"))
    assert not reply.is_error, reply.text
    if name in ("delete_bank", "vacuum_memories"):
        assert reply.structured["files_left"] == 1
    if name == "vacuum_memories":
        assert reply.text.endswith(
            "1 file that a person made stays in the folder of notes, but is no longer read."
        )
    sync(vault, full=True)
    assert files(vault)["hand.md"].endswith("My own words.")


def test_a_file_of_ours_that_was_changed_since_is_a_note_again(vault: Vault) -> None:
    memory = kept(vault)
    vault.engine.purge("default", [memory.id], BY)
    file = vault.root / "Plan.md"
    file.write_text(file.read_text().replace("We sail.", "We sail, still."))
    sync(vault)
    assert [text for text, _, _ in known(vault).values()] == ["We sail, still."]


def test_an_erased_bank_takes_its_files_with_it_and_its_folder_when_nothing_is_left(
    engine: Engine,
) -> None:
    one, two = vault_of(engine, "one"), vault_of(engine, "two")
    for place in (one, two):
        kept(place, "Plan", "We sail.")
        (place.root / "deep").mkdir()
        (place.root / "Plan.md").rename(place.root / "deep" / "Plan.md")
        sync(place)
    (two.root / "hand.md").write_text("My own words.")
    sync(two)
    for name in ("one", "two"):
        engine.delete_bank(name)
    catch_up_files(engine)
    assert not one.root.exists()
    assert files(two) == {"hand.md": "My own words."}
    sync_all(engine)
    assert [bank.name for bank in engine.list_banks()] == []


def test_the_usual_bank_does_not_come_back_from_what_it_left(vault: Vault, engine: Engine) -> None:
    kept(vault)
    (vault.root / "hand.md").write_text("My own words.")
    sync(vault)
    engine.delete_bank("default")
    sync_all(engine)
    sync_all(engine)
    assert files(vault) == {"hand.md": "My own words."}
    assert engine.list_banks() == ()
    kept(vault, "New", "Begin again.")
    sync_all(engine)
    assert known(vault) == {"New": ("Begin again.", "", True)}


def test_a_folder_that_is_away_is_cleared_when_it_comes_back(vault: Vault, engine: Engine) -> None:
    kept(vault)
    away = vault.root.with_name("unmounted")
    vault.root.rename(away)
    engine.delete_bank("default")
    sync_all(engine)
    away.rename(vault.root)
    sync_all(engine)
    assert files(vault) == {}
    assert engine.list_banks() == ()


def test_a_file_with_the_same_words_as_an_erased_one_is_still_a_note(vault: Vault) -> None:
    vault.root.mkdir()
    for name in ("one.md", "two.md"):
        (vault.root / name).write_text("The same words.")
    sync(vault)
    by_file = {str(one.metadata["vault"]): one.id for one in vault.engine.list("default")}
    vault.engine.purge("default", [by_file["{'file': 'one.md'}"]], BY)
    for full in (False, True, False):
        assert list(sync(vault, full=full).passed) in ([], ["one.md"])
        assert list(known(vault)) == ["two"]
    (vault.root / "one.md").unlink()
    assert sync(vault, full=True).passed == {}
    (vault.root / "one.md").write_text("The same words.")
    sync(vault)
    assert sorted(known(vault)) == ["one", "two"]
