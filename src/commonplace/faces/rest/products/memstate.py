"""Memstate's REST interface, as far as langchain-memstate 0.3 uses it."""

from typing import cast

from commonplace import clock
from commonplace.dialects import allowlists
from commonplace.dialects.memstate import responses
from commonplace.engine.keypaths import Key, key_of
from commonplace.errors import CommonplaceError, NotFound
from commonplace.faces.rest.products.product import Json, Product, Request, Route
from commonplace.records.memory import Edit, Scope

_ROOT = "/api/v1"
_LIMIT = 20


def _use(request: Request, name: str, **arguments: object) -> Json:
    """The data of a tool's answer. Raises what the tool raises."""
    tool = request.dialect.tools[name]
    allowlists.check(request.engine, request.call.bank, name, tool.actions)
    given = {one: value for one, value in arguments.items() if value is not None}
    answer = cast("Json", tool.function(request.call, **given))
    return cast("Json", answer["data"])


def remember(request: Request) -> Json:
    """Store a text, whole under its keypath if one is given."""
    project, keypath = request.text("project_id"), request.given.get("keypath")
    if not keypath:
        data = _use(
            request,
            "memstate_remember",
            project_id=project,
            content=request.text("content"),
            source=request.given.get("source"),
            context=request.given.get("context"),
        )
        return data | {"ingestion_id": data["job_id"]}
    return _store(request, project, str(keypath))


def store(request: Request) -> Json:
    """Store a text under a keypath."""
    return _store(request, request.text("project_id"), request.text("keypath"))


def _store(request: Request, project: str, keypath: str) -> Json:
    allowlists.check(request.engine, request.call.bank, "store", ("write", "revise"))
    text = request.given.get("content") or request.given.get("value") or ""
    key = Key(Scope(project=project), keypath)
    origin = request.call.origin("memstate")
    done = request.engine.set_key(request.call.bank, key, Edit(text=str(text)), origin)
    action = {"added": "created", "unchanged": "unchanged"}.get(done.change, "superseded")
    number = str(done.memory.version_id)
    shown = {"memory_id": number, "id": number, "version": done.memory.version, "action": action}
    return shown | {"status": "completed", "ingestion_id": number, "memories_created": 1}


def get_by_keypath(request: Request) -> Json:
    """The memory at a keypath."""
    allowlists.check(request.engine, request.call.bank, "get", ("fetch",))
    project, keypath = request.text("project_id"), request.text("keypath")
    found = request.engine.find_key(request.call.bank, Scope(project=project), keypath)
    if found is None or found.forgotten_at is not None:
        raise NotFound(f"There is no memory at {keypath!r}.", hint="Browse the keypaths.")
    return {
        "id": str(found.version_id),
        "keypath": key_of(found),
        "content": found.text,
        "summary": responses.summary(found),
        "version": found.version,
        "created_at": clock.iso(found.created_at),
        "updated_at": clock.iso(found.updated_at),
    }


def search(request: Request) -> Json:
    """Search memories, or list those below a keypath."""
    answer = _use(
        request,
        "memstate_search",
        query=str(request.given.get("query") or ""),
        project_id=request.given.get("project_id"),
        keypath_prefix=request.given.get("keypath_prefix"),
        limit=min(request.number("limit", _LIMIT), 100) or 1,
    )
    ids = tuple(str(one["id"]) for one in answer["results"])
    for one, number in zip(answer["results"], ids, strict=True):
        memory = request.engine.get(request.call.bank, number)
        # The client reads the nested record, with the keypath below the project.
        one["content"] = memory.text
        one["memory"] |= {
            "content": memory.text,
            "summary": one.get("summary", ""),
            "keypath": one.get("keypath", ""),
            "created_at": one.get("created_at"),
        }
    return answer


def delete(request: Request) -> Json:
    """Forget a keypath."""
    return _use(
        request,
        "memstate_delete",
        project_id=request.text("project_id"),
        keypath=request.text("keypath"),
        recursive=request.given.get("recursive") is True,
    )


def history(request: Request) -> Json:
    """The versions of a keypath."""
    return _use(
        request,
        "memstate_history",
        project_id=request.text("project_id"),
        keypath=request.text("keypath"),
    )


def keypaths(request: Request) -> Json:
    """The keypaths of a project, and their memories."""
    allowlists.check(request.engine, request.call.bank, "keypaths", ("list",))
    scope = Scope(project=request.text("project_id"))
    prefix = request.given.get("keypath") or request.given.get("prefix") or ""
    revision = request.given.get("at_revision")
    number = None if revision is None else request.number("at_revision", 0)
    tree = request.engine.tree(request.call.bank, scope, str(prefix), revision=number)
    memories = {key_of(one): one.text for one in tree.versions}
    return {"keypaths": sorted(memories), "memories": memories}


def failure(error: CommonplaceError) -> tuple[int, Json]:
    """An error as Memstate's clients read it."""
    text = f"{error.message} {error.hint}".strip()
    return error.status, {"ok": False, "error": {"code": error.kind, "message": text}}


PRODUCT = Product(
    "memstate",
    (
        Route("POST", f"{_ROOT}/memories/remember", remember),
        Route("POST", f"{_ROOT}/memories/store", store),
        Route("POST", f"{_ROOT}/memories/search", search),
        Route("POST", f"{_ROOT}/memories/delete", delete),
        Route("POST", f"{_ROOT}/memories/history", history),
        Route("GET", _ROOT + "/memories/keypath/{keypath}", get_by_keypath),
        Route("GET", f"{_ROOT}/keypaths", keypaths),
        Route("POST", f"{_ROOT}/keypaths", keypaths),
    ),
    failure,
)
