"""Edits in the folder become versions, and changes of a memory are written into its file."""

import os
import unicodedata
from pathlib import Path

import pytest

from commonplace.app import open_engine
from commonplace.engine.engine import Engine
from commonplace.errors import Conflict, NotFound
from commonplace.ids import ID_MAX, note_form
from commonplace.records.memory import Edit, IdempotencyKey
from commonplace.records.query import Filter
from commonplace.settings import load
from commonplace.vault.folder import folder
from commonplace.vault.memory_to_file import GRACE_MS, NewNote, add_note, write_ids
from commonplace.vault.note_format import frontmatter
from commonplace.vault.report import SyncReport
from commonplace.vault.sync import sync
from commonplace.vault.vault import Vault, vault_of
from tests.conftest import StoppedClock
from tests.vault.hostile_texts import BODIES, TITLES
from tests.vault.note_files import BY, edit, files, kept, known


@pytest.fixture
def vault(engine: Engine) -> Vault:
    return vault_of(engine)


def settle(report: SyncReport) -> tuple[int, ...]:
    return (report.added, report.changed, report.forgotten, report.restored, report.written)


def test_a_second_look_at_an_unchanged_folder_does_nothing(vault: Vault) -> None:
    kept(vault)
    assert settle(sync(vault)) == settle(sync(vault, full=True)) == (0, 0, 0, 0, 0)
    assert len(vault.engine.history("default", kept(vault, "Other").id)) == 1


def test_an_edit_in_the_folder_is_a_version(vault: Vault) -> None:
    memory = kept(vault)
    edit(vault, "Plan.md", "We sail.", "We fly.")
    sync(vault)
    after = vault.engine.get("default", memory.id)
    assert (after.text, after.version) == ("We fly.", 2)
    assert [one.text for one in vault.engine.history("default", memory.id)] == [
        "We sail.",
        "We fly.",
    ]
    assert vault.engine.history("default", memory.id)[1].origin.reason == "changed in the folder"
    assert settle(sync(vault)) == (0, 0, 0, 0, 0)


def test_title_and_tags_are_edited_in_the_folder(vault: Vault) -> None:
    kept(vault, "Plan", "We sail.", "sea")
    edit(vault, "Plan.md", "title: Plan", "title: Voyage")
    edit(vault, "Plan.md", "tags: [sea]", "tags:\n  - sea\n  - summer")
    sync(vault)
    assert known(vault) == {"Voyage": ("We sail.", "sea,summer", True)}
    assert list(files(vault)) == ["Plan.md"]


def test_a_change_through_another_tongue_is_written_into_the_file(vault: Vault) -> None:
    memory = kept(vault, "Plan", "We sail.", "sea")
    edit(vault, "Plan.md", "status: active\n", "status: active\nmine: yes # keep\n")
    sync(vault)
    vault.engine.revise("default", memory.id, Edit(text="We walk.", tags=("land",)), BY)
    assert sync(vault).written == 1
    text = (vault.root / "Plan.md").read_text()
    assert "mine: yes # keep\n" in text
    assert "tags: [land]\n" in text
    assert text.endswith("\n\nWe walk.\n")
    vault.engine.forget("default", [memory.id], BY)
    sync(vault)
    assert "status: deleted\n" in (vault.root / "Plan.md").read_text()
    vault.engine.restore("default", [memory.id], BY)
    sync(vault)
    text = (vault.root / "Plan.md").read_text()
    assert "status: active\n" in text
    assert "deleted_at" not in text


def test_where_both_changed_the_same_line_the_file_wins_and_the_other_words_stay_in_history_too(
    vault: Vault,
) -> None:
    memory = kept(vault)
    vault.engine.revise("default", memory.id, Edit(text="We walk."), BY)
    edit(vault, "Plan.md", "We sail.", "We fly.")
    sync(vault)
    assert vault.engine.get("default", memory.id).text == "We fly."
    assert [one.text for one in vault.engine.history("default", memory.id)] == [
        "We sail.",
        "We walk.",
        "We fly.",
    ]
    assert "We fly." in (vault.root / "Plan.md").read_text()


def test_a_rename_and_a_move_keep_the_id_and_are_versions(vault: Vault) -> None:
    memory = kept(vault)
    (vault.root / "deep" / "er").mkdir(parents=True)
    (vault.root / "Plan.md").rename(vault.root / "deep" / "er" / "Renamed.md")
    sync(vault)
    after = vault.engine.get("default", memory.id)
    assert after.version == 2
    assert after.metadata["vault"] == {"file": "deep/er/Renamed.md"}
    assert len(known(vault)) == 1
    vault.engine.forget("default", [memory.id], BY)
    sync(vault)
    assert list(files(vault)) == ["deep/er/Renamed.md"]


