"""The vectors in one process: up to date before every search, gone after a purge, bounded in
number.
"""

import threading
from dataclasses import replace

import pytest

from commonplace.engine import catch_up
from commonplace.engine.engine import Engine
from commonplace.engine.operations.indexing import rebuild
from commonplace.models.static_embedder import StaticEmbedder
from commonplace.recall.vector_index import VectorIndex
from commonplace.records.memory import Draft
from commonplace.records.query import Filter
from commonplace.storage.rows import vector_rows
from commonplace.storage.text_index import SearchScope
from tests.recall.embedders import HashEmbedder

TEXTS = ["The red fox jumps.", "A blue whale sings.", "Green tea is brewed at eighty degrees."]


@pytest.fixture
def semantics() -> VectorIndex:
    return VectorIndex(HashEmbedder())


@pytest.fixture
def small(engine: Engine, semantics: VectorIndex) -> Engine:
    """The same store, with an embedder that costs nothing."""
    return replace(engine, semantics=lambda: semantics)


def nearest(engine: Engine, semantics: VectorIndex, question: str, limit: int = 10) -> list[str]:
    bank_id = engine.get_bank("b").id
    catch_up.catch_up_embeddings(engine, bank_id, 10_000)
    found = semantics.nearest(
        engine.db, SearchScope(bank_id, Filter(), 0), semantics.embed_question(question), limit
    )
    return [engine.get("b", number).text for number in found]


def test_a_memory_written_after_the_last_search_is_there_in_the_next(
    small: Engine, semantics: VectorIndex
) -> None:
    small.remember_many("b", [Draft(text) for text in TEXTS[:2]])
    assert len(nearest(small, semantics, "fox")) == 2
    small.remember("b", Draft(TEXTS[2]))
    assert nearest(small, semantics, "green tea", 1) == [TEXTS[2]]


def test_a_revised_memory_has_the_vector_of_its_new_text(
    small: Engine, semantics: VectorIndex
) -> None:
    small.remember_many("b", [Draft(text) for text in TEXTS])
    first = small.remember("b", Draft("Something else.", key="k")).memory
    nearest(small, semantics, "fox")
    small.remember("b", Draft("Purple rain falls.", key="k"))
    assert nearest(small, semantics, "purple rain", 1) == ["Purple rain falls."]
    assert small.get("b", first.id).text == "Purple rain falls."


def test_a_purged_memory_leaves_the_vectors_in_memory(
    small: Engine, semantics: VectorIndex
) -> None:
    doomed = small.remember_many("b", [Draft(text) for text in TEXTS])[0].memory
    assert nearest(small, semantics, "red fox", 1) == [TEXTS[0]]
    small.purge("b", [doomed.id])
    bank_id = small.get_bank("b").id
    anything = SearchScope(bank_id, Filter(status="any"), 0)
    found = semantics.nearest(small.db, anything, semantics.embed_question("red fox"), 10)
    assert doomed.id not in found
    assert len(found) == 2
    assert semantics.count(bank_id) == 2
    assert vector_rows.vectors_of(small.db, bank_id, semantics.name, [doomed.id]) == {}


def test_a_forgotten_memory_is_found_among_the_forgotten_only(
    small: Engine, semantics: VectorIndex
) -> None:
    gone = small.remember_many("b", [Draft(text) for text in TEXTS])[0].memory
    nearest(small, semantics, "fox")
    small.forget("b", [gone.id])
    bank_id, meaning = small.get_bank("b").id, semantics.embed_question("red fox")
    live, forgotten = (
        SearchScope(bank_id, Filter(), 0),
        SearchScope(bank_id, Filter(status="forgotten"), 0),
    )
    assert gone.id not in semantics.nearest(small.db, live, meaning, 10)
    assert semantics.nearest(small.db, forgotten, meaning, 10) == [gone.id]
    small.restore("b", [gone.id])
    assert semantics.nearest(small.db, live, meaning, 1) == [gone.id]


def test_the_least_recently_searched_bank_is_evicted(small: Engine) -> None:
    # A small bank counts as a thousand rows, so that two of them fit and a third does not.
    bounded = VectorIndex(HashEmbedder(), rows_max=2_500)
    parts = replace(small, semantics=lambda: bounded)
    ids: dict[str, int] = {}
    for bank in ("b", "c", "b", "d"):
        small.remember_many(bank, [Draft(f"{text} {bank}") for text in TEXTS])
        ids[bank] = small.get_bank(bank).id
        catch_up.catch_up_embeddings(parts, ids[bank], 10_000)
        assert len(
            bounded.nearest(
                small.db, SearchScope(ids[bank], Filter(), 0), bounded.embed_question("fox"), 10
            )
        ) in (3, 6)
    assert [bounded.count(ids[bank]) for bank in "bcd"] == [6, 0, 3]
    assert (
        len(
            bounded.nearest(
                small.db, SearchScope(ids["c"], Filter(), 0), bounded.embed_question("fox"), 10
            )
        )
        == 3
    )


