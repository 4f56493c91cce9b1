"""Hindsight's tools for banks and operations."""

from typing import Annotated, Any, cast, get_args

from commonplace import ids
from commonplace.dialects.dialect import OTHER, Call, ToolRole
from commonplace.dialects.hindsight import config as hindsight_config
from commonplace.dialects.hindsight import responses
from commonplace.dialects.hindsight.memories import TYPES, Offset
from commonplace.dialects.hindsight.registration import REQUIRED, bank_tool
from commonplace.dialects.parameters import About
from commonplace.errors import Conflict, Invalid, NotFound
from commonplace.limits import LIST_MAX
from commonplace.records.memory import UNSET, Bank, BankEdit
from commonplace.records.query import Filter
from commonplace.records.work import Job, JobState

Json = dict[str, Any]
_STATES = {"processing": "running"}
_OBSERVATIONS = Filter(kinds=("observation",), users=("",), status="any", expired=True)
_CONSOLIDATION = "consolidation"
_UNFINISHED: tuple[JobState, JobState] = ("pending", "failed")


@bank_tool("reads", OTHER, error_fields={"banks": []}, bank=None)
def list_banks(
    call: Call,
    query: Annotated[
        str | None, About("Part of a bank's id or name to look for.", None, 200)
    ] = None,
    limit: Annotated[int, About("Maximum number of results.", 0, LIST_MAX)] = 100,
    offset: Offset = 0,
) -> Json:
    """List all available memory banks, the last written first."""
    wanted = (query or "").casefold()
    found = [
        one for one in call.engine.list_banks() if wanted in f"{one.name} {one.title}".casefold()
    ]
    rows = sorted(
        (_bank_item(call, one) for one in found),
        key=lambda row: row["last_write_at"] or "",
        reverse=True,
    )
    return {
        "banks": rows[offset : offset + limit],
        "total": len(rows),
        "limit": limit,
        "offset": offset,
    }


@bank_tool("writes", OTHER, bank=REQUIRED)
def create_bank(
    call: Call,
    name: Annotated[str | None, About("Human-friendly name for the bank.", None, 500)] = None,
    mission: Annotated[
        str | None, About("Who the agent is and what it tries to accomplish.", None, 10_000)
    ] = None,
) -> Json:
    """Create a new memory bank or retrieve an existing one."""
    return responses.bank(call.engine.create_bank(call.bank, _bank_edit(name, mission, {})))


@bank_tool("reads", OTHER)
def get_bank(call: Call) -> Json:
    """Get information about a memory bank, including its name, mission, and disposition."""
    return responses.bank(_get_bank(call))


@bank_tool("reads", OTHER)
def get_bank_stats(call: Call) -> Json:
    """Get statistics for a memory bank (node/link counts)."""
    _get_bank(call)
    found = call.engine.fact_stats(call.bank)
    observed = call.engine.list(call.bank, _OBSERVATIONS, order="updated", limit=1)
    waiting, failed = (
        call.engine.list_jobs(call.bank, state=one, kind=_CONSOLIDATION).total
        for one in _UNFINISHED
    )
    return {
        "bank_id": call.bank,
        "node_counts": dict(found.kinds),
        "link_counts": dict(found.links),
        "operations": dict(call.engine.count_jobs(call.bank)),
        "total_documents": found.document_count,
        "last_consolidated_at": responses.iso(observed[0].updated_at) if observed else None,
        "last_memory_write_at": responses.iso(found.written_at),
        "pending_consolidation": call.engine.unpropagated_count(call.bank) + waiting,
        "failed_consolidation": failed,
        "total_observations": found.kinds.get("observation", 0),
    }


@bank_tool("writes", OTHER)
def update_bank(
    call: Call,
    name: Annotated[
        str | None, About("Human-friendly display name for the bank.", None, 500)
    ] = None,
    mission: Annotated[
        str | None, About("Deprecated alias for config_updates.reflect_mission.", None, 10_000)
    ] = None,
    config_updates: Annotated[
        dict[str, Any] | None,
        About(
            "Configuration fields to update; null resets one. Fields:"
            f" {', '.join(hindsight_config.FIELDS)}."
        ),
    ] = None,
) -> Json:
    """Update a memory bank's name and configuration. Only provided fields are updated."""
    return responses.bank(
        call.engine.create_bank(call.bank, _bank_edit(name, mission, config_updates or {}))
    )


@bank_tool("destroys", ToolRole("sweep"), confirm="Delete this bank and everything in it?")
def delete_bank(call: Call) -> Json:
    """Permanently delete a memory bank and all its data (memories, documents, entities, mental
    models).
    """
    entity_count, document_count = call.engine.content_counts(call.bank)
    exists = _bank_exists(call)
    gone = call.engine.delete_bank(call.bank) if exists else 0
    return {
        "status": "deleted" if exists else "not_found",
        "bank_id": call.bank,
        "memory_units_deleted": gone,
        "entities_deleted": entity_count,
        "documents_deleted": document_count,
        "bank_deleted": exists,
    }


