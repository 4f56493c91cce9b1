"""A vault of Obsidian: tags in the text, aliases, links, dates, templates, drawings, an inbox."""

from pathlib import Path

import apsw
import pytest

from commonplace import clock as time
from commonplace.app import open_engine
from commonplace.engine.engine import Engine
from commonplace.errors import Invalid
from commonplace.records.memory import Edit, Memory
from commonplace.records.query import Filter, Query
from commonplace.settings import load
from commonplace.vault.inspection import inspect_vault
from commonplace.vault.memory_to_file import GRACE_MS
from commonplace.vault.note_format.backlinks import backlinks
from commonplace.vault.sync import sync
from commonplace.vault.vault import Vault, path_of, vault_of
from tests.conftest import StoppedClock
from tests.storage import old_stores
from tests.vault.note_files import BY, edit, files, kept


@pytest.fixture
def vault(engine: Engine) -> Vault:
    engine.vault.mkdir(parents=True, exist_ok=True) if engine.vault else None
    return vault_of(engine)


def written(vault: Vault, name: str, text: str) -> Memory:
    """A note that a person wrote."""
    file = vault.root / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    sync(vault)
    return at(vault, name)


def at(vault: Vault, name: str) -> Memory:
    """The note of a file."""
    found = vault.engine.list("default", Filter(status="any"), limit=1000)
    return next(one for one in found if path_of(one) == name)


def tagged(vault: Vault, tag: str) -> list[str]:
    return [one.title for one in vault.engine.list("default", Filter(tags_like=(tag,)))]


def test_a_tag_in_the_text_is_a_tag_of_the_note_and_the_file_stays_as_it_is(vault: Vault) -> None:
    text = "---\ntags: [boat]\n---\n# Plan\n\nWe sail #someday with #friends/close.\n"
    note = written(vault, "Plan.md", text)
    assert note.tags == ("boat", "someday", "friends/close")
    assert tagged(vault, "someday") == ["Plan"]
    assert files(vault)["Plan.md"] == text
    edit(vault, "Plan.md", " #someday", " tomorrow")
    sync(vault)
    assert at(vault, "Plan.md").tags == ("boat", "friends/close")
    assert tagged(vault, "someday") == []


def test_a_tag_of_the_text_is_never_written_into_the_frontmatter(vault: Vault) -> None:
    note = written(vault, "Plan.md", "We sail #someday.\n")
    vault.engine.revise("default", note.id, Edit(tags=(*note.tags, "boat")), BY)
    sync(vault)
    assert "tags: [boat]\n" in files(vault)["Plan.md"]
    assert set(at(vault, "Plan.md").tags) == {"boat", "someday"}
    assert sync(vault, full=True).written == 0


def test_what_an_agent_changes_in_the_text_changes_the_tags(vault: Vault) -> None:
    note = kept(vault, "Plan", "We sail #someday.", "boat")
    assert set(note.tags) == {"boat", "someday"}
    assert "tags: [boat]\n" in files(vault)["Plan.md"]
    vault.engine.revise("default", note.id, Edit(text="We sail #today."), BY)
    sync(vault)
    assert set(at(vault, "Plan.md").tags) == {"boat", "today"}
    assert sync(vault, full=True).changed == 0


def test_an_older_text_that_comes_back_has_its_tags_in_the_text_only(vault: Vault) -> None:
    note = written(vault, "Plan.md", "We sail #someday.\n")
    vault.engine.revise("default", note.id, Edit(text="We sail #today."), BY)
    sync(vault)
    vault.engine.restore_version("default", note.id, 1, BY)
    sync(vault)
    assert at(vault, "Plan.md").tags == ("someday",)
    assert "tags: []\n" in files(vault)["Plan.md"]
    assert sync(vault, full=True).changed == 0


def test_tags_in_the_text_of_both_sides_are_merged_with_the_text(vault: Vault) -> None:
    note = kept(vault, "Plan", "Oil #shop\n\nmiddle\n\nSail #mend", "boat")
    vault.engine.revise("default", note.id, Edit(text="Oil #bought\n\nmiddle\n\nSail #mend"), BY)
    edit(vault, "Plan.md", "Sail #mend", "Sail #mended")
    sync(vault)
    assert set(at(vault, "Plan.md").tags) == {"boat", "bought", "mended"}
    assert "tags: [boat]\n" in files(vault)["Plan.md"]


