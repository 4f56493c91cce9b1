"""Output for people: answers on stdout, notes and progress on stderr, colours and tables on
terminals only.
"""

import json
import os
import sys
import unicodedata
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from shutil import get_terminal_size
from typing import TextIO, TypeAlias

import click

from commonplace import clock
from commonplace.errors import Forbidden

Progress: TypeAlias = Callable[[int, int | None], None]

_BAR_CELLS = " ▏▎▍▌▋▊▉█"
# Removed from stored texts, which must not control the terminal: escape sequences, bells and
# carriage returns.
_CONTROLS = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)), "�")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table. A column with a `share` gets that part of the remaining width and
    cuts or folds its cells.

    `styles` maps cell texts to a style of their own.
    """

    name: str
    style: str = ""
    right: bool = False
    fold: bool = False
    share: int = 0
    styles: Mapping[str, str] = field(default_factory=dict[str, str])


def wants_colours() -> bool:
    """Whether to print colours. NO_COLOR and TERM are variables of the terminal, not settings of
    this program.
    """
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a stream is an open terminal."""
    return stream is not None and not stream.closed and stream.isatty()


def width() -> int:
    """The width of the terminal in columns, at least 40."""
    return max(40, get_terminal_size((80, 24)).columns)


def print_answer(text: str = "") -> None:
    """Print a part of the answer."""
    click.echo(clean(text) if is_terminal(sys.stdout) else text)


def style(text: str, **style: bool | str) -> str:
    """A cleaned text with a style. click removes the style again without a terminal."""
    # Cleaned first, because a style consists of escape sequences.
    return click.style(clean(text), **style)  # pyright: ignore[reportArgumentType]


def print_line(*parts: str) -> None:
    """Print a line of the answer made of styled parts."""
    click.echo("".join(parts), color=None if wants_colours() else False)


def print_note(text: str) -> None:
    """Print a note on stderr."""
    # Failures are printed after click has ended, so its colour option no longer applies.
    click.echo(text, err=True, color=None if wants_colours() else False)


def print_json(shape: Mapping[str, object]) -> None:
    """Print one JSON object on a line of its own."""
    click.echo(_json(shape, sys.stdout))


def print_json_note(shape: Mapping[str, object]) -> None:
    """Print one JSON object on stderr: the summary of a command whose data goes to stdout."""
    click.echo(_json(shape, sys.stderr), err=True)


def _json(shape: Mapping[str, object], stream: TextIO | None) -> str:
    # If the encoding of the stream is not Unicode, other characters are escaped.
    unicode = stream is None or (stream.encoding or "utf-8").lower().startswith("utf")
    return json.dumps(shape, ensure_ascii=not unicode)


def clean(text: str) -> str:
    """The text without the characters that control a terminal."""
    return text.translate(_CONTROLS)


def one_line(text: str) -> str:
    """The text with every run of white space as one space."""
    return " ".join(text.split())


def display_width(text: str) -> int:
    """The width of a text in columns. Chinese, Japanese and Korean characters take two."""
    return len(text) + sum(unicodedata.east_asian_width(character) in "WF" for character in text)


def shorten(text: str, columns_max: int) -> str:
    """The text on one line, cut with … if it is wider than `columns_max`."""
    plain = one_line(text)
    if display_width(plain) <= columns_max:
        return plain
    return _cut(plain, columns_max - 1).rstrip() + "…"


def wrap(text: str, indent: str) -> str:
    """The text indented and wrapped at words. In a pipe, lines are not wrapped."""
    room = width() - len(indent) if is_terminal(sys.stdout) else sys.maxsize
    lines = [piece for line in text.splitlines() or [""] for piece in _break_line(line, room)]
    return "\n".join((indent + piece).rstrip() for piece in lines)


def _break_line(text: str, room: int) -> list[str]:
    if display_width(text) <= room:
        return [text]
    pieces = [""]
    for word in text.split(" "):
        if pieces[-1] and display_width(pieces[-1]) + 1 + display_width(word) > room:
            pieces.append("")
        pieces[-1] = f"{pieces[-1]} {word}" if pieces[-1] else word
        while (
            display_width(pieces[-1]) > room
        ):  # A word wider than the line, or a language without spaces.
            head = _cut(pieces[-1], room)
            pieces[-1:] = [head, pieces[-1][len(head) :]]
    return pieces


def _cut(text: str, room: int) -> str:
    head = text[:room]
    while display_width(head) > room:
        head = head[:-1]
    return head


def format_time(moment: int | None) -> str:
    """A time in local time, to the minute."""
    if moment is None:
        return ""
    try:
        local = datetime.fromtimestamp(moment // 1000, UTC).astimezone()
    except (
        OverflowError,
        ValueError,
    ):  # The first and last days of the calendar have no local time everywhere.
        return clock.iso(moment)
    return f"{local:%Y-%m-%d %H:%M}" if local.year >= 1000 else clock.iso(moment)


def format_day(moment: int) -> str:
    """The day of a time, for lists."""
    return format_time(moment)[:10]


def iso(moment: int | None) -> str | None:
    """A time in ISO 8601 and UTC, or None."""
    return None if moment is None else clock.iso(moment)


def score_bar(score: float, cells: int = 20) -> str:
    """A score from 0 to 1 as a bar."""
    eighths = round(min(max(score, 0.0), 1.0) * cells * 8)
    return ("█" * (eighths // 8) + _BAR_CELLS[eighths % 8].strip()).ljust(cells)


def pluralize(count: int, noun: str, plural: str = "") -> str:
    """A number and its noun: `1 memory`, `2 memories`."""
    many = plural or (f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s")
    return f"{count:,} {noun if count == 1 else many}"


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Print a table on a terminal. In a pipe, print complete cells separated by tabs, without a
    header.
    """
    if not is_terminal(sys.stdout):
        for row in rows:
            click.echo("\t".join(one_line(cell) for cell in row))
        return
    # rich takes as long to import as half of everything else, and only tables and progress bars
    # need it.
    from commonplace.faces.cli import charts

    cells = [[clean(one_line(cell)) for cell in row] for row in rows]
    charts.draw_table(columns, cells, width=width(), colours=wants_colours())


@contextmanager
def progress(title: str) -> Generator[Progress]:
    """Yields a function that takes the count done and the total; it draws a bar if stderr is a
    terminal.
    """
    if not is_terminal(sys.stderr):
        yield lambda done, total: None
        return
    # rich takes as long to import as half of everything else, and only tables and progress bars
    # need it.
    from commonplace.faces.cli import charts

    with charts.progress_bar(title, colours=wants_colours()) as update:
        yield update


def confirm(question: str) -> None:
    """Ask a yes-or-no question. Raises Forbidden if the answer is no."""
    if not click.confirm(question, err=True):
        raise Forbidden(
            "The answer was no, so nothing was changed.",
            hint="Repeat with --yes to answer it in advance.",
        )
