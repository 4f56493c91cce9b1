"""The server on standard input and output.

It uses no protocol library, so that it starts fast. The main thread reads messages and answers
those that need only the dialect's table. Calls run in a thread pool, so a slow call delays nothing
else and answers may arrive in a different order than their requests.
"""

import os
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, cast

from commonplace.app import open_engine
from commonplace.dialects import registry
from commonplace.dialects.dialect import Call, Dialect
from commonplace.engine import operations
from commonplace.engine.engine import Engine
from commonplace.errors import CommonplaceError
from commonplace.faces.mcp import messages, parsing, protocol, stdio_pipes
from commonplace.faces.mcp.forwarding import CallPlace, Forwarder
from commonplace.faces.mcp.messages import Json, RequestId
from commonplace.faces.mcp.parent_watch import Watchdog, parent_pid
from commonplace.faces.mcp.parsing import ProtocolError, Request
from commonplace.faces.mcp.protocol import CallerGone, ClientSession
from commonplace.limits import CALLS_AT_ONCE_MAX, CALLS_WAITING_MAX, LINE_BYTES_MAX
from commonplace.settings import Settings

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from commonplace.engine.operations.worker import Worker
    from commonplace.vault.sync_loop import SyncBeforeCall

BUSY = -32000
_WORKER_STOP_S_MAX = 1


@dataclass(slots=True)
class RunningRequest:
    """A request whose call is queued or running."""

    request: Request
    cancelled: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """The bank and the folder of all calls. `is_only_bank`: the client can use no other bank."""

    bank: str
    is_only_bank: bool = False
    folder: str = ""


