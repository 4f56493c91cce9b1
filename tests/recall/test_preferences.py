"""Standing rules and preferences."""

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
def test_a_rule_has_a_topic(text: str, about: str) -> None:
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
def test_a_text_without_a_rule_or_a_condition_has_no_topic(text: str) -> None:
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
def test_preferences_are_recognized(text: str) -> None:
    assert preferences.is_preference(text)


@pytest.mark.parametrize(
    "text", ["The preferred port is 8080.", "Anna has a rather large dog.", "I prefer tea. " * 60]
)
def test_other_statements_are_no_preferences(text: str) -> None:
    assert not preferences.is_preference(text)


def test_questions_for_advice_are_distinguished_from_questions_for_facts() -> None:
    assert preferences.asks_for_advice("Which books would you recommend?")
    assert preferences.asks_for_advice("How should I plan my week?")
    assert not preferences.asks_for_advice("Which port does staging use?")
