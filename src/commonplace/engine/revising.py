"""Counts revisions: one mutating call is at most one revision of each project it touches."""

from commonplace.engine.parts import Parts
from commonplace.records import Action, Memory, Origin
from commonplace.storage import memories


class Revising:
    """One mutating call. A call that turns out to change nothing leaves no revision behind."""

    def __init__(self, parts: Parts, bank_id: int, call: str, origin: Origin) -> None:
        self.now = parts.clock.now()
        self._db = parts.db
        self._bank_id = bank_id
        self._call = call
        self._origin = origin
        self._numbers: dict[str, int] = {}

    def number(self, project: str) -> int:
        """The revision this call makes of a project."""
        if project not in self._numbers:
            self._numbers[project] = memories.add_revision(
                self._db, self._bank_id, project, self._call, self.now, self._origin
            )
        return self._numbers[project]

    def write(self, memory: Memory, action: Action) -> int:
        """Store a memory's next state as a part of this call; the revision it belongs to."""
        revision = self.number(memory.scope.project)
        memories.write(self._db, memory, action, revision, self._origin)
        return revision
