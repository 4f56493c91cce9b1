"""`recall --explain`: what found each hit, every score, and why others were left out, readable on a
narrow terminal.
"""

import json
from collections.abc import Callable

from commonplace.faces.cli.commands import explain
from commonplace.faces.cli.terminal import display_width
from commonplace.recall import scoring
from tests.faces.conftest import Run

TEXTS = (
    "Staging listens on port 8443.",
    "The review of the port took Emil all of Tuesday.",
    (
        "The tram to the harbour leaves at nine in the morning and comes back when the last of the"
        " boats has landed."
    ),
)


def explained(run: Run, *args: str) -> str:
    for text in TEXTS:
        run("add", text)
    answer = run("recall", *args, "--explain")
    assert answer.code == 0
    return answer.out


def test_it_tells_by_what_a_hit_was_found_and_what_each_number_means(run: Run) -> None:
    shown = explained(run, "port of staging", "--limit", "1")
    assert "found by its words and its meaning" in shown
    for name, meant in (("keyword", "rare ones weigh more"), ("vector", "similarity in meaning")):
        (line,) = [line for line in shown.splitlines() if line.split()[:1] == [name]]
        assert "█" in line
        assert meant in line


def test_a_short_text_is_not_shown_twice_as_its_own_best_passage(run: Run) -> None:
    shown = explained(run, "port of staging", "--limit", "1")
    assert "passage" not in shown
    assert "section" not in shown


def test_every_kind_of_evidence_is_told_in_words() -> None:
    shown = (*scoring.WEIGHTS, *scoring.ORDER_WEIGHTS)
    assert {name.replace("_", " ") for name in shown} <= set(explain._DESCRIPTIONS)


def test_what_was_left_out_stands_below_its_reason_with_what_to_do(run: Run) -> None:
    shown = explained(run, "port of staging", "--limit", "1")
    assert "3 memories were considered: 1 kept, 2 left out." in shown
    head, _, rest = shown.partition("Beyond the limit: 1 (a larger --limit shows more)")
    assert TEXTS[0] in head
    assert TEXTS[1] in rest
    assert "The tram to the harbour" in rest.partition("Not close enough to the question: 1")[2]
    assert TEXTS[1] in run("recall", "port of staging", "--limit", "2").out


def test_a_score_asked_for_is_a_reason_too(run: Run) -> None:
    shown = explained(run, "port of staging", "--min-score", "0.999", "--limit", "5")
    assert "Below the minimum score" in shown
    assert "a smaller --min-score shows more" in shown


def test_many_of_one_reason_are_counted_and_a_program_gets_all(run: Run) -> None:
    for number in range(12):
        run("add", f"Lamp number {number} stands in the hall.")
    shown = explained(run, "lamp in the hall", "--limit", "2")
    assert "Beyond the limit: 10" in shown
    assert "… and 5 more; --json has all" in shown
    told = json.loads(run("recall", "lamp in the hall", "--limit", "2", "--explain", "--json").out)
    assert sum(one["why"] == "beyond the limit" for one in told["dropped"]) == 10


def test_without_a_hit_it_tells_what_was_too_far(run: Run) -> None:
    shown = explained(run, "quantum chromodynamics lectures in Göttingen")
    assert "Nothing relevant is known." in shown
    assert "3 memories were considered: 0 kept, 3 left out." in shown


def test_it_fits_into_eighty_columns_and_sixty(terminal: Callable[..., str]) -> None:
    for text in (*TEXTS, "数据库在东京" * 20):
        terminal(f"commonplace add '{text}'")
    for columns in (80, 60):
        environment = {"NO_COLOR": "1", "COLUMNS": str(columns)}
        shown = terminal(
            "commonplace recall 'port 数据库 harbour' --explain --limit 2", **environment
        )
        assert "considered" in shown
        assert max(map(display_width, shown.splitlines())) <= columns, shown


def test_what_was_told_twice_is_shown_once_with_the_id_of_the_other(run: Run) -> None:
    older, newer = (
        json.loads(run("add", TEXTS[0], "--json").out)["memory"]["id"] for _ in range(2)
    )
    shown = run("recall", "which port does staging use?")
    assert shown.out.count(TEXTS[0]) == 1
    assert f"also {older}" in shown.out
    (hit,) = json.loads(run("recall", "which port does staging use?", "--json").out)["hits"]
    assert (hit["memory"]["id"], hit["copies"]) == (newer, [older])
    explained = run("recall", "which port does staging use?", "--explain").out
    assert "Another memory says the same: 1" in explained
    assert "commonplace forget" in explained


def test_of_many_that_say_the_same_a_few_ids_are_shown_and_how_many_more_there_are(
    run: Run,
) -> None:
    for _ in range(7):
        run("add", TEXTS[0])
    (line,) = [
        line
        for line in run("recall", "which port does staging use?").out.splitlines()
        if " · also " in line
    ]
    assert line.endswith(" and 3 more")
