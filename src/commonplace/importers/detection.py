"""The sources that are known, and which of them a file or a folder is."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from commonplace import filesystem
from commonplace.engine.operations.archive import FORMAT
from commonplace.errors import CommonplaceError, Invalid, NotFound
from commonplace.importers import (
    chatgpt,
    claude,
    hindsight,
    json_stream,
    knowledge_graph,
    memstate,
    notes,
    openmemory,
    tabular,
    zips,
)
from commonplace.importers.base import Object, Reader, Skipped, list_of, object_of
from commonplace.importers.conversations import CONVERSATIONS
from commonplace.storage import external_sqlite

ARCHIVE = "archive"
_HEAD_BYTES = 4096
_YAML = (".yaml", ".yml")
# Those whose exports have several files.
_TALKS = ("chatgpt", "claude")
_NOTHING: Object = {}


@dataclass(frozen=True, slots=True)
class Source:
    """A product whose memories can be taken over. `expects` says what it is to be given."""

    name: str
    title: str
    expects: str
    read: Reader
    # Where the source itself names the bank its memories belong to.
    bank: Callable[[Path], str] | None = None
    # What it calls somebody whose name it does not know, who is the owner here.
    owners: tuple[str, ...] = ()


SOURCES = (
    Source(
        "memories",
        "memories.sh",
        "its local.db, or `memories export` as JSON or YAML",
        tabular.memories_sh,
    ),
    Source(
        *("powermem", "PowerMem", "its SQLite file, or a `pmem manage backup`", tabular.powermem),
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
        tabular.mem0,
    ),
    Source("chatgpt", "ChatGPT", "the export: its zip, folder or conversations.json", chatgpt.read),
    Source("claude", "Claude", "the export: its zip, folder or one of its JSON files", claude.read),
)
BY_NAME = {source.name: source for source in SOURCES}


def found(path: Path) -> str:
    """The name of the source that a file or folder is. Raises Invalid with all that it might have
    been.
    """
    filesystem.check_name(path)
    if path.is_dir():
        name = _folder(path)
    else:
        with json_stream.opened(path) as file:
            head = file.read(_HEAD_BYTES)
        name = _file(path, head)
    if not name and zips.is_zip(path):
        raise Invalid(
            f"The zip {path.name!r} contains nothing that can be imported.",
            hint="Unpack it and import the file or folder inside.",
        )
    if not name:
        raise unknown(path.name or "that")
    return name


def seen_as(path: Path) -> str:
    """The same, or nothing where nobody knows."""
    try:
        return found(path)
    except CommonplaceError:
        return ""


def unknown(name: str) -> Invalid:
    """The refusal of a file that nothing here can read."""
    return Invalid(
        f"{name!r} is not in a format that can be imported.",
        hint=(
            "Give a Commonplace archive, a memories.sh database or export, a PowerMem or mem0"
            " file, Memstate JSON, a Hindsight zip, a folder of notes, a memory.jsonl, or an"
            " export of ChatGPT or Claude. If it is one of them, name its format with --from:"
            f" {', '.join((ARCHIVE, *BY_NAME))}."
        ),
    )


def mistaken(path: Path, source: Source, error: CommonplaceError | None = None) -> CommonplaceError:
    """The refusal of a file in which nothing is as the source that was named would have it."""
    other = seen_as(path)
    if error is not None and other == source.name:
        return error
    guess = f" It looks like {other}." if other and other != source.name else ""
    return Invalid(
        f"{path.name!r} contains no {source.title} data.{guess}",
        hint=f"`--from {source.name}` takes {source.expects}.",
    )


def named(name: str) -> Source:
    """A source by its name."""
    if name not in BY_NAME:
        raise NotFound(
            f"There is no format called {name!r}.",
            hint=f"Use one of: {', '.join((ARCHIVE, *BY_NAME))}.",
        )
    return BY_NAME[name]


def _folder(path: Path) -> str:
    # Not deeper: programs keep conversations of their own inside of vaults.
    for file in sorted((*path.glob("*.json"), *path.glob("[!.]*/*.json"))):
        if _is_of_an_export(file.relative_to(path).as_posix()) and (kind := _json(file)) in _TALKS:
            return kind
    return "notes" if notes.has_notes(path) else ""


def _is_of_an_export(name: str) -> bool:
    """Whether a file is called like one that an export of conversations has; the conversations may
    be none.
    """
    return any(
        pattern.fullmatch(name) for pattern in (CONVERSATIONS, claude.PROJECTS, claude.NOTED)
    )


def _file(path: Path, head: bytes) -> str:
    if external_sqlite.is_database(head):
        return _database(path)
    if zips.is_zip(path):
        return _zip(path)
    if path.suffix.lower() in notes.ENDINGS:
        return "notes"
    if path.suffix.lower() in _YAML:
        return "memories" if b"memories:" in head else ""
    return _json(path)


def _database(path: Path) -> str:
    with external_sqlite.opened(path) as file:
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


def _zip(path: Path) -> str:
    with zips.archive(path) as archive:
        names = archive.namelist()
        if hindsight.MANIFEST in names:
            return "hindsight"
        has_notes = notes.has_notes(path)
        for name in sorted(filter(_is_of_an_export, names)):
            if has_notes and name.count("/") > 1:
                continue  # As in a folder.
            with json_stream.member(archive, name) as file:
                if (kind := _seen(file)) in (*_TALKS, "mem0"):
                    return kind
    return "notes" if has_notes else ""


def _json(path: Path) -> str:
    with json_stream.opened(path) as file:
        return _seen(file)


def _seen(file: IO[bytes]) -> str:
    """Which source the first thing in a file that can be read is of."""
    try:
        read = (
            object_of(one.value) for one in json_stream.values(file) if not isinstance(one, Skipped)
        )
        return _kind(next(read, _NOTHING))
    except Invalid:
        return ""


def _kind(given: Object) -> str:
    """Which source has such an object at its beginning, or as its whole."""
    listed = (list_of(one) for one in given.values())
    inside = next((object_of(one[0]) for one in listed if one), _NOTHING)
    if given.get("format") == FORMAT:
        return ARCHIVE
    if "mapping" in given:
        return "chatgpt"
    if (
        "chat_messages" in given
        or "conversations_memory" in given
        or {"uuid", "docs"} <= given.keys()
    ):
        return "claude"
    if knowledge_graph.is_graph(given):
        return "graph"
    if given.get("source") == "powermem-cli":
        return "powermem"
    if memstate.has_memories(given):
        return "memstate"
    if openmemory.is_backup(given):
        return "mem0"
    if "memories" in given and ("content" in inside or "exported_at" in given):
        return "memories"
    return "mem0" if "memory" in given or "memory" in inside else ""
