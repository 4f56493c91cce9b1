"""Hindsight's tools for memories: retain, recall, browse, documents and tags."""

from collections import Counter
from collections.abc import Sequence
from re import IGNORECASE, compile, escape
from typing import Annotated, Any

from commonplace.dialects.dialect import APART, Call, Does, filled
from commonplace.dialects.hindsight import responses as shapes
from commonplace.dialects.hindsight import traces
from commonplace.dialects.hindsight.registration import bank_tool
from commonplace.dialects.parameters import About
from commonplace.dialects.unsure import doubt
from commonplace.engine.facts.fact_extraction import chunks
from commonplace.engine.facts.fact_metadata import mark_of
from commonplace.engine.facts.fact_search import DEPTHS, Asked, Finding, Question
from commonplace.engine.facts.retain import Passage, Retained, of_kinds
from commonplace.errors import Invalid, NotFound
from commonplace.limits import LIST_MAX
from commonplace.records.query import Filter, TagsMatch
from commonplace.records.work import Document

Json = dict[str, Any]
TYPES = ("world", "experience", "observation")
MAX_TOKENS = 4096
_TAGS_COUNTED_MAX = 1_000
_EMPTY = "The content is empty; nothing was stored"


def _tag_list(value: object) -> object:
    return [value] if isinstance(value, str) and not value.lstrip().startswith("[") else value


Content = Annotated[str, About("The fact or memory to store.", None, 1_000_000)]
Context = Annotated[str, About("Category for the memory.", None, 2_000)]
Timestamp = Annotated[str | None, About("ISO 8601 timestamp for when the event occurred.")]
Tags = Annotated[
    list[str] | None, About("Tags for organizing and filtering this memory.", reads=_tag_list)
]
Metadata = Annotated[
    dict[str, Any] | None, About('Key-value metadata to attach, e.g. {"source": "slack"}.')
]
DocumentId = Annotated[
    str | None, About("Document this belongs to. The same id again replaces what changed.", 0, 200)
]
Strategy = Annotated[
    str | None, About("Accepted and ignored: every text is split in the same way.")
]
FilterTags = Annotated[list[str] | None, About("Filter memories by tags.", reads=_tag_list)]
TagMode = Annotated[
    TagsMatch,
    About(
        "any and all include untagged memories; any_strict and all_strict do not; exact: these tags"
        " only."
    ),
]
Offset = Annotated[int, About("Number of results to skip.", 0)]


@bank_tool(
    "writes",
    Does("write", words="content"),
    beside={"status": "error"},
    wraps=False,
    always_loaded=True,
)
def retain(
    call: Call,
    content: Content,
    context: Context = "general",
    timestamp: Timestamp = None,
    tags: Tags = None,
    metadata: Metadata = None,
    document_id: DocumentId = None,
    strategy: Strategy = None,
    update_mode: Annotated[
        str | None, About("replace (default) or append to the document.")
    ] = None,
) -> Json:
    """Store information to long-term memory.

    Use this when the user shares facts, preferences or interests, when events, decisions, opinions
    or goals are stated, and for work context or project details. Answers at once with an
    operation_id.
    """
    passage = _passage(
        content, context, timestamp, tags, metadata, document_id, append=update_mode == "append"
    )
    job = call.engine.retain_as_job(call.bank, passage, call.origin("hindsight"))
    return {
        "status": "accepted",
        "message": "Memory storage initiated" if content.strip() else _EMPTY,
        "operation_id": shapes.operation(job)["operation_id"],
    }


@bank_tool("writes", Does("write", words="content"), beside={"status": "error"}, wraps=False)
def sync_retain(
    call: Call,
    content: Content,
    context: Context = "general",
    timestamp: Timestamp = None,
    tags: Tags = None,
    metadata: Metadata = None,
    document_id: DocumentId = None,
    strategy: Strategy = None,
) -> Json:
    """Store information to long-term memory and wait for completion.

    Like retain, but the memory is fully stored and found by recall when this returns. Use it when
    you query right after storing; otherwise prefer retain.
    """
    passage = _passage(content, context, timestamp, tags, metadata, document_id, append=False)
    done = call.engine.retain(call.bank, passage, call.origin("hindsight"))
    return {
        "status": "completed",
        "message": _stored(done),
        "memory_ids": [shapes.ids.uuid_form(number) for number in done.memory_ids],
        **({"note": done.note} if done.note else {}),
    }