def test_two_files_that_swap_names_stay_two_notes(vault: Vault) -> None:
    one, two = kept(vault, "One", "first"), kept(vault, "Two", "second")
    (vault.root / "One.md").rename(vault.root / "tmp.md")
    (vault.root / "Two.md").rename(vault.root / "One.md")
    (vault.root / "tmp.md").rename(vault.root / "Two.md")
    sync(vault)
    assert vault.engine.get("default", one.id).text == "first"
    assert vault.engine.get("default", two.id).text == "second"
    assert len(known(vault)) == 2


def test_a_status_flipped_back_in_the_file_brings_a_note_back(vault: Vault) -> None:
    memory = kept(vault)
    before = (vault.root / "Plan.md").read_bytes()
    vault.engine.forget("default", [memory.id], BY)
    sync(vault)
    edit(vault, "Plan.md", "status: deleted", "status: active")
    assert sync(vault).restored == 1
    assert vault.engine.get("default", memory.id).forgotten_at is None
    vault.engine.forget("default", [memory.id], BY)
    sync(vault)
    (vault.root / "Plan.md").write_bytes(before)
    assert sync(vault).restored == 1
    assert settle(sync(vault, full=True)) == (0, 0, 0, 0, 0)


def test_a_status_flipped_to_deleted_in_the_file_forgets(vault: Vault) -> None:
    memory = kept(vault)
    edit(vault, "Plan.md", "status: active", "status: deleted")
    assert sync(vault).forgotten == 1
    assert vault.engine.get("default", memory.id).forgotten_at is not None


def test_a_vanished_file_is_believed_gone_only_after_a_while(
    vault: Vault, clock: StoppedClock
) -> None:
    memory = kept(vault)
    data = (vault.root / "Plan.md").read_bytes()
    (vault.root / "Plan.md").unlink()
    assert sync(vault).missing == ["Plan.md"]
    clock.advance(GRACE_MS - 1)
    sync(vault)
    assert vault.engine.get("default", memory.id).forgotten_at is None
    clock.advance(1)
    sync(vault)
    assert vault.engine.get("default", memory.id).forgotten_at is not None
    assert files(vault) == {}
    (vault.root / "Back.md").write_bytes(data)
    sync(vault)
    after = vault.engine.get("default", memory.id)
    assert after.forgotten_at is None
    assert after.metadata["vault"] == {"file": "Back.md"}


def test_a_file_that_comes_back_in_time_was_never_gone(vault: Vault, clock: StoppedClock) -> None:
    memory = kept(vault)
    data = (vault.root / "Plan.md").read_bytes()
    (vault.root / "Plan.md").unlink()
    sync(vault)
    (vault.root / "Plan.md").write_bytes(data)
    sync(vault)
    clock.advance(10 * GRACE_MS)
    sync(vault)
    assert vault.engine.get("default", memory.id).version == 1


def test_a_folder_that_is_not_there_says_nothing_about_its_notes(
    vault: Vault, clock: StoppedClock
) -> None:
    memory = kept(vault)
    vault.root.rename(vault.root.with_name("unmounted"))
    sync(vault)
    clock.advance(10 * GRACE_MS)
    sync(vault)
    assert vault.engine.get("default", memory.id).forgotten_at is None


def test_a_note_brought_back_elsewhere_gets_its_file_again(
    vault: Vault, clock: StoppedClock
) -> None:
    memory = kept(vault)
    (vault.root / "Plan.md").unlink()
    sync(vault)
    clock.advance(GRACE_MS)
    sync(vault)
    vault.engine.restore("default", [memory.id], BY)
    sync(vault)
    assert "status: active" in files(vault)["Plan.md"]


def test_files_made_by_hand_are_notes_and_nothing_is_written_into_them(vault: Vault) -> None:
    vault.root.mkdir()
    (vault.root / "hand.md").write_text("# By hand\n\nquokka\n")
    (vault.root / "empty.md").write_text("")
    sync(vault)
    assert known(vault) == {
        "By hand": ("# By hand\n\nquokka", "", True),
        "empty": ("empty", "", True),
    }
    assert files(vault) == {"empty.md": "", "hand.md": "# By hand\n\nquokka\n"}
    before = {one.title: one.id for one in vault.engine.list("default")}
    (vault.root / "hand.md").rename(vault.root / "renamed.md")
    sync(vault)
    assert {one.title: one.id for one in vault.engine.list("default")} == before
    assert write_ids(vault, list(before.values())) == 2
    assert files(vault)["renamed.md"].endswith("---\n\n# By hand\n\nquokka\n")
    sync(vault)
    assert {one.title: one.id for one in vault.engine.list("default")} == before


