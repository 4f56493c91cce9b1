"""Hindsight's JSON for memories, documents, operations and banks."""

import math
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

from commonplace import clock, engine, ids, lazy
from commonplace.dialects.dialect import Call
from commonplace.dialects.expected_version import version_field
from commonplace.dialects.replaced import replaced_field
from commonplace.engine.facts import fact_metadata
from commonplace.engine.facts.fact_metadata import FactMetadata
from commonplace.errors import Invalid, NotFound
from commonplace.records.memory import Bank, Memory, Version
from commonplace.records.query import Condition, Filter, TagsMatch
from commonplace.records.work import Document, Job
from commonplace.reserved_metadata import user_metadata

if TYPE_CHECKING:
    from commonplace.engine.facts.fact_ranking import Finding
    from commonplace.language import temporal_expressions
else:
    temporal_expressions = lazy.module("commonplace.language.temporal_expressions")

Json = dict[str, Any]
_PLACEHOLDERS = ("0000", "0001", "9999")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def iso(moment: int | None) -> str | None:
    """The ISO text of a time; None without one."""
    return None if moment is None else clock.iso(moment)


def fact_type(memory: Memory) -> str:
    """The fact type of a memory; `world` for memories of other dialects."""
    return memory.kind if memory.kind in engine.facts.stats.KINDS else "world"


def parse_moment(text: str | None, *, what: str = "timestamp") -> int | None:
    """The time in an ISO text."""
    if text is None or not text.strip():
        return None
    try:
        return clock.parse_moment(text)
    except Invalid as error:
        raise Invalid(
            f"Invalid {what} format '{text[:60]}'.",
            hint="Use ISO 8601, for example 2026-03-01T09:30:00Z.",
        ) from error


def utc_offset(text: str | None) -> int:
    """The UTC offset of an ISO text."""
    return clock.utc_offset_ms(text) if text and text.strip() else 0


def parse_event_time(text: str | None) -> int | None:
    """The time of an event; None for placeholders."""
    if text and text.strip()[:4] in _PLACEHOLDERS:
        raise Invalid(
            f"Invalid timestamp '{text[:60]}': there is no such time.",
            hint="Omit it if the time is unknown.",
        )
    return parse_moment(text)


def document_names(call: Call, memories: Iterable[Memory]) -> dict[int, str]:
    """The names of the documents that some memories were extracted from."""
    numbers = {one.document_id for one in memories if one.document_id is not None}
    return call.engine.document_names(call.bank, sorted(numbers))


def _common_fields(memory: Memory, mark: FactMetadata, names: Mapping[int, str]) -> Json:
    document = names.get(memory.document_id or 0)
    return {
        "id": ids.uuid_form(memory.id),
        "text": memory.text,
        "context": mark.context or fact_metadata.heading(memory),
        "occurred_start": iso(memory.happened_at),
        "occurred_end": iso(memory.happened_until),
        "mentioned_at": iso(mark.mentioned_at),
        "document_id": document,
        "metadata": user_metadata(memory.metadata),
        "tags": list(dict.fromkeys((*memory.tags, *memory.scope.labels))),
    }


def recall_result(
    one: "Finding", names: Mapping[int, str], *, entities: bool, chunks_of: str
) -> Json:
    """A result of recall, with the score of each stage, for which callers set minimums.

    `chunks_of` is the bank if the response contains chunks, so that the result names its own.
    """
    mark = fact_metadata.fact_metadata_of(one.memory)
    scores = {
        "final": one.final,
        "reranker": one.relevance,
        "semantic": one.semantic,
        "keyword": one.keyword,
    }
    return _common_fields(one.memory, mark, names) | {
        "fact_type": fact_type(one.memory),
        "entities": list(mark.entities) if entities else None,
        "source_fact_ids": _uuids(mark.sources),
        "scores": {name: _round_down(value) for name, value in scores.items()},
        "chunk_id": chunk_id(one.memory, names, chunks_of) if chunks_of else None,
        "copies": _uuids(one.copies),
        **replaced_field(one.replacement, lambda newer: ids.uuid_form(newer.id)),
    }


def _round_down(score: float | None) -> float | None:
    """A score with three digits, rounded down so that it passes as its own minimum."""
    return None if score is None else math.floor(score * 1_000) / 1_000


