"""When file and memory both changed, the merge keeps the changes of both."""

import pytest

from commonplace import clock as time
from commonplace.engine.engine import Engine
from commonplace.records.memory import Edit
from commonplace.vault.sync import sync
from commonplace.vault.vault import Vault, vault_of
from tests.conftest import StoppedClock
from tests.vault.note_files import BY, edit, files, kept, known


@pytest.fixture
def vault(engine: Engine) -> Vault:
    return vault_of(engine)


def test_an_edit_of_the_words_does_not_undo_a_forget(vault: Vault, clock: StoppedClock) -> None:
    memory = kept(vault)
    forgotten = vault.engine.forget("default", [memory.id], BY)[0].memory.forgotten_at
    assert forgotten is not None
    clock.advance(5_000)
    edit(vault, "Plan.md", "We sail.", "We fly.")
    sync(vault)
    after = vault.engine.get("default", memory.id)
    assert (after.text, after.forgotten_at) == ("We fly.", forgotten)
    text = files(vault)["Plan.md"]
    assert "status: deleted\n" in text
    assert f"deleted_at: {time.iso(forgotten)}\n" in text
    assert text.endswith("\n\nWe fly.\n")
    assert sync(vault, full=True).written == 0
    assert vault.engine.get("default", memory.id).version == after.version


def test_a_status_that_a_person_changes_after_the_forget_wins(vault: Vault) -> None:
    memory = kept(vault)
    vault.engine.forget("default", [memory.id], BY)
    sync(vault)
    edit(vault, "Plan.md", "status: deleted", "status: active")
    edit(vault, "Plan.md", "We sail.", "We fly.")
    sync(vault)
    after = vault.engine.get("default", memory.id)
    assert (after.text, after.forgotten_at) == ("We fly.", None)


def test_a_status_that_a_person_sets_to_deleted_wins_over_a_change_elsewhere(vault: Vault) -> None:
    memory = kept(vault)
    vault.engine.revise("default", memory.id, Edit(text="We walk."), BY)
    edit(vault, "Plan.md", "status: active", "status: deleted")
    sync(vault)
    after = vault.engine.get("default", memory.id)
    assert after.text == "We walk."
    assert after.forgotten_at is not None
    assert files(vault)["Plan.md"].endswith("\n\nWe walk.\n")
    assert "status: deleted\n" in files(vault)["Plan.md"]


def test_words_changed_elsewhere_and_tags_changed_in_the_file_are_both_kept(vault: Vault) -> None:
    memory = kept(vault, "Plan", "We sail.", "sea")
    vault.engine.revise("default", memory.id, Edit(text="We walk."), BY)
    edit(vault, "Plan.md", "tags: [sea]", "tags: [land]")
    sync(vault)
    assert known(vault) == {"Plan": ("We walk.", "land", True)}
    assert files(vault)["Plan.md"].endswith("tags: [land]\n---\n\nWe walk.\n")


def test_a_title_changed_elsewhere_stays_when_only_the_words_of_the_file_change(
    vault: Vault,
) -> None:
    memory = kept(vault, "  Plan  ")
    vault.engine.revise("default", memory.id, Edit(title="Voyage"), BY)
    edit(vault, "Plan.md", "We sail.", "We fly.")
    sync(vault)
    assert known(vault) == {"Voyage": ("We fly.", "", True)}
    assert "title: Voyage\n" in files(vault)["Plan.md"]


def test_an_edit_of_a_deleted_note_keeps_the_time_it_was_deleted(
    vault: Vault, clock: StoppedClock
) -> None:
    memory = kept(vault)
    vault.engine.forget("default", [memory.id], BY)
    sync(vault)
    before = vault.engine.get("default", memory.id).forgotten_at
    clock.advance(60_000)
    edit(vault, "Plan.md", "We sail.", "We sank.")
    sync(vault)
    after = vault.engine.get("default", memory.id)
    assert (after.text, after.forgotten_at) == ("We sank.", before)
    assert [one.forgotten for one in vault.engine.history("default", memory.id)] == [
        False,
        True,
        True,
    ]


def test_a_file_that_still_says_active_after_a_crash_does_not_undo_a_forget(vault: Vault) -> None:
    memory = kept(vault)
    vault.engine.forget("default", [memory.id], BY)  # And nobody was left to write the file.
    (vault.root / "Plan.md").rename(vault.root / "Moved.md")
    sync(vault, full=True)
    assert vault.engine.get("default", memory.id).forgotten_at is not None
    assert "status: deleted\n" in files(vault)["Moved.md"]


def test_a_file_without_an_id_is_known_again_after_a_rename_and_an_edit(vault: Vault) -> None:
    vault.root.mkdir()
    (vault.root / "soup.md").write_text("# Soup\n\nTwo onions\nOne carrot\nA pot\nSalt\n")
    (vault.root / "bread.md").write_text("# Bread\n\nFlour\nWater\nYeast\nTime\n")
    sync(vault)
    before = {one.title: one.id for one in vault.engine.list("default")}
    (vault.root / "soup.md").unlink()
    (vault.root / "Winter soup.md").write_text(
        "# Winter soup\n\nTwo onions\nThree carrots\nA pot\nSalt\n"
    )
    (vault.root / "cake.md").write_text("# Cake\n\nSugar\nEggs\nA tin\n")
    sync(vault)
    after = {one.title: one.id for one in vault.engine.list("default")}
    assert set(after) == {"Winter soup", "Bread", "Cake"}
    assert after["Winter soup"] == before["Soup"]
    assert after["Cake"] not in before.values()
    assert [one.title for one in vault.engine.history("default", after["Winter soup"])] == [
        "Soup",
        "Winter soup",
    ]


def test_a_new_file_that_is_like_no_lost_one_is_a_new_note(vault: Vault) -> None:
    vault.root.mkdir()
    (vault.root / "a.md").write_text("alpha\nbeta\n")
    sync(vault)
    (vault.root / "a.md").unlink()
    (vault.root / "b.md").write_text("gamma\ndelta\n")
    sync(vault)
    assert {one.text for one in vault.engine.list("default")} == {"alpha\nbeta", "gamma\ndelta"}


def test_the_day_that_a_person_writes_as_that_of_its_making_stays_in_the_file(vault: Vault) -> None:
    memory = kept(vault)
    made = next(
        line for line in files(vault)["Plan.md"].splitlines() if line.startswith("created_at:")
    )
    edit(vault, "Plan.md", made, "created_at: 1999-12-31 # when it was said")
    sync(vault)
    vault.engine.forget("default", [memory.id], BY)
    sync(vault)
    assert "created_at: 1999-12-31 # when it was said\n" in files(vault)["Plan.md"]
    assert "status: deleted\n" in files(vault)["Plan.md"]
