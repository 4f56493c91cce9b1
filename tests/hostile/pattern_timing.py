"""Tries a pattern with a text that grows, and says where the time grows faster than the text."""

import re
import signal
from collections.abc import Callable
from time import thread_time
from types import FrameType
from typing import Any

# Small steps first, so that what grows exponentially is found while it is still short.
_SIZES = (20, 32, 52, 96, 500, 2_500)
_QUICK_S, _LONG_S = 0.004, 1.0
_GROWTH_MAX = 9.0  # for a text four times as long: 4 is linear, 16 is quadratic


class TooLong(Exception):
    """Not an error: the match was ended after the longest time it may take."""


def slow(pattern: "re.Pattern[Any]", call: str, before: str, unit: str, end: str) -> str:
    """Where the time grows faster than the text: the length and the seconds; empty where it does
    not.
    """

    def made(count: int) -> str:
        return before + unit * max(1, count) + end

    for size in _SIZES:
        count = size // len(unit)
        taken = timed(pattern, call, made(count))
        if taken > _QUICK_S and _grows(pattern, call, made, count):
            return (
                f"{size} characters take {taken:.3f} s: {call} {before[:40]!r} + {unit[:60]!r} * n"
                f" + {end!r}"
            )
    return ""


def _grows(pattern: "re.Pattern[Any]", call: str, made: Callable[[int], str], count: int) -> bool:
    """Whether it still takes long when it is measured again, and a quarter of the text far less
    than a quarter.
    """
    whole = min(timed(pattern, call, made(count)) for _ in range(2))
    part = min(timed(pattern, call, made(count // 4)) for _ in range(3))
    return whole > _QUICK_S and whole > _GROWTH_MAX * part


def timed(pattern: "re.Pattern[Any]", call: str, text: str) -> float:
    """The seconds that a pattern takes for a text; the engine looks for signals, so that none takes
    for ever.
    """

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise TooLong

    given: Any = text.encode("utf-8") if isinstance(pattern.pattern, bytes) else text
    before = signal.signal(signal.SIGALRM, end)
    started = thread_time()
    try:
        signal.setitimer(signal.ITIMER_REAL, _LONG_S)
        if call == "search":
            for _ in pattern.finditer(given):
                pass
        else:
            getattr(pattern, call)(given)
    except TooLong:
        return _LONG_S * 10
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return thread_time() - started
