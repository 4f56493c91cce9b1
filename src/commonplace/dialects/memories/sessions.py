"""The tools of memories.sh for sessions and consolidation."""

from typing import Annotated, Any, Literal

from commonplace import clock, engine, ids
from commonplace.dialects.dialect import OTHER, Call, Reply, ToolRole, tool
from commonplace.dialects.kinds import MEMORIES
from commonplace.dialects.memories import responses
from commonplace.dialects.memories.scope import (
    TYPES,
    ProjectId,
    SessionId,
    Target,
    TenantId,
    Type,
    UserId,
    resolve_target,
)
from commonplace.dialects.memories.tools import stripped_content
from commonplace.dialects.parameters import About
from commonplace.errors import NotFound
from commonplace.records.query import Filter
from commonplace.records.work import (
    EndStatus,
    EventDraft,
    EventKind,
    Role,
    SessionDraft,
    SnapshotDraft,
    Trigger,
)


@tool("writes", OTHER, title="Start a session")
def start_session(
    call: Call,
    title: Annotated[str | None, About("Optional session title.", 0, 500)] = None,
    client: Annotated[str | None, About("Client label, for example codex, cursor.", 0, 200)] = None,
    user_id: UserId = None,
    metadata: Annotated[
        dict[str, Any] | None, About('Session metadata, such as {"files": ["src/app.ts"]}.')
    ] = None,
    global_: Annotated[bool, About("Start as global session. Not with project_id.")] = False,
    project_id: ProjectId = None,
    tenant_id: TenantId = None,
) -> Reply:
    """Start a new session for checkpointing and snapshot workflows."""
    target = resolve_target(call, tenant_id, user_id, project_id, is_global=global_)
    draft = SessionDraft(
        title or "", client or call.client, target.project, target.user, metadata or {}
    )
    session = call.engine.start_session(target.bank, draft)
    where = f"project: {target.project}" if target.project else "global"
    text = f"Started session {ids.short_form(session.id)} ({where})"
    data = {
        "session": responses.session(session),
        "id": ids.short_form(session.id),
        "sessionId": ids.short_form(session.id),
    }
    return responses.reply(target, data | {"message": text}, text)


@tool("writes", OTHER, title="Checkpoint a session")
def checkpoint_session(
    call: Call,
    session_id: SessionId,
    content: Annotated[str, About("Event content.")],
    role: Annotated[Role, About("Who said it.")] = "assistant",
    kind: Annotated[EventKind, About("What sort of event.")] = "checkpoint",
    token_count: Annotated[int | None, About("Token count for this event.", 0)] = None,
    turn_index: Annotated[int | None, About("Turn index.", 0)] = None,
    is_meaningful: Annotated[bool, About("Whether the event is meaningful.")] = True,
    user_id: UserId = None,
    tenant_id: TenantId = None,
) -> Reply:
    """Append an event/checkpoint to an active session."""
    target = _target_of_session(call, tenant_id, user_id, session_id)
    draft = EventDraft(
        stripped_content(content), role, kind, token_count, turn_index, is_meaningful
    )
    event = call.engine.checkpoint_session(target.bank, session_id, draft)
    session, number = ids.short_form(event.session_id), ids.short_form(event.id)
    text = f"Checkpointed session {session} with event {number}"
    data: dict[str, Any] = {
        "sessionId": session,
        "id": number,
        "event": {
            "id": number,
            "number": event.number,
            "role": event.role,
            "kind": event.kind,
            "content": event.text,
            "tokenCount": event.token_count,
            "turnIndex": event.turn_index,
            "isMeaningful": event.meaningful,
            "createdAt": clock.iso(event.at),
        },
        "message": text,
    }
    return responses.reply(target, data, text)


@tool("writes", OTHER, title="End a session", idempotent=True)
def end_session(
    call: Call,
    session_id: SessionId,
    status: Annotated[EndStatus, About("Final status.")] = "closed",
    user_id: UserId = None,
    tenant_id: TenantId = None,
) -> Reply:
    """Close a session when task context is complete."""
    target = _target_of_session(call, tenant_id, user_id, session_id)
    session = call.engine.end_session(target.bank, session_id, status)
    text = f"Ended session {ids.short_form(session.id)} as {session.status}"
    data = {
        "session": responses.session(session),
        "id": ids.short_form(session.id),
        "status": session.status,
    }
    return responses.reply(target, data | {"message": text}, text)


