"""Refuses invalid values before anything is written. Each error has a hint with an action."""

import json
import re
from collections.abc import Iterable, Mapping

from commonplace.clock import MOMENT_MAX, MOMENT_MIN
from commonplace.errors import Invalid, TooLarge
from commonplace.limits import (
    METADATA_BYTES_MAX,
    NAME_CHARS_MAX,
    PATH_CHARS_MAX,
    PATHS_MAX,
    PATTERN_CHARS_MAX,
    TAG_CHARS_MAX,
    TAGS_MAX,
    TEXT_BYTES_MAX,
)

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def nonempty_text(text: object, *, what: str = "text", bytes_max: int = TEXT_BYTES_MAX) -> str:
    """A text that is not blank, unchanged and within the limit."""
    plain = any_text(text, what=what, bytes_max=bytes_max)
    if not plain.strip():
        raise Invalid(f"The {what} is empty.", hint=f"Write at least one word in the {what}.")
    return plain


def any_text(text: object, *, what: str, bytes_max: int = TEXT_BYTES_MAX) -> str:
    """A text that may be blank, unchanged and within the limit."""
    plain = _plain(text, what)
    if len(plain.encode()) > bytes_max:
        raise TooLarge(
            f"The {what} has {len(plain.encode()):,} bytes; the limit is {bytes_max:,}.",
            hint="Split it into parts.",
        )
    return plain


def line(text: object, *, what: str, chars_max: int = NAME_CHARS_MAX) -> str:
    """A short text on one line, trimmed; may be empty."""
    plain = _plain(text, what).strip()
    if _CONTROL.search(plain):
        raise Invalid(
            f"The {what} has a control character.", hint="Keep it on one line of plain text."
        )
    if len(plain) > chars_max:
        raise TooLarge(
            f"The {what} has {len(plain)} characters; the limit is {chars_max}.",
            hint=f"Shorten the {what}.",
        )
    return plain


def name(text: object, *, what: str, chars_max: int = NAME_CHARS_MAX) -> str:
    """A short text on one line that must not be empty."""
    plain = line(text, what=what, chars_max=chars_max)
    if not plain:
        raise Invalid(f"The {what} is empty.", hint=f"Give a {what}.")
    return plain


def tags(values: Iterable[object]) -> tuple[str, ...]:
    """Tags trimmed, without blanks and repeats, in the order given."""
    return _labels(values, what="tag", count_max=TAGS_MAX, chars_max=TAG_CHARS_MAX)


def paths(values: Iterable[object]) -> tuple[str, ...]:
    """Path globs trimmed, without blanks and repeats, in the order given."""
    return _labels(values, what="path", count_max=PATHS_MAX, chars_max=PATH_CHARS_MAX)


def pattern(text: str, *, what: str = "pattern") -> str:
    """A pattern of limited length, because it is matched against every text."""
    if len(text) > PATTERN_CHARS_MAX:
        raise TooLarge(
            f"The {what} has {len(text):,} characters; the limit is {PATTERN_CHARS_MAX:,}.",
            hint="Use only the important words, with * between them.",
        )
    return text


def metadata(value: object, *, what: str = "metadata", bytes_max: int = METADATA_BYTES_MAX) -> str:
    """An object as JSON."""
    if not isinstance(value, Mapping):
        raise Invalid(
            f"The {what} is not an object.",
            hint='Use names and values, for example {"source": "chat"}.',
        )
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        size = len(text.encode())
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid(
            f"The {what} cannot be written as JSON.",
            hint="Use strings, numbers, lists and objects.",
        ) from error
    if "\\u0000" in text:
        raise Invalid(f"The {what} contains a NUL character.", hint="Remove the NUL character.")
    if size > bytes_max:
        raise TooLarge(
            f"The {what} has {size:,} bytes; the limit is {bytes_max:,}.",
            hint=f"Shorten the {what}.",
        )
    return text


def moment(value: int | None, *, what: str) -> int | None:
    """A moment within the years 1 to 9999."""
    if value is not None and not MOMENT_MIN <= value <= MOMENT_MAX:
        raise Invalid(f"The {what} is out of range.", hint="Use a year from 1 to 9999.")
    return value


def count(value: int, *, what: str, least: int = 0, most: int) -> int:
    """A number within its bounds."""
    if value < least:
        raise Invalid(
            f"The {what} is {value}; the minimum is {least}.", hint=f"Use {least} to {most}."
        )
    if value > most:
        raise TooLarge(
            f"The {what} is {value}; the maximum is {most}.", hint=f"Use {least} to {most}."
        )
    return value


def choice(value: str, allowed: Iterable[str], *, what: str) -> str:
    """One of a few words."""
    known = tuple(allowed)
    if value not in known:
        raise Invalid(f"{value!r} is not a {what}.", hint=f"Use one of: {', '.join(known)}.")
    return value


def _labels(
    values: Iterable[object], *, what: str, count_max: int, chars_max: int
) -> tuple[str, ...]:
    if isinstance(values, str):
        raise Invalid(f"The {what}s must be a list, not a string.", hint=f"Pass a list of {what}s.")
    trimmed = (line(value, what=what, chars_max=chars_max) for value in values)
    kept = tuple(dict.fromkeys(label for label in trimmed if label))
    if len(kept) > count_max:
        raise TooLarge(
            f"There are {len(kept):,} {what}s; the limit is {count_max}.",
            hint=f"Use fewer {what}s.",
        )
    return kept


def _plain(text: object, what: str) -> str:
    if not isinstance(text, str):
        raise Invalid(f"The {what} is not a string.", hint=f"Pass the {what} as a string.")
    if "\x00" in text:
        raise Invalid(f"The {what} contains a NUL character.", hint="Remove the NUL character.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Invalid(
            f"The {what} contains half of a character (a lone surrogate).",
            hint="Send valid Unicode.",
        ) from error
    return text
