"""Ids can be shortened wherever the command line takes one."""

import json
from collections.abc import Callable
from pathlib import Path

from commonplace import ids
from commonplace.app import open_engine
from commonplace.engine.engine import Engine
from commonplace.records.memory import Draft
from commonplace.settings import load
from tests.faces.conftest import Run


def store(home: Path, *texts: str) -> list[str]:
    engine: Engine = open_engine(load({"COMMONPLACE_HOME": str(home)}))
    made = [
        ids.short_form(one.memory.id)
        for one in engine.remember_many("default", [Draft(text=text) for text in texts])
    ]
    engine.db.close()
    return made


def test_a_unique_beginning_of_an_id_is_enough_for_every_command(run: Run, home: Path) -> None:
    (full,) = store(home, "Staging listens on port 8080.")
    short = full[:6]

    assert json.loads(run("show", short, "--json").out)["id"] == full
    assert json.loads(run("show", f"mem_{short[1:]}", "--json").out)["id"] == full
    assert run("revise", short, "Staging listens on port 9090.").code == 0
    assert len(run("history", short, "--json").out.splitlines()) == 2
    assert run("forget", short).code == 0
    assert run("restore", short).code == 0
    assert full in run("purge", short, "--yes").out


def test_a_beginning_of_several_ids_changes_nothing_and_lists_them(run: Run, home: Path) -> None:
    first, second = store(home, "Staging listens on port 8080.", "The cat is called Ada.")

    answer = run("forget", first[:6])

    assert (answer.code, answer.out) == (2, "")
    assert f"Several ids begin with {first[:6]}:" in answer.err
    assert f"{first} (Staging listens on port 8080.)" in answer.err
    assert f"{second} (The cat is called Ada.)" in answer.err
    assert "Repeat with more characters of the id." in answer.err
    assert len(run("list", "--json").out.splitlines()) == 2


def test_a_beginning_of_no_id_says_so(run: Run, home: Path) -> None:
    store(home, "Staging listens on port 8080.")

    answer = run("show", "mzzzz")

    assert answer.code == 4
    assert "No memory in bank 'default' has an id that begins with mzzzz." in answer.err


def test_a_terminal_shows_ids_as_short_as_they_can_be_typed(terminal: Callable[..., str]) -> None:
    terminal('for n in 1 2 3; do commonplace add "Note $n about ports."; sleep 0.3; done')
    full = [json.loads(line)["id"] for line in terminal("commonplace list --json").splitlines()]

    for command in ("list", "recall 'notes about ports' --limit 3"):
        words = terminal(f"commonplace {command}", NO_COLOR="1").split()
        short = [word for word in words if word.startswith("m0") and len(word) < 12]
        assert len(short) == 3, words
        assert [sum(one.startswith(name) for one in full) for name in short] == [1, 1, 1]
        assert "Note" in terminal(f"commonplace show {short[0]}")


def test_a_shown_id_is_never_shared_with_its_neighbours(home: Path) -> None:
    made = store(home, *(f"Note {number}" for number in range(40)))
    engine = open_engine(load({"COMMONPLACE_HOME": str(home)}))

    shown = engine.short_ids([ids.parse(one) for one in made])

    assert [[full for full in made if full.startswith(name)] for name in shown.values()] == [
        [one] for one in made
    ]
    assert [ids.parse(engine.complete_id("default", name)) for name in shown.values()] == list(
        shown
    )
    engine.db.close()
