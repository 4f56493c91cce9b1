"""The type of answer that a question asks for, and texts that have one."""

import pytest

from commonplace.engine.engine import Engine
from commonplace.recall import answer_types
from commonplace.records.memory import Draft
from commonplace.records.query import Query


def _has(question: str, said: str) -> bool:
    sorts = answer_types.asked_types(question)
    assert sorts, question
    return all(sort.is_in(said, question) for sort in sorts)


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        (
            "What time does the choir sing?",
            "The choir sings at 19:30.",
            "The choir sings on Monday.",
        ),
        ("When is Ella's birthday?", "Ella was born on 6 October.", "Ella's dad fetches her."),
        ("How long is the set?", "It lasts 75 minutes.", "It costs 75 pounds."),
        (
            "How often are the chicks weighed?",
            "Weigh them every third day.",
            "They weigh 100 grams.",
        ),
        ("How much do parents pay?", "It is 12 dollars a child.", "The visit is on 21 October."),
        ("What does the choir charge?", "They will sing for £1,800.", "They bring 18 singers."),
        ("How big is the dataset?", "It is 61 GB of sound.", "It is stored on the old disk."),
        ("What is Omar's mother's phone number?", "Ring her on 555-0142.", "She works until 8."),
        (
            "Which email address takes invoices?",
            "Send them to ap@harbour.example.",
            "Send them by post.",
        ),
        ("Why does Mila sit in front?", "Because of her eyesight.", "She sits by the window."),
        ("Who has the key?", "The key is with Moira.", "The key is lost."),
        ("Where is the depot?", "It is in Harrow Lane.", "It is closed."),
        ("Wann kommt der Bus?", "Um 8.", "Bald."),
        ("什么时候开会？", "3月2日开会。", "开会很久。"),
    ],
)
def test_a_text_with_the_type_of_answer_asked_for_is_recognized(
    question: str, answer: str, other: str
) -> None:
    assert _has(question, answer)
    assert not _has(question, other)


@pytest.mark.parametrize(
    "question", ["What did Anna say about the garden?", "Tell me about the lake house", ""]
)
def test_a_question_may_ask_for_no_type_of_answer(question: str) -> None:
    assert not answer_types.asked_types(question)


@pytest.mark.parametrize("words", ["how much ", "what do "])
def test_a_question_that_repeats_itself_takes_linear_time(words: str) -> None:
    long = words * 50_000
    assert not _has(long + "you pay?", "Nothing is told here.")
    assert all(sort.question_pattern.search(words) for sort in answer_types.asked_types(long))


def test_a_statement_with_a_time_comes_before_one_with_more_of_the_words(
    engine: Engine,
) -> None:
    for said in (
        "Ella's parents come in for a talk on 6 October.",
        "Ella's dad fetches her at the side gate.",
    ):
        engine.remember("b", Draft(said))
    first, second = engine.recall(
        "b", Query("When are Ella's mum and dad coming to see us?", limit=2)
    ).hits
    assert "6 October" in first.memory.text
    assert (first.channels["answer"], second.channels["answer"]) == (1, 0)
