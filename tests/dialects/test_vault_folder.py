"""The vault's folder while a server runs: people, sync clients, other dialects and crashes."""

import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from commonplace.app import open_engine
from commonplace.dialects.memstate import DIALECT as MEMSTATE
from commonplace.dialects.powermem import DIALECT as POWERMEM
from commonplace.dialects.vault import DIALECT
from commonplace.engine.engine import Engine
from commonplace.faces.cli.command import Shell
from commonplace.faces.cli.commands.maintenance import doctor
from commonplace.faces.cli.commands.vault import vault as vault_command
from commonplace.records.query import Filter
from commonplace.settings import load
from commonplace.vault.note_format import frontmatter
from commonplace.vault.sync import sync
from commonplace.vault.vault import vault_of
from tests.dialects.dialect_client import Client
from tests.dialects.requirements import requirement
from tests.dialects.vault_client import VaultClient, vault_server
from tests.faces.http_client import server, until
from tests.faces.pipe_client import opened

# 200 rounds take most of a minute; `VAULT_CRASHES=200` runs them.
ROUNDS = int(os.environ.get("VAULT_CRASHES", "200"))


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultClient]:
    with vault_server(tmp_path_factory.mktemp("vault") / "home") as client:
        yield client


@requirement("vault:sync:seen")
def test_a_file_dropped_into_the_folder_is_noticed_without_a_call(vault: VaultClient) -> None:
    vault.append("First")
    (vault.root / "dropped.md").write_text("A narwhal surfaced.")
    reader = open_engine(load({"COMMONPLACE_HOME": str(vault.running.home)}))
    until(lambda: any("narwhal" in one.text for one in reader.list("default")), 10)
    (vault.root / "dropped.md").write_text("A walrus surfaced.")
    until(lambda: any("walrus" in one.text for one in reader.list("default")), 10)
    reader.db.close()


@requirement("vault:binds")
def test_the_vault_can_be_what_mcp_speaks(home: Path) -> None:
    with server(
        home, "serve", "--port", "0", "--dialect", "vault", module="commonplace"
    ) as running:
        client = VaultClient(running)
        assert running.ask("/mcp", "tools/list").status == 401
        answer = client.raw("memory_append", "/mcp", title="Here", body="b").json["result"]
        assert not answer["isError"]
        assert (home / "vault" / "Here.md").exists()


@requirement("vault:sync:broken")
def test_a_broken_file_hides_nothing_and_doctor_lists_it(home: Path, engine: Engine) -> None:
    client = Client(engine, DIALECT)
    client.result("memory_append", title="Sound", body="A sound note.", idempotency_key="k")
    (home / "vault" / "broken.md").write_text("---\ntitle: oops\nx")
    assert client.result("memory_search", query="sound note")["structuredContent"]["results"]
    assert not client.result("memory_append", title="More", body="b", idempotency_key="l")[
        "isError"
    ]
    run = CliRunner()
    told = run.invoke(doctor, ["--json"], obj=Shell(home=str(home)))
    assert "broken.md" in told.output
    told = run.invoke(vault_command, ["status", "--json"], obj=Shell(home=str(home)))
    assert (told.exit_code, "broken.md" in told.output) == (1, True)
    (home / "vault" / "broken.md").write_text("mended")
    for command in ("status", "sync", "adopt", "status"):
        told = run.invoke(vault_command, [command], obj=Shell(home=str(home)))
        assert told.exit_code == 0, told.output
    assert (home / "vault" / "broken.md").read_text().startswith("---\nid: note_")


