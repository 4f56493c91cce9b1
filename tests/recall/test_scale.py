"""Large banks: hardly a hit is missed, filters miss none, and processes agree at once."""

import multiprocessing
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from commonplace.app import open_engine
from commonplace.engine import catch_up
from commonplace.engine.engine import Engine
from commonplace.language import analyzer
from commonplace.models.static_embedder import StaticEmbedder
from commonplace.recall import vector_index
from commonplace.recall.binary_quantization import Sketches, question_planes, sketch_vectors
from commonplace.recall.vector_index import VectorIndex
from commonplace.records.memory import Draft, Scope
from commonplace.records.query import AllOf, Filter, Match, Query, TagMatch
from commonplace.settings import load
from commonplace.storage import text_index
from commonplace.storage.rows import vector_rows
from commonplace.storage.text_index import SearchScope
from evals.texts import Author
from tests.conftest import StoppedClock
from tests.recall.embedders import HashEmbedder

NOW = 0
COUNT = 3_000


def test_hardly_one_of_the_ten_nearest_of_twenty_thousand_is_missed() -> None:
    author, embedder = Author(), StaticEmbedder()
    texts = list(author.memories(20_000))
    rows = embedder.embed(texts)
    held = Sketches(embedder.dimensions)
    held.put(np.arange(len(rows)), np.ones(len(rows), dtype=np.bool_), sketch_vectors(rows))
    view, found = held.view(), 0
    questions = embedder.embed([author.question(one) for one in texts[::400]])
    nearest = np.argpartition(-(rows @ questions.T), 10, axis=0)[:10]
    for question, right in zip(questions, nearest.T.tolist(), strict=True):
        found += len(
            set(right) & set(view.nearest(question_planes(question), vector_index._REACH, "live"))
        )
    assert found >= 0.98 * 10 * len(questions)


class Filled(NamedTuple):
    """A store, and the ids of what is singled out in it by each name."""

    engine: Engine
    ids: dict[str, list[int]]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    """Memories of which every tenth, every hundredth and two in all are singled out, in each of the
    ways there are.
    """
    held = VectorIndex(HashEmbedder())
    home = tmp_path_factory.mktemp("scale")
    engine = replace(
        open_engine(load({"COMMONPLACE_HOME": str(home)}), StoppedClock()), semantics=lambda: held
    )
    drafts = [_draft(place, written) for place, written in enumerate(Author().memories(COUNT))]
    ids: dict[str, list[int]] = {}
    for outcome in engine.remember_many("b", drafts):
        ids.setdefault(str(outcome.memory.metadata["name"]), []).append(outcome.memory.id)
    catch_up.catch_up_embeddings(engine, engine.get_bank("b").id, 60_000)
    yield Filled(engine, ids)
    engine.db.close()


def _draft(place: int, written: str) -> Draft:
    name = next((f"every-{every}" for every in (1_500, 100, 10) if place % every == 0), "")
    kind, tags = (name or "note"), ((name, "more") if name else ())
    scope = Scope(project=name, user=name, agent=name, run=name)
    return Draft(written, kind=kind, tags=tags, category=name, metadata={"name": name}, scope=scope)


WAYS = {
    "project": lambda name: Filter(projects=(name,)),
    "user": lambda name: Filter(users=(name,)),
    "agent": lambda name: Filter(agents=(name,)),
    "run": lambda name: Filter(runs=(name,)),
    "kind": lambda name: Filter(kinds=(name,)),
    "category": lambda name: Filter(categories=(name,)),
    "any tag": lambda name: Filter(where=TagMatch((name,), "any_strict")),
    "all tags": lambda name: Filter(
        where=AllOf((TagMatch(("more", name), "all_strict"), Match(("name",), "ne", "x")))
    ),
    "metadata": lambda name: Filter(where=Match(("name",), "eq", name)),
    "nobody's user": lambda name: Filter(users=("",), where=Match(("name",), "eq", "")),
}


