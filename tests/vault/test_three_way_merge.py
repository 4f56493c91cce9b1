"""Three-way merges keep the changes of both sides, line by line, and count conflicts."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.vault.three_way_merge import Merged, three_way_merge

LINES = st.lists(st.sampled_from(["", "a", "b", "c", "d"]), max_size=12)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged", "conflict_count"),
    [
        # Only one side changed something.
        ("a\nb", "a\nb", "a\nx", "a\nx", 0),
        ("a\nb", "a\nx", "a\nb", "a\nx", 0),
        ("a\nb", "a\nx", "a\nx", "a\nx", 0),
        # Each side changed other lines, also neighbouring ones.
        ("a\nb\nc", "A\nb\nc", "a\nb\nC", "A\nb\nC", 0),
        ("- [ ] a\n- [ ] b", "- [x] a\n- [ ] b", "- [ ] a\n- [x] b", "- [x] a\n- [x] b", 0),
        ("a\nb\nc\nd", "b\nc\nd", "a\nb\nc\nd\ne", "b\nc\nd\ne", 0),
        # Both added lines at the same place.
        ("a", "a\nours", "a\ntheirs", "a\nours\ntheirs", 0),
        ("a", "ours\na", "theirs\na", "ours\ntheirs\na", 0),
        ("a", "a\n\nours", "a\n\ntheirs", "a\n\nours\ntheirs", 0),
        # Both changed the same line.
        ("a\nb\nc", "a\nours\nc", "a\ntheirs\nc", "a\nours\nc", 1),
        ("a\nb\nc\nd", "a\nours\nc\nd", "a\ntheirs\nc\nD", "a\nours\nc\nD", 1),
        ("a\nb\nc", "a\nc", "a\ntheirs\nc", "a\nc", 1),
        ("a\nb\nc", "a\nours\nc", "a\nc", "a\nours\nc", 1),
        ("a\nb\nc\nd\ne", "a\n1\nc\n2\ne", "a\n3\nc\n4\ne", "a\n1\nc\n2\ne", 2),
        # The line ends of our text.
        ("a\nb\nc", "A\r\nb\r\nc", "a\nb\nC", "A\r\nb\r\nC", 0),
        ("a\nb\n", "A\nb\n", "a\nb\nc\n", "A\nb\nc\n", 0),
        ("", "ours", "theirs", "ours", 1),
    ],
)
def test_changes_of_both_sides_are_merged(
    base: str, ours: str, theirs: str, merged: str, conflict_count: int
) -> None:
    assert three_way_merge(base, ours, theirs) == Merged(merged, conflict_count)


@given(LINES, LINES, LINES)
def test_what_only_one_side_changed_is_taken_and_no_line_comes_from_nowhere(
    base: list[str], ours: list[str], theirs: list[str]
) -> None:
    texts = ["\n".join(lines) for lines in (base, ours, theirs)]
    merged = three_way_merge(*texts)
    assert set(merged.text.split("\n")) <= {line for text in texts for line in text.split("\n")}
    assert three_way_merge(texts[0], texts[1], texts[0]) == Merged(texts[1])
    assert three_way_merge(texts[0], texts[0], texts[1]) == Merged(texts[1])
    # Merging what was merged once more changes nothing.
    assert three_way_merge(texts[2], merged.text, texts[2]) == Merged(merged.text)


@given(
    LINES,
    st.lists(st.sampled_from(["x", "y"]), max_size=3),
    st.lists(st.sampled_from(["p", "q"]), max_size=3),
)
def test_without_a_conflict_every_added_line_is_kept(
    base: list[str], ours: list[str], theirs: list[str]
) -> None:
    text = "\n".join(["top", *base, "end"])
    merged = three_way_merge(text, "\n".join([*ours, text]), "\n".join([text, *theirs]))
    assert merged == Merged("\n".join([*ours, text, *theirs]))


@pytest.mark.parametrize("shape", ["same", "two", "shuffled", "rotated", "unlike"])
def test_a_long_text_is_merged_in_linear_time(shape: str) -> None:
    count = 100_000
    base = {
        "same": ["x"] * count,
        "two": ["x", "y"] * (count // 2),
        "shuffled": [str(number * 7919 % count) for number in range(count)],
        "rotated": [str(number) for number in range(count)],
        "unlike": [f"base {number % 1000}" for number in range(count)],
    }[shape]
    ours = ["ours", *base[::2]] if shape != "rotated" else base[count // 2 :] + base[: count // 2]
    theirs = (
        sorted(base) if shape != "unlike" else [f"theirs {number % 999}" for number in range(count)]
    )
    started = time.process_time()
    three_way_merge("\n".join(base), "\n".join(ours), "\n".join(theirs))
    assert time.process_time() - started < 10
