"""Measures what large stores do: a million memories in one bank, and the same dealt out to a
thousand banks.

Making them takes half an hour, so they are kept in a folder and used again. A part of `make bench
ARGS=--scale`; the measures are also taken of the smaller stores.
"""

import itertools
import random
import resource
import shutil
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import apsw
import numpy as np

import commonplace
from commonplace.engine import catch_up
from commonplace.engine.engine import Engine
from commonplace.models.static_embedder import StaticEmbedder
from commonplace.recall import pipeline
from commonplace.records.memory import Draft, Scope
from commonplace.records.query import Filter, Match, Query, TagMatch
from commonplace.storage.text_index import SearchScope
from evals.texts import Author

BANK, COUNT = "bench", 1_000_000
BANK_COUNT = 1_000
BATCH = 10_000
SINGLES = 1_000
QUESTIONS, FILTERED_QUESTIONS, THREADS = 200, 40, 4
NEAREST = 10
ASKED_MAX = 100_000
# Which memories have a tag, and which share one value of a metadata field: every tenth, every
# hundredth, one in 10,000.
TAGS = {"tenth": 10, "hundredth": 100, "rare": 10_000}
SHARES = 100  # Every hundredth has a scope and another kind.
HAPPENED_FROM, MINUTE_MS = 1_700_000_000_000, 60_000
_DEALT = """
create temp table dealt as
  select id as memory_id, (row_number() over (order by id) - 1) % :count + 1 as bank_id
  from memories;
create unique index temp.dealt_by_memory on dealt (memory_id);
insert into banks (id, name, created_at) select distinct bank_id, 'bank-' || bank_id, 0 from dealt;
update memories set bank_id = (select d.bank_id from dealt d where d.memory_id = id);
update vectors set bank_id = (select d.bank_id from dealt d where d.memory_id = vectors.memory_id);
update tags set bank_id = (select d.bank_id from dealt d where d.memory_id = tags.memory_id);
update metadata_index set bank_id = (
  select d.bank_id from dealt d where d.memory_id = metadata_index.memory_id
);
"""


def fill(home: Path, count: int) -> None:
    """Store so many memories, with their vectors, in batches."""
    engine, author = commonplace.open(home), Author()
    for start in range(0, count, BATCH):
        store(engine, BANK, drafts(author, start, min(BATCH, count - start)))
        print(
            f"\r{min(start + BATCH, count):,} of {count:,} memories",
            end="",
            file=sys.stderr,
            flush=True,
        )
    print(file=sys.stderr)
    engine.db.close()


def drafts(author: Author, start: int, count: int) -> list[Draft]:
    """The next memories of a bank, each with metadata and a time, some of them tagged, some with a
    scope.
    """
    out: list[Draft] = []
    for place, text in enumerate(author.memories(count), start):
        tags = tuple(tag for tag, every in TAGS.items() if place % every == 0)
        metadata = {tag: place % every for tag, every in TAGS.items()}
        apart, at = place % SHARES == SHARES - 1, HAPPENED_FROM + place * MINUTE_MS
        scope, kind = (Scope("p", "u", "a", "r"), "decision") if apart else (Scope(), "note")
        out.append(
            Draft(text, tags=tags, metadata=metadata, kind=kind, scope=scope, happened_at=at)
        )
    return out


def store(engine: Engine, bank: str, made: list[Draft]) -> float:
    """Store a batch with its vectors; the seconds it took."""
    begun = time.perf_counter()
    engine.remember_many(bank, made)
    catch_up.catch_up_all_embeddings(engine, 600_000)
    return time.perf_counter() - begun


def one_bank(folder: Path) -> Path:
    """The store with one large bank, made unless it is there."""
    home = folder / "one"
    if _started(home):
        fill(home, COUNT)
        (home / "whole").touch()
    return home


def many_banks(folder: Path) -> Path:
    """The same memories dealt out to many small banks, made unless it is there. Only their bank is
    another.
    """
    one, home = one_bank(folder), folder / "many"
    if _started(home):
        shutil.copy(one / "commonplace.db", home)
        database = apsw.Connection(str(home / "commonplace.db"))
        with database:
            database.execute(_DEALT, {"count": BANK_COUNT})
        database.close()
        (home / "whole").touch()
    return home


def _started(home: Path) -> bool:
    """Whether a store is to be made. One that was left half made is in the way."""
    if (home / "whole").exists():
        return False
    if home.exists():
        sys.exit(f"{home} is not whole. Remove it, and it is made again.")
    home.mkdir(parents=True)
    return True


