"""A dialect is a table: one row a tool, and everything a face shows of it comes from the row.

Nothing here knows a protocol. A face builds a Call, asks the dialect, and sends the Reply.
"""

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from commonplace.app import update_note_files
from commonplace.dialects import allowlists
from commonplace.dialects.parameters import Parameter, check_arguments, parameters_of
from commonplace.engine.engine import Engine
from commonplace.errors import CommonplaceError, NotFound
from commonplace.records.memory import Origin

Effect: TypeAlias = Literal["reads", "writes", "destroys"]
MemoryAction: TypeAlias = Literal[
    "write", "find", "list", "fetch", "history", "revise", "restore", "forget", "sweep", "apart"
]
Progress: TypeAlias = Callable[[float, float | None, str], None]


# What PowerMem calls the owner of an installation that has no name for that person.
DEFAULT_OWNER_NAME = "mcp_user"


def _no_progress(_done: float, _total: float | None, _text: str) -> None:
    """Nobody asked to be told."""


@dataclass(frozen=True, slots=True)
class Call:
    """Everything about a call besides its arguments: on which engine and bank, for whom, in which
    session.

    A long tool reports through `progress`, which also raises when the caller has gone away.
    """

    engine: Engine
    bank: str
    session: str = ""
    client: str = ""
    folder: str = ""
    progress: Progress = _no_progress
    # The arguments as they came, for products that echo them.
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])

    @property
    def owner(self) -> str:
        """What the owner is called where users have names; scopes say "" of that person."""
        return self.engine.owner or DEFAULT_OWNER_NAME

    def origin(self, dialect: str) -> Origin:
        """Who asks for a change, and in which tongue."""
        return Origin(who=self.client, dialect=dialect, session=self.session)


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer twice: structured for programs and as text for readers. Each is complete without
    the other.
    """

    structured: Mapping[str, Any]
    text: str
    is_error: bool = False
    # What a product's own clients look for beside an answer.
    meta: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class ToolRole:
    """What a tool does to a memory, by the argument that names the memory and the one that has its
    words.

    To sweep is to forget or erase many at once. A tool that stands apart is about something else
    than memories.
    """

    action: MemoryAction
    id: str = ""
    text: str = ""
    # Where a tool shows memories of one kind only.
    kind: str = ""
    # Arguments that make the tool do this rather than something else.
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])


OTHER = ToolRole("apart")


@dataclass(frozen=True, slots=True)
class Tool:
    """One row: the signature is the contract, the docstring the description, one word tells the
    effect.
    """

    name: str
    function: Callable[..., Mapping[str, Any] | Reply]
    effect: Effect
    title: str = ""
    always_loaded: bool = False
    idempotent: bool = False
    # Whether clients are shown it; one that is not is another name that older clients know.
    listed: bool = True
    # A question to put to a person first, where the client can ask one.
    confirm: str = ""
    output: Mapping[str, Any] = field(
        default_factory=lambda: {"type": "object", "additionalProperties": True}
    )
    parameters: tuple[Parameter, ...] = ()
    description: str = ""
    # Allowlists go by these, and the tests make their tables of who sees, changes and forgets what
    # others wrote.
    roles: tuple[ToolRole, ...] = ()

    @property
    def actions(self) -> tuple[str, ...]:
        """What it does, as allowlists know it."""
        return tuple(self.effect if role.action == "apart" else role.action for role in self.roles)

    def alias(self, name: str) -> "Tool":
        """The same tool under another name, understood and not shown."""
        return replace(self, name=name, listed=False)

    def without_parameter(self, name: str) -> "Tool":
        """The same tool with a parameter answered by the call, so that nobody can give another."""
        kept = tuple(one for one in self.parameters if one.name != name)
        return replace(self, parameters=kept)

    def for_single_user(self) -> "Tool":
        """The same tool, whose parameters that tell people apart are accepted and not shown."""
        return replace(self, parameters=tuple(_hide_if_multiuser(one) for one in self.parameters))


@dataclass(frozen=True, slots=True)
class Resource:
    """Something to read at an address; `{name}` in the address is a part that varies."""

    uri: str
    name: str
    description: str
    mime_type: str
    read: Callable[..., str]
    # Whether what varies may have slashes in it, as `owner/repo` does.
    deep: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text to begin a conversation with; what it is given are texts."""

    name: str
    title: str
    description: str
    write: Callable[..., str]
    parameters: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True)
