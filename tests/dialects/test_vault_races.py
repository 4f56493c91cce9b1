"""Notes over HTTP: concurrent edits of people, erasure, and other languages."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from commonplace.faces.cli.command import Shell
from commonplace.faces.cli.commands.purge import purge
from commonplace.vault.folder.folder import MARKER_NAME
from tests.dialects.requirements import requirement
from tests.dialects.vault_client import VaultClient, vault_server
from tests.faces.http_client import until


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultClient]:
    with vault_server(tmp_path_factory.mktemp("truth") / "home") as client:
        yield client


@requirement("vault:forget:edited", "vault:forget:race")
def test_an_edit_of_the_words_at_the_same_moment_does_not_undo_a_forget(vault: VaultClient) -> None:
    for turn in range(15):
        number = vault.append(f"Contested {turn}", "Heron.")
        file, done = vault.root / f"Contested {turn}.md", threading.Event()

        def write(file: Path = file, done: threading.Event = done) -> None:
            while not done.is_set():
                with file.open("a") as stream:
                    stream.write("One more line.\n")

        person = threading.Thread(target=write)
        person.start()
        answer = vault("memory_forget", id=number)
        done.set()
        person.join()
        assert vault("memory_forget", id=number) == answer
        until(lambda file=file: "status: deleted\n" in file.read_text(), 10)
        assert f"Contested {turn}" not in vault.titles("contested heron", top_k=200)
        assert f"deleted_at: {answer['deleted_at']}\n" in file.read_text()


@requirement("vault:erased", "vault:erased:own")
def test_a_bank_erased_through_another_tongue_leaves_no_file_of_ours(vault: VaultClient) -> None:
    made = vault.raw("memory_append", "/vault/mcp/voyage", title="Secret", body="x").json["result"]
    assert not made["isError"]
    folder = vault.root.with_name("vault-banks") / "voyage"
    (folder / "own.md").write_text("A person's own words.")
    vault.raw("memory_search", "/vault/mcp/voyage", query="own words")
    gone = vault.running.call("/hindsight/mcp", "delete_bank", {"bank_id": "voyage"})
    assert '"bank_deleted":true' in str(gone)
    assert sorted(file.name for file in folder.iterdir()) == [MARKER_NAME, "own.md"]
    found = vault.raw("memory_search", "/vault/mcp/voyage", query="own words").json["result"][
        "structuredContent"
    ]
    assert found["results"] == []
    (folder / "own.md").unlink()


@requirement("vault:erased")
def test_a_note_purged_on_the_command_line_is_gone_from_the_folder_at_once(home: Path) -> None:
    run = CliRunner()
    with vault_server(home) as client:
        number = client.append("Purged", "A secret.")
        client("memory_forget", id=number)
        assert client.running.stop() == 0
    told = run.invoke(purge, [number, "--yes"], obj=Shell(home=str(home)))
    assert told.exit_code == 0, told.output
    assert [file.name for file in (home / "vault").iterdir()] == [MARKER_NAME]


@requirement("vault:sync:dialects")
def test_what_another_tongue_keeps_is_found_and_forgotten_and_gets_no_file(
    vault: VaultClient,
) -> None:
    memory = {"messages": "The capybara bathes on Sundays.", "infer": False}
    vault.running.call("/powermem/mcp", "add_memory", memory)
    found = vault("memory_search", query="when does the capybara bathe?")["results"][0]
    before = set(vault.files())
    assert vault("memory_forget", id=found["id"])["status"] == "deleted"
    assert vault.titles("capybara bathes sundays") == []
    assert set(vault.files()) == before


@requirement("vault:sync:dialects")
def test_a_note_edited_through_another_tongue_is_edited_in_its_file_when_the_answer_comes(
    vault: VaultClient,
) -> None:
    number = vault.append("Berth", "The boat lies at berth 7.")
    file = vault.root / "Berth.md"
    vault.running.call(
        "/powermem/mcp", "update_memory", {"memory_id": number, "content": "It lies at berth 9."}
    )
    assert file.read_text().endswith("\n\nIt lies at berth 9.\n")
    vault.running.call("/powermem/mcp", "delete_memory", {"memory_id": number})
    assert "status: deleted\n" in file.read_text()
    file.write_text(file.read_text().replace("status: deleted", "status: active"))
    found = vault.running.call(
        "/powermem/mcp", "search_memories", {"query": "where does the boat lie? berth"}
    )
    until(lambda: vault.titles("boat berth") == ["Berth"], 10)
    assert found is not None
