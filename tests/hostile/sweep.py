"""Gives every tool hostile texts that grow, through a real server, and tells where the time grows
faster than the text.

`python -m tests.hostile.sweep` (`make hostile`) tries every tool with every shape up to the longest
text it takes.
"""

import argparse
import http.client
import itertools
import json
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from commonplace.dialects import registry
from commonplace.faces.http.tokens import vault_token
from commonplace.limits import TEXT_BYTES_MAX
from tests.faces.http_client import BOTH, Answer, Running, server
from tests.hostile.hostile_texts import SHAPES, Shape
from tests.hostile.timed_server import SECONDS
from tests.hostile.tool_parameters import Aim, Look, aims, looks

LEAST_CHARS, MOST_CHARS = 4_000, 1_000_000
HEALTH_S = 1.0
_LONG_S = 6.0  # A call that takes longer is linear by then, or it is not.
_ANSWER_S = 300
_QUICK_S = 0.15  # What takes less than this grows too little to tell.
_GROWTH_MAX = 6.0  # For a text four times as long: 4 is linear, 16 is quadratic.
_REFUSALS_MAX = 2
_numbers = itertools.count()


@dataclass
class Pulse:
    """How long /health took at the most, asked all the while."""

    port: int
    slowest_s: float = 0.0
    failures: list[str] = field(default_factory=list[str])
    _ended: threading.Event = field(default_factory=threading.Event)

    def watch(self) -> None:
        while not self._ended.wait(0.1):
            started = time.monotonic()
            try:
                self._ask()
            except OSError as error:
                self.failures.append(repr(error))
            self.slowest_s = max(self.slowest_s, time.monotonic() - started)

    def _ask(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_ANSWER_S)
        try:
            connection.request("GET", "/health")
            if connection.getresponse().status != 200:
                self.failures.append("/health is not well")
        finally:
            connection.close()

    def take(self) -> tuple[float, list[str]]:
        """The longest wait since this was last asked, and what failed."""
        taken = self.slowest_s, self.failures
        self.slowest_s, self.failures = 0.0, []
        return taken

    def end(self) -> None:
        self._ended.set()


