"""Runs a write once for each idempotency key. A repetition gets the memory that the first made."""

from typing import Any

from commonplace.engine.engine import Engine
from commonplace.faces.rest.operation import Operation
from commonplace.records.memory import IdempotencyKey, Outcome

# The name of the key among the arguments of an operation.
ARGUMENT = "idempotency_key"
_SESSION = "rest"


def call_once(engine: Engine, operation: Operation, key: str, values: dict[str, Any]) -> Any:
    """Call a verb the first time its key is used. Only ids are stored, so that a text that is
    erased is erased here too.
    """
    if operation.name == "remember_many":
        return _remember_many_once(engine, key, values)
    named = IdempotencyKey(_SESSION, operation.name, key)
    if operation.name == "remember":
        return engine.remember_once(values["bank"], named, values["draft"], values["origin"])
    outcome: list[Outcome] = []

    def work() -> int:
        outcome.append(operation.call(engine, values))
        return outcome[0].memory.id

    number, _ = engine.once(values["bank"], named, repr(values), work)
    engine.sync_note_files(engine)
    return outcome[0] if outcome else Outcome("unchanged", engine.get(values["bank"], number))


def _remember_many_once(engine: Engine, key: str, values: dict[str, Any]) -> tuple[Outcome, ...]:
    """Each draft has the key with its number, and all of them are one transaction."""
    with engine.db.transaction():
        outcomes = tuple(
            engine.remember_once(
                values["bank"],
                IdempotencyKey(_SESSION, "remember_many", f"{key}#{place}"),
                draft,
                values["origin"],
            )
            for place, draft in enumerate(values["drafts"])
        )
    engine.sync_note_files(engine)
    return outcomes
