"""Messages, split into statements worth remembering and the rest."""

import time

import pytest

from commonplace.extract import statement_splitting
from commonplace.extract.statement_splitting import Message, SkippedText
from commonplace.language import temporal_expressions


def found(text: str, role: str = "user") -> list[str]:
    return [
        one.text for one in statement_splitting.split_statements((Message(role, text),)).statements
    ]


def skipped(text: str) -> list[str]:
    return [
        one.reason for one in statement_splitting.split_statements((Message("user", text),)).skipped
    ]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("User prefers coffee in the morning", ["User prefers coffee in the morning"]),
        ("Hello! My name is Ana. How are you?", ["My name is Ana."]),
        ("I live in Rome, do you know a good restaurant?", ["I live in Rome"]),
        (
            "We bought a boiler. It is in the basement.",
            ["We bought a boiler. It is in the basement."],
        ),
        (
            "I hate horror films. My wife does not though.",
            ["I hate horror films. My wife does not though."],
        ),
        (
            "Rules:\n- tabs, not spaces\n- no semicolons",
            ["Rules: tabs, not spaces", "Rules: no semicolons"],
        ),
        ("# Ports\n- staging has 8080", ["Ports: staging has 8080"]),
        (
            "Alice owns the API.\nBob owns the UI\nand the docs.",
            ["Alice owns the API.", "Bob owns the UI and the docs."],
        ),
        ("Run this:\n```\nmake\ntest\n```", ["Run this: ```\nmake\ntest\n```"]),
        ("Hello world", ["Hello world"]),
        ("buy milk\ncall mum", ["buy milk", "call mum"]),
        (
            (
                "Ann: Hey! I moved to Boston. I love the town.\nBea: Wow! I have two kids.\nAnn: No"
                " kids yet."
            ),
            [
                "Ann: I moved to Boston.",
                "Ann: I love the town.",
                "Bea: I have two kids.",
                "Ann: No kids yet.",
            ],
        ),
        (
            (
                "The committee agreed with the proposal that Maria\nLopez made in spring; the"
                " budget for the building\nis to be approved by the council in winter."
                " Nobody\nobjected."
            ),
            [
                (
                    "The committee agreed with the proposal that Maria Lopez made in spring; the"
                    " budget for the building is to be approved by the council in winter."
                ),
                "Nobody objected.",
            ],
        ),
        (
            (
                "The committee agreed with the proposal of the mayor\nLopez paid the bill\nNobody"
                " objected"
            ),
            [
                "The committee agreed with the proposal of the mayor",
                "Lopez paid the bill",
                "Nobody objected",
            ],
        ),
        (
            "Am 12. April fliege ich nach Wien. Es wird schön.",
            ["Am 12. April fliege ich nach Wien.", "Es wird schön."],
        ),
        ("Меня зовут Иван. Я живу в Москве.", ["Меня зовут Иван.", "Я живу в Москве."]),
        (
            "# House\n- Kitchen\n  - order tiles\n  - paint it\n- call the bank",
            ["House: Kitchen: order tiles", "House: Kitchen: paint it", "House: call the bank"],
        ),
        (
            'Ann said, "We ship soon. No excuses." Bob left.',
            ['Ann said, "We ship soon. No excuses."', "Bob left."],
        ),
        ("We take plan B. Maria agrees.", ["We take plan B.", "Maria agrees."]),
        ("我的名字是张三。你叫什么名字？", ["我的名字是张三。"]),
        ("I like tea. I like tea.", ["I like tea."]),
        ("", []),
    ],
)
def test_statements_are_kept_word_for_word(text: str, kept: list[str]) -> None:
    assert found(text) == kept


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("What time is it?", "question"),
        ("If it rains, can we move it?", "question"),
        ("So, do you like it?", "question"),
        ("你喜欢茶吗", "question"),
        ("Hi there!", "greeting"),
        ("Good morning everyone", "greeting"),
        ("你好！", "greeting"),
        ("ok", "small talk"),
        ("Thanks a lot!", "small talk"),
        ("Great, I will remember that.", "small talk"),
        ("I'm fine, thanks", "small talk"),
        ("That sounds wonderful!", "small talk"),
        ("Good idea.", "small talk"),
        ("I'm sorry about that.", "small talk"),
        ("Thanks for your patience.", "small talk"),
        ("Hi Peter,", "greeting"),
        ("Best regards,", "greeting"),
    ],
)
def test_questions_greetings_and_small_talk_are_skipped_with_the_reason(
    text: str, reason: str
) -> None:
    assert found(text) == []
    assert skipped(text) == [reason]


def test_no_text_takes_long() -> None:
    begun = time.perf_counter()
    for text in (
        "The cat sleeps in the house of the mayor of the old town\n" * 2_000,
        "in May " * 1_400,
        "a: b\n" * 5_000,
    ):
        found(text)
        temporal_expressions.find_spans(text, 0)
    assert time.perf_counter() - begun < 5


def test_every_role_except_the_system_makes_statements() -> None:
    messages = (
        Message("system", "Be nice."),
        Message("user", "I like tea."),
        Message("assistant", "Tea has caffeine."),
    )

    sorted_out = statement_splitting.split_statements(messages)

    assert sorted_out.statements == (
        Message("user", "I like tea."),
        Message("assistant", "Tea has caffeine."),
    )
    assert sorted_out.skipped == (SkippedText("system", "Be nice.", "instruction"),)