def test_a_copy_of_a_file_never_shares_its_id(vault: Vault) -> None:
    memory = kept(vault)
    data = (vault.root / "Plan.md").read_text()
    copy = vault.root / "Plan copy.md"
    copy.write_text(data.replace("We sail.", "We row."))
    report = sync(vault)
    assert report.copies == [copy.name]
    assert vault.engine.get("default", memory.id).text == "We sail."
    texts = {one.text: one.id for one in vault.engine.list("default")}
    assert set(texts) == {"We sail.", "We row."}
    assert sync(vault, full=True).copies == [copy.name]
    vault.engine.forget("default", [texts["We row."]], BY)
    sync(vault)
    assert (
        frontmatter.parse_note(frontmatter.split_file(copy.read_bytes()), "").id == texts["We row."]
    )
    assert "status: active" in files(vault)["Plan.md"]


def test_a_copy_that_comes_first_is_not_taken_for_the_original(
    home: Path, clock: StoppedClock, vault: Vault
) -> None:
    kept(vault)
    text = files(vault)["Plan.md"]
    (vault.root / "A [Conflict].md").write_text(text.replace("We sail.", "We row."))
    other = open_engine(
        load(
            {"COMMONPLACE_HOME": str(home.with_name("fresh")), "COMMONPLACE_VAULT": str(vault.root)}
        )
    )
    sync(fresh := vault_of(other))
    found = {one.id: one.text for one in other.list("default")}
    assert found[next(one.id for one in vault.engine.list("default"))] == "We sail."
    assert len(found) == 2
    assert fresh.root == vault.root
    other.db.close()


def test_one_broken_file_hides_nothing_else(vault: Vault) -> None:
    kept(vault)
    (vault.root / "broken.md").write_text("---\ntitle: oops\nx")
    (vault.root / "binary.md").write_bytes(b"\xff\xfe\x00")
    (vault.root / "good.md").write_text("fine")
    (vault.root / "long.md").write_text("---\ntitle: " + "x" * 600 + "\n---\nx")
    report = sync(vault)
    assert sorted(report.broken) == ["binary.md", "broken.md", "long.md"]
    assert set(known(vault)) == {"Plan", "good"}
    (vault.root / "broken.md").write_text("---\ntitle: mended\n---\nx")
    assert sorted(sync(vault).broken) == ["binary.md", "long.md"]
    assert "mended" in known(vault)


def test_temporary_files_dot_folders_and_links_are_passed_over(
    vault: Vault, tmp_path: Path
) -> None:
    kept(vault)
    (tmp_path / "secret.md").write_text("outside")
    (vault.root / ".trash").mkdir()
    (vault.root / ".trash" / "old.md").write_text("x")
    (vault.root / "~$doc.md").write_text("x")
    (vault.root / "draft.md.tmp").write_text("x")
    (vault.root / "picture.png").write_text("x")
    (vault.root / "link.md").symlink_to(tmp_path / "secret.md")
    (vault.root / "out").symlink_to(tmp_path)
    Path(os.fsdecode(os.fsencode(vault.root) + b"/b\xffd.md")).write_text("x")
    kept(vault, "b\u00ffd")
    report = sync(vault)
    assert set(known(vault)) == {"Plan", "b\u00ffd"}
    assert set(report.passed) == {
        ".trash",
        "~$doc.md",
        "draft.md.tmp",
        "picture.png",
        "link.md",
        "out",
        "b?d.md",
    }


def test_a_new_note_overwrites_nothing(vault: Vault) -> None:
    vault.root.mkdir()
    (vault.root / "plan.md").write_text("mine")
    kept(vault, "Plan", "one")
    kept(vault, "PLAN", "two")
    assert {name: text.split("\n\n")[-1] for name, text in files(vault).items()} == {
        "plan.md": "mine",
        "Plan-2.md": "one\n",
        "PLAN-3.md": "two\n",
    }


def test_a_key_makes_one_note_and_other_content_is_a_conflict(vault: Vault) -> None:
    key = IdempotencyKey("s", "memory_append", "k")
    first = add_note(vault, NewNote("A", "b"), key, BY)
    assert add_note(vault, NewNote("A", "b"), key, BY) == first
    with pytest.raises(Conflict):
        add_note(vault, NewNote("A", "c"), key, BY)
    assert list(files(vault)) == ["A.md"]
    vault.engine.purge("default", [first.id], BY)
    with pytest.raises(NotFound):
        add_note(vault, NewNote("A", "b"), key, BY)


def test_what_was_purged_is_erased_from_the_folder_too(vault: Vault) -> None:
    memory, _ = kept(vault), kept(vault, "Stays")
    vault.engine.purge("default", [memory.id], BY)
    sync(vault)
    assert list(files(vault)) == ["Stays.md"]
    sync(vault, full=True)
    assert set(known(vault)) == {"Stays"}