@requirement("vault:sync:dialects")
def test_other_dialects_find_edit_and_forget_notes_and_the_file_follows(
    home: Path, engine: Engine
) -> None:
    vault, powermem, memstate = (Client(engine, one) for one in (DIALECT, POWERMEM, MEMSTATE))
    number = vault.result("memory_append", title="Pier", body="The boat lies at pier 7.")[
        "structuredContent"
    ]["id"]
    found = powermem.result("search_memories", query="where is the boat?")["structuredContent"][
        "results"
    ][0]
    assert found["memory"] == "The boat lies at pier 7."
    assert memstate.result("memstate_search", query="where is the boat?")["structuredContent"]["ok"]
    powermem.result("update_memory", memory_id=number, content="The boat lies at pier 9.")
    again = vault.result("memory_search", query="boat pier")["structuredContent"]["results"][0]
    assert (again["id"], again["body"]) == (number, "The boat lies at pier 9.")
    assert (home / "vault" / "Pier.md").read_text().endswith("\n\nThe boat lies at pier 9.\n")
    powermem.result("delete_memory", memory_id=number)
    assert vault.result("memory_search", query="boat pier")["structuredContent"]["results"] == []
    assert "status: deleted\n" in (home / "vault" / "Pier.md").read_text()


def everything(vault: VaultClient, query: str) -> dict[str, tuple[object, ...]]:
    """All that a search finds, page after page."""
    found, cursor = dict[str, tuple[object, ...]](), None
    while True:
        answer = vault("memory_search", query=query, top_k=200, include_deleted=True, cursor=cursor)
        found |= {
            one["id"]: (one["title"], one["body"], one["tags"], one["status"])
            for one in answer["results"]
        }
        cursor = answer.get("next_cursor")
        if cursor is None:
            return found


@requirement("vault:sync:crowd", "vault:sync:grace")
def test_files_dropped_in_and_removed_during_queries_end_as_a_fresh_rebuild(home: Path) -> None:
    root = home / "vault"
    root.mkdir(parents=True)
    with server(home, "0", module="tests.dialects.vault_short_grace_server") as running:
        vault, done = VaultClient(running), threading.Event()

        def ask() -> int:
            count = 0
            while not done.is_set():
                assert len(vault.titles("seagull cries", top_k=200)) <= 200
                count += 1
            return count

        with ThreadPoolExecutor(2) as crowd:
            asked = [crowd.submit(ask) for _ in range(2)]
            try:
                for n in range(500):
                    (root / f"note {n}.md").write_text(
                        f"---\ntitle: Note {n}\ntags: [t{n % 7}]\n---\nSeagull {n} cries.\n"
                    )
                until(lambda: len(everything(vault, "seagull cries")) == 500, 60)
                for n in range(0, 500, 2):
                    (root / f"note {n}.md").unlink()
                gone = {f"Note {n}" for n in range(0, 500, 2)}
                until(
                    lambda: (
                        gone
                        == {
                            o[0]
                            for o in everything(vault, "seagull cries").values()
                            if o[3] == "deleted"
                        }
                    ),
                    60,
                )
            finally:
                done.set()
            assert all(one.result() > 1 for one in asked)
        left = {
            number: one
            for number, one in everything(vault, "seagull cries").items()
            if one[3] == "active"
        }
    fresh_home = home.with_name("fresh")
    with server(
        fresh_home,
        "0",
        module="tests.dialects.vault_short_grace_server",
        COMMONPLACE_VAULT=str(root),
    ) as running:
        fresh = VaultClient(running)
        assert everything(fresh, "seagull cries") == left
    assert len(left) == 250


@requirement("vault:stdio")
def test_the_tools_work_on_standard_input_and_output(home: Path) -> None:
    with opened(home, "commonplace", "mcp", "--dialect", "vault") as pipes:
        pipes.hello("2025-06-18")
        made = pipes.call("memory_append", title="Over pipes", body="b", idempotency_key="k")[
            "structuredContent"
        ]
        again = pipes.call("memory_append", title="Over pipes", body="b", idempotency_key="k")[
            "structuredContent"
        ]
        assert again == made
        assert pipes.call("memory_append", title="x", body="y", idempotency_key="k")["isError"]
        assert (
            pipes.call("memory_search", query="pipes")["structuredContent"]["results"][0]["id"]
            == made["id"]
        )
        assert "Over pipes" in pipes.call("memory_recall", phases=["pipes"])["content"][0]["text"]
        assert (
            pipes.call("memory_forget", id=made["id"])["structuredContent"]["status"] == "deleted"
        )
    assert "status: deleted" in (home / "vault" / "Over pipes.md").read_text()


