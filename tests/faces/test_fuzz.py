"""Every tool of every dialect, called with random and invalid arguments."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from commonplace.app import open_engine
from commonplace.dialects import registry
from commonplace.dialects.dialect import Call, Tool
from commonplace.dialects.parameters import Parameter
from commonplace.engine.engine import Engine
from commonplace.faces.http.tokens import vault_token
from commonplace.limits import BODY_BYTES_MAX
from commonplace.settings import load
from tests.faces.http_client import DEADLINE_S, Running, collected

pytestmark = (
    pytest.mark.hypothesis
)  # Its examples are made inside, where the plugin does not see them.

TOOLS = [(name, tool) for name in registry.NAMES for tool in registry.find(name).tools.values()]
LABELS = [f"{name}:{tool.name}" for name, tool in TOOLS]

odd_texts = st.sampled_from(
    (
        "",
        " ",
        "\x00",
        "half \ud83d",
        "..",
        "a..b",
        "'; drop table memories; --",
        "%s%n",
        "{}",
        "[",
        "-1",
        "1e999",
        "🎉" * 50,
    )
) | st.text(max_size=30)
odd_numbers = (
    st.sampled_from((0, -1, 1, 2**31, 2**53, 2**63, 2**70, -(2**70), 1e308, 0.5)) | st.integers()
)
huge = st.sampled_from(("x" * 2_000_000, ["x"] * 20_000, {str(n): n for n in range(5_000)}))
odd_values = st.recursive(
    st.none() | st.booleans() | odd_numbers | odd_texts | st.floats(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(odd_texts, inner, max_size=4),
    max_leaves=8,
)


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


def fitting(one: Parameter) -> st.SearchStrategy[Any]:
    """Values of about the right kind."""
    schema = one.schema
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    return {
        "string": odd_texts,
        "integer": odd_numbers,
        "number": odd_numbers | st.floats(),
        "boolean": st.booleans(),
        "array": st.lists(odd_texts, max_size=4),
        "object": st.dictionaries(odd_texts, odd_values, max_size=4),
    }.get(schema.get("type", ""), odd_values)


def calls(tool: Tool) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments for a tool: some right, some wrong, some missing, some that nobody asked for."""
    known = {
        one.name: st.one_of(fitting(one), fitting(one), odd_values, huge, st.just(nested(300)))
        for one in tool.parameters
    }
    some = st.fixed_dictionaries({}, optional=known)
    most = st.fixed_dictionaries(
        {name: fitting(one) for name, one in zip(known, tool.parameters, strict=True)}
    )
    return st.builds(
        lambda a, b: a | b, some | most, st.dictionaries(odd_texts, odd_values, max_size=1)
    )


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    home = tmp_path_factory.mktemp("home")
    opened = open_engine(load({"COMMONPLACE_HOME": str(home), "COMMONPLACE_EMBEDDER": "none"}))
    yield opened
    opened.db.close()


@pytest.fixture(scope="module")
def watcher(engine: Engine) -> Iterator[apsw.Connection]:
    """Sees whether anybody else changed the file."""
    connection = apsw.Connection(str(engine.db.path))
    yield connection
    connection.close()


@pytest.mark.parametrize(("dialect", "tool"), TOOLS, ids=LABELS)
def test_no_argument_brings_a_tool_down_and_a_refused_call_changes_nothing(
    engine: Engine, watcher: apsw.Connection, dialect: str, tool: Tool
) -> None:
    spoken = registry.find(dialect)

    @settings(
        max_examples=60, deadline=60_000, suppress_health_check=list(HealthCheck), database=None
    )
    @given(calls(tool))
    def fuzz(given: dict[str, Any]) -> None:
        before = watcher.pragma("data_version")
        reply = spoken.call(tool.name, given, Call(engine, "fuzz"))
        assert isinstance(reply.text, str)
        json.dumps(reply.structured)
        if reply.is_error:
            assert watcher.pragma("data_version") == before, reply.text
            assert "Traceback" not in reply.text

    fuzz()


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The real program, as a person starts it."""
    home = tmp_path_factory.mktemp("program")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("COMMONPLACE_", "HINDSIGHT_"))}
    process = subprocess.Popen(
        [sys.executable, "-m", "commonplace", "serve", "--port", "0"],
        env=kept | {"COMMONPLACE_HOME": str(home), "COMMONPLACE_EMBEDDER": "none"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with collected(process, home) as running:
        yield running
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE_S) == 0


@pytest.mark.parametrize(("dialect", "tool"), TOOLS, ids=LABELS)
def test_no_request_is_answered_with_a_server_error(
    program: Running, dialect: str, tool: Tool
) -> None:
    key = {"authorization": f"Bearer {vault_token(program.home)}"}

    @settings(
        max_examples=12, deadline=60_000, suppress_health_check=list(HealthCheck), database=None
    )
    @given(calls(tool), st.booleans())
    def fuzz(given: dict[str, Any], short: bool) -> None:
        params = {"name": tool.name, "arguments": given} | (
            {} if short else {"_meta": {"progressToken": 1}}
        )
        # A body over the limit is refused before it is read; a plain client that is still sending
        # may miss the answer, so test_access.py shows that refusal.
        assume(len(json.dumps(params)) < BODY_BYTES_MAX - 1_000)
        answer = program.ask(f"/{dialect}/mcp", "tools/call", params, **key)
        shown = answer.body.decode()
        assert answer.status in (200, 400, 413), shown[:500]
        assert "Traceback" not in shown
        assert "internal error" not in shown
        assert str(Path.home()) not in shown

    fuzz()
    assert program.get("/health").status == 200
    assert "internal error" not in program.log
    assert "Traceback" not in program.log
