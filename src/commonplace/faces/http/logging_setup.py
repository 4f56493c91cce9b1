"""The log of a server: one line for one thing, on standard error, without traces and without paths
of this machine.
"""

import json
import logging
import sys
import time

from commonplace.errors import traced


class Plain(logging.Formatter):
    """A line for people."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        at = time.strftime("%H:%M:%S", time.localtime(record.created))
        return f"{at} {record.levelname.lower():7} {_text(record)}"


class Json(logging.Formatter):
    """A line for programs."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        at = (
            time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03d}Z"
        )
        line = {
            "at": at,
            "level": record.levelname.lower(),
            "logger": record.name,
            "text": _text(record),
        }
        return json.dumps(line, ensure_ascii=False)


def configure(level: str, as_json: bool) -> None:
    """Send every log line of this process to standard error."""
    stream = logging.StreamHandler(sys.stderr)
    stream.setFormatter(Json() if as_json else Plain())
    root = logging.getLogger()
    root.handlers[:] = [stream]
    root.setLevel(logging.WARNING)
    logging.getLogger("commonplace").setLevel(level.upper())


def record(text: str) -> logging.LogRecord:
    """Something to be said whatever the level."""
    return logging.LogRecord("commonplace.http", logging.INFO, "", 0, text, None, None)


def _text(record: logging.LogRecord) -> str:
    text = " ".join(record.getMessage().split())
    if record.exc_info and record.exc_info[1] is not None:
        text += f" ({traced(record.exc_info[1])})"
    return text