@pytest.mark.parametrize("name", ["every-10", "every-100", "every-1500"])
@pytest.mark.parametrize("way", WAYS)
def test_a_filter_finds_the_nearest_of_the_memories_it_allows_however_few(
    filled: Filled, way: str, name: str
) -> None:
    engine, held = filled.engine, filled.engine.semantics()
    assert held
    chosen, bank_id = WAYS[way](name), engine.get_bank("b").id
    expected = filled.ids["" if way == "nobody's user" else name]
    meaning = held.embed_question("what about the key of project in Lisbon?")
    stored = vector_rows.vectors_of(engine.db, bank_id, held.name, expected)
    near = {
        number: float(np.frombuffer(row, dtype=np.float16) @ meaning.vector)
        for number, row in stored.items()
    }
    found = held.nearest(engine.db, SearchScope(bank_id, chosen, NOW), meaning, 20)
    if len(expected) <= 20:
        assert sorted(found) == sorted(expected)
    else:
        best = sorted(near.values(), reverse=True)[:20]
        assert [near[number] for number in found] == pytest.approx(best, abs=0.02)


def test_filters_by_ids_and_of_forgotten_memories_find_the_nearest(filled: Filled) -> None:
    engine, some = filled.engine, filled.ids["every-100"][:5]
    bank_id = engine.get_bank("b").id
    assert text_index.matching_ids(
        engine.db, SearchScope(bank_id, Filter(ids=(*some, 999)), NOW)
    ).split() == list(map(str, some))
    engine.forget("b", some[:1])
    tagged = Filter(where=TagMatch(("every-100",), "any_strict"), status="forgotten")
    assert text_index.matching_ids(engine.db, SearchScope(bank_id, tagged, NOW)) == str(some[0])
    engine.restore("b", some[:1])


def test_of_texts_with_common_words_those_with_all_of_them_come_first(filled: Filled) -> None:
    engine, terms = filled.engine, analyzer.question_terms("vault listens because decided")
    needle = engine.remember("b", Draft("the vault listens because we decided")).memory
    engine.remember_many("b", [Draft(one) for one in Author(seed=3).memories(200)])
    bank_id = engine.get_bank("b").id
    found = text_index.newest_with_terms(engine.db, SearchScope(bank_id, Filter(), NOW), terms, 5)
    assert found[0] == needle.id
    assert len(found) == 5
    few = text_index.newest_with_terms(
        engine.db, SearchScope(bank_id, Filter(users=("every-1500",)), NOW), terms, 5
    )
    assert set(few) <= set(filled.ids["every-1500"])


def test_a_common_word_is_not_counted_again_until_half_of_the_texts_are_gone(
    engine: Engine,
) -> None:
    written = engine.remember_many("b", [Draft(f"Common word {number}.") for number in range(40)])
    assert text_index.term_counts(engine.db, ["common"], 30) == {"common": 30}
    engine.purge("b", [outcome.memory.id for outcome in written[:15]])
    assert text_index.term_counts(engine.db, ["common", "word"], 30) == {"common": 30, "word": 25}
    engine.purge("b", [outcome.memory.id for outcome in written[15:30]])
    assert text_index.term_counts(engine.db, ["common"], 30) == {"common": 10}


def _answer(home: str, pipe: Connection) -> None:
    """Another process: it holds the bank's sketches and is asked again and again."""
    engine = open_engine(load({"COMMONPLACE_HOME": home}))
    while question := pipe.recv():
        pipe.send(
            [
                hit.memory.text
                for hit in engine.recall("b", Query(question, channels=("vector",))).hits
            ]
        )
    engine.db.close()


def test_another_process_finds_what_was_written_and_not_what_was_erased(
    engine: Engine, home: Path
) -> None:
    engine.remember_many("b", [Draft(one) for one in Author().memories(300)])
    spawn = multiprocessing.get_context("spawn")
    pipe, theirs = spawn.Pipe()
    other = spawn.Process(target=_answer, args=(str(home), theirs), daemon=True)
    other.start()

    def there(question: str) -> list[str]:
        pipe.send(question)
        return pipe.recv()

    assert "The red fox jumps." not in there("a red fox that jumps")
    fox = engine.remember("b", Draft("The red fox jumps.")).memory
    assert there("a red fox that jumps")[0] == "The red fox jumps."
    engine.forget("b", [fox.id])
    assert "The red fox jumps." not in there("a red fox that jumps")
    engine.restore("b", [fox.id])
    assert there("a red fox that jumps")[0] == "The red fox jumps."
    engine.purge("b", [fox.id])
    assert "The red fox jumps." not in there("a red fox that jumps")
    pipe.send("")
    other.join(30)
    assert other.exitcode == 0
