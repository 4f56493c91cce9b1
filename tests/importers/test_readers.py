"""Reading JSON piece by piece and YAML without a library."""

import io
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.errors import Invalid
from commonplace.importers import json_stream, yaml_reader
from commonplace.importers.base import Skipped, moment_of
from commonplace.importers.json_stream import Element

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


class Dripping(io.BytesIO):
    """A file that gives out a few bytes at a time."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(min(5, size) if size and size > 0 else size)


@given(
    st.lists(st.dictionaries(st.text(), values, max_size=3), max_size=5),
    st.booleans(),
    st.sampled_from([None, 2]),
)
def test_the_elements_of_a_list_are_those_that_json_reads(
    listed: list[dict[str, Any]], ascii_only: bool, indent: int | None
) -> None:
    data = json.dumps(listed, ensure_ascii=ascii_only, indent=indent).encode()

    found = list(json_stream.read_elements(Dripping(data)))

    assert found == [
        Element(f"item {number}", value) for number, value in enumerate(listed, start=1)
    ]


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reading(data: bytes) -> None:
    found = [
        *json_stream.read_elements(Dripping(b"[{" + data)),
        *json_stream.read_lines(Dripping(data)),
    ]

    assert all(isinstance(one, Element | Skipped) for one in found)


def test_a_broken_line_is_named_and_the_others_are_read() -> None:
    found = list(json_stream.read_lines(io.BytesIO(b'{"a": 1}\n\n{oops\n{"b": "\xff"}\n')))

    assert found == [
        Element("line 1", {"a": 1}),
        Skipped("line 3", "it is not JSON", is_broken=True),
        Element("line 4", {"b": "\udcff"}),
    ]


def test_an_element_beyond_the_limit_is_left_out_and_the_next_one_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(vars(json_stream), "IMPORT_ITEM_CHARS_MAX", 50)
    monkeypatch.setitem(vars(json_stream), "_CHUNK", 16)
    data = json.dumps([{"a": 1}, {"long": "x" * 500, "deep": [[{"y": "]"}]]}, {"b": 2}]).encode()

    found = list(json_stream.read_elements(io.BytesIO(data)))

    assert [one.location for one in found if isinstance(one, Skipped)] == ["item 2"]
    assert [one.value for one in found if isinstance(one, Element)] == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: b", {"a": "b"}),
        ("a: 'it''s'  # why", {"a": "it's"}),
        ('a: "tab\\t, \\u00e9 and \\"q\\""', {"a": 'tab\t, é and "q"'}),
        ("a:\n- b\n- c: d\n  e: f", {"a": ["b", {"c": "d", "e": "f"}]}),
        ("a: [x, 'y, z', [[Link]]]", {"a": ["x", "y, z", "[[Link]]"]}),
        ("a: []\nb: {}\nc:\nd: ~", {"a": [], "b": {}, "c": None, "d": None}),
        ("a: |-\n  one\n\n    two\n  three\nb: c", {"a": "one\n\n  two\nthree", "b": "c"}),
        ("a: >\n  one\n  two\n\n  three\n", {"a": "one two\nthree\n"}),
        ("a: one\n  two\n\n  three", {"a": "one two\nthree"}),
        ('a: "one\n  two \\\n  three"', {"a": "one two three"}),
        (
            "when: 2026-01-02 03:04:05\nlink: http://x.y/z#w",
            {"when": "2026-01-02 03:04:05", "link": "http://x.y/z#w"},
        ),
        ("- a\n- - b\n  - c", ["a", ["b", "c"]]),
        ("a: {b: c, d: [e]}", {"a": {"b": "c", "d": ["e"]}}),
        ("? a\n: b", {"a": "b"}),
        ("", None),
    ],
)
def test_yaml_is_read_with_every_scalar_as_a_string(text: str, value: object) -> None:
    assert yaml_reader.read(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "a: [x",
        "? [a]\n: b",
        "a: b\n   c: d\n e: f",
        'a: "open',
        "a: !!tag x",
        "a: &x b\nc: *x",
        "a: b\n---\nc: d",
        "a: " + "[" * 60 + "]" * 60,
        "a: " + "[" * 100_000,
    ],
)
def test_broken_yaml_and_what_can_grow_without_bound_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        yaml_reader.read(text)


@given(st.text())
def test_no_text_breaks_the_yaml_reader(text: str) -> None:
    # Another error than ours would come through.
    with suppress(Invalid):
        yaml_reader.read(text)


@pytest.mark.parametrize(
    ("given_time", "moment"),
    [
        (1_700_000_000.5, 1_700_000_000_500),
        (1_700_000_000_500, 1_700_000_000_500),
        ("2023-11-14T22:13:20.5Z", 1_700_000_000_500),
        ("2023-11-14 22:13:20", 1_700_000_000_000),
        ("soon", None),
        (float("nan"), None),
        (float("inf"), None),
        (10**30, None),
        (10**400, None),
        (True, None),
        (None, None),
    ],
)
def test_times_are_read_in_every_spelling(given_time: object, moment: int | None) -> None:
    assert moment_of(given_time) == moment
