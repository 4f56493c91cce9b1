"""The keys of statements, and the properties that hold for every text."""

import re
from collections.abc import Callable

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from commonplace.extract import markdown_outline
from commonplace.extract.key_assignment import Hints, assign_keys, compare_values


def placed(text: str, known: dict[str, str] | None = None, **hints: str) -> dict[str, str]:
    return {one.key: one.text for one in assign_keys(text, known or {}, Hints(**hints))}


@pytest.mark.parametrize(
    ("text", "hints", "keys"),
    [
        ("A thing is done.", {}, ["notes.thing_done"]),
        ("A thing is done.", {"source": "meeting"}, ["meeting.thing_done"]),
        (
            "A thing is done.",
            {"source": "meeting", "context": "Sprint plan"},
            ["sprint_plan.thing_done"],
        ),
        ("A thing is done.", {"context": "auth.session"}, ["auth.session.thing_done"]),
        ("Port: 1", {}, ["port"]),
        ("Port: 1", {"context": "Server"}, ["server.port"]),
        ("web.port: 1", {"context": "Server"}, ["web.port"]),
        ("# A\nA thing is done.", {"context": "Server"}, ["a.thing_done"]),
        ("Intro is here.\n# A\nx: 1", {}, ["a.x", "notes.intro_here"]),
        ("# Project\nx: 1", {}, ["the_project.x"]),
        ("Project: Apollo", {}, ["project"]),
    ],
)
def test_a_statement_goes_below_its_headings_or_the_hints(
    text: str, hints: dict[str, str], keys: list[str]
) -> None:
    assert list(placed(text, None, **hints)) == keys


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- Files: a\n- Files: b\n- Files: a", {"files": "a\nb"}),
        (
            "- Use A 1.\n- Use A 2.\n- Use A 1.",
            {"notes.use": "Use A 1.", "notes.use_2": "Use A 2."},
        ),
        ("# S\nA port is open.\n\nPort: 1", {"s.port": "1", "s.port_open": "A port is open."}),
    ],
)
def test_a_repeated_key_in_one_text_becomes_a_list_or_gets_a_number(
    text: str, expected: dict[str, str]
) -> None:
    assert placed(text) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, "a", "none"),
        ("a", "a", "none"),
        ("Redis", "Redis and Kafka", "additive"),
        ("80", "8080", "supersede"),
        ("Redis", "Kafka", "supersede"),
        ("We use Redis", "We no longer use Redis", "contradiction"),
        ("It doesn't work", "It works", "contradiction"),
        ("Not Redis", "Not Kafka", "supersede"),
    ],
)
def test_the_relation_of_two_values(before: str | None, after: str, expected: str) -> None:
    found, reason = compare_values(before, after)
    assert (found, bool(reason)) == (expected, expected != "none")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Port: 8080", "fact"),
        ("The sky is blue", "note"),
        ("We decided on Kafka", "decision"),
        ("I prefer tabs", "preference"),
        ("Every call must be logged", "requirement"),
        ("[ ] write tests", "task"),
        ("# Lessons\nLesson: test first", "learning"),
        ("```\nx\n```", "code"),
    ],
)
def test_a_statement_has_a_category(text: str, kind: str) -> None:
    assert [one.kind for one in assign_keys(text, {})] == [kind]


def test_a_line_with_the_same_start_but_another_meaning_is_no_edit() -> None:
    known = placed("The API uses Redis")
    assert known.keys().isdisjoint(placed("The API uses JWT", known))


def test_only_statements_of_the_same_text_are_earlier_wordings() -> None:
    known = {"notes.deploy_day": "Deploys run on Friday at noon sharp"}
    after = "Deploys run on Friday at noon precisely"
    assert [one.key for one in assign_keys(after, known, extracted_keys={"notes.deploy_day"})] == [
        "notes.deploy_day"
    ]
    assert [one.key for one in assign_keys(after, known, extracted_keys=())] == [
        "notes.deploys_run_friday_noon_precisely"
    ]


# Documents in which every value has a word of its own, so that each can be followed to where it
# went.

Block = Callable[[Callable[[], str]], str]
BLOCKS: list[Block] = [
    lambda word: f"# Chapter {word()}",
    lambda word: f"### Part {word()}",
    lambda word: (
        f"The {word()} service answers all requests within a second. Nobody knows the {word()}"
        " of it."
    ),
    lambda word: f"A paragraph about {word()}\nthat goes on with {word()}\nand ends.",
    lambda word: f"- item with {word()}\n- second with {word()}\n  wrapped {word()}",
    lambda word: (
        f"- Parent {word()}\n  - child with {word()}\n    - grandchild with {word()}\n  - child"
        f" with {word()}"
    ),
    lambda word: f"1. first {word()}\n2. second {word()}",
    lambda word: f"Label{word()}: the value {word()} of it",
    lambda word: f"**Bold{word()}:** a {word()}\n**Other{word()}:** b {word()}",
    lambda word: f"key_{word()} = {word()}",
    lambda word: f"KEY_{word()}={word()}",
    lambda word: f"Lead {word()}:",
    lambda word: f"Lead {word()}:\n- below {word()}",
    lambda word: f"```py\nx = '{word()}'\n# {word()}\n```",
    lambda word: f"> quoted {word()}\n> and {word()}",
    lambda word: (
        f"| Name | Size |\n|---|---|\n| row {word()} | {word()} |\n| row {word()} | {word()} |"
    ),
    lambda word: f"| Name | Size | Age |\n|---|---|---|\n| row {word()} | {word()} | {word()} |",
    lambda word: "---",
    lambda word: "",
]
WORD = re.compile(r"w\d+w")


