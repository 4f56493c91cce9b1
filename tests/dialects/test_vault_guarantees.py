"""Requirements of the vault besides its tools: idempotency keys that outlive a crash, token
budgets, names and times.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from commonplace import clock
from commonplace.dialects.vault import responses
from commonplace.faces.cli.command import Shell
from commonplace.faces.cli.commands.vault import vault as vault_command
from commonplace.vault.note_format import frontmatter
from tests.dialects.requirements import requirement
from tests.dialects.vault_client import PATH, VaultClient, vault_server
from tests.vault.hostile_texts import BODIES, TITLES

WINDOWS = {
    "CON",
    "PRN",
    "AUX",
    "NUL",
    *(f"{port}{n}" for port in ("COM", "LPT") for n in range(10)),
}


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultClient]:
    with vault_server(tmp_path_factory.mktemp("promises") / "home") as client:
        yield client


@requirement("vault:append:crash", "vault:recall:key", "vault:sync:start")
def test_keys_outlive_a_killed_server_and_the_folder_is_compared_at_the_next_start(
    home: Path,
) -> None:
    with vault_server(home) as client:
        number = client.append("Kept", "An ibis wades.", idempotency_key="k")
        bundle = client.recall("ibis", idempotency_key="k")
        client.running.process.kill()
        client.running.process.wait(30)
    (home / "vault" / "meanwhile.md").write_text("A second ibis.")
    file = home / "vault" / "Kept.md"
    file.write_text(file.read_text().replace("wades", "flies"))
    with vault_server(home) as client:
        assert client.append("Kept", "An ibis wades.", idempotency_key="k") == number
        assert (
            client.failure("memory_append", title="Kept", body="Other.", idempotency_key="k") == 409
        )
        assert client.recall("ibis", idempotency_key="k") == bundle
        assert sorted(client.titles("ibis")) == ["Kept", "meanwhile"]
        assert sorted(client.files()) == ["Kept.md", "meanwhile.md"]
        assert "flies" in client.recall("ibis")


@requirement("vault:recall:budget", "vault:recall:prefix")
def test_every_budget_keeps_a_prefix_and_a_larger_one_loses_nothing(vault: VaultClient) -> None:
    for n, body in enumerate(
        ("short", "a line\n" * 30, "字" * 90, "one\n\ntwo\n" * 9, "👩‍👩‍👧‍👦 " * 20)
    ):
        vault.append(f"Sundial {n}", f"Sundial. {body}", tags=["sundial"])
    whole = vault.recall("sundial", budget_tokens=100_000)
    first = whole.index("## ", 3)
    before = 0
    for budget in (*range(1, 60), *range(60, 1_000, 13)):
        text = vault.recall("sundial", budget_tokens=budget)
        assert responses.tokens(text) <= budget
        if text.endswith("[…]\n"):
            # Only a first entry that is too long by itself is cut.
            assert before <= len(text) < first
            assert whole.startswith(text.removesuffix("[…]\n").rstrip())
        else:
            assert whole.startswith(text)
            assert len(text) >= before or not text
            before = len(text)
    assert vault.recall("sundial", budget_tokens=responses.tokens(whole)) == whole


@requirement("vault:recall:budget")
def test_a_paragraph_that_is_too_long_is_cut_between_words_and_fills_the_budget(
    vault: VaultClient,
) -> None:
    vault.append("Odyssey", "sing muse " * 3_000, tags=["odyssey"])
    text = vault.recall("odyssey", budget_tokens=1_000)
    assert 990 < responses.tokens(text) <= 1_000
    assert text.removesuffix("\n\n[…]\n").endswith(("sing", "muse"))


@requirement("vault:recall:phases", "vault:recall:order")
def test_a_tag_that_is_the_phase_to_the_letter_comes_first(vault: VaultClient) -> None:
    vault.append("Hot fix", "A hotFix is a hot fix for what is hot. Hotfix, hotFix.")
    vault.append("Bananas", "They are yellow.", tags=["hotFix"])
    vault.append("Pears", "They are green.", tags=["phase:Code Freeze"])
    assert vault.recall("hotFix").startswith("## Bananas\n")
    assert vault.recall("code freeze").startswith("## Pears\n")


@requirement("vault:recall:refused", "vault:arguments")
def test_arguments_are_those_of_the_page_and_nothing_else(vault: VaultClient) -> None:
    assert vault.failure("memory_search", query="x", typo=1) == 400
    assert vault.failure("memory_append", title="x", body="y", kind="z") == 400
    assert vault.failure("memory_forget") == 400
    assert vault.failure("memory_search", query="x", top_k=0) == 400
    assert vault.failure("memory_recall", phases=[f"phase {n}" for n in range(51)]) == 400
    for bad in (0, -1, 0.5, True, "many"):
        assert vault.failure("memory_recall", phases=["work"], budget_tokens=bad) == 400
    # The names that the server of that release had for the same.
    number = vault("memory_append", title="Older names", content="An aye-aye taps.")["id"]
    assert [
        one["id"] for one in vault("memory_search", query="aye-aye taps", limit=1)["results"]
    ] == [number]
    assert "aye-aye" in vault.recall(*["aye-aye"], budget_tokens=4096)
    result = vault.raw("memory_recall", phase="aye-aye").json["result"]
    assert "aye-aye" in result["content"][0]["text"]


@requirement("vault:file:portable", "vault:append:never-overwrite")
def test_file_names_are_portable_whatever_the_title(vault: VaultClient) -> None:
    titles = (
        *TITLES,
        "Aux",
        "lpt9.md",
        "dots...",
        "space ",
        "a/b\\c",
        "Ａ",
        "ﬁle",
        "İstanbul",
        "\U0001f3f4\u200d☠\ufe0f",
    )
    for title in titles:
        vault.append(title, f"Body of {title}")
        vault.append(title.swapcase(), "Twin.")
    names = list(vault.files())
    assert len({name.casefold() for name in names}) == len(names)
    for name in names:
        assert len(name.encode()) <= 255
        assert not re.search(r'[<>:"/\\|?*\x00-\x1f]', name)
        assert name.removesuffix(".md").split(".")[0].upper().strip() not in WINDOWS
        assert name.removesuffix(".md")[-1] not in ". "
        assert name[0] not in ". -" or name.startswith("-")


@requirement("vault:file:times", "vault:append:exact")
def test_times_in_files_are_exact_to_the_millisecond_and_bodies_to_the_byte(
    vault: VaultClient,
) -> None:
    for number, body in enumerate(BODIES):
        answer = vault("memory_append", title=f"Exact {number}", body=body)
        data = (vault.root / f"Exact {number}.md").read_bytes()
        note = frontmatter.parse_note(frontmatter.split_file(data), "")
        assert (
            clock.iso(note.created_at or 0)
            == clock.iso(note.updated_at or 0)
            == answer["created_at"]
        )
        assert data.endswith(b"---\n\n" + body.encode() + b"\n")
        forgotten = vault("memory_forget", id=answer["id"])
        data = (vault.root / f"Exact {number}.md").read_bytes()
        note = frontmatter.parse_note(frontmatter.split_file(data), "")
        assert (
            clock.iso(note.deleted_at or 0)
            == clock.iso(note.updated_at or 0)
            == forgotten["deleted_at"]
        )
        assert clock.iso(note.created_at or 0) == answer["created_at"]
        assert data.endswith(b"---\n\n" + body.encode() + b"\n")


@requirement("vault:error:order", "vault:error:401", "vault:error:403")
def test_a_stranger_is_sent_away_before_anything_else_on_every_path(vault: VaultClient) -> None:
    paths = (
        "/",
        "/health",
        "/version",
        "/metrics",
        "/nope",
        "/mcp",
        PATH,
        f"{PATH}/",
        f"{PATH}/bank",
        "/memstate/mcp",
    )
    for path in paths:
        for method in ("GET", "POST", "DELETE", "PUT", "OPTIONS"):
            for name, value in (
                ("Origin", "https://evil.example"),
                ("Origin", "null"),
                ("Host", "evil.example"),
            ):
                answer = vault.running.send(
                    method, path, b"not JSON" if method == "POST" else None, {name: value}
                )
                assert answer.status == 403, (path, method, name)
    for path in (PATH, f"{PATH}/", f"{PATH}/bank"):
        for method in ("GET", "POST", "DELETE"):
            answer = vault.running.send(method, path, b"not JSON", {})
            assert answer.status == 401
            assert answer.headers["www-authenticate"].startswith("Bearer")


@requirement("vault:forget:audit", "vault:sync:status")
def test_the_status_in_the_file_wins_and_every_turn_is_kept(vault: VaultClient) -> None:
    number = vault.append("Turns", "A numbat forages.")
    file = vault.root / "Turns.md"
    for _ in range(2):
        file.write_text(file.read_text().replace("status: active", "status: deleted"))
        assert vault.titles("numbat forages") == []
        shown = vault("memory_search", query="numbat forages", include_deleted=True)["results"][0]
        assert (shown["id"], shown["status"]) == (number, "deleted")
        file.write_text(file.read_text().replace("status: deleted", "status: active"))
        assert vault.titles("numbat forages") == ["Turns"]
    assert file.read_text().count("A numbat forages.") == 1


@requirement("vault:cli")
def test_people_have_commands_for_the_folder(vault: VaultClient) -> None:
    shell = Shell(str(vault.running.home))
    (vault.root / "no id.md").write_text("# No id\n\nA fossa climbs.\n")
    found = vault("memory_search", query="fossa climbs")["results"][0]["id"]
    for command, says in (
        ("status", "notes in"),
        ("sync", "Synchronized"),
        ("adopt", "Wrote ids into"),
    ):
        told = CliRunner().invoke(vault_command, [command], obj=shell)
        assert told.exit_code == 0, told.output
        assert says in told.output
    text = (vault.root / "no id.md").read_text()
    assert text.startswith(f"---\nid: {found}\n")
    assert text.endswith("---\n\n# No id\n\nA fossa climbs.\n")
