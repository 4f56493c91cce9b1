"""The commands about notes, as a person with a folder of markdown files uses them."""

import json
from pathlib import Path

from tests.faces.conftest import Answer, Run


def bytes_below(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a folder, with its bytes and the time at which it was changed."""
    return {
        str(file.relative_to(folder)): (file.read_bytes(), file.stat().st_mtime_ns)
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def noted(run: Run, home: Path, name: str, text: str) -> str:
    """The id of a note that a person wrote into the folder."""
    file = home / "vault" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    assert run("vault", "sync").code == 0
    found = [json.loads(line) for line in run("list", "--json").out.splitlines()]
    return next(one["id"] for one in found if one["metadata"]["vault"]["file"] == name)


def status(run: Run) -> Answer:
    return run("vault", "status")


def test_status_looks_and_changes_not_a_byte(run: Run, home: Path) -> None:
    known = noted(run, home, "Plan.md", "We sail on Friday.")
    (home / "vault" / "New.md").write_text("Nobody has read this yet.")
    (home / "vault" / "Plan.md").write_text("We sail on Saturday.")
    (home / "vault" / "Broken.md").write_bytes(b"\xff\xfe")
    (home / "vault" / "Gone.md").write_text("Soon gone.")
    run("vault", "sync")
    (home / "vault" / "Gone.md").unlink()
    (home / "vault" / "Later.md").write_text("Even newer.")
    run("revise", known, "--tag", "sea")
    (home / "vault" / "Plan.md").write_text("We sail on Sunday.")
    before = bytes_below(home)
    answer = status(run)
    assert run("vault", "status", "--json").code == answer.code == 1
    assert bytes_below(home) == before
    told = " ".join(answer.err.split() + answer.out.split())
    assert "1 file to read as a new note, 1 changed file to read" in told
    assert "Broken.md" in told
    assert "Gone.md" in told


def test_status_makes_no_store_where_there_is_none(run: Run, home: Path) -> None:
    answer = status(run)
    assert answer.code == 0
    assert "The first note creates it." in answer.err
    assert not home.exists() or not list(home.iterdir())


def test_status_tells_what_is_in_a_folder_before_there_is_a_store(run: Run, home: Path) -> None:
    for name, text in (
        ("Plan.md", "We sail."),
        ("Broken.md", "---\ntitle: 'open\n---\nx"),
        ("Old.tmp", "x"),
    ):
        (home / "vault" / name).parent.mkdir(parents=True, exist_ok=True)
        (home / "vault" / name).write_text(text)
    before = bytes_below(home)
    answer = status(run)
    told = " ".join((answer.err + answer.out).split())
    assert "2 files to read as new notes" in told
    assert "Line 2: A quoted string in the frontmatter is not closed." in told
    assert bytes_below(home) == before


def test_an_older_version_comes_back_as_the_newest_and_its_file_follows(
    run: Run, home: Path
) -> None:
    number = noted(run, home, "Plan.md", "We sail on Friday.")
    (home / "vault" / "Plan.md").write_text("We sail on Saturday.")
    run("vault", "sync")
    answer = run("restore", number, "--version", "1", "--reason", "Friday it is")
    assert (answer.code, answer.out) == (0, f"Restored {number} (version 3)\n")
    assert "We sail on Friday." in (home / "vault" / "Plan.md").read_text()
    history = [json.loads(line) for line in run("history", number, "--json").out.splitlines()]
    assert [one["text"] for one in history] == [
        "We sail on Friday.",
        "We sail on Saturday.",
        "We sail on Friday.",
    ]
    assert run("vault", "sync").err.endswith("nothing has changed.\n")


def test_a_note_that_moved_stays_where_it_is_when_an_older_version_comes_back(
    run: Run, home: Path
) -> None:
    number = noted(run, home, "Plan.md", "We sail on Friday, all of us together.")
    (home / "vault" / "trips").mkdir()
    (home / "vault" / "Plan.md").rename(home / "vault" / "trips" / "Plan.md")
    run("vault", "sync")
    run("revise", number, "Nobody sails.")
    assert run("restore", number, "--version", "1").code == 0
    assert (
        json.loads(run("show", number, "--json").out)["metadata"]["vault"]["file"]
        == "trips/Plan.md"
    )
    assert "all of us together" in (home / "vault" / "trips" / "Plan.md").read_text()


def test_a_forgotten_memory_comes_back_with_the_version_that_is_named(run: Run) -> None:
    number = run("add", "The key is under the mat.").out.split()[1]
    run("revise", number, "The key is in the shed.")
    run("forget", number)
    assert run("restore", number, "--version", "1").code == 0
    assert "under the mat" in run("list").out
    assert (
        run("restore", number, "--version", "1").out == f"Nothing to change: {number} (version 4)\n"
    )


def test_a_version_that_is_not_there_or_of_several_memories_is_refused(run: Run) -> None:
    number = run("add", "The key is under the mat.").out.split()[1]
    answer = run("restore", number, "--version", "7")
    assert answer.code != 0
    assert "no version 7; its newest is 1" in answer.err
    assert "one id" in run("restore", number, number, "--version", "1").err
    assert "Give ids" in run("restore", "--version", "1").err


def test_a_hit_says_in_which_file_it_lies(run: Run, home: Path) -> None:
    noted(run, home, "trips/Sailing plan.md", "We sail to Texel on Friday.")
    assert "trips/Sailing plan.md" in run("recall", "when do we sail to Texel?").out
    hits = json.loads(run("recall", "when do we sail to Texel?", "--json").out)["hits"]
    assert [hit["path"] for hit in hits] == ["trips/Sailing plan.md"]
