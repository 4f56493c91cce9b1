"""Mental models: stored questions with their answers, their sources and their history.

An answer is refreshed on request, after facts were consolidated, or on a schedule, according to its
trigger. An answer that is not stale is kept. If a language model writes the answer, the worker runs
the refresh as a job.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC
from typing import Any, cast

from commonplace import validation
from commonplace.engine.erasure.erasure import erasing_transaction
from commonplace.engine.operations.jobs import enqueue
from commonplace.engine.operations.worker import JobContext, has_model, run_or_defer
from commonplace.engine.reflect import directives, mental_model_rows, reflect, refresh_policy
from commonplace.engine.reflect.mental_model_rows import KIND, TOKENS_MAX, TOKENS_MIN, MentalModel
from commonplace.engine.reflect.reflect import Reflection
from commonplace.engine.runtime import Runtime
from commonplace.engine.sessions import schedules
from commonplace.errors import CommonplaceError, Conflict, NotFound
from commonplace.limits import LIST_MAX, QUERY_CHARS_MAX, TITLE_CHARS_MAX
from commonplace.records.work import BankItem, Job
from commonplace.storage.rows import bank_items as rows
from commonplace.storage.rows import banks, derivations, erasure, memories
from commonplace.storage.rows import jobs as queue

JOB = "refresh_mental_model"
_HISTORY_MAX = 50
_DUE_MAX = 20
_ATTEMPTS_MAX = 3
_INTERVAL_FIELD = "min_refresh_interval_seconds"


def add_mental_model(runtime: Runtime, bank: str, draft: MentalModel) -> MentalModel:
    """Store a model without an answer."""
    checked, bank_record = _validate(draft), validation.name(bank, what="bank")
    with runtime.db.transaction():
        now = runtime.clock.now()
        bank_id, number = (
            banks.ensure(runtime.db, bank_record, now).id,
            banks.new_ids(runtime.db, now)[0],
        )
        prefix = "mm" if checked.folder is None else "kp"
        checked = replace(
            checked, name=checked.name or f"{prefix}-{number:032x}", id=number, created_at=now
        )
        if rows.find(runtime.db, bank_id, KIND, checked.name):
            raise Conflict(
                f"Mental model '{checked.name}' already exists in bank '{bank}'.",
                hint="Use another id, or update the model.",
            )
        mental_model_rows.put_model(runtime, bank_id, checked)
        mental_model_rows.schedule_refresh(runtime, bank_id, checked)
    return checked


def list_mental_models(
    runtime: Runtime, bank: str, tags: Sequence[str] = ()
) -> tuple[MentalModel, ...]:
    """The models of a bank, newest first; with tags, those that have one of them."""
    bank_record = banks.find(runtime.db, validation.name(bank, what="bank"))
    models = (
        [
            mental_model_rows.from_row(one)
            for one in rows.list_items(runtime.db, bank_record.id, KIND, LIST_MAX)
        ]
        if bank_record
        else []
    )
    return tuple(one for one in models if not tags or set(tags) & set(one.tags))


def get_mental_model(runtime: Runtime, bank: str, name: str) -> MentalModel:
    """One model."""
    return mental_model_rows.from_row(mental_model_rows.find_row(runtime, bank, name))


def update_mental_model(runtime: Runtime, bank: str, name: str, **changes: Any) -> MentalModel:
    """Change the definition of a model. Its answer stays until the next refresh."""
    with runtime.db.transaction():
        before = mental_model_rows.find_row(runtime, bank, name)
        after = _validate(replace(mental_model_rows.from_row(before), **changes))
        question_fields = ("query", "tags", "tokens_max", "trigger")
        if any(
            getattr(after, one) != getattr(mental_model_rows.from_row(before), one)
            for one in question_fields
        ):
            # The stored answer belongs to the previous question, so it is stale.
            after = replace(after, seen_id=0)
        mental_model_rows.put_model(runtime, before.bank_id, after)
        mental_model_rows.schedule_refresh(runtime, before.bank_id, after)
    return after


def delete_mental_model(runtime: Runtime, bank: str, name: str) -> None:
    """Remove a model for good."""
    with erasing_transaction(runtime):
        found = mental_model_rows.find_row(runtime, bank, name)
        erasure.clear_traces(runtime.db, found.bank_id, (), ())
        erasure.delete_jobs_of_model(runtime.db, found.bank_id, found.name)
        derivations.drop(runtime.db, [found.id])
        rows.delete(runtime.db, found.id)


def clear_mental_model(runtime: Runtime, bank: str, name: str) -> MentalModel:
    """Clear the answer and the history of a model."""
    with erasing_transaction(runtime):
        found = mental_model_rows.find_row(runtime, bank, name)
        erasure.clear_traces(runtime.db, found.bank_id, (), ())
        empty = mental_model_rows.without_answer(mental_model_rows.from_row(found))
        derivations.drop(runtime.db, [found.id])
        mental_model_rows.put_model(runtime, found.bank_id, empty)
    return empty


def refresh_mental_model(
    runtime: Runtime, bank: str, name: str, check: Callable[[], object] = bool
) -> MentalModel:
    """Answer the question of a model again. `check` may raise before anything is written."""
    model = get_mental_model(runtime, bank, name)
    for _ in range(_ATTEMPTS_MAX):
        change = _newest_change(runtime, bank, model, (0, 0))
        reflection = _reflect(runtime, bank, model)
        with runtime.db.transaction():
            check()
            model = get_mental_model(runtime, bank, name)
            # Sources may have changed or been erased while the language model answered.
            if not _is_current(runtime, reflection):
                continue
            return _store_answer(runtime, bank, model, reflection, change)
    with runtime.db.transaction():
        check()
        model = get_mental_model(runtime, bank, name)
        change = _newest_change(runtime, bank, model, (0, 0))
        # Inside a transaction sources cannot change, and no language model is used.
        return _store_answer(runtime, bank, model, _reflect(runtime, bank, model), change)


def refresh_as_job(runtime: Runtime, bank: str, name: str) -> Job:
    """Refresh a model as a job: at once, or by the worker if a language model writes the answer."""
    with runtime.db.transaction():
        job = enqueue(
            runtime, bank, JOB, {KIND: mental_model_rows.find_row(runtime, bank, name).name}
        )
    return run_or_defer(runtime, job, run_refresh_job, slow=has_model(runtime))


def run_refresh_job(context: JobContext) -> object:
    """Run the job."""
    name = str(context.payload[KIND])
    context.progress(stage="reading")
    try:
        model = refresh_mental_model(
            context.runtime, context.bank, name, lambda: context.progress(stage="writing")
        )
    except CommonplaceError:
        _record_failure(context.runtime, context.bank, name)
        raise
    return {"sources": len(model.sources)}


def is_stale(runtime: Runtime, bank: str, model: MentalModel) -> bool:
    """Whether memories in the model's scope changed since its answer was made."""
    if not model.seen_id and (model.changed_at is not None or not model.refreshed_at):
        return True
    return _newest_change(runtime, bank, model, (model.changed_at or 0, model.seen_id)) is not None


