"""Redacts events and snapshots of sessions: removes lines that name erased memories or repeat their
text.
"""

import re
from collections.abc import Iterator, Sequence

from commonplace import ids
from commonplace.engine.erasure.ledger import Ledger
from commonplace.engine.runtime import Runtime
from commonplace.extract import redaction
from commonplace.language.statement import fold_text
from commonplace.records.memory import Bank
from commonplace.records.receipt import Kind
from commonplace.storage.rows import erasure, session_files

ERASED = "[erased]"
_NAME = re.compile(r"[0-9A-Za-z_-]+")
_FIRST = 0  # Less than every id.
# A sentence that contains an erased text of fewer words may state something else.
_OPENING_WORDS = 3
_FORMS = (ids.short_form, ids.memstate_form, ids.note_form, ids.uuid_form, str)


class SessionRedactor:
    """Redacts the sessions of a bank when memories are erased."""

    def __init__(self, runtime: Runtime, bank: Bank, ledger: Ledger | None) -> None:
        self._runtime, self._bank, self._ledger = runtime, bank, ledger
        self._id_forms: set[str] = set()
        self._erased_texts: set[str] = set()
        self._by_opening: dict[tuple[str, ...], list[str]] = {}

    def redact(self, memory_ids: Sequence[int]) -> None:
        """Redact the sessions before the memories are erased, so that an interrupted erasure
        repeats it.
        """
        db = self._runtime.db
        if not memory_ids or not (
            erasure.events_after(db, self._bank.id, _FIRST)
            or erasure.snapshots_after(db, self._bank.id, _FIRST)
        ):
            return
        self._id_forms = {form(number) for number in memory_ids for form in _FORMS}
        self._erased_texts = {fold_text(one.text) for one in erasure.version_texts(db, memory_ids)}
        self._by_opening = {}
        for text in self._erased_texts:
            if len(words := text.split()) >= _OPENING_WORDS:
                self._by_opening.setdefault(tuple(words[:_OPENING_WORDS]), []).append(text)
        # All of them: an event can be older than the memory that was made from it.
        self._redact_events()
        self._redact_snapshots()

    def _redact_events(self) -> None:
        db, after = self._runtime.db, _FIRST
        while found := erasure.events_after(db, self._bank.id, after):
            changed = [
                (number, text, redacted)
                for number, text in found
                if (redacted := self._redact_text(text)) != text
            ]
            if changed:
                with db.transaction():
                    for number, text, redacted in changed:
                        erasure.rewrite_event(db, number, redacted)
                        self._record("event", number, text)
            after = found[-1][0]

    def _redact_snapshots(self) -> None:
        db, home, after = self._runtime.db, self._runtime.db.path.parent, _FIRST
        while found := erasure.snapshots_after(db, self._bank.id, after):
            for one in found:
                if (redacted := self._redact_text(one.text)) != one.text:
                    with db.transaction():
                        # The file is a copy for people and is not redacted in place; it is removed.
                        session_files.remove(home, self._bank.name, one)
                        erasure.rewrite_snapshot(db, one.id, redacted)
                        self._record("snapshot", one.id, one.text)
            after = found[-1].id

    def _record(self, kind: Kind, number: int, text: str) -> None:
        if self._ledger:
            self._ledger.record_redacted(kind, number, text)

    def _redact_text(self, text: str) -> str:
        remaining = [line for line in text.split("\n") if not self._names_erased_memory(line)]
        redacted = "\n".join("".join(self._remaining_sentences(line)) for line in remaining)
        return redacted if redacted.strip() or not text.strip() else ERASED

    def _names_erased_memory(self, line: str) -> bool:
        return not self._id_forms.isdisjoint(_NAME.findall(line))

    def _remaining_sentences(self, line: str) -> Iterator[str]:
        if fold_text(line) in self._erased_texts:
            return
        for sentence, end in redaction.split_sentences(line):
            if not sentence.strip() or not self._repeats_erased_text(fold_text(sentence)):
                yield sentence + end

    def _repeats_erased_text(self, sentence: str) -> bool:
        """Whether a folded sentence is an erased text, or contains one of several words."""
        if sentence in self._erased_texts:
            return True
        words = sentence.split()
        for start in range(len(words) - _OPENING_WORDS + 1):
            opening = tuple(words[start : start + _OPENING_WORDS])
            if candidates := self._by_opening.get(opening):
                rest = " ".join(words[start:])
                if any(_begins_with(rest, text) for text in candidates):
                    return True
        return False


def _begins_with(rest: str, text: str) -> bool:
    return rest.startswith(text) and not rest[len(text) : len(text) + 1].isalnum()
