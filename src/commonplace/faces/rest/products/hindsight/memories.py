"""Hindsight's routes for memories: retain, recall, browse, correct."""

from dataclasses import replace
from typing import Any, cast
from uuid import UUID

from commonplace import ids
from commonplace.dialects.hindsight import responses
from commonplace.dialects.hindsight.memories import passage
from commonplace.dialects.hindsight.memories import retain as retain_tool
from commonplace.dialects.hindsight.registration import check_bank
from commonplace.dialects.parameters import check_arguments
from commonplace.engine.facts.retain_request import RetainRequest
from commonplace.errors import Invalid, NotFound, Unsupported
from commonplace.faces.rest.products.hindsight import shapes
from commonplace.faces.rest.products.hindsight.tools import allow, refuse, use, use_given
from commonplace.faces.rest.products.product import Json, Request, Route
from commonplace.records.memory import IdempotencyKey
from commonplace.records.query import Filter

_BANK = "/v1/default/banks/{bank_id}"
_MEMORY = _BANK + "/memories/{memory_id}"
_LIST_FILTERS = ("consolidation_state", "entity_id", "time_field")
_ITEM_FIELDS = ("content", "context", "timestamp", "tags", "metadata", "document_id")


def retain(request: Request) -> Json:
    """Store items, and wait for it or not."""
    allow(request, "sync_retain", "retain")
    bank = check_bank(request.call.bank)
    items = [_item(request, one) for one in request.objects("items")]
    waits = request.given.get("async") is not True
    operations = [] if waits else _retain_as_jobs(request, bank, items)
    if waits:
        for one in items:
            request.engine.retain(bank, one, request.call.origin("hindsight"))
    return {
        "success": True,
        "bank_id": bank,
        "items_count": len(items),
        "async": not waits,
        "operation_id": operations[0] if operations else None,
        "operation_ids": operations or None,
        "usage": None,
    }


def _retain_as_jobs(request: Request, bank: str, items: list[RetainRequest]) -> list[str]:
    """The operations that store the items. Repeated with its id, a request makes no others."""
    origin = request.call.origin("hindsight")

    def work() -> list[object]:
        return [request.engine.retain_as_job(bank, one, origin).id for one in items]

    own = request.given.get("operation_id")
    if own is None:
        with request.engine.db.transaction():
            numbers = work()
    else:
        key = IdempotencyKey("hindsight", "retain", str(UUID(str(own))))
        numbers, _ = request.engine.once(bank, key, [repr(one) for one in items], work)
    return [ids.uuid_form(cast("int", number)) for number in numbers]


def _item(request: Request, item: Json) -> RetainRequest:
    content = item.get("content")
    if isinstance(content, list):
        content = "\n".join(_block_text(one) for one in cast("list[Any]", content))
    if not isinstance(content, str):
        raise Invalid("`content` must be a string.", hint="Give each item a `content`.")
    given = {name: item.get(name) for name in _ITEM_FIELDS} | {"content": content}
    labels = [*(item.get("tags") or ()), *(request.given.get("document_tags") or ())]
    given["tags"] = list(dict.fromkeys(labels)) or None
    if str(given["timestamp"]).lower() in ("unset", "none"):
        given["timestamp"] = None
    values = check_arguments(retain_tool.parameters, given, strict=False)
    fields = ("timestamp", "tags", "metadata", "document_id")
    timestamp, tags, metadata, document_id = (values.get(name) for name in fields)
    context, append = values.get("context", "general"), item.get("update_mode") == "append"
    return passage(
        values["content"], context, timestamp, tags, metadata, document_id, append=append
    )


def _block_text(block: object) -> str:
    text = cast("Json", block).get("text") if isinstance(block, dict) else None
    if not isinstance(text, str):
        raise Unsupported("Only texts are stored.", hint="Leave out images and files.")
    return text


def recall(request: Request) -> Json:
    """Search memories."""
    include: Json = request.given.get("include") or {}
    chunks, sources = include.get("chunks"), include.get("source_facts")
    # The original returns entities unless they are null.
    entities: Json | None = include.get("entities", {})
    given = {name: cast("Json", one or {}) for name, one in include.items()}
    limits = {name: one.get("max_tokens") for name, one in given.items()}
    more: Json = {
        "include_trace": request.given.get("trace") is True,
        "include_chunks": chunks is not None,
        "include_entities": entities is not None,
        "include_source_facts": sources is not None,
        "max_chunk_tokens": limits.get("chunks"),
        "max_entity_tokens": limits.get("entities"),
        "max_source_facts_tokens": limits.get("source_facts"),
        "budget": request.given.get("budget") or "mid",
    }
    return shapes.recall(use_given(request, "recall", **more))


def reflect(request: Request) -> Json:
    """Answer from what is known."""
    include: Json = request.given.get("include") or {}
    facts, trace = include.get("facts") is not None, include.get("tool_calls") is not None
    refuse(request, "fact_types", "tag_groups")
    answer = use_given(request, "reflect", include_based_on=facts, include_trace=trace)
    return shapes.reflect(answer, with_facts=facts, with_trace=trace)