def test_a_note_is_found_by_its_alias(vault: Vault) -> None:
    written(vault, "Saskia.md", "---\naliases: [Zilpha, the gardener]\n---\nLikes tulips.\n")
    for number in range(20):
        (vault.root / f"Other {number}.md").write_text(f"Something else, number {number}.\n")
    sync(vault)
    for question in ("Zilpha", "who is Zilpha?", "what does the gardener like?"):
        found = vault.engine.recall("default", Query(question))
        assert (found.hits[0].memory.title, found.unsure) == ("Saskia", False)


def test_links_lead_back_to_their_notes(vault: Vault) -> None:
    plan = written(vault, "Trips/Plan.md", "---\naliases: [Voyage]\n---\nSee [[Crew]].\n")
    for name, link in (
        ("A", "[[Plan]]"),
        ("B", "[[Trips/Plan#Day 1|first day]]"),
        ("C", "[[voyage]]"),
    ):
        written(vault, f"{name}.md", f"From {link} on.\n")
    written(vault, "D.md", "`[[Plan]]` is code.\n")
    crew = written(vault, "Crew.md", "Ada and Ben, see [[Crew]].\n")
    found = backlinks(vault, [plan, crew])
    assert found == {plan.id: ["A.md", "B.md", "C.md"], crew.id: ["Trips/Plan.md"]}
    edit(vault, "A.md", "[[Plan]]", "Plan")
    (vault.root / "B.md").unlink()
    vault.engine.revise("default", at(vault, "D.md").id, Edit(text="Back to [[Plan]]."), BY)
    vault.engine.forget("default", [at(vault, "C.md").id], BY)
    sync(vault)
    assert backlinks(vault, [plan])[plan.id] == ["B.md", "D.md"]
    vault.engine.purge("default", [at(vault, "B.md").id], BY)
    assert backlinks(vault, [plan])[plan.id] == ["D.md"]


def test_links_are_made_again_from_the_files(vault: Vault) -> None:
    plan, _ = written(vault, "Plan.md", "x\n"), written(vault, "A.md", "[[Plan]]\n")
    with vault.engine.db.transaction():
        vault.engine.db.run("drop_wikilinks", ids=f"[{at(vault, 'A.md').id}]")
    assert backlinks(vault, [plan]) == {}
    sync(vault, full=True)
    assert backlinks(vault, [plan]) == {plan.id: ["A.md"]}


def test_dates_of_the_frontmatter_are_the_times_of_the_note(vault: Vault) -> None:
    note = written(
        vault, "Plan.md", "---\ncreated: 2024-05-06\nmodified: 2024-06-07T08:09\n---\nx\n"
    )
    assert time.iso(note.created_at) == "2024-05-06T00:00:00.000Z"
    assert time.iso(note.updated_at) == "2024-06-07T08:09:00.000Z"


def test_a_broken_line_is_reported_and_the_note_is_read_and_keeps_it(vault: Vault) -> None:
    text = "---\ntitle: The plan\ntags: [boat\nwhat is this\n---\nWe sail.\n"
    note = written(vault, "Plan.md", text)
    assert (note.title, note.text, note.tags) == ("The plan", "We sail.", ())
    assert "not YAML" in inspect_vault(vault).faults["Plan.md"]
    assert inspect_vault(vault).broken == {}
    vault.engine.revise("default", note.id, Edit(text="We fly.", tags=("air",)), BY)
    sync(vault)
    after = files(vault)["Plan.md"]
    assert "tags: [boat\nwhat is this\n" in after
    assert after.endswith("We fly.\n")
    # What the file cannot say is not taken away from the memory by the next edit.
    edit(vault, "Plan.md", "We fly.", "We walk.")
    sync(vault)
    assert (at(vault, "Plan.md").text, at(vault, "Plan.md").tags) == ("We walk.", ("air",))


def test_a_status_that_cannot_be_read_brings_no_note_back(vault: Vault) -> None:
    note = kept(vault)
    vault.engine.forget("default", [note.id], BY)
    sync(vault)
    edit(vault, "Plan.md", "status: deleted", "status: [deleted")
    sync(vault)
    assert vault.engine.get("default", note.id).forgotten_at is not None


