"""The error responses of memories.sh: the local server's sentence and the hosted server's typed
error."""

from collections.abc import Mapping

from commonplace.dialects.dialect import Reply, Tool
from commonplace.dialects.memories.responses import meta
from commonplace.errors import CommonplaceError, NotFound

_TYPES = {
    "Invalid": "validation_error",
    "TooLarge": "validation_error",
    "Forbidden": "auth_error",
    "NotFound": "not_found_error",
    "Busy": "tool_error",
}
_PHRASES = {
    "get_context": "get context",
    "add_memory": "add memory",
    "search_memories": "search memories",
    "get_rules": "get rules",
    "list_memories": "list memories",
    "edit_memory": "edit memory",
    "forget_memory": "forget memory",
    "bulk_forget_memories": "bulk forget",
    "vacuum_memories": "vacuum",
    "start_session": "start session",
    "checkpoint_session": "checkpoint session",
    "end_session": "end session",
    "snapshot_session": "create snapshot",
    "consolidate_memories": "consolidate memories",
    "add_reminder": "add reminder",
    "list_reminders": "list reminders",
    "run_due_reminders": "run reminders",
    "enable_reminder": "enable reminder",
    "disable_reminder": "disable reminder",
    "delete_reminder": "delete reminder",
    "start_memory_stream": "start stream",
    "append_memory_chunk": "append chunk",
    "finalize_memory_stream": "finalize stream",
    "cancel_memory_stream": "cancel stream",
}
# By tool: the argument with the id, the name of the object, and the text if it is not found.
_LOOKUPS = {
    "edit_memory": ("id", "Memory", "not found or already deleted."),
    "forget_memory": ("id", "Memory", "not found or already forgotten."),
    "checkpoint_session": ("session_id", "Session", "not found."),
    "end_session": ("session_id", "Session", "not found."),
    "snapshot_session": ("session_id", "Session", "not found."),
    "enable_reminder": ("id", "Reminder", "not found."),
    "disable_reminder": ("id", "Reminder", "not found."),
    "delete_reminder": ("id", "Reminder", "not found."),
    "append_memory_chunk": ("stream_id", "Stream", "not found or expired."),
    "finalize_memory_stream": ("stream_id", "Stream", "not found or expired."),
    "cancel_memory_stream": ("stream_id", "Stream", "not found or already finalized."),
}
# The tools whose sentences have no "Failed to …" in the original.
_CODES_WITHOUT_PREFIX = {
    "edit_memory": ("MEMORY_NOT_FOUND", "NOTHING_TO_UPDATE"),
    "forget_memory": ("MEMORY_NOT_FOUND",),
    "end_session": ("SESSION_NOT_FOUND",),
    "enable_reminder": ("REMINDER_NOT_FOUND",),
    "disable_reminder": ("REMINDER_NOT_FOUND",),
    "delete_reminder": ("REMINDER_NOT_FOUND",),
    "cancel_memory_stream": ("STREAM_NOT_FOUND",),
    "bulk_forget_memories": ("BULK_FORGET_NO_FILTERS", "BULK_FORGET_INVALID_FILTERS"),
}
# The original's code for an invalid argument, by words in our error text.
_CODES = (
    ("tenant_id", "TENANT_ID_INVALID"),
    ("user_id", "USER_ID_INVALID"),
    ("`layer`", "MEMORY_LAYER_INVALID"),
    ("Nothing to update", "NOTHING_TO_UPDATE"),
    ("at least one filter", "BULK_FORGET_NO_FILTERS"),
    ("all:true", "BULK_FORGET_INVALID_FILTERS"),
    ("content cannot be empty", "MEMORY_CONTENT_REQUIRED"),
    ("`content` is required", "MEMORY_CONTENT_REQUIRED"),
    ("`id` is required", "MEMORY_ID_REQUIRED"),
    ("question is empty", "QUERY_REQUIRED"),
    ("`query` is required", "QUERY_REQUIRED"),
)
_FIELDS = {
    "MEMORY_CONTENT_REQUIRED": "content",
    "MEMORY_ID_REQUIRED": "id",
    "QUERY_REQUIRED": "query",
    "MEMORY_LAYER_INVALID": "layer",
    "TENANT_ID_INVALID": "tenant_id",
    "USER_ID_INVALID": "user_id",
}


def failure(tool: Tool, given: Mapping[str, object], error: CommonplaceError) -> Reply:
    """The error response: the local server's sentence, and the hosted server's typed error."""
    kind, code, sentence = _describe(tool.name, given, error)
    details = {"field": _FIELDS[code]} if code in _FIELDS else {}
    typed = {
        "type": kind,
        "code": code,
        "message": sentence,
        "status": 404 if kind == "not_found_error" else error.status,
        "retryable": error.status in (429, 503),
        "details": details,
    }
    text = (
        sentence
        if code in _CODES_WITHOUT_PREFIX.get(tool.name, ())
        else f"Failed to {_PHRASES[tool.name]}: {sentence}"
    )
    return Reply(
        {"ok": False, "data": None, "error": typed, "meta": meta(tool.name)}, text, is_error=True
    )


def _describe(
    tool: str, given: Mapping[str, object], error: CommonplaceError
) -> tuple[str, str, str]:
    """The type, code and sentence of an error."""
    sentence = f"{error.message} {error.hint}".strip()
    if tool in _LOOKUPS and (isinstance(error, NotFound) or "is not a memory id" in error.message):
        name, what, how = _LOOKUPS[tool]
        return "not_found_error", f"{what.upper()}_NOT_FOUND", f"{what} {given.get(name)} {how}"
    kind = _TYPES.get(error.kind, "tool_error")
    if kind == "validation_error":
        usual = (
            "BULK_FORGET_INVALID_FILTERS" if tool == "bulk_forget_memories" else "INVALID_ARGUMENTS"
        )
        return (
            kind,
            next((code for words, code in _CODES if words in error.message), usual),
            sentence,
        )
    return (
        kind,
        {"Busy": "STORE_BUSY", "Conflict": "SESSION_NOT_ACTIVE"}.get(
            error.kind, "TOOL_EXECUTION_FAILED"
        ),
        sentence,
    )
