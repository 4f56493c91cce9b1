"""PowerMem as its clients start it: the module, its options, its environment, and lines on standard
input.
"""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import commonplace
from commonplace.app import open_engine
from commonplace.records.query import Filter
from commonplace.settings import load
from tests.dialects.powermem_client import PowerMem
from tests.dialects.requirements import requirement
from tests.models import scripted

ROOT = Path(__file__).parents[2]
INITIALIZE = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},'
    '"clientInfo":{"name":"test","version":"1.0"}}}'
)


def call(number: int, name: str, **arguments: Any) -> str:
    params = {"name": name, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})


class Place:
    """A person's machine: a home, a working folder, and an environment with nothing of ours in
    it.
    """

    def __init__(self, folder: Path) -> None:
        self.home, self.work = folder / "home", folder / "work"
        self.home.mkdir()
        self.work.mkdir()
        self.store = self.home / "store"

    def run(
        self, *lines: str, args: tuple[str, ...] = (), **environment: str
    ) -> subprocess.CompletedProcess[str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        command = [sys.executable, "-m", "commonplace.mcp", *args]
        return subprocess.run(
            command,
            input="".join(f"{line}\n" for line in lines),
            cwd=self.work,
            env=kept | {"HOME": str(self.home), "COMMONPLACE_HOME": str(self.store)} | environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def answers(self, *lines: str, args: tuple[str, ...] = (), **environment: str) -> list[Any]:
        done = self.run(*lines, args=args, **environment)
        assert done.returncode == 0, done.stderr
        return sorted(map(json.loads, done.stdout.splitlines()), key=lambda one: one.get("id") or 0)

    def add(self, text: str, *args: str, **environment: str) -> tuple[dict[str, Any], str]:
        """The answer to an add by a fresh server, and what it wrote to standard error."""
        done = self.run(call(1, "add_memory", messages=text), args=args, **environment)
        assert done.returncode == 0, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)["result"]["structuredContent"]
        return answer, done.stderr

    def user(self, **environment: str) -> str:
        """What the default user is called."""
        self.add("The sky is blue", **environment)
        (answer,) = self.answers(call(1, "list_memories"), **environment)
        user: str = answer["result"]["structuredContent"]["memories"][0]["user_id"]
        return user


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@requirement(
    "powermem:test:one-liner",
    "powermem:protocol:one-line",
    "powermem:protocol:version",
    "powermem:run:module",
    "powermem:run:script",
    "powermem:log:redirect",
    "powermem:protocol:stderr",
    "powermem:config:fallback",
)
def test_the_one_liner_of_the_page_prints_exactly_one_line(place: Place) -> None:
    command = f"echo '{INITIALIZE}' | {shlex.quote(sys.executable)} -m commonplace.mcp 2> mcp.log"
    kept = {
        "PATH": os.environ["PATH"],
        "HOME": str(place.home),
        "COMMONPLACE_HOME": str(place.store),
    }
    done = subprocess.run(
        command,
        shell=True,
        cwd=place.work,
        env=kept,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert done.stdout.count("\n") == 1
    answer = json.loads(done.stdout)
    assert (answer["jsonrpc"], answer["id"], answer["result"]["protocolVersion"]) == (
        "2.0",
        1,
        "2024-11-05",
    )
    assert {"tools", "resources"} <= set(answer["result"]["capabilities"])
    assert ((place.work / "mcp.log").read_text(), done.stderr) == ("", "")


@requirement("powermem:protocol:stdio", "powermem:protocol:methods", "powermem:protocol:malformed")
def test_every_method_is_answered_notifications_are_not_and_rubbish_is_a_parse_error(
    place: Place,
) -> None:
    def ask(number: int, method: str, **params: Any) -> str:
        return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    answers = place.answers(
        INITIALIZE,
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","method":"notifications/whatever"}',
        "{broken",
        "",
        ask(2, "ping"),
        ask(3, "tools/list"),
        ask(4, "resources/list"),
        ask(5, "resources/templates/list"),
        ask(6, "prompts/list"),
        ask(7, "resources/read", uri="powermem://memory"),
        ask(8, "nonsense"),
    )

    assert [one.get("id") for one in answers] == [None, 1, 2, 3, 4, 5, 6, 7, 8]
    assert answers[0]["error"]["code"] == -32700
    assert answers[2]["result"] == {}
    assert len(answers[3]["result"]["tools"]) == 7
    assert [one["uri"] for one in answers[4]["result"]["resources"]] == ["powermem://memory"]
    assert (answers[5]["result"], answers[6]["result"]) == (
        {"resourceTemplates": []},
        {"prompts": []},
    )
    assert json.loads(answers[7]["result"]["contents"][0]["text"])["total_memories"] == 0
    assert answers[8]["error"]["code"] == -32601


@requirement("powermem:usage:examples")
def test_the_three_requests_of_the_page_are_answered(place: Place) -> None:
    metadata = {"category": "preference", "priority": "high"}
    text = "User prefers coffee in the morning"
    (added,) = place.answers(
        call(1, "add_memory", messages=text, user_id="user123", metadata=metadata)
    )
    searched, missing = place.answers(
        call(2, "search_memories", query="user preferences", user_id="user123", limit=5),
        call(3, "get_memory", memory_id=123),
    )

    assert json.loads(added["result"]["content"][0]["text"])["data"]["results"][0]["event"] == "ADD"
    assert json.loads(searched["result"]["content"][0]["text"])["results"][0]["memory"] == text
    assert missing["result"]["isError"] is True
    assert json.loads(missing["result"]["content"][0]["text"])["message"] == "Memory not found"


@requirement(
    "powermem:user:config",
    "powermem:user:fallback",
    "powermem:user:auto-created",
    "powermem:user:always",
)
def test_the_default_user_is_named_by_the_config_file_or_mcp_user(place: Place) -> None:
    assert place.user() == "mcp_user"
    assert not (place.home / ".powermem").exists()
    (place.home / ".powermem").mkdir()
    (place.home / ".powermem" / "config.json").write_text('{"user_id": "ana"}')
    assert place.user() == "ana"
    (place.home / "other").mkdir()
    (place.home / "other" / "config.json").write_text('{"user_id": "bea"}')
    assert place.user(POWERMEM_DIR=str(place.home / "other")) == "bea"


@requirement("powermem:user:unusable-dir")
@pytest.mark.parametrize(
    "content",
    [None, "", "[]", "{", '{"user_id": 5}', '{"user_id": "a\\nb"}', '{"user_id": " "}', "\x00"],
)
def test_an_unusable_folder_means_mcp_user(home: Path, tmp_path: Path, content: str | None) -> None:
    folder = tmp_path / "powermem"
    if content is not None:
        folder.mkdir()
        (folder / "config.json").write_text(content)
    for named in (folder, folder / "config.json", Path("/dev/null")):
        engine = open_engine(load({"COMMONPLACE_HOME": str(home), "POWERMEM_DIR": str(named)}))
        powermem = PowerMem(engine, engine.owner)
        powermem.add("The sky is blue")
        assert powermem("list_memories")["memories"][0]["user_id"] == "mcp_user"
        engine.db.close()


@requirement(
    "powermem:run:client-environment", "powermem:config:unknown", "powermem:config:both-generations"
)
def test_the_environment_of_the_page_is_understood_and_what_has_no_effect_is_named(
    place: Place,
) -> None:
    with scripted.model({"facts": ["The ship is red"]}) as script:
        environment = {
            "LLM_PROVIDER": "openai",
            "LLM_API_KEY": "sk-secret",
            "LLM_MODEL": "some-model",
            "OPENAI_LLM_BASE_URL": script.url,
            "EMBEDDING_PROVIDER": "openai",
            "EMBEDDING_API_KEY": "sk-other",
            "DATABASE_PROVIDER": "sqlite",
            "LLM_FLAVOUR": "vanilla",
            "SQLITE_PATH": str(place.home / "elsewhere.db"),
        }
        answer, errors = place.add("The ship is painted red", **environment)

    assert [one["memory"] for one in answer["data"]["results"]] == ["The ship is red"]
    assert (script.keys, script.asked[0]["model"]) == (["Bearer sk-secret"], "some-model")
    (warning,) = errors.splitlines()
    assert warning.startswith(
        "Warning: No effect here: EMBEDDING_API_KEY, EMBEDDING_PROVIDER, LLM_FLAVOUR, SQLITE_PATH."
    )
    assert "sk-" not in errors
    assert not (place.home / "elsewhere.db").exists()


@requirement("powermem:config:unknown")
@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"LLM_PROVIDER": "qwen"}, "qwen needs a key"),
        (
            {"LLM_PROVIDER": "azure", "LLM_API_KEY": "sk-1"},
            "No URL is known for the language model provider 'azure'",
        ),
        ({"LLM_BASE_URL": "file:///etc/passwd"}, "not an http URL"),
        ({"LLM_API_KEY": "sk-1"}, "No language model is used"),
        ({"DATABASE_PROVIDER": "oceanbase"}, "No effect here: DATABASE_PROVIDER"),
    ],
)
def test_what_cannot_work_is_a_warning_and_memories_are_added_all_the_same(
    place: Place, environment: dict[str, str], said: str
) -> None:
    answer, errors = place.add("The ship is painted red", **environment)

    assert [one["event"] for one in answer["data"]["results"]] == ["ADD"]
    assert said in errors
    assert "sk-1" not in errors


