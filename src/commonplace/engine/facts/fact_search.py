"""Asking a bank of facts: what answers directly first, then what fits the time asked for, then what
is linked to those.

What answers directly always stands before what only stands near it. Every score is kept apart, so
that a caller can see, and set, how much each must be.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from commonplace.engine import recall as finding
from commonplace.engine.facts import fact_metadata, graph
from commonplace.engine.facts.fact_metadata import FactMetadata
from commonplace.engine.runtime import Runtime
from commonplace.language import analyzer, conflicts, temporal_expressions
from commonplace.language.temporal_expressions import Span
from commonplace.recall import scoring
from commonplace.records.memory import Memory
from commonplace.records.query import Dropped, Filter, PageRequest, Query
from commonplace.storage import text_index
from commonplace.storage.rows import banks, memories

_Item = TypeVar("_Item")
# How far a question looks: candidates, and whether links are followed.
DEPTHS: Mapping[str, tuple[int, bool]] = {
    "low": (30, False),
    "mid": (60, True),
    "high": (100, True),
}
_NUMBERED = re.compile(r"\b([^\W\d_]{2,})\W{1,2}(\d{1,12})\b")
_DAY_MS = 86_400_000
_HAPPENING = frozenset(
    analyzer.terms(
        "what happen happened happening going on do did done go events occurred occur day time the"
        " a is was were are there in of anything something everything we i you us me my our"
    )
)
_HALF_LIFE_DAYS = 180
_RECENCY, _PROOF, _IN_TIME = 0.1, 0.05, 0.5
_TIMELY_MAX = 50
_TOLD_CHARS = 500  # How much of a text is looked at for the time that it tells of.
_TIMELY_SCORE = 0.2
_CONTRADICTING_MAX = 10
_STATEMENT_CHARS_MAX = 400
_SEEDS_MAX = 3
_VALUES_MAX = 20
_NEIGHBOURS_MAX = 10
_CHANNELS_LOW = "below the minimum keyword and semantic scores"
_OTHER_TIME = "not from the time asked about"
_SCORE_LOW = "below the minimum score"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, how far to look, as of when, in which time, and the least each score must be."""

    text: str
    filter: Filter = Filter()
    depth: str = "high"
    now: int | None = None
    window: Span | None = None
    floors: Mapping[str, float] = field(default_factory=dict[str, float])
    # By how much the clock of whoever asks is ahead of UTC.
    zone_ms: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """A memory that was found: its final score, and what each stage made of it, None where it had
    no part in it.
    """

    memory: Memory
    final: float
    relevance: float | None = None
    semantic: float | None = None
    keyword: float | None = None
    # 1 for what is of the time asked for; how close to what was found directly, and in which ways.
    temporal: float | None = None
    graph: float | None = None
    ways: tuple[str, ...] = ()
    # The evidence for what was found directly, by name.
    channels: Mapping[str, float] = field(default_factory=dict[str, float])
    # The ids of others that say the same.
    copies: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """What was found, best first, and what was found and left out, with the reason.

    `unsure` says that nothing of it is surely an answer, nor of the time that is asked for.
    """

    found: tuple[Finding, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    unsure: bool = False


def ask(runtime: Runtime, bank: str, question: Question) -> tuple[Finding, ...]:
    """What a bank knows about a question, best first; nothing when nothing relevant is known."""
    return explain(runtime, bank, question).found


def explain(runtime: Runtime, bank: str, question: Question) -> Asked:
    """What a bank knows about a question, best first, and why other memories that were looked at
    are not among it.
    """
    place = banks.find(runtime.db, bank)
    if place is None or not question.text.strip():
        return Asked()
    question = replace(question, text=analyzer.normalize_question(question.text))
    now = runtime.clock.now() if question.now is None else question.now
    window = question.window or temporal_expressions.first_span(
        question.text, now + question.zone_ms
    )
    limit, follows = DEPTHS.get(question.depth, DEPTHS["high"])
    # The moment asked about anchors words and weights; it hides nothing that was written later.
    during = (window.start, window.end) if window else None
    query = Query(question.text, question.filter, limit, during=during, explain=True)
    recalled = finding.recall(runtime, bank, query)
    # The order is that of every other dialect, unless the caller says as of when or of what time it
    # asks.
    weighed = question.now is not None or question.window is not None
    found: dict[int, Finding] = {}
    for hit in recalled.hits:
        mark = fact_metadata.fact_metadata_of(hit.memory)
        timely = window is not None and _within(hit.memory, mark, window)
        weight = _weight(hit.memory, mark, now, timely=timely) if weighed else 0.0
        found[hit.memory.id] = Finding(
            hit.memory,
            scoring.logistic(scoring.log_odds(hit.score) + weight) if weight else hit.score,
            hit.score,
            _floored(hit.channels.get("vector"), question.floors.get("semantic")),
            _floored(hit.channels.get("keyword"), question.floors.get("keyword")),
            1.0 if timely else None,
            channels=hit.channels,
            copies=hit.copies,
        )
    copies = {number for hit in recalled.hits for number in hit.copies}
    cut = any(question.floors.get(channel) is not None for channel in ("semantic", "keyword"))
    direct = [
        one
        for one in found.values()
        if not cut or one.semantic is not None or one.keyword is not None
    ]
    dropped = [*recalled.dropped, *left_out(found.values(), direct, _CHANNELS_LOW)]
    # What scores the same stays in the order in which it was found.
    direct = sorted(_named(question.text, direct), key=lambda one: -one.final)
    direct = _newest_first(
        runtime, _with_other_values(runtime, place.id, question, direct, {*found, *copies}), now
    )
    of_then = _timely(runtime, place.id, question, window, {*found, *copies}) if window else []
    if window and not question.window and _asks_only_when(question.text, now):
        # Words such as "what happened" and a date find anything with a date in it; only the time is
        # meant.
        timed = [one for one in direct if one.temporal]
        dropped += left_out(direct, timed, _OTHER_TIME)
        direct = timed
    others = {one.memory.id for one in of_then} | copies
    near = _neighbours(runtime, place.id, question, direct, others) if follows else []
    every = [*direct, *of_then, *near]
    passing = tuple(one for one in every if _passes(one, question.floors))
    # What one stage left out may have come in by another.
    known = {one.memory.id for one in passing}
    rest = [
        one
        for one in [*dropped, *left_out(every, passing, _SCORE_LOW)]
        if one.memory_id not in known
    ]
    return Asked(passing, tuple(rest), recalled.unsure and not any(one.temporal for one in passing))


def left_out(every: Iterable[Finding], kept: Iterable[Finding], why: str) -> list[Dropped]:
    """The findings that are not among those kept, and why."""
    known = {one.memory.id for one in kept}
    return [
        Dropped(one.memory.id, round(one.final, 4), why)
        for one in every
        if one.memory.id not in known
    ]


def packed(
    runtime: Runtime, items: Sequence[_Item], text_of: Callable[[_Item], str], tokens_max: int
) -> tuple[_Item, ...]:
    """The items whose texts fit into so many tokens: what does not fit is skipped, and the first
    one always fits.
    """
    room, kept = tokens_max, list[_Item]()
    if room <= 0:
        return ()
    for item, size in zip(items, token_counts(runtime, map(text_of, items)), strict=True):
        if size <= room or not kept:
            kept.append(item)
            room -= size
    return tuple(kept)


def token_counts(runtime: Runtime, texts: Iterable[str]) -> list[int]:
    """How many tokens texts have. Without a tokenizer every byte counts for one, which is never too
    few.
    """
    given = list(texts)
    semantics = runtime.semantics()
    counted = semantics.token_counts(given) if semantics else None
    return counted if counted is not None else [len(one.encode()) for one in given]


def _asks_only_when(asked: str, now: int) -> bool:
    """Whether a question has no words of its own besides those that name a time."""
    for span in temporal_expressions.find_spans(asked, now):
        asked = asked.replace(span.words, " ")
    return not set(analyzer.question_terms(asked)) - _HAPPENING


def _named(asked: str, found: list[Finding]) -> list[Finding]:
    """The findings, those in the upper half that have every numbered thing the question names, such
    as "item 4".

    A number alone is in many texts; beside its noun it is a name, and what has it is meant.
    """
    names = [
        re.compile(rf"\b{match[1]}s?\W{{1,2}}{match[2]}\b", re.IGNORECASE)
        for match in _NUMBERED.finditer(asked)
    ]
    meant = {
        one.memory.id
        for one in found
        if names and all(name.search(one.memory.text) for name in names)
    }
    if not meant:
        return found
    return [
        replace(one, final=one.final / 2 + (0.5 if one.memory.id in meant else 0)) for one in found
    ]


def _with_other_values(
    runtime: Runtime, bank_id: int, question: Question, found: Sequence[Finding], known: set[int]
) -> list[Finding]:
    """The findings, after each of the best what gives another value of the same thing in other
    words.

    A question where somebody lives must find the move as well, though "moved to Oslo" has none of
    its words.
    """
    out: list[Finding] = []
    for place, one in enumerate(found):
        out.append(one)
        if (
            place >= _SEEDS_MAX
            or one.memory.kind == "observation"
            or len(one.memory.text) > _STATEMENT_CHARS_MAX
        ):
            continue
        match = text_index.any_group_of(conflicts.lookup_terms(one.memory.text))
        if not match:
            continue
        numbers = text_index.keyword_ids(
            runtime.db, bank_id, match, question.filter, runtime.clock.now(), _VALUES_MAX
        )
        others = memories.by_ids(
            runtime.db, bank_id, [number for number in numbers if number not in known]
        )
        here = fact_metadata.to_statement(one.memory)
        same = [
            other
            for other in others.values()
            if runtime.judge(here, fact_metadata.to_statement(other)).ends_older()
        ]
        known.update(other.id for other in same)
        out += [Finding(other, one.final, one.relevance) for other in same]
    return out


def _newest_first(runtime: Runtime, found: list[Finding], now: int) -> list[Finding]:
    """The findings; where one of the best says what another has replaced, the newer one stands in
    the better place.

    What was said after the moment asked about comes after what was said before.
    """
    out = list(found)
    said = {
        one.memory.id: fact_metadata.to_statement(one.memory) for one in found[:_CONTRADICTING_MAX]
    }
    for place in range(min(len(out), _CONTRADICTING_MAX)):
        upper = out[place]
        for other in range(place + 1, min(len(out), _CONTRADICTING_MAX)):
            lower = out[other]
            if "observation" in (upper.memory.kind, lower.memory.kind):
                continue
            first, second = _age(upper, now), _age(lower, now)
            if (
                first < second
                and runtime.judge(said[upper.memory.id], said[lower.memory.id]).ends_older()
            ):
                out[place], out[other] = (
                    replace(lower, final=upper.final),
                    replace(upper, final=lower.final),
                )
                upper = out[place]
    return out


def _age(one: Finding, now: int) -> tuple[bool, int]:
    said = fact_metadata.fact_metadata_of(one.memory).mentioned_at
    return said <= now, said


def _floored(value: float | None, least: float | None) -> float | None:
    return None if value is None or value <= 0 or (least is not None and value < least) else value


def _passes(one: Finding, floors: Mapping[str, float]) -> bool:
    relevance = one.final if one.relevance is None else one.relevance
    return relevance >= floors.get("reranker", 0) and one.final >= floors.get("final", 0)


def _weight(memory: Memory, mark: FactMetadata, now: int, *, timely: bool) -> float:
    """A little more for what is newer and was said more often, and more for what is of the time
    asked for: in log odds, because near 1 the best would otherwise stand in the order of their age.
    """
    age = abs(now - (memory.happened_at or mark.mentioned_at)) / _DAY_MS
    recent = _RECENCY * 0.5 ** (age / _HALF_LIFE_DAYS)
    proven = _PROOF * min(5.0, math.log(fact_metadata.proof_count(mark)))
    return recent + proven + (_IN_TIME if timely else 0)


def _within(memory: Memory, mark: FactMetadata, window: Span) -> bool:
    told = (
        temporal_expressions.first_span(memory.text[:_TOLD_CHARS], mark.mentioned_at)
        if memory.happened_at is None
        else None
    )
    # What other dialects wrote has no time beside the one that its words tell.
    if told is not None and told.start < window.end and told.end > window.start:
        return True
    start = mark.mentioned_at if memory.happened_at is None else memory.happened_at
    end = start if memory.happened_until is None else memory.happened_until
    return start < window.end and end >= window.start


def _timely(
    runtime: Runtime, bank_id: int, question: Question, window: Span, found: set[int]
) -> list[Finding]:
    """What speaks of the time asked for and was not found by its words."""
    chosen = replace(question.filter, happened_from=window.start, happened_before=window.end)
    page = PageRequest("happened", _TIMELY_MAX)
    some = memories.select(runtime.db, bank_id, chosen, page, runtime.clock.now())
    return [Finding(one, _TIMELY_SCORE, temporal=1.0) for one in some if one.id not in found]


def _neighbours(
    runtime: Runtime, bank_id: int, question: Question, found: Sequence[Finding], others: set[int]
) -> list[Finding]:
    """What is linked to the best of what was found, worth less than all of it."""
    if not found:
        return []
    least, known = (
        min(one.final for one in found),
        frozenset(one.memory.id for one in found) | others,
    )
    around = graph.NeighbourQuery(question.filter, known, question.text)
    near = graph.find_neighbours(
        runtime, bank_id, [one.memory for one in found[:_SEEDS_MAX]], around, _NEIGHBOURS_MAX
    )
    return [
        Finding(one.memory, least * one.weight / 2, graph=round(one.weight, 4), ways=one.link_types)
        for one in near
    ]
