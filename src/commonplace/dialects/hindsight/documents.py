"""Hindsight's tools for documents and tags."""

from re import IGNORECASE, compile, escape
from typing import Annotated, Any

from commonplace import engine
from commonplace.dialects.dialect import OTHER, Call, ToolRole
from commonplace.dialects.hindsight import responses
from commonplace.dialects.hindsight.memories import TYPES, Offset
from commonplace.dialects.hindsight.registration import bank_tool
from commonplace.dialects.parameters import About
from commonplace.errors import NotFound
from commonplace.limits import LIST_MAX
from commonplace.records.query import Filter
from commonplace.records.work import Document

Json = dict[str, Any]
_TAGS_COUNTED_MAX = 1_000


@bank_tool("reads", OTHER, error_fields={"items": []})
def list_documents(
    call: Call,
    q: Annotated[
        str | None, About("Part of a document's id or text to look for.", None, 10_000)
    ] = None,
    limit: Annotated[int, About("Maximum number of results.", 0, LIST_MAX)] = 100,
    offset: Offset = 0,
) -> Json:
    """List documents that have been ingested into the memory bank."""
    page = call.engine.list_documents(call.bank, q or "", limit=limit, offset=offset, user="")
    items = [
        responses.document(one) | {"matched_fields": _matched_fields(one, q)} for one in page.items
    ]
    return {"items": items, "total": page.total, "limit": limit, "offset": offset}


@bank_tool("reads", OTHER)
def get_document(
    call: Call, document_id: Annotated[str, About("The ID of the document to retrieve.", 1, 200)]
) -> Json:
    """Retrieve a specific document by ID, including its metadata."""
    found = _get_document(call, document_id)
    of_it = [Filter(document_id=found.id, users=("",))] * len(TYPES)
    counts = {
        one: call.engine.count(call.bank, engine.facts.fact_listing.filter_kinds([one], chosen))
        for one, chosen in zip(TYPES, of_it, strict=True)
    }
    whole = {
        "original_text": found.text,
        "content_hash": found.sha256,
        "nodes_by_fact_type": counts,
    }
    return responses.document(found) | whole


@bank_tool("destroys", ToolRole("sweep"))
def delete_document(
    call: Call, document_id: Annotated[str, About("The ID of the document to delete.", 1, 200)]
) -> Json:
    """Delete a document and all memories linked to it, for good. What other documents say as well
    stays.
    """
    known = call.engine.find_document(call.bank, document_id) is not None
    gone = (
        call.engine.erase_document(call.bank, document_id, call.origin("hindsight"))
        if known
        else ()
    )
    return {
        "status": "deleted" if known else "not_found",
        "document_id": document_id,
        "document_deleted": int(known),
        "memory_units_deleted": len(gone),
    }


@bank_tool("reads", OTHER, error_fields={"items": []})
def list_tags(
    call: Call,
    q: Annotated[
        str | None, About("Glob pattern to filter tags, e.g. project:*.", None, 200)
    ] = None,
    limit: Annotated[int, About("Maximum number of results.", 0, LIST_MAX)] = 100,
    offset: Offset = 0,
) -> Json:
    """List all unique tags used in a bank, optionally filtered by pattern. `*` stands for
    anything.
    """
    pattern = compile(".*".join(map(escape, (q or "*").split("*"))), IGNORECASE)
    tags = call.engine.list_tags(call.bank, limit=_TAGS_COUNTED_MAX, user="", labels=True)
    found = sorted(
        (one for one in tags if pattern.fullmatch(one.tag)), key=lambda one: (-one.count, one.tag)
    )
    items = [{"tag": one.tag, "count": one.count} for one in found[offset : offset + limit]]
    return {"items": items, "total": len(found), "limit": limit, "offset": offset}


def _matched_fields(one: Document, q: str | None) -> list[str]:
    if not q:
        return []
    return ["id"] if q.casefold() in one.name.casefold() else ["original_text"]


def _get_document(call: Call, document_id: str) -> Document:
    found = call.engine.find_document(call.bank, document_id)
    if found is None:
        raise NotFound(f"Document '{document_id}' not found")
    return found
