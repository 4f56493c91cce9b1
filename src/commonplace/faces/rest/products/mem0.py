"""mem0's REST interfaces: the paths of its hosted client and of its open-source server."""

from typing import cast

from commonplace import clock
from commonplace.dialects import allowlists
from commonplace.dialects.mem0 import responses, scope, tools
from commonplace.dialects.parameters import check_arguments
from commonplace.errors import CommonplaceError, Forbidden, Invalid, Unsupported
from commonplace.faces.rest.products.product import Json, Product, Request, Route
from commonplace.records.memory import Edit, Memory, Unset

_PAGE_SIZE = 100
_REPLACING = ("text", "data", "memory")
LEFT_OUT = {
    "/v1/exports": "Memories are exported with GET /api/v1/banks/BANK/export.",
    "/v1/summary": "There are no summaries.",
    "/v1/feedback": "There is no feedback.",
    "/v2/profiles": "There are no profiles.",
    "/profile": "There are no profiles.",
    "/configure": "The server is configured by its environment.",
}


def _use(request: Request, name: str, **arguments: object) -> Json:
    """The answer of a tool of the dialect."""
    tool = request.dialect.tools[name]
    allowlists.check(request.engine, request.call.bank, name, tool.actions)
    values = check_arguments(tool.parameters, arguments, strict=False)
    return dict(cast("Json", tool.function(request.call, **values)))


def _filters(request: Request) -> Json:
    """The filter of a request, with the entities that stand beside it."""
    filters: object = request.given.get("filters") or {}
    if not isinstance(filters, dict):
        raise Invalid("`filters` must be an object.", hint='For example {"user_id": "ada"}.')
    given = {name: request.given.get(name) for name in scope.ENTITY_FIELDS}
    return {name: value for name, value in given.items() if value} | cast("Json", filters)


def ping(request: Request) -> Json:
    """Whether the server answers, and for whom."""
    user = request.call.owner
    return {"status": "ok", "org_id": "commonplace", "project_id": request.call.bank} | {
        "user_email": user
    }


def add(request: Request) -> Json:
    """Store messages."""
    if request.given.get("expiration_date"):
        raise Unsupported("Messages do not expire.", hint="Set the date with an update.")
    entities = _filters(request)
    names = {name: entities[name] for name in scope.ENTITY_FIELDS if name in entities}
    kept = ("messages", "text", "metadata", "infer")
    given = {name: request.given[name] for name in kept if name in request.given}
    return _use(request, "add_memory", **given, **names)


def search(request: Request) -> Json:
    """Search memories."""
    given = request.given
    limit = given.get("top_k") or given.get("limit") or 10
    arguments: Json = {"query": given.get("query"), "limit": limit}
    return _use(
        request,
        "search_memories",
        **arguments,
        filters=_filters(request),
        threshold=given.get("threshold"),
    )


def list_memories(request: Request) -> Json:
    """The memories of a filter, in pages."""
    page, size = request.number("page", 1), request.number("page_size", _PAGE_SIZE)
    answer = _use(
        request, "get_memories", filters=_filters(request), page=page or 1, page_size=size
    )
    more = (page or 1) * size < answer["count"]
    return answer | {"next": (page or 1) + 1 if more else None, "previous": None}


def get_memory(request: Request) -> Json:
    """One memory."""
    return _use(request, "get_memory", memory_id=request.text("memory_id"), user_id=scope.ANY)


def update_memory(request: Request) -> Json:
    """Change a memory."""
    allowlists.check(request.engine, request.call.bank, "update_memory", ("revise",))
    given = request.given
    text = next((given[name] for name in _REPLACING if given.get(name) is not None), None)
    metadata = given.get("metadata")
    expires: int | None | Unset = Unset()
    if "expiration_date" in given:
        date = given["expiration_date"]
        expires = clock.parse_moment(str(date)) if date else None
    edit = Edit(text=Unset() if text is None else str(text), expires_at=expires)
    if metadata is not None and not isinstance(metadata, dict):
        raise Invalid("`metadata` must be an object.", hint="Give names and values.")
    fields = cast("Json | None", metadata)
    before = tools.find_memory(request.call, request.text("memory_id"), scope.ANY)
    return responses.item(request.call, tools.revise(request.call, before, edit, fields))


def delete_memory(request: Request) -> Json:
    """Forget a memory."""
    return _use(request, "delete_memory", memory_id=request.text("memory_id"), user_id=scope.ANY)