@requirement("vault:append:forgotten", "vault:append:key")
def test_a_key_of_a_note_that_a_person_deleted_in_its_file_is_not_called_active(home: Path) -> None:
    with opened(home, "commonplace", "mcp", "--dialect", "vault") as pipes:
        pipes.hello("2025-06-18")
        wanted = {"title": "Keyed", "body": "b", "idempotency_key": "k"}
        made = pipes.call("memory_append", **wanted)["structuredContent"]
        file = home / "vault" / "Keyed.md"
        file.write_text(file.read_text().replace("status: active", "status: deleted"))
        again = pipes.call("memory_append", **wanted)["structuredContent"]
        assert (again["id"], again["status"]) == (made["id"], "deleted")


@requirement("vault:sync:dialects", "vault:stdio")
def test_a_file_that_a_person_drops_or_edits_is_found_by_other_dialects_on_pipes(
    home: Path,
) -> None:
    with opened(home, "commonplace", "mcp", "--dialect", "powermem") as pipes:
        pipes.hello("2025-06-18")
        pipes.call("search_memories", query="anything at all")
        file = home / "vault" / "dropped.md"
        file.parent.mkdir()
        file.write_text("The pangolin sleeps in the attic.")
        until(
            lambda: (
                "attic"
                in str(pipes.call("search_memories", query="where does the pangolin sleep?"))
            ),
            6,
        )
        file.write_text("The pangolin sleeps in the cellar.")
        until(
            lambda: (
                "cellar"
                in str(pipes.call("search_memories", query="where does the pangolin sleep?"))
            ),
            6,
        )


@requirement("vault:append:crash")
def test_a_killed_writer_leaves_whole_files_and_a_retry_makes_no_second_entry(home: Path) -> None:
    chance = random.Random(7)
    engine = open_engine(load({"COMMONPLACE_HOME": str(home)}))
    client, root = Client(engine, DIALECT), home / "vault"
    with ProcessCrowd(home) as crowd:
        for turn in range(ROUNDS):
            crowd.killed(turn, chance.uniform(0.0, 0.06))
            answers = [
                client.result(
                    "memory_append", title=f"T {turn} {n}", body="b", idempotency_key=f"{turn}-{n}"
                )
                for n in range(3)
            ]
            assert not any(one["isError"] for one in answers)
    report = sync(vault_of(engine), full=True)
    assert report.broken == {}
    found = [
        frontmatter.parse_note(frontmatter.split_file(file.read_bytes()), file.stem)
        for file in sorted(root.glob("*.md"))
    ]
    live = engine.list("default", Filter(status="any"), limit=1000)
    assert {note.id for note in found} == {one.id for one in live}
    assert len({note.title for note in found}) == len(found)
    assert {one.id for one in live if one.forgotten_at is not None} == {
        note.id for note in found if note.deleted
    }
    engine.db.close()


class ProcessCrowd:
    """Writers that are killed, one after the other, while the next one already starts."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._next = self._started()

    def __enter__(self) -> "ProcessCrowd":
        return self

    def __exit__(self, *_exception: object) -> None:
        self._next.kill()
        self._ended(self._next)

    def killed(self, turn: int, after_s: float) -> None:
        """Let a writer begin a turn and kill it at some moment of it."""
        writer, self._next = self._next, self._started()
        assert writer.stdin
        assert writer.stdout
        assert writer.stdout.readline() == b"ready\n"
        writer.stdin.write(f"{turn}\n".encode())
        writer.stdin.flush()
        with suppress(subprocess.TimeoutExpired):
            writer.wait(after_s)
        writer.send_signal(signal.SIGKILL)
        self._ended(writer)

    def _started(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "tests.dialects.vault_writer", str(self._home)]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def _ended(self, process: "subprocess.Popen[bytes]") -> None:
        process.wait(30)
        for stream in (process.stdin, process.stdout):
            if stream:
                stream.close()
