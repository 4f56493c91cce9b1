"""The stores that the reader learnt from: whoever teaches it anew must be able to rely on them."""

from pathlib import Path

import pytest

from evals import precise
from evals.fit_sureness import FITTING
from evals.reader.stores import Store, stores

EVERY = list(stores())


@pytest.mark.parametrize("store", EVERY, ids=lambda store: store.name)
def test_a_store_holds_memories_and_questions_with_and_without_an_answer(store: Store) -> None:
    assert len(set(store.texts)) == len(store.texts) >= 50
    assert len({question.text for question in store.questions}) == len(store.questions) >= 80
    unanswerable = [question for question in store.questions if not question.answers]
    assert 0.05 < len(unanswerable) / len(store.questions) < 0.4
    assert not any(question.answers & question.outdated for question in store.questions)


@pytest.mark.parametrize("folder", [precise.FOLDER, FITTING], ids=lambda folder: folder.name)
def test_no_memory_of_what_we_measure_and_fit_with_is_among_them(folder: Path) -> None:
    ours = {memory.text for store in precise.stores(folder) for memory in store.memories}
    assert ours
    assert not ours & {text for store in EVERY for text in store.texts}


def test_a_line_that_is_neither_a_memory_nor_a_question_is_named(tmp_path: Path) -> None:
    (tmp_path / "odd.txt").write_text("M 1 | 2024-01-01 | Ann has a kite.\nWho has a kite?\n")
    with pytest.raises(ValueError, match=r"odd\.txt, line 2"):
        list(stores(tmp_path))
