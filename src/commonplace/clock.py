"""Moments as whole milliseconds since 1970. Code that needs the current time takes a clock."""

import time
from datetime import UTC, datetime
from typing import Protocol

from commonplace.errors import Invalid

MOMENT_MIN = -62_135_596_800_000  # 0001-01-01
MOMENT_MAX = 253_402_300_799_999  # 9999-12-31


class Clock(Protocol):
    """The source of the current time."""

    def now(self) -> int:
        """The current moment."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> int:
        """The current moment, to the millisecond."""
        return time.time_ns() // 1_000_000


def iso(moment: int) -> str:
    """A moment as ISO 8601 in UTC with milliseconds, as every face prints it."""
    whole = datetime.fromtimestamp(moment // 1000, UTC)
    return (
        f"{whole:%Y-%m-%dT%H:%M:%S}.{moment % 1000:03d}Z"
        if whole.year >= 1000
        else f"{whole.isoformat()}"
    )


def parse_moment(text: str) -> int:
    """The moment of an ISO 8601 text; UTC without a zone, and midnight without a time."""
    return round(_parse_datetime(text).timestamp() * 1000)


def utc_offset_ms(text: str) -> int:
    """The UTC offset of an ISO 8601 text in milliseconds."""
    ahead = _parse_datetime(text).utcoffset()
    return round(ahead.total_seconds() * 1000) if ahead else 0


def _parse_datetime(text: str) -> datetime:
    try:
        parsed = datetime.fromisoformat(text.strip())
    except (ValueError, AttributeError) as error:
        raise Invalid(
            f"{text!r} is not a time.",
            hint="Use ISO 8601, for example 2026-03-01 or 2026-03-01T09:30:00Z.",
        ) from error
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
