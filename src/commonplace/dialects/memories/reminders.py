"""The tools of memories.sh for what takes time: reminders, and memories that arrive in chunks."""

from typing import Annotated, Any

from commonplace import ids
from commonplace.dialects.dialect import OTHER, Call, Reply, tool
from commonplace.dialects.memories import markdown, responses
from commonplace.dialects.memories.scope import (
    Global,
    ProjectId,
    Tags,
    Target,
    TenantId,
    Type,
    UserId,
    resolve_target,
)
from commonplace.dialects.parameters import About
from commonplace.errors import Invalid, NotFound
from commonplace.records.memory import Draft
from commonplace.records.work import Reminder, ReminderDraft

ReminderId = Annotated[str, About("Reminder ID.", 1, 100)]
StreamId = Annotated[str, About("Stream ID from start_memory_stream.", 1, 100)]


@tool("writes", OTHER, title="Add a reminder")
def add_reminder(
    call: Call,
    cron_expression: Annotated[
        str, About("5-field cron expression: minute hour day-of-month month day-of-week.", 1, 200)
    ],
    message: Annotated[str, About("Reminder message.")],
    global_: Annotated[bool, About("Store as global reminder. Not with project_id.")] = False,
    project_id: ProjectId = None,
    user_id: UserId = None,
    tenant_id: TenantId = None,
) -> Reply:
    """Create a cron-based reminder. Nothing fires by itself: run_due_reminders hands out what has
    come due.
    """
    target = resolve_target(call, tenant_id, user_id, project_id, is_global=global_)
    if not message.strip():
        raise Invalid("Reminder message cannot be empty.", hint="Write at least one word.")
    draft = ReminderDraft(
        cron_expression, message.strip(), project=target.project, user=target.user
    )
    reminder = call.engine.add_reminder(target.bank, draft)
    scope = "project" if reminder.project else "global"
    next_at = responses.moment(reminder.next_at)
    name = ids.short_form(reminder.id)
    text = f"Created reminder {name} ({scope}) next at {next_at}: {reminder.message}"
    return responses.reply(target, _reminder_data(reminder, text), text)


@tool("reads", OTHER, title="List reminders")
def list_reminders(
    call: Call,
    include_disabled: Annotated[bool, About("Include disabled reminders.")] = False,
    project_id: ProjectId = None,
    user_id: UserId = None,
    tenant_id: TenantId = None,
) -> Reply:
    """List reminders in current scope: the project's and the global ones, the next one first."""
    target = resolve_target(call, tenant_id, user_id, project_id)
    found = call.engine.list_reminders(
        target.bank,
        projects=target.projects,
        users=(target.user,),
        include_disabled=include_disabled,
    )
    lines = "\n".join(
        f"- {ids.short_form(one.id)} [{'enabled' if one.enabled else 'disabled'}] {one.cron} ::"
        f" {one.message} (next: {responses.moment(one.next_at) or 'n/a'})"
        for one in found
    )
    text = f"{len(found)} reminders:\n{lines}" if found else "No reminders found."
    data = {"reminders": [responses.reminder(one) for one in found]}
    return responses.reply(target, data, text)


@tool("writes", OTHER, title="Run due reminders")
def run_due_reminders(
    call: Call,
    dry_run: Annotated[bool, About("Preview due reminders without advancing schedule.")] = False,
    project_id: ProjectId = None,
    user_id: UserId = None,
    tenant_id: TenantId = None,
) -> Reply:
    """Evaluate and emit due reminders. Each comes once, however many of its turns were missed."""
    target = resolve_target(call, tenant_id, user_id, project_id)
    projects, users = target.projects, (target.user,)
    active = len(call.engine.list_reminders(target.bank, projects=projects, users=users))
    due = call.engine.run_due(target.bank, projects=projects, users=users, dry_run=dry_run)
    lines = "\n".join(
        f"- {ids.short_form(one.reminder.id)} :: {one.reminder.message} ({one.reminder.cron})"
        for one in due
    )
    text = (
        f"Triggered {len(due)} reminder(s):\n{lines}"
        if due
        else f"No due reminders ({active} active checked)."
    )
    shown = [
        responses.reminder(one.reminder) | {"dueAt": responses.moment(one.due_at)} for one in due
    ]
    data = {"reminders": shown, "triggered": len(due), "checked": active, "dryRun": dry_run}
    return responses.reply(target, data, text)


@tool("writes", OTHER, title="Enable a reminder", idempotent=True)
def enable_reminder(
    call: Call, id: ReminderId, user_id: UserId = None, tenant_id: TenantId = None
) -> Reply:
    """Enable a reminder and recompute next_trigger_at."""
    target = _target_of_reminder(call, tenant_id, user_id, id)
    reminder = call.engine.enable_reminder(target.bank, id)
    text = (
        f"Enabled reminder {ids.short_form(reminder.id)}. Next trigger:"
        f" {responses.moment(reminder.next_at)}"
    )
    return responses.reply(target, _reminder_data(reminder, text), text)


