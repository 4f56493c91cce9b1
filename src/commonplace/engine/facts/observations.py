"""Observations: one memory per subject that summarises its facts, the current ones first.

Rules write them from the facts' own words after facts were stored. A fact contradicted by a newer
one is kept and marked "Earlier:". An observation is derived from its sources and is forgotten with
them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from commonplace.engine.erasure.erasure import purge
from commonplace.engine.erasure.ledger import Ledger
from commonplace.engine.facts import fact_metadata, observation_writer
from commonplace.engine.facts.fact_metadata import FactMetadata, fact_metadata_of
from commonplace.engine.memories import first_version, next_version
from commonplace.engine.runtime import Runtime
from commonplace.engine.versions.revisions import RevisionWriter
from commonplace.extract import fact_splitting
from commonplace.language import analyzer as words
from commonplace.records.memory import Draft, Memory, Scope
from commonplace.records.query import Filter
from commonplace.storage import text_index
from commonplace.storage.rows import banks, derivations, memories

KIND = "observation"
_SOURCES_MAX = 20
_CANDIDATES_MAX = 60
_FACTS_MIN = 2
# These subjects have too many facts for one observation. A broad subject is combined with its verb
# to form a narrower one; an excluded subject has no observations.
_BROAD_SUBJECTS = frozenset("user users i we".split())
_EXCLUDED_SUBJECTS = frozenset("you my i've i'm people everyone everybody someone the".split())
_VERB = re.compile(
    r"\s+(?:(?:now|still|currently|always|usually|also|no longer|really)\s+)*(?P<verb>[^\W\d_]+)"
)
_AUXILIARY_VERBS = frozenset("is are was were has have had will can does did do".split())
_FACT_KINDS = ("world", "experience")


def consolidate(runtime: Runtime, changed: Iterable[Memory], writer: RevisionWriter) -> None:
    """Bring the observations about the subjects of some facts up to date."""
    facts = list(changed)
    for (subject, tags), fact_ids in _group_by_subject(facts).items():
        before = _find_observation(runtime, writer.bank_id, subject, tags)
        _update(runtime, subject, tags, before, fact_ids, writer)
    derivations.clear_changed(runtime.db, [one.id for one in facts])
    observation_writer.enqueue_rewrite(runtime, writer.bank_id)


def update_derived(runtime: Runtime, changed: Iterable[int], writer: RevisionWriter) -> None:
    """Bring the observations that are derived from some memories up to date."""
    holders = derivations.derived_ids(runtime.db, changed)
    for before in memories.by_ids(runtime.db, writer.bank_id, holders).values():
        if before.kind == KIND:
            _update(
                runtime,
                fact_metadata_of(before).subject,
                tuple(sorted(before.tags)),
                before,
                (),
                writer,
            )


def erase_observations(
    runtime: Runtime, bank: str, gone: Sequence[Memory], ledger: Ledger | None = None
) -> None:
    """Erase the observations about the subjects of some facts for good, with their history."""
    if not gone:
        return
    observations = (
        _find_observation(runtime, gone[0].bank_id, *one) for one in _group_by_subject(gone)
    )
    observation_ids = [one.id for one in observations if one]
    if observation_ids:
        purge(runtime, bank, observation_ids, ledger=ledger)


def _update(
    runtime: Runtime,
    subject: str,
    tags: tuple[str, ...],
    before: Memory | None,
    fact_ids: Iterable[int],
    writer: RevisionWriter,
) -> None:
    """Write the observation about a subject, or forget it if too few facts are left."""
    facts = _find_facts(runtime, writer.bank_id, subject, tags, before, fact_ids)
    if len(facts) >= _FACTS_MIN:
        _write(runtime, _build_draft(runtime, subject, tags, facts), before, writer)
    elif before and before.forgotten_at is None:
        after = next_version(before, banks.new_ids(runtime.db, writer.now)[0], writer.now)
        writer.write(replace(after, forgotten_at=after.updated_at), "forget")


def _group_by_subject(facts: Iterable[Memory]) -> dict[tuple[str, tuple[str, ...]], list[int]]:
    """The ids of facts by their subject and tags."""
    groups: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for one in facts:
        if one.kind in _FACT_KINDS and (subject := _subject_of(one.text)):
            groups.setdefault((subject, tuple(sorted(one.tags))), []).append(one.id)
    return groups


def _subject_of(text: str) -> str:
    """The subject under which a fact is observed; a broad subject is combined with its verb.

    Empty if the fact belongs to no observation.
    """
    subject = fact_splitting.subject_of(text)
    if subject not in _BROAD_SUBJECTS:
        return "" if subject in _EXCLUDED_SUBJECTS else subject
    folded = text.casefold()
    match = _VERB.match(folded, folded.index(subject) + len(subject))
    verb = words.terms(match["verb"]) if match and match["verb"] not in _AUXILIARY_VERBS else ()
    return " ".join((subject, *verb)) if verb else ""


def _find_facts(
    runtime: Runtime,
    bank_id: int,
    subject: str,
    tags: tuple[str, ...],
    before: Memory | None,
    fact_ids: Iterable[int],
) -> list[Memory]:
    """The facts about a subject with exactly these tags, the latest first.

    The observation's sources and the new facts are complete as long as none of them was forgotten.
    Otherwise the bank is searched, which may miss some facts of a very common subject.
    """
    source_ids = fact_metadata_of(before).sources if before else ()
    candidates = memories.by_ids(runtime.db, bank_id, list(dict.fromkeys((*source_ids, *fact_ids))))
    if before is None or _is_any_forgotten([before, *candidates.values()]):
        candidates |= _search_candidates(runtime, bank_id, subject)
    about_subject = [one for one in candidates.values() if _is_about(one, subject, tags)]
    return sorted(about_subject, key=_age_key, reverse=True)[:_SOURCES_MAX]


def _is_any_forgotten(some: Iterable[Memory]) -> bool:
    return any(one.forgotten_at is not None for one in some)


def _search_candidates(runtime: Runtime, bank_id: int, subject: str) -> dict[int, Memory]:
    """The facts of a bank that contain the words of a subject."""
    first, _, rest = subject.partition(" ")
    match = text_index.any_of([words.index_text(rest if first in _BROAD_SUBJECTS else subject)])
    filter_ = Filter(kinds=_FACT_KINDS, users=("",))
    matching_ids = text_index.keyword_ids(
        runtime.db, bank_id, match, filter_, runtime.clock.now(), _CANDIDATES_MAX
    )
    return memories.by_ids(runtime.db, bank_id, matching_ids)


def _is_about(fact: Memory, subject: str, tags: tuple[str, ...]) -> bool:
    """Whether a memory is a live fact about a subject with exactly these tags."""
    return (
        fact.forgotten_at is None
        and fact.kind in _FACT_KINDS
        and tuple(sorted(fact.tags)) == tags
        and _subject_of(fact.text) == subject
    )


def _age_key(memory: Memory) -> tuple[int, int]:
    return fact_metadata_of(memory).mentioned_at, memory.id


def _find_observation(
    runtime: Runtime, bank_id: int, subject: str, tags: tuple[str, ...]
) -> Memory | None:
    return memories.find_by_key(runtime.db, bank_id, Scope(), _observation_key(subject, tags))


def _observation_key(subject: str, tags: tuple[str, ...]) -> str:
    return fact_splitting.fact_digest(f"observation of {subject}", tags)


def _build_draft(
    runtime: Runtime, subject: str, tags: tuple[str, ...], facts: Sequence[Memory]
) -> Draft:
    current: list[Memory] = []
    earlier: list[Memory] = []
    for one in facts:
        is_ended = any(fact_metadata.has_ended(runtime.judge, one, new) for new in current)
        (earlier if is_ended else current).append(one)
    sentences = [
        *(_end_sentence(one.text) for one in current),
        *(f"Earlier: {_end_sentence(one.text)}" for one in earlier),
    ]
    entity_names = tuple(
        dict.fromkeys(name for one in facts for name in fact_metadata_of(one).entities)
    )
    metadata = FactMetadata(
        mentioned_at=max(fact_metadata_of(one).mentioned_at for one in facts),
        entities=entity_names[:_SOURCES_MAX],
        sources=tuple(one.id for one in facts),
        subject=subject,
    )
    return Draft(
        text=" ".join(sentences),
        kind=KIND,
        key=_observation_key(subject, tags),
        tags=facts[0].tags,
        metadata=fact_metadata.with_fact_metadata({}, metadata),
    )


def _end_sentence(sentence: str) -> str:
    sentence = sentence.rstrip()
    return sentence if sentence[-1:] in ".!?。！？" else f"{sentence}."


def _write(runtime: Runtime, draft: Draft, before: Memory | None, writer: RevisionWriter) -> None:
    if before is None:
        first, second = banks.new_ids(runtime.db, writer.now, 2)
        memory = first_version(draft, (first, second), writer)
        writer.write(memory, "remember")
    elif observation_writer.is_rewritten_from(before, draft):
        return
    elif before.forgotten_at is not None or (before.text, before.metadata) != (
        draft.text,
        draft.metadata,
    ):
        after = next_version(before, banks.new_ids(runtime.db, writer.now)[0], writer.now)
        memory = replace(after, text=draft.text, metadata=draft.metadata, forgotten_at=None)
        writer.write(memory, "revise" if before.forgotten_at is None else "restore")
    else:
        return
    derivations.put(runtime.db, memory.bank_id, memory.id, fact_metadata_of(memory).sources)