@st.composite
def documents(draw: st.DrawFn) -> str:
    numbers = iter(range(10_000))
    blocks = [
        draw(st.sampled_from(BLOCKS))(lambda: f"w{next(numbers)}w")
        for _ in range(draw(st.integers(1, 12)))
    ]
    return "".join(block + draw(st.sampled_from(("\n", "\n\n"))) for block in blocks)


SIGNS = st.text(st.sampled_from("ab1 \n\t#-*_=:|>`~.!?()[]é北。"), max_size=60)
ROUNDS = settings(max_examples=150, deadline=None)


@ROUNDS
@given(documents())
def test_every_word_of_a_document_is_in_one_value_or_in_the_keys(text: str) -> None:
    result, words = placed(text), WORD.findall(text)
    assume(words)  # A document of rules and marks has none.
    for word in words:
        values = [key for key, value in result.items() if word in value]
        names = [key for key in result if word in key]
        assert len(values) == 1 or (not values and names), (word, values, names)


@ROUNDS
@given(documents())
def test_a_value_is_in_the_words_of_the_document(text: str) -> None:
    said = {line.strip() for one in assign_keys(text, {}) for line in one.text.splitlines()}
    assert all(line in text for line in said)


@ROUNDS
@given(st.one_of(documents(), SIGNS), st.one_of(documents(), SIGNS))
def test_the_same_text_again_changes_nothing(earlier: str, text: str) -> None:
    known = placed(earlier)
    known |= placed(text, known)
    assert {
        key: value for key, value in placed(text, known).items() if known.get(key) != value
    } == {}


@ROUNDS
@given(documents(), st.randoms(use_true_random=False))
def test_one_edited_value_changes_one_key(text: str, random: object) -> None:
    known = placed(text)
    values = [word for word in WORD.findall(text) if not any(word in key for key in known)]
    if not values:
        return
    edited = placed(text.replace(random.choice(values), "changed"), known)  # type: ignore[attr-defined]
    assert len([key for key, value in edited.items() if known.get(key) != value]) == 1


@ROUNDS
@given(documents(), documents())
def test_keys_that_are_not_in_the_text_do_not_change(earlier: str, text: str) -> None:
    known = placed(earlier)
    changed = {
        one.key
        for one in assign_keys(text, known, extracted_keys=())
        if known.get(one.key) != one.text
    }
    assert {key for key in changed if key in known} <= placed(text).keys()


@ROUNDS
@given(SIGNS)
@example("# abab\n- baba: aabb")
def test_every_line_with_content_is_kept_whatever_its_signs(text: str) -> None:
    kept = " ".join(f"{one.key} {one.text}" for one in assign_keys(text, {}))
    for line in text.splitlines():
        for word in re.findall(r"[ab]{4,}", line):
            assert word in kept


LONG = 100_000
ENDLESS = {
    "a path without an end": "a" + ".a" * (LONG // 2) + " b!",
    "slashes": "a/" * (LONG // 2) + "!",
    "underscores": "a_" * (LONG // 2) + " b",
    "a heading full of spaces": "# a" + " " * (LONG - 10) + "b",
    "a table full of spaces": "a|b\n" + " " * (LONG - 10) + "x|",
    "abbreviations": "Ab e.g. " * (LONG // 8),
    "labels in labels": "a: " * (LONG // 3),
    "dashes": "a — " * (LONG // 4),
    "quotes": ">" * LONG,
    "fences": "```\n" * (LONG // 4),
    "the same item": "- a\n" * (LONG // 4),
    "a very deep list": "".join(f"{' ' * depth}- l{depth}\n" for depth in range(440)),
    "one word": "x" * LONG,
    "stars": "*" * LONG,
    "empty lines": "a\n" + "\n" * LONG,
}


@pytest.mark.parametrize("name", ENDLESS)
def test_no_text_takes_long(name: str) -> None:
    known = placed(ENDLESS[name])
    assert placed(ENDLESS[name], known) == known


def test_statements_are_read_in_the_order_of_the_text() -> None:
    text = "a: 1\n\nb: 2\n\n# C\nd"
    assert [one.text for one in markdown_outline.parse_outline(text)] == ["1", "2", "d"]
