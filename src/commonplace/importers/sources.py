"""The sources that are known, and which of them a file or a folder is."""

import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from commonplace.engine.archive import FORMAT
from commonplace.errors import CommonplaceError, Invalid, NotFound
from commonplace.importers import chatgpt, claude, graph, hindsight, json_files, memstate, notes, tabular
from commonplace.importers.conversations import CONVERSATIONS
from commonplace.importers.reading import Object, Reader, Skipped, list_of, object_of
from commonplace.storage import files, foreign

ARCHIVE = "archive"
_HEAD_BYTES = 4096
_YAML = (".yaml", ".yml")
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
    Source("memories", "memories.sh", "its local.db, or `memories export` as JSON or YAML", tabular.memories_sh),
    Source(
        *("powermem", "PowerMem", "its SQLite file, or a `pmem manage backup`", tabular.powermem),
        owners=("mcp_user", "anonymous_user"),
    ),
    Source("memstate", "Memstate", "memories with keypaths as JSON or JSON lines", memstate.read),
    Source("hindsight", "Hindsight", "the zip of a bank's export", hindsight.read, hindsight.bank_of),
    Source("notes", "Markdown notes", "a folder of notes (Obsidian, basic-memory), or one note", notes.read),
    Source("graph", "Knowledge graph", "memory.json or memory.jsonl of the official memory server", graph.read),
    Source("mem0", "mem0", "get_all() or an export as JSON, or history.db", tabular.mem0),
    Source("chatgpt", "ChatGPT", "the export: its zip, folder or conversations.json", chatgpt.read),
    Source("claude", "Claude", "the export: its zip, folder or one of its JSON files", claude.read),
)
BY_NAME = {source.name: source for source in SOURCES}


def found(path: Path) -> str:
    """The name of the source that a file or folder is. Raises Invalid with all that it might have been."""
    files.check_name(path)
    if path.is_dir():
        name = _folder(path)
    else:
        with json_files.opened(path) as file:
            head = file.read(_HEAD_BYTES)
        name = _file(path, head)
    if not name:
        raise unknown(path.name or "that")
    return name


def unknown(name: str) -> Invalid:
    """The refusal of a file that nothing here can read."""
    return Invalid(
        f"{name!r} is nothing that can be imported.",
        hint="It can be an archive of ours, a memories.sh database or export, a PowerMem or mem0 file, Memstate JSON, "
        "a Hindsight zip, a folder of notes, a memory.jsonl, or an export of ChatGPT or Claude. If it is one of them, "
        f"name it with --from: {', '.join((ARCHIVE, *BY_NAME))}.",
    )


def mistaken(path: Path, source: Source, error: CommonplaceError | None = None) -> CommonplaceError:
    """The refusal of a file in which nothing is as the source that was named would have it."""
    try:
        other = found(path)
    except CommonplaceError:
        other = ""
    if error is not None and other == source.name:
        return error
    guess = f" It looks like {other}." if other and other != source.name else ""
    return Invalid(
        f"There is nothing of {source.title} in {path.name!r}.{guess}",
        hint=f"`--from {source.name}` takes {source.expects}.",
    )


def named(name: str) -> Source:
    """A source by its name."""
    if name not in BY_NAME:
        raise NotFound(f"No source is called {name!r}.", hint=f"Use one of: {', '.join((ARCHIVE, *BY_NAME))}.")
    return BY_NAME[name]


def _folder(path: Path) -> str:
    # Not deeper: programs keep conversations of their own inside of vaults.
    for file in sorted((*path.glob("*.json"), *path.glob("[!.]*/*.json"))):
        if CONVERSATIONS.fullmatch(file.name) and (kind := _json(file)):
            return kind
    return "notes" if notes.has_notes(path) else ""


def _file(path: Path, head: bytes) -> str:
    if foreign.is_database(head):
        return _database(path)
    if zipfile.is_zipfile(path):
        return _zip(path)
    if path.suffix.lower() in notes.ENDINGS:
        return "notes"
    if path.suffix.lower() in _YAML:
        return "memories" if b"memories:" in head else ""
    return _json(path)


def _database(path: Path) -> str:
    with foreign.opened(path) as file:
        tables = {name: set(columns) for name, columns in file.tables().items()}
    if {"content", "scope", "type"} <= tables.get("memories", set()):
        return "memories"
    if {"memory_id", "new_memory", "event"} <= tables.get("history", set()):
        return "mem0"
    return "powermem" if any({"id", "payload", "vector"} <= columns for columns in tables.values()) else ""


def _zip(path: Path) -> str:
    with json_files.archive(path) as archive:
        names = archive.namelist()
        if hindsight.MANIFEST in names:
            return "hindsight"
        chats = sorted(name for name in names if CONVERSATIONS.fullmatch(name))
        if not chats:
            return ""
        with json_files.member(archive, chats[0]) as file:
            return _kind(_first(file))


def _json(path: Path) -> str:
    try:
        with json_files.opened(path) as file:
            return _kind(_first(file))
    except CommonplaceError as error:
        if isinstance(error, Invalid):
            return ""
        raise


def _first(file: "json_files.IO[bytes]") -> Object:
    """The first thing in a file that can be read."""
    return next((object_of(one.value) for one in json_files.values(file) if not isinstance(one, Skipped)), _NOTHING)


def _kind(given: Object) -> str:
    """Which source has such an object at its beginning, or as its whole."""
    listed = (list_of(one) for one in given.values())
    inside = next((object_of(one[0]) for one in listed if one), _NOTHING)
    if given.get("format") == FORMAT:
        return ARCHIVE
    if "mapping" in given:
        return "chatgpt"
    if "chat_messages" in given or "conversations_memory" in given or {"uuid", "docs"} <= given.keys():
        return "claude"
    if graph.is_graph(given):
        return "graph"
    if given.get("source") == "powermem-cli":
        return "powermem"
    if memstate.has_memories(given):
        return "memstate"
    if "memories" in given and ("content" in inside or "exported_at" in given):
        return "memories"
    return "mem0" if "memory" in given or "memory" in inside else ""
