"""Our client: the verbs of the engine on a server, typed as they are in this process.

Each line of the two classes is a row of the table of operations; a test compares them.
"""

import inspect
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Concatenate, ParamSpec, TypeVar, cast
from urllib.parse import quote, urlencode

import anyio.to_thread

from commonplace import engine as nouns
from commonplace.engine.operations.archive import ExportReport, ImportReport
from commonplace.engine.runtime import Runtime
from commonplace.errors import Invalid, Unsupported
from commonplace.faces.rest import problems
from commonplace.faces.rest.client.transport import Transport
from commonplace.faces.rest.operation import Argument, Operation
from commonplace.faces.rest.table import OPERATIONS
from commonplace.records.memory import Draft, IdempotencyKey, Origin, Outcome
from commonplace.records.receipt import WHOLE_BANK, Portion

_P = ParamSpec("_P")
_R = TypeVar("_R")
_LINES = "application/x-ndjson"
_PREFIX = problems.PREFIX.decode()


class _Remote:
    """A verb of the engine on a server."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, client: "Client | AsyncClient | None", owner: type) -> Any:
        if client is None:
            return self
        if isinstance(client, AsyncClient):
            return partial(_in_thread, getattr(client.client, self._name))
        return partial(client.call, self._name)


async def _in_thread(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return await anyio.to_thread.run_sync(partial(function, *args, **kwargs))


def _remote(
    verb: Callable[[], Callable[Concatenate[Runtime, _P], _R]],
) -> "Callable[Concatenate[Client, _P], _R]":
    return cast("Any", _Remote())


def _remote_async(
    verb: Callable[[], Callable[Concatenate[Runtime, _P], _R]],
) -> "Callable[Concatenate[AsyncClient, _P], Awaitable[_R]]":
    return cast("Any", _Remote())


class Client:
    """The verbs of the engine on a server. Threads may share it."""

    remember = _remote(lambda: nouns.memories.remember)
    remember_many = _remote(lambda: nouns.memories.remember_many)
    list = _remote(lambda: nouns.memories.list_memories)
    count = _remote(lambda: nouns.memories.count)
    list_links = _remote(lambda: nouns.links.links.list_links)
    tag = _remote(lambda: nouns.memories.tag)
    forget = _remote(lambda: nouns.erasure.deletion.forget)
    forget_where = _remote(lambda: nouns.erasure.deletion.forget_where)
    restore = _remote(lambda: nouns.erasure.deletion.restore)
    erase_ids = _remote(lambda: nouns.erasure.scoped_erasure.erase_ids)
    erase = _remote(lambda: nouns.erasure.scoped_erasure.erase)
    get = _remote(lambda: nouns.memories.get)
    revise = _remote(lambda: nouns.memories.revise)
    history = _remote(lambda: nouns.versions.history.history)
    restore_version = _remote(lambda: nouns.erasure.deletion.restore_version)
    get_version = _remote(lambda: nouns.versions.history.get_version)
    list_tags = _remote(lambda: nouns.memories.list_tags)
    recall = _remote(lambda: nouns.recall.recall)
    list_projects = _remote(lambda: nouns.versions.history.list_projects)
    revisions = _remote(lambda: nouns.versions.history.revisions)
    revision = _remote(lambda: nouns.versions.history.revision)
    at_revision = _remote(lambda: nouns.versions.history.at_revision)
    list_banks = _remote(lambda: nouns.banks.list_banks)
    create_bank = _remote(lambda: nouns.banks.create_bank)
    update_bank = _remote(lambda: nouns.banks.update_bank)
    get_bank = _remote(lambda: nouns.banks.get_bank)
    erase_bank = _remote(lambda: nouns.erasure.scoped_erasure.erase_bank)
    put_document = _remote(lambda: nouns.documents.put_document)
    list_documents = _remote(lambda: nouns.documents.list_documents)
    get_document = _remote(lambda: nouns.documents.get_document)
    delete_document = _remote(lambda: nouns.documents.delete_document)
    start_session = _remote(lambda: nouns.sessions.sessions.start_session)
    list_sessions = _remote(lambda: nouns.sessions.sessions.list_sessions)
    get_session = _remote(lambda: nouns.sessions.sessions.get_session)
    checkpoint_session = _remote(lambda: nouns.sessions.sessions.checkpoint_session)
    list_events = _remote(lambda: nouns.sessions.sessions.list_events)
    recent_events = _remote(lambda: nouns.sessions.sessions.recent_events)
    end_session = _remote(lambda: nouns.sessions.sessions.end_session)
    snapshot_session = _remote(lambda: nouns.sessions.sessions.snapshot_session)
    list_snapshots = _remote(lambda: nouns.sessions.sessions.list_snapshots)
    get_snapshot = _remote(lambda: nouns.sessions.sessions.get_snapshot)
    add_reminder = _remote(lambda: nouns.sessions.reminders.add_reminder)
    list_reminders = _remote(lambda: nouns.sessions.reminders.list_reminders)
    run_due = _remote(lambda: nouns.sessions.reminders.run_due)
    get_reminder = _remote(lambda: nouns.sessions.reminders.get_reminder)
    enable_reminder = _remote(lambda: nouns.sessions.reminders.enable_reminder)
    disable_reminder = _remote(lambda: nouns.sessions.reminders.disable_reminder)
    delete_reminder = _remote(lambda: nouns.sessions.reminders.delete_reminder)
    start_stream = _remote(lambda: nouns.sessions.streams.start_stream)
    append_chunk = _remote(lambda: nouns.sessions.streams.append_chunk)
    get_stream = _remote(lambda: nouns.sessions.streams.get_stream)
    finalize_stream = _remote(lambda: nouns.sessions.streams.finalize_stream)
    cancel_stream = _remote(lambda: nouns.sessions.streams.cancel_stream)
    list_jobs = _remote(lambda: nouns.operations.jobs.list_jobs)
    count_jobs = _remote(lambda: nouns.operations.jobs.count_jobs)
    get_job = _remote(lambda: nouns.operations.jobs.get_job)
    cancel_job = _remote(lambda: nouns.operations.jobs.cancel_job)
    retry_job = _remote(lambda: nouns.operations.jobs.retry_job)

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The address of the server."""
        return self._transport.url

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def remember_once(
        self, bank: str, key: IdempotencyKey, draft: Draft, origin: Origin = Origin()
    ) -> Outcome:
        """Store a draft the first time its key is used; later calls return the memory it became."""
        named = "/".join(filter(None, (key.session, key.tool, key.key)))
        values = {"bank": bank, "draft": draft, "origin": origin}
        return self._send(OPERATIONS["remember"], values, {"Idempotency-Key": named})

    def purge(
        self, bank: str, memory_ids: Iterable[int | str], origin: Origin = Origin()
    ) -> tuple[int, ...]:
        """Erase memories for good. Returns their ids."""
        return self.erase_ids(bank, tuple(memory_ids), origin).memory_ids

    def export(
        self,
        write: Callable[[str], object],
        *,
        bank: str | None = None,
        portion: Portion = WHOLE_BANK,
    ) -> ExportReport:
        """Write everything, or one bank, as JSON lines."""
        if portion.session is not None or portion.forgotten or (bank is None and portion.user):
            raise Unsupported("Only a part of one bank can be exported.", hint="Name the bank.")
        given = {"user": portion.user, "project": portion.project, "document": portion.document}
        query = urlencode({name: value for name, value in given.items() if value is not None})
        place = "/export" if bank is None else f"/banks/{quote(bank, safe='')}/export"
        lines = _lines(self._transport.stream(f"{_PREFIX}{place}?{query}"))
        counts: dict[str, int] = {}
        for number, line in enumerate(lines):
            counts = json.loads(line)["counts"] if number == 0 else counts
            write(line)
        return ExportReport(counts)

    def import_archive(self, lines: Iterable[str], *, dry_run: bool = False) -> ImportReport:
        """Import an archive: all of it, or nothing and an error that names the line."""
        path = f"{_PREFIX}/import?dry_run={'true' if dry_run else 'false'}"
        answer = self._transport.upload(path, (line.encode() for line in lines), _LINES)
        return ImportReport(**json.loads(answer.body))

    def call(self, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call an operation by its name, with the arguments of the verb."""
        operation = OPERATIONS[name]
        signature = inspect.Signature(operation.parameters)
        return self._send(operation, signature.bind(*args, **kwargs).arguments, {})

    def _send(
        self, operation: Operation, values: Mapping[str, Any], headers: Mapping[str, str]
    ) -> Any:
        given = operation.encode(values)
        path = operation.path
        for one in operation.located("path"):
            path = path.replace("{" + one.name + "}", _path_part(one, given[one.name]))
        query = urlencode(
            [pair for one in operation.located("query") for pair in _query_pairs(one, given)]
        )
        in_body = {one.name for one in operation.located("body")}
        body = {name: value for name, value in given.items() if name in in_body}
        bodiless = operation.method in ("GET", "DELETE")
        answer = self._transport.request(
            operation.method,
            f"{_PREFIX}{path}" + (f"?{query}" if query else ""),
            None if bodiless else _encode(body),
            dict(headers) if bodiless else {"Content-Type": "application/json", **headers},
            repeatable=operation.repeatable or "Idempotency-Key" in headers,
        )
        return operation.decode_result(json.loads(answer.body), str(values.get("bank", "")))


class AsyncClient:
    """The same with methods that are awaited. They run in threads of their own."""

    remember = _remote_async(lambda: nouns.memories.remember)
    remember_many = _remote_async(lambda: nouns.memories.remember_many)
    list = _remote_async(lambda: nouns.memories.list_memories)
    count = _remote_async(lambda: nouns.memories.count)
    list_links = _remote_async(lambda: nouns.links.links.list_links)
    tag = _remote_async(lambda: nouns.memories.tag)
    forget = _remote_async(lambda: nouns.erasure.deletion.forget)
    forget_where = _remote_async(lambda: nouns.erasure.deletion.forget_where)
    restore = _remote_async(lambda: nouns.erasure.deletion.restore)
    erase_ids = _remote_async(lambda: nouns.erasure.scoped_erasure.erase_ids)
    erase = _remote_async(lambda: nouns.erasure.scoped_erasure.erase)
    get = _remote_async(lambda: nouns.memories.get)
    revise = _remote_async(lambda: nouns.memories.revise)
    history = _remote_async(lambda: nouns.versions.history.history)
    restore_version = _remote_async(lambda: nouns.erasure.deletion.restore_version)
    get_version = _remote_async(lambda: nouns.versions.history.get_version)
    list_tags = _remote_async(lambda: nouns.memories.list_tags)
    recall = _remote_async(lambda: nouns.recall.recall)
    list_projects = _remote_async(lambda: nouns.versions.history.list_projects)
    revisions = _remote_async(lambda: nouns.versions.history.revisions)
    revision = _remote_async(lambda: nouns.versions.history.revision)
    at_revision = _remote_async(lambda: nouns.versions.history.at_revision)
    list_banks = _remote_async(lambda: nouns.banks.list_banks)
    create_bank = _remote_async(lambda: nouns.banks.create_bank)
    update_bank = _remote_async(lambda: nouns.banks.update_bank)
    get_bank = _remote_async(lambda: nouns.banks.get_bank)
    erase_bank = _remote_async(lambda: nouns.erasure.scoped_erasure.erase_bank)
    put_document = _remote_async(lambda: nouns.documents.put_document)
    list_documents = _remote_async(lambda: nouns.documents.list_documents)
    get_document = _remote_async(lambda: nouns.documents.get_document)
    delete_document = _remote_async(lambda: nouns.documents.delete_document)
    start_session = _remote_async(lambda: nouns.sessions.sessions.start_session)
    list_sessions = _remote_async(lambda: nouns.sessions.sessions.list_sessions)
    get_session = _remote_async(lambda: nouns.sessions.sessions.get_session)
    checkpoint_session = _remote_async(lambda: nouns.sessions.sessions.checkpoint_session)
    list_events = _remote_async(lambda: nouns.sessions.sessions.list_events)
    recent_events = _remote_async(lambda: nouns.sessions.sessions.recent_events)
    end_session = _remote_async(lambda: nouns.sessions.sessions.end_session)
    snapshot_session = _remote_async(lambda: nouns.sessions.sessions.snapshot_session)
    list_snapshots = _remote_async(lambda: nouns.sessions.sessions.list_snapshots)
    get_snapshot = _remote_async(lambda: nouns.sessions.sessions.get_snapshot)
    add_reminder = _remote_async(lambda: nouns.sessions.reminders.add_reminder)
    list_reminders = _remote_async(lambda: nouns.sessions.reminders.list_reminders)
    run_due = _remote_async(lambda: nouns.sessions.reminders.run_due)
    get_reminder = _remote_async(lambda: nouns.sessions.reminders.get_reminder)
    enable_reminder = _remote_async(lambda: nouns.sessions.reminders.enable_reminder)
    disable_reminder = _remote_async(lambda: nouns.sessions.reminders.disable_reminder)
    delete_reminder = _remote_async(lambda: nouns.sessions.reminders.delete_reminder)
    start_stream = _remote_async(lambda: nouns.sessions.streams.start_stream)
    append_chunk = _remote_async(lambda: nouns.sessions.streams.append_chunk)
    get_stream = _remote_async(lambda: nouns.sessions.streams.get_stream)
    finalize_stream = _remote_async(lambda: nouns.sessions.streams.finalize_stream)
    cancel_stream = _remote_async(lambda: nouns.sessions.streams.cancel_stream)
    list_jobs = _remote_async(lambda: nouns.operations.jobs.list_jobs)
    count_jobs = _remote_async(lambda: nouns.operations.jobs.count_jobs)
    get_job = _remote_async(lambda: nouns.operations.jobs.get_job)
    cancel_job = _remote_async(lambda: nouns.operations.jobs.cancel_job)
    retry_job = _remote_async(lambda: nouns.operations.jobs.retry_job)

    remember_once: "Callable[..., Awaitable[Outcome]]" = cast("Any", _Remote())
    purge: "Callable[..., Awaitable[tuple[int, ...]]]" = cast("Any", _Remote())
    export: "Callable[..., Awaitable[ExportReport]]" = cast("Any", _Remote())
    import_archive: "Callable[..., Awaitable[ImportReport]]" = cast("Any", _Remote())

    def __init__(self, client: Client) -> None:
        self.client = client

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        self.client.close()


def _encode(body: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid(
            "The arguments cannot be written as JSON.", hint="Use valid Unicode and plain values."
        ) from error


def _path_part(one: Argument, value: object) -> str:
    part = quote(str(value), safe="")
    if not part:
        raise Invalid(f"The {one.name.replace('_', ' ')} is empty.", hint=f"Give a {one.name}.")
    return part


def _query_pairs(one: Argument, given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    value = given.get(one.name)
    if value == []:
        # A query has no empty list, and without the name everything would be meant.
        raise Invalid(f"`{one.name}` is empty.", hint="Leave it out, or name one.")
    for item in cast("tuple[Any, ...]", value if isinstance(value, list) else (value,)):
        if item is not None:
            text = json.dumps(item) if isinstance(item, bool | int) else str(item)
            yield one.name, text


def _lines(parts: Iterator[bytes]) -> Iterator[str]:
    rest = b""
    for part in parts:
        *whole, rest = (rest + part).split(b"\n")
        yield from (line.decode() + "\n" for line in whole)
    if rest:
        yield rest.decode()
