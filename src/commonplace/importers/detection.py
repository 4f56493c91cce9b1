"""The supported sources, and detection of the source of a file or folder."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from commonplace import filesystem
from commonplace.engine.operations.archive import FORMAT
from commonplace.errors import CommonplaceError, Invalid, NotFound
from commonplace.importers import json_stream, zips
from commonplace.importers.base import Object, Reader, Skipped, list_of, object_of
from commonplace.importers.conversations import CONVERSATIONS
from commonplace.importers.products import (
    chatgpt,
    claude,
    hindsight,
    knowledge_graph,
    mem0,
    memories_sh,
    memstate,
    notes,
    openmemory,
    powermem,
)
from commonplace.storage import external_sqlite

ARCHIVE = "archive"
_HEAD_BYTES = 4096
_YAML = (".yaml", ".yml")
# Sources whose exports have several files.
_CONVERSATION_SOURCES = ("chatgpt", "claude")
_EMPTY: Object = {}


@dataclass(frozen=True, slots=True)
class Source:
    """A product whose memories can be imported. `expects` describes its input."""

    name: str
    title: str
    expects: str
    read: Reader
    # Reads the name of the bank from the source, where it has one.
    bank: Callable[[Path], str] | None = None
    # User names that stand for an unknown user; they are imported as the owner.
    owners: tuple[str, ...] = ()


SOURCES = (
    Source(
        "memories",
        "memories.sh",
        "its local.db, or `memories export` as JSON or YAML",
        memories_sh.read,
    ),
    Source(
        *("powermem", "PowerMem", "its SQLite file, or a `pmem manage backup`", powermem.read),
        owners=("mcp_user", "anonymous_user"),
    ),
    Source("memstate", "Memstate", "memories with keypaths as JSON or JSON lines", memstate.read),
    Source(
        "hindsight", "Hindsight", "the zip of a bank's export", hindsight.read, hindsight.bank_of
    ),
    Source(
        "notes",
        "Markdown notes",
        "a folder of notes (Obsidian, basic-memory), its zip, or one note",
        notes.read,
    ),
    Source(
        "graph",
        "Knowledge graph",
        "memory.json or memory.jsonl of the official memory server",
        knowledge_graph.read,
    ),
    Source(
        "mem0",
        "mem0",
        "get_all() or an export as JSON, a backup of OpenMemory, or history.db",
        mem0.read,
    ),
    Source("chatgpt", "ChatGPT", "the export: its zip, folder or conversations.json", chatgpt.read),
    Source("claude", "Claude", "the export: its zip, folder or one of its JSON files", claude.read),
)
BY_NAME = {source.name: source for source in SOURCES}


def detect_source(path: Path) -> str:
    """The name of the source of a file or folder. Raises Invalid with the supported formats."""
    filesystem.check_name(path)
    if path.is_dir():
        name = _detect_folder(path)
    else:
        with json_stream.open_file(path) as file:
            head = file.read(_HEAD_BYTES)
        name = _detect_file(path, head)
    if not name and zips.is_zip(path):
        raise Invalid(
            f"The zip {path.name!r} contains nothing that can be imported.",
            hint="Unpack it and import the file or folder inside.",
        )
    if not name:
        raise unsupported_format(path.name or "that")
    return name


def guess_source(path: Path) -> str:
    """The name of the source of a file or folder; "" if it is unknown."""
    try:
        return detect_source(path)
    except CommonplaceError:
        return ""


def unsupported_format(name: str) -> Invalid:
    """The error for a file in an unknown format."""
    return Invalid(
        f"{name!r} is not in a format that can be imported.",
        hint=(
            "Give a Commonplace archive, a memories.sh database or export, a PowerMem or mem0"
            " file, Memstate JSON, a Hindsight zip, a folder of notes, a memory.jsonl, or an"
            " export of ChatGPT or Claude. If it is one of them, name its format with --from:"
            f" {', '.join((ARCHIVE, *BY_NAME))}."
        ),
    )


def wrong_format(
    path: Path, source: Source, error: CommonplaceError | None = None
) -> CommonplaceError:
    """The error for a file without data of the source that the user named."""
    other = guess_source(path)
    if error is not None and other == source.name:
        return error
    guess = f" It looks like {other}." if other and other != source.name else ""
    return Invalid(
        f"{path.name!r} contains no {source.title} data.{guess}",
        hint=f"`--from {source.name}` takes {source.expects}.",
    )


def source_by_name(name: str) -> Source:
    """A source by its name."""
    if name not in BY_NAME:
        raise NotFound(
            f"There is no format called {name!r}.",
            hint=f"Use one of: {', '.join((ARCHIVE, *BY_NAME))}.",
        )
    return BY_NAME[name]


def _detect_folder(path: Path) -> str:
    # Not deeper: other programs keep conversation files inside of vaults.
    for file in sorted((*path.glob("*.json"), *path.glob("[!.]*/*.json"))):
        if (
            _is_export_file(file.relative_to(path).as_posix())
            and (kind := _detect_json(file)) in _CONVERSATION_SOURCES
        ):
            return kind
    return "notes" if notes.has_notes(path) else ""


def _is_export_file(name: str) -> bool:
    """Whether a file name is one of an export of conversations."""
    return any(
        pattern.fullmatch(name)
        for pattern in (CONVERSATIONS, claude.PROJECTS, claude.MEMORIES_FILE)
    )


def _detect_file(path: Path, head: bytes) -> str:
    if external_sqlite.is_database(head):
        return _detect_database(path)
    if zips.is_zip(path):
        return _detect_zip(path)
    if path.suffix.lower() in notes.ENDINGS:
        return "notes"
    if path.suffix.lower() in _YAML:
        return "memories" if b"memories:" in head else ""
    return _detect_json(path)


def _detect_database(path: Path) -> str:
    with external_sqlite.open_copy(path) as file:
        tables = {name: set(columns) for name, columns in file.tables().items()}
    if {"content", "scope", "type"} <= tables.get("memories", set()):
        return "memories"
    if {"memory_id", "new_memory", "event"} <= tables.get("history", set()):
        return "mem0"
    return (
        "powermem"
        if any({"id", "payload", "vector"} <= columns for columns in tables.values())
        else ""
    )


def _detect_zip(path: Path) -> str:
    with zips.open_archive(path) as archive:
        names = archive.namelist()
        if hindsight.MANIFEST in names:
            return "hindsight"
        has_notes = notes.has_notes(path)
        for name in sorted(filter(_is_export_file, names)):
            if has_notes and name.count("/") > 1:
                continue  # Deeper files belong to other programs, as in a folder.
            with json_stream.open_member(archive, name) as file:
                if (kind := _detect_stream(file)) in (*_CONVERSATION_SOURCES, "mem0"):
                    return kind
    return "notes" if has_notes else ""


def _detect_json(path: Path) -> str:
    with json_stream.open_file(path) as file:
        return _detect_stream(file)


def _detect_stream(file: IO[bytes]) -> str:
    """The source of the first readable element in a file."""
    try:
        read = (
            object_of(one.value)
            for one in json_stream.read_values(file)
            if not isinstance(one, Skipped)
        )
        return _detect_object(next(read, _EMPTY))
    except Invalid:
        return ""


def _detect_object(given: Object) -> str:
    """The source whose files are, or begin with, such an object."""
    if given.get("format") == FORMAT:
        return ARCHIVE
    return _detect_chat(given) or _detect_store(given)


def _detect_chat(given: Object) -> str:
    """The source of an exported conversation."""
    if "mapping" in given:
        return "chatgpt"
    is_claude = (
        "chat_messages" in given
        or "conversations_memory" in given
        or {"uuid", "docs"} <= given.keys()
    )
    return "claude" if is_claude else ""


def _detect_store(given: Object) -> str:
    """The source of exported memories."""
    if knowledge_graph.is_graph(given):
        return "graph"
    if given.get("source") == "powermem-cli":
        return "powermem"
    if memstate.has_memories(given):
        return "memstate"
    if openmemory.is_backup(given):
        return "mem0"
    inside = _first_listed(given)
    if "memories" in given and ("content" in inside or "exported_at" in given):
        return "memories"
    return "mem0" if "memory" in given or "memory" in inside else ""


def _first_listed(given: Object) -> Object:
    """The first item of the first list in an object."""
    listed = (list_of(one) for one in given.values())
    return next((object_of(one[0]) for one in listed if one), _EMPTY)
