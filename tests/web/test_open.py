"""`commonplace open`: leads to the pages of a running server."""

import json
import socket
import subprocess
import sys

from tests.faces.http_client import Running


def run(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "commonplace", "open", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_address_of_the_running_server_is_printed(running: Running) -> None:
    plain = run("--port", str(running.port), "--print")
    asked = run("--port", str(running.port), "--print", "--bank", "a b", "--json")

    assert plain.stdout == f"{running.url}/\n"
    assert json.loads(asked.stdout)["address"] == f"{running.url}/memories?bank=a+b"
    assert running.get("/memories?bank=a+b").status == 200


def test_without_a_server_it_says_how_to_start_one() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        answer = run("--port", str(free.getsockname()[1]), "--print")

    assert answer.returncode == 9
    assert "commonplace serve" in answer.stderr
