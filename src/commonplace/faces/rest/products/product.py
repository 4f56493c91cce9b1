"""The REST interface of a product: a table of routes, each a few lines over the product's dialect.

A route reads the path, the query and the body of a request as one object, calls what the product's
MCP tool calls, and shapes the answer as the product's own server does.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, cast

from commonplace.app import update_note_files
from commonplace.dialects.dialect import Call, Dialect
from commonplace.engine.engine import Engine
from commonplace.errors import CommonplaceError, Invalid, NotFound, Unsupported
from commonplace.faces.http.access import HttpRequest
from commonplace.faces.http.calls import Calls
from commonplace.faces.rest.arguments import read_json, read_query, split_path
from commonplace.faces.rest.products.path_tree import PathTree
from commonplace.faces.rest.responses import Response, run_safely, send

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """A request of a product's client: its bank and everything it gives, by name."""

    dialect: Dialect
    call: Call
    given: Json = field(default_factory=dict[str, Any])
    # The whole body, where it is not an object.
    body: Any = None

    @property
    def engine(self) -> Engine:
        """The engine."""
        return self.call.engine

    def text(self, name: str) -> str:
        """A text that the request must give."""
        value = self.given.get(name)
        if not isinstance(value, str):
            raise Invalid(f"`{name}` must be a string.", hint=f"Give `{name}`.")
        return value

    def number(self, name: str, default: int) -> int:
        """An integer, or the default."""
        value = self.given.get(name)
        if value is None:
            return default
        digits = str(value)
        if isinstance(value, bool) or not digits.isascii() or not digits.isdecimal():
            raise Invalid(f"`{name}` must be a whole number.", hint="Use 0 or more.")
        if len(digits) > 12:
            raise Invalid(f"`{name}` is too large.", hint="Use a smaller number.")
        return int(digits)

    def objects(self, name: str) -> list[Json]:
        """A list of objects that the request must give."""
        value = self.given.get(name)
        items = cast("list[object]", value) if isinstance(value, list) else [value]
        if not all(isinstance(one, dict) for one in items):
            raise Invalid(f"`{name}` must be a list of objects.", hint=f"Give `{name}`.")
        return cast("list[Json]", items)


@dataclass(frozen=True, slots=True)
class Route:
    """One row: a method, a path, and what answers it."""

    method: str
    path: str
    handle: Callable[[Request], Any]
    status: int = 200


@dataclass(frozen=True, slots=True)
class Product:
    """A product's REST interface."""

    dialect: str
    routes: Sequence[Route]
    # The body of an error, as the product's clients read it.
    failure: Callable[[CommonplaceError], tuple[int, Json]]
    # The beginnings of paths that the product has and we do not, each with a sentence.
    left_out: Mapping[str, str] = field(default_factory=dict[str, str])
    # The parameter in a path that names a bank.
    bank: str = "bank_id"


class ProductApi:
    """Serves one product's REST interface."""

    def __init__(self, calls: Calls, product: Product, dialect: Dialect, bank: str) -> None:
        self._calls = calls
        self._product = product
        self._dialect = dialect
        self._default_bank = bank
        self._engine = replace(calls.engine, sync_note_files=update_note_files)
        self._tree: PathTree[Route] = PathTree()
        for route in product.routes:
            self._tree.add(route.path, route.method, route)

    async def serve(self, http_request: HttpRequest) -> None:
        """Answer one request."""
        method = "GET" if http_request.method == "HEAD" else http_request.method
        try:
            parts = split_path(http_request.scope["raw_path"])
            methods = self._tree.find(parts)
            if method not in methods:
                await send(http_request, self._refusal(parts, method, list(methods)))
                return
            route, path = methods[method]
            name = route.handle.__name__.strip("_")
            response = await self._calls.timed(
                f"rest-{self._product.dialect}", name, self._run, route, path, http_request
            )
        except CommonplaceError as error:
            response = self._failure(error)
        await send(http_request, response)

    def _run(
        self, route: Route, path: Mapping[str, str], http_request: HttpRequest
    ) -> tuple[Response, bool]:
        """The response, and whether it is an error."""

        def work() -> Response:
            return _response(route.status, route.handle(self._read(path, http_request)))

        return run_safely(route.path, work, self._failure)

    def _read(self, path: Mapping[str, str], http_request: HttpRequest) -> Request:
        query = read_query(http_request.scope.get("query_string", b""))
        given: Json = {name: v if len(v) > 1 else v[0] for name, v in query.items()}
        body: object = read_json(http_request.body) if http_request.body.strip() else {}
        if isinstance(body, dict):
            given |= body
        given |= path
        bank = path.get(self._product.bank) or self._default_bank
        header = http_request.headers.get(b"x-bank-id")
        if header and self._product.bank not in path:
            bank = header.decode("utf-8", "surrogateescape")
        call = Call(self._engine, bank, client=_client_name(http_request), arguments=given)
        return Request(self._dialect, call, given, body)

    def _refusal(self, parts: tuple[str, ...], method: str, allowed: list[str]) -> Response:
        spelled = "/" + "/".join(parts)
        sentence = next(
            (text for ending, text in self._product.left_out.items() if ending in spelled), ""
        )
        if sentence:
            return self._failure(Unsupported(sentence, hint="See docs/compatibility.md."))
        if not allowed:
            hint = "See docs/compatibility.md for the paths that are served."
            return self._failure(NotFound("There is no such path.", hint=hint))
        names = ", ".join(sorted(allowed))
        refused = _response(405, {"detail": f"This path has no {method}. Use {names}."})
        return replace(refused, headers=((b"allow", names.encode()),))

    def _failure(self, error: CommonplaceError) -> Response:
        return _response(*self._product.failure(error))


def _response(status: int, answer: Any) -> Response:
    body = b"" if status == 204 else json.dumps(answer, ensure_ascii=status != 200).encode()
    return Response(status, body)


def _client_name(http_request: HttpRequest) -> str:
    """The program behind a request, for the origin of a change."""
    agent = http_request.header(b"user-agent").partition(" ")[0]
    return agent.partition("/")[0][:100] if agent.isprintable() else ""