def chunk_id(memory: Memory, names: Mapping[int, str], bank: str) -> str | None:
    """The id of the chunk that a memory was extracted from; None without one."""
    document = names.get(memory.document_id or 0)
    return f"{bank}_{document}_{fact_metadata.fact_metadata_of(memory).chunk}" if document else None


def memory_item(call: Call, memory: Memory, names: Mapping[int, str]) -> Json:
    """A memory in a list."""
    mark = fact_metadata.fact_metadata_of(memory)
    return (
        _common_fields(memory, mark, names)
        | _state_fields(call, memory)
        | {
            "fact_type": fact_type(memory),
            "entities": ", ".join(mark.entities),
            "proof_count": fact_metadata.proof_count(mark),
            "updated_at": iso(memory.updated_at)
            if memory.updated_at != mark.mentioned_at
            else None,
            "source_memory_ids": _uuids(mark.sources),
        }
    )


def full_memory(call: Call, memory: Memory) -> Json:
    """A memory by itself; an observation with its source facts and its earlier texts."""
    mark = fact_metadata.fact_metadata_of(memory)
    names = document_names(call, [memory])
    shown = (
        _common_fields(memory, mark, names)
        | _state_fields(call, memory)
        | {
            **version_field(memory),
            "type": fact_type(memory),
            "chunk_id": chunk_id(memory, names, call.bank),
            "entities": list(mark.entities),
            "proof_count": fact_metadata.proof_count(mark),
            "consolidated_at": iso(memory.created_at)
            if memory.kind in engine.facts.stats.KINDS
            else None,
        }
    )
    if memory.kind == "observation":
        versions = call.engine.history(call.bank, memory.id)
        shown["history"] = [
            {"text": one.text, "at": iso(one.at)} for one in reversed(versions[:-1])
        ]
        shown["source_memory_ids"] = _uuids(mark.sources)
        shown["source_memories"] = [
            _source_memory(call.engine.get(call.bank, number)) for number in mark.sources
        ]
    return shown


def _source_memory(memory: Memory) -> Json:
    mark = fact_metadata.fact_metadata_of(memory)
    return {
        "id": ids.uuid_form(memory.id),
        "text": memory.text,
        "type": fact_type(memory),
        "context": mark.context,
        "occurred_start": iso(memory.happened_at),
        "mentioned_at": iso(mark.mentioned_at),
    }


def _state_fields(call: Call, memory: Memory) -> Json:
    gone = memory.forgotten_at is not None
    # Most memories have one version, so their history is not read.
    past = call.engine.history(call.bank, memory.id) if memory.version > 1 else ()
    edits = [
        one.at
        for before, one in pairwise(past)
        if _editable_fields(before) != _editable_fields(one)
    ]
    return {
        "state": "invalidated" if gone else "valid",
        "invalidation_reason": past[-1].origin.reason or None if gone and past else None,
        "invalidated_at": iso(memory.forgotten_at),
        "edited_at": iso(edits[-1]) if edits else None,
    }


def _editable_fields(version: Version) -> tuple[object, ...]:
    """The fields of a fact that an edit can change; how often it was mentioned is not one."""
    mark = fact_metadata.parse_fact_metadata(version.metadata)
    times = (version.happened_at, version.happened_until, mark.mentioned_at if mark else None)
    return (version.text, version.kind, version.category, *times, mark.entities if mark else ())


def _uuids(numbers: Iterable[int]) -> list[str]:
    return [ids.uuid_form(number) for number in numbers]


def is_uuid(form: str) -> bool:
    """Whether a text has the form of a UUID."""
    return _UUID.fullmatch(form.strip()) is not None


def resolve_memory_id(call: Call, form: str) -> int:
    """The memory id in any of our forms; 0 if it is unknown."""
    try:
        # Memstate hands out the ids of versions, and they name the memory as well.
        return call.engine.get(call.bank, form).id
    except NotFound:
        return 0
    except Invalid as error:
        if is_uuid(form):
            return 0  # A well-formed id that does not exist here.
        raise Invalid(
            f"Invalid memory_id: '{form[:60]}' is not a valid UUID.",
            hint="Pass an id exactly as it was returned.",
        ) from error


def get_memory(call: Call, form: str) -> Memory:
    """The owner's memory with an id, also if it is invalidated."""
    number = resolve_memory_id(call, form)
    found = call.engine.list(
        call.bank, Filter(ids=(number,), users=("",), status="any", expired=True), limit=1
    )
    if not found:
        raise NotFound(f"Memory '{form}' not found")
    return found[0]