@requirement(
    "powermem:run:config",
    "powermem:config:file-first",
    "powermem:config:both-generations",
    "powermem:config:unknown",
)
@pytest.mark.parametrize("key", ["openai_base_url", "base_url"])
def test_the_config_file_wins_and_its_unknown_keys_are_named(place: Place, key: str) -> None:
    with scripted.model({"facts": ["The ship is red"]}) as script:
        config = {
            "llm": {
                "provider": "openai",
                "config": {"model": "m", "api_key": "sk-file", key: script.url},
            },
            "vector_store": {"provider": "sqlite", "config": {"database_path": "./x.db"}},
            "embedder": {"provider": "mock"},
            "flux_capacitor": True,
        }
        (place.work / "config.json").write_text(json.dumps(config))
        answer, errors = place.add(
            "The ship is painted red",
            "--config",
            "config.json",
            LLM_API_KEY="sk-set",
            LLM_BASE_URL=scripted.nobody(),
        )

    assert [one["memory"] for one in answer["data"]["results"]] == ["The ship is red"]
    assert script.keys == ["Bearer sk-file"]
    assert "Unknown keys in --config: flux_capacitor." in errors
    assert "no effect here: embedder." in errors
    assert "sk-" not in errors


@requirement(
    "powermem:run:env",
    "powermem:config:env-file",
    "powermem:config:dot-env",
    "powermem:config:unknown",
)
def test_the_environment_wins_over_the_file_of_env_and_that_over_dot_env(place: Place) -> None:
    with scripted.model({"facts": ["The ship is red"]}) as script:
        (place.work / "named.env").write_text(
            f"export LLM_BASE_URL='{script.url}'\nLLM_MODEL=named\nSPACESHIP=1\n"
        )
        (place.work / ".env").write_text(
            "LLM_MODEL=here\nLLM_API_KEY=sk-here\nUNRELATED=1\n# LLM_X=1\n"
        )
        _, errors = place.add("The ship is painted red", "--env", "named.env")
        place.add("The ship is painted red", "--env", "named.env", LLM_MODEL="set")

    assert [one["model"] for one in script.asked[::2]][:1] == ["named"]
    assert script.asked[-1]["model"] == "set"
    assert script.keys[0] == "Bearer sk-here"
    assert "Unknown variables in --env: SPACESHIP." in errors
    assert "UNRELATED" not in errors


