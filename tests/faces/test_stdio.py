"""The server on standard input and output, as the process that clients start."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commonplace.engine.engine import Engine
from commonplace.faces.mcp import messages
from commonplace.limits import CALLS_AT_ONCE_MAX, CALLS_WAITING_MAX, LINE_BYTES_MAX
from commonplace.records.memory import BankEdit
from tests.faces.pipe_client import HELLO, OURS, ROOT, Pipes, opened
from tests.faces.sample_dialect import SECRET

VERSIONS = ("2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28")
HANDSHAKE = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05",'
    '"capabilities":{},"clientInfo":{"name":"test","version":"1.0"}}}'
)


@pytest.fixture
def server(home: Path) -> Iterator[Pipes]:
    with opened(home) as pipes:
        yield pipes


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipes]:
    """A server that several tests use one after the other; what one of them sends wrong must not
    harm the next.
    """
    with opened(tmp_path_factory.mktemp("home")) as pipes:
        yield pipes


@pytest.fixture(params=["2025-11-25", "2026-07-28"])
def greeted(request: pytest.FixtureRequest, server: Pipes) -> Pipes:
    server.hello(request.param)
    return server


def one_shot(
    home: Path, lines: str, *args: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "commonplace.mcp", *args],
        input=lines,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        cwd=home.parent,
        env=os.environ | {"COMMONPLACE_HOME": str(home)} | environment,
    )


def test_the_handshake_of_the_contract_prints_one_line_and_ends_well(home: Path) -> None:
    done = one_shot(home, HANDSHAKE + "\n")

    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)
    answer = json.loads(done.stdout)
    assert (answer["id"], answer["result"]["protocolVersion"]) == (1, "2024-11-05")


def test_a_last_line_without_its_end_is_answered_too(home: Path) -> None:
    assert json.loads(one_shot(home, HANDSHAKE).stdout)["id"] == 1


@pytest.mark.parametrize("version", VERSIONS)
def test_a_client_of_any_revision_can_list_call_and_remember(version: str, server: Pipes) -> None:
    greeting = server.hello(version)

    assert greeting["instructions"] == "Recall first, remember after."
    assert server.ask("tools/list")["result"]["tools"][0]["name"] == "echo"
    assert server.call("echo", text="Grüße 🐙")["structuredContent"] == {"text": "Grüße 🐙"}
    server.call("remember", text="The port is 8080.")
    assert server.call("remembered")["structuredContent"] == {"count": 1}
    assert server.end() == []
    assert (server.process.returncode, server.errors) == (0, "")


def test_calls_work_without_any_handshake(server: Pipes) -> None:
    assert server.call("echo", text="hi")["structuredContent"] == {"text": "hi"}


def test_both_halves_of_an_answer_say_the_same(greeted: Pipes) -> None:
    result = greeted.call("everything", text="a", names=["b"], data={"c": [1, None]})

    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "`text` is required"),
        ({"text": ""}, "`text` must be at least 1"),
        ({"text": "a", "count": 11}, "`count` must be at most 10"),
        ({"text": "a", "share": "much"}, "`share` must be a number"),
        ({"text": "a", "flag": 3}, "`flag` must be true or false"),
        ({"text": "a", "kind": "blue"}, "`kind` must be one of red, green"),
        ({"text": "a", "names": 5}, "`names` must be a list"),
        ({"text": "a", "data": []}, "`data` must be an object"),
    ],
)
def test_wrong_arguments_are_a_result_the_model_can_act_on(
    arguments: dict[str, object], said: str, patient: Pipes
) -> None:
    result = patient.call("everything", **arguments)

    assert result["isError"] is True
    assert said in result["content"][0]["text"]


def test_a_tool_that_fails_says_what_to_do(greeted: Pipes) -> None:
    result = greeted.call("refuse")

    assert result["isError"] is True
    assert result["content"][0]["text"] == "There is no such note. List the notes first."


def test_a_bug_is_noted_once_and_the_caller_gets_the_reference_and_nothing_else(
    greeted: Pipes,
) -> None:
    result = greeted.call("crash")

    text = result["content"][0]["text"]
    reference = re.fullmatch(r"internal error, reference ([0-9a-f]{8})", text)
    assert result["isError"] is True
    assert reference
    assert result["structuredContent"]["error"]["message"] == text
    greeted.end()
    assert greeted.errors.count(reference[1]) == 1
    assert "KeyError" in greeted.errors
    assert not [
        leak
        for leak in (SECRET, "Traceback", str(ROOT))
        if leak in greeted.errors + json.dumps(result)
    ]


def test_a_bug_in_a_resource_is_noted_too(server: Pipes) -> None:
    error = server.ask("resources/read", uri="memo://notes/broken")["error"]

    assert error["code"] == messages.INTERNAL_ERROR
    assert SECRET not in json.dumps(error)


def test_an_answer_that_json_cannot_say_is_an_internal_error(greeted: Pipes) -> None:
    error = greeted.ask("tools/call", name="not_a_number", arguments={})["error"]

    assert error["code"] == messages.INTERNAL_ERROR
    assert greeted.call("echo", text="on we go")["isError"] is False


def test_resources_prompts_and_completions_are_served(greeted: Pipes) -> None:
    read = greeted.ask("resources/read", uri="memo://notes/a%20b")["result"]["contents"]
    written = greeted.ask("prompts/get", name="greet", arguments={"name": "Ada"})["result"][
        "messages"
    ]
    typed = {
        "ref": {"type": "ref/prompt", "name": "greet"},
        "argument": {"name": "name", "value": "name-00"},
    }

    assert read == [{"uri": "memo://notes/a%20b", "mimeType": "text/markdown", "text": "# a b"}]
    assert written == [{"role": "user", "content": {"type": "text", "text": "Greet Ada"}}]
    assert len(greeted.ask("completion/complete", **typed)["result"]["completion"]["values"]) == 10


@pytest.mark.parametrize(
    ("version", "code"), [("2024-11-05", -32002), ("2025-11-25", -32002), ("2026-07-28", -32602)]
)
def test_a_resource_that_is_not_there_has_the_code_of_its_era(
    version: str, code: int, server: Pipes
) -> None:
    server.hello(version)

    assert server.ask("resources/read", uri="memo://nothing")["error"]["code"] == code


def test_a_slow_call_holds_up_nothing(greeted: Pipes) -> None:
    slow = greeted.request("tools/call", name="hold", arguments={"name": "x"})
    assert greeted.call("await_hold", name="x")["structuredContent"] == {"held": True}
    assert greeted.ask("tools/list")["result"]["tools"]

    fast = greeted.request("tools/call", name="release", arguments={"name": "x"})

    assert {greeted.receive()["id"], greeted.receive()["id"]} == {slow, fast}


def test_ping_is_answered_while_every_worker_is_busy(server: Pipes) -> None:
    server.hello("2025-11-25")
    held = [
        server.request("tools/call", name="hold", arguments={"name": "x"})
        for _ in range(CALLS_AT_ONCE_MAX)
    ]
    waiting = server.request("tools/call", name="release", arguments={"name": "x"})

    assert server.ask("ping")["result"] == {}

    server.send(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": held[0]}}
    )
    answered = {server.receive()["id"] for _ in held}
    assert answered == {*held[1:], waiting}


def test_a_cancelled_call_stops_and_is_never_answered(greeted: Pipes) -> None:
    held = greeted.request("tools/call", name="hold", arguments={"name": "x"})
    greeted.call("await_hold", name="x")

    greeted.send(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": held}}
    )

    assert greeted.call("echo", text="still here")["isError"] is False
    # The input ends, and the process with it: it would not, if the call still waited.
    assert greeted.end() == []
    assert greeted.process.returncode == 0


def test_a_call_that_is_cancelled_before_its_turn_does_nothing(server: Pipes) -> None:
    held = [
        server.request("tools/call", name="hold", arguments={"name": "x"})
        for _ in range(CALLS_AT_ONCE_MAX)
    ]
    queued = server.request("tools/call", name="remember", arguments={"text": "too late"})
    for one in (queued, held[0]):
        server.send(
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": one}}
        )
    server.request("tools/call", name="release", arguments={"name": "x"})
    for _ in held:
        server.receive()

    assert server.call("remembered")["structuredContent"] == {"count": 0}


def test_more_calls_than_can_wait_are_refused_and_the_others_answered(server: Pipes) -> None:
    for _ in range(CALLS_AT_ONCE_MAX):
        held = server.request("tools/call", name="hold", arguments={"name": "x"})
    for _ in range(CALLS_WAITING_MAX):
        server.request("tools/call", name="echo", arguments={"text": "a"})

    assert (
        "Too many calls"
        in server.ask("tools/call", name="echo", arguments={"text": "a"})["error"]["message"]
    )

    server.send(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": held}}
    )
    answers = [server.receive() for _ in range(CALLS_WAITING_MAX)]
    assert all(one["result"]["isError"] is False for one in answers)


@pytest.mark.parametrize(
    "params", [None, {}, {"requestId": 99}, {"requestId": None}, {"requestId": []}, [1], "x"]
)
def test_a_cancellation_of_nothing_is_passed_over(params: object, patient: Pipes) -> None:
    patient.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})

    assert patient.ask("ping")["result"] == {}


def test_progress_comes_before_the_answer_when_it_was_asked_for(greeted: Pipes) -> None:
    wanted = greeted.request(
        "tools/call", name="count_to", arguments={"number": 3}, _meta={"progressToken": "p"}
    )
    news = [greeted.receive() for _ in range(3)]

    assert greeted.receive()["id"] == wanted
    assert [one["method"] for one in news] == ["notifications/progress"] * 3
    assert news[2]["params"] == {
        "progressToken": "p",
        "progress": 3,
        "total": 3,
        "message": "step 3",
    }


def test_nobody_hears_of_progress_unasked(greeted: Pipes) -> None:
    assert greeted.call("count_to", number=100)["structuredContent"] == {"counted": 100}


def test_stray_output_never_reaches_the_protocol(greeted: Pipes) -> None:
    assert greeted.call("chatter")["structuredContent"] == {"child": 0, "read": ""}
    assert greeted.end() == []
    assert greeted.errors.count("noise from") == 3


def test_a_call_knows_its_client_session_bank_and_folder(home: Path) -> None:
    seen: list[Any] = []
    for version in ("2025-11-25", "2026-07-28"):
        with opened(home, OURS, "work") as server:
            server.hello(version)
            seen += [
                server.call("whoami")["structuredContent"],
                server.call("whoami")["structuredContent"],
            ]

    assert {(one["bank"], one["client"], one["folder"]) for one in seen} == {
        ("work", "pipes", str(ROOT))
    }
    assert seen[0]["session"] == seen[1]["session"] != seen[2]["session"] == seen[3]["session"]
    assert all(one["session"] for one in seen)


def test_a_client_with_one_bank_is_told_which_and_what_it_is_for(
    home: Path, engine: Engine
) -> None:
    engine.create_bank("work", BankEdit(mission="Keep what the team decided."))
    with opened(home, OURS, "work") as server:
        told = server.hello("2025-11-25")["instructions"]

    assert told.endswith("the bank `work`. Keep what the team decided.")


@pytest.mark.parametrize(
    ("line", "code", "request_id"),
    [
        (b"{not json}", messages.PARSE_ERROR, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"', messages.PARSE_ERROR, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', messages.PARSE_ERROR, None),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}',
            messages.PARSE_ERROR,
            None,
        ),
        (b"[" * 50_000, messages.PARSE_ERROR, None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', messages.INVALID_REQUEST, None),
        (b'{"id":1,"method":"ping"}', messages.INVALID_REQUEST, 1),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', messages.INVALID_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":"a","method":"nope"}', messages.METHOD_NOT_FOUND, "a"),
        (b'{"jsonrpc":"2.0","id":"a","method":"ping","params":[]}', messages.INVALID_PARAMS, "a"),
        (b'{"jsonrpc":"2.0","id":"a","method":"tools/call"}', messages.INVALID_PARAMS, "a"),
        (
            b'{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"nope"}}',
            messages.INVALID_PARAMS,
            "a",
        ),
    ],
)
def test_a_bad_line_is_answered_and_the_next_one_too(
    line: bytes, code: int, request_id: object, patient: Pipes
) -> None:
    patient.write(b"\n  \r\n" + line + b"\r\n")

    answer = patient.receive()
    assert (answer["error"]["code"], answer["id"]) == (code, request_id)
    assert patient.ask("ping")["result"] == {}


def test_a_line_beyond_the_limit_is_refused_and_the_next_one_answered(server: Pipes) -> None:
    whole = b'{"jsonrpc":"2.0","id":"long","method":"ping","params":{"a":"%s"}}\n'
    server.write(whole % (b"x" * LINE_BYTES_MAX))
    server.write(whole % (b"x" * (LINE_BYTES_MAX - len(whole))))

    assert f"{LINE_BYTES_MAX:,}" in server.receive()["error"]["message"]
    assert server.receive() == {"jsonrpc": "2.0", "id": "long", "result": {}}


def test_the_end_of_input_lets_running_calls_finish(server: Pipes) -> None:
    server.hello("2025-11-25")
    ids = [
        server.request("tools/call", name="remember", arguments={"text": f"fact {n}"})
        for n in range(30)
    ]

    answers = server.end()

    assert sorted(one["id"] for one in answers) == ids
    assert not any(one["result"]["isError"] for one in answers)
    assert server.process.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_running_calls_finish(
    number: signal.Signals, greeted: Pipes, tmp_path: Path
) -> None:
    file = tmp_path / "go on"
    held = greeted.request("tools/call", name="hold", arguments={"name": str(file)})
    greeted.call("await_hold", name=str(file))

    greeted.process.send_signal(number)
    file.touch()

    assert [one["id"] for one in greeted.rest()] == [held]
    assert (greeted.process.returncode, greeted.errors) == (0, "")


def test_a_second_signal_ends_a_call_that_never_ends(server: Pipes) -> None:
    server.request("tools/call", name="hold", arguments={"name": "forever"})
    server.call("await_hold", name="forever")

    server.process.send_signal(signal.SIGTERM)
    while server.process.poll() is None:
        server.process.send_signal(signal.SIGTERM)

    assert server.process.returncode == -signal.SIGTERM


def test_a_client_that_goes_away_ends_the_server_quietly(home: Path) -> None:
    reader, writer = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", OURS],
        cwd=ROOT,
        env=os.environ | {"COMMONPLACE_HOME": str(home)},
        stdin=subprocess.PIPE,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writer)
    os.close(reader)
    assert process.stdin
    assert process.stderr
    # The input stays open: only the answer that nobody takes tells the server.
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "echo", "arguments": {"text": "a"}},
    }
    process.stdin.write(json.dumps(call) + "\n")
    process.stdin.flush()

    assert process.wait(30) == 0
    assert process.stderr.read() == ""
    process.stdin.close()
    process.stderr.close()


def test_a_subscription_is_acknowledged_and_ended_with_the_server(server: Pipes) -> None:
    server.modern = True
    wanted = {"toolsListChanged": True, "resourceSubscriptions": ["memo://about"]}
    first = server.request("subscriptions/listen", notifications=wanted)
    acknowledged = server.receive()
    second = server.request("subscriptions/listen", notifications={})
    server.receive()
    server.send(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": second}}
    )

    assert acknowledged["method"] == "notifications/subscriptions/acknowledged"
    assert acknowledged["params"]["notifications"] == {"toolsListChanged": True}
    assert acknowledged["params"]["_meta"] == {messages.SUBSCRIPTION_KEY: first}
    (ended,) = server.end()
    assert (ended["id"], ended["result"]["_meta"][messages.SUBSCRIPTION_KEY]) == (first, first)


@pytest.mark.parametrize(
    ("action", "erased"), [("accept", True), ("decline", False), ("cancel", False)]
)
def test_a_modern_client_is_asked_before_everything_is_destroyed(
    action: str, erased: bool, server: Pipes
) -> None:
    server.modern = True
    able = {messages.CLIENT_CAPABILITIES_KEY: {"elicitation": {}}}
    asked = server.ask("tools/call", name="erase", arguments={"name": "a"}, _meta=able)["result"]
    (key,) = asked["inputRequests"]

    answer = server.ask(
        "tools/call",
        name="erase",
        arguments={"name": "a"},
        inputResponses={key: {"action": action}},
        _meta=able,
    )

    assert asked["resultType"] == "input_required"
    assert asked["inputRequests"][key]["params"]["message"] == "Really erase everything?"
    assert (
        answer["result"]["isError"],
        answer["result"]["structuredContent"] == {"erased": "a"},
    ) == (
        not erased,
        erased,
    )


@pytest.mark.parametrize(
    ("reply", "erased"),
    [
        ({"result": {"action": "accept", "content": {}}}, True),
        ({"result": {"action": "decline"}}, False),
        ({"error": {"code": -32601, "message": "cannot"}}, True),
    ],
)
def test_an_older_client_is_asked_before_everything_is_destroyed(
    reply: dict[str, object], erased: bool, server: Pipes
) -> None:
    server.ask(
        "initialize",
        protocolVersion="2025-06-18",
        **(HELLO | {"capabilities": {"elicitation": {}}}),
    )
    wanted = server.request("tools/call", name="erase", arguments={})
    question = server.receive()
    assert server.ask("ping")["result"] == {}

    server.send({"jsonrpc": "2.0", "id": question["id"]} | reply)

    answer = server.receive()
    assert question["params"]["message"] == "Really erase everything?"
    assert (answer["id"], answer["result"]["isError"]) == (wanted, not erased)


def test_a_client_that_cannot_ask_is_served_at_once(greeted: Pipes) -> None:
    assert greeted.call("erase")["structuredContent"] == {"erased": "all"}


def test_a_client_that_leaves_a_question_open_does_not_keep_the_server_alive(server: Pipes) -> None:
    server.ask(
        "initialize",
        protocolVersion="2025-11-25",
        **(HELLO | {"capabilities": {"elicitation": {}}}),
    )
    server.request("tools/call", name="erase", arguments={})
    server.receive()

    assert server.end() == []
    assert server.process.returncode == 0


def test_a_store_that_cannot_be_opened_is_told_in_the_answer_to_a_call(home: Path) -> None:
    home.write_text("not a folder")
    with opened(home) as server:
        server.hello("2025-11-25")
        result = server.call("remember", text="a")

    assert result["isError"] is True
    assert str(home) not in json.dumps(result)


def test_the_files_of_options_are_heeded(home: Path) -> None:
    (home.parent / "x.env").write_text(
        f"# a remark\nexport COMMONPLACE_HOME='{home.parent / 'other'}'\n"
    )
    (home.parent / "x.json").write_text(
        json.dumps({"home": str(home.parent / "third"), "llm": {"provider": "x"}})
    )

    one_shot(home, HANDSHAKE, "--bank", "work", "--env", "x.env")
    assert [home.exists(), (home.parent / "other").exists()] == [
        True,
        False,
    ]  # What is set wins over the file.
    one_shot(home, HANDSHAKE, "--bank", "work", "--env", "x.env", COMMONPLACE_HOME="")
    one_shot(home, HANDSHAKE, "--bank", "work", "--config", "x.json")

    assert [(home.parent / name).exists() for name in ("other", "third")] == [True, True]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--dialect", "latin"), "There is no dialect called 'latin'"),
        (("--config", "missing.json"), "--config cannot be read"),
        (("--env", "missing.env"), "--env cannot be read"),
        (("--bank", "a\nb"), "control character"),
    ],
)
def test_a_wrong_option_is_two_lines_and_an_exit_code(
    args: tuple[str, ...], said: str, home: Path
) -> None:
    done = one_shot(home, HANDSHAKE, *args)

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 2)
    assert said in done.stderr


def test_the_start_loads_neither_the_official_library_nor_numbers(home: Path) -> None:
    code = "import sys, commonplace.faces.mcp.command; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=home.parent
    )

    assert {"mcp", "pydantic", "numpy", "asyncio", "logging", "click"}.isdisjoint(
        done.stdout.split()
    )


def test_a_start_without_standard_streams_says_so(home: Path) -> None:
    done = subprocess.run(
        f"{shlex.quote(sys.executable)} -m commonplace.mcp <&-",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"COMMONPLACE_HOME": str(home)},
    )

    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (7, "", 2)
