"""Rules and preferences that hold from now on."""

import pytest

from commonplace.recall import preferences


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Always name the narrator when I ask about audiobooks.", "audiobooks"),
        ("user: Never commit to main when you work on the billing service.", "the billing service"),
        ("When writing tests, always use pytest.", "writing tests"),
        (
            "From now on, answer in German whenever I write to you about the Vienna office!",
            "the Vienna office",
        ),
        (
            "Please always format dates as ISO if they go into a file name",
            "they go into a file name",
        ),
    ],
)
def test_it_is_told_what_a_rule_is_about(text: str, about: str) -> None:
    assert preferences.rule_topic(text).endswith(about)


@pytest.mark.parametrize(
    "text",
    [
        "Anna always comes when it rains.",
        "When the server starts, it reads the settings.",
        "Always use tabs.",
        "The door never closes",
        "Never mind. " + "We talked about the garden for hours. " * 10 + "When we left, it rained.",
    ],
)
def test_what_is_no_rule_or_says_not_what_for_is_about_nothing(text: str) -> None:
    assert preferences.rule_topic(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "I prefer short sessions.",
        "I'd rather walk.",
        "User prefers window seats.",
        "I really don't like onions.",
    ],
)
def test_a_preference_is_known(text: str) -> None:
    assert preferences.is_preference(text)


@pytest.mark.parametrize(
    "text", ["The preferred port is 8080.", "Anna has a rather large dog.", "I prefer tea. " * 60]
)
def test_what_is_no_preference_is_not_taken_for_one(text: str) -> None:
    assert not preferences.is_preference(text)


def test_who_wants_advice_is_told_from_who_wants_a_fact() -> None:
    assert preferences.asks_for_advice("Which books would you recommend?")
    assert preferences.asks_for_advice("How should I plan my week?")
    assert not preferences.asks_for_advice("Which port does staging use?")
