"""Hindsight's tools for memories: retain, recall and browse."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from commonplace import engine
from commonplace.dialects.dialect import Call, ToolRole, drop_empty
from commonplace.dialects.hindsight import responses, traces
from commonplace.dialects.hindsight.registration import bank_tool
from commonplace.dialects.parameters import About
from commonplace.dialects.unsure import unsure_field
from commonplace.engine.facts.fact_metadata import fact_metadata_of
from commonplace.engine.facts.fact_query import DEPTHS, Question
from commonplace.errors import Invalid, NotFound
from commonplace.limits import LIST_MAX
from commonplace.records.query import Filter, TagsMatch

if TYPE_CHECKING:
    from commonplace.engine.facts.fact_ranking import Finding
    from commonplace.engine.facts.retain import RetainResult
    from commonplace.engine.facts.retain_request import RetainRequest

Json = dict[str, Any]
TYPES = ("world", "experience", "observation")
MAX_TOKENS = 4096
_EMPTY = "The content is empty; nothing was stored"


def _tag_list(value: object) -> object:
    return [value] if isinstance(value, str) and not value.lstrip().startswith("[") else value


Content = Annotated[str, About("The fact or memory to store.", None, 1_000_000)]
Context = Annotated[str, About("Category for the memory.", None, 2_000)]
Timestamp = Annotated[str | None, About("ISO 8601 timestamp for when the event occurred.")]
Tags = Annotated[
    list[str] | None, About("Tags for organizing and filtering this memory.", parse=_tag_list)
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
FilterTags = Annotated[list[str] | None, About("Filter memories by tags.", parse=_tag_list)]
TagMode = Annotated[
    TagsMatch,
    About(
        "any and all include untagged memories; any_strict and all_strict do not; exact: these tags"
        " only."
    ),
]
RecallTokens = Annotated[int | None, About("Maximum tokens to return (default 4096).", 0)]
Budget = Annotated[str, About("Search thoroughness: low, mid or high.")]
FactTypes = Annotated[
    list[str] | None, About("Filter by fact type: world, experience, observation.")
]
AskedAt = Annotated[str | None, About("ISO 8601: recall as if asking at this point in time.")]
ScoreFloors = Annotated[
    dict[str, Any] | None,
    About('Score floors, e.g. {"reranker": 0.5}: semantic, keyword, reranker, final.'),
]
PreferObservations = Annotated[
    bool, About("Leave out facts that a returned observation is based on.")
]
TagGroups = Annotated[
    list[dict[str, Any]] | None,
    About("Trees of and, or, not with {tags, match} as leaves. Cannot be combined with tags."),
]
TimeWindow = Annotated[
    dict[str, Any] | None, About("{start, end}: prefer memories from this time.")
]
IncludeChunks = Annotated[bool | None, About("Also return the source text around the facts.")]
ChunkTokens = Annotated[int, About("Maximum tokens of source text.", 0)]
IncludeEntities = Annotated[bool, About("Also return the entities that the facts name.")]
EntityTokens = Annotated[int, About("Maximum tokens of entities.", 0)]
IncludeSourceFacts = Annotated[bool, About("Also return the facts that observations are based on.")]
SourceFactsTokens = Annotated[int, About("Maximum tokens of these facts.", 0)]
IncludeTrace = Annotated[bool, About("Also return all scores, and what was left out and why.")]
Offset = Annotated[int, About("Number of results to skip.", 0)]


@bank_tool(
    "writes",
    ToolRole("write", text="content"),
    error_fields={"status": "error"},
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
    request = passage(
        content, context, timestamp, tags, metadata, document_id, append=update_mode == "append"
    )
    job = call.engine.retain_as_job(call.bank, request, call.origin("hindsight"))
    return {
        "status": "accepted",
        "message": "Memory storage initiated" if content.strip() else _EMPTY,
        "operation_id": responses.operation(job)["operation_id"],
    }


@bank_tool(
    "writes", ToolRole("write", text="content"), error_fields={"status": "error"}, wraps=False
)
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
    request = passage(content, context, timestamp, tags, metadata, document_id, append=False)
    done = call.engine.retain(call.bank, request, call.origin("hindsight"))
    return {
        "status": "completed",
        "message": _retain_message(done),
        "memory_ids": [responses.ids.uuid_form(number) for number in done.memory_ids],
        **({"note": done.warning} if done.warning else {}),
    }


@bank_tool(
    "reads", ToolRole("find", text="query"), error_fields={"results": []}, always_loaded=True
)
def recall(
    call: Call,
    query: Annotated[str, About("Natural language search query.", None, 10_000)],
    max_tokens: RecallTokens = None,
    budget: Budget = "high",
    types: FactTypes = None,
    tags: FilterTags = None,
    tags_match: TagMode = "any",
    query_timestamp: AskedAt = None,
    min_scores: ScoreFloors = None,
    prefer_observations: PreferObservations = False,
    tag_groups: TagGroups = None,
    temporal_window: TimeWindow = None,
    include_chunks: IncludeChunks = None,
    max_chunk_tokens: ChunkTokens = 8192,
    include_entities: IncludeEntities = False,
    max_entity_tokens: EntityTokens = 500,
    include_source_facts: IncludeSourceFacts = False,
    max_source_facts_tokens: SourceFactsTokens = 4096,
    include_trace: IncludeTrace = False,
) -> Json:
    """Search memories to provide personalized responses.

    Use this at the start of a conversation, before making recommendations, and whenever the user
    asks about something they may have mentioned before. An empty list means that nothing relevant
    is known; `unsure` is there when none of the results is surely an answer.
    """
    known_types = _check_types(types)
    question = Question(
        query,
        engine.facts.fact_listing.filter_kinds(
            known_types,
            Filter(users=("",), where=responses.tag_condition(tags, tags_match, tag_groups)),
        ),
        budget if budget in DEPTHS else "high",
        responses.parse_moment(query_timestamp, what="query_timestamp"),
        responses.time_window(temporal_window),
        responses.score_floors(min_scores),
        responses.utc_offset(query_timestamp),
    )
    # Older clients may ask for the type `opinion` alone, which no fact has.
    is_empty = types and not known_types
    asked = (
        engine.facts.fact_search.FactSearchResult()
        if is_empty
        else call.engine.search_facts(call.bank, question)
    )
    hits = _without_source_facts(asked.found) if prefer_observations else asked.found
    config = _recall_config(call, max_tokens, include_chunks)
    kept = call.engine.fit_tokens(hits, lambda hit: hit.memory.text, config.tokens_max)
    trace = traces.recall_trace(question, asked, hits, kept) if include_trace else None
    answer: Json = {**unsure_field(unsure=asked.unsure, found=kept), "results": [], "trace": trace}
    parts = _RecallParts(
        entity_tokens=max_entity_tokens if include_entities else None,
        chunk_tokens=max_chunk_tokens if config.include_chunks else None,
        source_tokens=max_source_facts_tokens if include_source_facts else None,
    )
    return answer | _recall_parts(call, hits, kept, parts)


@bank_tool("reads", ToolRole("list"), error_fields={"items": []})
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
    chosen = Filter(users=("",), where=responses.tag_condition(tags, tags_match))
    if type_ is not None and type_ not in TYPES:
        return {"items": [], "total": 0, "limit": limit, "offset": offset}
    chosen = engine.facts.fact_listing.filter_kinds([type_] if type_ else None, chosen)
    found, total = call.engine.browse(call.bank, chosen, q or "", limit=limit, offset=offset)
    names = responses.document_names(call, found)
    items = [responses.memory_item(call, one, names) for one in found]
    return {"items": items, "total": total, "limit": limit, "offset": offset}


@bank_tool("reads", ToolRole("fetch", id="memory_id"))
def get_memory(
    call: Call, memory_id: Annotated[str, About("The ID of the memory to retrieve.")]
) -> Json:
    """Retrieve a specific memory by ID. One that was invalidated is shown as such."""
    return responses.full_memory(call, responses.get_memory(call, memory_id))


def passage(
    content: str,
    context: str,
    timestamp: str | None,
    tags: list[str] | None,
    metadata: dict[str, Any] | None,
    document_id: str | None,
    *,
    append: bool,
) -> "RetainRequest":
    """The request to retain a content."""
    labels = None if tags is None else tuple(tags)
    said_at = responses.parse_event_time(timestamp)
    name, zone = (document_id or "").strip(), responses.utc_offset(timestamp)
    return engine.facts.retain_request.RetainRequest(
        content, name, context, said_at, labels, metadata or {}, append, zone
    )


def _retain_message(done: "RetainResult") -> str:
    if done.document is None:
        return _EMPTY
    if not done.changed:
        return "The document already says this; nothing was stored"
    return "Memory stored successfully"


@dataclass(frozen=True, slots=True)
class _RecallConfig:
    """The options of a recall that a bank may set."""

    tokens_max: int
    include_chunks: bool


def _recall_config(
    call: Call, max_tokens: int | None, include_chunks: bool | None
) -> _RecallConfig:
    """The options of a call, or else those of the bank."""
    config = _config(call)
    return _RecallConfig(
        int(config.get("recall_max_tokens", MAX_TOKENS)) if max_tokens is None else max_tokens,
        config.get("recall_include_chunks", False) if include_chunks is None else include_chunks,
    )


@dataclass(frozen=True, slots=True)
class _RecallParts:
    """The optional parts of an answer, each with its maximal tokens; None leaves the part out."""

    entity_tokens: int | None
    chunk_tokens: int | None
    source_tokens: int | None


def _recall_parts(
    call: Call, hits: Sequence["Finding"], kept: Sequence["Finding"], parts: _RecallParts
) -> Json:
    """The results, entities, chunks and source facts of an answer."""
    names = responses.document_names(call, (hit.memory for hit in hits))
    with_entities, with_chunks = parts.entity_tokens is not None, parts.chunk_tokens is not None
    found: Json = {
        "results": [
            responses.recall_result(
                hit, names, entities=with_entities, chunks_of=call.bank if with_chunks else ""
            )
            for hit in kept
        ],
        "entities": None,
        "chunks": None,
    }
    if parts.entity_tokens is not None:
        found["entities"] = _entities(call, kept, parts.entity_tokens)
    if parts.chunk_tokens is not None:
        # With no room for facts, a caller asks for their source text alone.
        found["chunks"] = _chunks(call, kept or hits, names, parts.chunk_tokens)
    if parts.source_tokens is not None:
        found |= _sources(call, kept, parts.source_tokens)
    return found


def _without_source_facts(hits: Sequence["Finding"]) -> tuple["Finding", ...]:
    """The findings without the facts that an observation among them was made of."""
    folded = {number for hit in hits for number in fact_metadata_of(hit.memory).sources}
    return tuple(hit for hit in hits if hit.memory.id not in folded)


def _check_types(given: Sequence[str] | None) -> list[str]:
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


def _entities(call: Call, kept: Sequence["Finding"], tokens_max: int) -> Json:
    counts = Counter(name for hit in kept for name in fact_metadata_of(hit.memory).entities)
    names = call.engine.fit_tokens(
        [name for name, _ in counts.most_common()], lambda name: name, tokens_max
    )
    return {
        name: {"entity_id": name.casefold(), "canonical_name": name, "mention_count": counts[name]}
        for name in names
    }


def _chunks(call: Call, hits: Sequence["Finding"], names: dict[int, str], tokens_max: int) -> Json:
    config = _config(call)
    wanted = dict.fromkeys(
        (names[hit.memory.document_id], fact_metadata_of(hit.memory).chunk)
        for hit in hits
        if hit.memory.document_id is not None and hit.memory.document_id in names
    )
    texts = {
        name: engine.facts.fact_extraction.split_chunks(
            call.engine.get_document(call.bank, name).text, config
        )
        for name, _ in wanted
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
        for name, place, text in call.engine.fit_tokens(found, lambda one: one[2], tokens_max)
    }


def _sources(call: Call, kept: Sequence["Finding"], tokens_max: int) -> Json:
    numbers = tuple(
        dict.fromkeys(number for hit in kept for number in fact_metadata_of(hit.memory).sources)
    )
    found = call.engine.list(call.bank, Filter(ids=numbers), limit=LIST_MAX)
    shown = call.engine.fit_tokens(found, lambda one: one.text, tokens_max)
    names = responses.document_names(call, shown)
    by_id = {
        responses.ids.uuid_form(one.id): drop_empty(responses.memory_item(call, one, names))
        for one in shown
    }
    return {"source_facts": by_id, "source_facts_truncated": len(shown) < len(found)}
