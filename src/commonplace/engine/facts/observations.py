"""Observations: what several facts say of one subject, in one place, the newest truth first.

Made by rules after facts were written, from their own words. What a newer fact contradicts is told
as earlier, never left out. An observation's sources are facts, and it goes with them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from commonplace.engine.erasure import purge
from commonplace.engine.erasure_ledger import Ledger
from commonplace.engine.facts import fact_metadata, observation_writer
from commonplace.engine.facts.fact_metadata import Mark, mark_of
from commonplace.engine.memories import newborn, next_version
from commonplace.engine.revisions import Revising
from commonplace.engine.runtime import Parts
from commonplace.extract import fact_splitting
from commonplace.language import analyzer as words
from commonplace.records.memory import Draft, Memory, Scope
from commonplace.records.query import Filter
from commonplace.storage import banks, derivations, memories, text_index

KIND = "observation"
_SOURCES_MAX = 20
_CANDIDATES_MAX = 60
_FACTS_MIN = 2
# Too much is said of these for one place to hold it; of the first, each thing they do is a subject
# of its own.
_WIDE = frozenset("user users i we".split())
_TOO_WIDE = frozenset("you my i've i'm people everyone everybody someone the".split())
_DEED = re.compile(
    r"\s+(?:(?:now|still|currently|always|usually|also|no longer|really)\s+)*(?P<deed>[^\W\d_]+)"
)
_NO_DEED = frozenset("is are was were has have had will can does did do".split())
_KINDS = ("world", "experience")


def consolidate(parts: Parts, changed: Iterable[Memory], revising: Revising) -> None:
    """Bring the observations about the subjects of some facts up to date."""
    given = list(changed)
    for (subject, tags), numbers in _subjects(given).items():
        before = _known(parts, revising.bank_id, subject, tags)
        _bring(parts, subject, tags, before, numbers, revising)
    derivations.settle(parts.db, [one.id for one in given])
    observation_writer.ask_for(parts, revising.bank_id)


def follow(parts: Parts, changed: Iterable[int], revising: Revising) -> None:
    """Bring the observations that rest on some memories up to date, whoever changed these."""
    holders = derivations.holders(parts.db, changed)
    for before in memories.by_ids(parts.db, revising.bank_id, holders).values():
        if before.kind == KIND:
            _bring(parts, mark_of(before).subject, tuple(sorted(before.tags)), before, (), revising)


def erase_about(
    parts: Parts, bank: str, gone: Sequence[Memory], ledger: Ledger | None = None
) -> None:
    """Erase for good what was ever observed about the subjects of some facts, with its history."""
    if not gone:
        return
    known = (_known(parts, gone[0].bank_id, *one) for one in _subjects(gone))
    doomed = [one.id for one in known if one]
    if doomed:
        purge(parts, bank, doomed, ledger=ledger)


def _bring(
    parts: Parts,
    subject: str,
    tags: tuple[str, ...],
    before: Memory | None,
    given: Iterable[int],
    revising: Revising,
) -> None:
    """Write what is known of a subject now, or forget what was, if too little is left."""
    found = _about(parts, revising.bank_id, subject, tags, before, given)
    if len(found) >= _FACTS_MIN:
        _write(parts, _draft(parts, subject, tags, found), before, revising)
    elif before and before.forgotten_at is None:
        after = next_version(before, banks.new_ids(parts.db, revising.now)[0], revising.now)
        revising.write(replace(after, forgotten_at=after.updated_at), "forget")


def _subjects(given: Iterable[Memory]) -> dict[tuple[str, tuple[str, ...]], list[int]]:
    """What some facts are about and under which tags, each with those that are."""
    found: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for one in given:
        if one.kind in _KINDS and (subject := _subject(one.text)):
            found.setdefault((subject, tuple(sorted(one.tags))), []).append(one.id)
    return found


def _subject(text: str) -> str:
    """What a fact is to be gathered under: what it is about, or what somebody of whom much is said
    does.
    """
    about = fact_splitting.subject(text)
    if about not in _WIDE:
        return "" if about in _TOO_WIDE else about
    plain = text.casefold()
    match = _DEED.match(plain, plain.index(about) + len(about))
    deed = words.terms(match["deed"]) if match and match["deed"] not in _NO_DEED else ()
    return " ".join((about, *deed)) if deed else ""


def _about(
    parts: Parts,
    bank_id: int,
    subject: str,
    tags: tuple[str, ...],
    before: Memory | None,
    given: Iterable[int],
) -> list[Memory]:
    """The facts about a subject under exactly these tags, the newest said first.

    What an observation was made of and what was just said is all there is, as long as nothing was
    taken from it; else the bank is searched, which among many that have the subject's words may
    miss some.
    """
    known = dict.fromkeys((*(mark_of(before).sources if before else ()), *given))
    found = memories.by_ids(parts.db, bank_id, list(known))
    if (
        before is None
        or before.forgotten_at is not None
        or any(one.forgotten_at is not None for one in found.values())
    ):
        first, _, rest = subject.partition(" ")
        match = text_index.any_of([words.indexed(rest if first in _WIDE else subject)])
        chosen = Filter(kinds=_KINDS, users=("",))
        numbers = text_index.keyword_ids(
            parts.db, bank_id, match, chosen, parts.clock.now(), _CANDIDATES_MAX
        )
        found |= memories.by_ids(parts.db, bank_id, [one for one in numbers if one not in found])
    live = [one for one in found.values() if one.forgotten_at is None and one.kind in _KINDS]
    same = [
        one for one in live if _subject(one.text) == subject and tuple(sorted(one.tags)) == tags
    ]
    return sorted(same, key=_said, reverse=True)[:_SOURCES_MAX]


def _said(memory: Memory) -> tuple[int, int]:
    return mark_of(memory).mentioned_at, memory.id


def _known(parts: Parts, bank_id: int, subject: str, tags: tuple[str, ...]) -> Memory | None:
    return memories.find_by_key(parts.db, bank_id, Scope(), _key(subject, tags))


def _key(subject: str, tags: tuple[str, ...]) -> str:
    return fact_splitting.identity(f"observation of {subject}", tags)


def _draft(parts: Parts, subject: str, tags: tuple[str, ...], found: Sequence[Memory]) -> Draft:
    holding: list[Memory] = []
    current: list[str] = []
    earlier: list[str] = []
    for one in found:
        passed = any(fact_metadata.has_ended(parts.judge, one, new) for new in holding)
        (earlier if passed else current).append(one.text.rstrip())
        holding += [] if passed else [one]
    told = [_ended(one) for one in current] + [f"Earlier: {_ended(one)}" for one in earlier]
    named = tuple(dict.fromkeys(name for one in found for name in mark_of(one).entities))
    mark = Mark(
        mentioned_at=max(mark_of(one).mentioned_at for one in found),
        entities=named[:_SOURCES_MAX],
        sources=tuple(one.id for one in found),
        subject=subject,
    )
    return Draft(
        text=" ".join(told),
        kind=KIND,
        key=_key(subject, tags),
        tags=found[0].tags,
        metadata=fact_metadata.marked({}, mark),
    )


def _ended(sentence: str) -> str:
    return sentence if sentence[-1:] in ".!?。！？" else f"{sentence}."


def _write(parts: Parts, draft: Draft, before: Memory | None, revising: Revising) -> None:
    if before is None:
        first, second = banks.new_ids(parts.db, revising.now, 2)
        memory = newborn(draft, (first, second), revising)
        revising.write(memory, "remember")
    elif observation_writer.told_alike(before, draft):
        return
    elif before.forgotten_at is not None or (before.text, before.metadata) != (
        draft.text,
        draft.metadata,
    ):
        after = next_version(before, banks.new_ids(parts.db, revising.now)[0], revising.now)
        memory = replace(after, text=draft.text, metadata=draft.metadata, forgotten_at=None)
        revising.write(memory, "revise" if before.forgotten_at is None else "restore")
    else:
        return
    derivations.put(parts.db, memory.bank_id, memory.id, mark_of(memory).sources)
