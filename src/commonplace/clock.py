"""What time it is, in whole milliseconds since 1970. Everything that needs the time is given a
clock.
"""

import time
from datetime import UTC, datetime
from typing import Protocol

from commonplace.errors import Invalid

MOMENT_MIN = -62_135_596_800_000  # 0001-01-01
MOMENT_MAX = 253_402_300_799_999  # 9999-12-31


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> int:
        """This moment."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> int:
        """This moment, to the millisecond."""
        return time.time_ns() // 1_000_000


def iso(moment: int) -> str:
    """A moment as ISO 8601 in UTC with milliseconds, the form every face prints."""
    whole = datetime.fromtimestamp(moment // 1000, UTC)
    return (
        f"{whole:%Y-%m-%dT%H:%M:%S}.{moment % 1000:03d}Z"
        if whole.year >= 1000
        else f"{whole.isoformat()}"
    )


def moment(text: str) -> int:
    """The moment an ISO 8601 text names; without a zone it is UTC, without a time it is
    midnight.
    """
    return round(_parsed(text).timestamp() * 1000)


def zone(text: str) -> int:
    """By how many milliseconds the clock that an ISO 8601 text was read from is ahead of UTC."""
    ahead = _parsed(text).utcoffset()
    return round(ahead.total_seconds() * 1000) if ahead else 0


def _parsed(text: str) -> datetime:
    try:
        parsed = datetime.fromisoformat(text.strip())
    except (ValueError, AttributeError) as error:
        raise Invalid(
            f"{text!r} is not a time.",
            hint="Use ISO 8601, for example 2026-03-01 or 2026-03-01T09:30:00Z.",
        ) from error
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
