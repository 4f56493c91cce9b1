"""Asks the questions of our own precision set: each store written memory by memory, at the times
the file names.

The questions are asked without a limit, as an agent asks that says nothing about it.
"""

import json
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commonplace import Draft, Engine, Query
from commonplace.clock import parse_moment
from commonplace.evaluation.metrics import Answer
from commonplace.recall.pipeline import SURE_MAX
from evals.sets import BANK, asked_with, fresh_engine, loaders
from evals.ways import BM25, WAYS

FOLDER = Path(__file__).parent / "precision"
KINDS = ("plain", "changed", "unanswerable")
HALVES = ("dev", "held-out")


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory of an invented store."""

    id: str
    time: int
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """One question about an invented store."""

    text: str
    kind: str
    half: str
    expected: frozenset[str]
    superseded: frozenset[str] = frozenset()
    also_fine: frozenset[str] = frozenset()
    near: bool = False


@dataclass(frozen=True, slots=True)
class Store:
    """An invented store, and when it is asked."""

    name: str
    about: str
    now: int
    memories: tuple[Memory, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its answer."""

    store: str
    question: Question
    answer: Answer


class SetClock:
    """A clock that shows what it was set to, a millisecond later each time it is looked at."""

    def __init__(self) -> None:
        self.shown = 0

    def now(self) -> int:
        """The moment it was set to, or as long after it as it was asked."""
        self.shown += 1
        return self.shown


def stores(folder: Path = FOLDER) -> list[Store]:
    """Every store of the set; refused when a file is not as the README beside it says."""
    found = [
        (path, json.loads(path.read_text(encoding="utf-8")))
        for path in sorted(folder.glob("*.json"))
    ]
    wrong = [f"{path.name}: {problem}" for path, given in found for problem in problems(given)]
    if wrong:
        raise ValueError("; ".join(wrong))
    return [read(given) for _, given in found]


def problems(given: dict[str, Any]) -> list[str]:
    """What is wrong with a file of the set."""
    memories, questions = given["memories"], given["questions"]
    known = {memory["id"]: place for place, memory in enumerate(memories)}
    wrong = [
        f"two memories are called {name!r}"
        for name, n in Counter(m["id"] for m in memories).items()
        if n > 1
    ]
    times = [parse_moment(memory["time"]) for memory in memories]
    if times != sorted(times) or (times and times[-1] > parse_moment(given["now"])):
        wrong.append("the memories are not in the order of their times, or later than now")
    wrong += [
        f"the question {text!r} is there twice"
        for text, n in Counter(q["text"] for q in questions).items()
        if n > 1
    ]
    for question in questions:
        wrong += [f"{question['text']!r}: {problem}" for problem in _wrong(question, known)]
    return wrong


def _wrong(question: dict[str, Any], known: dict[str, int]) -> list[str]:
    expected, superseded = question["expected"], question.get("superseded", [])
    fine = question.get("also_fine", [])
    wrong: list[str] = []
    if question["kind"] not in KINDS or question["half"] not in HALVES:
        wrong.append("its kind or half is unknown")
    named = [*expected, *superseded, *fine]
    wrong += [f"no memory is called {name!r}" for name in named if name not in known]
    if len(set(named)) != len(named):
        wrong.append("a memory is named twice")
    if bool(expected) == (question["kind"] == "unanswerable"):
        wrong.append("what is expected does not go with its kind")
    if ("near" in question) != (question["kind"] == "unanswerable"):
        wrong.append("whether it is near does not go with its kind")
    if bool(superseded) != (question["kind"] == "changed"):
        wrong.append("what is superseded does not go with its kind")
    if (
        not wrong
        and superseded
        and max(known[n] for n in superseded) > min(known[n] for n in expected)
    ):
        wrong.append("what is superseded is newer than what is expected")
    return wrong


def read(given: dict[str, Any]) -> Store:
    """A file of the set as records."""
    memories = tuple(Memory(m["id"], parse_moment(m["time"]), m["text"]) for m in given["memories"])
    names = ("expected", "superseded", "also_fine")
    questions = tuple(
        Question(
            q["text"],
            q["kind"],
            q["half"],
            *(frozenset(q.get(name, ())) for name in names),
            near=q.get("near", False),
        )
        for q in given["questions"]
    )
    return Store(given["name"], given["about"], parse_moment(given["now"]), memories, questions)


def asked(store: Store, ways: Sequence[str]) -> dict[str, list[Asked]]:
    """Every question of a store, asked in every way."""
    out: dict[str, list[Asked]] = {way: [] for way in ways}
    ours = [way for way in ways if way != BM25]
    if BM25 in ways:
        out[BM25] = _plainly(store)
    with ExitStack() as stack:
        engine, names = stored(store, stack)
        for question in store.questions:
            for way in ours:
                with WAYS[way]() as changed:
                    query = changed(Query(question.text))
                    begun = time.perf_counter()
                    found = asked_with(engine, way).recall(BANK, query)
                    seconds = time.perf_counter() - begun
                answer = Answer(
                    question.expected,
                    tuple(names[hit.memory.id] for hit in found.hits),
                    question.superseded,
                    question.also_fine,
                    found.unsure,
                    seconds,
                )
                out[way].append(Asked(store.name, question, answer))
    return out


def stored(store: Store, stack: ExitStack) -> tuple[Engine, dict[int, str]]:
    """An engine that holds a store, at the moment it is asked, and what the set calls its
    memories.
    """
    clock = SetClock()
    engine = fresh_engine(stack, clock)
    names: dict[int, str] = {}
    for memory in store.memories:
        # Several on one day keep their order.
        clock.shown = max(clock.shown, memory.time)
        written = engine.remember(BANK, Draft(memory.text, happened_at=memory.time))
        names[written.memory.id] = memory.id
    engine.rebuild()
    clock.shown = max(clock.shown, store.now)
    return engine, names


def _plainly(store: Store) -> list[Asked]:
    """Every question, as plain BM25 answers it: as many as are returned at most, as it has no idea
    of enough.
    """
    module: Any = loaders()
    plain = module.BM25({memory.id: memory.text for memory in store.memories})
    out: list[Asked] = []
    for question in store.questions:
        begun = time.perf_counter()
        found = tuple(plain.rank(question.text, SURE_MAX))
        seconds = time.perf_counter() - begun
        known = (question.expected, found, question.superseded, question.also_fine)
        out.append(Asked(store.name, question, Answer(*known, seconds=seconds)))
    return out
