"""Writes a marker through every parameter of every tool that writes, and looks for markers in the
bytes of a home.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from commonplace.dialects import registry
from commonplace.dialects.dialect import Tool
from commonplace.engine.engine import Engine
from tests.dialects.dialect_client import Client
from tests.hostile.tool_parameters import Aim, aims

# What a tool's words become part of; erasing one of these erases what was written through the tool.
Kind = str
MEMORY, SESSION, REMINDER, STREAM, RUN = "memory", "session", "reminder", "stream", "run"
STANDING, BANK = "standing", "bank"
_APART: Mapping[str, Kind] = {
    "start_session": SESSION,
    "checkpoint_session": SESSION,
    "snapshot_session": SESSION,
    "add_reminder": REMINDER,
    "start_memory_stream": STREAM,
    "append_memory_chunk": STREAM,
    "finalize_memory_stream": MEMORY,
    "consolidate_memories": RUN,
    "create_mental_model": STANDING,
    "update_mental_model": STANDING,
    "create_directive": STANDING,
    "create_knowledge_folder": STANDING,
    "create_knowledge_page": STANDING,
    "update_knowledge_node": STANDING,
    "create_bank": BANK,
    "update_bank": BANK,
    "hook_session_start": SESSION,
    "hook_prompt": SESSION,
    "hook_stop": SESSION,
    "hook_pre_compact": SESSION,
    "hook_session_end": SESSION,
}
# Tools that change something and yet keep no word that a caller gives them.
WORDLESS: Mapping[str, str] = {
    "commonplace.forget": "takes only an id",
    "vault.memory_forget": "takes only an id",
    "memories.end_session": "takes an id and one of two states",
    "memories.forget_memory": "takes only an id",
    "memories.bulk_forget_memories": "takes filters, which are not kept",
    "memories.vacuum_memories": "takes only whose memories are meant",
    "memories.run_due_reminders": "takes only whose reminders are meant",
    "memories.enable_reminder": "takes only an id",
    "memories.disable_reminder": "takes only an id",
    "memories.delete_reminder": "takes only an id",
    "memories.cancel_memory_stream": "takes only an id",
    "memstate.memstate_delete": "takes only what it deletes",
    "memstate.memstate_delete_project": "takes only what it deletes",
    "powermem.delete_memory": "takes only what it deletes",
    "powermem.delete_all_memories": "takes only what it deletes",
    "mem0.delete_memory": "takes only what it deletes",
    "mem0.delete_all_memories": "takes only what it deletes",
    "mem0.delete_entities": "takes only what it deletes",
    "mem0.delete_memories": "takes only what it deletes",
    "hindsight.delete_mental_model": "takes only an id",
    "hindsight.refresh_mental_model": "takes only an id",
    "hindsight.clear_mental_model": "takes only an id",
    "hindsight.delete_directive": "takes only an id",
    "hindsight.delete_document": "takes only an id",
    "hindsight.delete_bank": "takes only a bank",
    "hindsight.delete_knowledge_node": "takes only an id",
    "hindsight.cancel_operation": "takes only an id",
    "hindsight.clear_memories": "takes one of three types",
}
# These go where what they are about is, so that they need not be told where.
_INSIDE = (
    "checkpoint_session",
    "snapshot_session",
    "append_memory_chunk",
    "finalize_memory_stream",
)
# The parameters that name a user and a project. A hook has the project of a folder.
_SCOPES = {"user": ("user_id",), "project": ("project_id", "app_id", "cwd")}
# The hooks of a session. What stays true in a turn becomes a memory too.
_TURNS = ("hook_prompt", "hook_stop", "hook_pre_compact", "hook_prompt", "hook_stop")
_HOOKS = ("hook_session_start", *_TURNS, "hook_session_end")
_LASTING, _PASSING = "lasting", "passing"
_SAID = {
    _LASTING: "From now on the {} crate is always stored in hall {}.",
    _PASSING: "Please look at the {} crate in hall {} once more.",
}
# A sentence stands where words belong, and the bare marker elsewhere.
_PROSE = (
    "content",
    "body",
    "messages",
    "value",
    "chunk",
    "message",
    "transcript_md",
    "context",
    "mission",
    "text",
)
_PROSE += ("query", "source_query", "reason", "title")
_FORMS = ("", "list", "names", "value", "messages")
_OTHERS = ("content", "body", "messages", "value", "text")
_QUESTION = (
    "In which hall does each crate stand, and where does each barrel lie? Who lives in Oslo or"
    " Rome?"
)


@dataclass(frozen=True)
class Mark:
    """A marker, and what it was written through."""

    word: str
    dialect: str
    tool: str
    parameter: str
    form: str = ""

    @property
    def row(self) -> str:
        return f"{self.dialect}.{self.tool}"

    @property
    def kind(self) -> Kind:
        if self.form == _LASTING:
            return MEMORY
        # The log of hooks belongs to their bank.
        return BANK if self.parameter == "client" else _APART.get(self.tool, MEMORY)

    @property
    def is_project(self) -> bool:
        """Whether it names a project, whose changes stay countable until the project itself is
        erased.
        """
        return self.parameter in _SCOPES["project"]

    def belongs_to(self, scope: str) -> bool:
        """Whether what was written belongs to a user, or to a project, by what the tool was
        told.
        """
        names = {one.name for one in registry.find(self.dialect).tools[self.tool].parameters}
        return not scope or bool(names & {*_SCOPES[scope]}) or self.tool in _INSIDE

    def __str__(self) -> str:
        return f"{self.word} ({self.row} {self.parameter} {self.form}".strip() + ")"


@dataclass
class Writer:
    """Somebody who speaks every dialect on one engine and keeps account of the markers."""

    engine: Engine
    # Where there are working folders of projects, outside of the home.
    folders: Path
    user: str = ""
    project: str = ""
    marks: list[Mark] = field(default_factory=list[Mark])
    _numbers: Iterator[int] = field(default_factory=count)
    _random: random.Random = field(default_factory=lambda: random.Random(7))

    def ask(self, dialect: str, tool: str, given: Mapping[str, Any]) -> Any:
        """The structured answer of a tool."""
        if tool.startswith("create_knowledge"):
            given = {**given, "name": f"{given['name']} {next(self._numbers)}"}
        return self.call(dialect, tool, given)["structuredContent"]

    def call(self, dialect: str, tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a tool, in the one bank if it can be spoken to so."""
        table = registry.single_bank(dialect)
        table = table if tool in table.tools and "bank_id" not in given else registry.find(dialect)
        names = {one.name for one in table.tools[tool].parameters}
        scope = {"user_id": self.user, "project_id": self.project, "app_id": self.project}
        more = {name: value for name, value in scope.items() if value and name in names}
        return Client(self.engine, table).result(tool, **{**given, **more})

    def word(self) -> str:
        """A marker nobody had yet. Its letters stay together in an index that leaves out what words
        share at first.
        """
        return "q" + "".join(self._random.choice("bdfgkmpvwxz") for _ in range(9))

    def write(self, dialect: str) -> None:
        """A marker through every parameter of every writing tool of a dialect, in every form."""
        for aim in aims():
            if (
                aim.dialect == dialect
                and aim.tool.effect != "reads"
                and aim.form in _FORMS
                and not self._names(aim)
            ):
                self._aim(aim)
        if dialect == "memories":
            self._stream()
        if dialect == "commonplace":
            self._hooks()

    def _names(self, aim: Aim) -> bool:
        """Whether the parameter names the user or the project that this writer speaks for."""
        return self._is_named(aim.parameter.name)

    def _is_named(self, parameter: str) -> bool:
        return any(getattr(self, scope) and parameter in names for scope, names in _SCOPES.items())

    def _aim(self, aim: Aim) -> None:
        word = self.word()
        text = (
            f"The {word} crate stands in hall {len(self.marks)}."
            if aim.parameter.name in _PROSE
            else word
        )
        given = aim.arguments(text, self.ask)
        for name in {"name", *_OTHERS} & (given.keys() - {aim.parameter.name}):
            given[name] = f"Barrel {len(self.marks)} lies in cellar {len(self.marks)}."
        if "node_id" in given and aim.parameter.name in ("source_query", "tags", "trigger"):
            page = {"name": "Page", "source_query": _QUESTION}
            given["node_id"] = self.ask("hindsight", "create_knowledge_page", page)["page_id"]
        result = self.call(aim.dialect, aim.tool.name, given)
        if not result["isError"]:
            self.marks.append(Mark(word, aim.dialect, aim.tool.name, aim.parameter.name, aim.form))

    def _stream(self) -> None:
        word = self.word()
        number = self.ask("memories", "start_memory_stream", {})["data"]["id"]
        self.ask(
            "memories", "append_memory_chunk", {"stream_id": number, "chunk": f"The {word} crate "}
        )
        self.ask("memories", "append_memory_chunk", {"stream_id": number, "chunk": "came late."})
        self.ask("memories", "finalize_memory_stream", {"stream_id": number})
        self.marks.append(Mark(word, "memories", "finalize_memory_stream", "chunk"))

    def _hooks(self) -> None:
        """A marker through every parameter of every hook, each in a whole session of its own."""
        tools = registry.find("commonplace").tools
        for tool in dict.fromkeys(_HOOKS):
            for one in tools[tool].parameters:
                if one.name in ("prompt", "last_assistant_message"):
                    self._session(tool, one.name, _LASTING)
                    self._session(tool, one.name, _PASSING)
                elif not self._is_named(one.name):
                    self._session(tool, one.name)

    def _session(self, aimed: str, parameter: str, form: str = "") -> None:
        word, number = self.word(), len(self.marks)
        text = _SAID[form].format(word, number) if form else word
        names = {
            "session_id": text if parameter == "session_id" else f"s{next(self._numbers)}",
            "cwd": f"/srv/{word}" if parameter == "cwd" else self._folder(),
        }
        for tool in _HOOKS:
            said = {
                "hook_prompt": {"prompt": f"Which barrel lies in cellar {number}?"},
                "hook_stop": {
                    "last_assistant_message": f"Barrel {number} lies in cellar {number}."
                },
            }
            given = said.get(tool, {}) | ({parameter: text} if tool == aimed else {})
            self.call("commonplace", tool, given | names)
        self.marks.append(Mark(word, "commonplace", aimed, parameter, form))

    def _folder(self) -> str:
        """A folder of the project that this writer speaks for, as git knows it."""
        if not self.project:
            return ""
        git = self.folders / ".git"
        git.mkdir(exist_ok=True)
        (git / "config").write_text(f'[remote "origin"]\n\turl = {self.project}\n')
        return str(self.folders)

    def retell(self) -> None:
        """Have what was written told again wherever something is kept of an answer."""
        session = self.ask("memories", "start_session", {})["data"]["id"]
        around = {"query": _QUESTION, "session_id": session, "task_completed": True, "limit": 50}
        self.ask("memories", "get_context", around)
        self.ask("memories", "snapshot_session", {"session_id": session, "meaningful_only": False})
        self.ask("vault", "memory_recall", {"phases": [_QUESTION], "idempotency_key": "again"})
        self.ask("hindsight", "create_mental_model", {"name": "Crates", "source_query": _QUESTION})
        self.ask("hindsight", "create_knowledge_page", {"name": "Page", "source_query": _QUESTION})
        self.ask("hindsight", "reflect", {"query": _QUESTION})
        self.ask("memories", "consolidate_memories", {})


