"""Shortened ids: which memory a beginning of an id means, and how short an id can be shown."""

from collections.abc import Sequence

from commonplace import ids
from commonplace.engine.runtime import Parts
from commonplace.errors import Invalid, NotFound
from commonplace.storage import banks, memories

_CANDIDATES_MAX = 5
_TEXT_CHARS_MAX = 40


def complete_id(parts: Parts, bank: str, given: str) -> int | str:
    """The id that begins as given. What is not the beginning of an id is returned as it is."""
    numbers, place = ids.beginning(given), banks.find(parts.db, bank)
    if numbers is None:
        return given
    found = memories.in_range(parts.db, place.id, numbers, _CANDIDATES_MAX + 1) if place else []
    if not found:
        raise NotFound(
            f"No memory in bank {bank!r} has an id that begins with {given}.",
            hint="Check the id and the bank; `commonplace list` shows both.",
        )
    if len(found) == 1:
        return found[0].id
    listed = [
        f"{ids.short(one.id)} ({_first_words(one.title or one.text)})"
        for one in found[:_CANDIDATES_MAX]
    ]
    more = " and more" if len(found) > _CANDIDATES_MAX else ""
    raise Invalid(
        f"Several ids begin with {given}: {', '.join(listed)}{more}.",
        hint="Repeat with more characters of the id.",
    )


def short_ids(parts: Parts, numbers: Sequence[int]) -> dict[int, str]:
    """Ids as short as they can be while each still names one memory."""
    return {
        number: ids.abbreviated(number, near)
        for number, near in memories.neighbours(parts.db, numbers).items()
    }


def _first_words(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TEXT_CHARS_MAX else line[: _TEXT_CHARS_MAX - 1].rstrip() + "…"
