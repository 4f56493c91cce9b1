"""The ways a request can fail, one class each; the docstring is the default text.

CommonplaceError
├─ Invalid      400 · exit 2   the request cannot be understood
├─ Forbidden    403 · exit 3   the caller may not do this
├─ NotFound     404 · exit 4   it does not exist
├─ Conflict     409 · exit 5   another caller changed it first
├─ TooLarge     413 · exit 6   the request exceeds a limit
├─ Unsupported  501 · exit 7   this store or installation does not support it
├─ ModelFailed  502 · exit 8   the language model gave no usable answer
└─ Busy         503 · exit 9   try again later
"""

import os
from typing import ClassVar


class CommonplaceError(Exception):
    """Something went wrong."""

    status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str = "", *, hint: str = "") -> None:
        self.message = message or (self.__doc__ or "").strip()
        self.hint = hint
        super().__init__(self.message)

    @property
    def kind(self) -> str:
        """The name of the error, as programs see it."""
        return type(self).__name__


class Invalid(CommonplaceError):
    """The request cannot be understood."""

    status = 400
    exit_code = 2


class Forbidden(CommonplaceError):
    """The caller may not do this."""

    status = 403
    exit_code = 3


class NotFound(CommonplaceError):
    """It does not exist."""

    status = 404
    exit_code = 4


class Conflict(CommonplaceError):
    """Another caller changed it first."""

    status = 409
    exit_code = 5


class TooLarge(CommonplaceError):
    """The request exceeds a limit."""

    status = 413
    exit_code = 6


class Unsupported(CommonplaceError):
    """This store or installation does not support it."""

    status = 501
    exit_code = 7


class ModelFailed(CommonplaceError):
    """The language model gave no usable answer."""

    status = 502
    exit_code = 8


class Busy(CommonplaceError):
    """The server or the store is busy; try again later."""

    status = 503
    exit_code = 9


_FRAMES_MAX = 6


def trace_summary(error: BaseException) -> str:
    """The class of an error and its stack frames, innermost first, for the log.

    The text of the error is left out, because it may contain memories, and so are file paths.
    """
    frames: list[str] = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        module = os.path.basename(code.co_filename).removesuffix(".py")
        frames.append(f"{module}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return f"{type(error).__name__} at {' < '.join(frames[: -_FRAMES_MAX - 1 : -1])}"
