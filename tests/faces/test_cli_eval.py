"""`commonplace eval` measures with questions from a file, and reports invalid files."""

import json
from pathlib import Path
from typing import Any

import pytest

from commonplace import ids
from tests.faces.conftest import Answer, Run


def told(answer: Answer) -> Any:
    """What a run printed for programs."""
    assert answer.code == 0, answer.err
    return json.loads(answer.out)


@pytest.fixture
def known(run: Run) -> dict[str, str]:
    """Three memories, by a word for each."""
    texts = {
        "old": "Staging listens on port 8080.",
        "new": "Since March staging listens on port 9090.",
        "cat": "The office cat is called Pipa.",
    }
    return {
        word: told(run("add", text, "--tag", word, "--json"))["memory"]["id"]
        for word, text in texts.items()
    }


@pytest.fixture
def written(tmp_path: Path) -> Any:
    def write(*cases: object, name: str = "questions.jsonl") -> str:
        file = tmp_path / name
        file.write_text(
            "\n".join(case if isinstance(case, str) else json.dumps(case) for case in cases)
        )
        return str(file)

    return write


def test_measures_come_with_intervals_and_say_over_how_many_questions(
    run: Run, known: dict[str, str], written: Any
) -> None:
    file = written(
        {"question": "what is the office cat called?", "expected": [known["cat"]]},
        {"question": "what is the office cat called?", "expected": [known["old"]], "tags": ["cat"]},
        {"question": "who won the football cup in 1998?", "expected": []},
    )

    found = told(run("eval", file, "--json"))

    assert (found["questions"], found["limit"]) == (3, 10)
    assert found["measures"]["recall@5"]["value"] == 0.5
    assert found["measures"]["recall@5"]["questions"] == 2
    assert found["measures"]["recall@5"]["low"] < 0.5 < found["measures"]["recall@5"]["high"]
    assert found["measures"]["unanswerable admitted"]["value"] == 1
    assert "superseded on top" not in found["measures"]


def test_ids_come_in_any_form_alone_or_as_a_list(
    run: Run, known: dict[str, str], written: Any
) -> None:
    number = ids.parse(known["cat"])
    forms: list[object] = [
        number,
        str(number),
        known["cat"],
        ids.memstate_form(number),
        ids.note_form(number),
    ]
    cases = [
        {"question": "office cat?", "expected": form}
        for form in [*forms, ids.uuid_form(number), [number]]
    ]

    found = told(run("eval", written(*cases), "--json"))

    assert found["measures"]["any@5"] == {"value": 1, "low": 1, "high": 1, "questions": len(cases)}
    assert found["misses"] == []


def test_a_memory_that_was_told_twice_is_found_by_either_of_its_ids(
    run: Run, known: dict[str, str], written: Any
) -> None:
    twin = told(run("add", "The office cat is called Pipa.", "--tag", "cat", "--json"))["memory"][
        "id"
    ]
    cases = [
        {"question": "office cat?", "expected": one}
        for one in (known["cat"], twin, [known["cat"], twin])
    ]
    found = told(run("eval", written(*cases), "--json"))
    assert {name: found["measures"][name]["value"] for name in ("recall@5", "mrr")} == {
        "recall@5": 1,
        "mrr": 1,
    }


@pytest.mark.parametrize("whole", ["[{}]", '{{"questions": [{}]}}', "{}"])
def test_a_json_list_an_object_with_a_list_and_a_single_object_will_do(
    run: Run, known: dict[str, str], written: Any, whole: str
) -> None:
    case = json.dumps({"question": "office cat?", "expected": [known["cat"]]}, indent=2)

    assert told(run("eval", written(whole.format(case)), "--json"))["measures"]["mrr"]["value"] == 1


