"""Serves the pages: finds the view of a path, checks the login and the form, and sends the answer.

A view is a plain function that runs in a thread, as the calls of tools do.
"""

import hmac
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias
from urllib.parse import unquote_to_bytes

from commonplace.engine.engine import Engine
from commonplace.errors import CommonplaceError, Forbidden, NotFound, trace_summary
from commonplace.faces.web import uploads
from commonplace.faces.web.assets import ASSETS
from commonplace.faces.web.rendering import render
from commonplace.faces.web.routes import find_view
from commonplace.faces.web.views.sessions import Session, Sessions
from commonplace.faces.web.visit import Answer, File, Page, Redirect, Visit, parse_values

Headers: TypeAlias = tuple[tuple[bytes, bytes], ...]
Read: TypeAlias = Callable[..., Awaitable[Any]]
_log = logging.getLogger("commonplace.http")

# No inline script or style, nothing from elsewhere, and no frame around a page.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS: Headers = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    # With no-referrer, browsers would send the origin `null` with a form.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
_PRIVATE: Headers = ((b"cache-control", b"no-store"),)
_FOREVER: Headers = ((b"cache-control", b"public, max-age=31536000, immutable"),)
_HTML = b"text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class WebRequest:
    """An admitted request, as the server has read it."""

    method: str
    path: tuple[str, ...]
    query: str
    headers: Mapping[bytes, bytes]
    body: bytes

    @property
    def wants_json(self) -> bool:
        """Whether the answer is for a program."""
        return bool(self.path) and self.path[-1].endswith(".json")


@dataclass(frozen=True, slots=True)
class WebResponse:
    """What is sent."""

    status: int
    body: bytes
    content_type: bytes = _HTML
    headers: Headers = ()


class WebSite:
    """The pages of one server."""

    def __init__(
        self,
        engine: Engine,
        port: int,
        key: str,
        read: Read,
        facts: Callable[[], Mapping[str, object]],
    ) -> None:
        self._engine = engine
        self._key = key
        self._read = read
        self._facts = facts
        self._sessions = Sessions(port)

    async def respond(self, request: WebRequest) -> WebResponse:
        """The response to one request."""
        if request.path[:1] == ("static",):
            return _static(request.path[1:])
        session = self._sessions.find(request.headers.get(b"cookie", b"").decode("latin-1"))
        visit = _visit(request, self._engine, session, self._facts, bool(self._key))
        try:
            response = await self._admitted(request, session, visit)
        except CommonplaceError as error:
            response = _failure(request, visit, error.status, error.message, error.hint)
        except Exception as error:
            _log.error("A page failed: %s", trace_summary(error))
            response = _failure(
                request,
                visit,
                500,
                "The server failed to make this page.",
                "Nothing was changed. The log of the server names the place of the fault.",
            )
        headers = (*_HEADERS, *_PRIVATE, *response.headers)
        if session.is_new and not any(name == b"set-cookie" for name, _ in headers):
            headers = (*headers, (b"set-cookie", self._sessions.header(session).encode()))
        return replace(response, headers=headers)

    async def _admitted(self, request: WebRequest, session: Session, visit: Visit) -> WebResponse:
        if request.path == ("login",):
            return self._log_in(request, session, visit)
        if self._key and not session.logged_in and not self._has_key(request):
            return _ask_for_key(request, visit)
        if request.method == "POST":
            _check_form_token(session, visit)
            visit = uploads.with_files(visit, request.headers, request.body)
            if request.path == ("logout",):
                self._sessions.log_out(session)
                return _redirect("/login")
        elif request.method not in ("GET", "HEAD"):
            return WebResponse(405, b"", headers=((b"allow", b"GET, HEAD, POST"),))
        view = find_view(request.method, visit.path)
        answer = await self._read(_answer, view, visit, request.wants_json)
        return (
            answer
            if isinstance(answer, WebResponse)
            else _failure(request, visit, 500, "The page has no answer.", "Try again.")
        )

    def _log_in(self, request: WebRequest, session: Session, visit: Visit) -> WebResponse:
        if not self._key or (session.logged_in and request.method == "GET"):
            return _redirect("/")
        if request.method != "POST":
            return _rendered(Page("login.html", {"back": visit.get("back")}), visit)
        _check_form_token(session, visit)
        if not hmac.compare_digest(visit.posted("key").strip().encode(), self._key.encode()):
            data = {"back": visit.posted("back"), "failed": True}
            return _rendered(Page("login.html", data, status=401), visit)
        cookie = self._sessions.header(self._sessions.log_in())
        self._sessions.log_out(session)
        back = _local_path(visit.posted("back"))
        return _redirect(back, ((b"set-cookie", cookie.encode()),))

    def _has_key(self, request: WebRequest) -> bool:
        """Whether a program has sent the key in a header."""
        scheme, _, token = request.headers.get(b"authorization", b"").partition(b" ")
        bearer = token.strip() if scheme.lower() == b"bearer" else b""
        given = (bearer, request.headers.get(b"x-api-key", b""))
        return bool(sum([hmac.compare_digest(one, self._key.encode()) for one in given]))


