"""Mental models: answers to standing questions, kept with what they rest on and with their history."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from commonplace import checks
from commonplace.activities import Job, Standing
from commonplace.engine import reflecting
from commonplace.engine.asking import Question
from commonplace.engine.jobs import enqueue
from commonplace.engine.parts import Parts
from commonplace.engine.reflecting import NO_GUIDANCE, Guidance
from commonplace.errors import Conflict, Invalid, NotFound
from commonplace.limits import LIST_MAX, QUERY_CHARS_MAX, TITLE_CHARS_MAX
from commonplace.records import Filter, Metadata, TagMatch, TagsMatch
from commonplace.storage import banks, jobs, memories, standings

KIND = "mental_model"
TOKENS_LEAST, TOKENS_MOST, TOKENS_USUAL = 256, 8192, 2048
_HISTORY_MAX = 50


@dataclass(frozen=True, slots=True)
class MentalModel:
    """A standing question with its answer. `trigger` says when the answer is made again and from what."""

    name: str
    title: str
    query: str
    tags: tuple[str, ...] = ()
    tokens_max: int = TOKENS_USUAL
    trigger: Metadata = field(default_factory=dict[str, object])
    content: str = ""
    sources: tuple[int, ...] = ()
    history: tuple[Mapping[str, object], ...] = ()
    refreshed_at: int | None = None
    # Everything in the bank that changed after this was not seen yet.
    seen_at: int = 0
    created_at: int = 0
    id: int = 0


def add_mental_model(parts: Parts, bank: str, draft: MentalModel) -> MentalModel:
    """Store a model without an answer yet."""
    checked, place = _checked(draft), checks.name(bank, what="bank")
    with parts.db.transaction():
        now = parts.clock.now()
        bank_id, number = banks.ensure(parts.db, place, now).id, banks.new_ids(parts.db, now)[0]
        checked = replace(checked, name=checked.name or f"mm-{number:032x}", id=number, created_at=now)
        if standings.find(parts.db, bank_id, KIND, checked.name):
            raise Conflict(f"Mental model '{checked.name}' already exists in bank '{bank}'.")
        _put(parts, bank_id, checked, now)
    return checked


def list_mental_models(parts: Parts, bank: str, tags: Sequence[str] = ()) -> tuple[MentalModel, ...]:
    """The models of a bank, or those with one of some tags, newest first."""
    found = banks.find(parts.db, checks.name(bank, what="bank"))
    every = [_model(one) for one in standings.listed(parts.db, found.id, KIND, LIST_MAX)] if found else []
    return tuple(one for one in every if not tags or set(tags) & set(one.tags))


def get_mental_model(parts: Parts, bank: str, name: str) -> MentalModel:
    """One model."""
    return _model(_found(parts, bank, name))


def update_mental_model(parts: Parts, bank: str, name: str, **changes: Any) -> MentalModel:
    """Change what a model is; its answer stays until it is made again."""
    with parts.db.transaction():
        before = _found(parts, bank, name)
        after = _checked(replace(_model(before), **changes))
        _put(parts, before.bank_id, after, parts.clock.now())
    return after


def delete_mental_model(parts: Parts, bank: str, name: str) -> None:
    """Remove a model for good."""
    with parts.db.transaction():
        standings.delete(parts.db, _found(parts, bank, name).id)


def clear_mental_model(parts: Parts, bank: str, name: str) -> MentalModel:
    """The model without its answer and without the answers before."""
    return update_mental_model(parts, bank, name, content="", sources=(), history=(), refreshed_at=None, seen_at=0)


def refresh_mental_model(parts: Parts, bank: str, name: str, guidance: Guidance = NO_GUIDANCE) -> MentalModel:
    """The model with its answer made again from what is known now."""
    model = get_mental_model(parts, bank, name)
    seen = _changed_at(parts, bank)
    done = reflecting.reflect(parts, bank, _question(model), model.tokens_max, guidance)
    history = model.history
    if model.content and model.content != done.text:
        entry = {"content": model.content, "at": model.refreshed_at, "sources": list(model.sources)}
        history = (entry, *history)[:_HISTORY_MAX]
    sources = tuple(one.memory.id for one in done.findings)
    changes: dict[str, Any] = {"content": done.text, "sources": sources, "history": history, "seen_at": seen}
    return update_mental_model(parts, bank, name, refreshed_at=parts.clock.now(), **changes)


def refresh_as_job(parts: Parts, bank: str, name: str, guidance: Guidance = NO_GUIDANCE) -> Job:
    """Refresh a model now and keep a record of it as a finished job."""
    # Outside of the transaction, because a language model may be asked and nobody should wait for it.
    refreshed = refresh_mental_model(parts, bank, name, guidance)
    with parts.db.transaction():
        job = enqueue(parts, bank, "refresh_mental_model", {KIND: refreshed.name})
        jobs.conclude(parts.db, job.id, "{}", parts.clock.now())
    return job


def is_stale(parts: Parts, bank: str, model: MentalModel) -> bool:
    """Whether something in the bank changed since the answer was made."""
    return _changed_at(parts, bank) > model.seen_at


def refresh_after_writing(parts: Parts, bank: str) -> None:
    """Make the answers of those models again that ask for it after every consolidation."""
    for one in list_mental_models(parts, bank):
        if one.trigger.get("refresh_after_consolidation") and is_stale(parts, bank, one):
            refresh_mental_model(parts, bank, one.name)


def release(parts: Parts, bank: str, gone: Iterable[int]) -> None:
    """Make answers again that rested on memories that are gone for good, and drop their history with it."""
    lost = set(gone)
    for one in list_mental_models(parts, bank):
        rested = {*one.sources, *(n for entry in one.history for n in cast(list[int], entry.get("sources", [])))}
        if rested & lost:
            clear_mental_model(parts, bank, one.name)
            refresh_mental_model(parts, bank, one.name)


def _question(model: MentalModel) -> Question:
    mode = cast(TagsMatch, model.trigger.get("tags_match") or "all_strict")
    where = TagMatch(model.tags, mode) if model.tags else None
    kinds = model.trigger.get("fact_types")
    kept = tuple(cast(list[str], kinds)) if isinstance(kinds, list) else None
    return Question(model.query, Filter(users=("",), kinds=kept, where=where))


def _changed_at(parts: Parts, bank: str) -> int:
    found = banks.find(parts.db, bank)
    return memories.newest_revision(parts.db, found.id, "") if found else 0


def _checked(draft: MentalModel) -> MentalModel:
    for what, value in (("name", draft.title), ("source_query", draft.query)):
        if not value.strip():
            raise Invalid(f"{what} cannot be empty.")
    if not TOKENS_LEAST <= draft.tokens_max <= TOKENS_MOST:
        raise Invalid(f"max_tokens must be between {TOKENS_LEAST} and {TOKENS_MOST}, got {draft.tokens_max}.")
    checks.metadata(draft.trigger, what="trigger")
    return replace(
        draft,
        name=checks.line(draft.name, what="id"),
        title=checks.name(draft.title, what="name", chars_max=TITLE_CHARS_MAX),
        query=checks.body(draft.query, what="query", bytes_max=QUERY_CHARS_MAX),
        tags=checks.tags(draft.tags),
    )


def _found(parts: Parts, bank: str, name: str) -> Standing:
    place = banks.find(parts.db, checks.name(bank, what="bank"))
    found = standings.find(parts.db, place.id, KIND, name.strip()) if place else None
    if found is None:
        raise NotFound(f"Mental model '{name}' not found in bank '{bank}'")
    return found


def _put(parts: Parts, bank_id: int, model: MentalModel, now: int) -> None:
    names = ("title", "query", "tokens_max", "trigger", "content", "sources", "history", "refreshed_at", "seen_at")
    body = {name: getattr(model, name) for name in names}
    one = Standing(model.id, bank_id, KIND, model.name, model.tags, body, model.created_at, now)
    standings.put(parts.db, one)


def _model(one: Standing) -> MentalModel:
    body = cast(dict[str, Any], dict(one.body))
    given: dict[str, Any] = body | {name: tuple(body[name]) for name in ("sources", "history")}
    return MentalModel(name=one.name, tags=one.tags, created_at=one.created_at, id=one.id, **given)
