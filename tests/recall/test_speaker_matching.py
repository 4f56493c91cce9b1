"""Which speakers a question is about."""

from collections.abc import Iterable

import pytest

from commonplace.recall.speaker_matching import speakers_asked_about


def talk(*speakers: str) -> list[tuple[str, str]]:
    return [(speaker, "Hm.") for speaker in speakers]


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Where does Anna live?", {"anna"}),
        ("What did Gina's mother say?", {"gina rossi"}),
        ("Where did I park my car?", {"user"}),
        ("Where is the annaberg?", set[str]()),
    ],
)
def test_a_speaker_named_in_the_question_matches(question: str, meant: Iterable[str]) -> None:
    assert speakers_asked_about(question, talk("anna", "gina rossi", "user")) == frozenset(meant)


def test_a_misspelled_name_matches() -> None:
    said = talk("muhhamed", "fahim khan", "ben")
    assert speakers_asked_about("What games do Fahim and Muhammad play?", said) == {
        "muhhamed",
        "fahim khan",
    }
    assert speakers_asked_about("What does Bert like?", said) == frozenset()
    assert speakers_asked_about("What does Carla like?", talk("carla", "carl")) == {"carla"}


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("When did I say the sprint ends?", {"user"}),
        ("What did you recommend for my savings?", {"assistant"}),
        ("Which libraries had you suggested to me?", {"assistant"}),
        ("What was your advice about my deadline?", {"assistant"}),
        ("In which order did I bring up the topics of our conversations?", {"user"}),
        ("Can you summarize how my writing has progressed?", set[str]()),
        ("What have we discussed about my budget?", set[str]()),
        ("Which city is the capital?", set[str]()),
    ],
)
def test_pronouns_match_the_user_or_the_assistant(question: str, meant: Iterable[str]) -> None:
    assert speakers_asked_about(question, talk("user", "assistant")) == frozenset(meant)


@pytest.mark.parametrize(
    "calls",
    [
        ("Hello Kate. How are you?", "Thank you so much Kate, I will."),
        ("That looks lovely, Kate!", "What do you think, Kate?"),
        ("I did not know that, Kate.", "Hey Kate"),
    ],
)
def test_a_name_that_another_speaker_uses_matches(calls: tuple[str, str]) -> None:
    said = [("elise", calls[0]), ("emi", "I had a busy day."), ("elise", calls[1])]
    assert speakers_asked_about("What are Kate's hobbies?", said) == {"emi"}
    assert speakers_asked_about("What do both Kate and Elise like?", said) == {"emi", "elise"}


@pytest.mark.parametrize(
    "said",
    [
        [
            ("elise", "I met Kate at the spa."),
            ("emi", "Nice."),
            ("elise", "Kate has a dog, and Kate paints."),
        ],
        [
            ("elise", "Amy, Kate, and Joseph came."),
            ("emi", "Nice."),
            ("elise", "So did Jo, Kate, and Tim."),
        ],
        [("elise", "Hello Kate."), ("emi", "Hi."), ("elise", "Bye.")],
        [("elise", "Hello Kate."), ("emi", "Hello Kate."), ("elise", "Hello Kate.")],
        [("elise", "Hello Kate."), ("emi", "Hi."), ("ben", "Hi."), ("elise", "Bye Kate.")],
    ],
    ids=["talked about", "in lists", "once", "by both", "three talk"],
)
def test_a_person_who_is_only_mentioned_is_no_speaker(said: list[tuple[str, str]]) -> None:
    assert speakers_asked_about("What are Kate's hobbies?", said) == frozenset()