@requirement("powermem:config:dot-env")
def test_dot_env_of_a_folder_can_neither_move_the_store_nor_send_memories_elsewhere(
    place: Place,
) -> None:
    lines = [
        "COMMONPLACE_HOME=stolen",
        "COMMONPLACE_DATABASE=sqlite:stolen.db",
        "COMMONPLACE_LLM_URL=http://evil.example/v1",
        "LLM_BASE_URL=http://evil.example/v1",
        "POWERMEM_DIR=.",
    ]
    (place.work / ".env").write_text("\n".join(lines))
    (place.work / "config.json").write_text('{"user_id": "evil"}')

    answer, errors = place.add("The ship is painted red")

    assert "model_error" not in answer["data"]
    assert "LLM_BASE_URL in .env is ignored" in errors
    assert place.user() == "mcp_user"
    assert sorted(file.name for file in place.work.iterdir()) == [".env", "config.json"]
    assert (place.store / "commonplace.db").exists()


@requirement("powermem:config:dot-env")
def test_a_model_on_this_machine_may_stand_in_dot_env(place: Place) -> None:
    with scripted.model({"facts": ["The ship is red"]}) as script:
        (place.work / ".env").write_text(f"LLM_PROVIDER=vllm\nVLLM_LLM_BASE_URL={script.url}\n")
        answer, errors = place.add("The ship is painted red")

    assert [one["memory"] for one in answer["data"]["results"]] == ["The ship is red"]
    assert errors == ""


@requirement("powermem:config:unknown")
def test_a_dot_env_that_cannot_be_read_is_no_obstacle(place: Place) -> None:
    (place.work / ".env").write_bytes(b"\xff\xfe\x00LLM")

    assert place.add("The ship is painted red")[0]["data"]["results"]


def test_the_command_of_the_program_takes_the_same_options(place: Place) -> None:
    (place.work / "config.json").write_text('{"warp": 1}')
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "commonplace",
            "mcp",
            "--dialect",
            "powermem",
            "--config",
            "config.json",
        ],
        input=f"{INITIALIZE}\n",
        cwd=place.work,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(place.home),
            "COMMONPLACE_HOME": str(place.store),
        },
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert json.loads(done.stdout)["result"]["protocolVersion"] == "2024-11-05"
    assert "Unknown keys in --config: warp." in done.stderr


@requirement("powermem:ids:no-collision")
def test_ten_thousand_adds_from_two_processes_have_ten_thousand_ids(home: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.dialects.powermem_writer", str(home), name, "5000"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("ana", "bob")
    ]
    answers = [writer.communicate(timeout=600) for writer in writers]

    assert [errors for _, errors in answers if errors] == []
    assert len({int(line) for out, _ in answers for line in out.split()}) == 10_000
    engine = commonplace.open(home)
    assert [engine.count("default", Filter(users=(name,))) for name in ("ana", "bob")] == [
        5_000,
        5_000,
    ]
    engine.db.close()
