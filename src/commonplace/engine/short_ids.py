"""Shortened ids: completes an abbreviated id, and finds the shortest unique form."""

from collections.abc import Sequence

from commonplace import ids
from commonplace.engine.runtime import Runtime
from commonplace.errors import Invalid, NotFound
from commonplace.storage.rows import banks, memories

_CANDIDATES_MAX = 5
_TEXT_CHARS_MAX = 40


def complete_id(runtime: Runtime, bank: str, given: str) -> int | str:
    """The id that begins as given. Any other text is returned unchanged."""
    numbers, found_bank = ids.prefix_range(given), banks.find(runtime.db, bank)
    if numbers is None:
        return given
    found = (
        memories.in_range(runtime.db, found_bank.id, numbers, _CANDIDATES_MAX + 1)
        if found_bank
        else []
    )
    if not found:
        raise NotFound(
            f"No memory in bank {bank!r} has an id that begins with {given}.",
            hint="Check the id and the bank; `commonplace list` shows both.",
        )
    if len(found) == 1:
        return found[0].id
    listed = [
        f"{ids.short_form(one.id)} ({_first_words(one.title or one.text)})"
        for one in found[:_CANDIDATES_MAX]
    ]
    more = " and more" if len(found) > _CANDIDATES_MAX else ""
    raise Invalid(
        f"Several ids begin with {given}: {', '.join(listed)}{more}.",
        hint="Repeat with more characters of the id.",
    )


def short_ids(runtime: Runtime, numbers: Sequence[int]) -> dict[int, str]:
    """The shortest form of each id that still names one memory."""
    return {
        number: ids.abbreviate(number, near)
        for number, near in memories.neighbours(runtime.db, numbers).items()
    }


def _first_words(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TEXT_CHARS_MAX else line[: _TEXT_CHARS_MAX - 1].rstrip() + "…"
