"""Integer ids, the printed forms of every dialect, and the way back from each form.

An id is the milliseconds since 2020 times 4096 plus a sequence, so ids sort by age and stay below
2**53, which JSON and JavaScript represent exactly. The store allocates them inside a write
transaction, so no two processes can get the same one.
"""

import re
import uuid
from collections.abc import Iterable

from commonplace.errors import Invalid

EPOCH_MS = 1_577_836_800_000  # 2020-01-01
SEQUENCE_BITS = 12
ID_MAX = 2**53 - 1

_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u to misread.
_VALUES = {digit: value for value, digit in enumerate(_DIGITS)}
_CORE_LENGTH = 11
_ABBREVIATED_LENGTH = 9  # Ids made more than 8 ms apart differ in these.
_UUID_HIGH = (
    0xC033_0B1A_CE00_8000 << 64 | 0x8 << 60
)  # A version 8 UUID; the low 60 bits are free for the id.
_UUID_LOW_MASK = (1 << 60) - 1
_PREFIXED = re.compile(rf"(?:mem_|note_|job_|m)([{_DIGITS}]{{{_CORE_LENGTH}}})")
_PREFIX = re.compile(rf"(?:mem_|note_|m)([{_DIGITS}]{{3,{_CORE_LENGTH - 1}}})")
_DECIMAL = re.compile(r"[0-9]{1,16}")
_UUID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}")


def smallest_id(now: int) -> int:
    """The smallest id that may be allocated at a moment."""
    return max(now - EPOCH_MS, 1) << SEQUENCE_BITS


def short_form(number: int) -> str:
    """The 12 characters of memories.sh and of the command line."""
    return "m" + _encode(number)


def memstate_form(number: int) -> str:
    """`mem_` and 11 characters."""
    return "mem_" + _encode(number)


def note_form(number: int) -> str:
    """`note_` and 11 characters, for the vault."""
    return "note_" + _encode(number)


def job_form(number: int) -> str:
    """`job_` and 11 characters."""
    return "job_" + _encode(number)


def uuid_form(number: int) -> str:
    """The UUID that Hindsight clients expect."""
    return str(uuid.UUID(int=_UUID_HIGH | number))


def abbreviate(number: int, neighbours: Iterable[int]) -> str:
    """The shortest prefix of an id that no neighbour shares, with at least nine characters."""
    # Two ids share the digits before the highest bit that differs.
    nearest = min(
        ((number ^ other).bit_length() for other in neighbours if other != number), default=0
    )
    shared = _CORE_LENGTH - (nearest + 4) // 5
    return short_form(number)[: max(_ABBREVIATED_LENGTH, shared + 2 if nearest else 0)]


def prefix_range(text: str) -> range | None:
    """The ids with a given prefix, or None when the text is not a prefix of an id."""
    match = _PREFIX.fullmatch(text.strip())
    if match is None:
        return None
    free = 5 * (_CORE_LENGTH - len(match[1]))
    first = _decode(match[1]) << free
    return range(first, first + (1 << free))


def parse(form: int | str) -> int:
    """The id of any printed form."""
    number = form if isinstance(form, int) else _parse_text(form)
    if number is None or isinstance(form, bool) or not 0 < number <= ID_MAX:
        raise Invalid(
            f"{form!r} is not a memory id.",
            hint=(
                "Give the id exactly as it was printed, for example mem_00srn2x8v00 or"
                " 893412345678901."
            ),
        )
    return number


def _encode(number: int) -> str:
    digits = [_DIGITS[number >> shift & 31] for shift in range(5 * (_CORE_LENGTH - 1), -1, -5)]
    return "".join(digits)


def _decode(digits: str) -> int:
    number = 0
    for digit in digits:
        number = number << 5 | _VALUES[digit]
    return number


def _parse_text(form: str) -> int | None:
    text = form.strip()
    if match := _PREFIXED.fullmatch(text):
        return _decode(match[1])
    if _DECIMAL.fullmatch(text):
        return int(text)
    if _UUID.fullmatch(text.lower()):
        whole = uuid.UUID(text).int
        if whole & ~_UUID_LOW_MASK == _UUID_HIGH:
            return whole & _UUID_LOW_MASK
    return None
