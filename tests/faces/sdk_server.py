"""The same dialect for tests behind the official library's own server on standard input and
output.
"""

import warnings
from functools import cache, partial
from typing import Any

import anyio
import anyio.to_thread
from mcp import MCPError
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp.shared.message import SessionMessage
from mcp_types.jsonrpc import jsonrpc_message_adapter

from commonplace import settings
from commonplace.app import open_engine
from commonplace.dialects.dialect import Call
from commonplace.faces.mcp import messages, protocol
from commonplace.faces.mcp.parsing import ProtocolError, Request
from tests.faces.sample_dialect import DIALECT


def served() -> Server[Any]:
    engine = cache(lambda: open_engine(settings.load()))

    async def work(method: str, ctx: Any, params: Any) -> Any:
        def tell(done: float, total: float | None, text: str) -> None:
            anyio.from_thread.run(ctx.session.report_progress, done, total, text)

        def make(request: Request) -> Call:
            return Call(engine(), "default", progress=tell)

        given = params.model_dump(by_alias=True, exclude_none=True, mode="json")
        request = Request(ctx.request_id, method, given, ctx.protocol_version)
        try:
            return await anyio.to_thread.run_sync(partial(protocol.execute, request, DIALECT, make))
        except ProtocolError as refused:
            raise MCPError(refused.code, refused.message, refused.data) from None

    async def listed(key: str, entries: Any, _ctx: Any, _params: Any) -> Any:
        return {key: entries(DIALECT), "resultType": "complete"}

    async def level(_ctx: Any, _params: Any) -> Any:
        return {}

    # Setting a log level is something the library warns about; old clients do it all the same.
    warnings.simplefilter("ignore", MCPDeprecationWarning)
    return Server(
        **messages.server_info(),
        instructions=DIALECT.instructions,
        cache_hints={
            method: CacheHint(ttl, scope) for method, (ttl, scope) in messages.CACHE_HINTS.items()
        },
        on_list_tools=partial(listed, "tools", messages.tools),
        on_list_resources=partial(listed, "resources", messages.resources),
        on_list_resource_templates=partial(
            listed, "resourceTemplates", messages.resource_templates
        ),
        on_list_prompts=partial(listed, "prompts", messages.prompts),
        on_call_tool=partial(work, "tools/call"),
        on_read_resource=partial(work, "resources/read"),
        on_get_prompt=partial(work, "prompts/get"),
        on_completion=partial(work, "completion/complete"),
        on_subscriptions_listen=ListenHandler(InMemorySubscriptionBus()),
        on_set_logging_level=level,
    )


async def main() -> None:
    server = served()
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def conversed(messages: list[Any]) -> list[Any]:
    """The answers to messages on one connection, in this process, since the library takes a second
    to load.
    """
    with warnings.catch_warnings():
        server = served()
    ours, incoming = anyio.create_memory_object_stream[Any](1)
    outgoing, theirs = anyio.create_memory_object_stream[Any](1)
    found: list[Any] = []
    async with anyio.create_task_group() as group, ours, theirs:
        group.start_soon(server.run, incoming, outgoing, server.create_initialization_options())
        for message in messages:
            await ours.send(SessionMessage(jsonrpc_message_adapter.validate_python(message)))
            answer = await theirs.receive()
            found.append(answer.message.model_dump(by_alias=True, exclude_unset=True, mode="json"))
        await ours.aclose()
    return found


if __name__ == "__main__":
    anyio.run(main)