def rows(dialect: str) -> Iterator[Tool]:
    """The tools of a dialect that change something."""
    return (tool for tool in registry.find(dialect).tools.values() if tool.effect != "reads")


def found(home: Path, words: Sequence[str]) -> dict[str, list[str]]:
    """Which of some words stand in which files of a home, or in their names, whatever their
    case.
    """
    hits: dict[str, list[str]] = {}
    for path in sorted(home.rglob("*")):
        data = path.read_bytes().lower() if path.is_file() else b""
        name = path.name.lower()
        for word in words:
            # Without its first letters too, which an index may keep elsewhere.
            if word[2:].encode() in data or word[2:] in name:
                hits.setdefault(word, []).append(path.name)
    return hits


def in_rows(engine: Engine, word: str) -> list[str]:
    """The tables and columns of a store in which a word stands."""
    places: list[str] = []
    with engine.db.maintenance() as connection:
        tables = [
            row[0]
            for row in connection.execute("select name from sqlite_schema where type = 'table'")
        ]
        for table in tables:
            columns = [row[1] for row in connection.execute(f'pragma table_info("{table}")')]
            for column in columns:
                sql = (
                    f'select count(*) from "{table}" where instr(lower(cast("{column}" as'
                    " text)), ?)"
                )
                if connection.execute(sql, (word,)).fetchall()[0][0]:
                    places.append(f"{table}.{column}")
    return places


