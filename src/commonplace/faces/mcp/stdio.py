"""The server on standard input and output, without any library of the protocol, so that it starts
at once.

The main thread reads and answers what the table knows; calls run in threads of their own, so a slow
one holds up nothing, and answers may come in another order than requests.
"""

import os
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, cast

from commonplace import engine as nouns
from commonplace.app import open_engine
from commonplace.dialects.dialect import Call, Dialect
from commonplace.engine.engine import Engine
from commonplace.errors import CommonplaceError
from commonplace.faces.mcp import messages, protocol, stdio_pipes
from commonplace.faces.mcp.messages import Json, RequestId
from commonplace.faces.mcp.parent_watch import Ending, parent
from commonplace.faces.mcp.protocol import Conversation, Gone, Refused, Request
from commonplace.limits import CALLS_AT_ONCE_MAX, CALLS_WAITING_MAX, LINE_BYTES_MAX
from commonplace.settings import Settings

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from commonplace.engine.operations.worker import Worker
    from commonplace.vault.sync_loop import Glances

BUSY = -32000
_WORKER_S_MAX = 1


@dataclass(slots=True)
class Running:
    """A request that is being worked on."""

    request: Request
    cancelled: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where calls happen: in a bank, in a folder; `single` when there is no other bank for this
    client.
    """

    bank: str
    single: bool = False
    folder: str = ""


class Store:
    """The engine, opened when first needed: a handshake must not wait for a disk, nor fail for
    it.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._engine: Engine | None = None
        self._worker: Worker | None = None

    def engine(self) -> Engine:
        """The one engine of the process."""
        with self._lock:
            if self._engine is None:
                self._engine = open_engine(self._settings)
                if self._settings.llm_url or self._settings.llm_provider:
                    # A model takes seconds; without one every job is done in the call that leaves
                    # it.
                    self._worker = nouns.operations.worker.Worker(
                        self._engine, nouns.operations.tasks.TASKS
                    )
                    self._worker.start()
            return self._engine

    def close(self) -> None:
        """Close what was opened."""
        if self._worker is not None:
            self._worker.stop()
            # A model that is being asked is not waited for; its job is taken up again after its
            # lease.
            self._worker.join(_WORKER_S_MAX)
        if self._engine is not None:
            self._engine.db.close()


