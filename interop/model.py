"""A stand-in for the model behind an agent: it asks for the tools it is told to, and remembers all
it was shown.

Speaks as much of three interfaces as the agents need: Anthropic Messages, OpenAI Responses and
Gemini.
"""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

FINAL = "The stand-in has seen enough."


@dataclass(frozen=True, slots=True)
class Step:
    """One tool the model asks for, and words it must be shown in return."""

    tool: str
    arguments: Mapping[str, Any]
    shown: tuple[str, ...]
    # Whether the call is a mistake, which the answer must explain.
    wrong: bool = False


@dataclass(slots=True)
class ModelRequest:
    """What the model was shown in one request."""

    instructions: str
    # Descriptions by name, as the agent passes them on; schemas likewise.
    tools: dict[str, str]
    schemas: dict[str, Any]
    results: list[str]


@dataclass(slots=True)
class Model:
    """The stand-in: a list of steps to go through, and what it saw on the way."""

    steps: Sequence[Step]
    sights: list[ModelRequest] = field(default_factory=list[ModelRequest])
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    url: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next_step(self, sight: ModelRequest) -> tuple[str, Step] | None:
        """The tool to ask for now, with the name the agent gave it; None to end."""
        with self.lock:
            self.sights.append(sight)
        done = len(sight.results)
        if done >= len(self.steps):
            return None
        step = self.steps[done]
        name = next(
            (one for one in sight.tools if one == step.tool or one.endswith(f"_{step.tool}")), None
        )
        # Side questions of the agent, such as a title for the conversation, come without our tools.
        return (name, step) if name else None


@contextmanager
def model(steps: Sequence[Step]) -> Iterator[Model]:
    """A running stand-in."""
    made = Model(steps)

    class Handling(_Handling):
        standin = made

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handling)
    made.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()


class _Handling(BaseHTTPRequestHandler):
    standin: Model
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the requests are kept."""

    def do_HEAD(self) -> None:
        self._send(200, b"")

    def do_GET(self) -> None:
        self._send(200, b'{"models": [], "data": []}')

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        try:
            asked = json.loads(body or b"{}")
        except ValueError:
            self._send(400, b"{}")
            return
        path = self.path.partition("?")[0]
        with self.standin.lock:
            self.standin.requests.append({"path": self.path, "body": asked})
        if path.endswith("/messages"):
            self._events(_anthropic(self.standin, asked), whole=not asked.get("stream"))
        elif path.endswith("/responses"):
            self._events(_openai(self.standin, asked), whole=False)
        elif path.endswith(":streamGenerateContent"):
            self._events(_gemini(self.standin, asked), whole=False)
        elif path.endswith(":generateContent"):
            self._send(200, json.dumps(_gemini(self.standin, asked)[0][1]).encode())
        elif path.endswith("count_tokens") or path.endswith(":countTokens"):
            self._send(200, b'{"input_tokens": 10, "totalTokens": 10}')
        else:
            self._send(200, b"{}")

    def _events(self, events: list[tuple[str, Any]], *, whole: bool) -> None:
        if whole:
            self._send(200, json.dumps(_whole_message(events)).encode())
            return
        lines = [
            f"event: {name}\n" * bool(name) + f"data: {json.dumps(data)}\n\n"
            for name, data in events
        ]
        self._send(200, "".join(lines).encode(), "text/event-stream")

    def _send(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _texts(content: Any) -> str:
    """Everything that reads as text in a piece of a conversation."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_texts(part) for part in content)
    if isinstance(content, dict):
        return _texts(content.get("text") or content.get("content") or content.get("output") or "")
    return ""


