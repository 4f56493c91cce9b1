"""The facts that a text is split into."""

import json

import pytest

from commonplace import clock
from commonplace.extract import fact_splitting

AT = clock.parse_moment("2026-11-15T12:00:00Z")


def texts(text: str) -> list[str]:
    return [one.text for one in fact_splitting.split_facts(text, AT)]


def test_a_text_is_split_into_statements_word_for_word() -> None:
    assert texts("Ann moved to Kyoto. She loves it.\n- Rent: 900 EUR\n- Rent: 900 EUR") == [
        "Ann moved to Kyoto. She loves it.",
        "Rent: 900 EUR",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "Alice lives in Rome. She works at Acme. Her favourite language is Python.",
            [
                "Alice lives in Rome.",
                "Alice works at Acme.",
                "Alice's favourite language is Python.",
            ],
        ),
        (
            "Maria Rossi is a doctor. She's in Milan.",
            ["Maria Rossi is a doctor.", "Maria Rossi is in Milan."],
        ),
        ("Alice met Bob. He was late.", ["Alice met Bob. He was late."]),
        ("Otto plays chess with Emil. He won.", ["Otto plays chess with Emil. He won."]),
        ("Alice lives in Rome. She likes it.", ["Alice lives in Rome. She likes it."]),
        ("The server is down. It crashed.", ["The server is down. It crashed."]),
        (
            "The user likes tea. Previously she lived in Oslo.",
            ["The user likes tea.", "Previously the user lived in Oslo."],
        ),
        ("Ann has a sister. She lives in Rome.", ["Ann has a sister. She lives in Rome."]),
        ("Ann has a brother. She lives in Rome.", ["Ann has a brother.", "Ann lives in Rome."]),
        ("Ann is a teacher. She lives in Rome.", ["Ann is a teacher.", "Ann lives in Rome."]),
        ("The user's dog is old. She barks.", ["The user's dog is old. She barks."]),
        ("Tom: I know a cook. He is free.\nTom: Good.", ["Tom: I know a cook. He is free."]),
        ("Ann left. She sang. He wept.", ["Ann left.", "Ann sang. He wept."]),
    ],
)
def test_a_pronoun_that_means_one_person_only_becomes_the_name(text: str, said: list[str]) -> None:
    assert texts(text) == said


def test_a_text_that_cannot_be_split_is_one_fact() -> None:
    assert texts("What is love?") == ["What is love?"]
    assert texts("  ") == []


def test_a_turn_with_a_name_keeps_it_with_every_sentence() -> None:
    turns = [
        {"speaker": "Ann", "text": "Hi! I moved to Bath. I love the town."},
        {"speaker": "Bea", "text": "Wow!"},
    ]
    assert texts(json.dumps(turns)) == ["Ann: I moved to Bath.", "Ann: I love the town."]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "(1:56 pm on 8 May, 2023) Mel: Hey Caroline! I'm swamped. The kids are ill. What's up?",
            [
                "(1:56 pm on 8 May, 2023) Mel: I'm swamped.",
                "(1:56 pm on 8 May, 2023) Mel: The kids are ill.",
            ],
        ),
        ("Mel: I'm swamped. The kids are ill.", ["Mel: I'm swamped.", "Mel: The kids are ill."]),
        (
            "Mel: I'm swamped.\nAnn: Wow! Take the day off.",
            ["Mel: I'm swamped.", "Ann: Take the day off."],
        ),
        (
            "Mary Ann: My shop is shut. We sold it.",
            ["Mary Ann: My shop is shut.", "Mary Ann: We sold it."],
        ),
        (
            "[15 March 2024] user: I moved. The flat is new.",
            ["[15 March 2024] I moved.", "[15 March 2024] The flat is new."],
        ),
        ("() user: I moved. The flat is new.", ["I moved.", "The flat is new."]),
    ],
)
def test_every_sentence_of_a_turn_keeps_its_speaker(text: str, said: list[str]) -> None:
    assert texts(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "Decisions: We go with Redis Streams. Kafka is too much.",
        "Staging: port 8080 is open. Production is shut.",
        "TODO: I call Bob. The lamp is broken.",
        "Owner: Tom\nThe lamp is broken.",
        "note: I call Bob. The lamp is broken.",
    ],
)
def test_a_label_is_no_speaker(text: str) -> None:
    head = text.partition(":")[0]
    assert sum(one.startswith(head) for one in texts(text)) <= 1


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("(8 May, 2023) Mel: I ran yesterday.", "2023-05-07"),
        ("(8 May, 2023) Mel: I run a lot.", "2023-05-08"),
        ("(March-15-2024) user: I moved on 3 January 2020.", "2020-01-03"),
        ("(as always) I ran yesterday.", "2026-11-14"),
    ],
)
def test_yesterday_is_the_day_before_it_was_said(said: str, day: str) -> None:
    (fact,) = fact_splitting.split_facts(said, AT)
    assert fact.happened_at == clock.parse_moment(f"{day}T00:00:00Z")


