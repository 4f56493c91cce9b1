"""Whether a value fits a JSON Schema. Imported by those who need it only then: the library takes a tenth of a second.

A reference in a schema is never fetched from anywhere.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from jsonschema import SchemaError, exceptions, validators
from referencing import Registry
from referencing.exceptions import Unresolvable

# The library is only half typed.
_BEST, _NOWHERE = cast(Any, exceptions).best_match, cast(Any, Registry)()
_REASON_CHARS_MAX = 300
_DEPTH_MAX = 50
# Something repeated inside of something repeated: matching it may take for ever.
_ENDLESS = re.compile(r"\([^)]*[+*}][^)]*\)\s*[+*{]")


def unusable(schema: Mapping[str, Any]) -> str:
    """Why nothing can be checked against a schema; empty where it can."""
    if any(_ENDLESS.search(one) for one in _patterns(schema, 0)):
        return "The schema has a pattern that may take for ever."
    try:
        _validator(schema).check_schema(schema)
    except (SchemaError, RecursionError, re.error) as error:
        return f"The schema is no valid JSON Schema: {_short(str(getattr(error, 'message', error)))}"
    return ""


def mismatch(schema: Mapping[str, Any], value: object) -> str:
    """How a value fails a schema; empty where it fits."""
    try:
        error: Any = _BEST(_validator(schema)(schema, registry=_NOWHERE).iter_errors(value))
    except (Unresolvable, RecursionError, re.error) as failure:
        return f"The schema cannot be followed ({_short(str(failure))})."
    if error is None:
        return ""
    place = ".".join(map(str, error.absolute_path))
    return _short(f"{place}: {error.message}" if place else str(error.message))


def _validator(schema: Mapping[str, Any]) -> Any:
    return validators.validator_for(cast(Any, schema), default=validators.Draft202012Validator)


def _patterns(node: object, depth: int) -> Iterator[str]:
    if depth > _DEPTH_MAX:
        return
    if isinstance(node, Mapping):
        for name, value in cast(Mapping[str, object], node).items():
            if name == "pattern" and isinstance(value, str):
                yield value
            elif name == "patternProperties" and isinstance(value, Mapping):
                yield from cast(Mapping[str, object], value)
            yield from _patterns(cast(object, value), depth + 1)
    elif isinstance(node, list):
        for value in cast(list[object], node):
            yield from _patterns(value, depth + 1)


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _REASON_CHARS_MAX else plain[: _REASON_CHARS_MAX - 1] + "…"
