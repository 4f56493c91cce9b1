"""Has a language model read a text for its facts, chunk by chunk, before anything is written.

Bounded in time, in chunks and in how many are read at once. A chunk that was read before and did
not change is not read again; one that the model makes nothing usable of is cut by rules, and a note
says so.
"""

import hashlib
import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from typing import cast

from commonplace.engine.facts import graph
from commonplace.engine.facts.fact_metadata import mark_of
from commonplace.engine.runtime import Parts
from commonplace.errors import ModelFailed
from commonplace.extract import causality, fact_splitting, llm_facts
from commonplace.extract.fact_splitting import Fact
from commonplace.extract.llm_facts import Chunk, Wishes
from commonplace.extract.llm_statements import Model, within
from commonplace.models.bad_answer import Unusable
from commonplace.records.memory import Memory, Metadata
from commonplace.records.work import Document
from commonplace.storage import memories

READ_S_MAX = 45  # Clients wait a minute.
# Where a document notes which facts a model read from which chunk.
NOTED = "read"
_CHUNKS_MAX = 60
_OPENING_CHARS = 300
_NO_CONTEXT = "general"  # What dialects say that have nothing to say.
_AT_ONCE, _AT_ONCE_MAX = 4, 8
# These keep chunks as they are, so there is nothing for a model to find.
UNCUT = ("verbatim", "chunks")


@dataclass(frozen=True, slots=True)
class Reading:
    """A text and its facts. `read` has the facts of each chunk that a model read, by the chunk's
    fingerprint.

    `elsewhere` has the keys of facts of the bank that a fact names as its cause, by the words it
    names them with; None where nobody has looked.
    """

    text: str
    facts: tuple[Fact, ...]
    note: str = ""
    read: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    elsewhere: Mapping[str, tuple[str, ...]] | None = None


def chunk_chars(config: Metadata) -> int:
    """How long a chunk of a text is in a bank of some configuration."""
    size = config.get("retain_chunk_size")
    return size if isinstance(size, int) and size > 0 else fact_splitting.CHUNK_CHARS


def chunks(text: str, config: Metadata) -> tuple[str, ...]:
    """The chunks of a text in a bank of some configuration."""
    turn = config.get("retain_structured_chunk_size")
    return fact_splitting.chunks(text, chunk_chars(config), turn if isinstance(turn, int) else None)


def by_rules(text: str, at: int, config: Metadata) -> Reading:
    """The facts of a text without a model."""
    wanted, whole = llm_facts.wishes(config), config.get("retain_extraction_mode") in UNCUT
    found = [
        fact_splitting.of_chunk(one, at, place, whole=whole)
        for place, one in enumerate(chunks(text, config))
    ]
    return Reading(text, tuple(llm_facts.labelled(fact_splitting.together(found), wanted)))


def by_model(
    model: Model,
    text: str,
    at: int,
    config: Metadata,
    known: Mapping[str, Sequence[Fact]] | None = None,
    context: str = "",
) -> Reading:
    """The facts that a model finds in a text, and by rules those of the chunks it fails at."""
    if config.get("retain_extraction_mode") in UNCUT:
        return by_rules(text, at, config)
    wanted = llm_facts.wishes(config)
    work = _Work(model, at, wanted, known or {})
    parts = chunks(text, config)
    about = "" if context == _NO_CONTEXT else context[:_OPENING_CHARS]
    opening = parts[0][:_OPENING_CHARS] if len(parts) > 1 else ""
    shown = [
        Chunk(part, place, about, opening if place else "") for place, part in enumerate(parts)
    ]
    size = config.get("retain_chunk_batch_size")
    at_once = min(_AT_ONCE_MAX, size if isinstance(size, int) else _AT_ONCE, max(1, len(parts)))
    # Only who has a model needs it, and it brings in the module for logs, a tenth of a start.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(at_once, thread_name_prefix="commonplace-reading") as pool:
        found = list(pool.map(work.chunk, shown))
    read = {
        fingerprint(part, wanted): some
        for part, some in zip(parts, found, strict=True)
        if some is not None
    }
    every: list[Sequence[Fact]] = []
    for place, (part, some) in enumerate(zip(parts, found, strict=True)):
        by_rule = (
            ()
            if some is not None
            else llm_facts.labelled(fact_splitting.of_chunk(part, at, place), wanted)
        )
        every.append(by_rule if some is None else some)
    noted = {mark: tuple(one.text for one in some) for mark, some in read.items()}
    return Reading(text, fact_splitting.together(every), work.note(len(parts)), noted)


