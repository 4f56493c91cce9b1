"""Memory banks: their settings, mental models, directives and documents."""

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

from commonplace import ids
from commonplace.engine.reflect.directives import Directive
from commonplace.engine.reflect.mental_model_rows import MentalModel
from commonplace.errors import Invalid
from commonplace.faces.web.json_twins import memory_json
from commonplace.faces.web.visit import Answer, Page, Redirect, Visit, address, whole_number
from commonplace.records.memory import BankEdit
from commonplace.records.query import Filter

_DOCUMENTS_SHOWN = 100
_MEMORIES_SHOWN = 200


def banks_page(visit: Visit) -> Answer:
    """Every bank, with its size."""
    banks = visit.engine.list_banks()
    counts = {one.name: visit.engine.count(one.name) for one in banks}
    data = {"banks": banks, "counts": counts, "done": _done(visit)}
    twin = {
        "banks": [
            {"name": one.name, "title": one.title, "memories": counts[one.name]} for one in banks
        ]
    }
    return Page("banks.html", data, twin)


def bank_page(visit: Visit) -> Answer:
    """One bank: everything it holds besides its memories."""
    engine, bank = visit.engine, visit.bank
    found = engine.get_bank(bank)
    documents = engine.list_documents(bank, visit.get("q"), limit=_DOCUMENTS_SHOWN)
    models = engine.list_mental_models(bank)
    directives = engine.list_directives(bank, active_only=False)
    data = {
        "found": found,
        "config": json.dumps(found.config, ensure_ascii=False, indent=2),
        "models": [(one, engine.is_stale(bank, one)) for one in models],
        "directives": directives,
        "documents": documents,
        "question": visit.get("q"),
        "done": _done(visit),
    }
    twin = {
        "name": found.name,
        "title": found.title,
        "mission": found.mission,
        "config": found.config,
        "mental_models": [
            {"name": one.name, "title": one.title, "query": one.query, "content": one.content}
            for one in models
        ],
        "directives": [{"title": one.title, "text": one.text} for one in directives],
        "documents": [one.name for one in documents.items],
    }
    return Page("bank.html", data, twin)


def document_page(visit: Visit) -> Answer:
    """A document with its text, and the memories made from it."""
    document = visit.engine.get_document(visit.bank, visit.get("name"))
    chosen = Filter(document_id=document.id)
    found = visit.engine.list(visit.bank, chosen, limit=_MEMORIES_SHOWN)
    data = {"document": document, "memories": found}
    twin = {
        "name": document.name,
        "text": document.text,
        "memories": [memory_json(one) for one in found],
    }
    return Page("document.html", data, twin)


def create(visit: Visit) -> Answer:
    """Create a bank."""
    created = visit.engine.create_bank(visit.posted("name"))
    return Redirect(address("/bank", bank=created.name, did="created"))


def save(visit: Visit) -> Answer:
    """Save the title, the mission and the configuration of a bank."""
    before = visit.engine.get_bank(visit.bank)
    config = _parse_config(visit.posted("config"))
    # A field that was removed from the text is removed from the bank.
    removed = dict.fromkeys(set(before.config) - set(config))
    edit = BankEdit(visit.posted("title"), visit.posted("mission"), {**removed, **config})
    visit.engine.update_bank(visit.bank, edit)
    return Redirect(visit.address("/bank", did="saved"))


def change(visit: Visit) -> Answer:
    """Add, refresh or delete what a bank holds. What cannot be undone is asked first."""
    action = visit.posted("action")
    if action in _FINAL and not visit.posted("sure"):
        named = visit.posted("name") or visit.bank
        data = {"question": _FINAL[action].format(named), "form": _fields(visit)}
        return Page("confirm.html", data)
    _CHANGES.get(action, _unknown)(visit)
    if action == "delete_bank":
        return Redirect("/banks?did=deleted")
    return Redirect(visit.address("/bank", did=action))


def _add_directive(visit: Visit) -> None:
    priority = whole_number(visit.posted("priority").strip(), "priority", 0)
    draft = Directive(visit.posted("title"), visit.posted("text"), priority)
    visit.engine.add_directive(visit.bank, draft)


def _add_model(visit: Visit) -> None:
    draft = MentalModel("", visit.posted("title"), visit.posted("query"))
    made = visit.engine.add_mental_model(visit.bank, draft)
    visit.engine.refresh_as_job(visit.bank, made.name)


def _delete_directive(visit: Visit) -> None:
    visit.engine.delete_directive(visit.bank, ids.parse(visit.posted("id")))


def _unknown(_visit: Visit) -> None:
    raise Invalid("The form has no such action.", hint="Use the buttons of the page.")


_CHANGES: dict[str, Callable[[Visit], object]] = {
    "add_directive": _add_directive,
    "delete_directive": _delete_directive,
    "add_model": _add_model,
    "refresh_model": lambda visit: visit.engine.refresh_as_job(visit.bank, visit.posted("name")),
    "delete_model": lambda visit: visit.engine.delete_mental_model(
        visit.bank, visit.posted("name")
    ),
    "delete_document": lambda visit: visit.engine.delete_document(
        visit.bank, visit.posted("name"), visit.origin
    ),
    "delete_bank": lambda visit: visit.engine.delete_bank(visit.bank, visit.origin),
}
# What is erased for good, with the question to ask first.
_FINAL = {
    "delete_directive": "Delete the directive “{}” for good?",
    "delete_model": "Delete the mental model “{}” for good?",
    "delete_document": "Erase the document “{}” and every memory made from it for good?",
    "delete_bank": "Erase the bank “{}” with all its memories, documents and settings for good?",
}


def _fields(visit: Visit) -> list[tuple[str, str]]:
    return [(name, visit.posted(name)) for name in ("action", "name", "id") if visit.posted(name)]


def _parse_config(text: str) -> Mapping[str, Any]:
    try:
        value: object = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise Invalid(
            "The configuration is not JSON.", hint="Go back, correct it, and save again."
        ) from error
    if not isinstance(value, dict):
        raise Invalid("The configuration is not an object.", hint='Write it like {"name": 1}.')
    return cast("dict[str, Any]", value)


def _done(visit: Visit) -> dict[str, object] | None:
    texts = {
        "created": "Created the bank.",
        "saved": "Saved the settings.",
        "add_directive": "Stored the directive.",
        "delete_directive": "Deleted the directive.",
        "add_model": "Stored the mental model. Its answer is being made.",
        "refresh_model": "The answer is being made again.",
        "delete_model": "Deleted the mental model.",
        "delete_document": "Erased the document.",
        "deleted": "Erased the bank.",
    }
    text = texts.get(visit.get("did"))
    return {"text": text, "steps": ""} if text else None
