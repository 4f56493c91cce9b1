"""The shapes of Hindsight's REST interface that differ from those of its MCP tools."""

import json
from collections.abc import Mapping
from typing import Any, cast

from commonplace.dialects.hindsight import responses
from commonplace.engine.facts.stats import Entity
from commonplace.faces.rest.products.product import Json
from commonplace.reserved_metadata import user_metadata

API_VERSION = "1.1.0"
FEATURES = {
    "observations": True,
    "mcp": True,
    "worker": True,
    "bank_config_api": True,
    "bank_llm_health": False,
    "file_upload_api": False,
    "document_export_api": False,
    "document_import_api": False,
    "audit_log": False,
    "llm_trace": False,
    "store_document_text": True,
}


def text_metadata(metadata: Mapping[str, Any]) -> dict[str, str]:
    """Metadata whose values are texts, as the client requires."""
    plain = user_metadata(metadata)
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in plain.items()
    }


def fact(item: Json) -> Json:
    """A fact among the results of recall or below an answer of reflect."""
    rest = {name: value for name, value in item.items() if name != "fact_type"}
    entities = item.get("entities")
    if isinstance(entities, str):
        rest["entities"] = [one for one in entities.split(", ") if one]
    return rest | {
        "type": item.get("fact_type"),
        "metadata": text_metadata(item.get("metadata") or {}),
    }


def recall(answer: Json) -> Json:
    """The answer of recall."""
    chunks: dict[str, Json] = answer.get("chunks") or {}
    entities: dict[str, Json] = answer.get("entities") or {}
    sources: dict[str, Json] = answer.get("source_facts") or {}
    return answer | {
        "results": [fact(one) for one in answer["results"]],
        "chunks": {
            name: {
                "id": name,
                "text": one["chunk_text"],
                "chunk_index": one["chunk_index"],
                "truncated": one["truncated"],
            }
            for name, one in chunks.items()
        }
        or None,
        "entities": {name: one | {"observations": []} for name, one in entities.items()} or None,
        "source_facts": {name: fact(one) for name, one in sources.items()} or None,
    }


def reflect(answer: Json, *, with_facts: bool, with_trace: bool) -> Json:
    """The answer of reflect."""
    shown: Json = {
        "text": answer["text"],
        "structured_output": answer["structured_output"],
        "structured_output_error": answer["structured_output_error"],
        "usage": answer["usage"],
        "based_on": None,
        "trace": None,
    }
    if with_facts:
        based: Json = answer["based_on"]
        kinds = ("world", "experience", "opinion", "observation")
        shown["based_on"] = {
            "memories": [fact(one) for kind in kinds for one in based.get(kind, ())],
            "mental_models": [],
            "directives": [
                {name: one[name] for name in ("id", "name", "content")}
                for one in based.get("directives", ())
            ],
        }
    if with_trace:
        calls = [{"tool": "recall", "input": one, "duration_ms": 0} for one in answer["tool_trace"]]
        shown["trace"] = {"tool_calls": calls, "llm_calls": answer["llm_trace"]}
    return shown


def stats(answer: Json) -> Json:
    """The counts of a bank."""
    operations: dict[str, int] = answer["operations"]
    nodes, links = answer["node_counts"], answer["link_counts"]
    kept = ("bank_id", "total_documents", "last_consolidated_at", "last_memory_write_at")
    more = ("pending_consolidation", "failed_consolidation", "total_observations")
    return {name: answer[name] for name in (*kept, *more)} | {
        "total_nodes": sum(nodes.values()),
        "total_links": sum(links.values()),
        "nodes_by_fact_type": nodes,
        "links_by_link_type": links,
        "links_by_fact_type": {},
        "links_breakdown": {},
        "operations_by_status": operations,
        "pending_operations": operations.get("pending", 0) + operations.get("running", 0),
        "failed_operations": operations.get("failed", 0),
    }


def operation(answer: Json) -> Json:
    """An operation, by itself or in a list."""
    at = answer.get("updated_at") or answer.get("created_at")
    progress = answer.get("progress")
    result = cast("Json", answer.get("result_metadata") or {})
    return answer | {
        "task_type": answer.get("operation_type"),
        "items_count": int(result.get("items_count", 1)),
        "error_message": answer.get("error_message") or None,
        "progress": progress | {"at": at} if progress and at else None,
    }


def mental_model(answer: Json, bank: str) -> Json:
    """A mental model."""
    trigger = answer.get("trigger")
    return answer | {"bank_id": bank, "tags": answer.get("tags") or [], "trigger": trigger}


def entity(one: Entity) -> Json:
    """An entity in a list."""
    return {
        "id": one.name.casefold(),
        "canonical_name": one.name,
        "mention_count": one.count,
        "first_seen": responses.iso(one.first_at),
        "last_seen": responses.iso(one.last_at),
        "metadata": {},
    }
