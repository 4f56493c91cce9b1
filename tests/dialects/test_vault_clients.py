"""Edits of a folder of notes by editors, sync clients and people, seen through the tools over
HTTP.
"""

import json
import os
import unicodedata
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import CliRunner

from commonplace.app import open_engine
from commonplace.faces.cli.command import Shell
from commonplace.faces.cli.commands.maintenance import doctor
from commonplace.faces.cli.commands.vault import vault as vault_command
from commonplace.limits import TEXT_BYTES_MAX
from commonplace.settings import load
from tests.dialects.requirements import requirement
from tests.dialects.vault_client import VaultClient, vault_server
from tests.faces.http_client import until

# Files that nobody but a sync program makes.
CONFLICTS = (
    "{} (Ada's conflicted copy 2026-01-01).md",  # Dropbox
    "{} (conflicted copy 2026-01-01 120000).md",  # Nextcloud
    "{}.sync-conflict-20260101-120000-ABCDEF1.md",  # Syncthing
    "{}-DESKTOP-AB12CD3.md",  # OneDrive
    "{} (1).md",  # Google Drive
    "{} [Conflict].md",  # Google Drive
    "{}_conflict-20260101-120000.md",  # ownCloud
    "{}.Conflict.md",  # Resilio
)
# Files that a person may have made as well.
COPIES = (
    "{} 2.md",  # iCloud
    "Copy of {}.md",  # Google Drive
    "{} copy.md",  # Finder
)


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VaultClient]:
    with vault_server(tmp_path_factory.mktemp("clients") / "home") as client:
        yield client


def status(vault: VaultClient) -> dict[str, Any]:
    """What `commonplace vault status` says."""
    return json.loads(
        CliRunner()
        .invoke(vault_command, ["status", "--json"], obj=Shell(str(vault.running.home)))
        .output
    )


def told(vault: VaultClient, query: str) -> dict[str, str]:
    found = vault("memory_search", query=query, top_k=200)["results"]
    return {one["id"]: one["body"] for one in found}


@requirement("vault:sync:replace", "vault:sync:id")
def test_a_file_that_is_replaced_by_unlink_and_create_keeps_its_id(vault: VaultClient) -> None:
    number = vault.append("Replaced", "A quetzal sits here.")
    file = vault.root / "Replaced.md"
    data = file.read_bytes()
    file.unlink()
    assert told(vault, "quetzal") == {number: "A quetzal sits here."}
    (vault.root / ".Replaced.md.download").write_bytes(data.replace(b"sits", b"sat"))
    os.replace(vault.root / ".Replaced.md.download", file)
    assert told(vault, "quetzal") == {number: "A quetzal sat here."}


@requirement("vault:sync:id")
def test_an_id_survives_rename_move_case_and_spelling(vault: VaultClient) -> None:
    number = vault.append("Café", "A narwhal dives.")
    place = vault.root / "Café.md"
    for name in (
        unicodedata.normalize("NFD", "Café.md"),
        "CAFÉ.md",
        "deep/er/café.md",
        "Other name.md",
    ):
        (vault.root / name).parent.mkdir(parents=True, exist_ok=True)
        place = place.rename(vault.root / name)
        assert told(vault, "narwhal") == {number: "A narwhal dives."}
    vault("memory_forget", id=number)
    assert "status: deleted\n" in place.read_text()


@requirement("vault:sync:id")
def test_files_whose_names_differ_only_in_case_or_spelling_are_two_notes(
    vault: VaultClient,
) -> None:
    for name, text in (
        ("axolotl.md", "one"),
        ("Axolotl.md", "two"),
        ("axólotl.md", "three"),
        ("axo\u0301lotl.md", "four"),
    ):
        (vault.root / name).write_text(f"axolotl {text}")
    assert sorted(told(vault, "axolotl").values()) == [
        "axolotl four",
        "axolotl one",
        "axolotl three",
        "axolotl two",
    ]
    run = CliRunner().invoke(vault_command, ["sync", "--json"], obj=Shell(str(vault.running.home)))
    assert run.exit_code == 0
    assert len(told(vault, "axolotl")) == 4


@pytest.mark.parametrize("shape", CONFLICTS)
@requirement("vault:sync:copy")
def test_a_conflict_copy_is_reported_and_kept_out_of_answers(
    vault: VaultClient, shape: str
) -> None:
    title = f"Conflict {CONFLICTS.index(shape)}"
    number = vault.append(title, f"Serval {title} first.")
    copy = vault.root / shape.format(title)
    copy.write_text((vault.root / f"{title}.md").read_text().replace("first", "second"))
    before = copy.read_bytes()
    assert told(vault, f"serval {title}").get(number) == f"Serval {title} first."
    assert not [body for body in told(vault, "serval second").values() if "second" in body]
    assert copy.name in status(vault)["conflicts"]
    assert (
        copy.name
        in CliRunner().invoke(doctor, ["--json"], obj=Shell(str(vault.running.home))).output
    )
    assert copy.read_bytes() == before
    copy.unlink()


