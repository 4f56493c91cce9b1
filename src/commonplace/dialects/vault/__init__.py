"""Vault: memory as markdown files. Four tools over notes, which are memories that have a file."""

import re
from contextlib import suppress
from typing import Annotated, Any

from commonplace import clock, ids, validation
from commonplace.dialects.dialect import Call, Dialect, Does, Reply, rows, tool
from commonplace.dialects.parameters import About
from commonplace.dialects.unsure import doubt
from commonplace.dialects.vault import responses as shapes
from commonplace.engine.sessions.phase_context import PHASES_MAX
from commonplace.errors import Conflict, Invalid, NotFound
from commonplace.limits import BULK_MAX, NAME_CHARS_MAX, RECALL_MAX, TITLE_CHARS_MAX
from commonplace.records.memory import Memory, Once
from commonplace.records.query import Filter, Query
from commonplace.vault.backlinks import backlinks
from commonplace.vault.memory_to_file import Written, append, follow
from commonplace.vault.sync import sync
from commonplace.vault.vault import MARK, Vault, vault_of

_NOW_AND_THEN = 7
# How many candidates are weighed for a first page, and for those after it, which are to reach the
# end.
_DEEP, _DEEPER = 400, BULK_MAX
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_NO_TAGS: list[str] = []


def _some(given: object) -> object:
    """One phase where several may be; a list that came as JSON is not one."""
    return [given] if isinstance(given, str) and not given.lstrip().startswith("[") else given


Key = Annotated[
    str | None,
    About(
        "Idempotency key: within a session, a repeated call with it changes nothing.",
        1,
        NAME_CHARS_MAX,
    ),
]


@tool("reads", Does("find", words="query"), title="Search notes", always_loaded=True)
def memory_search(
    call: Call,
    query: Annotated[str, About("Natural-language search query.")],
    top_k: Annotated[int, About("Max results; at most 200.", 1, None, ("limit",))] = 5,
    include_deleted: Annotated[bool, About("Include soft-deleted entries.")] = False,
    cursor: Annotated[str | None, About("Opaque pagination cursor from a prior response.")] = None,
) -> dict[str, Any]:
    """Search the vault by meaning and by words. Returns results, best first, and next_cursor when
    there are more.

    `unsure` is there when none of the results is surely an answer, `path` where a result has a
    file, and `backlinks` where other notes link to it: their paths.
    """
    question = f"{call.bank}\n{include_deleted}\n{query}"
    after = shapes.place(question, cursor) if cursor else None
    if not query.strip():
        return {"results": []}
    _in_step(call)
    chosen = _chosen(call, Filter(status="any" if include_deleted else "live"))
    asked = Query(
        query, chosen, limit=min(top_k, RECALL_MAX), depth=_DEEPER if after else _DEEP, after=after
    )
    found = call.engine.recall(call.bank, asked)
    more = shapes.cursor(question, found.next) if found.next else None
    doubted = doubt(unsure=found.unsure, found=found.hits)
    linked = backlinks(vault_of(call.engine, call.bank), [hit.memory for hit in found.hits])
    results = [shapes.entry(hit, linked.get(hit.memory.id, ())) for hit in found.hits]
    return {**doubted, "results": results, **({"next_cursor": more} if more else {})}


@tool("reads", Does("find", words="phases"), title="Recall for phases", always_loaded=True)
def memory_recall(
    call: Call,
    phases: Annotated[
        list[str],
        About(
            'Phase names to bundle, e.g. ["work", "review"]; any words work.',
            None,
            PHASES_MAX,
            ("phase",),
            _some,
        ),
    ],
    budget_tokens: Annotated[int, About("Token ceiling for the returned bundle.")] = 4096,
    idempotency_key: Key = None,
) -> Reply:
    """Retrieve a budgeted context bundle for one or more phases of work, as one markdown text."""
    if budget_tokens <= 0:
        raise Invalid("budget_tokens must be more than 0.", hint="Omit it for 4096.")
    if not any(phase.strip() for phase in phases):
        raise Invalid("phases is empty.", hint='Name at least one, for example ["work"].')

    def work() -> str:
        _in_step(call)
        chosen = _chosen(call, Filter())
        found = call.engine.for_phases(call.bank, phases, chosen, (MARK, "phases"))
        return shapes.bundle(found, budget_tokens)

    once = _once(call, "memory_recall", idempotency_key)
    text = call.engine.once(call.bank, once, [phases, budget_tokens], work)[0] if once else work()
    return Reply({"result": text}, text)


