"""The table of the REST interface: one row for each operation below /api/v1."""

from commonplace.faces.rest.operation import Operation

_BANK = "/banks/{bank}"
_MEMORIES = f"{_BANK}/memories"
_MEMORY = _MEMORIES + "/{memory_id}"
_SESSION = _BANK + "/sessions/{session_id}"
_REMINDER = _BANK + "/reminders/{reminder_id}"
_STREAM = _BANK + "/streams/{stream_id}"
_JOB = _BANK + "/jobs/{job_id}"
_HERE = "commonplace.faces.rest."


def _reads(
    name: str, path: str, action: str = "reads", *, record: str = "", result: tuple[str, ...] = ()
) -> Operation:
    return Operation(
        name, "GET", path, "reads", (action,), record=record, result=result, repeatable=True
    )


def _asks(
    name: str, path: str, action: str, *, record: str = "", result: tuple[str, ...] = ()
) -> Operation:
    """A question that needs a body."""
    return Operation(
        name, "POST", path, "reads", (action,), record=record, result=result, repeatable=True
    )


def _writes(
    name: str, path: str, action: str = "writes", *, record: str = "", result: tuple[str, ...] = ()
) -> Operation:
    keyed = name in ("remember", "remember_many")
    return Operation(
        name, "POST", path, "writes", (action,), record=record, result=result, keyed=keyed
    )


def _sets(name: str, method: str, path: str, action: str, record: str = "") -> Operation:
    """A change whose repetition changes nothing more."""
    return Operation(name, method, path, "writes", (action,), record=record, repeatable=True)


def _erases(name: str, path: str, record: str = "", *, result: tuple[str, ...] = ()) -> Operation:
    return Operation(name, "POST", path, "destroys", ("sweep",), record=record, result=result)


def _deletes(name: str, path: str, action: str, result: tuple[str, ...] = ()) -> Operation:
    return Operation(name, "DELETE", path, "destroys", (action,), result=result)


_ROWS = (
    _writes("remember", _MEMORIES, "write", record="draft"),
    _writes("remember_many", f"{_MEMORIES}/batch", "write"),
    Operation(
        "list_page",
        "GET",
        _MEMORIES,
        "reads",
        ("list",),
        record="request",
        repeatable=True,
        function=f"{_HERE}listing:list_page",
    ),
    _asks("list", f"{_MEMORIES}/list", "list", record="chosen"),
    _asks("count", f"{_MEMORIES}/count", "list", record="chosen", result=("count",)),
    _asks("list_links", f"{_MEMORIES}/links", "list"),
    _sets("tag", "POST", f"{_MEMORIES}/tag", "revise"),
    _sets("forget", "POST", f"{_MEMORIES}/forget", "forget"),
    _erases("forget_where", f"{_MEMORIES}/forget-where", "chosen"),
    _sets("restore", "POST", f"{_MEMORIES}/restore", "restore"),
    _erases("erase_ids", f"{_MEMORIES}/purge"),
    _erases("erase", f"{_BANK}/erase", "portion"),
    _reads("get", _MEMORY, "fetch"),
    Operation("revise", "PATCH", _MEMORY, "writes", ("revise",), record="edit", keyed=True),
    _reads("history", f"{_MEMORY}/history", "history"),
    _writes("restore_version", _MEMORY + "/versions/{number}/restore", "restore"),
    _reads("get_version", _BANK + "/versions/{version_id}", "history"),
    _reads("list_tags", f"{_BANK}/tags", "list"),
    _asks("recall", f"{_BANK}/recall", "find", record="query"),
    _reads("list_projects", f"{_BANK}/projects", "list"),
    _reads("revisions", f"{_BANK}/revisions", "history"),
    _reads("revision", f"{_BANK}/revisions/newest", "history", result=("revision",)),
    _reads("at_revision", _BANK + "/revisions/{number}", "history"),
    _reads("list_banks", "/banks"),
    _sets("create_bank", "PUT", _BANK, "writes", "edit"),
    _sets("update_bank", "PATCH", _BANK, "writes", "edit"),
    _reads("get_bank", _BANK),
    _deletes("erase_bank", _BANK, "sweep"),
    Operation(
        "put_document",
        "POST",
        f"{_BANK}/documents",
        "writes",
        ("write",),
        record="draft",
        result=("document", "change"),
    ),
    _reads("list_documents", f"{_BANK}/documents", "list"),
    _reads("get_document", _BANK + "/documents/{name}", "fetch"),
    _deletes("delete_document", _BANK + "/documents/{name}", "sweep", ("memory_ids",)),
    _writes("start_session", f"{_BANK}/sessions", record="draft"),
    _reads("list_sessions", f"{_BANK}/sessions", record="chosen"),
    _reads("get_session", _SESSION),
    _writes("checkpoint_session", f"{_SESSION}/events", record="draft"),
    _reads("list_events", f"{_SESSION}/events"),
    _reads("recent_events", f"{_SESSION}/events/recent"),
    _sets("end_session", "POST", f"{_SESSION}/end", "writes"),
    _writes("snapshot_session", f"{_SESSION}/snapshots", record="draft"),
    _reads("list_snapshots", f"{_SESSION}/snapshots"),
    _reads("get_snapshot", _BANK + "/snapshots/{snapshot_id}"),
    _writes("add_reminder", f"{_BANK}/reminders", record="draft"),
    _reads("list_reminders", f"{_BANK}/reminders"),
    Operation("run_due", "POST", f"{_BANK}/reminders/due", "writes", ("writes",)),
    _reads("get_reminder", _REMINDER),
    _sets("enable_reminder", "POST", f"{_REMINDER}/enable", "writes"),
    _sets("disable_reminder", "POST", f"{_REMINDER}/disable", "writes"),
    _deletes("delete_reminder", _REMINDER, "destroys"),
    _writes("start_stream", f"{_BANK}/streams", record="draft"),
    _writes("append_chunk", f"{_STREAM}/chunks"),
    _reads("get_stream", _STREAM),
    _writes("finalize_stream", f"{_STREAM}/finalize", "write", result=("outcome", "stream")),
    _deletes("cancel_stream", _STREAM, "destroys"),
    _reads("list_jobs", f"{_BANK}/jobs"),
    _reads("count_jobs", f"{_BANK}/jobs/counts", result=("counts",)),
    _reads("get_job", _JOB),
    _sets("cancel_job", "POST", f"{_JOB}/cancel", "writes"),
    _writes("retry_job", f"{_JOB}/retry"),
)
OPERATIONS = {one.name: one for one in _ROWS}
