"""Standard input and output as a pair of line-based pipes reserved for the protocol."""

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


class LineReader:
    """Reads lines from the client until the input ends or `wake` is called.

    It waits for the input and for a wake-up pipe, because a signal alone can arrive just before
    the wait and be missed.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._wake_descriptor, self.waker = os.pipe()
        self._is_stopped = False
        os.set_blocking(self.waker, False)

    def wake(self) -> None:
        """Stop the reader, from any thread or signal handler."""
        with suppress(BlockingIOError):  # The pipe already holds enough wake-ups.
            os.write(self.waker, b"x")

    def is_closed(self) -> bool:
        """Whether all writers are gone, even if unread lines remain."""
        if sys.platform == "win32":
            return False
        poll = select.poll()
        poll.register(self._descriptor, 0)
        return bool(poll.poll(0))

    def lines(self) -> Iterator[bytes | None]:
        """Yield every line that is not blank, and None for a line over the size limit."""
        parts: list[bytes] = []
        size = 0
        while chunk := self._read_chunk():
            pieces = chunk.split(b"\n")
            for place, piece in enumerate(pieces, 1):
                size += len(piece)
                parts.append(piece)
                if size > LINE_BYTES_MAX:
                    parts.clear()
                if place < len(pieces):
                    yield from _finish_line(parts, size)
                    parts.clear()
                    size = 0
        if not self._is_stopped:
            yield from _finish_line(parts, size)

    def _read_chunk(self) -> bytes:
        try:
            # Windows can wait for sockets only, so there the next line ends the wait.
            if (
                os.name != "nt"
                and self._wake_descriptor
                in select.select((self._descriptor, self._wake_descriptor), (), ())[0]
            ):
                self._is_stopped = True
                return b""
            return os.read(self._descriptor, _CHUNK_BYTES)
        except OSError:  # A closed terminal raises an error, which means the end of input.
            return b""


class LineWriter:
    """Writes whole lines to the client, one at a time, from any thread."""

    def __init__(self, descriptor: int) -> None:
        self.is_broken = False
        self._descriptor = descriptor
        self._lock = threading.Lock()
        self._waiting_since: float | None = None

    def stuck_s(self) -> float:
        """How long the current write has been waiting for the reader."""
        since = self._waiting_since
        return 0.0 if since is None else time.monotonic() - since

    def write(self, line: bytes) -> None:
        """Send a line. Once the reader is gone, this and every later line is dropped."""
        rest = memoryview(line + b"\n")
        with self._lock:
            while rest and not self.is_broken:
                # Written in chunks, because a write returns only once all of it was read.
                self._waiting_since = time.monotonic()
                try:
                    rest = rest[os.write(self._descriptor, rest[:_CHUNK_BYTES]) :]
                except OSError:
                    self.is_broken = True
            self._waiting_since = None


def claim_stdio() -> tuple[LineReader, LineWriter]:
    """Reserve standard input and output for the protocol.

    Afterwards a print, a library or a child process that uses the usual descriptors reads nothing
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
    except OSError:  # The process has no standard error.
        os.dup2(nowhere, 1)
    os.close(nowhere)
    sys.stdout = sys.stderr
    return LineReader(source), LineWriter(target)


def _finish_line(parts: list[bytes], size: int) -> Iterator[bytes | None]:
    if size > LINE_BYTES_MAX:
        yield None
    elif line := b"".join(parts).strip():
        yield line