@tool("writes", Does("write", words="body"), title="Append a note", always_loaded=True)
def memory_append(
    call: Call,
    title: Annotated[str, About("Short summary; the file is named after it.", 1, TITLE_CHARS_MAX)],
    body: Annotated[str, About("Memory content in Markdown.", 1, None, ("content",))],
    tags: Annotated[list[str], About("Optional labels.")] = _NO_TAGS,
    idempotency_key: Key = None,
) -> dict[str, Any]:
    """Write a new memory entry as a markdown file. Idempotent on idempotency_key."""
    validation.body(title, what="title")
    validation.body(body, what="body")
    if _CONTROL.search(title):
        raise Invalid(
            "The title has a control character.", hint="Keep it on one line of plain text."
        )
    wanted, once = (
        Written(title, body, validation.tags(tags)),
        _once(call, "memory_append", idempotency_key),
    )
    vault, began = vault_of(call.engine, call.bank), call.engine.clock.now()
    memory = append(vault, wanted, once, call.origin("vault"))
    if memory.created_at < began:
        # Kept before under this key; a person may have deleted or changed it in the folder since.
        _in_step(call)
        memory = call.engine.get(call.bank, memory.id)
    elif memory.id % _NOW_AND_THEN == 0:
        # What is known of young files is settled here, because a refused call and a question write
        # nothing.
        sync(vault)
    return shapes.appended(memory)


@tool("destroys", Does("forget", id="id"), title="Forget a note", idempotent=True)
def memory_forget(
    call: Call, id: Annotated[str, About("Memory ID from memory_search or memory_append.", 1)]
) -> dict[str, Any]:
    """Soft-delete a memory entry. Its file stays, with the status deleted, and can be brought back
    there.
    """
    if not _is_id(id):
        raise _unknown(id)
    vault = _in_step(call)
    memory = _memory(call, id)
    written = False
    with call.engine.db.transaction():
        after = call.engine.forget(call.bank, [memory.id], call.origin("vault"))[0].memory
        # Where somebody writes to the file at this very moment, a look brings both together; if it
        # must, the next one.
        with suppress(Conflict):
            written = follow(vault, after.id, call.origin("vault"))
    if not written:
        sync(vault)
    assert after.forgotten_at is not None
    return {
        "id": ids.note(after.id),
        "status": "deleted",
        "deleted_at": clock.iso(after.forgotten_at),
    }


def _in_step(call: Call) -> Vault:
    """The vault, once what happened in its folder is known."""
    vault = vault_of(call.engine, call.bank)
    sync(vault, settle=False)
    return vault


def _chosen(call: Call, chosen: Filter) -> Filter:
    """What the owner of the installation may see: what is kept for other users is not the
    vault's.
    """
    return Filter(
        status=chosen.status, users=("", call.engine.owner) if call.engine.owner else ("",)
    )


def _memory(call: Call, given: str) -> Memory:
    memory = call.engine.get(call.bank, given)
    if memory.scope.user not in ("", call.engine.owner):
        raise _unknown(given)
    return memory


def _is_id(given: str) -> bool:
    try:
        return bool(ids.parse(given))
    except Invalid:
        return False


def _unknown(given: str) -> NotFound:
    return NotFound(
        f"There is no memory {given[:60]!r}.", hint="Use an id from memory_search or memory_append."
    )


def _once(call: Call, name: str, key: str | None) -> Once | None:
    return (
        Once(call.session, name, validation.name(key, what="idempotency key"))
        if key is not None
        else None
    )


DIALECT = Dialect(
    name="vault",
    title="Vault",
    instructions=(
        "Notes in markdown, shared by every agent of this person. Search them with memory_search"
        " before answering what may have come up before, begin a phase of work with memory_recall,"
        " and keep with memory_append what should be known next time."
    ),
    tools=rows(memory_search, memory_recall, memory_append, memory_forget),
    strict=True,
    failure=shapes.failure,
)
