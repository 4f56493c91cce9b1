"""Hindsight's routes for mental models, knowledge pages and directives."""

from commonplace import ids
from commonplace.dialects.hindsight.reflection import directive_item
from commonplace.engine.reflect.directives import Directive
from commonplace.errors import Invalid, NotFound
from commonplace.faces.rest.products.hindsight import shapes
from commonplace.faces.rest.products.hindsight.tools import allow, refuse, use, use_given
from commonplace.faces.rest.products.product import Json, Request, Route

_BANK = "/v1/default/banks/{bank_id}"
_MODEL = _BANK + "/mental-models/{mental_model_id}"
_PAGES = _BANK + "/knowledge-base"
_DIRECTIVE = _BANK + "/directives/{directive_id}"


def create_mental_model(request: Request) -> Json:
    """Create a mental model."""
    return use_given(request, "create_mental_model", mental_model_id=request.given.get("id"))


def list_mental_models(request: Request) -> Json:
    """The mental models of a bank."""
    refuse(request, "exclude_knowledge_pages")
    answer = use_given(request, "list_mental_models")
    items = [shapes.mental_model(one, request.call.bank) for one in answer["items"]]
    page = {"limit": request.number("limit", 100), "offset": request.number("offset", 0)}
    return {"items": items, "total": answer["total"]} | page


def get_mental_model(request: Request) -> Json:
    """One mental model."""
    return shapes.mental_model(use_given(request, "get_mental_model"), request.call.bank)


def update_mental_model(request: Request) -> Json:
    """Change a mental model."""
    use_given(request, "update_mental_model")
    return get_mental_model(request)


def clear_mental_model(request: Request) -> Json:
    """Empty a mental model."""
    use_given(request, "clear_mental_model")
    return get_mental_model(request)


def refresh_mental_model(request: Request) -> Json:
    """Generate a mental model again."""
    answer = use_given(request, "refresh_mental_model")
    return {"operation_id": answer["operation_id"], "status": answer["status"]}


def delete_mental_model(request: Request) -> Json:
    """Delete a mental model."""
    return use_given(request, "delete_mental_model")


def get_model_history(request: Request) -> list[Json]:
    """What a mental model said before."""
    answer = use_given(request, "get_mental_model", detail="full")
    return [
        {"previous_content": one["content"], "changed_at": one["at"]} for one in answer["history"]
    ]


def get_tree(request: Request) -> Json:
    """The folders and pages of a bank."""
    refuse(request, "tags", "tag_groups")
    return use(request, "get_knowledge_base_tree")


def search_pages(request: Request) -> Json:
    """The pages about a question."""
    refuse(request, "tags", "tag_groups")
    answer = use(
        request,
        "search_knowledge_base",
        query=request.text("q"),
        limit=request.number("limit", 10),
    )
    results = [
        one | {"mental_model_id": one["id"], "source_query": one["description"]}
        for one in answer["results"]
    ]
    return {"results": results, "total": len(results)}


def get_page(request: Request) -> Json:
    """A page as markdown."""
    answer = use_given(request, "get_knowledge_page")
    _, _, body = answer["markdown"].removeprefix("---\n").partition("\n---\n")
    return answer | {"body": body.strip()}


def create_folder(request: Request) -> Json:
    """Create a folder."""
    return use_given(request, "create_knowledge_folder")


def create_page(request: Request) -> Json:
    """Create a page."""
    return use_given(request, "create_knowledge_page")


def update_node(request: Request) -> Json:
    """Change a folder or a page."""
    return use_given(request, "update_knowledge_node")


def delete_node(request: Request) -> Json:
    """Delete a folder or a page."""
    return use_given(request, "delete_knowledge_node")


def create_directive(request: Request) -> Json:
    """Create a directive."""
    answer = use_given(request, "create_directive")
    return answer | {"bank_id": request.call.bank}


def list_directives(request: Request) -> Json:
    """The directives of a bank."""
    answer = use_given(request, "list_directives")
    items = [one | {"bank_id": request.call.bank} for one in answer["items"]]
    page = {"limit": request.number("limit", 100), "offset": request.number("offset", 0)}
    return {"items": items, "total": answer["total"]} | page


def get_directive(request: Request) -> Json:
    """One directive."""
    allow(request, "list_directives")
    number = _directive_number(request)
    return _shape(request, request.engine.get_directive(request.call.bank, number))


def update_directive(request: Request) -> Json:
    """Change a directive."""
    allow(request, "create_directive")
    number = _directive_number(request)
    names = {"name": "title", "content": "text", "priority": "priority", "is_active": "active"}
    kinds = {"name": str, "content": str, "priority": int, "is_active": bool}
    changes: Json = {}
    for name, field in names.items():
        if (value := request.given.get(name)) is not None:
            if type(value) is not kinds[name]:
                raise Invalid(f"`{name}` must be {kinds[name].__name__}.", hint="Change its type.")
            changes[field] = value
    if (tags := request.given.get("tags")) is not None:
        changes["tags"] = tuple(tags)
    done = request.engine.update_directive(request.call.bank, number, **changes)
    return _shape(request, done)


def delete_directive(request: Request) -> Json:
    """Delete a directive."""
    return use_given(request, "delete_directive")


def _directive_number(request: Request) -> int:
    form = request.text("directive_id")
    try:
        number = ids.parse(form)
        request.engine.get_directive(request.call.bank, number)
    except (Invalid, NotFound):
        raise NotFound(f"Directive '{form[:60]}' not found") from None
    return number


def _shape(request: Request, one: Directive) -> Json:
    return directive_item(one) | {"bank_id": request.call.bank}


ROUTES = (
    Route("POST", f"{_BANK}/mental-models", create_mental_model),
    Route("GET", f"{_BANK}/mental-models", list_mental_models),
    Route("GET", _MODEL, get_mental_model),
    Route("PATCH", _MODEL, update_mental_model),
    Route("DELETE", _MODEL, delete_mental_model),
    Route("POST", f"{_MODEL}/refresh", refresh_mental_model),
    Route("POST", f"{_MODEL}/clear", clear_mental_model),
    Route("GET", f"{_MODEL}/history", get_model_history),
    Route("GET", f"{_PAGES}/tree", get_tree),
    Route("GET", f"{_PAGES}/search", search_pages),
    Route("POST", f"{_PAGES}/folders", create_folder, 201),
    Route("POST", f"{_PAGES}/pages", create_page, 201),
    Route("GET", _PAGES + "/pages/{page_id}", get_page),
    Route("PATCH", _PAGES + "/nodes/{node_id}", update_node),
    Route("DELETE", _PAGES + "/nodes/{node_id}", delete_node),
    Route("POST", f"{_BANK}/directives", create_directive),
    Route("GET", f"{_BANK}/directives", list_directives),
    Route("GET", _DIRECTIVE, get_directive),
    Route("PATCH", _DIRECTIVE, update_directive),
    Route("DELETE", _DIRECTIVE, delete_directive),
)