def test_vectors_of_another_embedder_are_never_compared(
    small: Engine, semantics: VectorIndex
) -> None:
    small.remember_many("b", [Draft(text) for text in TEXTS])
    nearest(small, semantics, "fox")
    other = VectorIndex(HashEmbedder("hash-32", 32))
    bank_id = small.get_bank("b").id
    within = SearchScope(bank_id, Filter(), 0)
    assert other.nearest(small.db, within, other.embed_question("fox"), 10) == []
    rebuild(replace(small, semantics=lambda: other))
    assert len(other.nearest(small.db, within, other.embed_question("fox"), 10)) == 3
    assert semantics.nearest(small.db, within, semantics.embed_question("fox"), 10) == []


def test_threads_share_one_index(small: Engine, semantics: VectorIndex) -> None:
    small.remember_many("b", [Draft(f"memory number {number} of many") for number in range(200)])
    bank_id = small.get_bank("b").id
    catch_up.catch_up_embeddings(small, bank_id, 10_000)
    seen: list[int] = []

    def ask() -> None:
        for number in range(20):
            meaning = semantics.embed_question(f"memory number {number}")
            seen.append(
                len(semantics.nearest(small.db, SearchScope(bank_id, Filter(), 0), meaning, 50))
            )

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [50] * 80


def test_a_reader_of_an_older_state_changes_nothing_for_a_newer_one(
    small: Engine, semantics: VectorIndex
) -> None:
    small.remember_many("b", [Draft(text) for text in TEXTS])
    nearest(small, semantics, "fox")
    bank_id = small.get_bank("b").id
    began, written = threading.Event(), threading.Event()
    found: list[int] = []

    def ask_of_the_past() -> None:
        with small.db.snapshot():
            vector_rows.high_water_mark(small.db)
            began.set()
            written.wait(10)
            meaning = semantics.embed_question("purple rain")
            found.extend(
                semantics.nearest(
                    small.db, SearchScope(bank_id, Filter(status="any"), 0), meaning, 10
                )
            )

    thread = threading.Thread(target=ask_of_the_past)
    thread.start()
    began.wait(10)
    new = small.remember("b", Draft("Purple rain falls.")).memory
    small.purge("b", [small.remember("b", Draft("To be purged.")).memory.id])
    assert nearest(small, semantics, "purple rain", 1) == [new.text]
    written.set()
    thread.join()
    assert new.id not in found
    assert len(found) == 3
    assert nearest(small, semantics, "purple rain", 1) == [new.text]


def test_a_word_that_is_rare_in_the_store_has_more_weight() -> None:
    held = VectorIndex(StaticEmbedder())
    plain, weighed = (
        held.embed_question("Anna and Lisbon"),
        held.embed_question("Anna and Lisbon", {"anna": 0.7, "lisbon": 7.0}),
    )
    assert plain.token_weights is not None
    assert weighed.token_weights is not None
    assert (
        weighed.token_weights.max() / weighed.token_weights.sum()
        > plain.token_weights.max() / plain.token_weights.sum()
    )
    lisbon, anna = (held.embed_question(word).vector for word in ("Lisbon", "Anna"))
    assert weighed.vector @ lisbon > plain.vector @ lisbon
    assert weighed.vector @ anna < plain.vector @ anna


def test_the_newest_memory_leaves_the_index_when_it_is_purged(
    small: Engine, semantics: VectorIndex
) -> None:
    small.remember_many("b", [Draft(text) for text in TEXTS[:2]])
    doomed = small.remember("b", Draft(TEXTS[2])).memory
    assert nearest(small, semantics, "green tea", 1) == [TEXTS[2]]
    small.purge("b", [doomed.id])
    assert sorted(nearest(small, semantics, "green tea")) == sorted(TEXTS[:2])
    assert semantics.count(small.get_bank("b").id) == 2


def test_a_number_or_a_digest_among_the_labels_changes_no_vector(small: Engine) -> None:
    semantics = VectorIndex(StaticEmbedder())
    plain = small.remember("b", Draft(TEXTS[2], tags=("drinks",))).memory
    numbered = replace(plain, tags=("drinks", "42", "lme_9a707b82"), key="ae755baea52561576f24b703")
    named = replace(plain, key="weather.storms")
    same, other, third = semantics.encode([plain, replace(numbered, tags=("drinks", "42")), named])
    assert same == other
    assert same != third
