"""One memory: its text, ids, versions, links and sources, and how each dialect shows it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from commonplace import ids
from commonplace.dialects import registry
from commonplace.dialects.dialect import Call, Dialect
from commonplace.dialects.memories import responses as memories_responses
from commonplace.dialects.vault import responses as vault_responses
from commonplace.errors import CommonplaceError, Conflict
from commonplace.faces.web.diff import Piece, word_diff
from commonplace.faces.web.json_twins import memory_json, version_json
from commonplace.faces.web.views.memories import undo_steps
from commonplace.faces.web.visit import Answer, File, Page, Redirect, Visit, whole_number
from commonplace.records.memory import Edit, Link, Memory, Version
from commonplace.records.query import Filter, Hit

_TEXT_SHOWN = 20_000
_VERSIONS_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Step:
    """A version, and its difference from the one before it."""

    version: Version
    pieces: list[Piece]
    # The fields besides the text that differ, with their old and new values.
    fields: list[tuple[str, str, str]]
    is_newest: bool


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A link as this memory sees it."""

    words: str
    other: Memory
    link: Link


def memory_page(visit: Visit) -> Answer:
    """Everything about one memory."""
    engine, bank = visit.engine, visit.bank
    memory = engine.get(bank, visit.path[1])
    versions = engine.history(bank, memory.id)
    derivations = engine.list_derivations(bank, memory.id)
    document = ""
    if memory.document_id is not None:
        document = engine.document_names(bank, [memory.document_id]).get(memory.document_id, "")
    links = _links(visit, memory)
    data = {
        "memory": memory,
        "text": memory.text[:_TEXT_SHOWN],
        "is_cut": len(memory.text) > _TEXT_SHOWN,
        "ids": _printed_ids(memory),
        "steps": _steps(versions),
        "version_count": len(versions),
        "first": versions[0] if versions else None,
        "dialects": _dialects(visit, memory),
        "links": links,
        "derivations": derivations,
        "document": document,
        "metadata": json.dumps(memory.metadata, ensure_ascii=False, indent=2),
        "done": _done(visit, memory),
    }
    twin = {
        "memory": memory_json(memory),
        "ids": dict(_printed_ids(memory)),
        "versions": [version_json(one) for one in versions],
        "links": [
            {"kind": one.link.kind, "other": ids.short_form(one.other.id), "why": one.link.reason}
            for one in links
        ],
        "sources": [ids.short_form(one.id) for one in derivations.sources],
        "derived": [ids.short_form(one.id) for one in derivations.derived],
        "document": document,
    }
    return Page("memory.html", data, twin)


def whole_text(visit: Visit) -> Answer:
    """The text alone, however long, as plain text."""
    memory = visit.engine.get(visit.bank, visit.path[1])
    return File(memory.text.encode(), "text/plain; charset=utf-8")


def edit_page(visit: Visit) -> Answer:
    """The form for the next version."""
    return _edit_form(visit.engine.get(visit.bank, visit.path[1]))


def save(visit: Visit) -> Answer:
    """Store the next version, unless the memory changed since the form was opened."""
    memory = visit.engine.get(visit.bank, visit.path[1])
    base = whole_number(visit.posted("version"), "version", memory.version)
    edit = Edit(
        text=visit.posted("text"),
        title=visit.posted("title").strip(),
        kind=visit.posted("kind").strip() or memory.kind,
        tags=tuple(one.strip() for one in visit.posted("tags").split(",") if one.strip()),
    )
    try:
        outcome = visit.engine.revise(visit.bank, memory.id, edit, visit.origin, expected=base)
    except Conflict:
        return _edit_form(visit.engine.get(visit.bank, memory.id), visit, base)
    except CommonplaceError as error:
        return _edit_form(memory, visit, base, error)
    steps = undo_steps([(visit.bank, outcome)])
    here = f"/memory/{ids.short_form(memory.id)}"
    return Redirect(visit.address(here, did="save", undo=steps))


def restore_version(visit: Visit) -> Answer:
    """Make the content of an earlier version the newest one."""
    number = whole_number(visit.posted("number"), "version", 0)
    outcome = visit.engine.restore_version(visit.bank, visit.path[1], number, visit.origin)
    here = f"/memory/{ids.short_form(outcome.memory.id)}"
    steps = undo_steps([(visit.bank, outcome)])
    return Redirect(visit.address(here, did="restore", n=number, undo=steps))


