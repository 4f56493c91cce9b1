"""A bank's allowlist: `mcp_enabled_tools`, a list of Hindsight's tools, which applies to every
dialect.

A tool of another dialect is allowed if, for each of its actions, the list has a tool with the same
action.
"""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, cast

from commonplace.engine.engine import Engine
from commonplace.errors import Forbidden, Invalid, NotFound

Allowed: TypeAlias = frozenset[str]
CONFIG_FIELD = "mcp_enabled_tools"
_ERASING = ("clear_memories", "delete_bank")

# Hindsight's tools by action. Tools for other things than memories (sessions, reminders, streams)
# are looked up by their effect.
EQUIVALENT_TOOLS: Mapping[str, tuple[str, ...]] = {
    "find": ("recall", "reflect"),
    "list": ("list_memories",),
    "fetch": ("get_memory",),
    "history": ("get_memory",),
    "write": ("retain", "sync_retain"),
    "revise": ("update_memory",),
    "restore": ("invalidate_memory",),
    "forget": ("invalidate_memory", *_ERASING),
    "sweep": _ERASING,
    "reads": ("recall", "reflect", "list_memories", "get_memory"),
    "writes": ("retain", "sync_retain"),
    "destroys": ("invalidate_memory", *_ERASING),
}


def allowed_tools(engine: Engine, bank: object) -> Allowed | None:
    """The tools that a bank allows, as a call names it; None means all of them."""
    try:
        listed: Any = engine.get_bank(str(bank)).config.get(CONFIG_FIELD)
    except (NotFound, Invalid):
        # A bank that does not exist yet allows everything; the tool itself rejects invalid names.
        return None
    return (
        frozenset(str(one).strip().lower() for one in cast(list[object], listed))
        if listed is not None
        else None
    )


def check(engine: Engine, bank: object, name: str, actions: Iterable[str]) -> None:
    """Refuse what a bank does not allow. `name` is what the caller asked for, `deeds` are keys of
    SAME.
    """
    allowed = allowed_tools(engine, bank)
    if allowed is not None and (missing := missing_tools(allowed, actions)):
        raise Forbidden(
            f"The bank {str(bank).strip()!r} does not allow {name}. It allows only what these"
            f" Hindsight tools do: {', '.join(sorted(allowed))}.",
            hint=(
                f"Use another bank, or ask its owner to add {' or '.join(missing)} to its list of"
                " tools."
            ),
        )


def is_allowed(engine: Engine, bank: object, actions: Iterable[str]) -> bool:
    """Whether a bank allows what is asked for."""
    allowed = allowed_tools(engine, bank)
    return allowed is None or not missing_tools(allowed, actions)


def missing_tools(allowed: Allowed, actions: Iterable[str]) -> tuple[str, ...]:
    """The tools of which the list would need one, for the first deed that it does not allow."""
    return next(
        (EQUIVALENT_TOOLS[deed] for deed in actions if allowed.isdisjoint(EQUIVALENT_TOOLS[deed])),
        (),
    )
