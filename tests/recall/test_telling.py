"""How much of what is said tells something."""

from commonplace.recall.informativeness import Telling


def test_who_tells_says_more_than_who_thanks_agrees_or_promises() -> None:
    telling = Telling("What does Anna do?")
    told = telling.to_people("Last week I went to Oslo and bought two paintings.")
    assert told > 0
    for said in (
        "Wow, that's great, thanks!",
        "Yeah, sounds nice.",
        "Let's keep in touch, I'll call.",
    ):
        assert telling.to_people(said) < 0


def test_what_a_question_asks_for_counts_more() -> None:
    plain = Telling("What about the trip?")
    for question, said in (
        ("When was the trip?", "It was last summer."),
        ("How many came?", "There were seven of us."),
        ("Which book was it?", "It is called “Pachinko”."),
    ):
        assert Telling(question).to_people(said) > plain.to_people(said)
        assert Telling(question).to_people("All of them liked it.") == plain.to_people(
            "All of them liked it."
        )


def test_a_typographic_apostrophe_is_read_like_a_plain_one() -> None:
    telling = Telling("What about the trip?")
    assert telling.to_people("I’ll see") == telling.to_people("I'll see")
    assert telling.to_assistant("That’s helpful.") == telling.to_assistant("That's helpful.")


def test_to_an_assistant_an_aside_tells_more_and_a_reply_less() -> None:
    usual = Telling.to_assistant("I'm looking for some book recommendations.")
    assert Telling.to_assistant("Any tips? By the way, I just got a cat.") > usual
    assert Telling.to_assistant("Thanks, I'll definitely try those.") < usual