def known(parts: Parts, document: Document) -> dict[str, list[Fact]]:
    """The facts that a model read from the chunks of a document, by the chunks' fingerprints."""
    noted = document.metadata.get(NOTED)
    read = cast(Mapping[str, list[int]], noted if isinstance(noted, Mapping) else {})
    found = memories.by_ids(
        parts.db, document.bank_id, [number for some in read.values() for number in some]
    )
    by_key = {one.key: one.text for one in found.values()}
    out: dict[str, list[Fact]] = {}
    for chunk, numbers in read.items():
        live = [
            found[number]
            for number in numbers
            if number in found and found[number].forgotten_at is None
        ]
        if len(live) == len(numbers):
            out[chunk] = [_fact(one, by_key) for one in live]
    return out


def _fact(memory: Memory, by_key: Mapping[str, str]) -> Fact:
    mark = mark_of(memory)
    causes = tuple(by_key[key] for key in mark.causes if key in by_key)
    when = memory.happened_at, memory.happened_until
    return fact_splitting.Fact(
        memory.text, memory.kind == "experience", *when, mark.entities, mark.chunk, causes
    )


def looked_up(parts: Parts, bank_id: int, read: Reading) -> Reading:
    """A reading with what the bank knows of the causes that the facts name. Facts of one text are
    linked already.
    """
    phrases = dict.fromkeys(fact.because for fact in read.facts if fact.because)
    found = {one: graph.causes_in_bank(parts, bank_id, causality.telling(one)) for one in phrases}
    return replace(read, elsewhere=found)


def fingerprint(chunk: str, wanted: Wishes) -> str:
    """A short name of a chunk read in a certain way."""
    whole = json.dumps([chunk, astuple(wanted)], ensure_ascii=False)
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


class _Work:
    """One text on its way through a model."""

    def __init__(
        self, model: Model, at: int, wanted: Wishes, known: Mapping[str, Sequence[Fact]]
    ) -> None:
        self.model, self.at, self.wanted, self.known = model, at, wanted, known
        self.ends_at = time.monotonic() + READ_S_MAX
        self.gone = threading.Event()
        self.failures: list[str] = []

    def chunk(self, one: Chunk) -> list[Fact] | None:
        """The facts of a chunk; None where the rules have to find them."""
        if before := self.known.get(fingerprint(one.text, self.wanted)):
            return [replace(fact, chunk=one.number) for fact in before]
        left = self.ends_at - time.monotonic()
        if self.gone.is_set() or left <= 0 or one.number >= _CHUNKS_MAX:
            self.failures.append(
                "" if self.gone.is_set() else "The text is too long to be read in time."
            )
            return None
        try:
            return llm_facts.read(within(self.model, left), one, self.at, self.wanted)
        except Unusable as error:
            self.failures.append(error.message)
        except ModelFailed as error:
            # Nobody is there, or too slow: the other chunks would wait for nothing.
            self.gone.set()
            self.failures.append(error.message)
        return None

    def note(self, count: int) -> str:
        """What went wrong, in a sentence."""
        if not self.failures:
            return ""
        why = next((one for one in self.failures if one), "")
        some = (
            "Made"
            if len(self.failures) == count
            else f"{len(self.failures)} of {count} parts were made"
        )
        return f"{some} without the model: {why}"