class LazyEngine:
    """Opens the engine on first use, so that a handshake neither waits for the disk nor fails."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._worker: Worker | None = None

    def open(self) -> Engine:
        """The engine of this process, opened now if necessary."""
        with self._lock:
            if self._engine is None:
                self._engine = open_engine(self._settings)
                if self._settings.llm_url or self._settings.llm_provider:
                    # A model takes seconds. Without one, each job runs in the call that enqueues
                    # it.
                    self._worker = operations.worker.Worker(
                        self._engine, operations.maintenance.JOB_TASKS
                    )
                    self._worker.start()
            return self._engine

    def close(self) -> None:
        """Stop the worker and close the engine, if they were opened."""
        if self._worker is not None:
            self._worker.stop()
            # A running model request is not awaited; its job is claimed again after its lease.
            self._worker.join(_WORKER_STOP_S_MAX)
        if self._engine is not None:
            self._engine.db.close()


class StdioServer:
    """Serves one client on a pair of pipes."""

    def __init__(
        self,
        dialect: Dialect,
        engine: Callable[[], Engine],
        place: Target,
        database: Path | None = None,
    ) -> None:
        self._engine = engine
        self._target = place
        self._reader, self._writer = stdio_pipes.claim_stdio()
        self._client_session = ClientSession(dialect, self._instructions)
        self._pool: ThreadPoolExecutor | None = None
        self._free_slots = threading.Semaphore(CALLS_AT_ONCE_MAX + CALLS_WAITING_MAX)
        # One process is one session, so that repeated requests are recognized.
        self._session_id = os.urandom(8).hex()
        self._forwarder = (
            Forwarder(
                database,
                CallPlace(
                    dialect.name, place.bank, place.is_only_bank, place.folder, self._session_id
                ),
            )
            if database and dialect.name in registry.NAMES
            else None
        )
        self._running: dict[RequestId, RunningRequest] = {}
        self._subscriptions: dict[RequestId, Request] = {}
        self._pending_questions: dict[str, SimpleQueue[Json | None]] = {}
        self._stopping = False
        self._note_sync: SyncBeforeCall | None = None

    @property
    def waker(self) -> int:
        """The descriptor that ends the wait for a line when something is written to it."""
        return self._reader.waker

    def stuck_s(self) -> float:
        """How long an answer has been waiting for a reader once no more requests can arrive."""
        return self._writer.stuck_s() if self._stopping or self._reader.is_closed() else 0.0

    def serve(self) -> None:
        """Answer every line until the input ends or `stop` is called, then finish running calls."""
        for line in self._reader.lines():
            self._handle_line(line)
            if self._stopping:
                break
        self.stop()
        if self._pool is not None:
            self._pool.shutdown()
        for request in self._subscriptions.values():
            self._send(messages.response(request.id, messages.subscription_end(request.id)))

    def stop(self) -> None:
        """Stop reading, and stop waiting for answers from the user."""
        self._stopping = True
        self._reader.wake()
        for box in list(self._pending_questions.values()):
            box.put(None)

    def _handle_line(self, line: bytes | None) -> None:
        message: object = None
        try:
            if line is None:
                raise ProtocolError(
                    messages.INVALID_REQUEST,
                    f"A message may have at most {LINE_BYTES_MAX:,} bytes.",
                )
            message = parsing.decode(line)
            kind, whole = parsing.classify(message)
            if kind == "request":
                self._dispatch(self._client_session.read_request(whole))
            elif kind == "notification":
                self._handle_notification(whole)
            elif box := self._pending_questions.get(str(whole.get("id"))):
                box.put(whole)
        except ProtocolError as refused:
            self._send(
                messages.error_response(
                    parsing.message_id(message), refused.code, refused.message, refused.data
                )
            )
        except Exception as error:
            # An error in one message must not stop the server.
            text = f"internal error, reference {protocol.log_bug(error, 'reading a message')}"
            self._send(
                messages.error_response(parsing.message_id(message), messages.INTERNAL_ERROR, text)
            )

    def _dispatch(self, request: Request) -> None:
        if request.method in protocol.ENGINE_METHODS:
            self._submit(request)
        elif request.method == protocol.LISTEN_METHOD and messages.is_modern(request.version):
            self._subscribe(request)
        else:
            self._send(
                messages.response(request.id, self._session_for(request).answer_from_table(request))
            )

    def _submit(self, request: Request) -> None:
        """Run a request in the thread pool."""
        if not self._free_slots.acquire(blocking=False):
            raise ProtocolError(
                BUSY, "Too many calls are waiting. Try again when some have finished."
            )
        running = self._running[request.id] = RunningRequest(request)
        try:
            work = self._thread_pool().submit(self._execute, running)
        except RuntimeError as error:
            # The pool may still start the work later; then it must have no effect.
            running.cancelled = True
            del self._running[request.id]
            self._free_slots.release()
            raise ProtocolError(
                BUSY, "The operating system cannot start another thread. Try again in a moment."
            ) from error
        work.add_done_callback(self._release_slot)

    def _thread_pool(self) -> "ThreadPoolExecutor":
        if self._pool is None:
            # This import and its import of logging take a tenth of the time to the first answer.
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(CALLS_AT_ONCE_MAX, "call")
        return self._pool

    def _release_slot(self, work: "Future[None]") -> None:
        self._free_slots.release()
        if error := work.exception():
            protocol.log_bug(error, "answering a call")

    def _session_for(self, request: Request) -> ClientSession:
        """The session that answers from the table.

        A list of tools has only those that the bank allows.
        """
        dialect = self._client_session.dialect
        if request.method != "tools/list" or not dialect.restrict_to_allowlist:
            return self._client_session
        try:
            return ClientSession(
                dialect.restrict_to_allowlist(dialect, self._engine(), self._target.bank),
                self._instructions,
            )
        except CommonplaceError:  # The first call reports a store that cannot be opened.
            return self._client_session

    def _execute(self, running: RunningRequest) -> None:
        request = running.request
        message: Json | None = None
        try:
            if not running.cancelled:
                dialect = self._client_session.dialect
                result = self._forwarder.result(request, dialect) if self._forwarder else None
                if result is None:
                    result = protocol.execute(
                        request,
                        dialect,
                        partial(self._make_call, running),
                        partial(self._confirm, running),
                    )
                message = messages.response(request.id, result)
        except ProtocolError as refused:
            message = messages.error_response(
                request.id, refused.code, refused.message, refused.data
            )
        except CallerGone:
            pass
        # A client may reuse an id once it is answered, so the entry is removed before the answer is
        # sent, unless another request has taken it.
        if self._running.get(request.id) is running:
            del self._running[request.id]
        if message is not None and not running.cancelled:
            self._send(message)

    def _make_call(self, running: RunningRequest, request: Request) -> Call:
        engine = self._engine()
        self._sync_notes(engine)
        return Call(
            engine=engine,
            bank=self._target.bank,
            session=self._session_id,
            client=request.client,
            folder=self._target.folder,
            progress=partial(self._progress, running),
        )

    def _sync_notes(self, engine: Engine) -> None:
        """Read changed note files before a call. The vault's own tools do this themselves."""
        if (
            self._client_session.dialect.name == "vault"
            or engine.vault is None
            or not engine.vault.is_dir()
        ):
            return
        if self._note_sync is None:
            # Imported only if there are notes.
            from commonplace.vault.sync_loop import SyncBeforeCall

            self._note_sync = SyncBeforeCall()
        self._note_sync.sync_if_due(engine)

    def _progress(
        self, running: RunningRequest, done: float, total: float | None, text: str
    ) -> None:
        if running.cancelled or self._writer.is_broken:
            raise CallerGone
        if (token := running.request.progress_token) is not None:
            self._send(messages.progress_notification(token, done, total, text))

    def _confirm(self, running: RunningRequest, question: str) -> bool:
        name = _question_id(running.request.id)
        box = self._pending_questions[name] = SimpleQueue()
        self._send(messages.elicitation_request(name, protocol.elicitation_params(question)))
        # `stop` and a cancellation set these flags before they fill the queues, so the wait always
        # ends.
        answer = None if self._stopping or running.cancelled else box.get()
        del self._pending_questions[name]
        if running.cancelled or answer is None:
            raise CallerGone
        # A client that cannot show the question answers with an error. A confirmation is a courtesy
        # and no access control, so the call proceeds.
        return (
            "error" in answer or parsing.as_object(answer.get("result")).get("action") == "accept"
        )

    def _handle_notification(self, message: Json) -> None:
        if message["method"] != "notifications/cancelled":
            return
        wanted = parsing.message_id(
            {"id": parsing.as_object(message.get("params")).get("requestId")}
        )
        self._subscriptions.pop(wanted, None)
        if running := self._running.get(wanted):
            running.cancelled = True
            if box := self._pending_questions.get(_question_id(wanted)):
                box.put(None)

    def _subscribe(self, request: Request) -> None:
        wanted = request.params.get("notifications")
        if not isinstance(wanted, dict):
            raise ProtocolError(
                messages.INVALID_PARAMS,
                "subscriptions/listen needs params.notifications, an object.",
            )
        if len(self._subscriptions) >= CALLS_WAITING_MAX:
            raise ProtocolError(BUSY, "Too many subscriptions are open.")
        self._subscriptions[request.id] = request
        self._send(messages.acknowledgement(request.id, cast(Json, wanted)))

    def _send(self, message: Json) -> None:
        self._writer.write(protocol.encode(message))
        if self._writer.is_broken:
            self._abandon_calls()

    def _abandon_calls(self) -> None:
        """Cancel all calls and stop reading, because the client reads no answers any more."""
        for running in list(self._running.values()):
            running.cancelled = True
        self.stop()

    def _instructions(self) -> str:
        dialect = self._client_session.dialect
        if not self._target.is_only_bank:
            return messages.instructions(dialect)
        try:
            mission = self._engine().get_bank(self._target.bank).mission
        except (
            CommonplaceError
        ):  # The bank does not exist yet, or the first call will report the store.
            mission = ""
        return messages.instructions(dialect, self._target.bank, mission)


def run(dialect: Dialect, settings: Settings, place: Target) -> int:
    """Serve standard input until it ends, and return the exit code."""
    # Read first, because a client may end while its server is still starting.
    started_by = parent_pid()
    store = LazyEngine(settings)
    server = StdioServer(dialect, store.open, place, settings.database_path)
    ending = Watchdog(server.stop, server.stuck_s, started_by)
    ending.start()

    def stop(number: int, _frame: object) -> None:
        # A second signal ends the process at once.
        signal.signal(number, signal.SIG_DFL)
        ending.set_deadline()
        server.stop()

    signal.set_wakeup_fd(server.waker, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    server.serve()
    store.close()
    ending.cancel()
    return 0


def _question_id(request_id: RequestId) -> str:
    return f"ask-{request_id!r}"
