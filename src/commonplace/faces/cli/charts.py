"""Draws tables and progress bars with rich. Imported for terminals only, because rich is slow to
import.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Literal

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from commonplace.faces.cli.terminal import Column


def draw_table(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], *, width: int, colours: bool
) -> None:
    """Print a table on stdout without its empty columns."""
    shown = [place for place in range(len(columns)) if any(row[place] for row in rows)]
    expand = any(columns[place].share for place in shown)
    drawn = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), show_edge=False, expand=expand
    )
    for place in shown:
        _add_column(drawn, columns[place])
    for row in rows:
        drawn.add_row(
            *(Text(row[place], style=columns[place].styles.get(row[place], "")) for place in shown)
        )
    Console(color_system=_color_system(colours), highlight=False, width=width).print(drawn)


def _add_column(table: Table, column: Column) -> None:
    table.add_column(
        column.name,
        style=column.style,
        justify="right" if column.right else "left",
        no_wrap=not column.fold,
        overflow="fold" if column.fold else "ellipsis",
        ratio=column.share or None,
    )


@contextmanager
def progress_bar(title: str, *, colours: bool) -> Generator[Callable[[int, int | None], None]]:
    """A progress bar on stderr, removed at the end. Yields a function that takes the count done and
    the total.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True, color_system=_color_system(colours))
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task(title, total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)


def _color_system(colours: bool) -> Literal["auto"] | None:
    return "auto" if colours else None
