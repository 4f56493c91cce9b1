"""HTTP requests of our client: connections that are kept, and repetitions where they are safe."""

import json
import threading
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import commonplace
from commonplace import errors
from commonplace.errors import Busy, CommonplaceError, Invalid

_TRIES = 3
_PAUSE_S = 0.2
# A server closes connections that are unused for longer.
_IDLE_S = 30
_PART_BYTES = 256_000
_Idle: TypeAlias = tuple[float, HTTPConnection]
_KINDS = {one.__name__: one for one in CommonplaceError.__subclasses__()}
_BY_STATUS: Mapping[int, type[CommonplaceError]] = {
    **{one.status: one for one in CommonplaceError.__subclasses__()},
    401: errors.Forbidden,
    408: Busy,
    412: errors.Conflict,
    429: Busy,
    431: errors.TooLarge,
}


@dataclass(frozen=True, slots=True)
class Answer:
    """A response."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(slots=True)
class Transport:
    """Connections to one server. Threads may share it."""

    url: str
    key: str = field(default="", repr=False)
    timeout_s: float = 60.0
    _idle: list[_Idle] = field(default_factory=list[_Idle], repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Invalid(
                f"{self.url[:100]!r} is not the address of a server.",
                hint="Use for example http://127.0.0.1:8888.",
            )

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] = {},
        *,
        repeatable: bool,
    ) -> Answer:
        """The answer to a request. Raises the error that the server reports."""
        for attempt in range(_TRIES):
            try:
                return self._request_once(method, path, body, headers)
            except Busy:
                if not repeatable or attempt == _TRIES - 1:
                    raise
                time.sleep(_PAUSE_S * 2**attempt)
        raise AssertionError("unreachable")

    def _request_once(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> Answer:
        with self._connection() as connection:
            response = self._send(connection, method, path, body, headers)
            return Answer(response.status, dict(response.getheaders()), response.read())

    def stream(self, path: str) -> Iterator[bytes]:
        """The parts of a long answer."""
        with self._connection() as connection:
            response = self._send(connection, "GET", path, None, {})
            while part := response.read(_PART_BYTES):
                yield part

    def upload(self, path: str, parts: Iterable[bytes], media_type: str) -> Answer:
        """The answer to a long body."""
        with self._connection() as connection:
            headers = {"Content-Type": media_type}
            response = self._send(connection, "POST", path, parts, headers)
            return Answer(response.status, dict(response.getheaders()), response.read())

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            while self._idle:
                self._idle.pop()[1].close()

    def _send(
        self,
        connection: HTTPConnection,
        method: str,
        path: str,
        body: bytes | Iterable[bytes] | None,
        headers: Mapping[str, str],
    ) -> HTTPResponse:
        own = {"User-Agent": f"commonplace/{commonplace.__version__}", "Accept": "*/*"}
        own |= {"Authorization": f"Bearer {self.key}"} if self.key else {}
        prefix = urlsplit(self.url).path.rstrip("/")
        connection.request(method, prefix + path, body, own | dict(headers))
        response = connection.getresponse()
        if response.status >= 400:
            raise _error_of(response.status, response.read())
        return response

    @contextmanager
    def _connection(self) -> Generator[HTTPConnection]:
        connection = self._take()
        kept = False
        try:
            yield connection
            kept = True
        except CommonplaceError:
            kept = True
            raise
        except (OSError, HTTPException) as error:
            raise Busy(
                f"The server at {self.url} does not answer.",
                hint="Start it with `commonplace serve`, or check the address.",
            ) from error
        finally:
            if kept:
                with self._lock:
                    self._idle.append((time.monotonic(), connection))
            else:
                connection.close()

    def _take(self) -> HTTPConnection:
        with self._lock, suppress(IndexError):
            while True:
                since, connection = self._idle.pop()
                if time.monotonic() - since < _IDLE_S:
                    return connection
                connection.close()
        parts = urlsplit(self.url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        return kind(str(parts.hostname), parts.port, timeout=self.timeout_s)


def _error_of(status: int, body: bytes) -> CommonplaceError:
    """The error that a server reports."""
    try:
        problem: Any = json.loads(body)
        kind = _KINDS.get(str(problem["type"]).rpartition("#")[2])
        message, hint = str(problem["detail"]), str(problem["hint"])
    except (ValueError, TypeError, KeyError):
        kind, message, hint = None, f"The server answered with status {status}.", ""
    return (kind or _BY_STATUS.get(status, Invalid))(message, hint=hint)
