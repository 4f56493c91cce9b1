"""PowerMem's filters, read into conditions: {"field": value}, {"field": {"gte": 1}}, {"AND": […]},
{"OR": […]}.

A field is a metadata field, `a.b` goes into nested objects, and the names in OWN are the memory's
own fields. A list as a value means any of its members; null means absent.
"""

from collections.abc import Mapping
from typing import Any, cast, get_args

from commonplace import clock
from commonplace.errors import Invalid, TooLarge
from commonplace.limits import FILTER_DEPTH_MAX, FILTER_VALUES_MAX
from commonplace.records.query import AllOf, AnyOf, Condition, Match, Operator

MEMORY_FIELDS = {
    "id": "id",
    "memory_id": "id",
    "memory_type": "kind",
    "type": "kind",
    "user_id": "user",
    "agent_id": "agent",
    "run_id": "run",
    "data": "text",
    "content": "text",
    "memory": "text",
    "created_at": "created_at",
    "updated_at": "updated_at",
}
_OPERATORS = get_args(Operator)
_CONDITIONS_MAX = 200
_JOINED = {"and": AllOf, "or": AnyOf}
_INTEGER_MAX = 2**63 - 1


def parse_condition(filters: Mapping[str, object] | None, owner: str) -> Condition | None:
    """The condition of a filter; the owner's name also matches memories without a user. Raises
    Invalid.
    """
    return _FilterParser(owner).parse(filters, 0) if filters else None


class _FilterParser:
    """Parses one filter and counts its conditions."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.count = 0

    def parse(self, filters: Mapping[str, object], depth: int) -> Condition:
        if depth > FILTER_DEPTH_MAX:
            raise Invalid(
                "The filter is nested too deeply.", hint=f"Use at most {FILTER_DEPTH_MAX} levels."
            )
        found = [
            one for name, asked in filters.items() for one in self._parse_entry(name, asked, depth)
        ]
        return found[0] if len(found) == 1 else AllOf(tuple(found))

    def _parse_entry(self, name: str, asked: object, depth: int) -> list[Condition]:
        if name.upper() in ("AND", "OR", "$AND", "$OR"):
            return [self._parse_group(name, asked, depth)]
        if name.startswith("$"):
            raise _unknown(name)
        if isinstance(asked, dict):
            operators = cast(dict[str, object], asked)
            if not operators:
                raise Invalid(
                    f"The filter on `{name}` is empty.",
                    hint='Give a value or an operator: {"gte": 3}.',
                )
            return [
                self._parse_comparison(name, operator, value)
                for operator, value in operators.items()
            ]
        return [self._parse_comparison(name, "eq", asked)]

    def _parse_group(self, name: str, asked: object, depth: int) -> Condition:
        """A list of filters joined by AND or OR."""
        listed = cast(list[object], asked) if isinstance(asked, list) else [asked]
        if not listed or not all(isinstance(one, dict) for one in listed):
            raise Invalid(
                f"`{name}` needs a list of filters.",
                hint=f'For example {{"{name}": [{{"a": 1}}]}}.',
            )
        join = _JOINED[name.removeprefix("$").lower()]
        return join(tuple(self.parse(cast(dict[str, object], one), depth + 1) for one in listed))

    def _parse_comparison(self, name: str, written: str, value: object) -> Condition:
        self.count += 1
        if self.count > _CONDITIONS_MAX:
            raise TooLarge(
                f"The filter has more than {_CONDITIONS_MAX} conditions.", hint="Use fewer."
            )
        operator = written.removeprefix("$").lower()
        if operator not in _OPERATORS:
            raise _unknown(written, name)
        if len(_as_list(value)) > FILTER_VALUES_MAX:
            raise TooLarge(
                f"The filter on `{name}` has too many values.",
                hint=f"Use up to {FILTER_VALUES_MAX:,}.",
            )
        path = tuple(name.removeprefix("metadata.").split("."))
        if not all(path):
            raise Invalid(f"`{name}` is not a field.", hint="Write nested fields as a.b.")
        own = MEMORY_FIELDS.get(name)
        operand = self._field_value(own, value) if own else _comparable(value)
        return _match(
            (own,) if own else path, cast(Operator, operator), operand, own=own is not None
        )

    def _field_value(self, field: str, value: object) -> object:
        if isinstance(value, list):
            return [
                one
                for member in cast(list[object], value)
                for one in _as_list(self._field_value(field, member))
            ]
        if field == "user" and value == self.owner:
            return ["", self.owner]
        if field.endswith("_at") and isinstance(value, str):
            return clock.parse_moment(value)
        return _comparable(value)


def _match(path: tuple[str, ...], operator: Operator, value: object, *, own: bool) -> Match:
    # Equality is membership in a list of one, so that a list in a field matches by each member.
    if operator in ("eq", "ne") and value is not None:
        return Match(path, "in" if operator == "eq" else "nin", _as_list(value), own)
    return Match(path, operator, value, own)


def _as_list(value: object) -> list[object]:
    return cast(list[object], value) if isinstance(value, list) else [value]


def _comparable(value: Any) -> object:
    """A value that the store can compare with; an integer that is too large becomes a float."""
    if isinstance(value, list):
        return [_comparable(one) for one in cast(list[Any], value)]
    if isinstance(value, int) and abs(value) > _INTEGER_MAX:
        return float(value) if abs(value) < 10**300 else float("inf")
    if isinstance(value, dict):
        raise Invalid(
            "A filter cannot compare with an object.", hint='Write nested fields as {"a.b": value}.'
        )
    return value


def _unknown(operator: str, field: str = "") -> Invalid:
    where, nested = (
        f" in the filter on `{field[:60]}`" if field else "",
        f"{field or 'a'}.{operator.lstrip('$')}"[:120],
    )
    known = ", ".join(_OPERATORS)
    return Invalid(
        f"Unknown operator `{operator[:60]}`{where}.",
        hint=f'Use {known}, AND or OR; write a nested field as {{"{nested}": value}}.',
    )