def questions(count: int, wanted: int = QUESTIONS) -> list[str]:
    """Questions about memories of a store of so many, spread over its first hundred thousand."""
    author, known = Author(), min(count, ASKED_MAX)
    texts = [
        text
        for place, text in enumerate(author.memories(known))
        if place % max(1, known // wanted) == 0
    ]
    return [author.question(text) for text in texts[:wanted]]


def recall(home: str, count: int) -> dict[str, float]:
    """Questions about memories of the store, all channels, asked once before so that the file is in
    memory; then some of common words only.
    """
    engine, asked = commonplace.open(home), questions(count)
    first = _timed(engine, BANK, [Query(asked[0])])[0] * 1000
    _timed(engine, BANK, map(Query, asked))
    found = spread(f"recall among {count:,}", _timed(engine, BANK, map(Query, asked)))
    common = [Query(f"what about {words}?") for words in Author().common(FILTERED_QUESTIONS)]
    found |= spread(f"recall of common words among {count:,}", _timed(engine, BANK, common))
    found |= {f"recall among {count:,}, {THREADS} threads (a second)": _at_once(engine, asked)}
    return (
        found | {f"first recall in a process among {count:,}": first} | _resident(f"at {count:,}")
    )


def filters(home: str, count: int) -> dict[str, float]:
    """The same with filters that let few memories through, and how many times as long the slowest
    takes as none.
    """
    engine, asked = commonplace.open(home), questions(count, FILTERED_QUESTIONS)
    _timed(engine, BANK, map(Query, asked))
    found: dict[str, float] = {}
    for name, chosen in _narrow(count).items():
        spent = _timed(engine, BANK, [Query(question, chosen) for question in asked])
        found |= spread(f"recall among {count:,}, {name}", spent)
    slowest = max(value for name, value in found.items() if name.endswith("median"))
    plain = statistics.median(_timed(engine, BANK, map(Query, asked))) * 1000
    return found | {
        f"recall among {count:,}, the slowest filter over none (times)": slowest / plain
    }


def _narrow(count: int) -> dict[str, Filter]:
    found: dict[str, Filter] = {}
    for tag, every in TAGS.items():
        found[f"a tag on {1 / every:.2%}"] = Filter(where=TagMatch((tag,), "any_strict"))
        found[f"metadata of {1 / every:.2%}"] = Filter(where=Match((tag,), "eq", 7))
    middle, span = HAPPENED_FROM + count // 2 * MINUTE_MS, count // SHARES * MINUTE_MS
    others = {
        "a project": Filter(projects=("p",)),
        "a user": Filter(users=("u",)),
        "an agent": Filter(agents=("a",)),
        "a run": Filter(runs=("r",)),
        "a kind": Filter(kinds=("decision",)),
        "a time": Filter(happened_from=middle, happened_before=middle + span),
    }
    return found | {f"{name} of {1 / SHARES:.2%}": chosen for name, chosen in others.items()}


def exact(home: str, count: int) -> dict[str, float]:
    """Which share of the ten nearest of all vectors, compared one by one, is among the candidates
    of a search.
    """
    engine = commonplace.open(home)
    semantics, bank_id = engine.semantics(), engine.get_bank(BANK).id
    if semantics is None:
        return {}
    meanings = [
        semantics.embed_question(question) for question in questions(count, FILTERED_QUESTIONS)
    ]
    asked = np.stack([meaning.vector for meaning in meanings], axis=1)
    scores, ids = np.empty((0, len(meanings))), np.empty((0, len(meanings)), dtype=np.int64)
    database = apsw.Connection(str(Path(home) / "commonplace.db"), flags=apsw.SQLITE_OPEN_READONLY)
    cursor = database.execute("select memory_id, vector from vectors where bank_id = ?", (bank_id,))
    while rows := list(itertools.islice(cursor, BATCH)):
        joined = b"".join(vector[: 2 * len(asked)] for _, vector in rows)
        near = (
            np.frombuffer(joined, dtype=np.float16).reshape(len(rows), -1).astype(np.float32)
            @ asked
        )
        numbers = np.repeat(np.array([[number] for number, _ in rows]), len(meanings), axis=1)
        scores, ids = np.vstack([scores, near]), np.vstack([ids, numbers])
        top = np.argsort(-scores, axis=0)[:NEAREST]
        scores, ids = np.take_along_axis(scores, top, axis=0), np.take_along_axis(ids, top, axis=0)
    found = 0
    for meaning, nearest in zip(meanings, ids.T.tolist(), strict=True):
        picked = semantics.nearest(
            engine.db, SearchScope(bank_id, Filter(), 0), meaning, pipeline.CANDIDATES_MIN
        )
        found += len(set(nearest) & set(picked))
    return {f"the ten nearest by exact search found among {count:,} (%)": 100 * found / ids.size}


def ingest(home: str, count: int) -> dict[str, float]:
    """How many short memories a second come in with their vectors: in one batch, and each with its
    own commit.
    """
    engine, author = commonplace.open(home), Author(seed=17)
    batch = [Draft(text) for text in author.memories(BATCH)]
    texts = [draft.text for draft in batch]
    found = {
        f"ingest in a batch, {count:,} stored (a second)": BATCH / store(engine, "batch", batch)
    }
    begun = time.perf_counter()
    for text in author.memories(SINGLES):
        engine.remember("singles", Draft(text))
    catch_up.catch_up_all_embeddings(engine, 600_000)
    found[f"ingest one by one, {count:,} stored (a second)"] = SINGLES / (
        time.perf_counter() - begun
    )
    embedder = StaticEmbedder()
    begun = time.perf_counter()
    embedder.embed(texts)
    return found | {"embedding short texts (a second)": BATCH / (time.perf_counter() - begun)}


def purged(home: str, count: int) -> dict[str, float]:
    """The next question after something was purged by the same process."""
    engine, spent = commonplace.open(home), list[float]()
    engine.recall(BANK, Query("port"))
    for text in Author(seed=19).memories(5):
        engine.purge(BANK, [engine.remember(BANK, Draft(text)).memory.id])
        spent += _timed(engine, BANK, [Query("port")])
    return {f"recall after a purge among {count:,}, median": statistics.median(spent) * 1000}


def banks(home: str, count: int) -> dict[str, float]:
    """Questions to many small banks of one large store: the first to each, and the second."""
    engine, chance = commonplace.open(home), random.Random(23)
    engine.recall("bank-1", Query("port"))
    first, again = list[float](), list[float]()
    for question in questions(count):
        bank = f"bank-{chance.randint(1, BANK_COUNT)}"
        first += _timed(engine, bank, [Query(question)])
        again += _timed(engine, bank, [Query(question)])
    name = f"recall in one of {BANK_COUNT:,} banks of {count // BANK_COUNT:,}"
    for number in range(1, BANK_COUNT + 1):
        engine.recall(f"bank-{number}", Query("port"))
    held = _resident(f"with {BANK_COUNT:,} banks of {count // BANK_COUNT:,} searched")
    return spread(f"{name}, the first of a process", first) | spread(f"{name}, again", again) | held


MEASURES: dict[str, Callable[[str, int], dict[str, float]]] = {
    "recall": recall,
    "filters": filters,
    "exact": exact,
    "ingest": ingest,
    "purged": purged,
    "banks": banks,
}
GROWTH = "recall among 1,000,000, p95, over that among 10,000 (times)"
AIMS = {
    "recall among 1,000,000, p95": 60,
    GROWTH: 4,
    "recall among 100,000, the slowest filter over none (times)": 2,
}
# What must be at least so much.
RATES = {
    "the ten nearest by exact search found among 1,000,000 (%)": 98,
    "ingest in a batch, 1,000,000 stored (a second)": 300,
    "ingest one by one, 1,000,000 stored (a second)": 300,
}


def spread(name: str, seconds: Iterable[float]) -> dict[str, float]:
    """The median and the time that one in twenty exceeds, in milliseconds."""
    ordered = sorted(1000 * one for one in seconds)
    return {
        f"{name}, median": statistics.median(ordered),
        f"{name}, p95": ordered[int(len(ordered) * 0.95)],
    }


def _timed(engine: Engine, bank: str, asked: Iterable[Query]) -> list[float]:
    spent: list[float] = []
    for query in asked:
        begun = time.perf_counter()
        engine.recall(bank, query)
        spent.append(time.perf_counter() - begun)
    return spent


def _at_once(engine: Engine, asked: list[str]) -> float:
    """How many questions a second are answered when several threads ask."""
    parts = [list(map(Query, asked[start::THREADS])) for start in range(THREADS)]
    threads = [threading.Thread(target=_timed, args=(engine, BANK, part)) for part in parts]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(asked) / (time.perf_counter() - begun)


def _resident(when: str) -> dict[str, float]:
    return {
        f"resident memory {when} (MB)": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    }
