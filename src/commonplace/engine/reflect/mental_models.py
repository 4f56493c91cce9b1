"""Mental models: answers to standing questions, kept with what they rest on and with their history.

An answer is made again when somebody asks for it, after facts were consolidated, or on a schedule,
each as its trigger says; what is not out of date is left alone. Where a language model writes it,
that is a job for the worker.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC
from typing import Any, cast

from commonplace import validation
from commonplace.engine.erasure import for_good
from commonplace.engine.operations.jobs import enqueue
from commonplace.engine.operations.worker import JobContext, asks_a_model, do_or_leave
from commonplace.engine.reflect import directives, mental_model_rows, reflect, refresh_policy
from commonplace.engine.reflect.mental_model_rows import KIND, MentalModel
from commonplace.engine.reflect.reflect import Reflection
from commonplace.engine.runtime import Parts
from commonplace.engine.sessions import schedules
from commonplace.errors import CommonplaceError, Conflict, Invalid, NotFound
from commonplace.limits import LIST_MAX, QUERY_CHARS_MAX, TITLE_CHARS_MAX
from commonplace.records.work import Job, Standing
from commonplace.storage import bank_items as rows
from commonplace.storage import banks, derivations, erasure, memories
from commonplace.storage import jobs as queue

JOB = "refresh_mental_model"
TOKENS_LEAST, TOKENS_MOST = 256, 8192
_HISTORY_MAX = 50
_DUE_MAX = 20
_WRITES_MAX = 3
_INTERVAL = "min_refresh_interval_seconds"


def add_mental_model(parts: Parts, bank: str, draft: MentalModel) -> MentalModel:
    """Store a model without an answer yet."""
    checked, place = _checked(draft), validation.name(bank, what="bank")
    with parts.db.transaction():
        now = parts.clock.now()
        bank_id, number = banks.ensure(parts.db, place, now).id, banks.new_ids(parts.db, now)[0]
        prefix = "mm" if checked.folder is None else "kp"
        checked = replace(
            checked, name=checked.name or f"{prefix}-{number:032x}", id=number, created_at=now
        )
        if rows.find(parts.db, bank_id, KIND, checked.name):
            raise Conflict(f"Mental model '{checked.name}' already exists in bank '{bank}'.")
        mental_model_rows.put(parts, bank_id, checked)
        mental_model_rows.plan(parts, bank_id, checked)
    return checked


def list_mental_models(
    parts: Parts, bank: str, tags: Sequence[str] = ()
) -> tuple[MentalModel, ...]:
    """The models of a bank, or those with one of some tags, newest first."""
    found = banks.find(parts.db, validation.name(bank, what="bank"))
    every = (
        [mental_model_rows.read(one) for one in rows.listed(parts.db, found.id, KIND, LIST_MAX)]
        if found
        else []
    )
    return tuple(one for one in every if not tags or set(tags) & set(one.tags))


def get_mental_model(parts: Parts, bank: str, name: str) -> MentalModel:
    """One model."""
    return mental_model_rows.read(mental_model_rows.find(parts, bank, name))


def update_mental_model(parts: Parts, bank: str, name: str, **changes: Any) -> MentalModel:
    """Change what a model is; its answer stays until it is made again."""
    with parts.db.transaction():
        before = mental_model_rows.find(parts, bank, name)
        after = _checked(replace(mental_model_rows.read(before), **changes))
        asked = ("query", "tags", "tokens_max", "trigger")
        if any(
            getattr(after, one) != getattr(mental_model_rows.read(before), one) for one in asked
        ):
            # Another question: what is there answers the one before.
            after = replace(after, seen_id=0)
        mental_model_rows.put(parts, before.bank_id, after)
        mental_model_rows.plan(parts, before.bank_id, after)
    return after


def delete_mental_model(parts: Parts, bank: str, name: str) -> None:
    """Remove a model for good."""
    with for_good(parts):
        found = mental_model_rows.find(parts, bank, name)
        erasure.blank_traces(parts.db, found.bank_id, (), ())
        erasure.delete_jobs_of_model(parts.db, found.bank_id, found.name)
        derivations.drop(parts.db, [found.id])
        rows.delete(parts.db, found.id)


def clear_mental_model(parts: Parts, bank: str, name: str) -> MentalModel:
    """The model without its answer and without the answers before."""
    with for_good(parts):
        found = mental_model_rows.find(parts, bank, name)
        erasure.blank_traces(parts.db, found.bank_id, (), ())
        empty = mental_model_rows.emptied(mental_model_rows.read(found))
        derivations.drop(parts.db, [found.id])
        mental_model_rows.put(parts, found.bank_id, empty)
    return empty


def refresh_mental_model(
    parts: Parts, bank: str, name: str, check: Callable[[], object] = bool
) -> MentalModel:
    """The model with its answer made again from what is known now. `check` may stop it before
    anything is written.
    """
    model = get_mental_model(parts, bank, name)
    for _ in range(_WRITES_MAX):
        change = _newest_change(parts, bank, model, (0, 0))
        done = _reflected(parts, bank, model)
        with parts.db.transaction():
            check()
            model = get_mental_model(parts, bank, name)
            # Where a model thinks for long, what it was shown may have changed or gone before it
            # has answered.
            if not _holds(parts, done):
                continue
            return _answered(parts, bank, model, done, change)
    with parts.db.transaction():
        check()
        model = get_mental_model(parts, bank, name)
        change = _newest_change(parts, bank, model, (0, 0))
        # Inside a transaction nothing changes any more, and no language model is asked.
        return _answered(parts, bank, model, _reflected(parts, bank, model), change)


def refresh_as_job(parts: Parts, bank: str, name: str) -> Job:
    """Make an answer again as a job: at once, or where a language model writes it, by the worker if
    there is one.
    """
    with parts.db.transaction():
        job = enqueue(parts, bank, JOB, {KIND: mental_model_rows.find(parts, bank, name).name})
    return do_or_leave(parts, job, refresh, slow=asks_a_model(parts))


def refresh(context: JobContext) -> object:
    """The task of such a job."""
    name = str(context.payload[KIND])
    context.progress(stage="reading")
    try:
        done = refresh_mental_model(
            context.parts, context.bank, name, lambda: context.progress(stage="writing")
        )
    except CommonplaceError:
        _note_failure(context.parts, context.bank, name)
        raise
    return {"sources": len(done.sources)}


def is_stale(parts: Parts, bank: str, model: MentalModel) -> bool:
    """Whether something that the model is about changed since its answer was made."""
    if not model.seen_id and (model.changed_at is not None or not model.refreshed_at):
        return True
    return _newest_change(parts, bank, model, (model.changed_at or 0, model.seen_id)) is not None


def refresh_after_writing(parts: Parts, bank: str) -> None:
    """Make the answers again of models that ask for it after every consolidation, and of those
    whose turn it is.
    """
    place = banks.find(parts.db, bank)
    if place is None:
        return
    following = [
        row
        for number in rows.following(parts.db, place.id)
        if (row := rows.by_id(parts.db, number))
    ]
    late = [row for row in following if is_stale(parts, bank, mental_model_rows.read(row))]
    if late:
        with parts.db.transaction():
            for row in late:
                model = mental_model_rows.read(row)
                rows.hasten_turn(
                    parts.db, row, max(parts.clock.now(), _earliest(parts, bank, model))
                )
    if not parts.db.in_transaction:
        run_turns(parts, bank)


def run_turns(parts: Parts, bank: str | None = None) -> int:
    """Make the answers again of those models of a bank, or of all, whose turn has come; how many
    were asked for.
    """
    place = banks.find(parts.db, bank) if bank is not None else None
    if bank is not None and place is None:
        return 0
    now, count = parts.clock.now(), 0
    for number, name in rows.due_turns(parts.db, place.id if place else None, now, _DUE_MAX):
        with parts.db.transaction():
            # Another process may have come first.
            job = _turn(parts, name, number, now) if rows.take_turn(parts.db, number, now) else None
        if job is not None:
            do_or_leave(parts, job, refresh, slow=asks_a_model(parts))
            count += 1
    return count


def plan_turns(parts: Parts) -> None:
    """Note the turns of models that have none noted, such as those that came with an archive."""
    with parts.db.transaction():
        for number in rows.turnless(parts.db):
            if row := rows.by_id(parts.db, number):
                mental_model_rows.plan(parts, row.bank_id, mental_model_rows.read(row))


def release(parts: Parts, bank: str, gone: Iterable[int]) -> None:
    """Take answers away that rested on memories that are gone for good, and have them made anew."""
    with parts.db.transaction():
        mental_model_rows.release(parts, list(gone))
    if not parts.db.in_transaction:
        run_turns(parts, bank)


def _turn(parts: Parts, bank: str, number: int, now: int) -> Job | None:
    """The job of a model whose turn has come, unless its answer is still good; its next turn is
    noted.
    """
    row = rows.by_id(parts.db, number)
    if row is None:
        return None
    model = mental_model_rows.read(row)
    mental_model_rows.plan(parts, row.bank_id, model)
    since = model.refreshed_at or model.created_at
    full = refresh_policy.text(model.trigger, "full_refresh_cron")
    whole = (schedules.next_time(full, UTC, since) if full else None) or now + 1
    if whole > now and model.content and not is_stale(parts, bank, model):
        return None
    if (earliest := _earliest(parts, bank, model)) > now:
        rows.hasten_turn(parts.db, row, earliest)
        return None
    return None if _waiting(parts, row) else enqueue(parts, bank, JOB, {KIND: model.name})


def _waiting(parts: Parts, row: Standing) -> bool:
    """Whether a job for a model waits already."""
    pending = queue.listed(
        parts.db, row.bank_id, state="pending", kind=JOB, limit=LIST_MAX, offset=0
    )
    return any(one.payload.get(KIND) == row.name for one in pending)


def _earliest(parts: Parts, bank: str, model: MentalModel) -> int:
    """When a model may be made again by itself at the earliest."""
    if not model.refreshed_at or not model.content:
        return 0
    place = banks.find(parts.db, bank)
    usual = place.config.get(f"mental_model_{_INTERVAL}") if place else None
    seconds = model.trigger.get(_INTERVAL, usual)
    return model.refreshed_at + 1000 * seconds if isinstance(seconds, int) else 0


def _reflected(parts: Parts, bank: str, model: MentalModel) -> Reflection:
    guidance = directives.guidance(parts, bank, model.tags)
    tokens = refresh_policy.number(model.trigger, "recall_max_tokens", model.tokens_max)
    return reflect.reflect(
        parts, bank, refresh_policy.question(model), min(tokens, model.tokens_max), guidance
    )


def _holds(parts: Parts, done: Reflection) -> bool:
    """Whether all that an answer rests on is still as it was when the answer was made."""
    seen = {one.memory.id: one.memory for one in done.findings}
    if not seen:
        return True
    now = memories.by_ids(parts.db, next(iter(seen.values())).bank_id, list(seen))
    return all(
        number in now and now[number].version_id == one.version_id for number, one in seen.items()
    )


def _answered(
    parts: Parts, bank: str, model: MentalModel, done: Reflection, change: tuple[int, int] | None
) -> MentalModel:
    history = model.history
    if model.content and model.content != done.text:
        entry = {"content": model.content, "at": model.refreshed_at, "sources": list(model.sources)}
        history = (entry, *history)[:_HISTORY_MAX]
    schema = model.trigger.get("response_schema")
    filled, why = (
        reflect.structured(cast(dict[str, Any], schema), done.findings, model.query)
        if isinstance(schema, dict)
        else (None, None)
    )
    after = replace(
        model,
        content=done.text,
        sources=tuple(one.memory.id for one in done.findings),
        history=history,
        structured=filled,
        structured_error=why,
        refreshed_at=parts.clock.now(),
        failed_at=None,
        changed_at=change[0] if change else None,
        seen_id=change[1] if change else 0,
    )
    mental_model_rows.put(parts, mental_model_rows.find(parts, bank, model.name).bank_id, after)
    return after


def _note_failure(parts: Parts, bank: str, name: str) -> None:
    try:
        with parts.db.transaction():
            row = mental_model_rows.find(parts, bank, name)
            mental_model_rows.put(
                parts,
                row.bank_id,
                replace(mental_model_rows.read(row), failed_at=parts.clock.now()),
            )
    except NotFound:
        return  # It was deleted meanwhile, and with it the place for such a note.


def _newest_change(
    parts: Parts, bank: str, model: MentalModel, since: tuple[int, int]
) -> tuple[int, int] | None:
    found = banks.find(parts.db, bank)
    chosen = replace(refresh_policy.question(model).filter, status="any", expired=True)
    return (
        derivations.newest_change(parts.db, found.id, chosen, parts.clock.now(), since)
        if found
        else None
    )


def _checked(draft: MentalModel) -> MentalModel:
    for what, value in (("name", draft.title), ("source_query", draft.query)):
        if not value.strip():
            raise Invalid(f"{what} cannot be empty.")
    if not TOKENS_LEAST <= draft.tokens_max <= TOKENS_MOST:
        raise Invalid(
            f"max_tokens must be between {TOKENS_LEAST} and {TOKENS_MOST}, got {draft.tokens_max}."
        )
    return replace(
        draft,
        name=validation.line(draft.name, what="id"),
        title=validation.name(draft.title, what="name", chars_max=TITLE_CHARS_MAX),
        query=validation.body(draft.query, what="query", bytes_max=QUERY_CHARS_MAX),
        tags=validation.tags(draft.tags),
        trigger=refresh_policy.checked(draft.trigger),
    )
