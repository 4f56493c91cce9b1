"""What facts a text is cut into."""

import json

import pytest

from commonplace import clock
from commonplace.extract import facts

AT = clock.moment("2026-11-15T12:00:00Z")


def texts(text: str) -> list[str]:
    return [one.text for one in facts.find(text, AT)]


def test_a_text_is_cut_into_statements_word_for_word() -> None:
    assert texts("Ann moved to Kyoto. She loves it.\n- Rent: 900 EUR\n- Rent: 900 EUR") == [
        "Ann moved to Kyoto. She loves it.",
        "Rent: 900 EUR",
    ]


def test_what_cannot_be_cut_is_kept_whole() -> None:
    assert texts("What is love?") == ["What is love?"]
    assert texts("  ") == []


def test_a_conversation_tells_who_did_something() -> None:
    turns = [{"role": "user", "content": "My cat is ill."}, {"role": "assistant", "content": "I called the vet."}]
    for said in (
        json.dumps(turns),
        "\n".join(map(json.dumps, turns)),
        "User: My cat is ill.\nAssistant: I called the vet.",
    ):
        assert [(one.text, one.experience) for one in facts.find(said, AT)] == [
            ("My cat is ill.", False),
            ("I called the vet.", True),
        ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Maria Rossi flew to Lisbon.", {"Maria Rossi", "Lisbon"}),
        ("It cost $45 and weighs 3 kg.", {"$45", "3 kg"}),
        ("Ticket ABC-123 is about src/main.py.", {"Ticket ABC-123", "ABC-123", "src/main.py"}),
        ("we like tea", set[str]()),
    ],
)
def test_entities_are_names_amounts_and_identifiers(text: str, names: set[str]) -> None:
    assert set(facts.entities(text)) == names


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Alice lives in Rome.", "alice"),
        ("The deploy port is 80.", "deploy port"),
        ("Item 17 is in box 3.", "item 17"),
        ("It is fine.", ""),
        ("Hello there", ""),
    ],
)
def test_a_subject_is_what_stands_before_the_verb(text: str, subject: str) -> None:
    assert facts.subject(text) == subject


def test_chunks_are_cut_between_sentences_and_lose_nothing() -> None:
    text = "".join(f"Sentence number {number} is here. " for number in range(100)) + "x" * 500
    parts = facts.chunks(text, 200)
    assert "".join(parts) == text
    assert all(len(part) <= 200 for part in parts)


def test_the_same_statement_has_the_same_identity_under_the_same_tags() -> None:
    assert facts.identity("The Gate is open.", ("b", "a")) == facts.identity("the gate  is open", ("a", "b"))
    assert facts.identity("The gate is open.", ("a",)) != facts.identity("The gate is open.", ())
