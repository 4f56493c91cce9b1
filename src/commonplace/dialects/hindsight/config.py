"""The configuration of a Hindsight bank: its fields, and which values each accepts."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from commonplace.errors import Forbidden, Invalid

_CREDENTIAL = re.compile(r"key$|token$|secret|password|credential|base_url$|_url$", re.IGNORECASE)


def _integer(least: int, most: int) -> tuple[Callable[[object], bool], str]:
    def fits(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    return fits, f"an integer between {least} and {most}"


def _choice(*allowed: str) -> tuple[Callable[[object], bool], str]:
    return (lambda value: value in allowed), f"one of {', '.join(allowed)}"


def _is_name_list(value: object) -> bool:
    # With an empty list, no tool could change the list back.
    return _is_list_of(value, str) and bool(value)


def _is_label_list(value: object) -> bool:
    return _is_list_of(value, str | dict)


def _is_list_of(value: object, kind: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, kind) for one in cast(list[object], value)
    )


def _instance_of(kind: type, called: str) -> tuple[Callable[[object], bool], str]:
    return (lambda value: isinstance(value, kind)), called


_TEXT, _TRUTH = _instance_of(str, "a text"), _instance_of(bool, "true or false")

FIELDS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "reflect_mission": _TEXT,
    "retain_mission": _TEXT,
    "retain_extraction_mode": _choice("concise", "verbose", "custom", "verbatim", "chunks"),
    "retain_custom_instructions": _TEXT,
    "retain_chunk_size": _integer(100, 1_000_000),
    "retain_structured_chunk_size": _integer(100, 1_000_000),
    "retain_chunk_batch_size": _integer(1, 1_000),
    "enable_observations": _TRUTH,
    "observations_mission": _TEXT,
    "disposition_skepticism": _integer(1, 5),
    "disposition_literalism": _integer(1, 5),
    "disposition_empathy": _integer(1, 5),
    "entity_labels": (_is_label_list, "a list of labels, each a string or an object"),
    "entities_allow_free_form": _TRUTH,
    "recall_include_chunks": _TRUTH,
    "recall_max_tokens": _integer(0, 1_000_000),
    "mcp_enabled_tools": (_is_name_list, "a list of at least one tool name; null allows all"),
    "mental_model_min_refresh_interval_seconds": _integer(0, 100_000_000),
}


def check_updates(updates: Mapping[str, Any]) -> dict[str, Any]:
    """The checked fields to update; null resets a field to its default."""
    _check_names(updates)
    read = {name: _decode(value, FIELDS[name][0]) for name, value in updates.items()}
    for name, value in read.items():
        fits, wanted = FIELDS[name]
        if value is not None and not fits(value):
            raise Invalid(f"{name} must be {wanted}, got {str(value)[:60]}.")
    return read


def _check_names(updates: Iterable[str]) -> None:
    unknown = sorted(name for name in updates if name not in FIELDS)
    if secret := [name for name in unknown if _CREDENTIAL.search(name)]:
        raise Forbidden(
            f"Cannot set credential fields via API: {secret}.",
            hint="Set them in the environment of the server.",
        )
    if unknown:
        raise Invalid(
            f"Not configurable for a bank: {unknown}.", hint=f"Use some of: {', '.join(FIELDS)}."
        )


def _decode(value: object, fits: Callable[[object], bool]) -> object:
    """The value, or the JSON in a string if only that is a valid value."""
    if not isinstance(value, str) or fits(value):
        return value
    try:
        decoded: object = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return decoded if fits(decoded) else value
