"""Derived state: completed by reads, and rebuilt by a command that can be interrupted."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from commonplace.engine import catch_up
from commonplace.engine.engine import Engine
from commonplace.engine.operations import indexing
from commonplace.language import analyzer
from commonplace.recall.vector_index import VectorIndex
from commonplace.records.memory import Draft
from commonplace.records.query import Query
from commonplace.storage import text_index
from commonplace.storage.rows import banks, vector_rows
from tests.recall.embedders import HashEmbedder

COUNT = indexing.REBUILD_BATCH * 2 + 50


class CutShort(Exception):
    """What a killed rebuild looks like from inside."""


@pytest.fixture
def filled(engine: Engine) -> Engine:
    semantics = VectorIndex(HashEmbedder())
    small = replace(engine, semantics=lambda: semantics)
    words = [f"memory {n} about topic{n % 7} and subject{n % 11}" for n in range(COUNT)]
    small.remember_many("b", [Draft(word, tags=(f"tag{n % 3}",)) for n, word in enumerate(words)])
    return small


def answers(engine: Engine) -> list[list[tuple[int, float]]]:
    questions = ("topic3 subject5", "memory 12", "subject9", "topic1 and memory 700")
    return [
        [(hit.memory.id, hit.score) for hit in engine.recall("b", Query(q)).hits] for q in questions
    ]


def every_id(engine: Engine) -> str:
    return str(
        [
            memory.id
            for offset in (0, 1000)
            for memory in engine.list("b", limit=1000, offset=offset)
        ]
    )


def cut_after(batches: int) -> Callable[[int, int], None]:
    def progress(done: int, _total: int) -> None:
        if done >= batches * indexing.REBUILD_BATCH:
            raise CutShort

    return progress


def test_a_write_queues_a_memory_and_a_question_embeds_it(filled: Engine) -> None:
    filled.remember("c", Draft("one"))
    assert filled.stale_count() == COUNT + 1
    filled.recall("c", Query("one"))
    assert filled.stale_count() == COUNT


def test_catching_up_keeps_to_its_time_budget(filled: Engine) -> None:
    assert (
        catch_up.catch_up_embeddings(filled, filled.get_bank("b").id, 0) == catch_up.EMBEDDING_BATCH
    )
    assert (
        catch_up.catch_up_embeddings(filled, filled.get_bank("b").id, 60_000)
        == COUNT - catch_up.EMBEDDING_BATCH
    )
    assert filled.stale_count() == 0


def test_a_memory_revised_while_it_was_embedded_stays_in_the_queue(filled: Engine) -> None:
    memory = filled.remember("c", Draft("first", key="k")).memory
    filled.remember("c", Draft("second", key="k"))
    with filled.db.transaction():
        vector_rows.put(filled.db, "hash-64", [(memory.id, 1, b"old", b"")])
    bank_id = filled.get_bank("c").id
    assert vector_rows.vectors_of(filled.db, bank_id, "hash-64", [memory.id]) == {}
    assert vector_rows.queued_ids(filled.db, bank_id, after=0, limit=10) == [memory.id]


def test_a_rebuild_gives_the_same_answers(filled: Engine) -> None:
    catch_up.catch_up_embeddings(filled, filled.get_bank("b").id, 60_000)
    before, tags = answers(filled), filled.list_tags("b")
    with filled.db.transaction():
        for name in ("texts", "tags", "vectors"):
            filled.db.run(f"drop_{name}", ids=every_id(filled))
    assert answers(filled) != before
    report = filled.rebuild()
    assert report == indexing.RebuildReport(COUNT, resumed=False)
    assert answers(filled) == before
    assert filled.list_tags("b") == tags
    assert filled.stale_count() == 0
    assert text_index.is_sound(filled.db)


def test_a_rebuild_tells_how_far_it_is(filled: Engine) -> None:
    heard: list[tuple[int, int]] = []
    filled.rebuild(lambda done, total: heard.append((done, total)))
    assert heard == [(500, COUNT), (1000, COUNT), (COUNT, COUNT)]


def test_a_rebuild_that_was_cut_short_goes_on_where_it_was(filled: Engine) -> None:
    with pytest.raises(CutShort):
        filled.rebuild(cut_after(1))
    assert indexing.is_outdated(filled)
    report = filled.rebuild()
    assert report == indexing.RebuildReport(COUNT - indexing.REBUILD_BATCH, resumed=True)
    assert filled.stale_count() == 0
    assert not indexing.is_outdated(filled)


def test_after_a_change_of_embedder_one_command_embeds_everything_again(filled: Engine) -> None:
    catch_up.catch_up_embeddings(filled, filled.get_bank("b").id, 60_000)
    other = VectorIndex(HashEmbedder("hash-32", 32))
    changed = replace(filled, semantics=lambda: other)
    assert indexing.is_outdated(changed)
    assert answers(changed)[0]
    with pytest.raises(CutShort):
        changed.rebuild(cut_after(1))
    assert changed.rebuild().resumed
    assert not indexing.is_outdated(changed)
    assert vector_rows.foreign_vector_count(filled.db, "hash-32") == 0
    assert len(changed.recall("b", Query("topic3 subject5", channels=("vector",))).hits) == 10


def test_a_rebuild_cut_short_for_one_embedder_starts_anew_for_another(filled: Engine) -> None:
    with pytest.raises(CutShort):
        filled.rebuild(cut_after(1))
    other = VectorIndex(HashEmbedder("hash-32", 32))
    assert replace(filled, semantics=lambda: other).rebuild() == indexing.RebuildReport(
        COUNT, resumed=False
    )


def test_a_rebuild_without_an_embedder_mends_the_text_index(filled: Engine) -> None:
    with filled.db.transaction():
        filled.db.run("drop_texts", ids=every_id(filled))
    plain = replace(filled, semantics=lambda: None)
    assert plain.recall("b", Query("memory 12")).hits == ()
    plain.rebuild()
    assert plain.recall("b", Query("memory 12")).hits


def test_a_store_made_by_another_analyzer_is_outdated_until_rebuilt(filled: Engine) -> None:
    catch_up.catch_up_embeddings(filled, filled.get_bank("b").id, 60_000)
    with filled.db.transaction():
        banks.put_store_info(filled.db, "analyzer", "0")
    assert indexing.is_outdated(filled)
    filled.rebuild()
    assert banks.store_info(filled.db, "analyzer") == analyzer.ANALYZER
    assert not indexing.is_outdated(filled)


def test_a_rebuild_lets_go_of_rows_whose_memory_is_gone(filled: Engine) -> None:
    with filled.db.transaction():
        filled.db.run("put_text", memory_id=1, title="", body="ghost", labels="")
        filled.db.run("put_tag", bank_id=filled.get_bank("b").id, tag="ghost", memory_id=1)
    filled.rebuild()
    assert text_index.stored_terms(filled.db, [1], 100) == {}
    assert "ghost" not in {count.tag for count in filled.list_tags("b")}


@pytest.mark.parametrize("count", [3, 150])
def test_words_of_purged_memories_are_not_in_the_file(engine: Engine, count: int) -> None:
    engine.remember("b", Draft("something that stays"))
    written = engine.remember_many("b", [Draft(f"xylophonic secret {n}") for n in range(count)])
    for outcome in written[:-1]:
        assert outcome.memory.id
    with engine.db.transaction():
        text_index.unindex(engine.db, [outcome.memory.id for outcome in written])
    blocks = engine.db.select("select block from text_index_data", {})
    assert not any(b"xylophon" in bytes(row["block"]) for row in blocks)
    assert text_index.is_sound(engine.db)
    assert engine.recall("b", Query("something that stays")).hits


def test_after_a_bulk_change_that_failed_words_are_wiped_again(engine: Engine) -> None:
    kept = engine.remember("b", Draft("xylophonic secret")).memory
    with pytest.raises(CutShort), engine.db.transaction(), text_index.bulk_replacement(engine.db):
        raise CutShort
    engine.remember_many("b", [Draft(f"filler {n}") for n in range(50)])
    with engine.db.transaction():
        text_index.unindex(engine.db, [kept.id])
    blocks = engine.db.select("select block from text_index_data", {})
    assert not any(b"xylophon" in bytes(row["block"]) for row in blocks)
