"""Which source a file is detected as, and the error for an unknown file."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.engine.engine import Engine
from commonplace.errors import CommonplaceError, Invalid, NotFound
from commonplace.importers import detection
from tests.importers import files
from tests.importers.conftest import Bring


def a_memories_sh_database(folder: Path) -> Path:
    files.memories_sh(folder / "local.db").close()
    return folder / "local.db"


def a_powermem_database(folder: Path) -> Path:
    files.powermem(folder / "powermem_dev.db")
    return folder / "powermem_dev.db"


def a_mem0_history(folder: Path) -> Path:
    files.mem0_history(folder / "history.db")
    return folder / "history.db"


def a_hindsight_zip(folder: Path) -> Path:
    files.hindsight(folder / "bank.zip")
    return folder / "bank.zip"


def a_folder_of_notes(folder: Path) -> Path:
    files.written(
        folder / "notes" / "plugin" / "data" / "conversations.json", [{"chat_messages": []}]
    )
    return files.written(folder / "notes" / "deep" / "er" / "a.md", "x").parents[2]


def a_claude_folder(folder: Path) -> Path:
    return files.written(
        folder / "data-batch-0000" / "conversations.json", [files.claude("c", "t")]
    ).parent


SEEN: list[tuple[str, Callable[[Path], Path]]] = [
    ("memories", a_memories_sh_database),
    ("powermem", a_powermem_database),
    ("mem0", a_mem0_history),
    ("hindsight", a_hindsight_zip),
    ("notes", a_folder_of_notes),
    ("claude", a_claude_folder),
    ("notes", lambda folder: files.written(folder / "a.markdown", "x")),
    (
        "memories",
        lambda folder: files.written(
            folder / "m.json", {"version": "1.0", "exported_at": "x", "memories": []}
        ),
    ),
    ("memories", lambda folder: files.written(folder / "m.yml", 'version: "1.0"\nmemories: []\n')),
    (
        "powermem",
        lambda folder: files.written(folder / "b.json", {"source": "powermem-cli", "memories": []}),
    ),
    (
        "memstate",
        lambda folder: files.written(
            folder / "m.json", {"memories": [{"keypath": "a.b", "content": "c"}]}
        ),
    ),
    (
        "mem0",
        lambda folder: files.written(folder / "m.json", {"results": [{"id": "1", "memory": "x"}]}),
    ),
    ("graph", lambda folder: files.written(folder / "m.json", {"entities": [], "relations": []})),
    ("claude", lambda folder: files.written(folder / "projects.json", [{"uuid": "p", "docs": []}])),
    (
        "claude",
        lambda folder: files.written(folder / "memories.json", [{"conversations_memory": "x"}]),
    ),
]


@pytest.mark.parametrize(("name", "made"), SEEN)
def test_a_file_is_known_by_what_is_in_it(
    tmp_path: Path, name: str, made: Callable[[Path], Path]
) -> None:
    assert detection.detect_source(made(tmp_path)) == name


def test_our_own_archive_is_one_of_the_sources(tmp_path: Path, engine: Engine) -> None:
    engine.export_to(tmp_path / "a.jsonl")

    assert detection.detect_source(tmp_path / "a.jsonl") == detection.ARCHIVE


@pytest.mark.parametrize(
    "content",
    [b"hello", b"", b"{}", b"[]", b"\x00\x01", b"[1, 2", b'{"a": 1}\n', b"PK\x03\x04oops"],
)
def test_a_file_that_is_none_of_them_is_refused_with_all_that_it_could_be(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "what.bin").write_bytes(content)

    with pytest.raises(
        Invalid, match=r"'what\.bin' is not in a format that can be imported"
    ) as refused:
        detection.detect_source(tmp_path / "what.bin")

    assert all(name in refused.value.hint for name in (*detection.BY_NAME, detection.ARCHIVE))
    assert str(tmp_path) not in refused.value.message + refused.value.hint


# A file of any content can be named as a note.
@pytest.mark.parametrize("name", sorted(detection.BY_NAME.keys() - {"notes"}))
@pytest.mark.parametrize(
    "content", [b"hello", b"[]", b"SQLite format 3\x00" + b"x" * 100, b"PK\x03\x04"]
)
def test_the_wrong_file_for_a_named_source_is_refused_in_words(
    tmp_path: Path, brought: Bring, name: str, content: bytes
) -> None:
    (tmp_path / "wrong").write_bytes(content)

    with pytest.raises(CommonplaceError) as refused:
        brought(tmp_path / "wrong", name)

    assert refused.value.hint
    assert str(tmp_path) not in refused.value.message


def test_a_file_of_another_source_is_named_as_such(tmp_path: Path, brought: Bring) -> None:
    files.powermem(tmp_path / "pm.db", files.powermem_payload("x"))

    with pytest.raises(
        Invalid, match=r"'pm\.db' contains no memories\.sh data\. It looks like powermem"
    ):
        brought(tmp_path / "pm.db", "memories")


def test_an_unknown_name_and_an_absent_file_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="There is no format called 'evernote'"):
        detection.source_by_name("evernote")
    with pytest.raises(NotFound, match=r"There is no file or folder 'nowhere\.json'"):
        detection.detect_source(tmp_path / "nowhere.json")


def test_json_with_a_byte_order_mark_is_read(tmp_path: Path, brought: Bring) -> None:
    path = tmp_path / "conversations.json"
    path.write_bytes(
        b"\xef\xbb\xbf"
        + json.dumps([files.chatgpt("c", "t", ("user", "Where is the port?"))]).encode()
    )

    assert brought(path).added == 1