@bank_tool("destroys", ToolRole("sweep"), confirm="Delete these memories for good?")
def clear_memories(
    call: Call,
    type_: Annotated[
        str | None, About("Fact type to clear: world, experience, or observation. All by default.")
    ] = None,
) -> Json:
    """Clear all memories from a bank without deleting the bank itself, or those of one fact
    type.
    """
    if type_ and type_ not in TYPES:
        raise Invalid(
            f"Unknown fact type '{type_[:40]}'.", hint="Use experience, observation or world."
        )
    entity_count, document_count = call.engine.content_counts(call.bank)
    gone = call.engine.clear_facts(call.bank, [type_] if type_ else None, call.origin("hindsight"))
    status = "cleared" if _bank_exists(call) else "not_found"
    answer: Json = {"status": status, "bank_id": call.bank, "memory_units_deleted": gone}
    if type_:
        return answer | {"entities_deleted": 0}
    return answer | {"entities_deleted": entity_count, "documents_deleted": document_count}


def _bank_exists(call: Call) -> bool:
    return any(one.name == call.bank for one in call.engine.list_banks())


@bank_tool("reads", OTHER, error_fields={"operations": []})
def list_operations(
    call: Call,
    status: Annotated[
        str | None, About("pending, running, completed, failed or cancelled.")
    ] = None,
    limit: Annotated[int, About("Maximum number of results.", 1, LIST_MAX)] = 100,
    type_: Annotated[
        str | None, About("Only operations of this type, such as retain.", None, 100)
    ] = None,
    offset: Offset = 0,
    exclude_parents: Annotated[
        bool, About("Accepted and ignored: operations have no parents.")
    ] = False,
) -> Json:
    """List async operations (retain processing, mental model refresh, etc.) with optional status
    filtering.
    """
    wanted_state = (status or "").strip().lower()
    state = _STATES.get(wanted_state, wanted_state or None)
    if state is not None and state not in get_args(JobState):
        return {"total": 0, "operations": []}
    wanted = cast(JobState | None, state)
    page = call.engine.list_jobs(
        call.bank, state=wanted, kind=type_ or None, limit=limit, offset=offset
    )
    return {
        "total": page.total,
        "operations": [responses.operation_item(job) for job in page.items],
    }


@bank_tool("reads", OTHER)
def get_operation(
    call: Call, operation_id: Annotated[str, About("The ID of the operation to check.")]
) -> Json:
    """Get the status and details of an async operation."""
    try:
        return responses.operation(_get_job(call, operation_id))
    except NotFound:
        return responses.missing_operation(operation_id)


@bank_tool("writes", OTHER)
def cancel_operation(
    call: Call, operation_id: Annotated[str, About("The ID of the operation to cancel.")]
) -> Json:
    """Cancel a pending or running async operation."""
    try:
        job = _get_job(call, operation_id)
    except NotFound:
        raise NotFound(f"Operation {operation_id} not found for bank {call.bank}") from None
    if job.state not in ("pending", "running"):
        raise Conflict(
            f"Operation {operation_id} is {job.state}.",
            hint="Only pending and running operations can be cancelled.",
        )
    call.engine.cancel_job(call.bank, job.id)
    return {
        "success": True,
        "message": f"Operation {operation_id} cancelled",
        "operation_id": ids.uuid_form(job.id),
        "bank_id": call.bank,
    }


def _get_bank(call: Call) -> Bank:
    try:
        return call.engine.get_bank(call.bank)
    except NotFound:
        raise NotFound(f"Bank '{call.bank}' not found") from None


def _bank_edit(name: str | None, mission: str | None, updates: Json) -> BankEdit:
    # The mission has two names; the one in the configuration takes precedence.
    config = hindsight_config.check_updates(
        ({} if mission is None else {"reflect_mission": mission}) | updates
    )
    new_mission = config.get("reflect_mission", UNSET)
    return BankEdit(
        title=UNSET if name is None else name,
        mission="" if new_mission is None else new_mission,
        config=config or UNSET,
    )


def _bank_item(call: Call, bank: Bank) -> Json:
    newest = call.engine.list(bank.name, Filter(users=("",)), order="updated", limit=1)
    documents = call.engine.list_documents(bank.name, limit=1, user="")
    written = max([one.updated_at for one in (*newest, *documents.items)], default=bank.created_at)
    return responses.bank(bank) | {
        "created_at": responses.iso(bank.created_at),
        "updated_at": responses.iso(written),
        "fact_count": call.engine.count(bank.name, Filter(users=("",))),
        "last_document_at": responses.iso(documents.items[0].updated_at)
        if documents.items
        else None,
        "last_write_at": responses.iso(written),
    }


def _get_job(call: Call, operation_id: str) -> Job:
    try:
        number = ids.parse(operation_id)
    except Invalid:
        if responses.is_uuid(operation_id):
            raise NotFound(f"Operation {operation_id} not found") from None
        raise Invalid(
            f"'{operation_id[:60]}' is not a valid operation id.",
            hint="Pass the id that retain returned.",
        ) from None
    return call.engine.get_job(call.bank, number)
