"""A JSON value of a wrong type is converted or reported, and never fails a reader."""

import json
import tempfile
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.errors import CommonplaceError
from commonplace.importers import detection
from commonplace.importers.base import ImportContext
from tests.importers import files
from tests.importers.test_statements import DOCUMENT, GRAPH, memstate

NOW = 1_790_000_000_000
WHOLE: dict[str, Any] = {
    "memories": {
        "project_id": "p",
        "memories": [files.RULE | {"scope": "project", "metadata": {}, "deleted_at": None}],
    },
    "powermem": {"source": "powermem-cli", "memories": [files.powermem_payload("x") | {"id": 1}]},
    "memstate": {"data": {"full_memories": {"a.b": memstate("a.b", "c")}}},
    "graph": {"entities": GRAPH[:2], "relations": GRAPH[2:]},
    "mem0": {
        "results": [
            {
                "id": "1",
                "memory": "x",
                "metadata": {"tags": ["a"]},
                "categories": ["b"],
                "created_at": "x",
            }
        ]
    },
    "chatgpt": [files.chatgpt("c", "t", ("user", "Where is it?"), ("assistant", "There it is."))],
    "claude": [files.claude("c", "t", ("human", "Where is it?"))],
}
ODD = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        1.5,
        10**20,
        "",
        "x",
        "[",
        "{",
        '{"a": 1}',
        [],
        [[]],
        [None],
        {},
        {"a": None},
        {"": []},
    ]
)


@st.composite
def spoiled(draw: st.DrawFn, value: Any) -> Any:
    """The same value with one or two of its parts replaced by something odd."""
    made = json.loads(json.dumps(value))
    for _ in range(draw(st.integers(1, 3))):
        place, key = made, None
        holder: Any = None
        for _ in range(draw(st.integers(1, 8))):
            if not isinstance(place, dict | list) or not place:
                break
            holder = place
            key = draw(
                st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place)))
            )
            place = place[key]
        if holder is None:
            return deepcopy(draw(ODD))
        holder[key] = deepcopy(draw(ODD))
    return made


@pytest.mark.parametrize("name", sorted(WHOLE))
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_odd_value_breaks_a_reader(name: str, data: st.DataObject) -> None:
    value = data.draw(spoiled(WHOLE[name]))
    with tempfile.TemporaryDirectory() as folder:
        path = files.written(Path(folder) / "conversations.json", json.dumps(value))
        with suppress(CommonplaceError):
            detection.detect_source(path)
        with suppress(CommonplaceError):
            list(
                detection.source_by_name(name).read(
                    ImportContext(path, NOW, lambda done, total: None)
                )
            )


@settings(max_examples=40, deadline=None)
@given(
    spoiled(DOCUMENT),
    spoiled([{"text": "x", "tags": ["a"], "proof_count": 1, "name": "n", "content": "c"}]),
)
def test_no_odd_value_breaks_the_reading_of_a_bank(document: Any, rows: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bank.zip"
        files.hindsight(path, document, observations=rows, directives=rows, mental_models=rows)
        with suppress(CommonplaceError):
            list(
                detection.source_by_name("hindsight").read(
                    ImportContext(path, NOW, lambda done, total: None)
                )
            )
