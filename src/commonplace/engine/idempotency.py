"""Idempotency: the same key in the same session and tool gives the same answer and does the work
once.
"""

import hashlib
import json
from collections.abc import Callable
from typing import TypeVar

from commonplace import validation
from commonplace.engine import memories as memory_verbs
from commonplace.engine.runtime import Parts
from commonplace.errors import Conflict
from commonplace.records.memory import Draft, Once, Origin, Outcome
from commonplace.storage import banks, memories

_Reply = TypeVar("_Reply", bound="str | int | dict[str, object] | list[object]")


def once(
    parts: Parts, bank: str, key: Once, content: object, work: Callable[[], _Reply]
) -> tuple[_Reply, bool]:
    """The answer to a key, and whether it was made just now. Other content under the same key is a
    conflict.

    The work and its answer are one transaction, so a crash leaves both or neither. A failure is not
    kept.
    """
    name = validation.name(bank, what="bank")
    place = {
        "session": validation.line(key.session, what="session"),
        "tool": validation.name(key.tool, what="tool"),
    }
    place["key"] = validation.name(key.key, what="idempotency key")
    content_hash = hashlib.sha256(
        json.dumps(content, sort_keys=True, default=str).encode()
    ).hexdigest()
    with parts.db.transaction():
        bank_id = banks.ensure(parts.db, name, parts.clock.now()).id
        if found := memories.find_reply(parts.db, bank_id, **place):
            # The hash of what was erased since is gone with it.
            if found[0] not in (content_hash, ""):
                raise Conflict(
                    "The idempotency key was used with other content.",
                    hint="Use a new key for new content.",
                )
            return found[1], False  # pyright: ignore[reportReturnType]
        reply = work()
        memories.add_reply(
            parts.db, parts.clock.now(), reply, bank_id=bank_id, content_hash=content_hash, **place
        )
        return reply, True


def remember_once(
    parts: Parts, bank: str, key: Once, draft: Draft, origin: Origin = Origin()
) -> Outcome:
    """Store a draft the first time its key is seen; afterwards give back the memory it became."""
    outcome: list[Outcome] = []

    def work() -> int:
        outcome.append(memory_verbs.remember(parts, bank, draft, origin))
        return outcome[0].memory.id

    number, _ = once(parts, bank, key, repr(draft), work)
    return outcome[0] if outcome else Outcome("unchanged", memory_verbs.get(parts, bank, number))
