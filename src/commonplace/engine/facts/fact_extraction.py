"""Extracts the facts of a text, chunk by chunk, by rules or with a language model.

This happens before anything is written. The time, the number of chunks and the number of concurrent
requests are limited. A chunk that has not changed since its last extraction is not sent again. A
chunk for which the model gives no usable answer is split by rules, and a warning says so.
"""

import hashlib
import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from typing import cast

from commonplace.engine.facts import graph
from commonplace.engine.facts.fact_metadata import fact_metadata_of
from commonplace.engine.runtime import Runtime
from commonplace.errors import ModelFailed
from commonplace.extract import causality, fact_splitting, llm_facts
from commonplace.extract.fact_splitting import Fact
from commonplace.extract.llm_facts import Chunk, ExtractionConfig
from commonplace.extract.llm_statements import Model, with_time_limit
from commonplace.models.bad_answer import UnusableAnswer
from commonplace.records.memory import Memory, Metadata
from commonplace.records.work import Document
from commonplace.storage.rows import memories

EXTRACTION_S_MAX = 45  # Clients wait a minute.
# The document's metadata field for the ids of the facts that a model extracted from each chunk.
EXTRACTED_KEY = "read"
_CHUNKS_MAX = 60
_OPENING_CHARS = 300
_PLACEHOLDER_CONTEXT = "general"  # The default of some dialects.
_CONCURRENCY, _CONCURRENCY_MAX = 4, 8
# In these modes a chunk is one fact as it is, so that no model is needed.
UNSPLIT_MODES = ("verbatim", "chunks")


@dataclass(frozen=True, slots=True)
class Extraction:
    """A text and its facts.

    `by_chunk` has the texts of the facts that a model extracted from each chunk, by the chunk's
    fingerprint. `known_causes` has the keys of facts in the bank that match a stated cause, by the
    words of that cause; None if the bank was not searched yet.
    """

    text: str
    facts: tuple[Fact, ...]
    warning: str = ""
    by_chunk: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    known_causes: Mapping[str, tuple[str, ...]] | None = None


def chunk_chars(config: Metadata) -> int:
    """The length of a chunk in a bank with this configuration."""
    size = config.get("retain_chunk_size")
    return size if isinstance(size, int) and size > 0 else fact_splitting.CHUNK_CHARS


def split_chunks(text: str, config: Metadata) -> tuple[str, ...]:
    """Split a text into chunks as a bank with this configuration does."""
    turn_chars = config.get("retain_structured_chunk_size")
    return fact_splitting.split_chunks(
        text, chunk_chars(config), turn_chars if isinstance(turn_chars, int) else None
    )


def extract_by_rules(text: str, spoken_at: int, config: Metadata) -> Extraction:
    """Extract the facts of a text without a model."""
    options, is_unsplit = (
        llm_facts.extraction_config(config),
        config.get("retain_extraction_mode") in UNSPLIT_MODES,
    )
    per_chunk = [
        fact_splitting.chunk_facts(chunk, spoken_at, index, whole=is_unsplit)
        for index, chunk in enumerate(split_chunks(text, config))
    ]
    return Extraction(
        text, tuple(llm_facts.apply_labels(fact_splitting.merge_facts(per_chunk), options))
    )


def extract_by_model(
    model: Model,
    text: str,
    spoken_at: int,
    config: Metadata,
    known: Mapping[str, Sequence[Fact]] | None = None,
    context: str = "",
) -> Extraction:
    """Extract the facts of a text with a model, and by rules for chunks at which it fails."""
    if config.get("retain_extraction_mode") in UNSPLIT_MODES:
        return extract_by_rules(text, spoken_at, config)
    options = llm_facts.extraction_config(config)
    work = _ModelExtraction(model, spoken_at, options, known or {})
    chunks = _chunks_with_context(split_chunks(text, config), context)
    size = config.get("retain_chunk_batch_size")
    concurrency = min(_CONCURRENCY_MAX, size if isinstance(size, int) else _CONCURRENCY)
    # Imported here because it imports logging, which takes a tenth of the start-up time.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(
        min(concurrency, max(1, len(chunks))), thread_name_prefix="commonplace-extraction"
    ) as pool:
        by_model = list(pool.map(work.extract_chunk, chunks))
    facts_by_chunk = [
        work.extract_by_rules(chunk) if facts is None else facts
        for chunk, facts in zip(chunks, by_model, strict=True)
    ]
    texts_by_fingerprint = {
        chunk_fingerprint(chunk.text, options): tuple(one.text for one in facts)
        for chunk, facts in zip(chunks, by_model, strict=True)
        if facts is not None
    }
    return Extraction(
        text,
        fact_splitting.merge_facts(facts_by_chunk),
        work.warning(len(chunks)),
        texts_by_fingerprint,
    )


