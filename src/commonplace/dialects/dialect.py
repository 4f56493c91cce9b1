"""A dialect: the tools, resources and prompts of one product, independent of any protocol.

A tool is declared once, as a function. Its parameters, schema and description are derived from the
function. A face builds a Call, passes it to the dialect, and sends the Reply.
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


# PowerMem's name for the owner of an installation whose settings have no name.
DEFAULT_OWNER_NAME = "mcp_user"


def _no_progress(_done: float, _total: float | None, _text: str) -> None:
    """Ignore the progress: the client did not request it."""


@dataclass(frozen=True, slots=True)
class Call:
    """The context of a call: engine, bank, session, client and folder.

    A long-running tool reports through `progress`, which raises if the caller is gone.
    """

    engine: Engine
    bank: str
    session: str = ""
    client: str = ""
    folder: str = ""
    progress: Progress = _no_progress
    # The unchecked arguments, for products that repeat them in the response.
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])

    @property
    def owner(self) -> str:
        """The name of the owner for dialects that name users; in scopes the owner is ""."""
        return self.engine.owner or DEFAULT_OWNER_NAME

    def origin(self, dialect: str) -> Origin:
        """The origin to store with a change: client, dialect and session."""
        return Origin(who=self.client, dialect=dialect, session=self.session)


@dataclass(frozen=True, slots=True)
class Reply:
    """A response in two forms, each complete: structured for programs, text for readers."""

    structured: Mapping[str, Any]
    text: str
    is_error: bool = False
    # Metadata that clients of the product expect beside the content.
    meta: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class ToolRole:
    """What a tool does to a memory, and which of its arguments are the memory's id and text.

    `sweep` forgets or erases many memories at once. `apart` is for tools about other things, such
    as sessions.
    """

    action: MemoryAction
    id: str = ""
    text: str = ""
    # The only kind of memory that the tool shows, if it shows one kind.
    kind: str = ""
    # The arguments with which the tool performs this action, if it has several.
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])


OTHER = ToolRole("apart")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: its function, its effect, and how clients list and call it."""

    name: str
    function: Callable[..., Mapping[str, Any] | Reply]
    effect: Effect
    title: str = ""
    always_loaded: bool = False
    idempotent: bool = False
    # Whether the tool is listed; an unlisted one is an older name of another tool.
    listed: bool = True
    # A question for the user before the call, if the client can ask one.
    confirm: str = ""
    output: Mapping[str, Any] = field(
        default_factory=lambda: {"type": "object", "additionalProperties": True}
    )
    parameters: tuple[Parameter, ...] = ()
    description: str = ""
    # Used by allowlists, and by the tests of what one dialect does to memories of another.
    roles: tuple[ToolRole, ...] = ()

    @property
    def actions(self) -> tuple[str, ...]:
        """Its actions by the names that allowlists use."""
        return tuple(self.effect if role.action == "apart" else role.action for role in self.roles)

    def alias(self, name: str) -> "Tool":
        """The same tool under another name, which is accepted but not listed."""
        return replace(self, name=name, listed=False)

    def without_parameter(self, name: str) -> "Tool":
        """The same tool without a parameter whose value the call provides."""
        kept = tuple(one for one in self.parameters if one.name != name)
        return replace(self, parameters=kept)

    def for_single_user(self) -> "Tool":
        """The same tool with the parameters for several users accepted but not listed."""
        return replace(self, parameters=tuple(_hide_if_multiuser(one) for one in self.parameters))


@dataclass(frozen=True, slots=True)
class Resource:
    """A text to read at an address, in which `{name}` stands for a variable part."""

    uri: str
    name: str
    description: str
    mime_type: str
    read: Callable[..., str]
    # Whether the values in the address may contain slashes, such as `owner/repo`.
    deep: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """A text that begins a conversation; its arguments are texts."""

    name: str
    title: str
    description: str
    write: Callable[..., str]
    parameters: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True)
