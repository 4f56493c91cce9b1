"""docs/decisions.md can be searched and cited: one numbered heading a decision, newest first."""

import re
from itertools import pairwise

from tests.docs.loading import ROOT

PAGE = ROOT / "docs" / "decisions.md"
HEADING = re.compile(r"## (\d+)\. (\S.*)")


def decisions(text: str) -> list[tuple[str, list[str]]]:
    """The headings of a page below its title, each with its paragraphs."""
    found: list[tuple[str, list[str]]] = []
    for block in re.split(r"\n\s*\n", text.strip())[2:]:
        if block.startswith("#"):
            found.append((block, []))
        elif found:
            found[-1][1].append(block)
    return found


def faults(text: str) -> list[str]:
    """What is wrong with the headings of a page of decisions."""
    wrong: list[str] = []
    numbers: list[int] = []
    for heading, paragraphs in decisions(text):
        found = HEADING.fullmatch(heading)
        if not found:
            wrong.append(f"{heading!r} is not a numbered heading")
            continue
        numbers.append(int(found[1]))
        if len(paragraphs) != 1:
            wrong.append(f"{found[1]} has {len(paragraphs)} paragraphs instead of one")
    wrong += [
        f"{later} stands above {earlier}"
        for later, earlier in pairwise(numbers)
        if later != earlier + 1
    ]
    if numbers[-1:] != [1]:
        wrong.append("the last decision is not number 1")
    names = [found[2] for heading, _ in decisions(text) if (found := HEADING.fullmatch(heading))]
    wrong += [f"{name!r} is a heading twice" for name in set(names) if names.count(name) > 1]
    return wrong


def test_each_decision_has_one_numbered_heading_and_the_newest_is_first() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert len(decisions(text)) > 100
    assert faults(text) == []


def test_a_wrong_number_and_a_missing_heading_are_noticed() -> None:
    intro = "# Decisions\n\nNewest first.\n\n"
    assert faults(intro + "## 2. B\n\nb\n\n## 1. A\n\na") == []
    assert faults(intro + "## 1. A\n\na\n\n## 2. B\n\nb")
    assert faults(intro + "## 2. B\n\nb\n\n## 2. A\n\na\n\n## 1. C\n\nc")
    assert faults(intro + "## 1. A\n\na\n\nanother decision")
    assert faults(intro + "## A\n\na")


def test_what_a_decision_refers_to_exists() -> None:
    text = PAGE.read_text(encoding="utf-8")
    last = len(decisions(text))
    numbers = re.findall(r"\b(?:[Ss]uperseded|[Ee]xtended|judged) by (\d+)", text)
    titles = re.findall(r"(?:see also|is chosen:)\s+\"([^\"]+)\"", text)
    paths = re.findall(r"`([\w/]+/[\w.]+\.(?:py|txt|json))`", text)

    assert [one for one in numbers if not 1 <= int(one) <= last] == []
    assert [one for one in titles if f". {' '.join(one.split())}\n" not in text] == []
    assert len(paths) > 10
    assert [
        path
        for path in paths
        if not (ROOT / path).exists() and not (ROOT / "src" / "commonplace" / path).exists()
    ] == []