def test_templates_drawings_and_what_the_person_ignores_are_no_notes(
    vault: Vault, clock: StoppedClock
) -> None:
    ignored = {
        "Templates/Daily.md": "{{date}}",
        "Extras/Meta/Weekly.md": "<% tp.date %>",
        "Sketch.excalidraw.md": "x",
        "Board.md": "---\nexcalidraw-plugin: parsed\n---\nx",
        "Private/Diary.md": "x",
        "Archive/2020/Old.md": "x",
        "Draft 1.md": "x",
    }
    for name, text in {**ignored, "Archive/Keep.md": "kept", "Plan.md": "We sail."}.items():
        (vault.root / name).parent.mkdir(parents=True, exist_ok=True)
        (vault.root / name).write_text(text)
    (vault.root / ".obsidian").mkdir()
    (vault.root / ".obsidian" / "templates.json").write_text('{"folder": "Extras/Meta"}')
    (vault.root / ".obsidian" / "app.json").write_text('{"userIgnoreFilters": ["Private/"]}')
    (vault.root / ".commonplaceignore").write_text("# mine\nArchive/2020/\nDraft*\n")
    sync(vault)
    assert {one.title for one in vault.engine.list("default")} == {"Plan", "Keep"}
    assert "Draft*" in inspect_vault(vault).passed["Draft 1.md"]
    # A rule that comes later forgets the note of a person's file, and one that goes brings it back.
    (vault.root / ".commonplaceignore").write_text("Plan.md\n!Templates/\n")
    sync(vault)
    clock.advance(GRACE_MS)
    sync(vault)
    titles = {one.title for one in vault.engine.list("default")}
    assert "Plan" not in titles
    assert {"Daily", "Old", "Draft 1"} <= titles
    (vault.root / ".commonplaceignore").unlink()
    sync(vault)
    assert "Plan" in {one.title for one in vault.engine.list("default")}
    assert (vault.root / "Plan.md").read_text() == "We sail."


def test_new_notes_of_agents_go_into_the_inbox(home: Path, clock: StoppedClock) -> None:
    where = {"COMMONPLACE_HOME": str(home), "COMMONPLACE_VAULT_INBOX": "Agents/Inbox"}
    engine = open_engine(load(where), clock)
    vault = vault_of(engine)
    kept(vault)
    kept(vault, "plan", "We fly.")
    assert list(files(vault)) == ["Agents/Inbox/Plan.md", "Agents/Inbox/plan-2.md"]
    # A person files it away, and it stays the same note.
    (vault.root / "Agents/Inbox/Plan.md").rename(vault.root / "Plan.md")
    sync(vault)
    assert [one.number for one in engine.history("default", at(vault, "Plan.md").id)] == [1, 2]
    engine.db.close()


@pytest.mark.parametrize(
    "inbox", ["../out", "/tmp/out", "a/../../b", ".hidden", "C:\\notes", "~/notes"]
)
def test_an_inbox_outside_of_the_folder_is_refused(inbox: str) -> None:
    with pytest.raises(Invalid, match="COMMONPLACE_VAULT_INBOX") as caught:
        load({"COMMONPLACE_VAULT_INBOX": inbox})
    assert "Inbox" in caught.value.hint


def test_an_inbox_that_is_a_link_is_not_followed(
    home: Path, clock: StoppedClock, tmp_path: Path
) -> None:
    engine = open_engine(
        load({"COMMONPLACE_HOME": str(home), "COMMONPLACE_VAULT_INBOX": "Inbox"}), clock
    )
    vault = vault_of(engine)
    vault.root.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (vault.root / "Inbox").symlink_to(tmp_path / "elsewhere")
    kept(vault)
    assert (vault.root / "Plan.md").exists()
    assert list((tmp_path / "elsewhere").iterdir()) == []
    engine.db.close()


def test_a_store_of_an_older_version_learns_tags_aliases_and_links_of_its_notes(
    home: Path, clock: StoppedClock
) -> None:
    vault = vault_of(engine := open_engine(load({"COMMONPLACE_HOME": str(home)}), clock))
    vault.root.mkdir(parents=True)
    plan = written(vault, "Plan.md", "---\naliases: [Voyage]\n---\nWe sail #someday.\n")
    written(vault, "A.md", "See [[Voyage]].\n")
    engine.revise("default", plan.id, Edit(tags=(), metadata={"vault": {"file": "Plan.md"}}), BY)
    engine.db.close()
    # As the version before left it: without what it did not know of.
    store = apsw.Connection(str(home / "commonplace.db"))
    old_stores.undo_renaming(store)
    store.execute(
        "update notes set version = (select version from memories where id = notes.memory_id)"
    )
    store.execute(
        "drop table wikilinks; drop table conflict_files; delete from migrations where name >="
        " '0015'"
    )
    assert store.changes() == 1
    store.close()
    vault = vault_of(engine := open_engine(load({"COMMONPLACE_HOME": str(home)}), clock))
    sync(vault)
    assert tagged(vault, "someday") == ["Plan"]
    assert backlinks(vault, [at(vault, "Plan.md")]) == {plan.id: ["A.md"]}
    assert sync(vault).changed == sync(vault, full=True).changed == 0
    engine.db.close()
