"""When a disk is not mounted, or another folder is in its place, no note is forgotten and no new
note is lost.
"""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from commonplace.app import open_engine
from commonplace.engine.engine import Engine
from commonplace.faces.cli.command import Shell
from commonplace.faces.cli.commands.maintenance import doctor
from commonplace.faces.cli.commands.vault import vault as vault_command
from commonplace.records.memory import Edit
from commonplace.settings import load
from commonplace.vault.folder.folder import MARKER_NAME
from commonplace.vault.memory_to_file import GRACE_MS, catch_up_files
from commonplace.vault.sync import sync
from commonplace.vault.vault import Vault, vault_of
from tests.conftest import StoppedClock
from tests.vault.note_files import BY, edit, files, kept, known


@pytest.fixture
def vault(engine: Engine) -> Vault:
    return vault_of(engine)


def wait(vault: Vault, clock: StoppedClock) -> None:
    """Look until everything that is missing would be believed gone."""
    for _ in range(3):
        sync(vault, full=True)
        catch_up_files(vault.engine)
        clock.advance(GRACE_MS + 1)


def living(vault: Vault) -> list[str]:
    return sorted(title for title, (_, _, alive) in known(vault).items() if alive)


def test_a_note_that_comes_while_the_disk_is_away_is_written_when_it_is_back(
    vault: Vault, clock: StoppedClock
) -> None:
    for number in range(12):
        kept(vault, f"Note {number:02}")
    vault.root.rename(away := vault.root.with_name("away"))
    kept(vault, "Thirteenth", "Said while the disk was away.")
    wait(vault, clock)
    assert not vault.root.exists()
    assert len(living(vault)) == 13
    away.rename(vault.root)
    wait(vault, clock)
    assert len(living(vault)) == 13
    assert "Said while the disk was away." in files(vault)["Thirteenth.md"]
    assert len(files(vault)) == 13


def test_an_empty_folder_below_the_disk_is_not_taken_for_the_folder(
    vault: Vault, clock: StoppedClock
) -> None:
    kept(vault, "Old")
    vault.root.rename(away := vault.root.with_name("away"))
    vault.root.mkdir()
    memory = kept(vault, "New", "Said meanwhile.")
    vault.engine.revise("default", memory.id, Edit(text="Said and revised."), BY)
    (vault.root / "New.md").write_text("Hidden below the mount.")
    wait(vault, clock)
    assert files(vault) == {"New.md": "Hidden below the mount."}
    shutil.rmtree(vault.root)
    away.rename(vault.root)
    wait(vault, clock)
    assert living(vault) == ["New", "Old"]
    assert "Said and revised." in files(vault)["New.md"]


def test_another_folder_in_its_place_changes_no_note_until_a_person_trusts_it(
    vault: Vault, home: Path, clock: StoppedClock
) -> None:
    first, second = kept(vault, "First", "one"), kept(vault, "Second", "two")
    vault.engine.forget("default", [second.id], BY)
    sync(vault)
    shutil.rmtree(vault.root)
    vault.root.mkdir()
    (vault.root / "First.md").write_text("Somebody else's.")
    wait(vault, clock)
    assert known(vault) == {"First": ("one", "", True), "Second": ("two", "", False)}
    run, shell = CliRunner(), Shell(str(home))
    status = run.invoke(vault_command, ["status"], obj=shell)
    assert status.exit_code == 1
    assert "vault trust" in " ".join(status.output.split())
    assert "Another folder" in run.invoke(doctor, ["--json"], obj=shell).output
    assert run.invoke(vault_command, ["trust", "--yes"], obj=shell).exit_code == 0
    wait(vault, clock)
    assert vault.engine.get("default", first.id).text == "one"
    assert files(vault)["First.md"] == "Somebody else's."
    assert "one" in files(vault)["First-2.md"]
    assert set(files(vault)) == {"First.md", "First-2.md"}


def test_a_folder_that_lost_its_mark_is_known_by_its_files(
    vault: Vault, clock: StoppedClock
) -> None:
    kept(vault, "First", "one")
    kept(vault, "Second", "two")
    (vault.root / MARKER_NAME).unlink()
    edit(vault, "First.md", "one", "one more")
    wait(vault, clock)
    assert known(vault) == {"First": ("one more", "", True), "Second": ("two", "", True)}
    assert (vault.root / MARKER_NAME).is_file()


def test_a_folder_that_moved_with_its_setting_is_the_same_folder(
    home: Path, clock: StoppedClock
) -> None:
    def opened(name: str) -> Vault:
        return vault_of(
            open_engine(load({"COMMONPLACE_HOME": str(home), "COMMONPLACE_VAULT": name}), clock)
        )

    before = opened("one")
    memory = kept(before, "Plan", "We sail.")
    before.engine.db.close()
    before.root.rename(before.root.with_name("two"))
    after = opened("two")
    wait(after, clock)
    assert after.engine.get("default", memory.id).version == 1
    assert list(files(after)) == ["Plan.md"]
    after.engine.db.close()
    (home / "three").mkdir()
    (home / "three" / "Plan.md").write_text("My own plan.")
    chosen = opened("three")
    wait(chosen, clock)
    assert chosen.engine.get("default", memory.id).text == "We sail."
    assert files(chosen)["Plan.md"] == "My own plan."
    assert "We sail." in "".join(files(chosen).values())
    chosen.engine.db.close()


def test_a_store_from_before_the_mark_forgets_nothing_while_its_disk_is_away(
    vault: Vault, clock: StoppedClock
) -> None:
    kept(vault, "Plan")
    with vault.engine.db.transaction():
        vault.engine.db.run("drop_vault_root", bank="default")
    (vault.root / MARKER_NAME).unlink()
    vault.root.rename(away := vault.root.with_name("away"))
    vault.root.mkdir()
    wait(vault, clock)
    assert living(vault) == ["Plan"]
    assert files(vault) == {}
    vault.root.rmdir()
    away.rename(vault.root)
    wait(vault, clock)
    assert living(vault) == ["Plan"]
    assert (vault.root / MARKER_NAME).is_file()


def test_a_folder_that_nobody_may_write_to_is_read_without_a_mark(
    vault: Vault, clock: StoppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault.root.mkdir(parents=True)
    (vault.root / "hand.md").write_text("My own words.")
    (vault.root / MARKER_NAME).mkdir()  # A mark can be neither read nor written.
    wait(vault, clock)
    assert living(vault) == ["hand"]
    (vault.root / "hand.md").write_text("My own words, changed.")
    wait(vault, clock)
    assert known(vault)["hand"] == ("My own words, changed.", "", True)
