"""Features beside the words of a memory: similar long texts, and scripts that the embedder does not
know.
"""

import pytest

from commonplace.engine.engine import Engine
from commonplace.models.static_embedder import StaticEmbedder
from commonplace.recall.vector_index import VectorIndex
from commonplace.records.memory import Draft
from commonplace.records.query import Query

GARDEN = (
    "We planned the vegetable garden behind the house. Tomatoes go along the south wall, beans and"
    " peas climb the fence, and the compost heap stays where it is. The soil needs lime before the"
    " potatoes are planted, and the can leaks, so a new hose is on the list for the weekend"
    " together with seeds for carrots, leeks and kinds of salad. "
)
LEDGER = (
    "The tax office sent a letter about the second quarter. The invoices of March and April were"
    " booked twice, the bank statement shows the correct sum, and the accountant asked for the"
    " receipts of the printer, the phone and the train. The deadline for the correction is short,"
    " so the folder has to be complete before the end of the month. "
)


@pytest.mark.parametrize(
    "question",
    ["我妹妹住在哪里?", "妹は今どこに住んでいますか", "Πού μένει η αδερφή μου;", "أين تعيش أختي"],
)
def test_a_question_in_a_script_unknown_to_the_embedder_is_character_level(question: str) -> None:
    assert VectorIndex(StaticEmbedder()).embed_question(question).is_character_level


@pytest.mark.parametrize(
    "question", ["Where does my sister live?", "Wo wohnt sie?", "Где живёт моя сестра?", ""]
)
def test_a_question_in_known_words_is_not_character_level(question: str) -> None:
    assert not VectorIndex(StaticEmbedder()).embed_question(question).is_character_level


def test_words_decide_where_the_embedder_knows_only_characters(engine: Engine) -> None:
    engine.remember("b", Draft("我妹妹在杭州的一家医院当护士。"))
    engine.remember("b", Draft("我哥哥在杭州的一所中学当老师。"))
    engine.remember("b", Draft("周末我们去西湖边散步。"))
    best, *others = engine.recall("b", Query("我妹妹在哪里当护士", limit=3)).hits
    assert best.memory.text.startswith("我妹妹")
    assert all(best.score > other.score for other in others)


def test_a_long_text_gains_by_similar_long_texts(engine: Engine) -> None:
    strangers = [LEDGER + f"Letter {number} came on a Monday." for number in range(4)]
    kin = [GARDEN + f"Bed {number} was dug over." for number in range(4)]
    engine.remember_many("b", [Draft(text) for text in (*strangers, *kin)])
    hits = engine.recall(
        "b", Query("which seeds and hose do the tomatoes need", limit=8, explain=True)
    ).hits
    company = {hit.memory.text: hit.channels["company"] for hit in hits}
    assert min(company[text] for text in kin if text in company) > max(
        (company[text] for text in strangers if text in company), default=-1.0
    )


def test_statements_and_turns_gain_nothing_by_similar_texts(engine: Engine) -> None:
    turns = [
        Draft(f"{who}: {GARDEN} So much for day {day}.")
        for day in range(3)
        for who in ("Ann", "Ben")
    ]
    engine.remember_many("b", [*turns, Draft("The hose is green.")])
    hits = engine.recall("b", Query("green hose", limit=9)).hits
    assert len(hits) > 3
    assert not any("company" in hit.channels for hit in hits)
