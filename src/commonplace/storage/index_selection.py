"""Selects an index lookup that avoids scanning every memory of a bank for a filter.

A lookup is a query for all memories that one part of a filter can match, and perhaps others. The
lookup with the fewest results is used, and its results are checked against the whole filter, so the
final result is exact.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from commonplace.records.memory import LABEL_PREFIXES
from commonplace.records.query import AllOf, AnyOf, Condition, Filter, LabelMatch, Match, TagMatch
from commonplace.reserved_metadata import RESERVED
from commonplace.storage import filters
from commonplace.storage.database import Database

# Reserved metadata is not indexed: no caller filters by it, and it is large.
UNINDEXED = tuple(RESERVED)
# The indexed columns with the value that most memories have. Some have an extra index for it.
_COLUMNS = {
    "ids": None,
    "projects": None,
    "users": "",
    "kinds": "note",
    "agents": "",
    "runs": "",
    "categories": "",
}
_INDEXED_DEFAULTS = ("users", "kinds")
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
    """A range of numbers or of texts; None is an open end."""

    low: Any = None
    high: Any = None

    @property
    def is_text(self) -> bool:
        return isinstance(self.high if self.low is None else self.low, str)

    def ends(self) -> tuple[object, object]:
        """Both ends. SQLite sorts numbers before texts and texts before blobs, so the next type
        replaces an open end.
        """
        least, most = ("", b"") if self.is_text else (-_LARGE, _LARGE)
        return least if self.low is None else self.low, most if self.high is None else self.high

    def intersection(self, other: "_Span") -> "_Span":
        """The intersection of two spans; the first one if their types differ."""
        if self.is_text != other.is_text:
            return self
        lows = [one for one in (self.low, other.low) if one is not None]
        highs = [one for one in (self.high, other.high) if one is not None]
        return _Span(max(lows, default=None), min(highs, default=None))


class IndexLookups:
    """The index lookups for a filter in a bank, and their values."""

    def __init__(self, db: Database, bank_id: int) -> None:
        self._db = db
        self._values: dict[str, object] = {"bank_id": bank_id}

    def for_filter(self, chosen: Filter) -> list[str]:
        """The lookups for a filter."""
        given = ((name, getattr(chosen, name)) for name in _COLUMNS)
        found = [
            lookup
            for name, values in given
            if values is not None
            for lookup in self._by_column(name, values)
        ]
        for name in ("created", "updated", "happened"):
            start, end = getattr(chosen, f"{name}_from"), getattr(chosen, f"{name}_before")
            if start is not None or end is not None:
                found.append(self._by_range(name, _Span(start, end)))
        if chosen.document_id is not None:
            found.append(self._lookup("document", v=chosen.document_id))
        return [
            *found,
            *(
                self._for_condition(chosen.where, live=chosen.status == "live")
                if chosen.where
                else ()
            ),
        ]

    def whole_bank(self) -> str:
        """The lookup for all memories of the bank."""
        return self._lookup("bank")

    def smallest(self, lookups: Iterable[str], most: int) -> str:
        """The lookup with the fewest results, or "" when each has more than `most`."""
        best, least = "", most + 1
        for lookup in lookups:
            sql = f"with way (id) as ({lookup}){self._db.text('count_way')}"
            count = int(self._db.select(sql, self._values | {"most": least})[0]["count"])
            if count < least:
                best, least = lookup, count
        return best

    def ids(self, lookup: str) -> str:
        """The ids that a lookup finds, separated by spaces."""
        sql = f"with way (id) as ({lookup}){self._db.text('found_on_way')}"
        return str(self._db.select(sql, self._values)[0]["ids"] or "")

    def _lookup(self, name: str, **given: object) -> str:
        suffix = f"_{len(self._values)}"
        self._values |= {letter + suffix: value for letter, value in given.items()}
        return self._db.text(f"way_{name}").replace("$", suffix)

    def _by_column(self, name: str, values: Sequence[object]) -> list[str]:
        has_default = _COLUMNS[name] in values
        if has_default and name not in _INDEXED_DEFAULTS and _COLUMNS[name] is not None:
            return []
        lookup = self._lookup(name, v=_json_list(values))
        return [
            _union([lookup, self._lookup(f"usual_{name}")])
            if has_default and name in _INDEXED_DEFAULTS
            else lookup
        ]

    def _by_range(self, name: str, span: _Span) -> str:
        low, high = span.ends()
        return self._lookup(name, l=low, h=high)

    def _for_condition(self, condition: Condition, *, live: bool) -> list[str]:
        match condition:
            case AllOf(conditions):
                return self._for_all(conditions, live=live)
            case AnyOf(conditions):
                return self._for_any(conditions, live=live)
            case TagMatch() | LabelMatch() if live:  # Forgotten memories have no indexed tags.
                return self._by_tags(condition)
            case Match():
                span = _span(condition)
                return self._by_span(condition, span) if span else self._by_field(condition)
            case _:
                return []

    def _for_any(self, conditions: Iterable[Condition], *, live: bool) -> list[str]:
        found = [self._for_condition(one, live=live) for one in conditions]
        return [_union(lookups[0] for lookups in found)] if found and all(found) else []

    def _for_all(self, conditions: Iterable[Condition], *, live: bool) -> list[str]:
        others, spans = _split_spans(conditions)
        found = [lookup for one in others for lookup in self._for_condition(one, live=live)]
        for match, span in spans:
            found += self._by_span(match, span)
        return found

    def _by_tags(self, match: TagMatch | LabelMatch) -> list[str]:
        labels = isinstance(match, LabelMatch)
        if match.mode == "any_strict":
            return [self._tag_lookup(match.tags, labels=labels)]
        if match.mode == "any":
            return [_union([self._tag_lookup(match.tags, labels=labels), self._lookup("untagged")])]
        each = [self._tag_lookup([tag], labels=labels) for tag in match.tags]
        if match.mode == "all":
            return [_union([lookup, self._lookup("untagged")]) for lookup in each]
        return each or ([self._lookup("untagged")] if match.mode == "exact" else [])

    def _tag_lookup(self, tags: Sequence[str], *, labels: bool) -> str:
        lookups = [self._lookup("tags", v=_json_list(tags))]
        for prefix, name in (
            zip(LABEL_PREFIXES, ("projects", "agents"), strict=True) if labels else ()
        ):
            named = [tag.removeprefix(prefix) for tag in tags if tag.startswith(prefix)]
            lookups += [self._lookup(name, v=_json_list(named))] if named else []
        return _union(lookups)

    def _by_span(self, match: Match, span: _Span) -> list[str]:
        name = match.path[0]
        if match.own:
            return [self._by_range(_OWN_TIMES[name], span)] if name in _OWN_TIMES else []
        if name in UNINDEXED:
            return []
        low, high = span.ends()
        return [self._lookup("field_span", p=filters.field_path(match), l=low, h=high)]

    def _by_field(self, match: Match) -> list[str]:
        if not match.path:
            return []
        name, values = match.path[0], _allowed_values(match)
        if match.own:
            return (
                self._by_column(_OWN[name], values) if values is not None and name in _OWN else []
            )
        if name in UNINDEXED:
            return []
        if values is not None:
            return [self._lookup("field_values", p=filters.field_path(match), v=_json_list(values))]
        return (
            [self._lookup("field", p=filters.field_path(match))]
            if match.operator in ("like", "ilike")
            else []
        )


def _split_spans(
    conditions: Iterable[Condition],
) -> tuple[list[Condition], list[tuple[Match, _Span]]]:
    """The conditions that are no comparisons, and the intersected span of each compared field."""
    others, spans = list[Condition](), dict[tuple[bool, tuple[str, ...]], tuple[Match, _Span]]()
    for one in conditions:
        span = _span(one) if isinstance(one, Match) else None
        if not isinstance(one, Match) or span is None:
            others.append(one)
            continue
        field = (one.own, one.path)
        spans[field] = (one, spans[field][1].intersection(span) if field in spans else span)
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


def _allowed_values(match: Match) -> list[object] | None:
    """The values that a field may have; None if other values match too."""
    if match.operator not in ("eq", "in") or match.value is None:
        return None
    value = match.value
    return list(cast(Sequence[object], value)) if isinstance(value, list | tuple) else [value]


def _union(lookups: Iterable[str]) -> str:
    return " union all ".join(lookups)


def _json_list(values: Iterable[object]) -> str:
    return json.dumps(list(values), ensure_ascii=False)
