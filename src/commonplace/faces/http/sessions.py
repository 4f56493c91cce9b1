"""What is known of the sessions that the official SDK keeps, so that regular calls in them need not go through it."""

import time
from dataclasses import dataclass

from commonplace.limits import SESSION_IDLE_S_MAX, SESSIONS_MAX

# The SDK ends a session that it has not seen for the whole time; one that it has seen for less than half is there.
_SURE_S = SESSION_IDLE_S_MAX / 2


@dataclass(slots=True)
class Session:
    """A session as its handshake made it."""

    client: str
    version: str
    seen_at_s: float


class Sessions:
    """The open sessions by id."""

    def __init__(self) -> None:
        self._known: dict[str, Session] = {}

    def add(self, session_id: str, client: str, version: str) -> None:
        """Note a session that was just opened."""
        if len(self._known) >= 2 * SESSIONS_MAX:
            floor = time.monotonic() - SESSION_IDLE_S_MAX
            self._known = {key: one for key, one in self._known.items() if one.seen_at_s > floor}
        self._known[session_id] = Session(client, version, time.monotonic())

    def find(self, session_id: str) -> Session | None:
        """A session that is open for certain. None says nothing."""
        session = self._known.get(session_id)
        return session if session and time.monotonic() - session.seen_at_s < _SURE_S else None

    def touch(self, session_id: str) -> None:
        """Note that the SDK has seen a session."""
        if session := self._known.get(session_id):
            session.seen_at_s = time.monotonic()

    def end(self, session_id: str) -> None:
        """Forget a session."""
        self._known.pop(session_id, None)