def delete_all(request: Request) -> Json:
    """Forget the memories of a user, an agent, an app or a run."""
    entities = _filters(request)
    if not entities:
        raise Invalid("No entity was named.", hint="Give a user_id, agent_id, app_id or run_id.")
    return _use(
        request,
        "delete_entities" if "user_id" not in entities else "delete_all_memories",
        **entities,
    )


def history(request: Request) -> list[Json]:
    """The changes of a memory."""
    call = request.call
    allowlists.check(request.engine, call.bank, "history", ("history",))
    memory = request.engine.get(call.bank, request.text("memory_id"))
    versions = request.engine.history(call.bank, memory.id)
    return responses.history(call, memory, versions)


def list_entities(request: Request) -> Json:
    """The users, agents, apps and runs."""
    return _use(request, "list_entities")


def delete_entity(request: Request) -> Json:
    """Forget the memories of an entity."""
    kind = request.text("entity_type")
    if kind not in scope.ENTITY_TYPES:
        raise Invalid(f"{kind!r} is not a kind of entity.", hint="Use user, agent, app or run.")
    return _use(request, "delete_entities", **{f"{kind}_id": request.text("entity_name")})


def update_batch(request: Request) -> Json:
    """Change several memories: all of them or none."""
    allowlists.check(request.engine, request.call.bank, "batch", ("revise",))
    listed = request.objects("memories")
    with request.engine.db.transaction():
        for one in listed:
            edit = Edit(text=str(one["text"])) if one.get("text") is not None else Edit()
            tools.revise(request.call, _batch_memory(request, one), edit, one.get("metadata"))
    request.engine.sync_note_files(request.engine)
    return {"message": f"Successfully updated {len(listed)} memories"}


def delete_batch(request: Request) -> Json:
    """Forget several memories: all of them or none."""
    allowlists.check(request.engine, request.call.bank, "batch", ("forget",))
    numbers = [_batch_memory(request, one).id for one in request.objects("memories")]
    request.engine.forget(request.call.bank, numbers, request.call.origin("mem0"))
    return {"message": f"Successfully deleted {len(numbers)} memories"}


def _batch_memory(request: Request, one: Json) -> Memory:
    number = one.get("memory_id")
    if not isinstance(number, str):
        raise Invalid("`memory_id` must be a string.", hint="Give each memory its memory_id.")
    return tools.find_memory(request.call, number, scope.ANY)


def reset(request: Request) -> Json:
    """Refused: it would erase what other programs stored."""
    raise Forbidden(
        f"The memory of {request.call.bank!r} is not reset over this path.",
        hint="Delete entities, or erase the bank with DELETE /api/v1/banks/BANK.",
    )


def failure(error: CommonplaceError) -> tuple[int, Json]:
    """An error as mem0's clients read it."""
    return error.status, {
        "detail": f"{error.message} {error.hint}".strip(),
        "error_code": error.kind,
    }


_HOSTED = (
    Route("GET", "/v1/ping", ping),
    *(
        Route("POST", path, add)
        for path in ("/v3/memories/add", "/v1/memories", "/v2/memories/add")
    ),
    *(Route("POST", f"/{version}/memories/search", search) for version in ("v1", "v2", "v3")),
    *(Route("POST", f"/{version}/memories", list_memories) for version in ("v2", "v3")),
    Route("GET", "/v1/memories", list_memories),
    Route("DELETE", "/v1/memories", delete_all),
    Route("GET", "/v1/memories/{memory_id}", get_memory),
    Route("PUT", "/v1/memories/{memory_id}", update_memory),
    Route("DELETE", "/v1/memories/{memory_id}", delete_memory),
    Route("GET", "/v1/memories/{memory_id}/history", history),
    Route("GET", "/v1/entities", list_entities),
    Route("DELETE", "/v2/entities/{entity_type}/{entity_name}", delete_entity),
    Route("PUT", "/v1/batch", update_batch),
    Route("DELETE", "/v1/batch", delete_batch),
)
# The pages have /memories, so the paths of the open-source server stand below /mem0.
_OPEN_SOURCE = (
    Route("POST", "/mem0/memories", add),
    Route("GET", "/mem0/memories", list_memories),
    Route("DELETE", "/mem0/memories", delete_all),
    Route("GET", "/mem0/memories/{memory_id}", get_memory),
    Route("PUT", "/mem0/memories/{memory_id}", update_memory),
    Route("DELETE", "/mem0/memories/{memory_id}", delete_memory),
    Route("GET", "/mem0/memories/{memory_id}/history", history),
    Route("POST", "/mem0/search", search),
    Route("POST", "/mem0/reset", reset),
)
PRODUCT = Product("mem0", (*_HOSTED, *_OPEN_SOURCE), failure, LEFT_OUT)
