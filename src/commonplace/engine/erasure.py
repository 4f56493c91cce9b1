"""Purge: erase for good. What was said goes, and everything that was made of it or still tells it.

Many memories go in transactions that are short enough that nobody waits long for them. Each of
these leaves the store whole, so an erasure that was stopped in the middle is finished by asking for
it again.
"""

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

from commonplace.engine.banks import known
from commonplace.engine.document_redaction import Redacting
from commonplace.engine.draft_validation import checked_filter, checked_origin
from commonplace.engine.erasure_ledger import Ledger
from commonplace.engine.memories import bounded, get
from commonplace.engine.reflect import mental_model_rows
from commonplace.engine.revisions import Revising
from commonplace.engine.runtime import Parts
from commonplace.engine.session_redaction import Transcripts
from commonplace.records.memory import Bank, Memory, Origin
from commonplace.records.query import Filter
from commonplace.storage import (
    banks,
    derivations,
    erasure,
    memories,
    note_files,
    secure_delete,
    session_files,
)

EVERYTHING = Filter(status="any", expired=True)
_AT_FIRST, _AT_ONCE_MAX = 50, 500
# How long a transaction should take, and how long others then have the store to themselves.
_SHORT_S, _LONG_S, _PAUSE_S = 0.03, 0.1, 0.02


def purge(
    parts: Parts,
    bank: str,
    memory_ids: Sequence[int | str],
    origin: Origin = Origin(),
    ledger: Ledger | None = None,
) -> tuple[int, ...]:
    """Erase memories for good: rows, versions, index, vectors, links, documents and free pages.
    Their ids.
    """
    author = checked_origin(origin)
    with parts.db.snapshot():
        found = [get(parts, bank, memory_id).id for memory_id in bounded(memory_ids)]
    return erase_memories(parts, known(parts, bank), found, author, ledger)


def purge_where(
    parts: Parts, bank: str, chosen: Filter, origin: Origin = Origin(), ledger: Ledger | None = None
) -> tuple[int, ...]:
    """Erase every memory a filter means, for good."""
    checked, author = checked_filter(chosen), checked_origin(origin)
    place = known(parts, bank)
    found = memories.select_ids(parts.db, place.id, checked, parts.clock.now())
    return erase_memories(parts, place, found, author, ledger)


def delete_bank(
    parts: Parts, bank: str, origin: Origin = Origin(), ledger: Ledger | None = None
) -> int:
    """Erase a bank for good, with all it holds; how many memories it had."""
    gone = set(purge_where(parts, bank, EVERYTHING, origin, ledger))
    with for_good(parts):
        doomed = known(parts, bank)
        # Whatever was written meanwhile.
        gone |= set(purge_where(parts, bank, EVERYTHING, origin, ledger))
        if ledger:
            mental_model_rows.note(parts, doomed, ledger)
            ledger.gone("bank", doomed.id, doomed.name)
        rows = banks.erase(parts.db, doomed.id)
        if ledger:
            ledger.rows("revision", rows["revisions"])
            ledger.rows("job", rows["jobs"])
        session_files.erase(parts.db.path.parent, doomed.name)
    return len(gone)


def erase_memories(
    parts: Parts,
    bank: Bank,
    memory_ids: Sequence[int],
    origin: Origin,
    ledger: Ledger | None = None,
) -> tuple[int, ...]:
    """Erase memories of a bank by their ids; those that are gone already are left out. The ids of
    the others.
    """
    doomed = list(dict.fromkeys(memory_ids))
    if not doomed:
        return ()
    Transcripts(parts, bank, ledger).redact(doomed)
    erasure = _Erasure(parts, bank, origin, ledger, doomed)
    purged: list[int] = []
    for batch in paced(parts, doomed):
        with parts.db.transaction():
            purged += erasure.take(batch)
    scrub(parts)
    return tuple(purged)


def paced(parts: Parts, numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    """Ids in batches, each for a transaction of its own. Within a transaction there is one
    batch.
    """
    if parts.db.in_transaction:
        yield numbers
        return
    at, size = 0, _AT_FIRST
    while at < len(numbers):
        began = time.monotonic()
        yield numbers[at : at + size]
        took, at = time.monotonic() - began, at + size
        if at < len(numbers):
            time.sleep(_PAUSE_S)
        if took < _SHORT_S:
            size = min(_AT_ONCE_MAX, size * 2)
        elif took > _LONG_S:
            size = max(1, size // 2)


@contextmanager
def for_good(parts: Parts) -> Generator[None]:
    """A transaction after which nothing that it removed can be read in the files of the store."""
    with parts.db.transaction():
        secure_delete.owe(parts.db)
        yield
    scrub(parts)


def scrub(parts: Parts) -> bool:
    """Overwrite what erased rows left in the file and its log. Inside a transaction it waits for
    the outermost one.
    """
    if not parts.db.in_transaction and note_files.banks_to_erase(parts.db):
        parts.follow_files(parts)
    return secure_delete.scrub(parts.db)


def scrub_if_owed(parts: Parts) -> None:
    """The same, if an erasure could not do it: somebody was reading, or its process was stopped."""
    if secure_delete.owed(parts.db):
        scrub(parts)


class _Erasure:
    """Memories on their way out of a bank."""

    def __init__(
        self, parts: Parts, bank: Bank, origin: Origin, ledger: Ledger | None, doomed: Sequence[int]
    ) -> None:
        self._parts, self._bank, self._ledger = parts, bank, ledger
        self._revising = Revising(parts, bank.id, "purge", origin)
        self._documents = Redacting(parts, doomed, ledger)

    def take(self, memory_ids: Sequence[int]) -> list[int]:
        """Erase some of them, inside a transaction; the ids of those that were there."""
        db = self._parts.db
        secure_delete.owe(db)
        found = memories.by_ids(db, self._bank.id, memory_ids)
        for project in sorted({memory.scope.project for memory in found.values()}):
            self._revising.number(project)
        purged = list(found)
        # What was made of them goes with them, with its history; what is left of its sources is
        # looked at again.
        resting = memories.by_ids(db, self._bank.id, derivations.holders(db, purged))
        gone = list(dict.fromkeys([*purged, *resting]))
        left = set(derivations.beneath(db, list(resting))) - set(gone)
        self._note(found, resting, gone)
        self._documents.redact(gone)
        erasure.blank_reasons(db, self._bank.id, gone)
        memories.purge(db, self._bank.id, gone)
        self._documents.drop()
        erasure.blank_traces(db, self._bank.id, gone, self._documents.names)
        derivations.unsettle(db, self._bank.id, sorted(left))
        return purged

    def _note(
        self, found: dict[int, Memory], resting: dict[int, Memory], gone: Sequence[int]
    ) -> None:
        released = mental_model_rows.release(self._parts, gone)
        if self._ledger is None:
            return
        for memory in (*found.values(), *resting.values()):
            kind = "observation" if memory.kind == "observation" else "memory"
            self._ledger.gone(kind, memory.id, memory.text, derived=memory.id not in found)
            self._ledger.rows("version", memory.version)
        for model in released:
            self._ledger.shortened("mental_model", model.id, model.content)
