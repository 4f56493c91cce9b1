"""The request to retain a text, and how a document's metadata records it."""

from dataclasses import dataclass, field
from typing import cast

from commonplace.engine.facts import fact_extraction, provenance
from commonplace.records.memory import Metadata
from commonplace.records.work import Document


@dataclass(frozen=True, slots=True)
class RetainRequest:
    """A text to retain. Without a name it becomes a new document. Tags of None leave the document's
    tags as they are.
    """

    text: str
    name: str = ""
    context: str = ""
    mentioned_at: int | None = None
    tags: tuple[str, ...] | None = None
    metadata: Metadata = field(default_factory=dict[str, object])
    append: bool = False
    # The speaker's offset from UTC. Relative dates such as "yesterday" are resolved in local time.
    zone_ms: int = 0


def request_of(document: Document) -> RetainRequest:
    """The request with which a document was last retained."""
    stored = document.metadata
    mentioned_at, metadata, zone_ms = (
        stored.get("said_at"),
        stored.get("metadata"),
        stored.get("zone_ms"),
    )
    return RetainRequest(
        document.text,
        document.name,
        str(stored.get("context", "")),
        mentioned_at if isinstance(mentioned_at, int) else document.updated_at,
        document.tags,
        cast(Metadata, metadata if isinstance(metadata, dict) else {}),
        zone_ms=zone_ms if isinstance(zone_ms, int) else 0,
    )


def document_metadata(request: RetainRequest, before: Document | None) -> dict[str, object]:
    """The metadata of a document: its request's fields, and what earlier extractions recorded."""
    metadata: dict[str, object] = {"context": request.context, "metadata": dict(request.metadata)}
    if request.mentioned_at is not None:
        metadata["said_at"] = request.mentioned_at
    if request.zone_ms:
        metadata["zone_ms"] = request.zone_ms
    previous: Metadata = before.metadata if before else {}
    return metadata | {
        name: previous[name]
        for name in (provenance.SHARED_KEY, fact_extraction.EXTRACTED_KEY)
        if name in previous
    }
