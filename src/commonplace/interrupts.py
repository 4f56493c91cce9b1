"""Ctrl-C ends the program with exit code 130 and without a traceback at any time."""

import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import TypeAlias

EXIT_CODE = 130  # 128 and the number of the signal, as shells report it.

Program: TypeAlias = Callable[[], int]


class _Interrupts:
    """Whether Ctrl-C was pressed. A KeyboardInterrupt alone is not enough, because the interrupted
    code may swallow it.
    """

    pressed = False

    def interrupt(self, _number: int, _frame: FrameType | None) -> None:
        """Remember the signal and raise KeyboardInterrupt."""
        self.pressed = True
        raise KeyboardInterrupt


_INTERRUPTS = _Interrupts()


def is_interrupted() -> bool:
    """Whether Ctrl-C was pressed. SQLite, for example, reports another error when the signal
    interrupts one of our SQL functions.
    """
    return _INTERRUPTS.pressed


def run(load: Callable[[], Program]) -> int:
    """Load a program and run it; its exit code, or 130 after Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return load()()  # A shell starts background jobs with Ctrl-C ignored; keep it ignored.
    signal.signal(signal.SIGINT, _end_at_once)
    program = load()
    sys.unraisablehook = _report_unraisable
    signal.signal(signal.SIGINT, _INTERRUPTS.interrupt)
    try:
        return program()
    except KeyboardInterrupt:
        return EXIT_CODE
    finally:
        # Only the shutdown of the interpreter remains.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end_at_once(_number: int, _frame: FrameType | None) -> None:
    # Nothing was done yet, so there is nothing to clean up.
    os._exit(EXIT_CODE)


def _report_unraisable(unraisable: "sys.UnraisableHookArgs") -> None:
    if not isinstance(unraisable.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
