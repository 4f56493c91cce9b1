"""What events and snapshots of sessions tell of memories that are erased: lines that name them or
say the same.
"""

import re
from collections.abc import Iterator, Sequence

from commonplace import ids
from commonplace.engine.erasure_ledger import Ledger
from commonplace.engine.runtime import Parts
from commonplace.extract import redaction
from commonplace.language.statement import folded
from commonplace.records.memory import Bank
from commonplace.records.receipt import Kind
from commonplace.storage import erasure, session_files

ERASED = "[erased]"
_NAME = re.compile(r"[0-9A-Za-z_-]+")
_FORMS = (ids.short, ids.memstate, ids.note, ids.uuid_form, str)


class Transcripts:
    """Sessions of a bank lose what they tell of some memories."""

    def __init__(self, parts: Parts, bank: Bank, ledger: Ledger | None) -> None:
        self._parts, self._bank, self._ledger = parts, bank, ledger
        self._forms: set[str] = set()
        self._said: set[str] = set()

    def redact(self, memory_ids: Sequence[int]) -> None:
        """Before the memories go: whoever is stopped in the middle does all of it again."""
        db, youngest = self._parts.db, min(memory_ids, default=0) - 1
        if not memory_ids or not (
            erasure.events_after(db, self._bank.id, youngest)
            or erasure.snapshots_after(db, self._bank.id, youngest)
        ):
            return
        self._forms = {form(number) for number in memory_ids for form in _FORMS}
        self._said = {folded(one.text) for one in erasure.wordings(db, memory_ids)}
        self._events(youngest)
        self._snapshots(youngest)

    def _events(self, after: int) -> None:
        db = self._parts.db
        while found := erasure.events_after(db, self._bank.id, after):
            changed = [
                (number, text, left)
                for number, text in found
                if (left := self._without(text)) != text
            ]
            if changed:
                with db.transaction():
                    for number, text, left in changed:
                        erasure.rewrite_event(db, number, left)
                        self._note("event", number, text)
            after = found[-1][0]

    def _snapshots(self, after: int) -> None:
        db, home = self._parts.db, self._parts.db.path.parent
        while found := erasure.snapshots_after(db, self._bank.id, after):
            for one in found:
                if (left := self._without(one.text)) != one.text:
                    with db.transaction():
                        # Its file is a copy for people; what was taken out of it would not be
                        # noticed there.
                        session_files.remove(home, self._bank.name, one)
                        erasure.rewrite_snapshot(db, one.id, left)
                        self._note("snapshot", one.id, one.text)
            after = found[-1].id

    def _note(self, kind: Kind, number: int, text: str) -> None:
        if self._ledger:
            self._ledger.shortened(kind, number, text)

    def _without(self, text: str) -> str:
        kept = [line for line in text.split("\n") if not self._names(line)]
        left = "\n".join("".join(self._unsaid(line)) for line in kept)
        return left if left.strip() or not text.strip() else ERASED

    def _names(self, line: str) -> bool:
        return not self._forms.isdisjoint(_NAME.findall(line))

    def _unsaid(self, line: str) -> Iterator[str]:
        if folded(line) in self._said:
            return
        for sentence, end in redaction.sentences(line):
            if not sentence.strip() or folded(sentence) not in self._said:
                yield sentence + end
