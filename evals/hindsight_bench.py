"""Measures Hindsight's sync_retain and recall as a client calls them, among ever more facts. A part
of `make bench`.
"""

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator

import commonplace
from commonplace.dialects import registry
from commonplace.dialects.dialect import Call, Dialect
from commonplace.engine.catch_up import catch_up_links
from commonplace.engine.engine import Engine
from commonplace.engine.facts.retain_request import RetainRequest
from commonplace.storage.rows import links as stored
from evals.texts import Author

SIZES = (200, 2_000, 20_000)
CALLS = 100
AIMS = {f"hindsight: sync_retain, {count:,} stored, median": 25 for count in SIZES} | {
    "hindsight: recall among 20,000, median": 30
}
BANK = "bench"
_FACTS_EACH = 100
_HEAL_MS = 1_000


def measure(sizes: tuple[int, ...] = SIZES) -> dict[str, float]:
    """Every row about Hindsight, one store for each size."""
    results: dict[str, float] = {}
    for count in sizes:
        with tempfile.TemporaryDirectory(prefix="commonplace-hindsight-") as home:
            engine, author = commonplace.open(home), Author()
            texts = list(author.memories(count))
            _fill(engine, texts)
            questions = [author.question(text) for text in texts[:: max(1, count // CALLS)]][:CALLS]
            fresh = Author(seed=11).memories(CALLS)
            dialect = registry.single_bank("hindsight")
            # The first question loads the embedder and the vectors, once in the life of a server.
            list(_spent(engine, dialect, "recall", [{"query": "what is there?"}]))
            asked = _spent(
                engine, dialect, "recall", [{"query": question} for question in questions]
            )
            results |= _rows(f"hindsight: recall among {count:,}", list(asked))
            told = _spent(engine, dialect, "sync_retain", [{"content": text} for text in fresh])
            results |= _rows(f"hindsight: sync_retain, {count:,} stored", list(told))
            engine.db.close()
    return results


def _fill(engine: Engine, texts: list[str]) -> None:
    for start in range(0, len(texts), _FACTS_EACH):
        engine.retain(BANK, RetainRequest("\n".join(texts[start : start + _FACTS_EACH])))
    engine.rebuild()
    # What a server does when it has nothing else to do, until nothing is left.
    bank_id = engine.get_bank(BANK).id
    while stored.changed_since(engine.db, bank_id, stored.high_water_mark(engine.db, bank_id), 1):
        catch_up_links(engine, bank_id, (), _HEAL_MS)


def _spent(
    engine: Engine, dialect: Dialect, tool: str, calls: list[dict[str, object]]
) -> Iterator[float]:
    for arguments in calls:
        begun = time.perf_counter()
        reply = dialect.call(tool, arguments, Call(engine, BANK))
        yield time.perf_counter() - begun
        assert not reply.is_error, reply.text


def _rows(name: str, seconds: list[float]) -> dict[str, float]:
    ordered = sorted(1000 * one for one in seconds)
    return {
        f"{name}, median": statistics.median(ordered),
        f"{name}, p95": ordered[int(len(ordered) * 0.95)],
    }


if __name__ == "__main__":
    print(json.dumps(measure(tuple(map(int, sys.argv[1:])) or SIZES), indent=1))
