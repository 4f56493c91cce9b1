"""Hindsight's tools for reflections, mental models and directives."""

from typing import TYPE_CHECKING, Annotated, Any, cast

from commonplace import engine, ids
from commonplace.dialects.dialect import OTHER, Call, ToolRole, drop_empty
from commonplace.dialects.hindsight import responses, traces
from commonplace.dialects.hindsight.memories import MAX_TOKENS, FilterTags, Offset, TagMode, Tags
from commonplace.dialects.hindsight.model_options import check_model_options
from commonplace.dialects.hindsight.registration import bank_tool
from commonplace.dialects.parameters import About
from commonplace.engine.facts.fact_query import DEPTHS, Question
from commonplace.engine.reflect import refresh_policy
from commonplace.engine.reflect.mental_model_rows import TOKENS_DEFAULT, MentalModel
from commonplace.errors import Invalid, NotFound
from commonplace.limits import LIST_MAX
from commonplace.records.query import Filter
from commonplace.records.work import Job

if TYPE_CHECKING:
    from commonplace.engine.reflect.directives import Directive
    from commonplace.engine.reflect.reflect import Reflection

Json = dict[str, Any]
ModelId = Annotated[str, About("The ID of the mental model.", 1, 200)]
Trigger = Annotated[
    dict[str, Any] | None,
    About(
        "When and from which memories it is refreshed; null resets a field. "
        f"Fields: {', '.join(refresh_policy.TRIGGER_FIELDS)}."
    ),
]
AfterConsolidation = Annotated[
    bool | None, About("Auto-refresh this model after memory consolidation.")
]
Limit = Annotated[int, About("Maximum number of results.", 1, LIST_MAX)]


@bank_tool("reads", ToolRole("find", text="query"), error_fields={"text": ""})
def reflect(
    call: Call,
    query: Annotated[str, About("The question or topic to reflect on.", None, 10_000)],
    context: Annotated[str | None, About("Why this reflection is needed.", None, 10_000)] = None,
    budget: Annotated[str, About("Search budget: low, mid or high.")] = "low",
    max_tokens: Annotated[int, About("Maximum tokens in the response.", 1)] = MAX_TOKENS,
    response_schema: Annotated[
        dict[str, Any] | None, About("JSON Schema for structured output.")
    ] = None,
    tags: FilterTags = None,
    tags_match: TagMode = "any",
    include_trace: Annotated[bool, About("Include tool_trace and llm_trace.")] = False,
    apply_all_directives: Annotated[bool, About("Apply tagged directives as well.")] = False,
    include_based_on: Annotated[bool, About("Include the memories the answer rests on.")] = False,
) -> Json:
    """Generate thoughtful analysis by synthesizing stored memories with the bank's personality.

    Use this when reasoned analysis is needed, not just fact retrieval. Every line names the
    memories it rests on, and what is not known is said.
    """
    if not query.strip():
        raise Invalid("Operation validation failed: query cannot be empty.", hint="Ask something.")
    directives = _directives(call, tags, every=apply_all_directives)
    where = responses.tag_condition(tags, tags_match)
    depth = budget if budget in DEPTHS else "low"
    question = Question(query, Filter(users=("",), where=where), depth)
    guidance = call.engine.guidance(
        call.bank, tags or (), context or "", every=apply_all_directives
    )
    done = call.engine.reflect(call.bank, question, max_tokens, guidance, response_schema)
    answer: Json = {
        "text": done.text,
        "structured_output": done.structured,
        "structured_output_error": done.structured_error,
        "usage": _usage(done),
    }
    if include_based_on:
        answer["based_on"] = _based_on(call, done, directives)
    if include_trace:
        answer |= traces.reflect_trace(done, depth)
        answer["directives_applied"] = [one.title for one in directives] if done.by_model else []
    return answer