@pytest.mark.parametrize("shape", COPIES)
@requirement("vault:sync:copy")
def test_a_copy_is_reported_and_never_shares_an_id(vault: VaultClient, shape: str) -> None:
    title = f"Original {COPIES.index(shape)}"
    number = vault.append(title, f"Ocelot {title} first.")
    file, copy = vault.root / f"{title}.md", vault.root / shape.format(title)
    copy.write_text(file.read_text().replace("first", "second"))
    found = told(vault, f"ocelot {title}")
    assert found[number] == f"Ocelot {title} first."
    other = [one for one, body in found.items() if body == f"Ocelot {title} second."]
    assert len(other) == 1
    assert number not in other
    assert copy.name in status(vault)["copies"]
    vault("memory_forget", id=other[0])
    assert "status: active\n" in file.read_text()
    assert f"id: {other[0]}\n" in copy.read_text()
    copy.unlink()


@requirement("vault:sync:copy")
def test_a_copy_stays_its_own_note_when_its_original_goes(vault: VaultClient) -> None:
    number = vault.append("Source", "An okapi walks.")
    copy = vault.root / "Source copy.md"
    copy.write_bytes((vault.root / "Source.md").read_bytes())
    own = next(one for one in told(vault, "okapi") if one != number)
    (vault.root / "Source.md").unlink()
    for command in ("sync", "status"):
        CliRunner().invoke(vault_command, [command], obj=Shell(str(vault.running.home)))
    assert set(told(vault, "okapi")) == {number, own}
    copy.unlink()


@requirement("vault:sync:passed")
def test_what_is_on_its_way_and_what_lies_outside_is_no_note(vault: VaultClient) -> None:
    outside = vault.running.home / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("A pangolin outside.")
    names = (
        ".tmp.driveupload/a.md",
        ".obsidian/b.md",
        ".hidden.md",
        "~$c.md",
        "d.md.tmp",
        "e.md.crdownload",
        ".e.md.swp",
    )
    for name in (*names, "~syncthing~f.md.tmp", "4913", "g.png", "#h.md#", "i.md~"):
        (vault.root / name).parent.mkdir(exist_ok=True)
        (vault.root / name).write_text("A pangolin on its way.")
    (vault.root / "link.md").symlink_to(outside / "secret.md")
    (vault.root / "folder").symlink_to(outside)
    os.mkfifo(vault.root / "pipe.md")
    assert told(vault, "pangolin") == {}
    passed = status(vault)["passed"]
    assert all(
        name.partition("/")[0] in passed for name in (*names, "link.md", "folder", "pipe.md")
    )


@requirement("vault:sync:links")
def test_nothing_is_written_through_a_link_that_leaves_the_folder(vault: VaultClient) -> None:
    number = vault.append("Moved out", "A tapir sleeps.")
    away = vault.running.home / "away"
    (vault.root / "inner").mkdir()
    (vault.root / "Moved out.md").rename(vault.root / "inner" / "Moved out.md")
    assert told(vault, "tapir") == {number: "A tapir sleeps."}
    (vault.root / "inner").rename(away)
    (vault.root / "inner").symlink_to(away)
    before = (away / "Moved out.md").read_bytes()
    vault("memory_forget", id=number)
    assert (away / "Moved out.md").read_bytes() == before
    assert told(vault, "tapir") == {}
    (vault.root / "inner").unlink()


@requirement("vault:sync:broken")
def test_a_broken_file_of_any_sort_hides_nothing_else(vault: VaultClient) -> None:
    broken = {
        "unclosed.md": b"---\ntitle: oops\nx",
        "binary.md": bytes(range(256)) * 4,
        "utf16.md": "Ein Text".encode("utf-16"),
        "nul.md": b"a\0b",
        "huge.md": b"x" * (TEXT_BYTES_MAX + 200_000),
        "map.md": b"---\n{title: a, tags: [b]}\n---\nx",
    }
    for name, data in broken.items():
        (vault.root / name).write_bytes(data)
    number = vault.append("Whole", "A dugong grazes.", idempotency_key="whole")
    assert told(vault, "dugong") == {number: "A dugong grazes."}
    assert vault.append("Whole", "A dugong grazes.", idempotency_key="whole") == number
    assert "dugong" in vault.recall("dugong")
    assert set(status(vault)["broken"]) == set(broken)
    assert (
        "cannot be read"
        in CliRunner().invoke(doctor, ["--json"], obj=Shell(str(vault.running.home))).output
    )
    assert {name: (vault.root / name).read_bytes() for name in broken} == broken
    for name in broken:
        (vault.root / name).unlink()


