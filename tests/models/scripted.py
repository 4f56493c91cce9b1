"""A language model's server on loopback that says what a test tells it to, and keeps what it was
asked.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = str | dict[str, Any] | int | Callable[["Scripted", BaseHTTPRequestHandler], None]


@dataclass
class Scripted:
    """The script: each question takes the next answer, and the last one for good.

    A text or an object is what the model says; a number is the status of a refusal; a function may
    do anything.
    """

    answers: list[Answer]
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    keys: list[str | None] = field(default_factory=list[str | None])
    url: str = ""
    # Set when the test is over, for answers that wait for ever.
    over: threading.Event = field(default_factory=threading.Event)

    def answer(self, to: BaseHTTPRequestHandler) -> None:
        self.asked.append(json.loads(to.rfile.read(int(to.headers["Content-Length"]))))
        self.keys.append(to.headers["Authorization"])
        next_one = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if callable(next_one):
            next_one(self, to)
        elif isinstance(next_one, int):
            to.send_error(next_one)
        else:
            content = next_one if isinstance(next_one, str) else json.dumps(next_one)
            sent(
                to,
                json.dumps(
                    {"choices": [{"message": {"role": "assistant", "content": content}}]}
                ).encode(),
            )

    @property
    def texts(self) -> list[str]:
        """What the model was given to read, question by question."""
        return [one["messages"][1]["content"] for one in self.asked]


def sent(to: BaseHTTPRequestHandler, body: bytes) -> None:
    to.send_response(200)
    to.send_header("Content-Length", str(len(body)))
    to.end_headers()
    to.wfile.write(body)


def silent(script: Scripted, _to: BaseHTTPRequestHandler) -> None:
    """Says nothing until the test is over."""
    script.over.wait(60)


def endless(script: Scripted, to: BaseHTTPRequestHandler) -> None:
    """Sends a byte now and then, for ever."""
    to.send_response(200)
    to.end_headers()
    while not script.over.wait(0.05):
        try:
            to.wfile.write(b" ")
            to.wfile.flush()
        except OSError:
            return


def dripping(first: bytes, drop: bytes) -> Answer:
    """An answer that begins with some bytes and then goes on with the same few, now and then and
    for ever.
    """

    def drip(script: Scripted, to: BaseHTTPRequestHandler) -> None:
        with suppress(OSError):
            to.wfile.write(first)
            while not script.over.wait(0.05):
                to.wfile.write(drop)

    return drip


@contextmanager
def model(*answers: Answer) -> Iterator[Scripted]:
    script = Scripted(list(answers))

    class Speaker(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            script.answer(self)

        def log_message(self, *_: object) -> None:
            """Keeps the screen clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Speaker)
    script.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield script
    finally:
        script.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def nobody() -> str:
    """An address where nobody is."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    port = server.server_address[1]
    server.server_close()
    return f"http://127.0.0.1:{port}/v1"