@bank_tool("writes", OTHER)
def create_mental_model(
    call: Call,
    name: Annotated[str, About("Human-readable name for the mental model.", None, 500)],
    source_query: Annotated[
        str, About("The query used to generate and refresh the model.", None, 10_000)
    ],
    mental_model_id: Annotated[
        str | None, About("Custom ID: lower-case letters, digits and hyphens.", 0, 200)
    ] = None,
    tags: Tags = None,
    max_tokens: Annotated[
        int, About("Maximum tokens for model content, 256 to 8192.")
    ] = TOKENS_DEFAULT,
    trigger_refresh_after_consolidation: Annotated[
        bool, About("Auto-refresh this model after memory consolidation.")
    ] = False,
    tags_match: Annotated[
        str | None, About("How the tags select memories; all_strict by default.")
    ] = None,
    trigger: Trigger = None,
) -> Json:
    """Create a mental model: a living document that stays current with your memories.

    The content is made asynchronously; the operation_id of the answer tracks it. Without a language
    model it is there at once.
    """
    # The default does not override a trigger with a schedule.
    wanted = _merge_trigger({}, trigger, trigger_refresh_after_consolidation or None, tags_match)
    own = (mental_model_id or "").strip()
    if own and not all(
        one.isdigit() or one == "-" or (one.isalpha() and one == one.lower()) for one in own
    ):
        raise Invalid(
            f"'{own[:60]}' is not a valid mental model id.",
            hint="Use lower-case letters, digits and hyphens.",
        )
    check_model_options(name, source_query, max_tokens, wanted)
    draft = MentalModel(own, name, source_query, tuple(tags or ()), max_tokens, wanted)
    model = call.engine.add_mental_model(call.bank, draft)
    return {
        "mental_model_id": model.name,
        "operation_id": ids.uuid_form(_start_refresh(call, model.name).id),
        "status": "created",
        "message": f"Mental model '{model.title}' created",
    }


@bank_tool("reads", OTHER, error_fields={"items": []})
def list_mental_models(
    call: Call, tags: FilterTags = None, limit: Limit = 100, offset: Offset = 0
) -> Json:
    """List all mental models in a bank, optionally filtered by tags, without their content."""
    found = call.engine.list_mental_models(call.bank, tuple(tags or ()))
    items = [_model(call, one) for one in found[offset : offset + limit]]
    return {"items": items, "total": len(found)}


@bank_tool("reads", OTHER)
def get_mental_model(
    call: Call,
    mental_model_id: ModelId,
    detail: Annotated[str, About("metadata, content or full.")] = "full",
) -> Json:
    """Retrieve a specific mental model by ID, including its full content."""
    return _model(call, call.engine.get_mental_model(call.bank, mental_model_id), detail)


@bank_tool("writes", OTHER)
def update_mental_model(
    call: Call,
    mental_model_id: ModelId,
    name: Annotated[str | None, About("New name.", None, 500)] = None,
    source_query: Annotated[str | None, About("New source query.", None, 10_000)] = None,
    tags: Tags = None,
    max_tokens: Annotated[int | None, About("New max tokens, 256 to 8192.")] = None,
    trigger_refresh_after_consolidation: AfterConsolidation = None,
    tags_match: Annotated[str | None, About("How the tags select memories.")] = None,
    trigger: Trigger = None,
) -> Json:
    """Update a mental model's metadata or settings. The content stays until it is refreshed."""
    before = call.engine.get_mental_model(call.bank, mental_model_id)
    wanted = _merge_trigger(
        before.trigger, trigger, trigger_refresh_after_consolidation, tags_match
    )
    check_model_options(name, source_query, max_tokens, wanted)
    given = {
        "title": name,
        "query": source_query,
        "tokens_max": max_tokens,
        "tags": None if tags is None else tuple(tags),
    }
    changes = {field: value for field, value in given.items() if value is not None}
    return _model(
        call,
        call.engine.update_mental_model(call.bank, mental_model_id, trigger=wanted, **changes),
        "full",
    )


@bank_tool("destroys", OTHER)
def delete_mental_model(call: Call, mental_model_id: ModelId) -> Json:
    """Permanently delete a mental model."""
    call.engine.delete_mental_model(call.bank, mental_model_id)
    return {"status": "deleted", "mental_model_id": mental_model_id}


@bank_tool("writes", OTHER)
def refresh_mental_model(call: Call, mental_model_id: ModelId) -> Json:
    """Re-generate a mental model's content from the latest memories. Answers with an
    operation_id.
    """
    job = _start_refresh(call, mental_model_id)
    return {
        "operation_id": ids.uuid_form(job.id),
        "status": "queued",
        "message": "Mental model refresh queued",
    }


@bank_tool("destroys", OTHER)
def clear_mental_model(call: Call, mental_model_id: ModelId) -> Json:
    """Clear a mental model's content while keeping its definition. Call refresh_mental_model to
    rebuild it.
    """
    model = call.engine.clear_mental_model(call.bank, mental_model_id)
    return {
        "mental_model_id": model.name,
        "status": "cleared",
        "message": "Refresh it to rebuild its content",
    }


