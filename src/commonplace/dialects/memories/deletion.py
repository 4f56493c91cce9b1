"""The tools of memories.sh that forget and purge memories."""

from typing import Annotated

from commonplace import ids
from commonplace.dialects.dialect import Call, Reply, ToolRole, tool
from commonplace.dialects.kinds import MEMORIES
from commonplace.dialects.memories import responses
from commonplace.dialects.memories.scope import (
    Target,
    TenantId,
    Type,
    UserId,
    resolve_target,
)
from commonplace.dialects.memories.tools import get_own_memory
from commonplace.dialects.parameters import About
from commonplace.errors import Invalid
from commonplace.limits import PATTERN_CHARS_MAX
from commonplace.records.query import Filter

DAY_MS = 24 * 3_600_000
PREVIEWS_MAX = 1_000


@tool("destroys", ToolRole("forget", id="id"), title="Forget a memory")
def forget_memory(
    call: Call,
    id: Annotated[str, About("Memory ID to forget.", 1, 100)],
    user_id: UserId = None,
    tenant_id: TenantId = None,
) -> Reply:
    """Soft-delete a memory by ID. It can be restored until vacuum_memories purges it."""
    target = resolve_target(call, tenant_id, user_id, detect=False)
    memory = get_own_memory(call, target, id)
    call.engine.forget(target.bank, [memory.id], call.origin("memories"))
    text = f"Forgot memory {ids.short_form(memory.id)}"
    return responses.reply(
        target, {"id": ids.short_form(memory.id), "deleted": True, "message": text}, text
    )


@tool("destroys", ToolRole("sweep", text="pattern"), title="Forget many memories")
def bulk_forget_memories(
    call: Call,
    types: Annotated[list[Type] | None, About("Filter by memory types.", None, 100)] = None,
    tags: Annotated[list[str] | None, About("Filter by tags; substring match.", None, 100)] = None,
    older_than_days: Annotated[
        int | None, About("Delete memories older than N days.", 1, 1_000_000)
    ] = None,
    pattern: Annotated[
        str | None,
        About(
            "Content pattern: * = any chars, ? = one char; matches anywhere.", 0, PATTERN_CHARS_MAX
        ),
    ] = None,
    project_id: Annotated[
        str | None, About("Filter by project identifier; omitted means every project.", 0, 200)
    ] = None,
    user_id: UserId = None,
    tenant_id: TenantId = None,
    all: Annotated[bool, About("Delete all memories; cannot combine with other filters.")] = False,
    dry_run: Annotated[bool, About("Preview matching memories without deleting.")] = False,
) -> Reply:
    """Bulk soft-delete memories matching filters. Use dry_run: true first.

    Provide at least one of types, tags, older_than_days, pattern, or all: true alone. Filters
    combine with and.
    """
    target = resolve_target(call, tenant_id, user_id, project_id, detect=False)
    has_filter = bool(types) or bool(tags) or older_than_days is not None or pattern is not None
    _check_filters(all=all, has_filter=has_filter)
    chosen = Filter(
        projects=(target.project,) if target.project else None,
        users=(target.user,),
        tags_like=tuple(tags) if tags else None,
        created_before=_days_ago(call, older_than_days),
        text_pattern=None if pattern is None else pattern.strip(),
        expired=True,
    )
    return _forget_many(call, target, MEMORIES.narrow_filter(types, chosen), dry_run=dry_run)


def _check_filters(*, all: bool, has_filter: bool) -> None:
    if all and has_filter:
        raise Invalid(
            "Cannot combine all:true with other filters.",
            hint="Use all alone, or the filters without it.",
        )
    if not all and not has_filter:
        raise Invalid(
            "Provide at least one filter (types, tags, older_than_days, pattern), or use all:true. "
            "project_id alone is not a sufficient filter."
        )


def _days_ago(call: Call, days: int | None) -> int | None:
    return None if days is None else call.engine.clock.now() - days * DAY_MS


def _forget_many(call: Call, target: Target, chosen: Filter, *, dry_run: bool) -> Reply:
    count = call.engine.count(target.bank, chosen)
    if dry_run:
        found = call.engine.list(target.bank, chosen, limit=PREVIEWS_MAX)
        return responses.reply(target, *responses.deletion_preview(found, count))
    # Without a match the bank may not exist, and forgetting must not create it.
    deleted = (
        call.engine.forget_where(target.bank, chosen, call.origin("memories")) if count else ()
    )
    text = f"Bulk deleted {len(deleted)} memories" if deleted else "No memories matched the filters"
    numbers = [ids.short_form(one.memory.id) for one in deleted]
    return responses.reply(target, {"count": len(deleted), "ids": numbers, "message": text}, text)


@tool(
    "destroys",
    ToolRole("sweep"),
    title="Purge forgotten memories",
    confirm="Erase all forgotten memories for good?",
)
def vacuum_memories(call: Call, user_id: UserId = None, tenant_id: TenantId = None) -> Reply:
    """Permanently purge all soft-deleted memories to reclaim storage space. This cannot be
    undone.
    """
    target = resolve_target(call, tenant_id, user_id, detect=False)
    chosen = Filter(users=(target.user,), status="forgotten", expired=True)
    purged = (
        call.engine.purge_where(target.bank, chosen, call.origin("memories"))
        if call.engine.count(target.bank, chosen)
        else ()
    )
    text = (
        f"Vacuumed {len(purged)} soft-deleted memories"
        if purged
        else "No soft-deleted memories to vacuum"
    )
    return responses.reply(target, {"purged": len(purged), "message": text}, text)
