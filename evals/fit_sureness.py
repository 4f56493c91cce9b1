"""Finds the weights of sureness and superseding and writes them to
src/commonplace/recall/weights.py.

`python -m evals.fit_sureness` asks the development half of our own questions, those of
evals/fitting, and some of the public sets where these are there; nothing of the held-out half is
asked. Each question is asked of its own store, of the store without what answers it (which makes a
question that is nearly answered), of the other stores, and of a few of the store's memories, so
that a small store is judged no worse. How far the weights carry is measured store by store, with
weights that were fitted without it; the cut is the lowest one that is right and silent often enough
there. Run it again whenever the evidence or its weights change; it takes some minutes.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from commonplace import Engine, Filter, Query
from commonplace.evaluation import metrics
from commonplace.evaluation.metrics import Answer
from commonplace.models.reranker import CrossEncoder
from commonplace.recall import calibration, weights
from commonplace.recall.evidence import HitFeatures, computed
from commonplace.recall.pipeline import SURE_MAX, Models, Search
from commonplace.recall.rerank import Reranker
from commonplace.recall.scoring import ScoredHit
from commonplace.recall.supersession import Pair
from commonplace.storage.rows import banks
from evals import precise
from evals.goals import GOALS
from evals.goals import OWN as OWN_SET
from evals.precise import Question, Store
from evals.sets import BANK, Bank, loaders

TARGET = Path(weights.__file__)
FITTING = Path(__file__).parent / "fitting"
# How much a question counts that is asked of its own store, of an emptied one, of a few memories,
# of another store.
OWN, EMPTIED, SMALL, FOREIGN, PUBLIC = 1.0, 0.5, 0.1, 0.15, 0.3
# Every so many-th question of a public set, and of how many of its stores.
PUBLIC_SETS = {
    "locomo-turn": (9, 9),
    "realtalk-turn": (7, 9),
    "longmemeval-turn": (4, 1),
    "memdaily-zh": (1, 25),
}
FEW = (0, 2, 6, 15)
FOREIGN_ASKED, FOREIGN_READ = 4, 20
STIFFNESS, PAIR_STIFFNESS = 4.0, 1.0
CUT_FOR = ("precision", "unanswerable admitted")
MARGIN = 0.03  # So far from what was measured here other stores may well lie.
CUTS = tuple(cut / 100 for cut in range(10, 61, 2))
NEWER_MIN, REPLACED_MIN = 0.2, 0.5

AGAINST = ("asking", "behind")  # These speak against a hit, as whatever is missing does.
EITHER_WAY = ("long", "turn", "speaker")  # These say what a hit is, not whether it is right.
# These settle the order only, or make a hit sure by themselves.
UNWEIGHED = ("answer", "company", "part", "recent", "time", "preference", "rule", "named")

Floats: TypeAlias = NDArray[np.float64]
Place: TypeAlias = tuple[str, Engine, Mapping[int, str]]
Row: TypeAlias = tuple[Mapping[str, float], bool, float]
Fit: TypeAlias = tuple[Mapping[str, float], float]  # The weights, and where they start.


@dataclass(frozen=True, slots=True)
class Weights:
    """What is fitted for hits and for pairs of them, either for those that nobody read or for those
    that were; and the cut.
    """

    hits: Fit
    pairs: Fit
    cut: float = 0.5


@dataclass(frozen=True, slots=True)
class Case:
    """A question that was asked of a store, with everything that judges its hits."""

    store: str
    weight: float
    question: Question
    names: tuple[str, ...]
    found: tuple[ScoredHit, ...]
    features: tuple[HitFeatures, ...]
    pairs: tuple[Pair, ...]

    def is_right(self, place: int) -> bool:
        """Whether a hit answers the question."""
        return self.names[place] in self.question.expected

    def is_open(self, place: int) -> bool:
        """Whether a hit is neither right nor wrong."""
        return self.names[place] in self.question.superseded | self.question.also_fine

    def replaced(self) -> Iterator[Row]:
        """The pairs of which it is known whether the newer memory replaced the older one: all of
        our own stores, and of public ones those whose older memory is still an answer.
        """
        for pair in self.pairs:
            older, newer = self.names[pair.older], self.is_right(pair.newer)
            if self.weight == OWN:
                yield computed(pair.features), newer and older in self.question.superseded, 1.0
            elif self.weight == PUBLIC and self.is_right(pair.older) and not newer:
                yield computed(pair.features), False, 1.0

    def answer(self) -> Answer:
        """What would be answered with the weights of this moment."""
        judged = calibration.calibrate(self.found, self.features, self.pairs)
        kept = [one for one in judged if one.is_sure and not one.is_replaced]
        places = {
            one.evidence.memory_id: name for one, name in zip(self.found, self.names, strict=True)
        }
        found = tuple(places[one.scored.evidence.memory_id] for one in kept[:SURE_MAX])
        return Answer(
            self.question.expected, found, self.question.superseded, self.question.also_fine
        )


def main() -> int:
    """Collect, fit, measure and write: once as everybody asks, once as those do who have the best
    hits read.
    """
    every = [*precise.stores(), *precise.stores(FITTING)]
    stores = [
        store for store in every if any(question.half == "dev" for question in store.questions)
    ]
    plain, without = _measured(stores, None, {})
    _use(plain)  # By these it is decided which pairs are read.
    read, _ = _measured(stores, Remembering(CrossEncoder()), without)
    TARGET.write_text(_page(plain, read), encoding="utf-8")
    print(f"written to {TARGET.name}, with cuts at {plain.cut} and {read.cut}", file=sys.stderr)
    return 0


class Remembering:
    """A reranker that reads nothing twice."""

    def __init__(self, reranker: Reranker) -> None:
        self._reranker = reranker
        self._scores, self._replacing = cache(reranker.scores), cache(reranker.replacing)

    def reads(self, question: str, texts: Sequence[str]) -> bool:
        return self._reranker.reads(question, texts)

    def scores(self, question: str, texts: Sequence[str], tokens_max: int) -> Sequence[float]:
        return self._scores(question, tuple(texts), tokens_max)

    def replacing(
        self, question: str, pairs: Sequence[tuple[str, str]], tokens_max: int
    ) -> Sequence[float]:
        return self._replacing(question, tuple(pairs), tokens_max)


def _measured(
    stores: Sequence[Store], reranker: Reranker | None, plain: Mapping[str, Weights]
) -> tuple[Weights, dict[str, Weights]]:
    """What is fitted on all stores, and on all but one, by its name; `plain` is the latter where
    nobody reads.
    """
    own = list(_own_cases(stores, reranker))
    every = [*own, *_public_cases(reranker)]
    print(
        f"{len(own)} questions of our own, {len(every) - len(own)} of public sets", file=sys.stderr
    )
    held: dict[float, list[Answer]] = {cut: [] for cut in CUTS}
    without: dict[str, Weights] = {}
    for name in {store.name for store in stores}:
        without[name] = _fitted(
            [case for case in every if case.store != name], reranker is not None
        )
        _use(plain.get(name, without[name]), without[name])
        asked = [case for case in own if case.store == name and case.weight == OWN]
        for cut in CUTS:
            weights.READ_MIN = cut
            if not plain:
                weights.SURE_MIN = cut
            held[cut] += [case.answer() for case in asked]
    cut = _shown(held)
    without = {name: replace(one, cut=cut) for name, one in without.items()}
    return replace(_fitted(every, reranker is not None), cut=cut), without


def _own_cases(stores: Sequence[Store], reranker: Reranker | None) -> Iterator[Case]:
    random = Random(7)
    foreign = count()
    for store in stores:
        with ExitStack() as stack:
            engine, names = precise.stored(store, stack)
            place: Place = (store.name, replace(engine, reranker=lambda: reranker), names)
            for other in stores:
                for question in other.questions:
                    if question.half != "dev":
                        continue
                    if other is not store:
                        # Strangers are easily told, and reading takes its time.
                        if (
                            question.expected
                            and next(foreign) % (FOREIGN_READ if reranker else FOREIGN_ASKED) == 0
                        ):
                            yield _case(place, FOREIGN, _emptied(question), None)
                        continue
                    yield _case(place, OWN, question, None)
                    if question.expected:
                        yield from _variants(place, question, random)


def _variants(place: Place, question: Question, random: Random) -> Iterator[Case]:
    names = place[2]
    answering = question.expected | question.superseded | question.also_fine
    others = [number for number, name in names.items() if name not in answering]
    yield _case(place, EMPTIED, _emptied(question), others)
    few = random.sample(others, random.choice(FEW))
    numbers = [number for number, name in names.items() if name in answering]
    yield _case(place, SMALL, question, sorted(numbers + few))
    if few:
        yield _case(place, SMALL, _emptied(question), few)


def _emptied(question: Question) -> Question:
    return Question(question.text, "unanswerable", question.half, frozenset(), near=True)


def _public_cases(reranker: Reranker | None) -> Iterator[Case]:
    module: Any = loaders()
    for name, (every, stores) in PUBLIC_SETS.items() if module else ():
        for number, (_, docs, questions) in enumerate(module.SETS[name]()):
            if number == stores:
                break
            bank = Bank(docs)
            place: Place = (name, replace(bank.engine, reranker=lambda: reranker), bank.names)
            for _, text, expected, _ in questions[::every]:
                question = Question(text, "plain", "dev", frozenset(expected))
                others = [number for number, doc in bank.names.items() if doc not in expected]
                yield _case(place, PUBLIC, question, None)
                yield _case(place, PUBLIC * EMPTIED, _emptied(question), others)
            bank.close()


def _case(place: Place, weight: float, question: Question, chosen: Sequence[int] | None) -> Case:
    store, engine, names = place
    bank = banks.find(engine.db, BANK)
    if bank is None:
        raise LookupError(BANK)
    query = Query(question.text, Filter(ids=None if chosen is None else tuple(chosen)))
    models = Models(engine.semantics(), engine.reranker())
    search = Search(engine.db, models, bank.id, query, engine.clock.now())
    found = search.score_candidates()
    features, pairs = search.compare_best(found)
    known = tuple(names[one.evidence.memory_id] for one in found)
    return Case(store, weight, question, known, tuple(found), tuple(features), tuple(pairs))


def _fitted(cases: Sequence[Case], is_read: bool) -> Weights:
    """The weights of what somebody has read, or of what nobody has."""
    hits = [
        (computed(features), case.is_right(place), case.weight)
        for case in cases
        for place, features in enumerate(case.features)
        if not case.is_open(place)
    ]
    pairs = [row for case in cases for row in case.replaced()]
    if is_read:
        hits, pairs = ([row for row in rows if "read" in row[0]] for rows in (hits, pairs))
    names = {name for values, _, _ in hits for name in values}.difference(EITHER_WAY)
    signs = {name: -1 if "missing" in name or name in AGAINST else 1 for name in names}
    return Weights(_logistic(hits, STIFFNESS, signs), _logistic(pairs, PAIR_STIFFNESS, {}))


def _logistic(rows: Sequence[Row], stiffness: float, signs: Mapping[str, int]) -> Fit:
    """Logistic regression with small weights preferred: the weights, and where it starts.

    Whatever would weigh against its sign is left out, the worst first, so that a better hit is
    never less sure.
    """
    names = sorted({name for values, _, _ in rows for name in values}.difference(UNWEIGHED))
    table: Floats = np.array([[values.get(name, 0.0) for name in names] for values, _, _ in rows])
    right: Floats = np.array([float(one) for _, one, _ in rows])
    counts: Floats = np.array([weight for _, _, weight in rows])
    middle, spread = table.mean(axis=0), table.std(axis=0) + 1e-6
    scaled = (table - middle) / spread
    left = list(range(len(names)))
    while True:
        found = _newton(
            np.column_stack([scaled[:, left], np.ones(len(rows))]), right, counts, stiffness
        )
        signed = {
            place: weight * signs.get(names[place], 0)
            for place, weight in zip(left, found[:-1], strict=True)
        }
        worst = min(signed, key=lambda place: signed[place])
        if signed[worst] >= 0:
            weights = found[:-1] / spread[left]
            known = dict(zip([names[place] for place in left], weights.tolist(), strict=True))
            return known, float(found[-1] - middle[left] @ weights)
        left.remove(worst)


def _newton(table: Floats, right: Floats, counts: Floats, stiffness: float) -> Floats:
    penalty = stiffness * np.diag([1.0] * (table.shape[1] - 1) + [0.0])
    found: Floats = np.zeros(table.shape[1])
    for _ in range(15):
        likely = 1 / (1 + np.exp(-table @ found))
        slope = table.T @ (counts * (right - likely)) - penalty @ found
        bend = (table * (counts * likely * (1 - likely))[:, np.newaxis]).T @ table + penalty
        found = found + np.linalg.solve(bend, slope)
    return found


def _use(plain: Weights, read: Weights | None = None) -> None:
    weights.SURE, weights.SURE_START = plain.hits
    weights.SUPERSEDING, weights.SUPERSEDING_START = plain.pairs
    weights.SURE_MIN = plain.cut
    weights.READ, weights.READ_START = (read or plain).hits
    weights.SUPERSEDING_READ, weights.SUPERSEDING_READ_START = (read or plain).pairs
    weights.NEWER_MIN, weights.REPLACED_MIN = NEWER_MIN, REPLACED_MIN


def _shown(held: Mapping[float, Sequence[Answer]]) -> float:
    """Print what each cut gives. The lowest with which precision, and silence without an answer,
    are as we aim at: whatever is cut off beyond that is recall.
    """
    least = {
        goal.measure: goal.least + MARGIN
        for goal in GOALS
        if goal.set == OWN_SET and goal.measure in CUT_FOR
    }
    enough: list[float] = []
    for cut, answers in held.items():
        found = {
            name: one.value
            for name, one in metrics.estimate_measures(answers, metrics.PRECISION, draws=0).items()
        }
        print(f"{cut:.2f}", *(f"{name} {value:.3f}" for name, value in found.items()), sep="   ")
        if all(found[measure] >= value for measure, value in least.items()):
            enough.append(cut)
    return min(enough, default=max(held))


def _page(plain: Weights, read: Weights) -> str:
    def table(name: str, features: str, fit: Fit) -> str:
        weights, start = fit
        lines = "".join(f'        "{part}": {weight:.3f},\n' for part, weight in weights.items())
        return (
            f"{name}: Mapping[str, float] = checked_weights(\n    {features},\n    {{\n{lines}"
            f"    }},\n)\n{name}_START = {start:.3f}\n"
        )

    return (
        '"""The weights that `python -m evals.fit_sureness` found, which writes this file."""\n\n'
        "from collections.abc import Mapping\n\n"
        "from commonplace.recall.evidence import HitFeatures, PairFeatures, checked_weights\n\n"
        "# How sure it is that a hit is right; from the cut on it is returned.\n"
        f"{table('SURE', 'HitFeatures', plain.hits)}SURE_MIN = {plain.cut:.2f}\n"
        "# The same where a reranker has read the best hits.\n"
        f"{table('READ', 'HitFeatures', read.hits)}READ_MIN = {read.cut:.2f}\n"
        "# How sure it is that a newer memory replaced an older one; from the first cut on it"
        " stands\n# before that one, from the second on that one is left out.\n"
        f"{table('SUPERSEDING', 'PairFeatures', plain.pairs)}"
        "# The same where a reranker has read both.\n"
        f"{table('SUPERSEDING_READ', 'PairFeatures', read.pairs)}"
        f"NEWER_MIN = {NEWER_MIN:.2f}\nREPLACED_MIN = {REPLACED_MIN:.2f}\n"
    )


if __name__ == "__main__":
    sys.exit(main())
