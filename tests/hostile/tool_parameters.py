"""Every parameter of every tool that takes a text, found in the tables of the dialects, and how to
call the tool.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from commonplace.dialects import registry
from commonplace.dialects.dialect import Tool
from commonplace.dialects.parameters import Parameter

# One call of a tool of the dialect that an aim belongs to: its name, its arguments, and its
# structured answer.
Ask = Callable[[str, str, Mapping[str, Any]], Any]
QUESTION = "Where is the Rome hotel booked?"
# These name the bank, which the path does here.
_BANK = ("bank_id", "tenant_id")
_WORDS: Mapping[str, Any] = {
    "bank_id": "another",
    "body": "Rome.",
    "content": "I live in Rome.",
    "chunk": "I live in Rome.",
    "cron_expression": "0 9 * * *",
    "keypath": "home.city",
    "message": "Look after the hotel.",
    "messages": "I live in Rome.",
    "name": "Home",
    "phases": [QUESTION],
    "project_id": "p",
    "query": QUESTION,
    "source_query": QUESTION,
    "text": "I live in Rome.",
    "title": "Home",
    "value": "Rome",
}
# What a tool needs too, although it requires none of its parameters.
_BESIDES = {"mem0.add_memory": ("text",)}


@dataclass(frozen=True, repr=False)
class Aim:
    """One parameter of one tool, and the form in which a text goes into it."""

    dialect: str
    tool: Tool
    parameter: Parameter
    form: str

    def __str__(self) -> str:
        return f"{self.dialect}.{self.tool.name} {self.parameter.name} {self.form}".strip()

    __repr__ = __str__

    def arguments(self, text: str, ask: Ask) -> dict[str, Any]:
        """What the tool is called with, in a bank that has what the call needs."""
        given = _needed(self.dialect, self.tool, ask)
        return given | {self.parameter.name: _FORMS[self.form](text)}


@dataclass(frozen=True, repr=False)
class Look:
    """A tool that reads, called with short arguments in a bank that holds a long text."""

    dialect: str
    tool: Tool

    def __str__(self) -> str:
        return f"{self.dialect}.{self.tool.name} reads"

    __repr__ = __str__

    def arguments(self, text: str, ask: Ask) -> dict[str, Any]:
        """Store the text, as other dialects do too; what the tool is called with after that."""
        ask("memories", "add_memory", {"content": text})
        ask("memories", "add_memory", {"content": f"{text}."})
        ask("hindsight", "sync_retain", {"content": text, "document_id": "d"})
        ask("memstate", "memstate_set", {"project_id": "p", "keypath": "home.city", "value": text})
        return _needed(self.dialect, self.tool, ask)


_FORMS: Mapping[str, Callable[[str], Any]] = {
    "": lambda text: text,
    "list": lambda text: [text],
    "pieces": lambda text: [text[at : at + 20] for at in range(0, len(text), 20)],
    "names": lambda text: {text: text},
    "value": lambda text: {"a": text},
    "either": lambda text: {"OR": [{text: text}, {"a": {"like": text}}]},
    "schema": lambda text: {
        "properties": {text: {"type": "string", "pattern": text, "description": text}}
    },
    "messages": lambda text: [
        {"role": "user", "content": text},
        {"role": "assistant", "content": text},
    ],
}


def aims() -> tuple[Aim, ...]:
    """Every parameter that takes a text, in every form it takes one."""
    return tuple(
        Aim(name, tool, parameter, form)
        for name in registry.NAMES
        for tool in _tools(name)
        for parameter in tool.parameters
        if parameter.required or parameter.name not in _BANK
        for form in _forms(parameter)
    )


def looks() -> tuple[Look, ...]:
    """Every tool that only reads."""
    return tuple(
        Look(name, tool)
        for name in registry.NAMES
        for tool in _tools(name)
        if tool.effect == "reads"
    )


def _tools(dialect: str) -> Iterator[Tool]:
    return (tool for tool in registry.find(dialect).tools.values() if tool.listed)


def _forms(parameter: Parameter) -> tuple[str, ...]:
    schema = parameter.schema
    kinds = {schema.get("type"), *(one.get("type") for one in schema.get("anyOf", ()))}
    found = [""] if "string" in kinds and "enum" not in schema else []
    if "array" in kinds:
        found += ["list", "pieces"]
    if "object" in kinds:
        found += ["names", "value"]
    extra = {"filters": "either", "response_schema": "schema", "messages": "messages"}
    return (*found, extra[parameter.name]) if parameter.name in extra else tuple(found)


def _needed(dialect: str, tool: Tool, ask: Ask) -> dict[str, Any]:
    """What a tool must be given besides: words, and the id of something that is there."""
    given: dict[str, Any] = {}
    if tool.effect == "reads":
        # In a bank that holds nothing, nothing is looked for.
        ask("memories", "add_memory", {"content": "The Rome hotel is booked for 3 May."})
        ask("memories", "add_memory", {"content": "Ana lives in Rome, because she works there."})
    for one in tool.parameters:
        if not one.required and one.name not in _BESIDES.get(f"{dialect}.{tool.name}", ()):
            continue
        given[one.name] = (
            _WORDS[one.name] if one.name in _WORDS else _made(dialect, tool, one.name, ask)
        )
    return given


def _made(dialect: str, tool: Tool, name: str, ask: Ask) -> Any:
    """The id of something that is made for this call."""
    kind = (
        "reminder_id"
        if "reminder" in tool.name
        else f"{dialect} memory"
        if name in ("id", "memory_id")
        else name
    )
    how, arguments, read = _MAKING[kind]
    maker, _, call = how.partition(".")
    return read(ask(maker, call, arguments))


# How to make what an id names: the tool, what it is given, and where its answer has the id.
_MAKING: Mapping[str, tuple[str, Mapping[str, Any], Callable[[Any], Any]]] = {
    "memories memory": (
        "memories.add_memory",
        {"content": "I live in Oslo."},
        lambda one: one["data"]["id"],
    ),
    "vault memory": (
        "vault.memory_append",
        {"title": "Oslo", "body": "I live in Oslo."},
        lambda one: one["id"],
    ),
    "commonplace memory": (
        "commonplace.remember",
        {"text": "I live in Oslo."},
        lambda one: one["memory"]["id"],
    ),
    "mem0 memory": (
        "mem0.add_memory",
        {"text": "I live in Oslo."},
        lambda one: one["results"][0]["id"],
    ),
    "memory_ids": (
        "mem0.add_memory",
        {"text": "I live in Oslo."},
        lambda one: [one["results"][0]["id"]],
    ),
    "powermem memory": (
        "powermem.add_memory",
        {"messages": "I live in Oslo."},
        lambda one: one["memory_id"],
    ),
    "hindsight memory": (
        "hindsight.sync_retain",
        {"content": "I live in Oslo."},
        lambda one: one["memory_ids"][0],
    ),
    "reminder_id": (
        "memories.add_reminder",
        {"cron_expression": "0 9 * * *", "message": "Look."},
        lambda one: one["data"]["id"],
    ),
    "session_id": ("memories.start_session", {}, lambda one: one["data"]["id"]),
    "stream_id": ("memories.start_memory_stream", {}, lambda one: one["data"]["id"]),
    "mental_model_id": (
        "hindsight.create_mental_model",
        {"name": "Home", "source_query": QUESTION},
        lambda one: one["mental_model_id"],
    ),
    "directive_id": (
        "hindsight.create_directive",
        {"name": "Home", "content": "Be brief."},
        lambda one: one["id"],
    ),
    "document_id": (
        "hindsight.sync_retain",
        {"content": "I live in Oslo.", "document_id": "d2"},
        lambda _: "d2",
    ),
    "operation_id": (
        "hindsight.retain",
        {"content": "I live in Oslo."},
        lambda one: one["operation_id"],
    ),
    "page_id": (
        "hindsight.create_knowledge_page",
        {"name": "Rooms", "source_query": QUESTION},
        lambda one: one["page_id"],
    ),
    "node_id": ("hindsight.create_knowledge_folder", {"name": "Folder"}, lambda one: one["id"]),
}
