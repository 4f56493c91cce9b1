"""Zips as people have them: downloaded, packed by hand or on a Mac, cut off, or of another
program.
"""

import hashlib
import json
import stat
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from commonplace import clock as times
from commonplace.errors import Invalid
from commonplace.importers import detection
from commonplace.limits import TEXT_BYTES_MAX
from commonplace.records.memory import Memory
from tests.importers import files
from tests.importers.conftest import Bring

Known = Callable[..., list[Memory]]
NOTES = {"Plumber.md": "Call **Jo** #repairs [[House]]", "daily/2026-03-01.md": "Rained all day."}


def packed(path: Path, members: Mapping[str, str | bytes]) -> Path:
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(
                zipfile.ZipInfo(name, (2026, 3, 2, 10, 0, 0)), content, zipfile.ZIP_DEFLATED
            )
    return path


@pytest.mark.parametrize(
    "form", ["the folder", "the folder's content", "a second download", "no ending"]
)
def test_a_zipped_vault_is_the_vault_that_was_imported_before(
    tmp_path: Path, brought: Bring, known: Known, form: str
) -> None:
    for name, text in NOTES.items():
        files.written(tmp_path / "My Vault" / name, text)
    brought(tmp_path / "My Vault")
    inside = {
        f"My Vault/{name}" if form == "the folder" else name: text for name, text in NOTES.items()
    }
    name = {
        "the folder": "backup.zip",
        "a second download": "My Vault (1).zip",
        "no ending": "My Vault",
    }.get(form)

    report = brought(packed(tmp_path / "zips" / (name or "My Vault-2026-11-15.zip"), inside))

    assert (report.source, report.added, report.unchanged) == ("notes", 0, 2)
    assert {one.title for one in known()} == {"Plumber", "2026-03-01"}


def test_a_note_in_a_zip_says_what_it_says_in_a_folder(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    brought(
        packed(tmp_path / "v.zip", {"Plumber.md": NOTES["Plumber.md"], "picture.png": b"\x89PNG"})
    )

    (note,) = known()
    assert (note.text, note.title, note.tags) == (NOTES["Plumber.md"], "Plumber", ("repairs",))
    assert note.metadata == {"links": ["House"], "imported": {"from": "notes", "id": "Plumber.md"}}
    local = times.parse_moment("2026-03-02T10:00:00Z")
    # Zips name no time zone.
    assert abs(note.created_at - local) <= 14 * 3_600_000


def test_what_is_hidden_linked_or_too_large_in_a_zip_stays_behind(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    path = packed(
        tmp_path / "v.zip",
        {
            "v/Café.md": "Open until six.",
            "v/.obsidian/plugin.md": "hidden",
            "__MACOSX/v/._Café.md": b"\x00\x05\x16\x07",
            "v/huge.md": "a" * (TEXT_BYTES_MAX + 100_001),
            "v/bad.md": b"\xff\xfe",
        },
    )
    link = zipfile.ZipInfo("v/link.md")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(link, "/etc/passwd")

    report = brought(path)

    assert [one.text for one in known()] == ["Open until six."]
    assert dict(report.skipped) == {"a link to another folder": 1}
    assert {one.location: one.reason for one in report.broken} == {
        "huge.md": f"it is larger than {TEXT_BYTES_MAX:,} bytes",
        "bad.md": "it is not UTF-8",
    }


def test_a_mac_packs_names_without_saying_how_they_are_spelled(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    path = packed(tmp_path / "v.zip", {"Cafx.md": "Open until six."})
    # The same length in bytes, and no flag that says UTF-8.
    path.write_bytes(
        path.read_bytes().replace(b"Cafx.md", "Fé.md".encode() + b"x", 2).replace(b".mdx", b"s.md")
    )

    brought(path)

    assert [one.title for one in known()] == ["Fés"]


@pytest.mark.parametrize(
    "members", [{"projects": [{"uuid": "p", "name": "Boat", "docs": []}]}, {"memories": []}]
)
def test_an_export_of_claude_need_not_have_conversations(
    tmp_path: Path, brought: Bring, known: Known, members: dict[str, object]
) -> None:
    noted = [{"account_uuid": "a", "conversations_memory": "Ada builds a boat."}]

    report = brought(
        files.zipped(
            tmp_path / "e.zip",
            **{"conversations": [], "users": []},
            **(members | {"memories": noted}),
        )
    )

    assert report.source == "claude"
    assert [one.text for one in known()] == ["Ada builds a boat."]


def test_an_export_is_known_by_what_it_is_and_not_by_its_name(
    tmp_path: Path, brought: Bring
) -> None:
    talk = files.chatgpt("c", "t", ("user", "Which port does staging use?"))

    assert brought(files.zipped(tmp_path / "download", conversations=[talk])).added == 1


def test_conversations_that_a_plugin_keeps_in_a_zipped_vault_do_not_make_it_an_export(
    tmp_path: Path,
) -> None:
    path = files.zipped(
        tmp_path / "v.zip", **{"v/plugin/data/conversations": [files.claude("c", "t")]}
    )
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("v/a.md", "x")

    assert detection.detect_source(path) == "notes"


def test_a_zip_of_something_else_is_to_be_unpacked(tmp_path: Path) -> None:
    with pytest.raises(
        Invalid, match=r"The zip 'm\.zip' contains nothing that can be imported"
    ) as refused:
        detection.detect_source(packed(tmp_path / "m.zip", {"local.db": b"SQLite format 3\x00"}))

    assert "Unpack it" in refused.value.hint


@pytest.mark.parametrize("what", ["notes", "conversations"])
def test_a_damaged_zip_is_refused_in_words_or_costs_what_is_damaged(
    tmp_path: Path, brought: Bring, what: str
) -> None:
    # Digests hardly shrink, so that most of the zip is what it holds.
    words = [hashlib.sha256(bytes([n])).hexdigest() for n in range(20)]
    talk = files.chatgpt("c", "t", *(("user", word) for word in words))
    inside = (
        {"a.md": " ".join(words), "b.md": "x"}
        if what == "notes"
        else {"conversations.json": json.dumps([talk])}
    )
    whole = packed(tmp_path / "e.zip", inside).read_bytes()
    damaged: set[str] = set()
    for at in range(0, len(whole) - 12, 12):
        broken = bytes(255 - byte for byte in whole[at : at + 12])
        (tmp_path / "e.zip").write_bytes(whole[:at] + broken + whole[at + 12 :])
        try:
            damaged |= {one.reason for one in brought(tmp_path / "e.zip").broken}
        except Invalid as refused:
            damaged.add(refused.message)

    assert (
        "it is damaged" if what == "notes" else "The zip is damaged or locked with a password."
    ) in damaged