def _anthropic(standin: Model, asked: dict[str, Any]) -> list[tuple[str, Any]]:
    parts = [
        part
        for message in asked.get("messages", [])
        if isinstance(message.get("content"), list)
        for part in message["content"]
    ]
    sight = ModelRequest(
        instructions=_texts(asked.get("system"))
        + "\n"
        + "\n".join(_texts(m.get("content")) for m in asked["messages"]),
        tools={tool["name"]: tool.get("description", "") for tool in asked.get("tools", [])},
        schemas={tool["name"]: tool.get("input_schema") for tool in asked.get("tools", [])},
        results=[
            _texts(part.get("content")) for part in parts if part.get("type") == "tool_result"
        ],
    )
    step = standin.next_step(sight)
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": asked.get("model", "stand-in"),
    }
    usage = {"input_tokens": 10, "output_tokens": 5}
    start = {
        "type": "message_start",
        "message": {**message, "content": [], "stop_reason": None, "usage": usage},
    }
    if step is None:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": FINAL}
        reason = "end_turn"
    else:
        block = {
            "type": "tool_use",
            "id": f"toolu_{len(sight.results)}",
            "name": step[0],
            "input": {},
        }
        delta = {"type": "input_json_delta", "partial_json": json.dumps(step[1].arguments)}
        reason = "tool_use"
    return [
        ("message_start", start),
        (
            "content_block_start",
            {"type": "content_block_start", "index": 0, "content_block": block},
        ),
        ("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": delta}),
        ("content_block_stop", {"type": "content_block_stop", "index": 0}),
        (
            "message_delta",
            {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage},
        ),
        ("message_stop", {"type": "message_stop"}),
    ]


def _whole_message(events: list[tuple[str, Any]]) -> dict[str, Any]:
    named = dict(events)
    block = dict(named["content_block_start"]["content_block"])
    delta = named["content_block_delta"]["delta"]
    if block["type"] == "text":
        block["text"] = delta["text"]
    else:
        block["input"] = json.loads(delta["partial_json"])
    reason = named["message_delta"]["delta"]["stop_reason"]
    return {**named["message_start"]["message"], "content": [block], "stop_reason": reason}


def _openai(standin: Model, asked: dict[str, Any]) -> list[tuple[str, Any]]:
    tools: dict[str, str] = {}
    schemas: dict[str, Any] = {}
    spaces: dict[str, str] = {}
    for tool in asked.get("tools", []):
        # Tools of one server come together under its name.
        for one in tool.get("tools", []) if tool.get("type") == "namespace" else [tool]:
            name = one.get("name", one.get("type", ""))
            tools[name], schemas[name] = one.get("description", ""), one.get("parameters")
            if tool.get("type") == "namespace":
                spaces[name] = tool["name"]
                tools[tool["name"]] = tool.get("description", "")
    sent = asked.get("input", [])
    sight = ModelRequest(
        instructions=asked.get("instructions", "")
        + "\n"
        + "\n".join(_texts(item.get("content")) for item in sent),
        tools=tools,
        schemas=schemas,
        results=[
            _texts(item.get("output"))
            for item in sent
            if item.get("type") == "function_call_output"
        ],
    )
    step = standin.next_step(sight)
    if step is None:
        text = {"type": "output_text", "text": FINAL, "annotations": []}
        item: dict[str, Any] = {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "content": [text],
        }
    else:
        item = {
            "type": "function_call",
            "id": "fc_1",
            "call_id": f"call_{len(sight.results)}",
            "name": step[0],
        }
        item["arguments"] = json.dumps(step[1].arguments)
        if step[0] in spaces:
            item["namespace"] = spaces[step[0]]
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    usage |= {
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    ended = {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "output": [item],
        "usage": usage,
    }
    return [
        ("response.created", {"type": "response.created", "response": {"id": "resp_1"}}),
        (
            "response.output_item.done",
            {"type": "response.output_item.done", "output_index": 0, "item": item},
        ),
        ("response.completed", {"type": "response.completed", "response": ended}),
    ]


def _gemini(standin: Model, asked: dict[str, Any]) -> list[tuple[str, Any]]:
    declared = [
        one for tool in asked.get("tools", []) for one in tool.get("functionDeclarations", [])
    ]
    parts = [part for content in asked.get("contents", []) for part in content.get("parts", [])]
    given = asked.get("systemInstruction") or {}
    said = given.get("parts", []) if isinstance(given, dict) else given
    sight = ModelRequest(
        instructions=_texts(said) + "\n" + _texts(parts),
        tools={one["name"]: one.get("description", "") for one in declared},
        schemas={
            one["name"]: one.get("parametersJsonSchema", one.get("parameters")) for one in declared
        },
        results=[
            json.dumps(part["functionResponse"].get("response"), ensure_ascii=False)
            for part in parts
            if "functionResponse" in part
        ],
    )
    step = standin.next_step(sight)
    part: dict[str, Any] = {"text": FINAL}
    if step is not None:
        part = {"functionCall": {"name": step[0], "args": dict(step[1].arguments)}}
    content = {"role": "model", "parts": [part]}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    return [
        (
            "",
            {
                "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
                "usageMetadata": usage,
            },
        )
    ]
