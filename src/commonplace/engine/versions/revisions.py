"""Revisions: one mutating call makes at most one revision of each project it touches."""

from dataclasses import replace

from commonplace.engine.runtime import Runtime
from commonplace.records.memory import Action, Memory, Origin
from commonplace.storage.rows import links, memories


class RevisionWriter:
    """Writes the changes of one mutating call. A call that changes nothing leaves no revision
    behind.
    """

    def __init__(self, runtime: Runtime, bank_id: int, call: str, origin: Origin) -> None:
        self.now = runtime.clock.now()
        self._db = runtime.db
        self.bank_id = bank_id
        self._call = call
        self.origin = origin
        self._numbers: dict[str, int] = {}

    def ensure_revision(self, project: str) -> int:
        """The number of this call's revision of a project. The revision is inserted on first
        use.
        """
        if project not in self._numbers:
            self._numbers[project] = memories.add_revision(
                self._db, self.bank_id, project, self._call, self.now, self.origin
            )
        return self._numbers[project]

    def write(self, memory: Memory, action: Action, reason: str = "") -> int:
        """Store a memory's next state as part of this call, with its own reason if it has one.
        Returns the number of the revision.
        """
        revision = self.ensure_revision(memory.scope.project)
        origin = replace(self.origin, reason=reason) if reason else self.origin
        memories.write(self._db, memory, action, revision, origin)
        if memory.updated_at < self.now:
            links.lower_high_water_mark(self._db, self.bank_id, links.change_position(memory))
        return revision
