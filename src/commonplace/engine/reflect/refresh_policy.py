"""Mental model triggers: when an answer is refreshed, and from which memories."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast, get_args

from commonplace import validation
from commonplace.engine.facts.fact_query import DEPTHS, Question
from commonplace.engine.reflect.mental_model_rows import CRON_FIELDS, MentalModel
from commonplace.engine.sessions.schedules import validate_cron
from commonplace.errors import Invalid
from commonplace.limits import COUNT_MAX
from commonplace.records.memory import LABEL_PREFIXES, Metadata
from commonplace.records.query import (
    AllOf,
    AnyOf,
    Condition,
    Filter,
    LabelMatch,
    Not,
    TagMatch,
    TagsMatch,
)

KINDS = ("world", "experience", "observation")
TAG_MATCH_MODES: tuple[str, ...] = get_args(TagsMatch)
_TAG_GROUP_HINT = 'Use {"and": […]}, {"or": […]}, {"not": …} or {"tags": […], "match": "any"}.'

FieldRule = tuple[Callable[[object], bool], str]


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= COUNT_MAX


def _is_list_of(allowed: tuple[str, ...] | None) -> Callable[[object], bool]:
    def fits(value: object) -> bool:
        items = cast(list[object], value) if isinstance(value, list) else [None]
        return all(isinstance(one, str) and (allowed is None or one in allowed) for one in items)

    return fits


_BOOLEAN: FieldRule = (lambda value: isinstance(value, bool)), "true or false"
_NUMBER: FieldRule = _is_number, "a whole number from 0"
_OBJECT: FieldRule = (lambda value: isinstance(value, dict)), "an object"
_TEXT: FieldRule = (lambda value: isinstance(value, str)), "a string"
TRIGGER_FIELDS: Mapping[str, FieldRule] = {
    "mode": ((lambda value: value in ("full", "delta")), "full or delta"),
    "refresh_after_consolidation": _BOOLEAN,
    "refresh_cron": _TEXT,
    "full_refresh_cron": _TEXT,
    "min_refresh_interval_seconds": _NUMBER,
    "fact_types": (_is_list_of(KINDS), f"a list of {', '.join(KINDS)}"),
    "exclude_mental_models": _BOOLEAN,
    "exclude_mental_model_ids": (_is_list_of(None), "a list of ids"),
    "tags_match": (
        (lambda value: value in TAG_MATCH_MODES),
        f"one of {', '.join(TAG_MATCH_MODES)}",
    ),
    "tag_groups": ((lambda value: isinstance(value, list)), "a list of groups"),
    "include_chunks": _BOOLEAN,
    "recall_max_tokens": _NUMBER,
    "recall_chunks_max_tokens": _NUMBER,
    "budget": ((lambda value: value in DEPTHS), f"one of {', '.join(DEPTHS)}"),
    "reflect_search_observations_max_tokens": _NUMBER,
    "reflect_search_observations_include_entities": _BOOLEAN,
    "response_schema": _OBJECT,
    "keep_trace": _BOOLEAN,
}


def validate_trigger(given: Metadata) -> dict[str, object]:
    """The trigger with every field validated. A null field is removed."""
    trigger = {name: value for name, value in given.items() if value is not None}
    if unknown := sorted(set(trigger) - set(TRIGGER_FIELDS)):
        raise Invalid(
            f"Unknown fields of a trigger: {', '.join(unknown)}.",
            hint=f"Use some of: {', '.join(TRIGGER_FIELDS)}.",
        )
    for name, value in trigger.items():
        fits, expected = TRIGGER_FIELDS[name]
        if not fits(value):
            raise Invalid(
                f"trigger.{name} must be {expected}, got {str(value)[:60]}.",
                hint="Correct the field, or leave it out.",
            )
    for name in CRON_FIELDS:
        if name in trigger:
            trigger[name] = validate_cron(trigger[name])
    if trigger.get("refresh_after_consolidation") and "refresh_cron" in trigger:
        raise Invalid(
            "A schedule and a refresh after consolidation cannot be combined.",
            hint="Remove one of them.",
        )
    tag_groups_condition(trigger.get("tag_groups"))
    validation.metadata(trigger, what="trigger")
    return trigger


def build_query(model: MentalModel) -> Question:
    """The query from whose results a model's answer is made."""
    kinds = cast(list[str], model.trigger.get("fact_types") or [])
    filter_ = Filter(users=("",), where=_model_condition(model))
    if "world" in kinds:
        # Memories of other dialects count as world facts.
        filter_ = replace(filter_, kinds_not=tuple(one for one in KINDS[1:] if one not in kinds))
    elif kinds:
        filter_ = replace(filter_, kinds=tuple(kinds))
    return Question(model.query, filter_, text_field(model.trigger, "budget") or "high")


def _model_condition(model: MentalModel) -> Condition | None:
    """The condition for the memories that a model is made of: its tags and its tag groups."""
    mode = cast(TagsMatch, model.trigger.get("tags_match") or "all_strict")
    by_tags = tags_condition(model.tags, mode) if model.tags else None
    by_groups = tag_groups_condition(model.trigger.get("tag_groups"))
    conditions = tuple(one for one in (by_tags, by_groups) if one)
    return AllOf(conditions) if conditions else None


def tag_groups_condition(groups: object) -> Condition | None:
    """The condition that all of the tag groups hold."""
    if not groups:
        return None
    return AllOf(tuple(_tag_group_condition(one) for one in cast(list[object], groups)))


def tags_condition(tags: tuple[str, ...], mode: TagsMatch) -> Condition:
    """The condition for some tags. A memory's project and agent count as tags."""
    if mode in ("any_strict", "all_strict") and not any(
        tag.startswith(LABEL_PREFIXES) for tag in tags
    ):
        return TagMatch(tags, mode)  # Equivalent without labels, and indexed.
    return LabelMatch(tags, mode)


def _tag_group_condition(node: object) -> Condition:
    if isinstance(node, dict):
        one = cast(dict[str, Any], node)
        for name, kind in (("and", AllOf), ("or", AnyOf)):
            if isinstance(one.get(name), list):
                return kind(tuple(_tag_group_condition(part) for part in one[name]))
        if "not" in one:
            return Not(_tag_group_condition(one["not"]))
        mode, tags = one.get("match", "any_strict"), one.get("tags")
        if isinstance(tags, list) and mode in TAG_MATCH_MODES:
            return tags_condition(tuple(map(str, cast(list[object], tags))), mode)
    raise Invalid("A tag group is not valid.", hint=_TAG_GROUP_HINT)


def text_field(trigger: Metadata, name: str) -> str:
    """A text field, or "" if it is not set."""
    value = trigger.get(name)
    return value if isinstance(value, str) else ""


def number_field(trigger: Metadata, name: str, default: int) -> int:
    """A positive number field, or the default."""
    value = trigger.get(name)
    return value if isinstance(value, int) and value > 0 else default
