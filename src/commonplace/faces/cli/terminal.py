"""What a person sees: answers on stdout, notes and progress on stderr, colours and tables on a
terminal only.
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
# A stored text must not be able to steer the terminal: no escape sequences, bells or carriage
# returns.
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
    """Whether this terminal wants colours. NO_COLOR and TERM belong to the terminal, so they are
    not our settings.
    """
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks at a stream."""
    return stream is not None and not stream.closed and stream.isatty()


def width() -> int:
    """How many characters fit into a line."""
    return max(40, get_terminal_size((80, 24)).columns)


def print_answer(text: str = "") -> None:
    """Print a part of the answer."""
    click.echo(clean(text) if is_terminal(sys.stdout) else text)


def style(text: str, **style: bool | str) -> str:
    """A cleaned text in colour. The colours are taken out again where nobody would see them."""
    # Cleaned before the style is put on, because a style is an escape sequence itself.
    return click.style(clean(text), **style)  # pyright: ignore[reportArgumentType]


def print_line(*parts: str) -> None:
    """Print a line of the answer made of styled parts."""
    click.echo("".join(parts), color=None if wants_colours() else False)


def print_note(text: str) -> None:
    """Tell something that is not the answer."""
    # Failures are printed when click has ended, and no longer knows what was said of colours.
    click.echo(text, err=True, color=None if wants_colours() else False)


def print_json(shape: Mapping[str, object]) -> None:
    """Print one JSON object on a line of its own."""
    click.echo(_json(shape, sys.stdout))


def print_json_note(shape: Mapping[str, object]) -> None:
    """One JSON object on stderr, for the summary of a command whose stdout is taken by the data
    itself.
    """
    click.echo(_json(shape, sys.stderr), err=True)


def _json(shape: Mapping[str, object], stream: TextIO | None) -> str:
    # Where the stream cannot carry every character, escapes can.
    unicode = stream is None or (stream.encoding or "utf-8").lower().startswith("utf")
    return json.dumps(shape, ensure_ascii=not unicode)


def clean(text: str) -> str:
    """The text without the characters that control a terminal."""
    return text.translate(_CONTROLS)


def one_line(text: str) -> str:
    """The text with every run of white space as one space."""
    return " ".join(text.split())


def display_width(text: str) -> int:
    """How wide a text is on the screen; Chinese, Japanese and Korean characters take two places."""
    return len(text) + sum(unicodedata.east_asian_width(character) in "WF" for character in text)


def shorten(text: str, columns_max: int) -> str:
    """The text on one line, cut with … when it is wider than a number of columns."""
    plain = one_line(text)
    if display_width(plain) <= columns_max:
        return plain
    return _cut(plain, columns_max - 1).rstrip() + "…"


def wrap(text: str, indent: str) -> str:
    """The text indented, its long lines broken between words. A pipe gets the lines as they are."""
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
    """A moment for people: local time, to the minute."""
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
    """The day of a moment, for lists."""
    return format_time(moment)[:10]


def iso(moment: int | None) -> str | None:
    """A moment for programs: ISO 8601 in UTC, or None."""
    return None if moment is None else clock.iso(moment)


def score_bar(score: float, cells: int = 20) -> str:
    """A score in 0..1 as a bar."""
    eighths = round(min(max(score, 0.0), 1.0) * cells * 8)
    return ("█" * (eighths // 8) + _BAR_CELLS[eighths % 8].strip()).ljust(cells)


def pluralize(count: int, noun: str, plural: str = "") -> str:
    """A number and its noun: `1 memory`, `2 memories`."""
    many = plural or (f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s")
    return f"{count:,} {noun if count == 1 else many}"


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Print rows: a table on a terminal; anywhere else lines with tabs between the cells, uncut and
    without a head.
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
    """A function that takes how much is done and how much there is, drawn as a bar where a person
    looks at stderr.
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
    """Go on only if a person says yes; otherwise stop before anything is changed."""
    if not click.confirm(question, err=True):
        raise Forbidden(
            "The answer was no, so nothing was changed.",
            hint="Repeat with --yes to answer it in advance.",
        )