def refresh_after_writing(runtime: Runtime, bank: str) -> None:
    """Refresh the stale models that follow consolidation, and those whose refresh is due."""
    bank_record = banks.find(runtime.db, bank)
    if bank_record is None:
        return
    following_rows = [
        row
        for number in rows.refreshed_after_consolidation(runtime.db, bank_record.id)
        if (row := rows.by_id(runtime.db, number))
    ]
    stale_rows = [
        row for row in following_rows if is_stale(runtime, bank, mental_model_rows.from_row(row))
    ]
    if stale_rows:
        with runtime.db.transaction():
            for row in stale_rows:
                model = mental_model_rows.from_row(row)
                rows.hasten_refresh(
                    runtime.db,
                    row,
                    max(runtime.clock.now(), _earliest_refresh(runtime, bank, model)),
                )
    if not runtime.db.in_transaction:
        run_due_refreshes(runtime, bank)


def run_due_refreshes(runtime: Runtime, bank: str | None = None) -> int:
    """Refresh the models of a bank, or of all banks, whose refresh is due. Returns their number."""
    bank_record = banks.find(runtime.db, bank) if bank is not None else None
    if bank is not None and bank_record is None:
        return 0
    now, count = runtime.clock.now(), 0
    for row_id, name in rows.due_refreshes(
        runtime.db, bank_record.id if bank_record else None, now, _DUE_MAX
    ):
        with runtime.db.transaction():
            # Another process may have claimed it first.
            job = (
                _enqueue_due_refresh(runtime, name, row_id, now)
                if rows.claim_refresh(runtime.db, row_id, now)
                else None
            )
        if job is not None:
            run_or_defer(runtime, job, run_refresh_job, slow=has_model(runtime))
            count += 1
    return count


def schedule_missing(runtime: Runtime) -> None:
    """Schedule the refreshes of models that have none, such as those from an archive."""
    with runtime.db.transaction():
        for number in rows.models_without_refresh(runtime.db):
            if row := rows.by_id(runtime.db, number):
                mental_model_rows.schedule_refresh(
                    runtime, row.bank_id, mental_model_rows.from_row(row)
                )


def release_sources(runtime: Runtime, bank: str, erased_ids: Iterable[int]) -> None:
    """Clear the answers that rest on erased memories, and refresh them."""
    with runtime.db.transaction():
        mental_model_rows.clear_answers(runtime, list(erased_ids))
    if not runtime.db.in_transaction:
        run_due_refreshes(runtime, bank)


