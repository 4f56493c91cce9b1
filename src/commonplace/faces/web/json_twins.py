"""Memories and versions as JSON, for the twin of each page."""

from typing import Any

from commonplace import clock, ids
from commonplace.records.memory import Memory, Version

_CONTENT = ("text", "title", "kind", "key", "category")


def memory_json(memory: Memory) -> dict[str, Any]:
    """A memory in its current state."""
    return {
        "id": ids.short_form(memory.id),
        **{name: getattr(memory, name) for name in _CONTENT},
        "tags": list(memory.tags),
        "paths": list(memory.paths),
        "metadata": memory.metadata,
        "project": memory.scope.project,
        "user": memory.scope.user,
        "agent": memory.scope.agent,
        "run": memory.scope.run,
        "version": memory.version,
        "created_at": clock.iso(memory.created_at),
        "updated_at": clock.iso(memory.updated_at),
        "happened_at": iso_or_none(memory.happened_at),
        "expires_at": iso_or_none(memory.expires_at),
        "forgotten_at": iso_or_none(memory.forgotten_at),
    }


def version_json(version: Version) -> dict[str, Any]:
    """A version, with who made it."""
    return {
        "id": ids.short_form(version.id),
        "number": version.number,
        "action": version.action,
        **{name: getattr(version, name) for name in _CONTENT},
        "tags": list(version.tags),
        "at": clock.iso(version.at),
        "who": version.origin.who,
        "dialect": version.origin.dialect,
        "session": version.origin.session,
        "reason": version.origin.reason,
    }


def iso_or_none(moment: int | None) -> str | None:
    """A moment for JSON."""
    return None if moment is None else clock.iso(moment)
