"""Which memories are copies of each other, and which are memories of their own."""

from dataclasses import replace

import pytest

from commonplace.recall import deduplication
from commonplace.records.memory import Memory, Scope

SAID = Memory(
    id=1,
    bank_id=1,
    scope=Scope(project="harbour"),
    text="The lamp oil is in the loft.",
    title="Oil",
    kind="note",
    key="stores.oil",
    tags=("lamps", "loft"),
    metadata={"by": "Ada", "page": 3},
    paths=(),
    category="",
    happened_at=7,
    happened_until=None,
    expires_at=None,
    document_id=None,
    version=1,
    version_id=2,
    created_at=10,
    updated_at=10,
    forgotten_at=None,
)
OURS = {"fact": {"context": "general", "mentioned_at": 5}, "vault": {"file": "oil.md"}}


def are_copies(**changes: object) -> bool:
    return deduplication.group_copies([SAID, replace(SAID, id=2, **changes)]) == [[1, 2]]  # pyright: ignore


@pytest.mark.parametrize(
    "text",
    [
        "the lamp oil is in the LOFT",
        "  The lamp oil\nis  in the loft!",
        "The lamp oil is in the loft...",
    ],
)
def test_capitals_spaces_and_the_mark_at_the_end_make_no_difference(text: str) -> None:
    assert are_copies(text=text)


@pytest.mark.parametrize(
    "text",
    [
        "The lamp oil is in the loft?",
        "The lamp oil is in the lofts.",
        "The lamp oil is not in the loft.",
        "The lamp-oil is in the loft.",
        "",
    ],
)
def test_another_word_or_a_question_mark_makes_a_different_text(text: str) -> None:
    assert not are_copies(text=text)


def test_time_and_dialect_of_writing_make_no_difference() -> None:
    assert are_copies(
        created_at=99,
        updated_at=99,
        kind="fact",
        category="general",
        document_id=4,
        paths=("src/*",),
    )
    assert are_copies(
        tags=("loft", "lamps"), metadata={"page": 3, "by": "Ada"} | OURS, version=3, version_id=9
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"scope": Scope(project="harbour", user="ben")},
        {"scope": Scope()},
        {"title": "Oil for the lamps"},
        {"key": "stores.lamp_oil"},
        {"tags": ("lamps",)},
        {"metadata": {"by": "Ben", "page": 3}},
        {"metadata": {}},
        {"happened_at": 8},
        {"happened_until": 9},
        {"kind": "observation"},
    ],
    ids="-".join,
)
def test_another_path_note_or_date_makes_a_memory_of_its_own(
    changes: dict[str, object],
) -> None:
    assert not are_copies(**changes)


def test_a_key_made_from_the_text_makes_no_difference() -> None:
    plain = replace(SAID, key="")
    digest = replace(SAID, id=2, key="ae755baea52561576f24b703")
    assert deduplication.group_copies(
        [plain, digest, replace(SAID, id=3, key="ae755baea52561576f24")]
    ) == [[1, 2]]


def test_groups_do_not_overlap_and_a_single_memory_is_in_none() -> None:
    some = [
        replace(SAID, id=number, text=text)
        for number, text in enumerate(("A.", "B.", "a", "C.", "b"))
    ]
    assert deduplication.group_copies(some) == [[0, 2], [1, 4]]