def _enqueue_due_refresh(runtime: Runtime, bank: str, row_id: int, now: int) -> Job | None:
    """Schedule the next refresh of a due model, and enqueue a job unless its answer is current."""
    row = rows.by_id(runtime.db, row_id)
    if row is None:
        return None
    model = mental_model_rows.from_row(row)
    mental_model_rows.schedule_refresh(runtime, row.bank_id, model)
    since = model.refreshed_at or model.created_at
    full_cron = refresh_policy.text_field(model.trigger, "full_refresh_cron")
    next_full_refresh = (
        schedules.next_time(full_cron, UTC, since) if full_cron else None
    ) or now + 1
    if next_full_refresh > now and model.content and not is_stale(runtime, bank, model):
        return None
    if (earliest_refresh := _earliest_refresh(runtime, bank, model)) > now:
        rows.hasten_refresh(runtime.db, row, earliest_refresh)
        return None
    return (
        None if _has_pending_job(runtime, row) else enqueue(runtime, bank, JOB, {KIND: model.name})
    )


def _has_pending_job(runtime: Runtime, row: BankItem) -> bool:
    """Whether a refresh of the model is pending already."""
    pending = queue.list_jobs(
        runtime.db, row.bank_id, state="pending", kind=JOB, limit=LIST_MAX, offset=0
    )
    return any(one.payload.get(KIND) == row.name for one in pending)


def _earliest_refresh(runtime: Runtime, bank: str, model: MentalModel) -> int:
    """The earliest time at which a model may be refreshed automatically."""
    if not model.refreshed_at or not model.content:
        return 0
    bank_record = banks.find(runtime.db, bank)
    default = bank_record.config.get(f"mental_model_{_INTERVAL_FIELD}") if bank_record else None
    seconds = model.trigger.get(_INTERVAL_FIELD, default)
    return model.refreshed_at + 1000 * seconds if isinstance(seconds, int) else 0


def _reflect(runtime: Runtime, bank: str, model: MentalModel) -> Reflection:
    guidance = directives.guidance(runtime, bank, model.tags)
    tokens = refresh_policy.number_field(model.trigger, "recall_max_tokens", model.tokens_max)
    return reflect.reflect(
        runtime, bank, refresh_policy.build_query(model), min(tokens, model.tokens_max), guidance
    )


def _is_current(runtime: Runtime, reflection: Reflection) -> bool:
    """Whether all sources of an answer are unchanged."""
    sources = {one.memory.id: one.memory for one in reflection.findings}
    if not sources:
        return True
    current = memories.by_ids(runtime.db, next(iter(sources.values())).bank_id, list(sources))
    return all(
        memory_id in current and current[memory_id].version_id == one.version_id
        for memory_id, one in sources.items()
    )


def _store_answer(
    runtime: Runtime,
    bank: str,
    model: MentalModel,
    reflection: Reflection,
    change: tuple[int, int] | None,
) -> MentalModel:
    history = model.history
    if model.content and model.content != reflection.text:
        entry = {"content": model.content, "at": model.refreshed_at, "sources": list(model.sources)}
        history = (entry, *history)[:_HISTORY_MAX]
    schema = model.trigger.get("response_schema")
    structured, structured_error = (
        reflect.fill_schema(cast(dict[str, Any], schema), reflection.findings, model.query)
        if isinstance(schema, dict)
        else (None, None)
    )
    after = replace(
        model,
        content=reflection.text,
        sources=tuple(one.memory.id for one in reflection.findings),
        history=history,
        structured=structured,
        structured_error=structured_error,
        refreshed_at=runtime.clock.now(),
        failed_at=None,
        changed_at=change[0] if change else None,
        seen_id=change[1] if change else 0,
    )
    mental_model_rows.put_model(
        runtime, mental_model_rows.find_row(runtime, bank, model.name).bank_id, after
    )
    return after


def _record_failure(runtime: Runtime, bank: str, name: str) -> None:
    try:
        with runtime.db.transaction():
            row = mental_model_rows.find_row(runtime, bank, name)
            mental_model_rows.put_model(
                runtime,
                row.bank_id,
                replace(mental_model_rows.from_row(row), failed_at=runtime.clock.now()),
            )
    except NotFound:
        return  # The model was deleted meanwhile.


def _newest_change(
    runtime: Runtime, bank: str, model: MentalModel, since: tuple[int, int]
) -> tuple[int, int] | None:
    bank_record = banks.find(runtime.db, bank)
    filter_ = replace(refresh_policy.build_query(model).filter, status="any", expired=True)
    return (
        derivations.newest_change(runtime.db, bank_record.id, filter_, runtime.clock.now(), since)
        if bank_record
        else None
    )


def _validate(draft: MentalModel) -> MentalModel:
    validation.count(draft.tokens_max, what="token limit", least=TOKENS_MIN, most=TOKENS_MAX)
    return replace(
        draft,
        name=validation.line(draft.name, what="id"),
        title=validation.name(draft.title, what="name", chars_max=TITLE_CHARS_MAX),
        query=validation.nonempty_text(draft.query, what="question", bytes_max=QUERY_CHARS_MAX),
        tags=validation.tags(draft.tags),
        trigger=refresh_policy.validate_trigger(draft.trigger),
    )
