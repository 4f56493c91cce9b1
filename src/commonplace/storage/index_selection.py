"""Finds what a filter means without a look at every memory of a bank, where an index leads to it.

A way is a query that finds all memories which one part of a filter can let through, and perhaps
others. The way that finds fewest is taken, and what it finds is held against the whole filter: what
comes of it is exact.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from commonplace.records.memory import LABELLED
from commonplace.records.query import AllOf, AnyOf, Condition, Filter, LabelMatch, Match, TagMatch
from commonplace.reserved_metadata import OURS
from commonplace.storage import filters
from commonplace.storage.database import Database

# What is noted in metadata for ourselves: nobody filters by it, and it would be most of what is
# kept.
UNLISTED = tuple(OURS)
# The columns with an index, and the value that most memories have there. Of some it has an index of
# its own.
_COLUMNS = {
    "ids": None,
    "projects": None,
    "users": "",
    "kinds": "note",
    "agents": "",
    "runs": "",
    "categories": "",
}
_USUAL_LED = ("users", "kinds")
_OWN = {
    "id": "ids",
    "kind": "kinds",
    "category": "categories",
    "user": "users",
    "agent": "agents",
    "run": "runs",
}
_OWN_TIMES = {"created_at": "created", "updated_at": "updated"}
_LARGE = float("inf")


@dataclass(frozen=True, slots=True)
class _Span:
    """From a value up to another, both of them numbers or both texts; None is open."""

    low: Any = None
    high: Any = None

    @property
    def is_text(self) -> bool:
        return isinstance(self.high if self.low is None else self.low, str)

    def ends(self) -> tuple[object, object]:
        """Both ends. In SQLite's order numbers come before texts and texts before bytes, which
        stands for open ones.
        """
        least, most = ("", b"") if self.is_text else (-_LARGE, _LARGE)
        return least if self.low is None else self.low, most if self.high is None else self.high

    def within(self, other: "_Span") -> "_Span":
        """What two spans have in common; only the first where one is of texts and one of
        numbers.
        """
        if self.is_text != other.is_text:
            return self
        lows = [one for one in (self.low, other.low) if one is not None]
        highs = [one for one in (self.high, other.high) if one is not None]
        return _Span(max(lows, default=None), min(highs, default=None))


class Ways:
    """The ways to what a filter means in a bank, and the values they need."""

    def __init__(self, db: Database, bank_id: int) -> None:
        self._db = db
        self._values: dict[str, object] = {"bank_id": bank_id}

    def of(self, chosen: Filter) -> list[str]:
        """The ways to what a filter means."""
        given = ((name, getattr(chosen, name)) for name in _COLUMNS)
        found = [
            way for name, values in given if values is not None for way in self._among(name, values)
        ]
        for name in ("created", "updated", "happened"):
            start, end = getattr(chosen, f"{name}_from"), getattr(chosen, f"{name}_before")
            if start is not None or end is not None:
                found.append(self._between(name, _Span(start, end)))
        if chosen.document_id is not None:
            found.append(self._way("document", v=chosen.document_id))
        return [
            *found,
            *(self._leading(chosen.where, live=chosen.status == "live") if chosen.where else ()),
        ]

    def whole(self) -> str:
        """The way to all that the bank holds."""
        return self._way("bank")

    def best(self, ways: Iterable[str], most: int) -> str:
        """The way that finds fewest; none when each finds more than so many."""
        best, least = "", most + 1
        for way in ways:
            sql = f"with way (id) as ({way}){self._db.text('count_way')}"
            count = int(self._db.select(sql, self._values | {"most": least})[0]["count"])
            if count < least:
                best, least = way, count
        return best

    def found(self, way: str) -> str:
        """The ids of what a way finds, with spaces between."""
        sql = f"with way (id) as ({way}){self._db.text('found_on_way')}"
        return str(self._db.select(sql, self._values)[0]["ids"] or "")

    def _way(self, name: str, **given: object) -> str:
        place = f"_{len(self._values)}"
        self._values |= {letter + place: value for letter, value in given.items()}
        return self._db.text(f"way_{name}").replace("$", place)

    def _among(self, name: str, values: Sequence[object]) -> list[str]:
        usual = _COLUMNS[name] in values
        if usual and name not in _USUAL_LED and _COLUMNS[name] is not None:
            return []
        way = self._way(name, v=_listed(values))
        return [_either([way, self._way(f"usual_{name}")]) if usual and name in _USUAL_LED else way]

    def _between(self, name: str, span: _Span) -> str:
        low, high = span.ends()
        return self._way(name, l=low, h=high)

    def _leading(self, condition: Condition, *, live: bool) -> list[str]:
        match condition:
            case AllOf(conditions):
                others, spans = _apart(conditions)
                found = [way for one in others for way in self._leading(one, live=live)]
                return [
                    *found,
                    *(way for match, span in spans for way in self._of_span(match, span)),
                ]
            case AnyOf(conditions):
                found = [self._leading(one, live=live) for one in conditions]
                return [_either(ways[0] for ways in found)] if found and all(found) else []
            case TagMatch() | LabelMatch():
                # The tags of what is forgotten are not kept.
                return self._of_tags(condition) if live else []
            case Match():
                span = _span(condition)
                return self._of_span(condition, span) if span else self._of_values(condition)
            case _:
                return []

    def _of_tags(self, match: TagMatch | LabelMatch) -> list[str]:
        labels = isinstance(match, LabelMatch)
        if match.mode == "any_strict":
            return [self._tagged(match.tags, labels=labels)]
        if match.mode == "any":
            return [_either([self._tagged(match.tags, labels=labels), self._way("untagged")])]
        each = [self._tagged([tag], labels=labels) for tag in match.tags]
        if match.mode == "all":
            return [_either([way, self._way("untagged")]) for way in each]
        return each or ([self._way("untagged")] if match.mode == "exact" else [])

    def _tagged(self, tags: Sequence[str], *, labels: bool) -> str:
        ways = [self._way("tags", v=_listed(tags))]
        for prefix, name in zip(LABELLED, ("projects", "agents"), strict=True) if labels else ():
            named = [tag.removeprefix(prefix) for tag in tags if tag.startswith(prefix)]
            ways += [self._way(name, v=_listed(named))] if named else []
        return _either(ways)

    def _of_span(self, match: Match, span: _Span) -> list[str]:
        name = match.path[0]
        if match.own:
            return [self._between(_OWN_TIMES[name], span)] if name in _OWN_TIMES else []
        if name in UNLISTED:
            return []
        low, high = span.ends()
        return [self._way("field_span", p=filters.field_path(match), l=low, h=high)]

    def _of_values(self, match: Match) -> list[str]:
        if not match.path:
            return []
        name, values = match.path[0], _values(match)
        if match.own:
            return self._among(_OWN[name], values) if values is not None and name in _OWN else []
        if name in UNLISTED:
            return []
        if values is not None:
            return [self._way("field_values", p=filters.field_path(match), v=_listed(values))]
        return (
            [self._way("field", p=filters.field_path(match))]
            if match.operator in ("like", "ilike")
            else []
        )


def _apart(conditions: Iterable[Condition]) -> tuple[list[Condition], list[tuple[Match, _Span]]]:
    """Conditions, and beside them for each field the span that those which compare it leave."""
    others, spans = list[Condition](), dict[tuple[bool, tuple[str, ...]], tuple[Match, _Span]]()
    for one in conditions:
        span = _span(one) if isinstance(one, Match) else None
        if not isinstance(one, Match) or span is None:
            others.append(one)
            continue
        field = (one.own, one.path)
        spans[field] = (one, spans[field][1].within(span) if field in spans else span)
    return others, list(spans.values())


def _span(match: Match) -> _Span | None:
    value = match.value
    if (
        not match.path
        or not isinstance(value, str | int | float)
        or match.operator not in ("gt", "gte", "lt", "lte")
    ):
        return None
    return _Span(low=value) if match.operator in ("gt", "gte") else _Span(high=value)


def _values(match: Match) -> list[object] | None:
    """The values one of which a field must have; None where others would do."""
    if match.operator not in ("eq", "in") or match.value is None:
        return None
    value = match.value
    return list(cast(Sequence[object], value)) if isinstance(value, list | tuple) else [value]


def _either(ways: Iterable[str]) -> str:
    return " union all ".join(ways)


def _listed(values: Iterable[object]) -> str:
    return json.dumps(list(values), ensure_ascii=False)