def list_memories(request: Request) -> Json:
    """Browse memories."""
    refuse(request, *_LIST_FILTERS)
    state, document = request.given.get("state"), request.given.get("document_id")
    if state not in (None, "valid", "invalidated"):
        raise Invalid("`state` must be valid or invalidated.", hint="Use one of the two.")
    if state in (None, "valid") and document is None:
        return use_given(request, "list_memories")
    refuse(request, "tags", "type")
    return _list_by_state(request, invalidated=state == "invalidated")


def _list_by_state(request: Request, *, invalidated: bool) -> Json:
    allow(request, "list_memories")
    limit, offset = request.number("limit", 100), request.number("offset", 0)
    chosen = Filter(users=("",), status="forgotten" if invalidated else "live")
    bank, words = request.call.bank, str(request.given.get("q") or "")
    if (name := request.given.get("document_id")) is not None:
        document = request.engine.find_document(bank, str(name))
        chosen = replace(chosen, document_id=document.id if document else 0)
    found, total = request.engine.browse(bank, chosen, words, limit=limit, offset=offset)
    names = responses.document_names(request.call, found)
    items = [responses.memory_item(request.call, one, names) for one in found]
    return {"items": items, "total": total, "limit": limit, "offset": offset}


def get_memory(request: Request) -> Json:
    """One memory."""
    return use_given(request, "get_memory")


def update_memory(request: Request) -> Json:
    """Correct a memory, invalidate it, or take that back."""
    state, given = request.given.get("state"), dict(request.given)
    edits = given.keys() - {"bank_id", "memory_id", "state", "reason", "resolve_entities"}
    if state not in (None, "invalidated", "valid"):
        raise Invalid("`state` must be valid or invalidated.", hint="Use one of the two.")
    answer: Json = {}
    if any(given[name] is not None for name in edits):
        answer = use(request, "update_memory", **given)
    if state is None and answer:
        return answer
    return use(
        request,
        "invalidate_memory",
        memory_id=given["memory_id"],
        reason=given.get("reason"),
        restore=_is_valid(state),
    )


def _is_valid(state: object) -> bool:
    if state is None:
        raise Invalid("Nothing to update.", hint="Give a text, a state or another field.")
    return state == "valid"


def get_history(request: Request) -> list[Json]:
    """What an observation said before."""
    shown = use_given(request, "get_memory")
    return shown.get("history") or []


def clear_memories(request: Request) -> Json:
    """Erase the memories of a bank for good."""
    answer = use(request, "clear_memories", type=request.given.get("type"))
    count = answer["memory_units_deleted"]
    return {"success": True, "message": f"Deleted {count} memories", "deleted_count": count}


def clear_observations(request: Request) -> Json:
    """Erase the observations of a bank for good."""
    answer = use(request, "clear_memories", type="observation")
    count = answer["memory_units_deleted"]
    return {"success": True, "message": f"Deleted {count} observations", "deleted_count": count}


def list_tags(request: Request) -> Json:
    """The tags of a bank."""
    return use_given(request, "list_tags")


def list_entities(request: Request) -> Json:
    """The entities that the memories of a bank name."""
    allow(request, "list_memories")
    refuse(request, "tags", "tag_groups")
    limit, offset = request.number("limit", 100), request.number("offset", 0)
    found = [one for one in request.engine.entities(request.call.bank) if one.count]
    shown = [shapes.entity(one) for one in found[offset : offset + limit]]
    return {"items": shown, "total": len(found), "limit": limit, "offset": offset}


def get_entity(request: Request) -> Json:
    """One entity with the observations about it."""
    allow(request, "list_memories")
    refuse(request, "tags", "tag_groups")
    wanted = request.text("entity_id").casefold()
    for one in request.engine.entities(request.call.bank):
        if one.name.casefold() == wanted:
            told = [
                {"text": memory.text, "mentioned_at": responses.iso(memory.updated_at)}
                for memory in one.observations
            ]
            return shapes.entity(one) | {"observations": told}
    raise NotFound(f"Entity '{wanted[:60]}' not found")


ROUTES = (
    Route("POST", f"{_BANK}/memories", retain),
    Route("DELETE", f"{_BANK}/memories", clear_memories),
    Route("DELETE", f"{_BANK}/observations", clear_observations),
    Route("POST", f"{_BANK}/memories/recall", recall),
    Route("POST", f"{_BANK}/reflect", reflect),
    Route("GET", f"{_BANK}/memories/list", list_memories),
    Route("GET", _MEMORY, get_memory),
    Route("PATCH", _MEMORY, update_memory),
    Route("GET", f"{_MEMORY}/history", get_history),
    Route("GET", f"{_BANK}/tags", list_tags),
    Route("GET", f"{_BANK}/entities", list_entities),
    Route("GET", _BANK + "/entities/{entity_id}", get_entity),
)
