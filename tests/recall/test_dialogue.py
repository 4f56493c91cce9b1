"""Memories read as a conversation."""

import pytest

from commonplace.recall import dialogue
from commonplace.recall.dialogue import Conversation, Turn

A, B = Turn("anna", 0), Turn("ben", 0)


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ("Anna: I moved to Bergen.", "anna"),
        ("(4:04 pm on 20 January, 2023) Gina Rossi: Sorry!", "gina rossi"),
        ("[2026-01-03] **Jonas:** The boat is done.", "jonas"),
        ("李雷: 你好。", "李雷"),
        ("user: what about my trip?", "user"),
    ],
)
def test_a_turn_begins_with_its_speaker(text: str, speaker: str) -> None:
    found = dialogue.parse_turn(text)
    assert found is not None
    assert found.speaker == speaker


@pytest.mark.parametrize(
    "text",
    [
        "The port is 5432.",
        "https://example.org/a",
        "Anna: hello\nBen: hello Anna",
        "12:30 lunch",
        "",
        "Remember this:\n- one\n- two: three",
    ],
)
def test_a_text_with_no_speaker_or_several_is_no_turn(text: str) -> None:
    found = dialogue.parse_turn(text)
    assert found is None or found.speaker == "remember this"


def test_a_turn_has_the_share_of_its_questions() -> None:
    found = dialogue.parse_turn("Ben: That is great! What gave you the idea?")
    assert found is not None
    assert found.question_share == 0.5


def test_the_surroundings_are_three_turns_before_and_three_after() -> None:
    heard = {number: (A, B)[number % 2] for number in range(10)}
    found = Conversation(heard, [list(range(10))]).surroundings(5)
    assert found == [(4, 1), (3, 2), (2, 3), (6, 1), (7, 2), (8, 3)]


def test_memories_of_one_speaker_in_a_row_are_one_turn() -> None:
    one, two = Turn("anna", 0, origin=1), Turn("anna", 0, origin=2)
    heard = {1: B, 2: two, 3: one, 4: one, 5: one, 6: B, 7: B, 8: A, 9: B}
    found = Conversation(heard, [list(range(1, 10))]).surroundings(4)
    assert found == [(3, 0), (2, 1), (1, 2), (5, 0), (6, 1), (7, 1), (8, 2), (9, 3)]


def test_surroundings_end_at_a_gap_and_at_another_scope() -> None:
    heard = {1: A, 2: B, 3: A, 5: B, 6: A, 7: Turn("anna", 0, "another user")}
    conversation = Conversation(heard, [[1, 2, 3, 4, 5, 6, 7]])
    assert [number for number, _ in conversation.surroundings(3)] == [2, 1]
    assert [number for number, _ in conversation.surroundings(6)] == []
    assert conversation.surroundings(7) == []


def test_labels_that_occur_once_are_no_conversation() -> None:
    heard = {number: Turn(f"topic {number}", 0) for number in range(6)}
    assert Conversation(heard, [list(range(6))]).surroundings(3) == []


def test_a_continuation_is_distinguished_from_a_question() -> None:
    assert dialogue.is_continuation("Hi. I finished the quiz you gave me. What's next?")
    assert not dialogue.is_continuation("What did Anna do next?")
    assert not dialogue.is_continuation("The dog barked. The cat slept.")


def test_a_turn_follows_the_end_of_the_previous_one_without_dates() -> None:
    before = (
        f"(4:04 pm on 20 January, 2023) Vera: {'Well, well. ' * 20}What did you get for the car?"
    )
    shown = dialogue.join_previous(before, "(4:05 pm on 20 January, 2023) Ines: It came to 900.")
    assert shown.startswith("Vera: ")
    assert shown.endswith(" What did you get for the car? Ines: It came to 900.")
    assert len(shown) < 160
    assert dialogue.join_previous("Vera: How much?", "Ines: 900.") == "Vera: How much? Ines: 900."