@tool("writes", OTHER, title="Snapshot a session")
def snapshot_session(
    call: Call,
    session_id: SessionId,
    source_trigger: Annotated[Trigger, About("Why the snapshot is made.")] = "manual",
    slug: Annotated[str | None, About("Snapshot slug.", 0, 200)] = None,
    transcript_md: Annotated[str | None, About("Explicit transcript markdown.")] = None,
    message_count: Annotated[
        int, About("Event count when the transcript is generated.", 1, 1_000)
    ] = 15,
    meaningful_only: Annotated[bool, About("Only meaningful events when generating.")] = True,
    user_id: UserId = None,
    tenant_id: TenantId = None,
) -> Reply:
    """Create a raw markdown snapshot from explicit transcript text or recent session events."""
    target = _target_of_session(call, tenant_id, user_id, session_id)
    draft = SnapshotDraft(transcript_md, slug or "", source_trigger, message_count, meaningful_only)
    snapshot, file = call.engine.publish_snapshot(target.bank, session_id, draft)
    session, number = ids.short_form(snapshot.session_id), ids.short_form(snapshot.id)
    text = f"Created snapshot {number} ({snapshot.slug}) for session {session}"
    shown = {
        "id": number,
        "sessionId": session,
        "slug": snapshot.slug,
        "sourceTrigger": snapshot.trigger,
        "transcriptMd": snapshot.text,
        "file": file,
        "createdAt": clock.iso(snapshot.at),
    }
    data = {
        "snapshot": shown,
        "id": number,
        "slug": snapshot.slug,
        "sessionId": session,
        "message": text,
    }
    return responses.reply(target, data, f"{text}\nFile: {file}")


@tool("destroys", ToolRole("sweep"), title="Consolidate memories", idempotent=True)
def consolidate_memories(
    call: Call,
    types: Annotated[
        list[Type] | None, About("Memory types to include; all when omitted.", None, 100)
    ] = None,
    include_global: Annotated[bool, About("Include global memories.")] = True,
    global_only: Annotated[
        bool, About("Restrict to global memories only. Not with project_id.")
    ] = False,
    project_id: ProjectId = None,
    dry_run: Annotated[bool, About("Preview only; do not mutate rows.")] = False,
    model: Annotated[str | None, About("Model identifier for audit metadata.", 0, 200)] = None,
    user_id: UserId = None,
    tenant_id: TenantId = None,
) -> Reply:
    """Merge duplicates, supersede stale truths, and write a consolidation audit row. Use dry_run:
    true first.

    Of memories that say the same, or "Subject: value" about one subject, the newest stays. Rules
    that only share a category stay apart.
    """
    target = resolve_target(call, tenant_id, user_id, project_id, is_global=global_only)
    projects = ({target.project} if target.project else set[str]()) | (
        {""} if include_global or global_only else set[str]()
    )
    chosen = MEMORIES.narrow_filter(types, Filter(projects=tuple(projects), users=(target.user,)))
    note: dict[str, object] = {
        "project": target.project,
        "user": target.user,
        "types": list(types or TYPES),
        "include_global": include_global,
        "global_only": global_only,
        "model": (model or "").strip(),
    }
    run = engine.links.dedupe.ConsolidationOptions(
        dry_run, lambda done, total: call.progress(done, total, "consolidating"), note
    )
    done = call.engine.consolidate(target.bank, chosen, call.origin("memories"), run)
    data, text = responses.consolidation(done)
    return responses.reply(target, data, text)


def _target_of_session(
    call: Call, tenant_id: str | None, user_id: str | None, session_id: str
) -> Target:
    """The target of a session. Its id is sufficient; a named user restricts it to that user's
    sessions.
    """
    target = resolve_target(call, tenant_id, user_id, detect=False)
    session = call.engine.get_session(target.bank, session_id)
    if target.user and session.user != target.user:
        raise NotFound(f"There is no session {session_id}.")
    source: Literal["argument", "global"] = "argument" if session.project else "global"
    return Target(target.bank, session.project, session.user, source)