def _chunks_with_context(parts: Sequence[str], context: str) -> list[Chunk]:
    """The chunks of a text, each with its context and, after the first, the text's opening."""
    shown_context = "" if context == _PLACEHOLDER_CONTEXT else context[:_OPENING_CHARS]
    opening = parts[0][:_OPENING_CHARS] if parts else ""
    return [
        Chunk(part, index, shown_context, opening if index else "")
        for index, part in enumerate(parts)
    ]


def load_extracted_facts(runtime: Runtime, document: Document) -> dict[str, list[Fact]]:
    """The facts that a model extracted from a document earlier, by the chunks' fingerprints."""
    stored = document.metadata.get(EXTRACTED_KEY)
    ids_by_chunk = cast(Mapping[str, list[int]], stored if isinstance(stored, Mapping) else {})
    by_id = memories.by_ids(
        runtime.db,
        document.bank_id,
        [fact_id for some in ids_by_chunk.values() for fact_id in some],
    )
    by_key = {one.key: one.text for one in by_id.values()}
    live = {one.id: one for one in by_id.values() if one.forgotten_at is None}
    return {
        chunk: [_to_fact(live[fact_id], by_key) for fact_id in fact_ids]
        for chunk, fact_ids in ids_by_chunk.items()
        if live.keys() >= set(fact_ids)
    }


def _to_fact(memory: Memory, by_key: Mapping[str, str]) -> Fact:
    metadata = fact_metadata_of(memory)
    causes = tuple(by_key[key] for key in metadata.causes if key in by_key)
    happened = memory.happened_at, memory.happened_until
    return fact_splitting.Fact(
        memory.text,
        memory.kind == "experience",
        *happened,
        metadata.entities,
        metadata.chunk,
        causes,
    )


def resolve_causes(runtime: Runtime, bank_id: int, extraction: Extraction) -> Extraction:
    """Look up the stated causes of the facts in the bank. Facts of the same text are linked
    already.
    """
    phrases = dict.fromkeys(fact.stated_cause for fact in extraction.facts if fact.stated_cause)
    keys_by_phrase = {
        one: graph.find_causes(runtime, bank_id, causality.distinctive_terms(one))
        for one in phrases
    }
    return replace(extraction, known_causes=keys_by_phrase)


def chunk_fingerprint(chunk: str, options: ExtractionConfig) -> str:
    """A short hash of a chunk and the options it is extracted with."""
    whole = json.dumps([chunk, astuple(options)], ensure_ascii=False)
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


class _ModelExtraction:
    """The extraction of one text with a model."""

    def __init__(
        self,
        model: Model,
        spoken_at: int,
        options: ExtractionConfig,
        cached: Mapping[str, Sequence[Fact]],
    ) -> None:
        self.model, self.spoken_at, self.options, self.cached = model, spoken_at, options, cached
        self.deadline = time.monotonic() + EXTRACTION_S_MAX
        self.is_model_down = threading.Event()
        self.failures: list[str] = []

    def extract_chunk(self, chunk: Chunk) -> list[Fact] | None:
        """Extract the facts of a chunk. None if they have to be extracted by rules."""
        if cached_facts := self.cached.get(chunk_fingerprint(chunk.text, self.options)):
            return [replace(fact, chunk=chunk.number) for fact in cached_facts]
        seconds_left = self.deadline - time.monotonic()
        if self.is_model_down.is_set() or seconds_left <= 0 or chunk.number >= _CHUNKS_MAX:
            self.failures.append(
                ""
                if self.is_model_down.is_set()
                else "The text is too long to be extracted in time."
            )
            return None
        try:
            return llm_facts.extract_facts(
                with_time_limit(self.model, seconds_left), chunk, self.spoken_at, self.options
            )
        except UnusableAnswer as error:
            self.failures.append(error.message)
        except ModelFailed as error:
            # The model is unavailable or too slow. Further requests would fail as well.
            self.is_model_down.set()
            self.failures.append(error.message)
        return None

    def extract_by_rules(self, chunk: Chunk) -> list[Fact]:
        """Extract the facts of a chunk without the model."""
        facts = fact_splitting.chunk_facts(chunk.text, self.spoken_at, chunk.number)
        return list(llm_facts.apply_labels(facts, self.options))

    def warning(self, count: int) -> str:
        """The number of chunks for which the model failed, and the reason, as a sentence."""
        if not self.failures:
            return ""
        reason = next((one for one in self.failures if one), "")
        subject = (
            "Made"
            if len(self.failures) == count
            else f"{len(self.failures)} of {count} parts were made"
        )
        return f"{subject} without the model: {reason}"