def test_misses_show_what_was_expected_and_what_was_found(
    run: Run, known: dict[str, str], written: Any
) -> None:
    file = written(
        {"question": "what is the office cat called?", "expected": [known["old"]], "tags": ["cat"]}
    )

    short, long = run("eval", file), run("eval", file, "--misses")

    assert "1 answered wrongly (--misses lists them)" in short.err
    assert "Pipa" not in short.out
    assert "missed  what is the office cat called?" in long.out
    assert f"expected {known['old']}  Staging listens on port 8080." in long.out
    assert f"found    {known['cat']}  The office cat is called Pipa." in long.out


def test_a_question_can_have_its_own_bank_and_what_was_right_once(run: Run, written: Any) -> None:
    words = ("add", "Red kettles boil at Ada's.", "--bank", "work", "--json")
    kettle = told(run(*words))["memory"]["id"]
    case = {"question": "red kettles", "expected": [], "superseded": [kettle], "bank": "work"}

    found = told(run("eval", written(case), "--json"))

    assert found["misses"] == [
        {
            "question": "red kettles",
            "bank": "work",
            "why": "answered without knowing",
            "expected": [],
            "found": [kettle],
        }
    ]


def test_nothing_is_changed_by_measuring(run: Run, known: dict[str, str], written: Any) -> None:
    before = run("list", "--json").out
    run("eval", written({"question": "office cat?", "expected": [known["cat"]]}))

    assert run("list", "--json").out == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "The file has no questions."),
        ("[]", "The file has no questions."),
        ("[", "The file is not JSON"),
        ('{"question": "a", "expected": []}\nnonsense', "Line 2 is not JSON"),
        ("[1]", "Question 1 is not an object."),
        ('{"expected": []}', "Question 1 has no question."),
        ('{"question": 3, "expected": []}', "Question 1: 'question' is not a string."),
        ('{"question": "a"}', "Question 1 has no expected ids."),
        ('{"question": "a", "expected": {}}', "Question 1: 'expected' is not a list."),
        (
            '{"question": "a", "expected": [null]}',
            "Question 1 has None in 'expected', which is not an id.",
        ),
        (
            '{"question": "a", "expected": ["zz"]}',
            "Question 1, 'expected': 'zz' is not a memory id.",
        ),
        (
            '{"question": "a", "expected": ["m0rpbtc40000"]}',
            "Question 1 expects m0rpbtc40000, which bank",
        ),
        ('{"question": "a", "expect": []}', "Question 1 has an unknown field 'expect'."),
        ('{"question": "a", "expected": [], "bank": "nowhere"}', "There is no bank 'nowhere'."),
        ('{"question": "a", "expected": [], "now": "soon"}', "Question 1: 'soon' is not a time."),
        (
            f'[{{"question": "{"long " * 4000}", "expected": []}}]',
            "Question 1: The question has 20,000 characters",
        ),
        ("[" * 100_000, "The file is nested too deeply."),
    ],
)
def test_a_file_that_is_not_as_it_should_be_is_refused_by_the_place_and_with_a_way_out(
    run: Run, written: Any, content: str, message: str
) -> None:
    answer = run("eval", written(content))

    assert answer.code != 0
    assert message in answer.err
    assert "Hint:" in answer.err
    assert "internal error" not in answer.err


def test_a_forgotten_memory_is_not_expected(run: Run, known: dict[str, str], written: Any) -> None:
    run("forget", known["cat"])
    answer = run("eval", written({"question": "office cat?", "expected": [known["cat"]]}))

    assert f"expects {known['cat']}, which was forgotten" in answer.err
    assert f"commonplace restore {known['cat']}" in answer.err


def test_what_cannot_be_read_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "latin.jsonl").write_bytes(b'{"question": "Caf\xe9?", "expected": []}')

    assert "There is no file" in run("eval", str(tmp_path / "none.jsonl")).err
    assert "is a folder" in run("eval", str(tmp_path)).err
    assert "is not UTF-8 text" in run("eval", str(tmp_path / "latin.jsonl")).err
    assert "limit" in run("eval", str(tmp_path / "none.jsonl"), "--limit", "0").err