class Dialect:
    """The tools, resources, prompts and error responses of one product."""

    name: str
    title: str
    instructions: str
    tools: Mapping[str, Tool]
    resources: tuple[Resource, ...] = ()
    # The parameter that names a bank, if tools have one.
    bank: str = ""
    # Whether unknown arguments are an error, as in the original, or ignored.
    strict: bool = False
    failure: Callable[[Tool, Mapping[str, object], CommonplaceError], Reply] | None = None
    completions: Mapping[str, Callable[[Call, str], Iterable[str]]] = field(
        default_factory=dict[str, Callable[[Call, str], Iterable[str]]]
    )
    prompts: tuple[Prompt, ...] = ()
    # The tools to whose descriptions a deployment may add guidance.
    guided_tools: tuple[str, ...] = ()
    # Set by the product whose tools the allowlist of a bank names: its tools are filtered by name.
    # The tools of other dialects are allowed if they do the same as an allowed tool.
    restrict_to_allowlist: "Callable[[Dialect, Engine, str], Dialect] | None" = None
    forbidden_tool_reply: Callable[[Tool], Reply] | None = None
    # The product's response to a call of an unknown tool; None for the error of the protocol.
    unknown_tool_reply: Callable[[str], Reply] | None = None

    def call(self, name: str, arguments: Mapping[str, object], call: Call) -> Reply:
        """Check the arguments, run the tool, and return its response or the error response."""
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
        """The text of a resource. Raises Forbidden if the bank does not allow listing memories."""
        allowlists.check(call.engine, call.bank, resource.uri, ("list",))
        return resource.read(call, **parts)

    def complete(self, name: str, call: Call, typed: str) -> Iterable[str]:
        """Completions of a typed value; none if the bank does not allow listing memories."""
        suggest = self.completions.get(name)
        if suggest is None or not allowlists.is_allowed(call.engine, call.bank, ("list",)):
            return ()
        return suggest(call, typed)

    def _forbidden_reply(self, tool: Tool, bank: object, engine: Engine) -> Reply | None:
        """The product's response to a forbidden tool, or None. Raises Forbidden without such a
        response.
        """
        if self.forbidden_tool_reply is None:
            allowlists.check(engine, bank, tool.name, tool.actions)
            return None
        allowed = allowlists.allowed_tools(engine, bank)
        return None if allowed is None or tool.name in allowed else self.forbidden_tool_reply(tool)

    def tool(self, name: str) -> Tool:
        """The tool with a name."""
        if name not in self.tools:
            raise NotFound(
                f"Unknown tool: {name}",
                hint=f"The {self.name} dialect has: {', '.join(self.tools)}.",
            )
        return self.tools[name]

    def for_single_bank(self, parameter: str, without_tools: Iterable[str] = ()) -> "Dialect":
        """The same dialect with a parameter removed from every tool, and without some tools."""
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
        """The same dialect for a server that one user starts for one client."""
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
    """Declare a function as a tool."""

    def declare(function: Callable[..., Mapping[str, Any] | Reply]) -> Tool:
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

    return declare


def rows(*tools: Tool) -> dict[str, Tool]:
    """Tools by name, in the order in which clients list them."""
    return {one.name: one for one in tools}


def add_instructions(dialect: Dialect, text: str) -> Dialect:
    """The dialect with a deployment's instructions at the end of some tool descriptions."""
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
    """The reply with the number of files that stay in the folder because a person made them."""
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
    """The error response of a dialect without one of its own."""
    text = f"{error.message} {error.hint}".strip()
    return Reply({"error": {"code": error.kind, "message": text}}, text, is_error=True)


def as_json(value: object) -> str:
    """Compact JSON without escaped letters."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def drop_empty(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record without its empty fields, which only cost a model tokens."""
    return {
        name: value
        for name, value in record.items()
        if value is not None and value not in ("", [], {}, ())
    }


def _hide_if_multiuser(parameter: Parameter) -> Parameter:
    return replace(parameter, listed=False) if parameter.about.multiuser else parameter


def _description(function: Callable[..., object]) -> str:
    return inspect.getdoc(function) or ""