def memories_with(engine: Engine, bank: str, words: Sequence[str]) -> list[int]:
    """The memories of a bank that have one of some words anywhere in any of their versions."""
    number = engine.get_bank(bank).id
    with engine.db.maintenance() as connection:
        every = connection.execute(
            "select m.id, json_array(m.project, m.user_name, m.agent, m.run, v.text, v.title,"
            " v.key, v.tags, v.metadata, v.paths, v.category, v.kind, v.reason, d.name, d.title,"
            " d.metadata, d.tags, r.key) from memories m join versions v on v.memory_id = m.id left"
            " join documents d on d.id = v.document_id left join idempotency_keys r on r.result ="
            " cast(m.id as text) where m.bank_id = ?",
            (number,),
        ).fetchall()
    return sorted({row[0] for row in every if any(word in str(row[1]).lower() for word in words)})


def vectors_of(engine: Engine, memory_ids: Sequence[int] | None = None) -> list[bytes]:
    """What the embedder made of some memories, or of all; words can be guessed from it."""
    with engine.db.maintenance() as connection:
        found = connection.execute("select memory_id, vector from vectors").fetchall()
    return [bytes(vector) for number, vector in found if memory_ids is None or number in memory_ids]


def told(engine: Engine, leaks: Mapping[str, list[str]], marks: Sequence[Mark]) -> list[str]:
    """What was found, so that a person sees through which tool it came and where it stays."""
    return [
        f"{mark}: {leaks[mark.word]} {in_rows(engine, mark.word)}"
        for mark in marks
        if mark.word in leaks
    ]
