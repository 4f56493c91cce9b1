"""Standard input and output as a pair of pipes that carry whole lines, and that nobody else can
use.
"""

import os
import select
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

from commonplace.errors import Unsupported
from commonplace.limits import LINE_BYTES_MAX

_CHUNK_BYTES = 65_536


class Inlet:
    """The lines from the client, until they end or somebody wakes the reader.

    The reader waits for two things at once, because a signal alone can come just before the wait
    and be missed.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._woken, self.waker = os.pipe()
        self._stopped = False
        os.set_blocking(self.waker, False)

    def wake(self) -> None:
        """Have the reader stop, from any thread or signal."""
        with suppress(BlockingIOError):  # The pipe is full of such calls already.
            os.write(self.waker, b"x")

    def closed(self) -> bool:
        """Whether nobody can write any more, although there may be lines that are not read yet."""
        if sys.platform == "win32":
            return False
        poll = select.poll()
        poll.register(self._descriptor, 0)
        return bool(poll.poll(0))

    def lines(self) -> Iterator[bytes | None]:
        """Every line that is not blank; None stands for one that is longer than the limit."""
        parts: list[bytes] = []
        size = 0
        while chunk := self._chunk():
            pieces = chunk.split(b"\n")
            for place, piece in enumerate(pieces, 1):
                size += len(piece)
                parts.append(piece)
                if size > LINE_BYTES_MAX:
                    parts.clear()
                if place < len(pieces):
                    yield from _whole(parts, size)
                    parts.clear()
                    size = 0
        if not self._stopped:
            yield from _whole(parts, size)

    def _chunk(self) -> bytes:
        try:
            # Only sockets can be waited for on Windows; there the next line ends the wait.
            if (
                os.name != "nt"
                and self._woken in select.select((self._descriptor, self._woken), (), ())[0]
            ):
                self._stopped = True
                return b""
            return os.read(self._descriptor, _CHUNK_BYTES)
        except OSError:  # A terminal that went away reads as an error, and means the end.
            return b""


class Outlet:
    """The way to the client: whole lines, one at a time, from any thread."""

    def __init__(self, descriptor: int) -> None:
        self.broken = False
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self._waiting_since: float | None = None

    def stuck_s(self) -> float:
        """For how long a write has waited for somebody to read."""
        since = self._waiting_since
        return 0.0 if since is None else time.monotonic() - since

    def write(self, line: bytes) -> None:
        """Send a line. When nobody reads any more, nothing is sent, now and later."""
        rest = memoryview(line + b"\n")
        with self._lock:
            while rest and not self.broken:
                # In pieces, because a write returns only when somebody has taken the whole of it.
                self._waiting_since = time.monotonic()
                try:
                    rest = rest[os.write(self._descriptor, rest[:_CHUNK_BYTES]) :]
                except OSError:
                    self.broken = True
            self._waiting_since = None


def claimed() -> tuple[Inlet, Outlet]:
    """Standard input and output, for the protocol alone.

    A print, a library or a child process that uses the usual descriptors afterwards reads nothing,
    and writes to standard error.
    """
    try:
        source, target = os.dup(0), os.dup(1)
    except OSError as error:
        raise Unsupported(
            "There is no standard input or output.", hint="Let an MCP client start this command."
        ) from error
    if os.isatty(0) and os.isatty(2):
        sys.stderr.write(
            "Waiting for messages from a client on standard input; press Ctrl-D to stop.\n"
        )
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # Started without a standard error.
        os.dup2(nowhere, 1)
    os.close(nowhere)
    sys.stdout = sys.stderr
    return Inlet(source), Outlet(target)


def _whole(parts: list[bytes], size: int) -> Iterator[bytes | None]:
    if size > LINE_BYTES_MAX:
        yield None
    elif line := b"".join(parts).strip():
        yield line
