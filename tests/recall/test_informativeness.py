"""How informative a turn or a message is."""

from commonplace.recall.informativeness import Informativeness


def test_a_statement_is_more_informative_than_thanks_consent_or_a_promise() -> None:
    telling = Informativeness("What does Anna do?")
    told = telling.score_turn("Last week I went to Oslo and bought two paintings.")
    assert told > 0
    for said in (
        "Wow, that's great, thanks!",
        "Yeah, sounds nice.",
        "Let's keep in touch, I'll call.",
    ):
        assert telling.score_turn(said) < 0


def test_signs_that_the_question_asks_for_count_more() -> None:
    plain = Informativeness("What about the trip?")
    for question, said in (
        ("When was the trip?", "It was last summer."),
        ("How many came?", "There were seven of us."),
        ("Which book was it?", "It is called “Pachinko”."),
    ):
        assert Informativeness(question).score_turn(said) > plain.score_turn(said)
        assert Informativeness(question).score_turn("All of them liked it.") == plain.score_turn(
            "All of them liked it."
        )


def test_a_typographic_apostrophe_counts_like_a_plain_one() -> None:
    telling = Informativeness("What about the trip?")
    assert telling.score_turn("I’ll see") == telling.score_turn("I'll see")
    assert telling.score_request("That’s helpful.") == telling.score_request("That's helpful.")


def test_in_requests_an_aside_is_more_informative_and_a_reply_less() -> None:
    usual = Informativeness.score_request("I'm looking for some book recommendations.")
    assert Informativeness.score_request("Any tips? By the way, I just got a cat.") > usual
    assert Informativeness.score_request("Thanks, I'll definitely try those.") < usual
