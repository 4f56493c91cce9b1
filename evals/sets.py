"""Asks the questions of the public sets: every store in a bank of its own, once stored, asked in
several ways.

The sets stay where they are: nothing of them may be copied into this repository. COMMONPLACE_DATA
names their folder; by default it is `../shared/data`, beside the repository.
"""

import importlib.util
import os
import tempfile
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any

from commonplace import Draft, Engine, Filter, Query
from commonplace.app import open_engine
from commonplace.clock import Clock
from commonplace.evaluation.metrics import Answer
from commonplace.limits import BULK_MAX
from commonplace.settings import load
from evals.ways import BM25, UNREAD, WAYS

DEFAULT_DATA = Path(__file__).parent.parent.parent / "shared" / "data"
DEPTH = 50  # How many hits are asked for; mrr looks at all of them.
BANK = "eval"
_PROCESSES_A_PART = 2  # With two processes each measures whole sets.


@dataclass(slots=True)
class Measured:
    """What came of one set: how much was stored, and every answer, by the way it was asked."""

    docs: int = 0
    stored_s: float = 0.0
    answers: dict[str, list[Answer]] = field(default_factory=dict[str, list[Answer]])


class Bank:
    """One fresh store with everything in one bank."""

    def __init__(self, docs: Mapping[str, str]) -> None:
        self._stack = ExitStack()
        self.engine = fresh_engine(self._stack)
        names, texts = list(docs), list(docs.values())
        self.names: dict[int, str] = {}
        for start in range(0, len(texts), BULK_MAX):
            drafts = [Draft(text) for text in texts[start : start + BULK_MAX]]
            written = self.engine.remember_many(BANK, drafts)
            ids = [outcome.memory.id for outcome in written]
            self.names |= dict(zip(ids, names[start : start + BULK_MAX], strict=True))
        # What a background worker does in daily life; otherwise the first questions would pay for
        # it.
        self.engine.rebuild()

    def close(self) -> None:
        """Remove the store."""
        self._stack.close()

    def ask(self, way: str, text: str, expected: Collection[str], skip: Collection[str]) -> Answer:
        """The answer to a question. What must be skipped is kept out by a filter, inside the
        search.
        """
        kept = (
            tuple(number for number, name in self.names.items() if name not in skip)
            if skip
            else None
        )
        engine = asked_with(self.engine, way)
        with WAYS[way]() as changed:
            query = changed(Query(text, Filter(ids=kept), limit=DEPTH))
            begun = time.perf_counter()
            hits = engine.recall(BANK, query).hits
            seconds = time.perf_counter() - begun
        # What is there twice, word for word, is one hit; here either is a place of its own, as it
        # is for BM25.
        found = tuple(self.names[number] for hit in hits for number in (hit.memory.id, *hit.copies))
        return Answer(frozenset(expected), found, seconds=seconds)


def fresh_engine(stack: ExitStack, clock: Clock | None = None) -> Engine:
    """An engine on an empty store that goes away with the stack, set up as an installation is
    without any settings.
    """
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="commonplace-eval-"))
    engine = open_engine(replace(load({}), home=Path(folder)), clock)
    stack.callback(engine.db.close)
    return engine


def asked_with(engine: Engine, way: str) -> Engine:
    """The engine, without its reranker where nobody is to read."""
    return replace(engine, reranker=lambda: None) if way == UNREAD else engine


def data_folder() -> Path:
    """Where the sets are."""
    return Path(os.environ.get("COMMONPLACE_DATA", "") or DEFAULT_DATA)


def is_there() -> bool:
    """Whether the sets are there."""
    return (data_folder() / "loaders.py").is_file()


def loaders() -> ModuleType | None:
    """The module that reads the sets, or None when it is not there."""
    spec = importlib.util.spec_from_file_location("loaders", data_folder() / "loaders.py")
    if spec is None or spec.loader is None or not is_there():
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measure(name: str, ways: Sequence[str], every: int, part: int = 0, parts: int = 1) -> Measured:
    """Ask every question of a set, or every N-th, in every way; of several parts one. Runs in its
    own process.
    """
    module: Any = loaders()
    out = Measured(answers={way: [] for way in ways})
    total = sum(len(questions) for _, _, questions in module.SETS[name]())
    counted = count()
    for _, docs, questions in module.SETS[name]():
        out.docs += len(docs)
        places = [(question, next(counted)) for question in questions]
        chosen = [
            one for one, place in places if place % every == 0 and place * parts // total == part
        ]
        if not chosen:
            continue
        begun = time.perf_counter()
        ours = Bank(docs)
        out.stored_s += time.perf_counter() - begun
        plain: Any = module.BM25(docs) if BM25 in ways else None
        order = {doc: place for place, doc in enumerate(docs)}
        for question, text, expected, _ in chosen:
            skip = _later(order, question)
            for way in ways:
                if way == BM25:
                    begun = time.perf_counter()
                    found = tuple(plain.rank(text, DEPTH, skip))
                    answer = Answer(frozenset(expected), found, seconds=time.perf_counter() - begun)
                else:
                    answer = ours.ask(way, text, expected, skip)
                out.answers[way].append(answer)
        ours.close()
    return out


def measured(
    names: Sequence[str], ways: Sequence[str], processes: int, every: int = 1
) -> Iterator[tuple[str, Measured]]:
    """Every set as soon as it is measured. With many processes a set is measured in parts, side by
    side.
    """
    if processes == 1:
        yield from ((name, measure(name, ways, every)) for name in names)
        return
    parts = processes // _PROCESSES_A_PART
    with ProcessPoolExecutor(processes) as pool:
        running = {
            name: [
                pool.submit(measure, name, ways, every, part, max(1, parts))
                for part in range(max(1, parts))
            ]
            for name in names
        }
        for name, futures in running.items():
            yield name, _joined([future.result() for future in futures])


def _joined(parts: Sequence[Measured]) -> Measured:
    """The parts of a set as one, with the answers in the order of the questions."""
    ways = parts[0].answers
    answers = {way: [answer for part in parts for answer in part.answers[way]] for way in ways}
    return Measured(parts[0].docs, sum(part.stored_s for part in parts), answers)


def _later(places: Mapping[str, int], question: str) -> frozenset[str]:
    """What may not be ranked: where a question's id ends in |n, the documents from the n-th on."""
    if "|" not in question:
        return frozenset()
    own = int(question.rsplit("|", 1)[1])
    return frozenset(doc for doc, place in places.items() if place >= own)
