"""Counts revisions: one mutating call is at most one revision of each project it touches."""

from dataclasses import replace

from commonplace.engine.runtime import Parts
from commonplace.records.memory import Action, Memory, Origin
from commonplace.storage import memories


class Revising:
    """One mutating call. A call that turns out to change nothing leaves no revision behind."""

    def __init__(self, parts: Parts, bank_id: int, call: str, origin: Origin) -> None:
        self.now = parts.clock.now()
        self._db = parts.db
        self.bank_id = bank_id
        self._call = call
        self.origin = origin
        self._numbers: dict[str, int] = {}

    def number(self, project: str) -> int:
        """The revision this call makes of a project."""
        if project not in self._numbers:
            self._numbers[project] = memories.add_revision(
                self._db, self.bank_id, project, self._call, self.now, self.origin
            )
        return self._numbers[project]

    def write(self, memory: Memory, action: Action, reason: str = "") -> int:
        """Store a memory's next state as a part of this call, with a reason of its own if it has
        one; its revision.
        """
        revision = self.number(memory.scope.project)
        origin = replace(self.origin, reason=reason) if reason else self.origin
        memories.write(self._db, memory, action, revision, origin)
        return revision