def test_a_store_made_anew_finds_the_same_notes(vault: Vault, home: Path) -> None:
    for title, body in zip(TITLES, BODIES * 4, strict=False):
        kept(vault, title, body, "t")
    vault.engine.forget("default", [kept(vault, "Gone").id], BY)
    sync(vault)
    assert sync(vault, full=True).broken == {}
    other = open_engine(
        load(
            {"COMMONPLACE_HOME": str(home.with_name("fresh")), "COMMONPLACE_VAULT": str(vault.root)}
        )
    )
    sync(vault_of(other))

    def state(engine: Engine) -> dict[int, tuple[object, ...]]:
        found = engine.list("default", Filter(status="any"), limit=1000)
        return {m.id: (m.title, m.text, m.tags, m.created_at, m.forgotten_at) for m in found}

    assert state(other) == state(vault.engine)
    assert len(state(other)) == len(TITLES) + 1
    other.db.close()


def test_the_names_a_sync_client_makes_of_a_file(vault: Vault) -> None:
    memory = kept(vault, "Café", "We sail.")
    nfc, nfd = vault.root / "Café.md", vault.root / unicodedata.normalize("NFD", "Café.md")
    nfc.rename(nfd)
    sync(vault)
    nfd.rename(vault.root / "CAFÉ.md")
    sync(vault)
    data = (vault.root / "CAFÉ.md").read_bytes()
    (vault.root / "CAFÉ.md").unlink()
    (vault.root / ".CAFÉ.md.tmp").write_bytes(data.replace(b"sail", b"swim"))
    sync(vault)
    os.replace(vault.root / ".CAFÉ.md.tmp", vault.root / "CAFÉ.md")
    sync(vault)
    assert [(one.id, one.text) for one in vault.engine.list("default")] == [(memory.id, "We swim.")]


def test_a_bank_has_a_folder_of_its_own(engine: Engine) -> None:
    one, two = vault_of(engine, "Work"), vault_of(engine, "work")
    kept(one, "A", "one")
    kept(two, "A", "two")
    sync(vault_of(engine))
    assert one.root != two.root != vault_of(engine).root
    assert [m.text for m in engine.list("Work")] == ["one"]
    assert engine.list("default") == ()


def test_what_a_killed_process_left_is_swept_away(vault: Vault) -> None:
    folder.make_root(vault.root)
    part = folder.stage(vault.root, b"x")
    part.rename(left := part.with_name(part.name.replace(f"-{os.getpid()}-", "-999999999-")))
    folder.stage(vault.root, b"y")
    sync(vault)
    assert not left.exists()
    assert len(list(vault.root.iterdir())) == 1


def test_notes_of_an_archive_get_files_again(vault: Vault, home: Path, tmp_path: Path) -> None:
    memory = kept(vault, "Plan", "We sail.", "sea")
    gone = kept(vault, "Gone", "We sank.")
    vault.engine.forget("default", [gone.id], BY)
    vault.engine.export_to(tmp_path / "all.jsonl")
    other = open_engine(load({"COMMONPLACE_HOME": str(home.with_name("fresh"))}))
    other.import_from(tmp_path / "all.jsonl")
    sync(place := vault_of(other), full=True)
    assert sorted(files(place)) == ["Gone.md", "Plan.md"]
    assert f"id: {note_form(memory.id)}\n" in files(place)["Plan.md"]
    assert "status: deleted\n" in files(place)["Gone.md"]
    assert settle(sync(place, full=True)) == (0, 0, 0, 0, 0)
    other.db.close()


def test_ids_from_the_future_and_of_other_banks_are_not_believed(
    vault: Vault, engine: Engine
) -> None:
    vault.root.mkdir()
    (vault.root / "future.md").write_text(f"---\nid: {note_form(ID_MAX)}\n---\nfrom the future")
    other = vault_of(engine, "other")
    foreign = kept(other, "Foreign", "elsewhere")
    (vault.root / "copied.md").write_bytes((other.root / "Foreign.md").read_bytes())
    assert sync(vault).broken == {}
    assert {one.text for one in engine.list("default")} == {"from the future", "elsewhere"}
    assert not {one.id for one in engine.list("default")} & {foreign.id, ID_MAX}
    assert settle(sync(vault, full=True)) == (0, 0, 0, 0, 0)
    assert kept(vault, "Still fine").id < ID_MAX


def test_a_copy_of_a_file_without_an_id_is_listed_as_long_as_it_lies_there(vault: Vault) -> None:
    vault.root.mkdir()
    (vault.root / "Plan.md").write_text("We sail.")
    copy = vault.root / "Copy of Plan.md"
    copy.write_text("We row.")
    assert sync(vault).copies == [copy.name]
    assert sync(vault, full=True).copies == [copy.name]
    copy.write_text("We drift.")
    assert sync(vault).copies == sync(vault, full=True).copies == [copy.name]
    assert {one.text for one in vault.engine.list("default")} == {"We sail.", "We drift."}
