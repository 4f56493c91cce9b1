"""Hindsight's routes for banks, their configuration, documents and operations."""

import time
from typing import cast

import commonplace
from commonplace import ids
from commonplace.dialects.hindsight import responses
from commonplace.dialects.hindsight.config import FIELDS
from commonplace.errors import Invalid, NotFound
from commonplace.faces.rest.products.hindsight import shapes
from commonplace.faces.rest.products.hindsight.tools import allow, refuse, use, use_given
from commonplace.faces.rest.products.product import Json, Request, Route
from commonplace.records.memory import BankEdit
from commonplace.records.work import Job

_BANKS = "/v1/default/banks"
_BANK = _BANKS + "/{bank_id}"
_DOCUMENT = _BANK + "/documents/{document_id}"
_OPERATION = _BANK + "/operations/{operation_id}"
_STARTED_S = time.monotonic()


def list_banks(request: Request) -> Json:
    """The banks, last written first."""
    return use_given(request, "list_banks", query=request.given.get("q"))


def put_bank(request: Request) -> Json:
    """Create a bank, or change one."""
    given = request.given
    updates = {name: given[name] for name in FIELDS if given.get(name) is not None}
    traits = given.get("disposition")
    if isinstance(traits, dict):
        named = cast("Json", traits).items()
        updates |= {f"disposition_{name}": value for name, value in named}
    mission = given.get("mission") or given.get("background")
    return use(
        request, "update_bank", name=given.get("name"), mission=mission, config_updates=updates
    )


def patch_bank(request: Request) -> Json:
    """Change a bank that exists."""
    use(request, "get_bank")
    return put_bank(request)


def get_bank(request: Request) -> Json:
    """The profile of a bank, which the original creates when it is missing."""
    allow(request, "get_bank")
    return responses.bank(request.engine.create_bank(request.call.bank))


def delete_bank(request: Request) -> Json:
    """Erase a bank for good."""
    answer = use(request, "delete_bank")
    if not answer["bank_deleted"]:
        raise NotFound(f"Bank '{request.call.bank}' not found")
    count = answer["memory_units_deleted"]
    message = f"Bank '{request.call.bank}' and all associated data deleted successfully"
    return {"success": True, "message": message, "deleted_count": count}


def get_stats(request: Request) -> Json:
    """The counts of a bank."""
    return shapes.stats(use(request, "get_bank_stats"))


def get_config(request: Request) -> Json:
    """What a bank configures."""
    use(request, "get_bank")
    config = dict(request.engine.get_bank(request.call.bank).config)
    usual = dict.fromkeys(FIELDS)
    return {"bank_id": request.call.bank, "config": usual | config, "overrides": config}


def update_config(request: Request) -> Json:
    """Change what a bank configures."""
    updates = request.given.get("updates")
    if not isinstance(updates, dict):
        raise Invalid("`updates` must be an object.", hint='Send {"updates": {...}}.')
    use(request, "update_bank", config_updates=cast("Json", updates))
    return get_config(request)


def reset_config(request: Request) -> Json:
    """Configure nothing."""
    allow(request, "update_bank")
    use(request, "get_bank")
    config = request.engine.get_bank(request.call.bank).config
    edit = BankEdit(config=dict.fromkeys(config))
    request.engine.update_bank(request.call.bank, edit)
    return get_config(request)


def list_documents(request: Request) -> Json:
    """The documents of a bank."""
    refuse(request, "tags", "time_field")
    answer = use_given(request, "list_documents")
    more = {"bank_id": request.call.bank, "content_hash": None}
    return answer | {"items": [one | more for one in answer["items"]]}


def get_document(request: Request) -> Json:
    """A document with its text."""
    answer = use_given(request, "get_document")
    changed = answer["updated_at"] or answer["created_at"]
    return answer | {"bank_id": request.call.bank, "updated_at": changed}


def delete_document(request: Request) -> Json:
    """Erase a document and its memories for good."""
    answer = use_given(request, "delete_document")
    name, count = answer["document_id"], answer["memory_units_deleted"]
    if not answer["document_deleted"]:
        raise NotFound(f"Document '{name}' not found")
    message = f"Document '{name}' and {count} associated memory units deleted successfully"
    return {"success": True, "message": message, "document_id": name} | {
        "memory_units_deleted": count
    }


def list_operations(request: Request) -> Json:
    """The operations of a bank."""
    answer = use_given(request, "list_operations")
    page = {"limit": request.number("limit", 20), "offset": request.number("offset", 0)}
    operations = [shapes.operation(one) for one in answer["operations"]]
    return {"bank_id": request.call.bank, "total": answer["total"], "operations": operations} | page


def get_operation(request: Request) -> Json:
    """One operation."""
    answer = use_given(request, "get_operation")
    return answer if answer["status"] == "not_found" else shapes.operation(answer)


def cancel_operation(request: Request) -> Json:
    """Cancel an operation."""
    return use_given(request, "cancel_operation")


def retry_operation(request: Request) -> Json:
    """Start a failed or cancelled operation again."""
    allow(request, "retain", "sync_retain")
    job = _job(request)
    request.engine.retry_job(request.call.bank, job.id)
    number = ids.uuid_form(job.id)
    return {"success": True, "message": "Operation queued again", "operation_id": number}


def _job(request: Request) -> Job:
    form = request.text("operation_id")
    try:
        return request.engine.get_job(request.call.bank, form)
    except (Invalid, NotFound):
        raise NotFound(f"Operation {form[:60]} not found") from None


def live(_request: Request) -> Json:
    """Whether the server answers."""
    uptime_s = round(time.monotonic() - _STARTED_S, 3)
    return {"status": "alive", "version": commonplace.__version__, "uptime_seconds": uptime_s}


ROUTES = (
    Route("GET", _BANKS, list_banks),
    Route("PUT", _BANK, put_bank),
    Route("PATCH", _BANK, patch_bank),
    Route("DELETE", _BANK, delete_bank),
    Route("GET", f"{_BANK}/profile", get_bank),
    Route("PUT", f"{_BANK}/profile", put_bank),
    Route("GET", f"{_BANK}/stats", get_stats),
    Route("GET", f"{_BANK}/config", get_config),
    Route("PATCH", f"{_BANK}/config", update_config),
    Route("DELETE", f"{_BANK}/config", reset_config),
    Route("GET", f"{_BANK}/documents", list_documents),
    Route("GET", _DOCUMENT, get_document),
    Route("DELETE", _DOCUMENT, delete_document),
    Route("GET", f"{_BANK}/operations", list_operations),
    Route("GET", _OPERATION, get_operation),
    Route("DELETE", _OPERATION, cancel_operation),
    Route("POST", f"{_OPERATION}/retry", retry_operation),
    Route("GET", "/health/live", live),
)
