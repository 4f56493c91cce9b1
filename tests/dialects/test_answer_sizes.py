"""An answer has few more tokens than the same in plain text; docs/answers.md has the figures."""

from types import ModuleType
from typing import Any

import pytest

from tests.docs.loading import script


@pytest.fixture(scope="module")
def measure() -> ModuleType:
    return script("answer_sizes")


@pytest.fixture(scope="module")
def sizes(measure: ModuleType) -> dict[str, Any]:
    return {one.tool: one for one in measure.sizes()}


def test_every_reading_tool_keeps_its_budget(measure: ModuleType, sizes: dict[str, Any]) -> None:
    assert set(sizes) == set(measure.reading())
    assert {
        tool: round(one.ratio, 2)
        for tool, one in sizes.items()
        if one.ratio > measure.allowed(tool)
    } == {}


def test_no_tool_is_excused_that_keeps_the_common_budget(
    measure: ModuleType, sizes: dict[str, Any]
) -> None:
    assert {tool for tool, one in sizes.items() if one.ratio > measure.RATIO_MAX} == set(
        measure.FORCED
    )


def test_the_page_shows_what_the_answers_cost_now(measure: ModuleType) -> None:
    assert measure.PAGE.read_text(encoding="utf-8") == measure.page(), "run `make docs`"


def test_no_answer_has_empty_fields_in_its_records(measure: ModuleType) -> None:
    for tool, answer in measure.answers().items():
        for records in lists(answer["structuredContent"]):
            for record in records:
                empty = {name for name, value in record.items() if value in (None, "", [], {})}
                assert empty <= ALLOWED.get(tool, set()), tool


# The contracts have these: nothing supersedes the newest version, and a note has a list of tags.
ALLOWED = {
    "memstate.memstate_history": {"supersedes_id", "superseded_by"},
    "vault.memory_search": {"tags"},
    "vault.memory_recall": {"tags"},
}


def lists(value: object) -> list[list[dict[str, Any]]]:
    """Every list of records in an answer."""
    if isinstance(value, dict):
        return [one for inner in value.values() for one in lists(inner)]
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        return [value, *(one for record in value for one in lists(record))]
    return []
