"""Texts read as outlines: tables of cases. A statement is shown as `path.label = text`."""

import pytest

from commonplace.extract import markdown_outline, sentences


def shown(text: str) -> list[str]:
    return [
        ".".join([*one.path, one.label or "*"]) + " = " + one.text
        for one in markdown_outline.parse_outline(text)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n## B\nx\n## C\ny", ["a.b.* = x", "a.c.* = y"]),
        ("### Deep first\nx\n# Then high\ny", ["deep_first.* = x", "then_high.* = y"]),
        ("Title\n=====\nx\n\nPart\n----\ny", ["title.* = x", "title.part.* = y"]),
        ("## Closed ##\nx", ["closed.* = x"]),
        ("#hashtag is no heading", ["* = #hashtag is no heading"]),
        ("## Empty\n## Full\nx", ["empty = Empty", "full.* = x"]),
        ("# Only", ["only = Only"]),
        ("---\ntitle: Spec\n---\nx", ["title = Spec", "* = x"]),
        ("a\n\n***\n\nb", ["* = a", "* = b"]),
    ],
)
def test_statements_are_under_their_headings(text: str, expected: list[str]) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Port: 8080", "port = 8080"),
        ("**Port:** 8080", "port = 8080"),
        ("**Port**: 8080", "port = 8080"),
        ("__Port__: 8080", "port = 8080"),
        ("`PORT`: 8080", "port = 8080"),
        ("PORT=8080", "port = 8080"),
        ("max_size = 10 MB", "max_size = 10 MB"),
        ("auth.provider: SuperTokens", "auth.provider = SuperTokens"),
        ("Owner — Ann", "owner = Ann"),
        ("staging -> 10.0.0.1", "staging = 10.0.0.1"),
        ("URL: https://example.com/a?b=c", "url = https://example.com/a?b=c"),
        ("https://example.com/a", "* = https://example.com/a"),
        ("Standup at 12:30 daily", "* = Standup at 12:30 daily"),
        ("if a == b then c", "* = if a == b then c"),
        (
            "We moved the deadline — it was too early",
            "* = We moved the deadline — it was too early",
        ),
        (
            "This is a long opening of seven words: x",
            "* = This is a long opening of seven words: x",
        ),
        ("[ ] write tests: all of them", "* = [ ] write tests: all of them"),
        ("キー: 値", "キー = 値"),
    ],
)
def test_a_label_names_its_value(line: str, expected: str) -> None:
    assert shown(line) == [expected]
    assert shown(f"- {line}") == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a\n- b", ["* = a", "* = b"]),
        ("1. a\n2) b\n* c\n+ d\n• e", ["* = a", "* = b", "* = c", "* = d", "* = e"]),
        ("- Phase 1\n  - a\n- Phase 2\n  - b", ["phase_1.* = a", "phase_2.* = b"]),
        ("- Phase 1\n\n  - a\n\n- b", ["phase_1.* = a", "* = b"]),
        ("- A:\n  - B:\n    - c\n  - d", ["a.b.* = c", "a.* = d"]),
        ("- Host: x\n  - Port: 1", ["host = x", "host.port = 1"]),
        ("- alone:", ["alone = alone:"]),
        ("- wrapped\n  over lines\n- next", ["* = wrapped\nover lines", "* = next"]),
        ("- a\n\t- b\n\t\t- c", ["a.b.* = c"]),
        (
            "- a parent that has very many words in it\n  - b",
            [
                "* = a parent that has very many words in it",
                "parent_very_many_words.* = b",
            ],
        ),
        (
            "It was done in\n2024. Then we stopped.",
            ["* = It was done in\n2024.", "* = Then we stopped."],
        ),
    ],
)
def test_lists_nest(text: str, expected: list[str]) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Key files:\n- a.go\n- b.go\n\nDone.",
            ["key_files.* = a.go", "key_files.* = b.go", "* = Done."],
        ),
        ("Key files:\n\n- a.go", ["key_files.* = a.go"]),
        (
            "Summary:\nWe did it. It works.\n\nMore.",
            ["summary.* = We did it.", "summary.* = It works.", "* = More."],
        ),
        (
            "Settings:\nHost: a\nPort: b\n\nOwner: c",
            ["settings.host = a", "settings.port = b", "owner = c"],
        ),
        ("Example:\n```sh\nls\n```", ["example.sh = ```sh\nls\n```"]),
        ("Decisions:\n\n# Next\nx", ["decisions = Decisions:", "next.* = x"]),
        ("Decisions:", ["decisions = Decisions:"]),
        ("First:\nSecond:\n- a", ["first = First:", "second.* = a"]),
        ("Settings\nHost: a", ["* = Settings", "host = a"]),
        (
            "Note: it goes on\nin the next line\n\nx",
            ["note = it goes on\nin the next line", "* = x"],
        ),
    ],
)
def test_a_label_alone_names_what_follows(text: str, expected: list[str]) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| Key | Value |\n|---|---|\n| a | 1 |\n| b | 2 |", ["a = 1", "b = 2"]),
        ("| Name | Port |\n|:--|--:|\n| redis | 6379 |", ["redis.port = 6379"]),
        ("City | b | c\n--|---|--\nx | 1 | 2", ["columns = City | b | c", "x.b = 1", "x.c = 2"]),
        ("| Key | b | c |\n|-|-|-|\n| x |  | 2 |\n| y | | |", ["x.c = 2", "y = y"]),
        ("| Key | b |\n|-|-|\n| x | 1 | more |", ["x.b = 1", "x.column_3 = more"]),
        (r"| Key | b |" "\n|-|-|\n" r"| x | p \| q |", [r"x.b = p \| q"]),
        ("| Key | b |\n|-|-|", ["columns = Key | b"]),
        ("this | that is prose", ["* = this | that is prose"]),
    ],
)
def test_tables_name_rows_and_columns(text: str, expected: list[str]) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "```\n# no heading\n- no: list\n```",
        "~~~python\n```\nx: 1\n~~~",
        "```\nnever closed\n# still code",
        "````md\n```\ninside\n```\n````",
        "> # no heading\n> Label: no label",
    ],
)
def test_code_and_quotations_are_values_word_for_word(text: str) -> None:
    assert [one.text for one in markdown_outline.parse_outline(text)] == [text]


def test_code_in_the_middle_of_a_line_is_no_fence() -> None:
    assert shown("```x``` is code\n# Heading\ny") == ["* = ```x``` is code", "heading.* = y"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ('He said "go." Then he left.', ['He said "go."', "Then he left."]),
        ("(In brackets.) After.", ["(In brackets.)", "After."]),
        ("See e.g. Redis, i.e. The cache.", ["See e.g. Redis, i.e. The cache."]),
        ("Version 1.2 is out. It works", ["Version 1.2 is out.", "It works"]),
        ("一。二！三", ["一。", "二！", "三"]),
        ("no end and. lower case", ["no end and. lower case"]),
    ],
)
def test_a_paragraph_is_split_into_sentences_and_nothing_is_lost(
    text: str, expected: list[str]
) -> None:
    assert sentences.split_sentences(text) == expected