def _edit_form(
    memory: Memory,
    visit: Visit | None = None,
    base: int = 0,
    error: CommonplaceError | None = None,
) -> Page:
    """The form. With a visit, it keeps what was typed and shows why it was not saved."""
    typed = {
        "text": visit.posted("text") if visit else memory.text,
        "title": visit.posted("title") if visit else memory.title,
        "kind": visit.posted("kind") if visit else memory.kind,
        "tags": visit.posted("tags") if visit else ", ".join(memory.tags),
        "reason": visit.posted("reason") if visit else "",
    }
    conflict = None
    if visit is not None and error is None:
        versions = visit.engine.history(visit.bank, memory.id)
        before = next((one.text for one in versions if one.number == base), "")
        conflict = {"newest": versions[-1], "pieces": word_diff(before, memory.text)}
    status = 409 if conflict else error.status if error else 200
    data = {"memory": memory, "typed": typed, "conflict": conflict, "error": error}
    return Page("edit.html", data, memory_json(memory), status)


def _printed_ids(memory: Memory) -> list[tuple[str, str]]:
    return [
        ("Commonplace and memories.sh", ids.short_form(memory.id)),
        ("Memstate", ids.memstate_form(memory.id)),
        ("PowerMem", str(memory.id)),
        ("Hindsight", ids.uuid_form(memory.id)),
        ("Vault", ids.note_form(memory.id)),
    ]


def _dialects(visit: Visit, memory: Memory) -> list[tuple[str, str]]:
    """What the clients of each dialect receive."""
    dialects = [registry.find(name) for name in registry.NAMES]
    return [(one.title, _shown_by(one, visit, memory)) for one in dialects]


def _shown_by(dialect: Dialect, visit: Visit, memory: Memory) -> str:
    """A memory as a dialect returns it: when it is fetched, or else when it is searched for."""
    if dialect.name in _SHAPES:
        return _pretty(_SHAPES[dialect.name](memory))
    call = Call(visit.engine, visit.bank)
    roles = [(tool.name, role) for tool in dialect.tools.values() for role in tool.roles]
    for name, role in roles:
        if role.action == "fetch":
            reply = dialect.call(name, {role.id: ids.short_form(memory.id)}, call)
            return reply.text if reply.is_error else _pretty(reply.structured)
    for name, role in roles:
        if role.action == "find":
            question = (memory.title or memory.text)[:_QUESTION_CHARS]
            return dialect.call(name, {role.text: question}, call).text[:_TEXT_SHOWN]
    return ""


# Dialects whose tools return memories only in lists: how they shape one.
_SHAPES: dict[str, Callable[[Memory], object]] = {
    "memories": memories_responses.memory,
    "vault": lambda memory: vault_responses.entry(Hit(memory, 1.0, {})),
}
_QUESTION_CHARS = 500


def _pretty(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=2, default=str)
    return text if len(text) <= _TEXT_SHOWN else text[:_TEXT_SHOWN] + "\n…"


def _steps(versions: tuple[Version, ...]) -> list[Step]:
    """The newest versions first, each compared with the one before it."""
    pairs = zip((None, *versions), versions, strict=False)
    steps = [
        Step(
            after,
            word_diff(before.text[:_TEXT_SHOWN], after.text[:_TEXT_SHOWN]) if before else [],
            _changed_fields(before, after) if before else [],
            after is versions[-1],
        )
        for before, after in list(pairs)[-_VERSIONS_SHOWN:]
    ]
    return steps[::-1]


def _changed_fields(before: Version, after: Version) -> list[tuple[str, str, str]]:
    return [
        (name, _value(getattr(before, name)), _value(getattr(after, name)))
        for name in ("title", "kind", "tags", "paths", "category")
        if getattr(before, name) != getattr(after, name)
    ]


def _value(value: object) -> str:
    return ", ".join(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else str(value)


def _links(visit: Visit, memory: Memory) -> list[LinkRow]:
    links = visit.engine.list_links(visit.bank, [memory.id])
    others = {one.to_id if one.from_id == memory.id else one.from_id for one in links}
    chosen = Filter(ids=tuple(others), status="any", expired=True)
    found = {one.id: one for one in visit.engine.list(visit.bank, chosen, limit=200)}
    rows: list[LinkRow] = []
    for link in links:
        is_from = link.from_id == memory.id
        other = found.get(link.to_id if is_from else link.from_id)
        if other is not None:
            rows.append(LinkRow(_LINK_WORDS[link.kind][0 if is_from else 1], other, link))
    return rows


_LINK_WORDS = {
    "similar_to": ("Similar to", "Similar to"),
    "contradicts": ("Contradicts", "Contradicted by"),
    "supersedes": ("Supersedes", "Superseded by"),
    "caused_by": ("Caused by", "Causes"),
}


def _done(visit: Visit, memory: Memory) -> dict[str, object] | None:
    texts = {
        "save": f"Saved as version {memory.version}.",
        "restore": f"Version {visit.get('n')} is the newest again, as version {memory.version}.",
        "undo": "Undid the change.",
    }
    text = texts.get(visit.get("did"))
    here = visit.address(f"/memory/{ids.short_form(memory.id)}")
    return {"text": text, "steps": visit.get("undo"), "back": here} if text else None