@bank_tool("reads", Does("find", words="query"), beside={"results": []}, always_loaded=True)
def recall(
    call: Call,
    query: Annotated[str, About("Natural language search query.", None, 10_000)],
    max_tokens: Annotated[int | None, About("Maximum tokens to return (default 4096).", 0)] = None,
    budget: Annotated[str, About("Search thoroughness: low, mid or high.")] = "high",
    types: Annotated[
        list[str] | None, About("Filter by fact type: world, experience, observation.")
    ] = None,
    tags: FilterTags = None,
    tags_match: TagMode = "any",
    query_timestamp: Annotated[
        str | None, About("ISO 8601: recall as if asking at this point in time.")
    ] = None,
    min_scores: Annotated[
        dict[str, Any] | None,
        About('Score floors, e.g. {"reranker": 0.5}: semantic, keyword, reranker, final.'),
    ] = None,
    prefer_observations: Annotated[
        bool, About("Leave out facts that a returned observation is based on.")
    ] = False,
    tag_groups: Annotated[
        list[dict[str, Any]] | None,
        About("Trees of and, or, not with {tags, match} as leaves. Cannot be combined with tags."),
    ] = None,
    temporal_window: Annotated[
        dict[str, Any] | None, About("{start, end}: prefer memories from this time.")
    ] = None,
    include_chunks: Annotated[
        bool | None, About("Also return the source text around the facts.")
    ] = None,
    max_chunk_tokens: Annotated[int, About("Maximum tokens of source text.", 0)] = 8192,
    include_entities: Annotated[
        bool, About("Also return the entities that the facts name.")
    ] = False,
    max_entity_tokens: Annotated[int, About("Maximum tokens of entities.", 0)] = 500,
    include_source_facts: Annotated[
        bool, About("Also return the facts that observations are based on.")
    ] = False,
    max_source_facts_tokens: Annotated[int, About("Maximum tokens of these facts.", 0)] = 4096,
    include_trace: Annotated[
        bool, About("Also return all scores, and what was left out and why.")
    ] = False,
) -> Json:
    """Search memories to provide personalized responses.

    Use this at the start of a conversation, before making recommendations, and whenever the user
    asks about something they may have mentioned before. An empty list means that nothing relevant
    is known; `unsure` is there when none of the results is surely an answer.
    """
    question = Question(
        query,
        of_kinds(
            _types(types),
            Filter(users=("",), where=shapes.tag_condition(tags, tags_match, tag_groups)),
        ),
        budget if budget in DEPTHS else "high",
        shapes.moment(query_timestamp, what="query_timestamp"),
        shapes.window(temporal_window),
        shapes.floors(min_scores),
        shapes.zone(query_timestamp),
    )
    # The type `opinion` of older clients is understood, and nothing is of it.
    asked = Asked() if types and not _types(types) else call.engine.explain(call.bank, question)
    hits = _unfolded(asked.found) if prefer_observations else asked.found
    config = _config(call)
    room = (
        max_tokens if max_tokens is not None else int(config.get("recall_max_tokens", MAX_TOKENS))
    )
    kept = call.engine.packed(hits, lambda hit: hit.memory.text, room)
    chunked = (
        config.get("recall_include_chunks", False) if include_chunks is None else include_chunks
    )
    names = shapes.names_of(call, (hit.memory for hit in hits))
    return {
        **doubt(unsure=asked.unsure, found=kept),
        "results": [
            shapes.found(
                hit, names, entities=include_entities, chunks_of=call.bank if chunked else ""
            )
            for hit in kept
        ],
        "trace": traces.recalled(question, asked, hits, kept) if include_trace else None,
        "entities": _entities(call, kept, max_entity_tokens) if include_entities else None,
        # No room for facts is how a caller asks for their source text alone.
        "chunks": _chunks(call, kept or hits, names, max_chunk_tokens) if chunked else None,
        **(_sources(call, kept, max_source_facts_tokens) if include_source_facts else {}),
    }


@bank_tool("reads", Does("list"), beside={"items": []})
def list_memories(
    call: Call,
    type_: Annotated[
        str | None, About("Filter by fact type: world, experience or observation.")
    ] = None,
    q: Annotated[
        str | None, About("Part of the text or the context to look for.", None, 10_000)
    ] = None,
    limit: Annotated[int, About("Maximum number of results.", 0, LIST_MAX)] = 100,
    offset: Offset = 0,
    tags: FilterTags = None,
    tags_match: TagMode = "any",
) -> Json:
    """Browse stored memories with optional filtering and pagination."""
    chosen = Filter(users=("",), where=shapes.tag_condition(tags, tags_match))
    if type_ is not None and type_ not in TYPES:
        return {"items": [], "total": 0, "limit": limit, "offset": offset}
    chosen = of_kinds([type_] if type_ else None, chosen)
    found, total = call.engine.browse(call.bank, chosen, q or "", limit=limit, offset=offset)
    names = shapes.names_of(call, found)
    items = [shapes.listed(call, one, names) for one in found]
    return {"items": items, "total": total, "limit": limit, "offset": offset}


