"""What the reader learns from: questions with memories, and what is to be said of them.

Two things are asked of it: whether a memory answers a question, and whether a newer memory replaced
an older one that answered it.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from random import Random

import torch
from tokenizers import Encoding, Tokenizer

from commonplace import Draft, Query
from commonplace.models.reranker import ANSWERS, REPLACES, replacement_query
from commonplace.recall import dialogue
from evals import sets, ways
from evals.reader.network import Network
from evals.reader.stores import Asked, Store

UNKNOWN = -1.0  # What is outdated is no answer, and no stranger.
_BATCH = 32
_FEW = 200  # One batch of so many.
_NEAR_AMONG = 16  # The reader is given twenty, of larger stores than these.
_FAR_SHARE = 4  # One stranger of so many comes from anywhere.
_LATER = 3  # So many later memories beside the one that replaced an older one,
_LATER_UNCHANGED = 2  # and so many beside one that nothing replaced.
_PASSAGES_OF = 0.35  # This share of the questions is also asked of passages of long texts,
_PASSAGE_WORDS = 52  # which have about so many words, from at most
_PASSAGE_NEIGHBOURS = 6  # so many memories before and after,
_PASSAGE_STRANGERS = 3  # with so many strangers.
# How often the turn after an answer is a stranger too, although it follows the answer.
_NEXT_SHARE = 0.6
_ALONE_SHARE = 0.12  # So often a turn is shown without what was said before.


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts that are read together, what is asked about them, and what is to be said."""

    first: str
    second: str
    asked: int
    value: float


class Pairs:
    """Pairs of texts as tokens, with what is asked about each and what is to be said of it."""

    def __init__(self, tokenizer: Tokenizer, pairs: Sequence[Pair]) -> None:
        self.encodings: list[Encoding] = tokenizer.encode_batch(
            [(pair.first, pair.second) for pair in pairs]
        )
        self.asked = torch.tensor([pair.asked for pair in pairs])
        self.said = torch.tensor([pair.value for pair in pairs])

    def batches(self, draw: Random | None = None) -> list[list[int]]:
        """Pairs of about the same length together, in any order where somebody draws."""
        by_length = sorted(
            range(len(self.encodings)), key=lambda place: len(self.encodings[place].ids)
        )
        batches = [by_length[start : start + _BATCH] for start in range(0, len(by_length), _BATCH)]
        if draw:
            draw.shuffle(batches)
        return batches

    def some_read_by(self, network: Network) -> None:
        """Have a network read a few of them."""
        for batch in self.batches()[::_FEW]:
            self.read_by(network, batch)

    def read_by(self, network: Network, batch: Sequence[int]) -> torch.Tensor:
        """What a network says of some pairs to what is asked about them."""
        chosen = [self.encodings[place] for place in batch]
        longest = max(len(one.ids) for one in chosen)
        columns = (
            [getattr(one, name) for one in chosen] for name in ("ids", "type_ids", "attention_mask")
        )
        given = [
            torch.tensor([row + [0] * (longest - len(row)) for row in rows]) for rows in columns
        ]
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return network(*given).float().gather(1, self.asked[batch][:, None])[:, 0]


def pairs_of(store: Store, strangers: int, draw: Random) -> Iterator[Pair]:
    """The pairs that the questions of a store make."""
    with ExitStack() as stack:
        engine = sets.asked_with(sets.fresh_engine(stack), ways.UNREAD)
        kept = engine.remember_many(sets.BANK, [Draft(text) for text in store.texts])
        places = {outcome.memory.id: place for place, outcome in enumerate(kept)}
        for question in store.questions:
            hits = engine.recall(sets.BANK, Query(question.text, limit=_NEAR_AMONG)).hits
            found = [places[hit.memory.id] for hit in hits]
            yield from _answering(store, question, found, strangers, draw)
            yield from _replacing(store, question, found, draw)
            if draw.random() < _PASSAGES_OF:
                yield from _in_passages(store, question, found, draw)


def _answering(
    store: Store, question: Asked, found: list[int], strangers: int, draw: Random
) -> Iterator[Pair]:
    """The answers; what used to be one; and strangers, most of which the search finds too."""
    known = question.answers | question.outdated
    near = [place for place in found if place not in known]
    far = [place for place in range(len(store.texts)) if place not in known and place not in near]
    few = strangers // _FAR_SHARE
    others = _drawn(near, strangers - few, draw) + _drawn(far, few, draw)
    values = dict.fromkeys(others, 0.0) | dict.fromkeys(question.outdated, UNKNOWN)
    values |= dict.fromkeys(question.answers, 1.0)
    if store.is_talk:
        after = [place + 1 for place in question.answers if place + 1 < len(store.texts)]
        values = (
            dict.fromkeys((place for place in after if draw.random() < _NEXT_SHARE), 0.0) | values
        )
    for place, value in values.items():
        yield Pair(question.text, _shown(store, place, draw), ANSWERS, value)


def _shown(store: Store, place: int, draw: Random) -> str:
    """A memory as the reader is shown it: in a talk, behind the end of what was said before."""
    if not place or not store.is_talk or draw.random() < _ALONE_SHARE:
        return store.texts[place]
    return dialogue.join_previous(store.texts[place - 1], store.texts[place])


def _replacing(store: Store, question: Asked, found: list[int], draw: Random) -> Iterator[Pair]:
    """What is outdated with what replaced it; and each answer with what was only written later."""
    for older in question.outdated | question.answers:
        replacing = [
            place for place in question.answers if place > older and older in question.outdated
        ]
        later = [
            place
            for place in found
            if place > older and place not in question.outdated | question.answers
        ]
        # A question that nothing has changed about is one of many; what looks most like a change
        # teaches most.
        others = _drawn(later, _LATER, draw) if question.outdated else later[:_LATER_UNCHANGED]
        for newer, value in [
            *((place, 1.0) for place in replacing),
            *((place, 0.0) for place in others),
        ]:
            yield Pair(
                replacement_query(question.text, store.texts[older]),
                store.texts[newer],
                REPLACES,
                value,
            )


def _in_passages(store: Store, question: Asked, found: list[int], draw: Random) -> Iterator[Pair]:
    """Answers and strangers as they stand in a long text: amid what was written before and after
    them.
    """
    known = question.answers | question.outdated
    for place in question.answers:
        yield Pair(question.text, _passage(store, place, question.outdated, draw), ANSWERS, 1.0)
    near = [place for place in found if place not in known]
    for place in _drawn(near, _PASSAGE_STRANGERS, draw):
        yield Pair(question.text, _passage(store, place, known, draw), ANSWERS, 0.0)


def _passage(store: Store, place: int, barred: frozenset[int], draw: Random) -> str:
    """Some words with a memory among them, in small letters as the tokens of a long text are kept,
    and with nothing of what is barred.
    """
    first = last = place
    while first > 0 and first - 1 not in barred and place - first < _PASSAGE_NEIGHBOURS:
        first -= 1
    while (
        last + 1 < len(store.texts)
        and last + 1 not in barred
        and last - place < _PASSAGE_NEIGHBOURS
    ):
        last += 1
    words = " ".join(store.texts[first : last + 1]).lower().split()
    begin, own = len(" ".join(store.texts[first:place]).split()), len(store.texts[place].split())
    latest = min(begin, max(0, len(words) - _PASSAGE_WORDS))
    start = draw.randint(min(latest, max(0, begin + own - _PASSAGE_WORDS)), latest)
    return " ".join(words[start : start + _PASSAGE_WORDS])


def _drawn(places: Sequence[int], count: int, draw: Random) -> list[int]:
    return draw.sample(places, min(count, len(places)))
