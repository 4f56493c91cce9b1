"""`vault status` reports the state of a folder, and `vault adopt` writes ids into its files."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from commonplace import ids
from commonplace.app import open_engine
from commonplace.engine.engine import Engine
from commonplace.errors import Busy
from commonplace.faces.cli.command import Shell
from commonplace.faces.cli.commands.maintenance import doctor
from commonplace.faces.cli.commands.vault import vault as vault_command
from commonplace.settings import load
from commonplace.vault.memory_to_file import GRACE_MS, write_ids
from commonplace.vault.sync import sync
from commonplace.vault.vault import Vault, vault_of
from tests.conftest import StoppedClock
from tests.vault.note_files import edit, files, kept, known


@pytest.fixture
def vault(engine: Engine) -> Vault:
    return vault_of(engine)


def test_a_file_is_missing_only_until_it_is_believed_gone(
    vault: Vault, clock: StoppedClock
) -> None:
    kept(vault)
    (vault.root / "Plan.md").unlink()
    assert sync(vault).missing == ["Plan.md"]
    clock.advance(GRACE_MS)
    assert sync(vault).forgotten == 1
    assert sync(vault, full=True).missing == []


def test_a_note_whose_file_gave_way_to_another_is_called_by_its_id(vault: Vault) -> None:
    first, second = kept(vault, "First"), kept(vault, "Second")
    (vault.root / "Second.md").replace(vault.root / "First.md")
    sync(vault)
    assert sync(vault).missing == [ids.note_form(first.id)]
    assert vault.engine.get("default", second.id).metadata["vault"] == {"file": "First.md"}


def test_asking_for_ids_changes_no_file_that_has_one(vault: Vault) -> None:
    number = kept(vault).id
    edit(vault, "Plan.md", "We sail.", "We fly.")
    (vault.root / "zettel.md").write_text("---\nid: 20260102\n---\nA zettel.\n")
    sync(vault)
    before = files(vault)
    zettel = next(one.id for one in vault.engine.list("default") if one.title == "zettel")
    assert write_ids(vault, [number, zettel]) == 0
    assert files(vault) == before


@pytest.mark.parametrize("place", ["a file", "a file/below"])
def test_a_folder_that_cannot_be_used_is_told_of_without_its_path_and_nothing_is_kept(
    tmp_path: Path, place: str
) -> None:
    (tmp_path / "a file").write_text("x")
    where = {"COMMONPLACE_HOME": str(tmp_path / "home"), "COMMONPLACE_VAULT": str(tmp_path / place)}
    vault = vault_of(open_engine(load(where)))
    with pytest.raises(Busy) as caught:
        kept(vault)
    assert "The folder of notes" in caught.value.message
    assert "COMMONPLACE_VAULT" in caught.value.hint
    assert str(tmp_path) not in caught.value.message + caught.value.hint
    assert known(vault) == {}
    vault.engine.db.close()


def test_a_folder_that_is_away_is_told_of(vault: Vault, home: Path) -> None:
    run, shell = CliRunner(), Shell(str(home))
    assert "The first note creates it." in run.invoke(vault_command, ["status"], obj=shell).output
    kept(vault)
    assert "not there" not in run.invoke(vault_command, ["status"], obj=shell).output
    shutil.rmtree(vault.root)
    told = run.invoke(vault_command, ["status"], obj=shell).output
    assert "The folder of notes is not there" in told
    assert "agree" not in told
    assert "The folder of notes is not there" in run.invoke(doctor, ["--json"], obj=shell).output


def test_many_files_that_are_no_notes_are_told_of_in_a_few_lines_and_to_programs_in_full(
    vault: Vault, home: Path
) -> None:
    kept(vault)
    for number in range(40):
        (vault.root / f"picture {number:02}.png").write_bytes(b"x")
    told = CliRunner().invoke(vault_command, ["status"], obj=Shell(str(home))).output
    assert told.count("picture") == 5
    assert "… and 35 more" in told
    assert (
        CliRunner()
        .invoke(vault_command, ["status", "--json"], obj=Shell(str(home)))
        .output.count("picture")
        == 40
    )
