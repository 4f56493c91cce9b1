"""The rest of what the suite asks for: pictures, sounds, and servers that ask their clients
something.

No dialect has any of it, so it is laid over the handlers of the server that our own factory made: a
name that is not here goes on to the handler that was there.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity

Context = ServerRequestContext[Any, Any]
Answer = types.CallToolResult | types.InputRequiredResult
ToolFunction = Callable[[Context, types.CallToolRequestParams], Awaitable[Answer]]

# One white pixel, and one silent sample.
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJg"
    "gg=="
)
SAMPLE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
TOOLS: dict[str, tuple[types.Tool, ToolFunction]] = {}


def fixture(
    name: str = "", schema: dict[str, Any] = NOTHING
) -> Callable[[ToolFunction], ToolFunction]:
    def add(function: ToolFunction) -> ToolFunction:
        called = name or function.__name__
        described = types.Tool(name=called, description=f"Fixture {called}.", input_schema=schema)
        TOOLS[called] = (described, function)
        return function

    return add


def text(words: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=words)])


def image() -> types.ImageContent:
    return types.ImageContent(type="image", data=PIXEL, mime_type="image/png")


def embedded(uri: str, words: str, mime_type: str = "text/plain") -> types.EmbeddedResource:
    contents = types.TextResourceContents(uri=uri, mime_type=mime_type, text=words)
    return types.EmbeddedResource(type="resource", resource=contents)


# Contents.


@fixture()
async def test_image_content(ctx: Context, params: types.CallToolRequestParams) -> Answer:
    return types.CallToolResult(content=[image()])


@fixture()
async def test_audio_content(ctx: Context, params: types.CallToolRequestParams) -> Answer:
    return types.CallToolResult(
        content=[types.AudioContent(type="audio", data=SAMPLE, mime_type="audio/wav")]
    )


@fixture()
async def test_embedded_resource(ctx: Context, params: types.CallToolRequestParams) -> Answer:
    found = embedded("test://embedded-resource", "This is an embedded resource content.")
    return types.CallToolResult(content=[found])


@fixture()
async def test_multiple_content_types(ctx: Context, params: types.CallToolRequestParams) -> Answer:
    words = types.TextContent(type="text", text="Multiple content types test:")
    data = embedded(
        "test://mixed-content-resource", '{"test":"data","value":123}', "application/json"
    )
    return types.CallToolResult(content=[words, image(), data])


# What is said beside the answer.


@fixture()
async def test_tool_with_logging(ctx: Context, params: types.CallToolRequestParams) -> Answer:
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.session.send_log_message("info", words, related_request_id=ctx.request_id)
        await asyncio.sleep(0.02)
    return text("Tool with logging executed successfully")


@fixture()
async def test_logging_tool(ctx: Context, params: types.CallToolRequestParams) -> Answer:
    await ctx.session.send_log_message(
        "info", "A line of the log", related_request_id=ctx.request_id
    )
    return text("Logged")


@fixture()
async def test_reconnection(ctx: Context, params: types.CallToolRequestParams) -> Answer:
    if ctx.close_sse_stream is not None:
        await ctx.close_sse_stream()
        await asyncio.sleep(0.2)
    return text("Reconnection test completed")


# Asking the client, before 2026.

ONE_TEXT = {"type": "string"}


def form(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


@fixture(schema=form(prompt=ONE_TEXT))
async def test_sampling(ctx: Context, params: types.CallToolRequestParams) -> Answer:
    asked = str((params.arguments or {}).get("prompt", ""))
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=asked))
    made = await ctx.session.create_message(
        [message], max_tokens=100, related_request_id=ctx.request_id
    )
    return text(f"LLM response: {getattr(made.content, 'text', '')}")


async def elicited(ctx: Context, message: str, schema: dict[str, Any]) -> Answer:
    given = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
    return text(f"User response: action={given.action}, content={json.dumps(given.content or {})}")


@fixture(schema=form(message=ONE_TEXT))
async def test_elicitation(ctx: Context, params: types.CallToolRequestParams) -> Answer:
    schema = form(
        username={**ONE_TEXT, "description": "Name"}, email={**ONE_TEXT, "description": "Address"}
    )
    return await elicited(ctx, str((params.arguments or {}).get("message", "")), schema)


@fixture()
async def test_elicitation_sep1034_defaults(
    ctx: Context, params: types.CallToolRequestParams
) -> Answer:
    schema = form(
        name={"type": "string", "default": "John Doe"},
        age={"type": "integer", "default": 30},
        score={"type": "number", "default": 95.5},
        status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        verified={"type": "boolean", "default": True},
    )
    return await elicited(ctx, "Please review", schema | {"required": []})


def titled(**options: str) -> list[dict[str, str]]:
    return [{"const": value, "title": title} for value, title in options.items()]


@fixture()
async def test_elicitation_sep1330_enums(
    ctx: Context, params: types.CallToolRequestParams
) -> Answer:
    plain = ["option1", "option2", "option3"]
    named = titled(value1="First Option", value2="Second Option", value3="Third Option")
    schema = form(
        untitledSingle={"type": "string", "enum": plain},
        titledSingle={"type": "string", "oneOf": named},
        legacyEnum={
            "type": "string",
            "enum": ["opt1", "opt2"],
            "enumNames": ["Option One", "Option Two"],
        },
        untitledMulti={"type": "array", "items": {"type": "string", "enum": plain}},
        titledMulti={"type": "array", "items": {"anyOf": named}},
    )
    return await elicited(ctx, "Please choose", schema | {"required": []})


# Asking the client, since 2026: the answer is a question, and the call comes again with what it was
# answered.


def question(message: str, **properties: dict[str, Any]) -> types.ElicitRequest:
    asked = types.ElicitRequestFormParams(message=message, requested_schema=form(**properties))
    return types.ElicitRequest(params=asked)


def sample(words: str) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=words))
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[message], max_tokens=100)
    )


def needed(state: str | None = None, **requests: types.InputRequest) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests=requests, request_state=state)


def field(
    params: types.CallToolRequestParams | types.GetPromptRequestParams, key: str, name: str
) -> str | None:
    """What somebody answered under a name, or None if there is no usable answer to that
    question.
    """
    given = (params.input_responses or {}).get(key)
    value = (given.content or {}).get(name) if isinstance(given, types.ElicitResult) else None
    return None if value is None else str(value)


@fixture("test_streaming_elicitation")
@fixture("test_input_required_result_elicitation")
async def asks_for_a_name(ctx: Context, params: types.CallToolRequestParams) -> Answer:
    name = field(params, "user_name", "name")
    return (
        text(f"Hello, {name}!")
        if name
        else needed(user_name=question("What is your name?", name=ONE_TEXT))
    )


@fixture()
async def test_input_required_result_sampling(
    ctx: Context, params: types.CallToolRequestParams
) -> Answer:
    given = (params.input_responses or {}).get("capital")
    if isinstance(given, types.CreateMessageResult):
        return text(f"Sampled: {getattr(given.content, 'text', '')}")
    return needed(capital=sample("What is the capital of France?"))


@fixture()
async def test_input_required_result_list_roots(
    ctx: Context, params: types.CallToolRequestParams
) -> Answer:
    given = (params.input_responses or {}).get("client_roots")
    if isinstance(given, types.ListRootsResult):
        return text(f"Found {len(given.roots)} roots")
    return needed(client_roots=types.ListRootsRequest())


@fixture("test_input_required_result_request_state")
@fixture("test_input_required_result_tampered_state")
async def keeps_a_state(ctx: Context, params: types.CallToolRequestParams) -> Answer:
    if params.request_state == "waiting" and field(params, "confirm", "ok") is not None:
        return text("state-ok")
    return needed("waiting", confirm=question("Please confirm", ok={"type": "boolean"}))


@fixture()
async def test_input_required_result_multiple_inputs(
    ctx: Context, params: types.CallToolRequestParams
) -> Answer:
    given = params.input_responses or {}
    if params.request_state and {"user_name", "greeting", "client_roots"} <= set(given):
        return text(f"Thank you, {field(params, 'user_name', 'name')}")
    name = question("What is your name?", name=ONE_TEXT)
    return needed(
        "several", user_name=name, greeting=sample("Greet"), client_roots=types.ListRootsRequest()
    )


@fixture()
async def test_input_required_result_multi_round(
    ctx: Context, params: types.CallToolRequestParams
) -> Answer:
    state = json.loads(params.request_state or "{}")
    if state.get("name") and (colour := field(params, "step2", "color")):
        return text(f"{state['name']} likes {colour}")
    if state.get("round") == 1 and (name := field(params, "step1", "name")):
        return needed(json.dumps({"name": name}), step2=question("Which colour?", color=ONE_TEXT))
    return needed('{"round": 1}', step1=question("What is your name?", name=ONE_TEXT))


@fixture()
async def test_input_required_result_capabilities(
    ctx: Context, params: types.CallToolRequestParams
) -> Answer:
    able = ctx.session.client_capabilities or types.ClientCapabilities()
    requests: dict[str, types.InputRequest] = {}
    if able.sampling is not None:
        requests["sample"] = sample("Anything")
    if able.elicitation is not None:
        requests["ask"] = question("Anything?", anything=ONE_TEXT)
    return needed(None, **requests) if requests and not params.input_responses else text("Done.")


@fixture()
async def test_missing_capability(ctx: Context, params: types.CallToolRequestParams) -> Answer:
    able = ctx.session.client_capabilities
    if able is None or able.sampling is None:
        data = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "Sampling is needed", data)
    return text("Sampling is there")


# Schemas that must arrive as they are.


@fixture(
    schema={
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    }
)
async def json_schema_2020_12_tool(ctx: Context, params: types.CallToolRequestParams) -> Answer:
    return text("ok")


@fixture(
    schema={
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
    }
)
async def test_custom_header(ctx: Context, params: types.CallToolRequestParams) -> Answer:
    return text(f"region {(params.arguments or {}).get('region')}")


# Prompts and resources.


async def get_prompt(ctx: Context, params: types.GetPromptRequestParams) -> Any:
    given = params.arguments or {}
    match params.name:
        case "test_prompt_with_embedded_resource":
            found = embedded(
                given.get("resourceUri", "test://example"), "Embedded resource content for testing."
            )
            return prompt(found, "Please process the embedded resource above.")
        case "test_prompt_with_image":
            return prompt(image(), "Please analyze the image above.")
        case "test_input_required_result_prompt":
            context = field(params, "user_context", "context")
            if context:
                return prompt(f"With context {context}")
            return needed(user_context=question("Which context?", context=ONE_TEXT))
    return None


def prompt(*parts: Any) -> types.GetPromptResult:
    contents = [
        types.TextContent(type="text", text=one) if isinstance(one, str) else one for one in parts
    ]
    return types.GetPromptResult(
        messages=[types.PromptMessage(role="user", content=one) for one in contents]
    )


PROMPTS = (
    types.Prompt(
        name="test_prompt_with_embedded_resource",
        description="Has a resource inside.",
        arguments=[
            types.PromptArgument(name="resourceUri", description="Which one", required=True)
        ],
    ),
    types.Prompt(name="test_prompt_with_image", description="Has an image inside."),
    types.Prompt(name="test_input_required_result_prompt", description="Asks something first."),
)
BINARY = types.Resource(uri="test://static-binary", name="Static binary", mime_type="image/png")


async def read_resource(ctx: Context, params: types.ReadResourceRequestParams) -> Any:
    if str(params.uri) != BINARY.uri:
        return None
    return types.ReadResourceResult(
        contents=[types.BlobResourceContents(uri=BINARY.uri, mime_type="image/png", blob=PIXEL)]
    )


async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> Any:
    return await TOOLS[params.name][1](ctx, params) if params.name in TOOLS else None


async def empty(ctx: Context, params: Any) -> types.EmptyResult:
    return types.EmptyResult()


NEW_METHODS = ("resources/subscribe", "resources/unsubscribe")
LONGER_LISTS = ("tools/list", "prompts/list", "resources/list")


def answers(method: str, params: dict[str, Any]) -> bool:
    """Whether a request is for one of the fixtures."""
    named = {"tools/call": ("name", TOOLS), "prompts/get": ("name", [one.name for one in PROMPTS])}
    key, known = (named | {"resources/read": ("uri", [BINARY.uri])}).get(method, ("", ()))
    return method in (*NEW_METHODS, *LONGER_LISTS) or params.get(key) in known


def install(server: Server[Any]) -> None:
    """Lay everything above over a server's own handlers."""
    over(server, "tools/call", call_tool)
    over(server, "prompts/get", get_prompt)
    over(server, "resources/read", read_resource)
    longer(server, "tools/list", "tools", [described for described, _ in TOOLS.values()])
    longer(server, "prompts/list", "prompts", list(PROMPTS))
    longer(server, "resources/list", "resources", [BINARY])
    server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, empty)
    server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, empty)
    before = server.get_tool_input_schema
    schemas = {name: described.input_schema for name, (described, _) in TOOLS.items()}
    server.get_tool_input_schema = lambda name: (
        schemas.get(name) or (before(name) if before else None)
    )
    server.middleware.append(
        RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="conformance")
    )


def over(
    server: Server[Any], method: str, handler: Callable[[Context, Any], Awaitable[Any]]
) -> None:
    entry = server.get_request_handler(method)
    assert entry is not None, f"the server answers {method}"

    async def first_ours(ctx: Context, params: Any) -> Any:
        ours = await handler(ctx, params)
        return await entry.handler(ctx, params) if ours is None else ours

    server.add_request_handler(method, entry.params_type, first_ours)


def longer(server: Server[Any], method: str, key: str, more: list[Any]) -> None:
    entry = server.get_request_handler(method)
    assert entry is not None, f"the server answers {method}"

    async def with_ours(ctx: Context, params: Any) -> Any:
        listed = await entry.handler(ctx, params)
        if isinstance(listed, dict):
            return {
                **listed,
                key: [
                    *listed[key],
                    *(one.model_dump(by_alias=True, exclude_none=True) for one in more),
                ],
            }
        return listed.model_copy(update={key: [*getattr(listed, key), *more]})

    server.add_request_handler(method, entry.params_type, with_ours)
