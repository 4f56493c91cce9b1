"""Ask: what a question finds, what speaks for each hit, and what was left out and why."""

import json
import time
from dataclasses import dataclass

from commonplace import ids
from commonplace.dialects import registry
from commonplace.dialects.dialect import Call, Dialect
from commonplace.engine.facts.token_budget import token_counts
from commonplace.errors import Invalid
from commonplace.faces.evidence import DESCRIPTIONS, visible_evidence
from commonplace.faces.web.json_twins import memory_json
from commonplace.faces.web.visit import Answer, File, Page, Visit
from commonplace.records.memory import Memory
from commonplace.records.query import Dropped, Filter, Hit, Query, Recall

_SHOWN_MAX = 5  # Of each reason: the first few show what kind of thing it is.
_LIMIT_MAX = 200
# The settings of one side of the page, with the words of the form.
_CHANNELS = {
    "": ("keyword", "vector"),
    "keyword": ("keyword",),
    "vector": ("vector",),
}


@dataclass(frozen=True, slots=True)
class Signal:
    """One number behind a hit, with the width of its bar from 0 to 100."""

    name: str
    score: float
    width: float
    words: str


@dataclass(frozen=True, slots=True)
class HitRow:
    """A hit with its signals."""

    hit: Hit
    signals: list[Signal]
    tokens: int
    # The question and this hit as a line for `commonplace eval`.
    case: str


@dataclass(frozen=True, slots=True)
class Omission:
    """Candidates that were left out for one reason, and the first of them."""

    reason: str
    count: int
    first: list[tuple[Dropped, Memory]]


@dataclass(frozen=True, slots=True)
class Result:
    """The answer with one choice of settings."""

    name: str
    hits: list[HitRow]
    omissions: list[Omission]
    unsure: bool
    tokens: int
    took_ms: float
    reply: str = ""


def ask_page(visit: Visit) -> Answer:
    """The form, and below it the answer with one or two choices of settings."""
    question = visit.get("q")
    results: list[Result] = []
    if question:
        results.append(_result(visit, question, "", "With these settings"))
        if visit.get("compare"):
            results.append(_result(visit, question, "2", "With the other settings"))
    data = {
        "question": question,
        "results": results,
        "dialects": [(name, registry.find(name).title) for name in registry.NAMES],
        "values": {name: visit.get(name) for name in _FIELDS},
        "channels": [("", "words and meaning"), ("keyword", "words"), ("vector", "meaning")],
    }
    twin = {"question": question, "results": [_twin(one) for one in results]}
    return Page("ask.html", data, twin)


def keep(visit: Visit) -> Answer:
    """A question with the memory that answers it, as a file for `commonplace eval`."""
    memory = visit.engine.get(visit.bank, visit.posted("id"))
    line = _case(visit, visit.posted("q"), memory)
    return File(line.encode() + b"\n", "application/jsonl", "questions.jsonl")


def _result(visit: Visit, question: str, side: str, name: str) -> Result:
    dialect = visit.get("as" + side)
    if dialect:
        return _ask_as(visit, question, dialect)
    channels = visit.get("channels" + side)
    if channels not in _CHANNELS:
        raise Invalid(f"There is no channel {channels!r}.", hint="Choose one of the form.")
    limit = min(visit.number("limit" + side, 0), _LIMIT_MAX) or None
    project = visit.get("project" + side)
    chosen = Filter(projects=(project,) if project else None)
    started = time.perf_counter()
    query = Query(question, chosen, limit, channels=_CHANNELS[channels], explain=True)
    found = visit.engine.recall(visit.bank, query)
    took_ms = (time.perf_counter() - started) * 1000
    counts = token_counts(visit.engine, [hit.memory.text for hit in found.hits])
    rows = [
        _hit_row(visit, question, hit, tokens)
        for hit, tokens in zip(found.hits, counts, strict=True)
    ]
    tokens = sum(row.tokens for row in rows)
    return Result(name, rows, _omissions(visit, found), found.unsure, tokens, took_ms)


def _ask_as(visit: Visit, question: str, name: str) -> Result:
    """What the search tool of a dialect answers, as its clients receive it."""
    dialect = registry.find(name)
    tool, argument = _search_tool(dialect)
    started = time.perf_counter()
    reply = dialect.call(tool, {argument: question}, Call(visit.engine, visit.bank))
    took_ms = (time.perf_counter() - started) * 1000
    title = f"As {dialect.title} answers, with {tool}"
    tokens = token_counts(visit.engine, [reply.text])[0]
    return Result(title, [], [], False, tokens, took_ms, reply.text)


def _search_tool(dialect: Dialect) -> tuple[str, str]:
    """The tool with which clients of a dialect search, and its argument for the question."""
    found = [
        (tool.name, role.text)
        for tool in dialect.tools.values()
        for role in tool.roles
        if role.action == "find" and role.text
    ]
    return next((one for one in found if "search" in one[0]), found[0])


def _hit_row(visit: Visit, question: str, hit: Hit, tokens: int) -> HitRow:
    evidence = visible_evidence(hit.channels)
    largest = max((abs(score) for score in evidence.values()), default=1.0) or 1.0
    signals = [
        Signal(
            name, score, 100 * min(abs(score) / max(largest, 1.0), 1.0), DESCRIPTIONS.get(name, "")
        )
        for name, score in evidence.items()
    ]
    return HitRow(hit, signals, tokens, _case(visit, question, hit.memory))


def _case(visit: Visit, question: str, memory: Memory) -> str:
    case = {"question": question, "expected": [ids.short_form(memory.id)], "bank": visit.bank}
    return json.dumps(case, ensure_ascii=False)


def _omissions(visit: Visit, found: Recall) -> list[Omission]:
    reasons: dict[str, list[Dropped]] = {}
    for one in found.dropped:
        reasons.setdefault(one.why, []).append(one)
    shown = tuple(one.memory_id for some in reasons.values() for one in some[:_SHOWN_MAX])
    chosen = Filter(ids=shown, status="any", expired=True)
    known = {one.id: one for one in visit.engine.list(visit.bank, chosen, limit=_LIMIT_MAX)}
    return [
        Omission(
            reason,
            len(some),
            [(one, known[one.memory_id]) for one in some[:_SHOWN_MAX] if one.memory_id in known],
        )
        for reason, some in reasons.items()
    ]


def _twin(result: Result) -> dict[str, object]:
    return {
        "hits": [
            {
                "score": row.hit.score,
                "signals": dict(row.hit.channels),
                "tokens": row.tokens,
                "memory": memory_json(row.hit.memory),
            }
            for row in result.hits
        ],
        "left_out": {one.reason: one.count for one in result.omissions},
        "unsure": result.unsure,
        "tokens": result.tokens,
        "reply": result.reply,
    }


_FIELDS = (
    "as",
    "as2",
    "channels",
    "channels2",
    "limit",
    "limit2",
    "project",
    "project2",
    "compare",
)
