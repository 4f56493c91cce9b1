"""`commonplace recall` for people: the passage that answers, and a warning before what is
unsure.
"""

import json

from commonplace.faces.cli.commands.recall import UNSURE
from tests.faces.conftest import Run

ANSWER = "The staging database listens on port 5433."
FILLER = "\n".join(
    f"Paragraph {number} is about the garden and the neighbours." for number in range(2_500)
)
QUESTION = "which port does the staging database use?"


def test_a_long_note_is_shown_by_the_passage_that_answers(run: Run) -> None:
    text = f"{FILLER}\n{ANSWER}\n{FILLER}"
    run("add", "-", "--title", "Operations", stdin=text)

    answer = run("recall", QUESTION, "--limit", "1")

    assert ANSWER in answer.out
    assert "Operations" in answer.out
    assert f"passage of {len(text):,} characters" in answer.out
    assert answer.err == "--full shows the whole texts.\n"
    assert len(answer.out) < 1_000


def test_full_and_json_give_the_whole_text(run: Run) -> None:
    text = f"{FILLER}\n{ANSWER}\n{FILLER}"
    run("add", "-", stdin=text)

    full = run("recall", QUESTION, "--limit", "1", "--full")
    found = json.loads(run("recall", QUESTION, "--limit", "1", "--json").out)

    assert " ".join(text.split()) in " ".join(full.out.split())
    assert full.err == ""
    assert found["hits"][0]["memory"]["text"] == text


def test_a_short_memory_is_shown_whole_and_nothing_is_said_of_passages(run: Run) -> None:
    run("add", ANSWER)

    answer = run("recall", QUESTION)

    assert answer.out.startswith("0.")
    assert answer.out.splitlines()[0].endswith(ANSWER)
    assert "passage" not in answer.out
    assert answer.err == ""


def test_unsure_is_said_before_the_hits(run: Run) -> None:
    run("add", "Grace wrote the compiler for the Harvard computer.")
    run("add", "Grace likes sailing on the lake in summer.")

    unsure = run("recall", "which instrument does Grace play in the evening?")

    assert json.loads(
        run("recall", "which instrument does Grace play in the evening?", "--json").out
    )["unsure"]
    assert unsure.out.splitlines()[0] == UNSURE
    assert len(unsure.out.splitlines()) >= 3
    assert UNSURE not in run("recall", "what did Grace write?").out