def document(one: Document) -> Json:
    """A document without its text."""
    return {
        "id": one.name,
        "created_at": iso(one.created_at),
        "updated_at": iso(one.updated_at) if one.updated_at != one.created_at else None,
        "text_length": one.text_chars,
        "memory_unit_count": one.memory_count,
        "retain_params": _params(one),
        "document_metadata": one.metadata.get("metadata"),
        "tags": list(one.tags),
    }


def _params(one: Document) -> Json:
    said = one.metadata.get("said_at")
    context = one.metadata.get("context")
    return ({"context": context} if context else {}) | (
        {"event_date": iso(said)} if isinstance(said, int) else {}
    )


def operation(job: Job) -> Json:
    """A job as an operation."""
    result = cast(Json, job.result or {})
    document_id = job.payload.get("document") or result.get("document")
    rest = {name: value for name, value in result.items() if name != "document"}
    return {
        "id": ids.uuid_form(job.id),
        "operation_id": ids.uuid_form(job.id),
        "operation_type": job.kind,
        "status": job.state,
        "document_id": document_id,
        "mental_model_id": job.payload.get("mental_model"),
        "created_at": iso(job.created_at),
        "updated_at": iso(job.updated_at)
        if job.updated_at not in (job.created_at, job.finished_at)
        else None,
        "completed_at": iso(job.finished_at),
        "error_message": job.error,
        "retry_count": max(0, job.attempt_count - 1) or None,
        "next_retry_at": iso(job.run_at) if job.state == "pending" and job.attempt_count else None,
        "progress": _progress(job),
        # What was done for a named user is that user's.
        "result_metadata": None if job.payload.get("user") else rest,
    }


def operation_item(job: Job) -> Json:
    """A job in a list, without its result, and without the progress of a completed one."""
    left = {"completed_at", "result_metadata", *(("progress",) if job.state == "completed" else ())}
    return {name: value for name, value in operation(job).items() if name not in left}


def missing_operation(operation_id: str) -> Json:
    """The response for an unknown operation."""
    return {"id": operation_id, "operation_id": operation_id, "status": "not_found"}


def _progress(job: Job) -> Json:
    done, total = (1, 1) if job.state == "completed" else (job.done_count, job.total_count)
    return {"stage": job.stage or job.state, "processed": done, "total": total}


def bank(one: Bank) -> Json:
    """A bank's profile."""
    mission = one.config.get("reflect_mission", one.mission)
    disposition = {
        name: one.config.get(f"disposition_{name}", 3)
        for name in engine.reflect.directives.DISPOSITION_TRAITS
    }
    return {
        "bank_id": one.name,
        "name": one.title or one.name,
        "disposition": disposition,
        "mission": mission,
    }


def tag_condition(
    tags: list[str] | None, mode: TagsMatch, groups: list[dict[str, Any]] | None = None
) -> Condition | None:
    """The condition for the tags of a memory, from a list and a mode or a tree of groups."""
    if tags and groups:
        raise Invalid("tags and tag_groups cannot be combined.", hint="Give one of the two.")
    if groups:
        return engine.reflect.refresh_policy.tag_groups_condition(groups)
    return (
        engine.reflect.refresh_policy.tags_condition(tuple(tags), mode)
        if tags or (tags is not None and mode == "exact")
        else None
    )


def time_window(given: Mapping[str, Any] | None) -> "temporal_expressions.Span | None":
    """The parsed time window."""
    if not given:
        return None
    start, end = (
        parse_moment(given.get("start"), what="start"),
        parse_moment(given.get("end"), what="end"),
    )
    least, most = clock.MOMENT_MIN, clock.MOMENT_MAX
    return temporal_expressions.Span(
        least if start is None else start, most if end is None else end + 1, ""
    )


def score_floors(given: Mapping[str, Any] | None) -> dict[str, float]:
    """The parsed minimum scores."""
    kept: dict[str, float] = {}
    for name, value in (given or {}).items():
        if value is None or name not in ("semantic", "keyword", "reranker", "final"):
            continue
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Invalid(
                f"min_scores.{name} must be a number.", hint='For example {"reranker": 0.5}.'
            )
        kept[name] = float(value)
    return kept
