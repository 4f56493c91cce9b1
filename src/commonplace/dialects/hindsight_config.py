"""What a Hindsight bank can be told about itself: the fields of its configuration, each with what it may be."""

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from commonplace.errors import Forbidden, Invalid

_CREDENTIAL = re.compile(r"key$|token$|secret|password|credential|base_url$|_url$", re.IGNORECASE)


def _integer(least: int, most: int) -> tuple[Callable[[object], bool], str]:
    def fits(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    return fits, f"an integer between {least} and {most}"


def _choice(*allowed: str) -> tuple[Callable[[object], bool], str]:
    return (lambda value: value in allowed), f"one of {', '.join(allowed)}"


def _names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in cast(list[object], value))


def _of(kind: type, called: str) -> tuple[Callable[[object], bool], str]:
    return (lambda value: isinstance(value, kind)), called


_TEXT, _TRUTH, _LIST = _of(str, "a text"), _of(bool, "true or false"), _of(list, "a list")

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
    "entity_labels": _LIST,
    "entities_allow_free_form": _TRUTH,
    "recall_include_chunks": _TRUTH,
    "recall_max_tokens": _integer(0, 1_000_000),
    "mcp_enabled_tools": (_names, "a list of tool names"),
}


def checked(updates: Mapping[str, Any]) -> dict[str, Any]:
    """The fields to update, all of them good; null takes one back to what is usual."""
    secret = sorted(name for name in updates if name not in FIELDS and _CREDENTIAL.search(name))
    if secret:
        raise Forbidden(f"Cannot set credential fields via API: {secret}.", hint="Set them where the server runs.")
    unknown = sorted(name for name in updates if name not in FIELDS)
    if unknown:
        raise Invalid(f"Not configurable for a bank: {unknown}.", hint=f"Use some of: {', '.join(FIELDS)}.")
    for name, value in updates.items():
        fits, wanted = FIELDS[name]
        if value is not None and not fits(value):
            raise Invalid(f"{name} must be {wanted}, got {str(value)[:60]}.")
    return dict(updates)