@requirement("vault:sync:broken")
def test_doctor_looks_into_the_folder_of_every_bank(vault: VaultClient) -> None:
    assert not vault.raw("memory_append", "/vault/mcp/attic", title="Box", body="x").json["result"][
        "isError"
    ]
    file = vault.root.with_name("vault-banks") / "attic" / "broken.md"
    file.write_text("---\ntitle: oops\nx")
    told = CliRunner().invoke(doctor, ["--json"], obj=Shell(str(vault.running.home))).output
    assert "of bank 'attic' cannot be read: broken.md" in told
    assert "commonplace vault status --bank attic" in told
    file.unlink()


@requirement("vault:sync:people")
def test_what_people_do_in_the_folder_becomes_versions(vault: VaultClient) -> None:
    hand = vault.root / "by hand.md"
    hand.write_bytes(b"\xef\xbb\xbf# By hand\r\n\r\nA kakapo booms.\r\n")
    until(lambda: told(vault, "kakapo booms"), 5)
    number, body = next(iter(told(vault, "kakapo booms").items()))
    assert body == "# By hand\r\n\r\nA kakapo booms."
    vault("memory_forget", id=number)
    data = hand.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf---\r\nid: ")
    assert data.endswith(b"---\r\n\r\n# By hand\r\n\r\nA kakapo booms.\r\n")
    assert b"\n" not in data.replace(b"\r\n", b"")
    hand.write_bytes(
        data.replace(b"status: deleted", b"status: active").replace(b"booms", b"sleeps")
    )
    assert told(vault, "kakapo sleeps") == {number: "# By hand\r\n\r\nA kakapo sleeps."}
    reader = open_engine(load({"COMMONPLACE_HOME": str(vault.running.home)}))
    versions = [(one.action, one.text.split()[-1]) for one in reader.history("default", number)]
    reader.db.close()
    assert versions == [
        ("remember", "booms."),
        ("forget", "booms."),
        ("restore", "booms."),
        ("revise", "sleeps."),
    ]


@requirement("vault:sync:cloud")
def test_a_file_that_is_only_in_the_cloud_for_now_is_not_gone(vault: VaultClient) -> None:
    number = vault.append("Evicted", "A gharial basks.")
    (vault.root / "Evicted.md").rename(vault.root / ".Evicted.md.icloud")
    assert "Evicted.md" not in status(vault)["missing"]
    assert told(vault, "gharial") == {number: "A gharial basks."}


@requirement("vault:file:foreign")
def test_everything_in_a_file_that_is_not_ours_survives_every_change_of_ours(
    vault: VaultClient,
) -> None:
    number = vault.append("Mixed", "A lemur leaps.", tags=["zoo"])
    file = vault.root / "Mixed.md"
    head = "# mine\naliases: [one, two] # names\ncssclass: wide\nnested:\n  title: inner\n  - x\n"
    text = (
        file.read_text()
        .replace("---\nid:", f"---\n{head}id:", 1)
        .replace("tags: [zoo]", "tags: [zoo] # where")
    )
    file.write_bytes(
        (text.rstrip("\n") + "\n\n---\nstatus: active\n---").replace("\n", "\r\n").encode()
    )
    before = file.read_bytes()
    vault.running.call("/powermem/mcp", "search_memories", {"query": "lemur"})
    vault("memory_search", query="lemur")
    for _ in range(2):
        vault("memory_forget", id=number)
        changed = file.read_bytes()
        assert changed.endswith(b"\r\n\r\nA lemur leaps.\r\n\r\n---\r\nstatus: active\r\n---")
        file.write_bytes(changed.replace(b"status: deleted", b"status: active", 1))
        vault("memory_search", query="lemur")
    ours = (b"status", b"updated_at", b"deleted_at")
    kept = [line for line in before.split(b"\r\n") if not line.startswith(ours)]
    assert [line for line in file.read_bytes().split(b"\r\n") if not line.startswith(ours)] == kept


def test_a_hit_names_its_file_and_the_notes_that_link_to_it(vault: VaultClient) -> None:
    (vault.root / "Trips").mkdir()
    (vault.root / "Trips" / "Texel.md").write_text("The wombat sails to Texel. #island\n")
    (vault.root / "Crew.md").write_text("Ada comes along to [[Texel|the island]].\n")
    hit = next(
        one
        for one in vault("memory_search", query="wombat Texel")["results"]
        if one["title"] == "Texel"
    )
    assert (hit["path"], hit["backlinks"], hit["tags"]) == (
        "Trips/Texel.md",
        ["Crew.md"],
        ["island"],
    )
    (vault.root / "Crew.md").write_text("Ada stays at home.\n")
    hit = next(
        one
        for one in vault("memory_search", query="wombat Texel")["results"]
        if one["title"] == "Texel"
    )
    assert "backlinks" not in hit