class Dialect:
    """A product's tongue: its tools, resources and manners."""

    name: str
    title: str
    instructions: str
    tools: Mapping[str, Tool]
    resources: tuple[Resource, ...] = ()
    # The parameter that names a bank, where a call may name one.
    bank: str = ""
    # Whether an argument no tool knows is refused, as the original does, or passed over.
    strict: bool = False
    failure: Callable[[Tool, Mapping[str, object], CommonplaceError], Reply] | None = None
    completions: Mapping[str, Callable[[Call, str], Iterable[str]]] = field(
        default_factory=dict[str, Callable[[Call, str], Iterable[str]]]
    )
    prompts: tuple[Prompt, ...] = ()
    # The tools to whose descriptions a deployment may add guidance.
    guided_tools: tuple[str, ...] = ()
    # The product whose tools a bank's allowlist names: how it lists those that a bank allows, and
    # what it answers to a call of another. Where these are not set, a tool is allowed that does
    # what a listed one does.
    restrict_to_allowlist: "Callable[[Dialect, Engine, str], Dialect] | None" = None
    forbidden_tool_reply: Callable[[Tool], Reply] | None = None
    # The answer to a call of a tool that is not there, where a product has one; otherwise the
    # protocol's error is it.
    unknown_tool_reply: Callable[[str], Reply] | None = None

    def call(self, name: str, arguments: Mapping[str, object], call: Call) -> Reply:
        """Check the arguments, run the tool and shape its answer, or its failure, as the product
        does.
        """
        tool = self.tool(name)
        try:
            values = check_arguments(tool.parameters, arguments, strict=self.strict)
            if refusal := self._forbidden_reply(
                tool, values.get(self.bank) or call.bank, call.engine
            ):
                return refusal
            answer = tool.function(replace(call, arguments=arguments), **values)
        except CommonplaceError as error:
            return (self.failure or default_failure)(tool, arguments, error)
        reply = answer if isinstance(answer, Reply) else Reply(answer, as_json(answer))
        left = update_note_files(call.engine) if tool.effect != "reads" else 0
        return _with_files(reply, left) if left else reply

    def read(self, resource: Resource, call: Call, parts: Mapping[str, str]) -> str:
        """What a resource says. Raises Forbidden where the bank does not allow to list its
        memories.
        """
        allowlists.check(call.engine, call.bank, resource.uri, ("list",))
        return resource.read(call, **parts)

    def complete(self, name: str, call: Call, typed: str) -> Iterable[str]:
        """Values for an argument that begin as it was typed; none where the bank does not allow to
        list them.
        """
        suggest = self.completions.get(name)
        if suggest is None or not allowlists.is_allowed(call.engine, call.bank, ("list",)):
            return ()
        return suggest(call, typed)

    def _forbidden_reply(self, tool: Tool, bank: object, engine: Engine) -> Reply | None:
        """The answer to a call of a tool that the bank does not allow, where it is no error of
        ours.
        """
        if self.forbidden_tool_reply is None:
            allowlists.check(engine, bank, tool.name, tool.actions)
            return None
        allowed = allowlists.allowed_tools(engine, bank)
        return None if allowed is None or tool.name in allowed else self.forbidden_tool_reply(tool)

    def tool(self, name: str) -> Tool:
        """The row of a name."""
        if name not in self.tools:
            raise NotFound(
                f"Unknown tool: {name}",
                hint=f"The {self.name} dialect has: {', '.join(self.tools)}.",
            )
        return self.tools[name]

    def for_single_bank(self, parameter: str, without_tools: Iterable[str] = ()) -> "Dialect":
        """The same dialect with a parameter of every tool answered, and some tools left out."""
        gone = set(without_tools)
        return replace(
            self,
            tools={
                n: tool.without_parameter(parameter)
                for n, tool in self.tools.items()
                if n not in gone
            },
        )

    def for_single_user(self) -> "Dialect":
        """The same dialect as a server lists it that one person starts for one client."""
        return replace(
            self, tools={name: tool.for_single_user() for name, tool in self.tools.items()}
        )


def tool(
    effect: Effect,
    *roles: ToolRole,
    title: str = "",
    always_loaded: bool = False,
    idempotent: bool = False,
    confirm: str = "",
) -> Callable[[Callable[..., Mapping[str, Any] | Reply]], Tool]:
    """Make a row of a function."""

    def row(function: Callable[..., Mapping[str, Any] | Reply]) -> Tool:
        name = getattr(function, "__name__", "")
        return Tool(
            name=name,
            function=function,
            effect=effect,
            title=title or name.replace("_", " ").capitalize(),
            always_loaded=always_loaded,
            idempotent=idempotent or effect == "reads",
            confirm=confirm,
            parameters=parameters_of(function),
            description=_description(function),
            roles=roles,
        )

    return row


def rows(*tools: Tool) -> dict[str, Tool]:
    """Tools by name, in the order given, which is the order clients see."""
    return {one.name: one for one in tools}


def add_instructions(dialect: Dialect, text: str) -> Dialect:
    """The dialect with a deployment's own guidance at the end of what some of its tools say of
    themselves.
    """
    if not text.strip():
        return dialect
    added = f"\n\nAdditional instructions: {text.strip()}"
    tools = {
        name: replace(tool, description=tool.description + added)
        if name in dialect.guided_tools
        else tool
        for name, tool in dialect.tools.items()
    }
    return replace(dialect, tools=tools)


def _with_files(reply: Reply, left: int) -> Reply:
    """An answer that also says how many files were left in the folder of notes because a person
    made them.
    """
    structured = {**reply.structured, "files_left": left}
    if reply.text.startswith(("{", "[")):
        return replace(reply, structured=structured, text=as_json(structured))
    files = (
        "1 file that a person made stays in the folder of notes, but is"
        if left == 1
        else f"{left:,} files that a person made stay in the folder of notes, but are"
    )
    return replace(
        reply,
        structured=structured,
        text=f"{reply.text}\n\n{files} no longer read.",
    )


def default_failure(_tool: Tool, _given: Mapping[str, object], error: CommonplaceError) -> Reply:
    """The failure of a dialect with no shape of its own for it."""
    text = f"{error.message} {error.hint}".strip()
    return Reply({"error": {"code": error.kind, "message": text}}, text, is_error=True)


def as_json(value: object) -> str:
    """Compact JSON with readable letters, the text of an answer that has no other."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def drop_empty(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without its empty fields, which cost a model tokens and tell it nothing."""
    return {
        name: value
        for name, value in record.items()
        if value is not None and value not in ("", [], {}, ())
    }


def _hide_if_multiuser(parameter: Parameter) -> Parameter:
    return replace(parameter, listed=False) if parameter.about.multiuser else parameter


def _description(function: Callable[..., object]) -> str:
    return inspect.getdoc(function) or ""
