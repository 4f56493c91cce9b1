"""Renders the templates. Every value is escaped; no text of a memory becomes HTML."""

import time
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

import commonplace
from commonplace import clock, ids
from commonplace.faces.web.assets import asset_address
from commonplace.faces.web.visit import Page, Visit, address

# The views in the order of the navigation: path, label, and the key after `g`.
NAVIGATION = (
    ("memories", "Memories", "m"),
    ("ask", "Ask", "a"),
    ("timeline", "Timeline", "t"),
    ("inbox", "Inbox", "i"),
    ("map", "Map", "p"),
    ("banks", "Banks", "k"),
    ("status", "Health", "h"),
    ("transfer", "Bring and take", "b"),
)
_LINE_CHARS = 240
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3_600, 86_400


def render(page: Page, visit: Visit | None) -> str:
    """A page as HTML. Without a visit, the page of a request that was not admitted."""
    values: Mapping[str, object] = {
        "visit": visit,
        "bank": visit.get("bank") or "default" if visit else "default",
        "nav": NAVIGATION,
        "here": visit.path[0] if visit and visit.path else "memories",
        **page.data,
    }
    return _environment().get_template(page.template).render(values)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("commonplace.faces.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(_GLOBALS)  # pyright: ignore[reportUnknownMemberType]
    made.filters.update(_FILTERS)  # pyright: ignore[reportUnknownMemberType]
    return made


def moment_text(moment: int | None) -> str:
    """A moment in the time zone of this machine, to the minute."""
    if moment is None:
        return ""
    return f"{datetime.fromtimestamp(moment / 1000).astimezone():%Y-%m-%d %H:%M}"


def ago(moment: int) -> str:
    """How long ago a moment was, or its date when that is long ago."""
    seconds = time.time() - moment / 1000
    if seconds < 0 or seconds > 30 * _DAY_S:
        return moment_text(moment)[:10]
    if seconds < _MINUTE_S:
        return "just now"
    for size, unit in ((_DAY_S, "day"), (_HOUR_S, "hour"), (_MINUTE_S, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return ""


def one_line(text: str, chars: int = _LINE_CHARS) -> str:
    """The beginning of a text on one line."""
    start = " ".join(text[: 4 * chars].split())
    return start if len(start) <= chars else start[: chars - 1].rstrip() + "…"


def bytes_text(count: int) -> str:
    """A size for people."""
    size = float(count)
    for unit in ("bytes", "kB", "MB"):
        if size < 1_000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1_000
    return f"{size:.1f} GB"


def duration_text(seconds: float) -> str:
    """A duration in its largest unit."""
    for size, unit in ((_DAY_S, "days"), (_HOUR_S, "h"), (_MINUTE_S, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def thousands(value: int) -> str:
    """A number with separators."""
    return f"{value:,}"


_GLOBALS: dict[str, object] = {
    "address": address,
    "asset": asset_address,
    "version": commonplace.__version__,
}
_FILTERS: dict[str, Callable[..., object]] = {
    "moment": moment_text,
    "iso": clock.iso,
    "ago": ago,
    "short": ids.short_form,
    "line": one_line,
    "number": thousands,
    "bytes": bytes_text,
    "duration": duration_text,
    "job": ids.job_form,
}
