"""The page about notes in a folder: what it shows first works, with the token and not without
it.
"""

import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.loading import ROOT
from tests.faces.conftest import fresh

PAGE = (ROOT / "docs" / "vault.md").read_text(encoding="utf-8")
SERVE, TOKEN = re.findall(
    r"^commonplace .*", PAGE.partition("```")[2].partition("```")[0], re.MULTILINE
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the lines are for a shell")


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    command = re.sub(r"--port \d+", "--port 0", SERVE)
    with subprocess.Popen(
        f"exec {command}", shell=True, env=fresh(tmp_path), stderr=subprocess.PIPE
    ) as server:
        assert server.stderr
        try:
            found = None
            while not found:
                line = server.stderr.readline().decode()
                assert line, "the server ended"
                found = re.search(r"listens on (http://\S+)", line)
            yield f"{found[1]}/mcp"
        finally:
            server.terminate()
            server.stderr.close()


def status(address: str, **headers: str) -> int:
    asked = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "page", "version": "1"},
        },
    }
    sent = headers | {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
    }
    request = urllib.request.Request(address, json.dumps(asked).encode(), sent)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def test_clients_need_the_token_that_the_page_shows(address: str, tmp_path: Path) -> None:
    token = subprocess.run(
        TOKEN, shell=True, env=fresh(tmp_path), capture_output=True, check=True, timeout=60
    ).stdout.decode()

    assert "`Authorization: Bearer TOKEN`" in PAGE
    assert status(address) == 401
    assert status(address, Authorization="Bearer wrong") == 401
    assert status(address, Authorization=f"Bearer {token.strip()}") == 200