def test_the_role_in_a_conversation_decides_whose_experience_it_is() -> None:
    turns = [
        {"role": "user", "content": "My cat is ill."},
        {"role": "assistant", "content": "I called the vet."},
    ]
    for said in (
        json.dumps(turns),
        "\n".join(map(json.dumps, turns)),
        "User: My cat is ill.\nAssistant: I called the vet.",
        "Agent: I'm sorry.\nCustomer: My cat is ill.\nAgent: I called the vet.",
    ):
        assert [(one.text, one.is_experience) for one in fact_splitting.split_facts(said, AT)] == [
            ("My cat is ill.", False),
            ("I called the vet.", True),
        ]


@pytest.mark.parametrize(
    ("text", "experience"),
    [
        ("I deployed Orion.", True),
        ("Yesterday I deployed Orion.", True),
        ("On Monday, the assistant suggested tea.", True),
        ("User: I moved to Berlin.", False),
        ("Assistant: The train leaves at nine.", True),
        ("Maria deployed Orion.", False),
        ("I like tea.", False),
    ],
)
def test_what_an_agent_did_is_an_experience(text: str, experience: bool) -> None:
    assert [one.is_experience for one in fact_splitting.split_facts(text, AT)] == [experience]


@pytest.mark.parametrize(
    ("text", "causes"),
    [
        (
            "The disk was full. Therefore the deploy failed.",
            {"Therefore the deploy failed.": ("The disk was full.",)},
        ),
        (
            "The disk was full. As a result, the deploy failed.",
            {"As a result, the deploy failed.": ("The disk was full.",)},
        ),
        (
            "The deploy failed because the disk was full.",
            {"The deploy failed because the disk was full.": ("The disk was full.",)},
        ),
        (
            "The north pipe burst. The flood was caused by the burst north pipe.",
            {"The flood was caused by the burst north pipe.": ("The north pipe burst.",)},
        ),
        ("The north pipe froze. The cellar is flooded.", {}),
        ("He left, not because the tea was cold.", {}),
        (
            "Churn fell because onboarding was simplified, so sales got more.",
            {
                "Churn fell because onboarding was simplified, so sales got more.": (
                    "Onboarding was simplified.",
                )
            },
        ),
        ("I like tea because it is warm.", {}),
    ],
)
def test_a_cause_is_linked_where_the_text_says_so(
    text: str, causes: dict[str, tuple[str, ...]]
) -> None:
    assert {
        one.text: one.causes for one in fact_splitting.split_facts(text, AT) if one.causes
    } == causes


def test_a_cause_that_is_no_fact_is_kept_in_its_words() -> None:
    [fact] = fact_splitting.split_facts("The outage of Tuesday was caused by the broken valve.", AT)
    assert (fact.causes, fact.stated_cause) == ((), "the broken valve")


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Alice lives in Rome.", "alice"),
        ("The deploy port is 80.", "deploy port"),
        ("Item 17 is in box 3.", "item 17"),
        ("Project Orion: Owner: Dana", "project orion"),
        ("Churn fell because onboarding was simplified.", "churn"),
        ("It is fine.", ""),
        ("Hello there", ""),
    ],
)
def test_the_subject_is_before_the_verb(text: str, subject: str) -> None:
    assert fact_splitting.subject_of(text) == subject


def test_chunks_end_between_sentences_and_lose_nothing() -> None:
    text = "".join(f"Sentence number {number} is here. " for number in range(100)) + "x" * 500
    parts = fact_splitting.split_chunks(text, 200)
    assert "".join(parts) == text
    assert all(len(part) <= 200 for part in parts)


def test_a_turn_stays_whole_unless_it_is_longer_than_it_may_be() -> None:
    long = "".join(f"Sentence number {number} is here. " for number in range(20))
    said = json.dumps(
        [{"role": "user", "content": long}, {"role": "assistant", "content": "I called the vet."}]
    )
    assert [json.loads(part)["content"] for part in fact_splitting.split_chunks(said, 100)] == [
        long,
        "I called the vet.",
    ]
    cut = [
        json.loads(line)
        for part in fact_splitting.split_chunks(said, 100, 200)
        for line in part.splitlines()
    ]
    assert "".join(one["content"] for one in cut[:-1]) == long
    assert all(len(one["content"]) <= 200 and one["role"] == "user" for one in cut[:-1])
    assert cut[-1] == {"role": "assistant", "content": "I called the vet."}


def test_the_same_statement_has_the_same_identity_under_the_same_tags() -> None:
    assert fact_splitting.fact_digest(
        "The Gate is open.", ("b", "a")
    ) == fact_splitting.fact_digest("the gate  is open", ("a", "b"))
    assert fact_splitting.fact_digest("The gate is open.", ("a",)) != fact_splitting.fact_digest(
        "The gate is open.", ()
    )


@pytest.mark.parametrize(
    "time", ["Yesterday", "Last week,", "On Monday", "This morning", "Tomorrow"]
)
def test_a_time_at_the_beginning_is_not_the_subject(time: str) -> None:
    assert (
        fact_splitting.subject_of(f"{time} Anna moved to Bergen.")
        == fact_splitting.subject_of("Anna moved to Bergen.")
        == "anna"
    )
