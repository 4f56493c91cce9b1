"""The invented stores that the reader learns from. Each is a text file with a line for each memory
and each question.

M 1 | 2024-03-02 | text of the memory Q | the question | 1 5      which memories answer it Q | the
question | 9 !3     9 is the current value, !3 an outdated one of the same fact Q | the question | -
none does
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from commonplace.recall import dialogue

FOLDER = Path(__file__).parent / "stores"
_MEMORY = re.compile(r"M (\d+) \| \d{4}-\d\d-\d\d \| (.+)")
_TALK_SHARE = 0.8
_QUESTION = re.compile(r"Q \| (.+) \| (-|!?\d+(?: !?\d+)*)")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, with the places of the memories that answer it and of those that used to."""

    text: str
    answers: frozenset[int]
    outdated: frozenset[int]


@dataclass(frozen=True, slots=True)
class Store:
    """The memories of one store, oldest first, the questions about them, and whether it is a talk,
    turn by turn.
    """

    name: str
    texts: tuple[str, ...]
    questions: tuple[Asked, ...]
    is_talk: bool


def stores(folder: Path = FOLDER) -> Iterator[Store]:
    """Every store, in the order of the names."""
    for file in sorted(folder.glob("*.txt")):
        yield _store(file)


def _store(file: Path) -> Store:
    places: dict[str, int] = {}
    texts: list[str] = []
    questions: list[Asked] = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if memory := _MEMORY.fullmatch(line):
            places[memory[1]] = len(texts)
            texts.append(memory[2])
        elif question := _QUESTION.fullmatch(line):
            questions.append(_asked(question[1], question[2].split(), places))
        elif line.strip():
            raise ValueError(
                f"{file.name}, line {number}: neither a memory nor a question: {line[:80]}"
            )
    spoken = sum(dialogue.parse_turn(text) is not None for text in texts)
    return Store(file.stem, tuple(texts), tuple(questions), spoken > _TALK_SHARE * len(texts))


def _asked(text: str, names: list[str], places: dict[str, int]) -> Asked:
    answers = frozenset(places[name] for name in names if name[0] not in "!-")
    outdated = frozenset(places[name[1:]] for name in names if name[0] == "!")
    return Asked(text, answers, outdated)
