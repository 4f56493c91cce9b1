"""The table of pairs: an older and a newer statement, and how they relate, in four languages.

`pairs_en.txt` has the expected relation; the other files translate its rows, one for one.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
LANGUAGES = ("en", "de", "es", "zh")


@dataclass(frozen=True)
class Pair:
    """A row of the table in one language. `expected` "beside" means that both hold: adds or
    unrelated."""

    name: str
    language: str
    expected: str
    older: str
    newer: str

    def __str__(self) -> str:
        return f"{self.language}-{self.name}"


@cache
def table(language: str) -> tuple[Pair, ...]:
    """The rows in a language."""
    english = {row[0]: row[1] for row in _rows("en")}
    rows = _rows(language)
    return tuple(Pair(row[0], language, english[row[0]], row[-2], row[-1]) for row in rows)


def _rows(language: str) -> list[list[str]]:
    lines = (FOLDER / f"pairs_{language}.txt").read_text().splitlines()
    return [
        [cell.strip() for cell in line.split(" | ")] for line in lines if line and line[0] != "#"
    ]
