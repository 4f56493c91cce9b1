"""What a mental model's trigger may say: when its answer is made again, and from what."""

from collections.abc import Callable, Mapping
from typing import Any, cast, get_args

from commonplace import validation
from commonplace.engine.facts.fact_search import DEPTHS, Question
from commonplace.engine.reflect.mental_model_rows import CRONS, MentalModel
from commonplace.engine.sessions.schedules import checked_cron
from commonplace.errors import Invalid
from commonplace.limits import COUNT_MAX
from commonplace.records.memory import LABELLED, Metadata
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
MODES: tuple[str, ...] = get_args(TagsMatch)
_GROUP_HINT = 'Use {"and": […]}, {"or": […]}, {"not": …} or {"tags": […], "match": "any"}.'

Fits = tuple[Callable[[object], bool], str]


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= COUNT_MAX


def _are(allowed: tuple[str, ...] | None) -> Callable[[object], bool]:
    def fits(value: object) -> bool:
        items = cast(list[object], value) if isinstance(value, list) else [None]
        return all(isinstance(one, str) and (allowed is None or one in allowed) for one in items)

    return fits


_TRUTH: Fits = (lambda value: isinstance(value, bool)), "true or false"
_NUMBER: Fits = _is_number, "a whole number from 0"
_OBJECT: Fits = (lambda value: isinstance(value, dict)), "an object"
_TEXT: Fits = (lambda value: isinstance(value, str)), "a string"
FIELDS: Mapping[str, Fits] = {
    "mode": ((lambda value: value in ("full", "delta")), "full or delta"),
    "refresh_after_consolidation": _TRUTH,
    "refresh_cron": _TEXT,
    "full_refresh_cron": _TEXT,
    "min_refresh_interval_seconds": _NUMBER,
    "fact_types": (_are(KINDS), f"a list of {', '.join(KINDS)}"),
    "exclude_mental_models": _TRUTH,
    "exclude_mental_model_ids": (_are(None), "a list of ids"),
    "tags_match": ((lambda value: value in MODES), f"one of {', '.join(MODES)}"),
    "tag_groups": ((lambda value: isinstance(value, list)), "a list of groups"),
    "include_chunks": _TRUTH,
    "recall_max_tokens": _NUMBER,
    "recall_chunks_max_tokens": _NUMBER,
    "budget": ((lambda value: value in DEPTHS), f"one of {', '.join(DEPTHS)}"),
    "reflect_search_observations_max_tokens": _NUMBER,
    "reflect_search_observations_include_entities": _TRUTH,
    "response_schema": _OBJECT,
    "keep_trace": _TRUTH,
}


def checked(given: Metadata) -> dict[str, object]:
    """A trigger, every field of it good; null takes one away."""
    trigger = {name: value for name, value in given.items() if value is not None}
    if unknown := sorted(set(trigger) - set(FIELDS)):
        raise Invalid(
            f"Unknown fields of a trigger: {', '.join(unknown)}.",
            hint=f"Use some of: {', '.join(FIELDS)}.",
        )
    for name, value in trigger.items():
        fits, wanted = FIELDS[name]
        if not fits(value):
            raise Invalid(f"trigger.{name} must be {wanted}, got {str(value)[:60]}.")
    for name in CRONS:
        if name in trigger:
            trigger[name] = checked_cron(trigger[name])
    if trigger.get("refresh_after_consolidation") and "refresh_cron" in trigger:
        raise Invalid(
            "refresh_cron and refresh_after_consolidation cannot be combined.",
            hint="Set one of them to null.",
        )
    grouped(trigger.get("tag_groups"))
    validation.metadata(trigger, what="trigger")
    return trigger


def question(model: MentalModel) -> Question:
    """What a model's answer is made of."""
    mode = cast(TagsMatch, model.trigger.get("tags_match") or "all_strict")
    wanted = [tagged(model.tags, mode)] if model.tags else []
    groups = grouped(model.trigger.get("tag_groups"))
    every = tuple[Condition, ...]([*wanted, *([groups] if groups else [])])
    chosen = Filter(users=("",), where=AllOf(every) if every else None)
    kinds = cast(list[str], model.trigger.get("fact_types") or [])
    if "world" in kinds:
        # What other dialects remember is about the world.
        chosen = Filter(
            users=("",),
            where=chosen.where,
            kinds_not=tuple(one for one in KINDS[1:] if one not in kinds),
        )
    elif kinds:
        chosen = Filter(users=("",), where=chosen.where, kinds=tuple(kinds))
    return Question(model.query, chosen, text(model.trigger, "budget") or "high")


def grouped(groups: object) -> Condition | None:
    """The condition that a list of tag groups is; all of them hold."""
    if not groups:
        return None
    return AllOf(tuple(_group(one) for one in cast(list[object], groups)))


def tagged(tags: tuple[str, ...], mode: TagsMatch) -> Condition:
    """The condition that some tags are; a memory's project and agent are tags as well."""
    if mode in ("any_strict", "all_strict") and not any(tag.startswith(LABELLED) for tag in tags):
        return TagMatch(tags, mode)  # Which means the same then, and has an index.
    return LabelMatch(tags, mode)


def _group(node: object) -> Condition:
    if isinstance(node, dict):
        one = cast(dict[str, Any], node)
        for name, kind in (("and", AllOf), ("or", AnyOf)):
            if isinstance(one.get(name), list):
                return kind(tuple(_group(part) for part in one[name]))
        if "not" in one:
            return Not(_group(one["not"]))
        mode, tags = one.get("match", "any_strict"), one.get("tags")
        if isinstance(tags, list) and mode in MODES:
            return tagged(tuple(map(str, cast(list[object], tags))), mode)
    raise Invalid("A tag group is not valid.", hint=_GROUP_HINT)


def text(trigger: Metadata, name: str) -> str:
    """A field that is a text; empty where it is not set."""
    value = trigger.get(name)
    return value if isinstance(value, str) else ""


def number(trigger: Metadata, name: str, usual: int) -> int:
    """A field that is a number, or what is usual."""
    value = trigger.get(name)
    return value if isinstance(value, int) and value > 0 else usual
