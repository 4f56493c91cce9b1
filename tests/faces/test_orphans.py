"""A server on standard input and output ends when its client has ended."""

import json
import os
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.faces.pipe_client import HELLO, OURS, ROOT

# The server has two seconds; a machine that is busy with other things may need more, and a server
# that does not look at its parent never ends.
WAIT_S = 20

# Starts the server on the pipes it is given, says its process id, and lives on.
CLIENT = """
import subprocess, sys, time
command = [sys.executable, "-m", sys.argv[1]]
server = subprocess.Popen(command, stdin=int(sys.argv[2]), stdout=int(sys.argv[3]))
print(server.pid, flush=True)
time.sleep(600)
"""

pytestmark = pytest.mark.skipif(
    os.name != "posix", reason="there, a pipe ends with the client that made it"
)


@dataclass
class Talk:
    """A server with its client, and this process as one more that holds the pipes."""

    client: subprocess.Popen[str]
    server: int
    to_server: int
    from_server: int

    def send(self, method: str, **params: Any) -> None:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        os.write(self.to_server, json.dumps(message).encode() + b"\n")

    def greet(self) -> None:
        self.send("initialize", protocolVersion="2025-11-25", **HELLO)
        assert b'"protocolVersion"' in os.read(self.from_server, 65_536)

    def ended(self) -> bool:
        """Whether the server ends: nobody else can write its answers."""
        end = time.monotonic() + WAIT_S
        while (left := end - time.monotonic()) > 0 and select.select(
            [self.from_server], [], [], left
        )[0]:
            if not os.read(self.from_server, 65_536):
                return True
        return False


@pytest.fixture
def talk(home: Path) -> Iterator[Talk]:
    input_end, to_server = os.pipe()
    from_server, output_end = os.pipe()
    client = subprocess.Popen(
        [sys.executable, "-c", CLIENT, OURS, str(input_end), str(output_end)],
        cwd=ROOT,
        env=os.environ | {"COMMONPLACE_HOME": str(home)},
        stdout=subprocess.PIPE,
        pass_fds=(input_end, output_end),
        text=True,
    )
    assert client.stdout
    server = int(client.stdout.readline())
    os.close(input_end)
    os.close(output_end)
    talk = Talk(client, server, to_server, from_server)
    try:
        yield talk
    finally:
        client.kill()
        client.wait()
        client.stdout.close()
        if not talk.ended():
            with suppress(ProcessLookupError):
                os.kill(server, signal.SIGKILL)
        os.close(from_server)
        with suppress(OSError):
            os.close(to_server)


def test_a_server_ends_when_its_client_is_killed_although_another_process_holds_the_pipe(
    talk: Talk,
) -> None:
    talk.greet()

    talk.client.kill()

    assert talk.ended()


def test_a_server_ends_when_its_client_is_killed_in_the_middle_of_a_call_that_never_ends(
    talk: Talk,
) -> None:
    talk.greet()
    talk.send("tools/call", name="hold", arguments={"name": "forever"})
    talk.send("tools/call", name="await_hold", arguments={"name": "forever"})
    os.read(talk.from_server, 65_536)

    talk.client.kill()

    assert talk.ended()


@pytest.mark.parametrize("method", ["tools/list", "ping"])
def test_a_server_whose_answers_nobody_reads_ends_with_its_input(home: Path, method: str) -> None:
    with unread(home, method) as process:
        assert process.stdin
        process.stdin.close()

        assert process.wait(WAIT_S) == 0


def test_a_signal_ends_a_server_whose_answers_nobody_reads(home: Path) -> None:
    with unread(home, "tools/list") as process:
        process.terminate()

        assert process.wait(WAIT_S) == 0


def unread(home: Path, method: str) -> subprocess.Popen[bytes]:
    """A server that waits for somebody to read its answers."""
    process = subprocess.Popen(
        [sys.executable, "-m", OURS],
        cwd=ROOT,
        env=os.environ | {"COMMONPLACE_HOME": str(home)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin
    assert process.stdout
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method}).encode() + b"\n"
    descriptor = process.stdin.fileno()
    # A machine that is busy may take long to start it; before that, a signal ends any process.
    os.write(descriptor, line)
    assert select.select([process.stdout], [], [], WAIT_S)[0]
    os.set_blocking(descriptor, False)
    # Until nothing more goes in for a while, because nothing comes out.
    while select.select([], [descriptor], [], 1)[1]:
        with suppress(BlockingIOError):
            os.write(descriptor, line * (4096 // len(line)))
    os.set_blocking(descriptor, True)
    return process


def test_a_server_that_a_launcher_left_behind_serves_on(home: Path) -> None:
    launcher = f"{shlex.quote(sys.executable)} -m {OURS} <&3 >&4 &"
    input_end, to_server = os.pipe()
    from_server, output_end = os.pipe()
    # Descriptors 3 and 4 of the launcher, whatever numbers they have here.
    script = f"exec 3<&{input_end} 4>&{output_end}; {launcher}"
    subprocess.run(
        ["bash", "-c", script],
        cwd=ROOT,
        env=os.environ | {"COMMONPLACE_HOME": str(home)},
        pass_fds=(input_end, output_end),
        check=True,
    )
    os.close(input_end)
    os.close(output_end)
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode() + b"\n"
    try:
        for _ in range(2):
            os.write(to_server, line)
            assert b'"result"' in os.read(from_server, 65_536)
            time.sleep(1.5)
    finally:
        os.close(to_server)
    assert os.read(from_server, 65_536) == b""
    os.close(from_server)