class Server:
    """One client on a pair of pipes."""

    def __init__(self, dialect: Dialect, engine: Callable[[], Engine], place: Place) -> None:
        self._engine = engine
        self._place = place
        self._inlet, self._outlet = stdio_pipes.claimed()
        self._conversation = Conversation(dialect, self._instructions)
        self._pool: ThreadPoolExecutor | None = None
        self._room = threading.Semaphore(CALLS_AT_ONCE_MAX + CALLS_WAITING_MAX)
        # One process is one session: what it says twice it means once.
        self._session = os.urandom(8).hex()
        self._running: dict[RequestId, Running] = {}
        self._listening: dict[RequestId, Request] = {}
        self._asked: dict[str, SimpleQueue[Json | None]] = {}
        self._stopping = False
        self._glances: Glances | None = None

    @property
    def waker(self) -> int:
        """The descriptor that ends the wait for a line when something is written to it."""
        return self._inlet.waker

    def stuck_s(self) -> float:
        """For how long an answer has waited for somebody to read it, when nobody can ask for
        anything any more.
        """
        return self._outlet.stuck_s() if self._stopping or self._inlet.closed() else 0.0

    def serve(self) -> None:
        """Answer every line until the input ends or somebody says stop; what has begun is finished
        first.
        """
        for line in self._inlet.lines():
            self._take(line)
            if self._stopping:
                break
        self.stop()
        if self._pool is not None:
            self._pool.shutdown()
        for request in self._listening.values():
            self._send(messages.response(request.id, messages.ended_subscription(request.id)))

    def stop(self) -> None:
        """Read no further, and wait no longer for answers from the person."""
        self._stopping = True
        self._inlet.wake()
        for box in list(self._asked.values()):
            box.put(None)

    def _take(self, line: bytes | None) -> None:
        message: object = None
        try:
            if line is None:
                raise Refused(
                    messages.INVALID_REQUEST,
                    f"A message may have at most {LINE_BYTES_MAX:,} bytes.",
                )
            message = protocol.decoded(line)
            kind, whole = protocol.understood(message)
            if kind == "request":
                self._begin(self._conversation.request(whole))
            elif kind == "notification":
                self._note(whole)
            elif box := self._asked.get(str(whole.get("id"))):
                box.put(whole)
        except Refused as refused:
            self._send(
                messages.failure(
                    protocol.known_id(message), refused.code, refused.message, refused.data
                )
            )
        except Exception as error:
            # The next message is read whatever was wrong with this one.
            text = f"internal error, reference {protocol.noted(error, 'reading a message')}"
            self._send(messages.failure(protocol.known_id(message), messages.INTERNAL_ERROR, text))

    def _begin(self, request: Request) -> None:
        if request.method in protocol.WORKING:
            self._start(request)
        elif request.method == protocol.LISTENING and messages.is_modern(request.version):
            self._listen(request)
        else:
            self._send(messages.response(request.id, self._offered(request).answer(request)))

    def _start(self, request: Request) -> None:
        """Have a thread work on a request."""
        if not self._room.acquire(blocking=False):
            raise Refused(BUSY, "Too many calls are waiting. Try again when some have finished.")
        running = self._running[request.id] = Running(request)
        try:
            work = self._threads().submit(self._work, running)
        except RuntimeError as error:
            # The pool keeps the work for a thread that it may start later; then it must not be
            # done.
            running.cancelled = True
            del self._running[request.id]
            self._room.release()
            raise Refused(
                BUSY, "The operating system cannot start another thread. Try again in a moment."
            ) from error
        work.add_done_callback(self._end)

    def _threads(self) -> "ThreadPoolExecutor":
        if self._pool is None:
            # Loading it, and the logging that it loads, is a tenth of the way to the first answer.
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(CALLS_AT_ONCE_MAX, "call")
        return self._pool

    def _end(self, work: "Future[None]") -> None:
        self._room.release()
        if error := work.exception():
            protocol.noted(error, "answering a call")

    def _offered(self, request: Request) -> Conversation:
        """Who answers from the table: for a list of tools, one that has those only that the bank
        allows.
        """
        dialect = self._conversation.dialect
        if request.method != "tools/list" or not dialect.narrowed:
            return self._conversation
        try:
            return Conversation(
                dialect.narrowed(dialect, self._engine(), self._place.bank), self._instructions
            )
        except (
            CommonplaceError
        ):  # A store that cannot be opened is told by the first call that needs it.
            return self._conversation

    def _work(self, running: Running) -> None:
        request = running.request
        message: Json | None = None
        try:
            if not running.cancelled:
                result = protocol.outcome(
                    request,
                    self._conversation.dialect,
                    partial(self._call, running),
                    partial(self._ask, running),
                )
                message = messages.response(request.id, result)
        except Refused as refused:
            message = messages.failure(request.id, refused.code, refused.message, refused.data)
        except Gone:
            pass
        # A client may use an id again once it is answered, so the entry goes first; but only if it
        # is still ours.
        if self._running.get(request.id) is running:
            del self._running[request.id]
        if message is not None and not running.cancelled:
            self._send(message)

    def _call(self, running: Running, request: Request) -> Call:
        engine = self._engine()
        self._glance(engine)
        return Call(
            engine=engine,
            bank=self._place.bank,
            session=self._session,
            client=request.client,
            folder=self._place.folder,
            progress=partial(self._progress, running),
        )

    def _glance(self, engine: Engine) -> None:
        """Take in what people did in the folder of notes; the vault's own tools look by
        themselves.
        """
        if (
            self._conversation.dialect.name == "vault"
            or engine.vault is None
            or not engine.vault.is_dir()
        ):
            return
        if self._glances is None:
            # Whoever has no notes need not load what files need.
            from commonplace.vault.sync_loop import Glances

            self._glances = Glances()
        self._glances.look(engine)

    def _progress(self, running: Running, done: float, total: float | None, text: str) -> None:
        if running.cancelled or self._outlet.broken:
            raise Gone
        if (token := running.request.progress_token) is not None:
            self._send(messages.progress(token, done, total, text))

    def _ask(self, running: Running, question: str) -> bool:
        name = _question_id(running.request.id)
        box = self._asked[name] = SimpleQueue()
        self._send(messages.question(name, protocol.form(question)))
        # Both are set before the boxes are filled, so none is waited for in vain.
        answer = None if self._stopping or running.cancelled else box.get()
        del self._asked[name]
        if running.cancelled or answer is None:
            raise Gone
        # A client that cannot ask after all says so with an error; a confirmation is a courtesy,
        # not a lock.
        return (
            "error" in answer or protocol.object_of(answer.get("result")).get("action") == "accept"
        )

    def _note(self, message: Json) -> None:
        if message["method"] != "notifications/cancelled":
            return
        wanted = protocol.known_id(
            {"id": protocol.object_of(message.get("params")).get("requestId")}
        )
        self._listening.pop(wanted, None)
        if running := self._running.get(wanted):
            running.cancelled = True
            if box := self._asked.get(_question_id(wanted)):
                box.put(None)

    def _listen(self, request: Request) -> None:
        wanted = request.params.get("notifications")
        if not isinstance(wanted, dict):
            raise Refused(
                messages.INVALID_PARAMS,
                "subscriptions/listen needs params.notifications, an object.",
            )
        if len(self._listening) >= CALLS_WAITING_MAX:
            raise Refused(BUSY, "Too many subscriptions are open.")
        self._listening[request.id] = request
        self._send(messages.acknowledged(request.id, cast(Json, wanted)))

    def _send(self, message: Json) -> None:
        self._outlet.write(protocol.encoded(message))
        if self._outlet.broken:
            self._hang_up()

    def _hang_up(self) -> None:
        """Nobody takes the answers: end the work, and the wait for a next line."""
        for running in list(self._running.values()):
            running.cancelled = True
        self.stop()

    def _instructions(self) -> str:
        dialect = self._conversation.dialect
        if not self._place.single:
            return messages.instructions(dialect)
        try:
            mission = self._engine().get_bank(self._place.bank).mission
        except (
            CommonplaceError
        ):  # A bank that is not there yet; or a store that the first call will complain about.
            mission = ""
        return messages.instructions(dialect, self._place.bank, mission)


def run(dialect: Dialect, settings: Settings, place: Place) -> int:
    """Serve standard input until it ends; the exit code."""
    # First of all, because a client may die while its server is still starting.
    started_by = parent()
    store = Store(settings)
    server = Server(dialect, store.engine, place)
    ending = Ending(server.stop, server.stuck_s, started_by)
    ending.start()

    def stop(number: int, _frame: object) -> None:
        # The second signal ends the process there and then.
        signal.signal(number, signal.SIG_DFL)
        ending.hurry()
        server.stop()

    signal.set_wakeup_fd(server.waker, warn_on_full_buffer=False)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    server.serve()
    store.close()
    ending.leave()
    return 0


def _question_id(request_id: RequestId) -> str:
    return f"ask-{request_id!r}"
