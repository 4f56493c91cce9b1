"""The log of a server: one line per event on standard error, without tracebacks and local paths."""

import json
import logging
import sys
import time

from commonplace.errors import trace_summary


class PlainFormatter(logging.Formatter):
    """Formats log lines for people."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        at = time.strftime("%H:%M:%S", time.localtime(record.created))
        return f"{at} {record.levelname.lower():7} {_record_text(record)}"


class JsonFormatter(logging.Formatter):
    """Formats log lines as JSON."""

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
            "text": _record_text(record),
        }
        return json.dumps(line, ensure_ascii=False)


def configure(level: str, as_json: bool) -> None:
    """Send every log line of this process to standard error."""
    stream = logging.StreamHandler(sys.stderr)
    stream.setFormatter(JsonFormatter() if as_json else PlainFormatter())
    root = logging.getLogger()
    root.handlers[:] = [stream]
    root.setLevel(logging.WARNING)
    logging.getLogger("commonplace").setLevel(level.upper())


def info_record(text: str) -> logging.LogRecord:
    """A log record to format directly, whatever the level."""
    return logging.LogRecord("commonplace.http", logging.INFO, "", 0, text, None, None)


def _record_text(record: logging.LogRecord) -> str:
    text = " ".join(record.getMessage().split())
    if record.exc_info and record.exc_info[1] is not None:
        text += f" ({trace_summary(record.exc_info[1])})"
    return text
