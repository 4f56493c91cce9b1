"""No value in any argument of any tool is an internal error: it is taken, or refused in words."""

import itertools
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from commonplace.dialects import registry
from commonplace.engine.engine import Engine
from tests.dialects.dialect_client import Client
from tests.hostile.tool_parameters import aims

ODD = {
    "half of a character": "\ud83d",
    "half of a character among words": "Rome \udc80 hotel",
    "a character in two halves": "\ud83d\ude00",
    "NUL": "Rome\x00hotel",
    "a backslash": "a\\",
    "quotation marks": '"a\' "',
    "signs of a path": "$.a[0]..b",
    "control characters": "a\x1b\x85\u2028b",
    "nothing": "",
    "a long number": "9" * 400,
    "no number": "NaN",
    "a placeholder": ":v1 ?1 %_*",
}
# An odd value deep in a list or an object, where a parameter takes one.
DEEP: Mapping[str, Callable[[str], Any]] = {
    "names": lambda odd: {"a": {odd: {odd: odd}}},
    "value": lambda odd: {"a": [{"b": [odd, {"c": odd}]}]},
    "either": lambda odd: {
        "OR": [{"a": 1}, {"AND": [{"OR": [{odd: {"gt": odd}}, {f"b.{odd}": [odd]}]}]}]
    },
    "schema": lambda odd: {
        "type": odd,
        "properties": {"a": {"enum": [odd], odd: odd}},
        "required": [odd],
    },
    "messages": lambda odd: [{"role": odd, "content": [{"type": "text", "text": odd}], odd: odd}],
}
_numbers = itertools.count()


@pytest.mark.parametrize("dialect", registry.NAMES)
def test_no_value_in_any_argument_is_an_internal_error(engine: Engine, dialect: str) -> None:
    faults: list[str] = []
    for aim, (name, odd) in itertools.product(aims(), ODD.items()):
        if aim.dialect != dialect:
            continue
        bank = f"b{next(_numbers)}"

        def ask(dialect: str, tool: str, given: Mapping[str, Any], bank: str = bank) -> Any:
            found = called(engine, bank, dialect, tool, given)["structuredContent"]
            return json.loads(found["result"]) if set(found) == {"result"} else found

        given = aim.arguments(odd, ask)
        deeper = [DEEP[aim.form](odd)] if aim.form in DEEP else []
        for value in (given[aim.parameter.name], *deeper):
            result = called(
                engine, bank, dialect, aim.tool.name, given | {aim.parameter.name: value}
            )
            if "internal error" in json.dumps(result):
                faults.append(f"{aim}: {name}")
    assert faults == []


def called(
    engine: Engine, bank: str, dialect: str, tool: str, given: Mapping[str, Any]
) -> dict[str, Any]:
    return Client(engine, registry.find(dialect), bank=bank).result(tool, **given)
