"""The tools of the vault dialect."""

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

from commonplace import clock, ids, lazy, validation
from commonplace.dialects.dialect import Call, Reply, ToolRole, tool
from commonplace.dialects.parameters import About
from commonplace.dialects.unsure import unsure_field
from commonplace.dialects.vault import responses
from commonplace.errors import Conflict, Invalid, NotFound
from commonplace.limits import BULK_MAX, NAME_CHARS_MAX, PHASES_MAX, RECALL_MAX, TITLE_CHARS_MAX
from commonplace.records.memory import IdempotencyKey, Memory
from commonplace.records.query import Filter, Query
from commonplace.reserved_metadata import NOTE_FIELD

# The first answer of a server needs nothing of the folder.
if TYPE_CHECKING:
    from commonplace.vault import memory_to_file, sync
    from commonplace.vault import vault as vaults
    from commonplace.vault.note_format import backlinks
    from commonplace.vault.vault import Vault
else:
    backlinks = lazy.module("commonplace.vault.note_format.backlinks")
    memory_to_file = lazy.module("commonplace.vault.memory_to_file")
    sync = lazy.module("commonplace.vault.sync")
    vaults = lazy.module("commonplace.vault.vault")

_SYNC_EVERY = 7


# The number of candidates to rank for the first page, and for later pages, which reach the end.
_FIRST_PAGE_DEPTH, _LATER_PAGE_DEPTH = 400, BULK_MAX


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


_NO_TAGS: list[str] = []


def _phase_list(given: object) -> object:
    """A single phase as a list; a list as JSON is left to the parser."""
    return [given] if isinstance(given, str) and not given.lstrip().startswith("[") else given


Key = Annotated[
    str | None,
    About(
        "Idempotency key: within a session, a repeated call with it changes nothing.",
        1,
        NAME_CHARS_MAX,
    ),
]


@tool("reads", ToolRole("find", text="query"), title="Search notes", always_loaded=True)
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
    after = responses.parse_cursor(question, cursor) if cursor else None
    if not query.strip():
        return {"results": []}
    _synced_vault(call)
    chosen = _visible_filter(call, Filter(status="any" if include_deleted else "live"))
    asked = Query(
        query,
        chosen,
        limit=min(top_k, RECALL_MAX),
        depth=_LATER_PAGE_DEPTH if after else _FIRST_PAGE_DEPTH,
        after=after,
    )
    found = call.engine.recall(call.bank, asked)
    more = responses.cursor(question, found.next) if found.next else None
    doubted = unsure_field(unsure=found.unsure, found=found.hits)
    linked = backlinks.backlinks(
        vaults.vault_of(call.engine, call.bank), [hit.memory for hit in found.hits]
    )
    results = [responses.entry(hit, linked.get(hit.memory.id, ())) for hit in found.hits]
    return {**doubted, "results": results, **({"next_cursor": more} if more else {})}


@tool("reads", ToolRole("find", text="phases"), title="Recall for phases", always_loaded=True)
def memory_recall(
    call: Call,
    phases: Annotated[
        list[str],
        About(
            'Phase names to bundle, e.g. ["work", "review"]; any words work.',
            None,
            PHASES_MAX,
            ("phase",),
            _phase_list,
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
        _synced_vault(call)
        chosen = _visible_filter(call, Filter())
        found = call.engine.for_phases(call.bank, phases, chosen, (NOTE_FIELD, "phases"))
        return responses.bundle(found, budget_tokens)

    once = _once(call, "memory_recall", idempotency_key)
    text = call.engine.once(call.bank, once, [phases, budget_tokens], work)[0] if once else work()
    return Reply({"result": text}, text)


@tool("writes", ToolRole("write", text="body"), title="Append a note", always_loaded=True)
def memory_append(
    call: Call,
    title: Annotated[str, About("Short summary; the file is named after it.", 1, TITLE_CHARS_MAX)],
    body: Annotated[str, About("Memory content in Markdown.", 1, None, ("content",))],
    tags: Annotated[list[str], About("Optional labels.")] = _NO_TAGS,
    idempotency_key: Key = None,
) -> dict[str, Any]:
    """Write a new memory entry as a markdown file. Idempotent on idempotency_key."""
    validation.nonempty_text(title, what="title")
    validation.nonempty_text(body, what="body")
    if _CONTROL.search(title):
        raise Invalid(
            "The title has a control character.", hint="Keep it on one line of plain text."
        )
    wanted, once = (
        memory_to_file.NewNote(title, body, validation.tags(tags)),
        _once(call, "memory_append", idempotency_key),
    )
    vault, began = vaults.vault_of(call.engine, call.bank), call.engine.clock.now()
    memory = memory_to_file.add_note(vault, wanted, once, call.origin("vault"))
    if memory.created_at < began:
        # The key existed; a person may have deleted or changed the file since.
        _synced_vault(call)
        memory = call.engine.get(call.bank, memory.id)
    elif memory.id % _SYNC_EVERY == 0:
        # Now and then the times of new files are stored here, because reads store nothing.
        sync.sync(vault)
    return responses.append_response(memory)


@tool("destroys", ToolRole("forget", id="id"), title="Forget a note", idempotent=True)
def memory_forget(
    call: Call, id: Annotated[str, About("Memory ID from memory_search or memory_append.", 1)]
) -> dict[str, Any]:
    """Soft-delete a memory entry. Its file stays, with the status deleted, and can be brought back
    there.
    """
    if not _is_id(id):
        raise _unknown(id)
    vault = _synced_vault(call)
    memory = _get_memory(call, id)
    written = False
    with call.engine.db.transaction():
        after = call.engine.forget(call.bank, [memory.id], call.origin("vault"))[0].memory
        # If the file is being changed at this moment, a later sync merges both changes.
        with suppress(Conflict):
            written = memory_to_file.write_note(vault, after.id, call.origin("vault"))
    if not written:
        sync.sync(vault)
    assert after.forgotten_at is not None
    return {
        "id": ids.note_form(after.id),
        "status": "deleted",
        "deleted_at": clock.iso(after.forgotten_at),
    }


def _synced_vault(call: Call) -> "Vault":
    """The vault after its folder was synced."""
    vault = vaults.vault_of(call.engine, call.bank)
    sync.sync(vault, settle=False)
    return vault


def _visible_filter(call: Call, chosen: Filter) -> Filter:
    """The filter for the owner's notes; those of other users are not in the vault."""
    return Filter(
        status=chosen.status, users=("", call.engine.owner) if call.engine.owner else ("",)
    )


def _get_memory(call: Call, given: str) -> Memory:
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


def _once(call: Call, name: str, key: str | None) -> IdempotencyKey | None:
    return (
        IdempotencyKey(call.session, name, validation.name(key, what="idempotency key"))
        if key is not None
        else None
    )
