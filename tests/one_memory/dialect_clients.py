"""Every tool of every dialect, called by what its row says it does, through the official client."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from commonplace import ids
from commonplace.dialects import registry
from commonplace.dialects.dialect import MemoryAction, Tool, ToolRole
from commonplace.faces.http.tokens import vault_token
from commonplace.records.memory import Memory
from tests.dialects.dialect_client import Client as InProcess
from tests.faces.http_client import server

Answer = Callable[[str, str, dict[str, Any]], str]
PROJECT = "harbour"
FORMS: tuple[Callable[[int], str], ...] = (
    ids.short_form,
    ids.memstate_form,
    ids.note_form,
    ids.uuid_form,
    str,
)
# What a tool must be given besides the words and the id that its row names.
SAMPLES: dict[str, Callable[[str], object]] = {
    "title": lambda cue: f"On {cue}",
    "project_id": lambda cue: PROJECT,
    "keypath": lambda cue: f"lamps.{cue.lower()}",
}
_numbers = count(1)


@dataclass(frozen=True, repr=False)
class Row:
    """One thing that one tool of a dialect does."""

    dialect: str
    tool: Tool
    role: ToolRole

    def __str__(self) -> str:
        return f"{self.dialect}.{self.tool.name}"

    __repr__ = __str__

    def takes(self, name: str) -> bool:
        return any(one.name == name for one in self.tool.parameters)

    def arguments(
        self, cue: str, *, words: str = "", form: str = "", project: str = ""
    ) -> dict[str, Any]:
        """What the tool is called with to do this."""
        given: dict[str, Any] = dict(self.role.arguments)
        if self.role.text:
            kind = next(
                one.schema.get("type") for one in self.tool.parameters if one.name == self.role.text
            )
            given[self.role.text] = [words] if kind == "array" else words
        if self.role.id:
            given[self.role.id] = form
        for one in self.tool.parameters:
            if one.required and one.name not in given:
                assert one.name in SAMPLES, (
                    f"{self}: the table of tests has no sample for `{one.name}`"
                )
                given[one.name] = SAMPLES[one.name](cue)
        if (
            project
            and self.takes("project_id")
            and self.role.action in ("find", "list", "revise", "restore", "forget")
        ):
            given["project_id"] = project
        if self.role.action == "list" and self.takes("limit"):
            given["limit"] = 100
        return given


def rows(*deeds: MemoryAction) -> list[Row]:
    """Everything in every dialect's table that does one of these."""
    return [
        Row(name, tool, does)
        for name in registry.NAMES
        for tool in registry.find(name).tools.values()
        if tool.listed
        for does in tool.roles
        if does.action in deeds
    ]


@dataclass(frozen=True)
class Statement:
    """A statement of which one word is asked for and another, its sign, is looked for in
    answers.
    """

    cue: str
    marker: str

    @property
    def text(self) -> str:
        # Long enough for the sign to stay out of a keypath that is made of the first words.
        return f"{self.cue} keeps the good lamp oil of harbour Seven in the {self.marker}."

    @property
    def question(self) -> str:
        return f"Where does {self.cue} keep the lamp oil?"

    def changed(self) -> "Statement":
        """The same statement with another sign."""
        return Statement(self.cue, new_statement().marker)


def new_statement() -> Statement:
    """A statement nobody has made yet."""
    letters = "".join(chr(ord("a") + int(digit)) for digit in str(next(_numbers)))
    return Statement(f"Zo{letters}m", f"qui{letters}x")


@dataclass(frozen=True)
class DialectClients:
    """A client for each dialect, on one store."""

    answer: Answer

    def call(self, row: Row, cue: str, **given: Any) -> str:
        """The whole answer of a tool as one text."""
        return self.answer(row.dialect, row.tool.name, row.arguments(cue, **given))

    def write(self, row: Row, what: Statement) -> None:
        self.call(row, what.cue, words=what.text)

    def finds(
        self, what: Statement, project: str, dialect: str = "", *, before: Statement | None = None
    ) -> dict[str, bool]:
        """By tool, whether asking for a statement brings it up, and nothing of what it said
        before.
        """
        asked = [row for row in rows("find") if dialect in ("", row.dialect)]
        told = {
            str(row): self.call(row, what.cue, words=what.question, project=project)
            for row in asked
        }
        return {
            row: what.marker in text and not (before and before.marker in text)
            for row, text in told.items()
        }

    def lists(self, what: Statement, project: str, dialect: str = "") -> dict[str, bool]:
        """By tool, whether a list shows a statement, where a list can: Memstate lists the trees of
        projects.
        """
        shown = [row for row in rows("list") if dialect in ("", row.dialect) and not row.role.kind]
        shown = [row for row in shown if project or row.dialect != "memstate"]
        return {str(row): what.marker in self.call(row, what.cue, project=project) for row in shown}


def ask(client: InProcess, tool: str, **given: Any) -> dict[str, Any]:
    """What a tool answers to a call that succeeds, for programs."""
    result = client.result(tool, **given)
    assert not result["isError"], result
    answer: dict[str, Any] = result["structuredContent"]
    # memories.sh answers in an envelope; that of Memstate is part of what its contract promises.
    return answer["data"] if "ok" in answer and "schema_version" not in answer else answer


def form_of(memory: Memory, index: int) -> str:
    """One of the forms of a memory's id, another one each turn."""
    return FORMS[index % len(FORMS)](memory.id)


@contextmanager
def separate_processes(home: Path) -> Iterator[DialectClients]:
    """Every dialect in a process of its own, over standard input and output."""
    with ExitStack() as stack:
        portal = stack.enter_context(start_blocking_portal())
        clients: dict[str, Client] = {}
        for name in registry.NAMES:
            parameters = StdioServerParameters(
                command=sys.executable,
                args=["-m", "commonplace", "mcp", "--dialect", name, "--bank", "default"],
                cwd=home,
                env={"COMMONPLACE_HOME": str(home), "HOME": str(home)},
            )
            client = Client(parameters)
            clients[name] = stack.enter_context(portal.wrap_async_context_manager(client))
        yield DialectClients(
            lambda name, tool, given: _text(
                portal.call(partial(clients[name].call_tool, tool, given))
            )
        )


@contextmanager
def one_server(home: Path) -> Iterator[DialectClients]:
    """Every dialect of one server, over HTTP."""
    with ExitStack() as stack:
        running = stack.enter_context(
            server(home, "serve", "--port", "0", module="commonplace", HOME=str(home))
        )
        portal = stack.enter_context(start_blocking_portal())
        headers = {"Authorization": f"Bearer {vault_token(home)}"}
        clients: dict[str, Client] = {}
        for name in registry.NAMES:
            http = httpx2.AsyncClient(headers=headers if name == "vault" else {})
            stack.enter_context(portal.wrap_async_context_manager(http))
            client = Client(streamable_http_client(f"{running.url}/{name}/mcp", http_client=http))
            clients[name] = stack.enter_context(portal.wrap_async_context_manager(client))
        yield DialectClients(
            lambda name, tool, given: _text(
                portal.call(partial(clients[name].call_tool, tool, given))
            )
        )


def _text(result: Any) -> str:
    shown = "\n".join(one.text for one in result.content)
    return f"{shown}\n{json.dumps(result.structured_content, ensure_ascii=False)}"
