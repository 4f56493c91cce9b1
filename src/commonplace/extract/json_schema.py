"""Whether a value fits a JSON Schema. Imported by those who need it only then: the library takes a
tenth of a second.

A schema comes from a caller, so the work it can cause has an end: its length and the steps of each
check are limited, a reference is never fetched from anywhere, and regular expressions are never
evaluated (`pattern`, `patternProperties` and `format`), because Python's engine can take for ever
and holds up the whole process meanwhile.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from jsonschema import exceptions, validators
from referencing import Registry
from referencing.exceptions import Unresolvable

from commonplace.limits import SCHEMA_BYTES_MAX

# The library is only half typed.
_BEST, _NOWHERE = cast(Any, exceptions).best_match, cast(Any, Registry)()
_REASON_CHARS_MAX = 300
_STEPS_MAX, _SECONDS_MAX = 20_000, 2
# These match names or texts by patterns; the last two only need to know which names the patterns
# have taken.
_UNEVALUATED = ("pattern", "patternProperties", "format")
_BESIDE_PATTERNS = ("additionalProperties", "unevaluatedProperties")

_Check = Callable[[Any, Any, Any, Any], Iterator[Any] | None]


class _TooMuch(Exception):
    """Not an error: a schema asks for more steps than one check may take."""


def schema_error(schema: Mapping[str, Any]) -> str:
    """Why nothing can be checked against a schema; empty where it can."""
    try:
        if len(json.dumps(schema)) > SCHEMA_BYTES_MAX:
            return f"The schema is longer than {SCHEMA_BYTES_MAX:,} bytes."
        kind = _kind(schema)
        error: Any = _BEST(_bounded(kind, has_patterns=False)(kind.META_SCHEMA).iter_errors(schema))
    except (RecursionError, _TooMuch):
        return "The schema is too large to be checked."
    return f"The schema is not a valid JSON Schema: {_short(str(error.message))}" if error else ""


def mismatch(schema: Mapping[str, Any], value: object) -> str:
    """How a value fails a schema; empty where it fits."""
    bounded = _bounded(_kind(schema), has_patterns='"patternProperties"' in json.dumps(schema))
    try:
        error: Any = _BEST(bounded(schema, registry=_NOWHERE).iter_errors(value))
    except (Unresolvable, RecursionError) as failure:
        return f"The schema cannot be evaluated ({_short(str(failure))})."
    except _TooMuch:
        return (
            f"The schema takes more than {_STEPS_MAX:,} steps or {_SECONDS_MAX} seconds to check."
        )
    if error is None:
        return ""
    place = ".".join(map(str, error.absolute_path))
    return _short(f"{place}: {error.message}" if place else str(error.message))


def _kind(schema: Mapping[str, Any]) -> Any:
    return validators.validator_for(cast(Any, schema), default=validators.Draft202012Validator)


def _bounded(kind: Any, *, has_patterns: bool) -> Any:
    """A validator of a kind that counts its steps and leaves patterns alone."""
    steps, ends_at = iter(range(_STEPS_MAX)), time.monotonic() + _SECONDS_MAX

    def counted(check: _Check) -> _Check:
        def checked(validator: Any, wanted: Any, value: Any, schema: Any) -> Iterator[Any] | None:
            if next(steps, None) is None or time.monotonic() > ends_at:
                raise _TooMuch
            return check(validator, wanted, value, schema)

        return checked

    checks = {name: counted(check) for name, check in kind.VALIDATORS.items()}
    skipped = (*_UNEVALUATED, *(_BESIDE_PATTERNS if has_patterns else ()))
    checks |= {name: counted(_unevaluated) for name in skipped if name in checks}
    return cast(Any, validators).extend(kind, checks)


def _unevaluated(_validator: Any, _wanted: Any, _value: Any, _schema: Any) -> None:
    """A check that every value passes."""


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _REASON_CHARS_MAX else plain[: _REASON_CHARS_MAX - 1] + "…"