class Speaker:
    """Calls the tools of a server, each time in a bank that nobody used before."""

    def __init__(self, running: Running) -> None:
        self.running = running
        token = vault_token(running.home)
        self._headers = {
            "content-type": "application/json",
            "accept": BOTH,
            "authorization": f"Bearer {token}",
        }

    def take(self, aim: Aim | Look, text: str) -> tuple[float, bool]:
        """How many seconds a call with a text took, and whether the text was refused."""
        bank = f"b{next(_numbers)}"

        def ask(dialect: str, tool: str, given: Mapping[str, Any]) -> Any:
            return self._call(bank, dialect, tool, given)["structuredContent"]

        given = aim.arguments(text, ask)
        answer = self._call(bank, aim.dialect, aim.tool.name, given)
        return float(answer["_meta"][SECONDS]), bool(answer["isError"])

    def _call(self, bank: str, dialect: str, tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
        params = {"name": tool, "arguments": dict(given)}
        body = json.dumps(
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        ).encode()
        # Tools that make no sense where the path names the bank are called where it does not.
        path = (
            f"/{dialect}/mcp/{bank}"
            if tool in registry.single_bank(dialect).tools
            else f"/{dialect}/mcp"
        )
        connection = http.client.HTTPConnection("127.0.0.1", self.running.port, timeout=_ANSWER_S)
        try:
            connection.request("POST", path, body, self._headers)
            response = connection.getresponse()
            headers = {name.lower(): value for name, value in response.getheaders()}
            answer = Answer(response.status, headers, response.read())
        finally:
            connection.close()
        if answer.status != 200 or "result" not in answer.json:
            raise RuntimeError(f"{dialect}.{tool}: {answer.status} {answer.body[:300]!r}")
        return answer.json["result"]


@dataclass(frozen=True)
class Growth:
    """The seconds that calls took, by the length of their texts."""

    seconds: Mapping[int, float]

    @property
    def is_linear(self) -> bool:
        """Whether no text takes far more than four times as long as one of a quarter of its
        length.
        """
        pairs = [(taken, self.seconds.get(chars // 4)) for chars, taken in self.seconds.items()]
        return all(
            before is None or taken < _QUICK_S or taken <= _GROWTH_MAX * before
            for taken, before in pairs
        )

    def __str__(self) -> str:
        return ", ".join(f"{chars:,}: {taken:.3f} s" for chars, taken in self.seconds.items())


def grown(speaker: Speaker, aim: Aim | Look, shape: Shape, sizes: Sequence[int]) -> Growth:
    """How the time grows with the text, as far as it is taken; measured again where it seems to
    grow too fast.
    """
    found = Growth(_measured(speaker, aim, shape, sizes))
    for _ in range(2):
        if found.is_linear:
            break
        again = _measured(speaker, aim, shape, list(found.seconds))
        found = Growth(
            {chars: min(taken, again.get(chars, taken)) for chars, taken in found.seconds.items()}
        )
    return found


def _measured(
    speaker: Speaker, aim: Aim | Look, shape: Shape, sizes: Sequence[int]
) -> dict[int, float]:
    found: dict[int, float] = {}
    refusals = 0
    for chars in sizes:
        text = shape(chars).encode()[:TEXT_BYTES_MAX].decode(errors="ignore")
        found[chars], refused = speaker.take(aim, text)
        refusals = refusals + 1 if refused else 0
        if found[chars] > _LONG_S or refusals >= _REFUSALS_MAX:
            break
    return found


@contextmanager
def listening(home: Path) -> Iterator[tuple[Speaker, Pulse]]:
    """A server with one call behind it, and somebody who asks for its health all the while."""
    quiet = {"COMMONPLACE_LOG_LEVEL": "warning", "HOME": str(home)}
    with server(home, module="tests.hostile.timed_server", **quiet) as running:
        speaker, pulse = Speaker(running), Pulse(running.port)
        for look in looks():
            speaker.take(look, "The first call loads the models.")
        watching = threading.Thread(target=pulse.watch, daemon=True)
        watching.start()
        try:
            yield speaker, pulse
        finally:
            pulse.end()
            watching.join()


def doubled(least: int, most: int) -> list[int]:
    """Lengths up to the most, each twice the one before, as far down as the least."""
    halves = (most // 2**step for step in itertools.count())
    return list(itertools.takewhile(lambda chars: chars >= least, halves))[::-1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", default="", help="tools whose name contains this, such as hindsight.retain"
    )
    parser.add_argument("--shape", default="", help="shapes whose name contains this")
    parser.add_argument(
        "--least", type=int, default=LEAST_CHARS, help="length of the shortest text"
    )
    parser.add_argument("--most", type=int, default=MOST_CHARS, help="length of the longest text")
    given = parser.parse_args()
    sizes = doubled(given.least, given.most)
    chosen = [aim for aim in (*aims(), *looks()) if given.only in str(aim)]
    shapes = {name: shape for name, shape in SHAPES.items() if given.shape in name}
    faults = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        listening(Path(folder) / "home") as (speaker, pulse),
    ):
        for aim in chosen:
            faults += _tried(speaker, pulse, aim, shapes, sizes)
    print(f"{len(chosen)} tools and parameters, {len(shapes)} shapes, {faults} faults")
    return 1 if faults else 0


def _tried(
    speaker: Speaker,
    pulse: Pulse,
    aim: Aim | Look,
    shapes: Mapping[str, Shape],
    sizes: Sequence[int],
) -> int:
    """Try one aim with every shape; how many of them are at fault."""
    faults, slowest, by = 0, 0.0, ""
    pulse.take()
    for name, shape in shapes.items():
        growth = grown(speaker, aim, shape, sizes)
        waited, failures = pulse.take()
        if not growth.is_linear or waited > HEALTH_S or failures:
            faults += 1
            print(
                f"FAULT {aim}, {name}: {growth}; /health {waited:.2f} s {' '.join(failures[:3])}",
                flush=True,
            )
        if (longest := max(growth.seconds.values())) > slowest:
            slowest, by = longest, f"{name}, {max(growth.seconds):,} characters"
    print(f"{aim}: at most {slowest:.2f} s ({by})", flush=True)
    return faults


if __name__ == "__main__":
    sys.exit(main())
