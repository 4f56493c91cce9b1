"""Hindsight's tools for the knowledge base: folders, and pages that are refreshed automatically."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from commonplace import ids
from commonplace.dialects.dialect import OTHER, Call, drop_empty
from commonplace.dialects.hindsight import responses
from commonplace.dialects.hindsight.memories import Tags
from commonplace.dialects.hindsight.model_options import check_model_options
from commonplace.dialects.hindsight.registration import bank_tool
from commonplace.dialects.parameters import About
from commonplace.engine.reflect import refresh_policy
from commonplace.engine.reflect.mental_model_rows import (
    PAGE_TOKENS_DEFAULT,
    PAGE_TRIGGER,
    MentalModel,
)
from commonplace.errors import Invalid
from commonplace.records.memory import Metadata
from commonplace.vault.note_format import frontmatter_yaml

if TYPE_CHECKING:
    from commonplace.engine.reflect.knowledge import Folder, Knowledge

Json = dict[str, Any]
_ROOT = "root"
_RESULTS_MAX = 50
Name = Annotated[str, About("Name, unique within its folder.", 1, 500)]
ParentId = Annotated[
    str | None, About("ID of the parent folder (kf-…); by default the top level.", 0, 200)
]
PageTags = Annotated[list[str] | None, About("Tags of the memories that the page is made from.")]
PageTrigger = Annotated[
    dict[str, Any] | None,
    About(
        "When and from which memories it is refreshed; null resets a field. "
        f"Fields: {', '.join(refresh_policy.TRIGGER_FIELDS)}."
    ),
]
AfterConsolidation = Annotated[bool | None, About("Short for trigger.refresh_after_consolidation.")]


@bank_tool("reads", OTHER, error_fields={"roots": []})
def get_knowledge_base_tree(call: Call) -> Json:
    """Browse the knowledge base: folders and pages as a tree. is_stale tells whether a page is
    behind its memories.
    """
    known = call.engine.knowledge(call.bank)
    return {"roots": _children(call, known, "")}


@bank_tool("reads", OTHER, error_fields={"results": []})
def search_knowledge_base(
    call: Call,
    query: Annotated[str, About("What to search for.", None, 10_000)],
    limit: Annotated[int, About("Maximum number of pages, 1 to 50.")] = 10,
) -> Json:
    """Find knowledge pages by their words and by the memories they are made from, best first, each
    with a snippet.

    An empty list means that no page is about it; recall searches the memories themselves.
    """
    found = call.engine.search_knowledge(call.bank, query, max(1, min(limit, _RESULTS_MAX)))
    results = [
        {
            "id": one.page.name,
            "name": one.page.title,
            "description": one.page.query,
            "tags": list(one.page.tags),
            "snippet": one.snippet,
            "score": one.score,
            "is_stale": call.engine.is_stale(call.bank, one.page),
        }
        for one in found
    ]
    return {"results": results, "total": len(results)}


@bank_tool("reads", OTHER)
def get_knowledge_page(
    call: Call, page_id: Annotated[str, About("The ID of the page (kp-…).", 1, 200)]
) -> Json:
    """Read a knowledge page as markdown, with the memories it is made from and whether it is
    stale.
    """
    page = call.engine.knowledge_page(call.bank, page_id.strip())
    changed = _timestamp(page)
    return {
        "id": page.name,
        "name": page.title,
        "type": "page",
        "description": page.query,
        "tags": list(page.tags),
        "timestamp": changed,
        "is_stale": call.engine.is_stale(call.bank, page),
        "sources": [ids.uuid_form(number) for number in page.sources],
        "markdown": _markdown(page, changed),
    }


@bank_tool("writes", OTHER)
def create_knowledge_folder(call: Call, name: Name, parent_id: ParentId = None) -> Json:
    """Create a folder in the knowledge base. Folders group pages and hold no content of their
    own.
    """
    return _folder(call.engine.add_folder(call.bank, name, _parent_folder(parent_id) or "")) | {
        "children": []
    }


@bank_tool("writes", OTHER)
def create_knowledge_page(
    call: Call,
    name: Name,
    source_query: Annotated[str, About("The question that the page answers.", 1, 10_000)],
    parent_id: ParentId = None,
    tags: PageTags = None,
    max_tokens: Annotated[
        int | None, About("Maximum tokens for the page, 256 to 8192; 4096 by default.")
    ] = None,
    trigger: PageTrigger = None,
    refresh_after_consolidation: AfterConsolidation = None,
) -> Json:
    """Create a page: a living document that answers a question from the bank's memories.

    It is made asynchronously, which operation_id tracks, and again whenever memories were
    consolidated, unless the trigger says otherwise. Without a language model it is there at once.
    """
    wanted = _merge_trigger(PAGE_TRIGGER, trigger, refresh_after_consolidation)
    check_model_options(name, source_query, max_tokens, wanted)
    tokens = PAGE_TOKENS_DEFAULT if max_tokens is None else max_tokens
    draft = MentalModel(
        "",
        name,
        source_query,
        tuple(tags or ()),
        tokens,
        wanted,
        folder=_parent_folder(parent_id) or "",
    )
    page = call.engine.add_page(call.bank, draft)
    return {
        "page_id": page.name,
        "mental_model_id": page.name,
        "operation_id": _start_refresh(call, page),
        "status": "created",
        "message": f"Knowledge page '{page.title}' created",
    }


@bank_tool("writes", OTHER)
def update_knowledge_node(
    call: Call,
    node_id: Annotated[str, About("The ID of the folder (kf-…) or page (kp-…).", 1, 200)],
    name: Annotated[str | None, About("New name.", 1, 500)] = None,
    parent_id: Annotated[
        str | None, About('ID of the folder to move it into; "root" is the top level.', 0, 200)
    ] = None,
    source_query: Annotated[str | None, About("Pages only: the new question.", 1, 10_000)] = None,
    tags: Tags = None,
    max_tokens: Annotated[int | None, About("Pages only: maximum tokens, 256 to 8192.")] = None,
    trigger: PageTrigger = None,
    refresh_after_consolidation: AfterConsolidation = None,
) -> Json:
    """Rename or move a folder or a page, or change what a page is about. What is not given stays.

    A new source_query makes the page again, which operation_id tracks.
    """
    node, place = node_id.strip(), _parent_folder(parent_id)
    page_options = (source_query, tags, max_tokens, trigger, refresh_after_consolidation)
    _check_node_options(node, (name, place), page_options)
    if node.startswith("kf-"):
        return _folder(call.engine.update_folder(call.bank, node, title=name, parent=place))
    before = call.engine.knowledge_page(call.bank, node)
    given: Json = {
        "title": name,
        "folder": place,
        "query": source_query,
        "tokens_max": max_tokens,
        "tags": None if tags is None else tuple(tags),
    }
    changes = {field: value for field, value in given.items() if value is not None}
    wanted = _merge_trigger(before.trigger, trigger, refresh_after_consolidation)
    check_model_options(name, source_query, max_tokens, wanted)
    after = call.engine.update_page(call.bank, node, trigger=wanted, **changes)
    asked = {"operation_id": _start_refresh(call, after)} if after.query != before.query else {}
    return _page(call, call.engine.knowledge_page(call.bank, node)) | asked


def _check_node_options(
    node: str, node_options: Sequence[object], page_options: Sequence[object]
) -> None:
    """Raise Invalid if nothing is given, or if a folder is given an option of a page."""
    has_page_option = any(one is not None for one in page_options)
    if not has_page_option and all(one is None for one in node_options):
        raise Invalid(
            "Nothing to update.", hint="Give a name, a parent_id or an option of the page."
        )
    if has_page_option and node.startswith("kf-"):
        raise Invalid(
            "A folder has only a name and a parent_id.", hint="Give the ID of a page (kp-…)."
        )


@bank_tool("destroys", OTHER)
def delete_knowledge_node(
    call: Call,
    node_id: Annotated[str, About("The ID of the folder (kf-…) or page (kp-…).", 1, 200)],
) -> Json:
    """Delete a page, or a folder with everything below it. The memories stay."""
    call.engine.delete_node(call.bank, node_id.strip())
    return {"status": "deleted", "node_id": node_id.strip()}


def _parent_folder(parent_id: str | None) -> str | None:
    """The given folder, "" for the top level; None if it is not given."""
    named = None if parent_id is None else parent_id.strip()
    return "" if named == _ROOT else named


def _merge_trigger(before: Metadata, given: Json | None, after: bool | None) -> Json:
    """The trigger with the changes of a call. A schedule and a refresh after consolidation exclude
    each other.
    """
    changes: Json = dict(given or {})
    if after is not None:
        if "refresh_after_consolidation" in changes:
            raise Invalid(
                "refresh_after_consolidation is given twice.", hint="Give it alone or in trigger."
            )
        changes["refresh_after_consolidation"] = after
    kept = dict(before)
    if changes.get("refresh_cron"):
        kept.pop("refresh_after_consolidation", None)
    if changes.get("refresh_after_consolidation"):
        kept.pop("refresh_cron", None)
    return kept | changes


def _start_refresh(call: Call, page: MentalModel) -> str:
    return ids.uuid_form(call.engine.refresh_as_job(call.bank, page.name).id)


def _children(call: Call, known: "Knowledge", folder: str) -> list[Json]:
    """The content of a folder, folders before pages."""
    folders, pages = known.children(folder)
    below = [
        drop_empty(_folder(one)) | {"children": _children(call, known, one.name)} for one in folders
    ]
    return [*below, *(drop_empty(_page(call, one)) for one in pages)]


def _folder(one: "Folder") -> Json:
    return {
        "id": one.name,
        "kind": "folder",
        "name": one.title,
        "parent_id": one.parent or None,
        "managed": False,
        "timestamp": responses.iso(one.updated_at),
    }


def _page(call: Call, one: MentalModel) -> Json:
    return {
        "id": one.name,
        "kind": "page",
        "name": one.title,
        "parent_id": one.folder or None,
        "managed": False,
        "timestamp": _timestamp(one),
        "mental_model_id": one.name,
        "description": one.query,
        "tags": list(one.tags),
        "trigger": {"mode": "full", "refresh_after_consolidation": False, **one.trigger},
        "is_stale": call.engine.is_stale(call.bank, one),
    }


def _timestamp(page: MentalModel) -> str | None:
    return responses.iso(page.refreshed_at or page.created_at)


def _markdown(page: MentalModel, changed: str | None) -> str:
    """The page as a document, with its properties in the frontmatter."""
    head = [
        "---",
        "type: page",
        f"title: {frontmatter_yaml.dump_scalar(page.title)}",
        f"description: {frontmatter_yaml.dump_scalar(page.query)}",
        f"tags: {frontmatter_yaml.dump_list(page.tags)}",
        f"timestamp: {changed}",
        "---",
    ]
    return "\n".join([*head, "", page.content, ""])