def _visit(
    request: WebRequest,
    engine: Engine,
    session: Session,
    facts: Callable[[], Mapping[str, object]],
    has_login: bool,
) -> Visit:
    last = request.path[-1].removesuffix(".json") if request.path else ""
    path = (*request.path[:-1], last) if request.path else ()
    kind = request.headers.get(b"content-type", b"")
    is_form = kind.startswith(b"application/x-www-form-urlencoded")
    text = request.body.decode("utf-8", "replace") if is_form else ""
    form = parse_values(text) if text else uploads.fields(request.headers, request.body)
    query = parse_values(request.query)
    return Visit(
        engine, request.method, path, query, form, session.form_token, has_login, {}, facts
    )


def _answer(view: Callable[[Visit], Answer], visit: Visit, as_json: bool) -> WebResponse:
    answer = view(visit)
    match answer:
        case Redirect():
            return _redirect(answer.address)
        case File():
            return _file(answer)
        case Page() if as_json:
            body = json.dumps(answer.twin, ensure_ascii=False, indent=1).encode()
            return WebResponse(answer.status, body, b"application/json")
        case Page():
            return _rendered(answer, visit)


def _rendered(page: Page, visit: Visit) -> WebResponse:
    return WebResponse(page.status, render(page, visit).encode())


def _file(answer: File) -> WebResponse:
    # Text of memories is never shown as HTML: the type is fixed and the browser must not guess.
    headers: Headers = ()
    if answer.save_as:
        headers = ((b"content-disposition", f'attachment; filename="{answer.save_as}"'.encode()),)
    return WebResponse(200, answer.body, answer.content_type.encode(), headers)


def _redirect(address: str, headers: Headers = ()) -> WebResponse:
    return WebResponse(303, b"", headers=((b"location", address.encode()), *headers))


def _static(path: tuple[str, ...]) -> WebResponse:
    asset = ASSETS.get(path[0]) if len(path) == 1 else None
    if asset is None:
        return WebResponse(404, b"", b"text/plain; charset=utf-8", _HEADERS)
    return WebResponse(200, asset.body, asset.content_type, (*_HEADERS, *_FOREVER))


def _ask_for_key(request: WebRequest, visit: Visit) -> WebResponse:
    if request.wants_json:
        hint = "Send it as `Authorization: Bearer KEY`."
        return _failure(request, visit, 401, "The request needs a valid key.", hint)
    if request.method == "POST":
        # What was typed is shown, so that it is not lost with the session.
        message = "Your session has ended, so nothing was saved."
        return _failure(request, visit, 401, message, "Log in again and repeat the change.")
    back = "/" + "/".join(request.path) + (f"?{request.query}" if request.query else "")
    return _rendered(Page("login.html", {"back": back}, status=401), visit)


def _check_form_token(session: Session, visit: Visit) -> None:
    given = visit.posted("form_token").encode()
    if session.is_new or not hmac.compare_digest(given, session.form_token.encode()):
        raise Forbidden(
            "The form does not belong to this session, so nothing was changed.",
            hint="Open the page again and repeat the change. What you typed is shown below.",
        )


def _failure(
    request: WebRequest, visit: Visit, status: int, message: str, hint: str
) -> WebResponse:
    if request.wants_json:
        body = json.dumps({"error": {"message": message, "hint": hint}}, ensure_ascii=False)
        return WebResponse(status, body.encode(), b"application/json")
    data = {
        "message": message,
        "hint": hint,
        "status": status,
        "typed": [(name, visit.posted(name)) for name in ("text", "q") if visit.posted(name)],
    }
    return _rendered(Page("error.html", data, status=status), visit)


def error_page(status: int, message: str, hint: str) -> WebResponse:
    """A page for a request that was refused before it was read."""
    page = render(Page("refused.html", {"message": message, "hint": hint, "status": status}), None)
    return WebResponse(status, page.encode(), headers=(*_HEADERS, *_PRIVATE))


def parse_path(raw: bytes) -> tuple[str, ...]:
    """The parts of a path. A path that is not UTF-8 has no page."""
    parts = [part for part in raw.split(b"/") if part]
    try:
        return tuple(unquote_to_bytes(part).decode() for part in parts)
    except UnicodeDecodeError as error:
        raise NotFound("There is no such page.", hint="Start at the list of memories.") from error


def _local_path(address: str) -> str:
    """An address on this server; anything else leads to the first page."""
    is_local = address.startswith("/") and not address.startswith(("//", "/\\"))
    return address if is_local and address.isprintable() and address.isascii() else "/"
