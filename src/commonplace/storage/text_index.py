"""The text index, the index of tags and the index of metadata.

They are updated in the transaction that changes a memory. A forgotten memory stays indexed, because
a search may include forgotten memories. A purged memory is removed.
"""

import json
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from commonplace import reserved_metadata
from commonplace.errors import Unsupported
from commonplace.language import analyzer
from commonplace.records.memory import Memory
from commonplace.records.query import Filter
from commonplace.storage import filters
from commonplace.storage.database import Database
from commonplace.storage.index_selection import UNINDEXED, IndexLookups

_WIPE_MAX = 100
_COMMON_MAX = 10_000
_NEWEST_MAX = 4_000
_BEST = 32
# A lookup with at most so many results is always used, and a larger one up to this share of all
# texts. Beyond that, enough of the best candidates of the whole index match the filter.
_LOOKUP_MIN, _LOOKUP_SHARE = 1_000, 8
_READ_MAX = 2_000
_TERMS_CHARS_MAX = 300_000
# By store: the number of texts at the time when a term was found to be common.
_common: WeakKeyDictionary[Database, dict[tuple[str, int], int]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class SearchScope:
    """The memories to search: those of a bank that match a filter at a moment."""

    bank_id: int
    chosen: Filter
    now: int


def index_memory(db: Database, memory: Memory) -> None:
    """Index the current state of a memory, and queue the memory for a new vector."""
    names = reserved_metadata.aliases(memory.metadata)
    labels = " ".join((*memory.tags, memory.key.replace(".", " "), memory.category, *names))
    values = {
        "memory_id": memory.id,
        "title": analyzer.index_text(memory.title),
        "body": analyzer.index_text(memory.text),
        "labels": analyzer.index_text(labels),
    }
    live = memory.forgotten_at is None
    # Replacing a text is slow, because its old words are overwritten at once. Forgetting and
    # tagging do not change the text.
    if not db.value("same_text", **values):
        db.run("put_text", **values)
    if memory.version > 1:
        drop_labels(db, [memory.id])
        db.run("set_live", memory_id=memory.id, live=int(live))
    if live and memory.tags:
        db.run_many(
            "put_tag",
            [{"bank_id": memory.bank_id, "tag": t, "memory_id": memory.id} for t in memory.tags],
        )
    if memory.metadata.keys() - UNINDEXED:
        fields, unindexed = json.dumps(dict(memory.metadata)), json.dumps(UNINDEXED)
        db.run(
            "put_metadata_index",
            metadata=fields,
            apart=unindexed,
            bank_id=memory.bank_id,
            memory_id=memory.id,
        )
    db.run("queue_embedding", memory_id=memory.id, bank_id=memory.bank_id)


def reindex(db: Database, memories: Sequence[Memory]) -> None:
    """Index memories whose stored index rows may be wrong."""
    drop_labels(db, [memory.id for memory in memories])
    for memory in memories:
        index_memory(db, memory)


def drop_labels(db: Database, memory_ids: Sequence[int]) -> None:
    """Delete the indexed tags and metadata of some memories."""
    for name in ("drop_tags", "drop_metadata_index"):
        db.run(name, ids=json.dumps(list(memory_ids)))


def unindex(db: Database, memory_ids: Sequence[int]) -> None:
    """Delete the rows of purged memories from every derived table."""
    ids = json.dumps(list(memory_ids))
    if len(memory_ids) > _WIPE_MAX:
        with bulk_replacement(db):
            db.run("drop_texts", ids=ids)
            db.run("repair_texts")
    else:
        db.run("drop_texts", ids=ids)
    drop_labels(db, memory_ids)
    for name in ("drop_vectors", "unqueue_embeddings", "drop_links_from", "drop_links_to"):
        db.run(name, ids=ids)
    for name in (
        "drop_derivations_by_source",
        "drop_derivations_by_derived",
        "drop_stale_derivations",
    ):
        db.run(name, ids=ids)


@contextmanager
def bulk_replacement(db: Database) -> Generator[None]:
    """Inside, the words of replaced and deleted texts stay in the index until it is rebuilt.

    Overwriting the words of one text takes one or two milliseconds. A rebuild takes that time for
    a hundred texts.
    """
    db.run("set_secure_delete", wipe=0)
    yield
    db.run("set_secure_delete", wipe=1)


def any_of(terms: Iterable[str]) -> str:
    """A match for texts with at least one of these runs of terms. Operators in them have no
    effect.
    """
    return " OR ".join(map(_quoted, terms))


def all_of(terms: Iterable[str]) -> str:
    """A match for texts with every one of these runs of terms."""
    return " AND ".join(map(_quoted, terms))


def any_group_of(groups: Iterable[Iterable[str]]) -> str:
    """A match for texts with every run of terms of at least one of some groups."""
    return " OR ".join(f"({all_of(terms)})" for terms in groups)


def keyword_ids(
    db: Database, bank_id: int, match: str, chosen: Filter, now: int, limit: int
) -> list[int]:
    """The memories that match a filter and match best; unordered if there are at most `limit`.

    Most memories match most filters, so the best matches of the whole index are checked first. If
    an index finds the memories of the filter, only matches among these are checked.
    """
    within = SearchScope(bank_id, chosen, now)
    among = ids_from_index(db, within)
    if among is None:
        ranked = _ids(db.value("ranked_ids", match=match, limit=_BEST * limit))
        found = _filter_ranked(db, within, ranked, limit)
        if len(found) >= limit or len(ranked) < _BEST * limit:
            return found
        among = ids_from_index(db, within, by_bank=True)
    if among is None:
        return _filter_ranked(
            db, within, _ids(db.value("ranked_ids", match=match, limit=-1)), limit
        )
    matching = set(among.split()).intersection(
        str(db.value("matching_ids", match=match) or "").split()
    )
    if len(matching) <= limit:
        return list(filter_ids(db, bank_id, [int(number) for number in matching], chosen, now))
    ranked = str(db.value("ranked_ids", match=match, limit=-1)).split()
    return _filter_ranked(
        db, within, [int(number) for number in ranked if number in matching], limit
    )


def _filter_ranked(
    db: Database, within: SearchScope, ranked: Sequence[int], limit: int
) -> list[int]:
    """The first of the ranked memories that match a filter, checked in growing batches."""
    found, start = list[int](), 0
    while start < len(ranked) and len(found) < limit:
        batch = ranked[start : 2 * limit + 8 * start]
        allowed = filter_ids(db, within.bank_id, batch, within.chosen, within.now)
        found += [number for number in batch if number in allowed]
        start += len(batch)
    return found[:limit]


def ids_from_index(db: Database, within: SearchScope, *, by_bank: bool = False) -> str | None:
    """The ids that the smallest index lookup for a filter finds, separated by spaces.

    They include all memories that match the filter, and perhaps others. None without a lookup that
    is small enough. With `by_bank`, a small bank as a whole is a lookup too.
    """
    cache_key, cache = (within, by_bank), db.snapshot_cache
    for cached_key, cached_ids in cache:
        if cached_key == cache_key:
            return cached_ids
    # Raises Invalid for an invalid filter, which a lookup might not notice.
    filters.compile_filter(db, within.chosen, within.now)
    lookups = IndexLookups(db, within.bank_id)
    every = (*lookups.for_filter(within.chosen), *([lookups.whole_bank()] if by_bank else ()))
    most = max(_LOOKUP_MIN, index_size(db)[0] // _LOOKUP_SHARE)
    best = lookups.smallest(every, most) if every else ""
    cache.append((cache_key, lookups.ids(best) if best else None))
    return cache[-1][1]


def newest_with_terms(
    db: Database, within: SearchScope, terms: Sequence[str], limit: int
) -> list[int]:
    """The newest memories of a filter with all of some terms, then those with any of them.

    For terms so common that scoring every text with them would take long: only the newest texts are
    read.
    """
    among = _ids(ids_from_index(db, within) or "")
    if 0 < len(among) <= _READ_MAX:
        matching = filter_ids(db, within.bank_id, among, within.chosen, within.now)
        return _with_terms(db, sorted(matching, reverse=True), terms)[:limit]
    found: dict[int, None] = {}
    where, values = filters.compile_filter(db, within.chosen, within.now)
    for match in (all_of(terms), any_of(terms)):
        if len(found) < limit:
            sql = f"{db.text('newest_matching')}{where} {db.text('at_most')}"
            given = {
                "match": match,
                "bank_id": within.bank_id,
                "limit": limit,
                "reach": _NEWEST_MAX,
            }
            rows = db.select(sql, values | given)
            found |= dict.fromkeys(row["id"] for row in rows)
    return list(found)[:limit]


def _with_terms(db: Database, numbers: Sequence[int], terms: Sequence[str]) -> list[int]:
    """The memories with all of some terms, then those with any of them."""
    texts = stored_terms(db, numbers, _TERMS_CHARS_MAX)
    counts = {
        number: sum(f" {term} " in f" {texts[number]} " for term in terms)
        for number in numbers
        if number in texts
    }
    found = [number for number, count in counts.items() if count]
    return sorted(found, key=lambda number: counts[number] < len(terms))


def filter_ids(
    db: Database, bank_id: int, candidates: Sequence[int], chosen: Filter, now: int
) -> set[int]:
    """The candidates that match a filter."""
    where, values = filters.compile_filter(db, chosen, now)
    wanted = {"bank_id": bank_id, "candidates": json.dumps(list(candidates))}
    return {row["id"] for row in db.select(db.text("passing_ids") + where, values | wanted)}


def matching_ids(db: Database, within: SearchScope) -> str:
    """The ids of all memories that match a filter, separated by spaces."""
    where, values = filters.compile_filter(db, within.chosen, within.now)
    among = ids_from_index(db, within)
    if among is not None:
        values["among"] = f"[{among.replace(' ', ',')}]"
    sql = db.text("meant_ids" if among is None else "meant_ids_among") + where
    return str(db.select(sql, values | {"bank_id": within.bank_id})[0]["ids"] or "")


def term_counts(db: Database, terms: Iterable[str], count_max: int) -> dict[str, int]:
    """The number of texts that contain each term, counted up to a maximum.

    A term that reached the maximum is not counted again until half of the texts are deleted.
    """
    common = _common.setdefault(db, {})
    row_count = index_size(db)[0]
    found: dict[str, int] = {}
    for term in terms:
        if 2 * row_count > common.get((term, count_max), sys.maxsize):
            found[term] = count_max
            continue
        found[term] = int(db.value("count_term", match=_quoted(term), limit=count_max))
        if found[term] == count_max and len(common) < _COMMON_MAX:
            common[term, count_max] = row_count
    return found


def index_size(db: Database) -> tuple[int, int]:
    """The number of texts in the index, and of terms in all of them."""
    block = db.value("text_extent")
    numbers = _numbers(bytes(block)) if block else [0]
    return numbers[0], sum(numbers[1:])


def stored_terms(db: Database, memory_ids: Sequence[int], chars_max: int) -> dict[int, str]:
    """The indexed terms of some memories, joined with spaces and cut to a number of characters."""
    rows = db.all("stored_terms", ids=json.dumps(list(memory_ids)), chars=chars_max)
    return {row["id"]: row["terms"] for row in rows}


def adjacent_runs(
    db: Database, bank_id: int, memory_ids: Sequence[int], reach: int
) -> list[list[int]]:
    """For each of some memories, the run of memories written before and after it."""
    rows = db.all("surroundings", bank_id=bank_id, ids=json.dumps(list(memory_ids)), reach=reach)
    return [[*_ids(row["before"])[::-1], row["id"], *_ids(row["after"])] for row in rows]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A memory's title and beginning, its scope and its time.

    `origin` is the same number for memories that were written together.
    """

    title: str
    text: str
    scope: str
    at: int
    origin: int


def excerpts(
    db: Database, bank_id: int, memory_ids: Sequence[int], chars: int
) -> dict[int, Excerpt]:
    """The titles and beginnings of some memories."""
    rows = db.all("beginnings", bank_id=bank_id, ids=json.dumps(list(memory_ids)), chars=chars)
    return {
        row["id"]: Excerpt(row["title"], row["text"], row["scope"], row["at"], row["origin"])
        for row in rows
    }


def drop_orphans(db: Database) -> None:
    """Delete derived rows whose memory does not exist."""
    for name in (
        "drop_lost_texts",
        "drop_lost_tags",
        "drop_lost_metadata_index",
        "drop_lost_vectors",
        "drop_lost_embedding_queue",
    ):
        db.run(name)


def is_sound(db: Database) -> bool:
    """Whether the text index matches the stored terms."""
    try:
        with db.transaction():
            db.run("check_texts")
    except Unsupported:
        return False
    return True


def repair_texts(db: Database) -> None:
    """Rebuild the text index from the stored terms."""
    db.run("repair_texts")


def _ids(joined: str | None) -> list[int]:
    return [int(number) for number in (joined or "").split()]


def _quoted(terms: str) -> str:
    return '"' + terms.replace('"', '""') + '"'


def _numbers(block: bytes) -> list[int]:
    """Decode SQLite's variable-length integers: seven bits per byte; the high bit is set on all
    bytes but the last.
    """
    numbers, current = list[int](), 0
    for byte in block:
        current = current << 7 | byte & 0x7F
        if byte < 0x80:
            numbers.append(current)
            current = 0
    return numbers