@bank_tool("reads", OTHER, error_fields={"items": []})
def list_directives(
    call: Call,
    tags: Annotated[
        list[str] | None, About("Filter directives by tags; untagged ones always apply.")
    ] = None,
    active_only: Annotated[bool, About("Only return active directives.")] = True,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Json:
    """List all directives in a bank: instructions that guide how it responds to queries, the
    weightiest first.
    """
    found = call.engine.list_directives(call.bank, tags or (), active_only=active_only)
    return {
        "items": [directive_item(one) for one in found[offset : offset + limit]],
        "total": len(found),
    }


@bank_tool("writes", OTHER)
def create_directive(
    call: Call,
    name: Annotated[str, About("Human-readable name for the directive.", 1, 500)],
    content: Annotated[str, About("The directive content/instruction.", 1, 100_000)],
    priority: Annotated[int, About("Priority level (higher = more important).")] = 0,
    is_active: Annotated[bool, About("Whether the directive is active.")] = True,
    tags: Tags = None,
) -> Json:
    """Create a new directive in a bank."""
    draft = engine.reflect.directives.Directive(
        name, content, priority, is_active, tuple(tags or ())
    )
    return directive_item(call.engine.add_directive(call.bank, draft))


@bank_tool("destroys", OTHER)
def delete_directive(
    call: Call, directive_id: Annotated[str, About("The ID of the directive to delete.")]
) -> Json:
    """Delete a directive by ID."""
    try:
        call.engine.delete_directive(call.bank, ids.parse(directive_id))
    except (NotFound, Invalid):
        raise NotFound(f"Directive '{directive_id[:60]}' not found") from None
    return {"status": "deleted", "directive_id": directive_id}


def _start_refresh(call: Call, name: str) -> Job:
    """Generate a model's answer again, recorded as a finished job."""
    return call.engine.refresh_as_job(call.bank, name)


def _directives(call: Call, tags: list[str] | None, *, every: bool = False) -> list["Directive"]:
    return list(call.engine.directives_in_force(call.bank, tags or (), every=every))


def _merge_trigger(
    before: Any, given: Json | None, after: bool | None, tags_match: str | None
) -> Json:
    """The trigger with the changes of a call; the engine validates the result."""
    said = {"refresh_after_consolidation": after, "tags_match": tags_match}
    return {
        **before,
        **(given or {}),
        **{name: value for name, value in said.items() if value is not None},
    }


def _model(call: Call, one: MentalModel, detail: str = "metadata") -> Json:
    shown: Json = {
        "id": one.name,
        "name": one.title,
        "tags": list(one.tags),
        "last_refreshed_at": responses.iso(one.refreshed_at),
        "last_memory_seen_at": responses.iso(one.changed_at),
        "last_refresh_failed_at": responses.iso(one.failed_at),
        "created_at": responses.iso(one.created_at),
        "is_knowledge_page": one.folder is not None,
        "is_stale": call.engine.is_stale(call.bank, one),
    }
    if detail == "metadata":
        return shown
    trigger = {"mode": "full", "refresh_after_consolidation": False, **one.trigger}
    more: Json = {"source_query": one.query, "max_tokens": one.tokens_max, "trigger": trigger}
    more["content"] = one.content
    if detail == "full":
        based = [ids.uuid_form(number) for number in one.sources]
        history = [
            {"content": entry["content"], "at": responses.iso(cast(int, entry["at"]))}
            for entry in one.history
        ]
        # Its text is the content.
        reflected = drop_empty({"based_on": based, "structured_output_error": one.structured_error})
        made = reflected if one.refreshed_at else None
        more |= {"reflect_response": made, "structured_content": one.structured, "history": history}
    return shown | more


def directive_item(one: "Directive") -> Json:
    """The JSON of a directive."""
    return {
        "id": ids.uuid_form(one.id),
        "name": one.title,
        "content": one.text,
        "priority": one.priority,
        "is_active": one.active,
        "tags": list(one.tags),
        "created_at": responses.iso(one.created_at),
        "updated_at": responses.iso(one.updated_at) if one.updated_at != one.created_at else None,
    }


def _based_on(call: Call, done: "Reflection", directives: list["Directive"]) -> Json:
    names = responses.document_names(call, (one.memory for one in done.findings))
    based: Json = {
        kind: [] for kind in ("world", "experience", "opinion", "observation", "mental-models")
    }
    for one in done.findings:
        based[responses.fact_type(one.memory)].append(
            drop_empty(responses.memory_item(call, one.memory, names))
        )
    return drop_empty(
        based | {"directives": [drop_empty(directive_item(one)) for one in directives]}
    )


def _usage(done: "Reflection") -> Json:
    # Counted with our own tokenizer, because models report their usage differently.
    spent, said = (
        sum(getattr(one, name) for one in done.steps) for name in ("tokens_in", "tokens_out")
    )
    usage = {"input_tokens": spent, "output_tokens": said, "total_tokens": spent + said}
    return usage | {"cached_tokens": 0, "thoughts_tokens": 0}
