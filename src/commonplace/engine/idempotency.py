"""Idempotency: the same key in the same session and tool returns the same reply and does the work
once.
"""

import hashlib
import json
from collections.abc import Callable
from typing import TypeVar

from commonplace import validation
from commonplace.engine import memories as memory_verbs
from commonplace.engine.runtime import Runtime
from commonplace.errors import Conflict
from commonplace.records.memory import Draft, IdempotencyKey, Origin, Outcome
from commonplace.storage.rows import banks, memories

_Reply = TypeVar("_Reply", bound="str | int | dict[str, object] | list[object]")


def once(
    runtime: Runtime, bank: str, key: IdempotencyKey, content: object, work: Callable[[], _Reply]
) -> tuple[_Reply, bool]:
    """The reply to a key, and whether it was made by this call. Other content under the same key is
    a conflict.

    The work and its reply are one transaction, so a crash leaves both or neither. A failure is not
    stored.
    """
    name = validation.name(bank, what="bank")
    reply_address = {
        "session": validation.line(key.session, what="session"),
        "tool": validation.name(key.tool, what="tool"),
    }
    reply_address["key"] = validation.name(key.key, what="idempotency key")
    content_hash = hashlib.sha256(
        json.dumps(content, sort_keys=True, default=str).encode()
    ).hexdigest()
    with runtime.db.transaction():
        bank_id = banks.ensure(runtime.db, name, runtime.clock.now()).id
        if found := memories.find_idempotency_key(runtime.db, bank_id, **reply_address):
            # The hash of content that was erased since is blank.
            if found[0] not in (content_hash, ""):
                raise Conflict(
                    "The idempotency key was used with other content.",
                    hint="Use a new key for new content.",
                )
            return found[1], False  # pyright: ignore[reportReturnType]
        reply = work()
        memories.add_idempotency_key(
            runtime.db,
            runtime.clock.now(),
            reply,
            bank_id=bank_id,
            content_hash=content_hash,
            **reply_address,
        )
        return reply, True


def remember_once(
    runtime: Runtime, bank: str, key: IdempotencyKey, draft: Draft, origin: Origin = Origin()
) -> Outcome:
    """Store a draft on the first use of its key; later calls return the memory stored then."""
    outcome: list[Outcome] = []

    def work() -> int:
        outcome.append(memory_verbs.remember(runtime, bank, draft, origin))
        return outcome[0].memory.id

    number, _ = once(runtime, bank, key, repr(draft), work)
    return outcome[0] if outcome else Outcome("unchanged", memory_verbs.get(runtime, bank, number))