@tool("writes", OTHER, title="Disable a reminder", idempotent=True)
def disable_reminder(
    call: Call, id: ReminderId, user_id: UserId = None, tenant_id: TenantId = None
) -> Reply:
    """Disable a reminder without deleting it."""
    target = _target_of_reminder(call, tenant_id, user_id, id)
    reminder = call.engine.disable_reminder(target.bank, id)
    text = f"Disabled reminder {ids.short_form(reminder.id)}."
    return responses.reply(target, _reminder_data(reminder, text), text)


@tool("destroys", OTHER, title="Delete a reminder")
def delete_reminder(
    call: Call, id: ReminderId, user_id: UserId = None, tenant_id: TenantId = None
) -> Reply:
    """Delete a reminder by ID."""
    target = _target_of_reminder(call, tenant_id, user_id, id)
    reminder = call.engine.delete_reminder(target.bank, id)
    text = f"Deleted reminder {ids.short_form(reminder.id)}."
    return responses.reply(target, _reminder_data(reminder, text) | {"deleted": True}, text)


@tool("writes", OTHER, title="Start a memory stream")
def start_memory_stream(
    call: Call,
    type: Annotated[Type, About("Memory type.")] = "note",
    tags: Tags = None,
    global_: Global = False,
    project_id: ProjectId = None,
    user_id: UserId = None,
    tenant_id: TenantId = None,
) -> Reply:
    """Start a stream collector for chunked content. It survives a restart; a day without a chunk
    drops it.
    """
    target = resolve_target(call, tenant_id, user_id, project_id, is_global=global_)
    stream = call.engine.start_stream(
        target.bank, Draft("", kind=type, tags=tuple(tags or ()), scope=target.scope)
    )
    number = ids.short_form(stream.id)
    text = (
        f"Started stream {number}. Use append_memory_chunk to add content, then"
        " finalize_memory_stream when complete."
    )
    return responses.reply(target, {"streamId": number, "id": number, "message": text}, text)


@tool("writes", OTHER, title="Append a chunk")
def append_memory_chunk(
    call: Call,
    stream_id: StreamId,
    chunk: Annotated[str, About("Chunk content.")],
    tenant_id: TenantId = None,
) -> Reply:
    """Append a chunk to an active stream. Nothing is trimmed or put between chunks."""
    target = resolve_target(call, tenant_id, detect=False)
    stream = call.engine.append_chunk(target.bank, stream_id, chunk)
    text = (
        f"Appended chunk ({len(chunk)} chars). "
        f"Stream now has {stream.chunk_count} chunks, {stream.text_chars} total chars."
    )
    data = {
        "streamId": ids.short_form(stream.id),
        "chunkCount": stream.chunk_count,
        "totalChars": stream.text_chars,
    }
    return responses.reply(target, data | {"message": text}, text)


@tool("writes", OTHER, title="Finalize a stream")
def finalize_memory_stream(call: Call, stream_id: StreamId, tenant_id: TenantId = None) -> Reply:
    """Finalize stream and create the memory. A blank stream makes none and is gone."""
    target = resolve_target(call, tenant_id, detect=False)
    outcome, stream = call.engine.close_stream(target.bank, stream_id, call.origin("memories"))
    data: dict[str, Any] = {"streamId": ids.short_form(stream.id), "chunkCount": stream.chunk_count}
    data |= {"totalChars": stream.text_chars}
    if outcome is None:
        text = f"Stream {ids.short_form(stream.id)} was empty - no memory created."
        return responses.reply(target, data | {"message": text}, text)
    memory = outcome.memory
    text = (
        f"Created {markdown.label(memory.kind)} {ids.short_form(memory.id)} "
        f"from {stream.chunk_count} chunks ({stream.text_chars} chars)."
    )
    data |= {"memory": responses.memory(memory), "id": ids.short_form(memory.id), "message": text}
    return responses.reply(target, data, text)


@tool("destroys", OTHER, title="Cancel a stream")
def cancel_memory_stream(call: Call, stream_id: StreamId, tenant_id: TenantId = None) -> Reply:
    """Cancel stream and discard buffered chunks."""
    target = resolve_target(call, tenant_id, detect=False)
    stream = call.engine.cancel_stream(target.bank, stream_id)
    number = ids.short_form(stream.id)
    text = (
        f"Cancelled stream {number} (discarded {stream.chunk_count} chunks, {stream.text_chars}"
        " chars)."
    )
    data = {
        "streamId": number,
        "chunkCount": stream.chunk_count,
        "totalChars": stream.text_chars,
        "message": text,
    }
    return responses.reply(target, data, text)


def _reminder_data(reminder: Reminder, text: str) -> dict[str, Any]:
    return {
        "reminder": responses.reminder(reminder),
        "id": ids.short_form(reminder.id),
        "message": text,
    }


def _target_of_reminder(
    call: Call, tenant_id: str | None, user_id: str | None, reminder_id: str
) -> Target:
    target = resolve_target(call, tenant_id, user_id, detect=False)
    if call.engine.get_reminder(target.bank, reminder_id).user != target.user:
        raise NotFound(f"There is no reminder {reminder_id}.")
    return target
