"""What counts as a tag or a link in the text of a note."""

import time

import pytest

from commonplace.vault.note_format.markdown import LINKS_MAX, link_names, linkable_names, text_tags


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("Water the #garden today.", ("garden",)),
        ("#first of all, and #last", ("first", "last")),
        (
            "#projects/boat/ #two-words #snake_case #v2",
            ("projects/boat", "two-words", "snake_case", "v2"),
        ),
        ("#naïve #日本 #Ärger", ("naïve", "日本", "Ärger")),
        ("#Boat and #boat", ("Boat",)),
        ("#12 is a number, #2026-plan is not", ("2026-plan",)),
        ("# Heading\n## About #boats\n#tag", ("tag",)),
        ("see https://example.com/#pier and [a](#anchor), C#major", ()),
        ("`#code` and ``a ` #more`` but #this", ("this",)),
        ("an open ` tick and #this", ("this",)),
        ("```\n#no\n```\n#yes\n~~~~ sh\n#no\n~~~\n#no\n~~~~\n#also", ("yes", "also")),
        ("- [ ] call Ada #todo\n> quoted #said", ("todo", "said")),
        ("#" + "x" * 81, ()),
        ("#!/bin/sh ## #", ()),
    ],
)
def test_tags_are_found_in_the_text_and_not_in_code_headings_or_urls(
    text: str, tags: tuple[str, ...]
) -> None:
    assert text_tags(text) == tags


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[[Plan]] and [[Plan|the plan]]", ("plan",)),
        ("[[Plan#Monday]] [[Plan#Monday|then]] [[Crew^3]]", ("plan", "crew^3")),
        (
            "![[Map]] [[trips/Texel.md]] [[../up/Here]] [[/top/There]]",
            ("map", "trips/texel", "here", "top/there"),
        ),
        ("[[#Only a heading]] [[]] [[ ]] [[a\nb]] [one]", ()),
        ("`[[code]]`\n```\n[[code]]\n```\n[[Cafe\u0301]]", ("café",)),
    ],
)
def test_links_are_found_by_the_names_of_their_notes(text: str, found: tuple[str, ...]) -> None:
    assert link_names(text) == found


def test_a_note_is_meant_by_its_file_any_of_its_folders_its_aliases_and_its_title() -> None:
    found = linkable_names("Trips/2026/Texel.md", "To Texel", ("The Trip",))
    assert found == ("trips/2026/texel", "2026/texel", "texel", "the trip", "to texel")


def test_no_more_links_are_kept_than_the_limit() -> None:
    assert (
        len(link_names(" ".join(f"[[note {number}]]" for number in range(2 * LINKS_MAX))))
        == LINKS_MAX
    )


@pytest.mark.parametrize(
    "shape", ["#a", "[[", "[[a|", "`", "`` ` ", "[[a]]", "\n```", "#/", "~~~\n", "](", "# "]
)
def test_hostile_texts_take_linear_time(shape: str) -> None:
    text = shape * (1_000_000 // len(shape))
    started = time.process_time()
    text_tags(text)
    link_names(text)
    assert time.process_time() - started < 5