@bank_tool("reads", Does("fetch", id="memory_id"))
def get_memory(
    call: Call, memory_id: Annotated[str, About("The ID of the memory to retrieve.")]
) -> Json:
    """Retrieve a specific memory by ID. One that was invalidated is shown as such."""
    return shapes.whole(call, shapes.memory_named(call, memory_id))


@bank_tool("reads", APART, beside={"items": []})
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
    items = [shapes.document(one) | {"matched_fields": _matched(one, q)} for one in page.items]
    return {"items": items, "total": page.total, "limit": limit, "offset": offset}


@bank_tool("reads", APART)
def get_document(
    call: Call, document_id: Annotated[str, About("The ID of the document to retrieve.", 1, 200)]
) -> Json:
    """Retrieve a specific document by ID, including its metadata."""
    found = _document(call, document_id)
    of_it = [Filter(document_id=found.id, users=("",))] * len(TYPES)
    counts = {
        one: call.engine.count(call.bank, of_kinds([one], chosen))
        for one, chosen in zip(TYPES, of_it, strict=True)
    }
    whole = {
        "original_text": found.text,
        "content_hash": found.sha256,
        "nodes_by_fact_type": counts,
    }
    return shapes.document(found) | whole


@bank_tool("destroys", Does("sweep"))
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


@bank_tool("reads", APART, beside={"items": []})
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


def _passage(
    content: str,
    context: str,
    timestamp: str | None,
    tags: list[str] | None,
    metadata: dict[str, Any] | None,
    document_id: str | None,
    *,
    append: bool,
) -> Passage:
    labels = None if tags is None else tuple(tags)
    said_at = shapes.spoken(timestamp)
    name, zone = (document_id or "").strip(), shapes.zone(timestamp)
    return Passage(content, name, context, said_at, labels, metadata or {}, append, zone)


def _stored(done: Retained) -> str:
    if done.document is None:
        return _EMPTY
    return (
        "Memory stored successfully"
        if done.changed
        else "The document already says this; nothing was stored"
    )


def _unfolded(hits: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings without the facts that an observation among them was made of."""
    folded = {number for hit in hits for number in mark_of(hit.memory).sources}
    return tuple(hit for hit in hits if hit.memory.id not in folded)


def _types(given: Sequence[str] | None) -> list[str]:
    for one in given or ():
        if one not in (*TYPES, "opinion"):
            raise Invalid(
                f"Unknown fact type '{one[:40]}'.", hint="Use experience, observation or world."
            )
    return [one for one in given or () if one in TYPES]


def _config(call: Call) -> Json:
    try:
        return dict(call.engine.get_bank(call.bank).config)
    except NotFound:
        return {}


def _entities(call: Call, kept: Sequence[Finding], tokens_max: int) -> Json:
    counts = Counter(name for hit in kept for name in mark_of(hit.memory).entities)
    names = call.engine.packed(
        [name for name, _ in counts.most_common()], lambda name: name, tokens_max
    )
    return {
        name: {"entity_id": name.casefold(), "canonical_name": name, "mention_count": counts[name]}
        for name in names
    }


def _chunks(call: Call, hits: Sequence[Finding], names: dict[int, str], tokens_max: int) -> Json:
    config = _config(call)
    wanted = dict.fromkeys(
        (names[hit.memory.document_id], mark_of(hit.memory).chunk)
        for hit in hits
        if hit.memory.document_id is not None and hit.memory.document_id in names
    )
    texts = {
        name: chunks(call.engine.get_document(call.bank, name).text, config) for name, _ in wanted
    }
    found = [
        (name, place, texts[name][place]) for name, place in wanted if place < len(texts[name])
    ]
    return {
        f"{call.bank}_{name}_{place}": {
            "chunk_text": text,
            "chunk_index": place,
            "truncated": False,
        }
        for name, place, text in call.engine.packed(found, lambda one: one[2], tokens_max)
    }


def _sources(call: Call, kept: Sequence[Finding], tokens_max: int) -> Json:
    numbers = tuple(dict.fromkeys(number for hit in kept for number in mark_of(hit.memory).sources))
    found = call.engine.list(call.bank, Filter(ids=numbers), limit=LIST_MAX)
    shown = call.engine.packed(found, lambda one: one.text, tokens_max)
    names = shapes.names_of(call, shown)
    by_id = {shapes.ids.uuid_form(one.id): filled(shapes.listed(call, one, names)) for one in shown}
    return {"source_facts": by_id, "source_facts_truncated": len(shown) < len(found)}


def _matched(one: Document, q: str | None) -> list[str]:
    if not q:
        return []
    return ["id"] if q.casefold() in one.name.casefold() else ["original_text"]


def _document(call: Call, document_id: str) -> Document:
    found = call.engine.find_document(call.bank, document_id)
    if found is None:
        raise NotFound(f"Document '{document_id}' not found")
    return found
