"""Every title has a file name that is valid on every system."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.vault.folder import filenames
from tests.vault.hostile_texts import TITLES


@given(st.text() | st.sampled_from(TITLES))
def test_a_name_is_portable(title: str) -> None:
    try:
        title.encode()
    except UnicodeEncodeError:
        return
    name = filenames.safe_stem(title)
    assert name
    assert name == unicodedata.normalize("NFC", name)
    assert len(f"{name}-9999.md".encode()) <= 255
    assert not set(name) & set('<>:"/\\|?*')
    assert not any(unicodedata.category(letter) == "Cc" for letter in name)
    assert name[0] not in ". "
    assert name[-1] not in ". "
    assert name.split(".")[0].upper() not in {"CON", "PRN", "AUX", "NUL", "COM1", "LPT1"}
    assert not filenames.is_temporary(f"{name}.md")


def test_a_taken_name_gets_a_number_also_when_only_case_or_spelling_differs() -> None:
    taken = {filenames.fold_path("Café.md"), filenames.fold_path("café-2.md")}
    assert filenames.free_name("CAFE\u0301", taken.__contains__) == "CAFÉ-3.md"


@pytest.mark.parametrize(
    "stem",
    [
        "a (conflicted copy 2026-01-01)",
        "a [Conflict]",
        "Copy of a",
        "a.sync-conflict-20260101-120000-ABC",
        "a (2)",
    ],
)
def test_conflict_copies_are_known_by_their_names(stem: str) -> None:
    assert filenames.is_conflict_name(stem, {"a"}.__contains__)


def test_a_number_in_brackets_is_a_copy_only_beside_its_original() -> None:
    assert not filenames.is_conflict_name("Rocky (2)", {"a"}.__contains__)
