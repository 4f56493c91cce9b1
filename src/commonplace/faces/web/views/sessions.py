"""Sessions of browsers: a signed cookie, a token for forms, and who has logged in.

Signed with a secret of this process, so that a cookie of another server, or one that somebody
planted, starts a new session. Logging in always makes a new session.
"""

import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie

from commonplace.limits import SESSIONS_MAX, WEB_SESSION_S_MAX


@dataclass(frozen=True, slots=True)
class Session:
    """One browser. The token for forms proves that a change comes from one of its pages."""

    cookie: str
    form_token: str
    logged_in: bool = False
    is_new: bool = False


class Sessions:
    """The sessions of one server."""

    def __init__(self, port: int) -> None:
        # Browsers send a cookie to every port of a host.
        self.cookie_name = f"commonplace_{port}"
        self._secret = secrets.token_bytes(32)
        # The logged-in sessions, with the time of their last use.
        self._used_at: dict[str, float] = {}

    def find(self, cookies: str) -> Session:
        """The session of a Cookie header; a new one when it has none of this server."""
        try:
            morsel = SimpleCookie(cookies).get(self.cookie_name)
        except CookieError:
            morsel = None
        value = morsel.value if morsel else ""
        nonce, _, signature = value.partition(".")
        if not nonce or not hmac.compare_digest(signature.encode(), self._sign("cookie", nonce)):
            return self._start()
        return Session(value, self._sign("form", nonce).decode(), self._is_logged_in(value))

    def log_in(self) -> Session:
        """A new session that is logged in."""
        session = self._start(logged_in=True)
        if len(self._used_at) >= SESSIONS_MAX:
            self._used_at.pop(min(self._used_at, key=lambda one: self._used_at[one]))
        self._used_at[session.cookie] = time.monotonic()
        return session

    def log_out(self, session: Session) -> None:
        """End the login of a session."""
        self._used_at.pop(session.cookie, None)

    def header(self, session: Session) -> str:
        """The Set-Cookie header of a session."""
        return f"{self.cookie_name}={session.cookie}; Path=/; HttpOnly; SameSite=Strict"

    def _start(self, *, logged_in: bool = False) -> Session:
        nonce = secrets.token_urlsafe(24)
        cookie = f"{nonce}.{self._sign('cookie', nonce).decode()}"
        return Session(cookie, self._sign("form", nonce).decode(), logged_in, is_new=True)

    def _is_logged_in(self, cookie: str) -> bool:
        used_at = self._used_at.get(cookie)
        if used_at is None or time.monotonic() - used_at > WEB_SESSION_S_MAX:
            self._used_at.pop(cookie, None)
            return False
        self._used_at[cookie] = time.monotonic()
        return True

    def _sign(self, purpose: str, nonce: str) -> bytes:
        text = f"{purpose} {nonce}".encode()
        return hmac.new(self._secret, text, hashlib.sha256).hexdigest().encode()
