"""What was said, sorted into statements worth remembering and the rest; and how statements stand to one another."""

import time

import pytest

from commonplace.extract import merging, statements, when
from commonplace.extract.statements import Message, Skipped


def found(text: str, role: str = "user") -> list[str]:
    return [one.text for one in statements.find((Message(role, text),)).statements]


def skipped(text: str) -> list[str]:
    return [one.reason for one in statements.find((Message("user", text),)).skipped]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("User prefers coffee in the morning", ["User prefers coffee in the morning"]),
        ("Hello! My name is Ana. How are you?", ["My name is Ana."]),
        ("I live in Rome, do you know a good restaurant?", ["I live in Rome"]),
        ("We bought a boiler. It is in the basement.", ["We bought a boiler. It is in the basement."]),
        ("I hate horror films. My wife does not though.", ["I hate horror films. My wife does not though."]),
        ("Rules:\n- tabs, not spaces\n- no semicolons", ["Rules: tabs, not spaces", "Rules: no semicolons"]),
        ("# Ports\n- staging has 8080", ["Ports: staging has 8080"]),
        (
            "Alice owns the API.\nBob owns the UI\nand the docs.",
            ["Alice owns the API.", "Bob owns the UI and the docs."],
        ),
        ("Run this:\n```\nmake\ntest\n```", ["Run this: ```\nmake\ntest\n```"]),
        ("Hello world", ["Hello world"]),
        ("buy milk\ncall mum", ["buy milk", "call mum"]),
        (
            "Ann: Hey! I moved to Boston. I love the town.\nBea: Wow! I have two kids.\nAnn: No kids yet.",
            ["Ann: I moved to Boston.", "Ann: I love the town.", "Bea: I have two kids.", "Ann: No kids yet."],
        ),
        (
            "The committee agreed with the proposal that Maria\nLopez made in spring; the budget for the building\n"
            "is to be approved by the council in winter. Nobody\nobjected.",
            [
                "The committee agreed with the proposal that Maria Lopez made in spring; the budget for the building "
                "is to be approved by the council in winter.",
                "Nobody objected.",
            ],
        ),
        (
            "The committee agreed with the proposal of the mayor\nLopez paid the bill\nNobody objected",
            ["The committee agreed with the proposal of the mayor", "Lopez paid the bill", "Nobody objected"],
        ),
        ("Am 12. April fliege ich nach Wien. Es wird schön.", ["Am 12. April fliege ich nach Wien.", "Es wird schön."]),
        ("Меня зовут Иван. Я живу в Москве.", ["Меня зовут Иван.", "Я живу в Москве."]),
        (
            "# House\n- Kitchen\n  - order tiles\n  - paint it\n- call the bank",
            ["House: Kitchen: order tiles", "House: Kitchen: paint it", "House: call the bank"],
        ),
        ('Ann said, "We ship soon. No excuses." Bob left.', ['Ann said, "We ship soon. No excuses."', "Bob left."]),
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
def test_questions_greetings_and_small_talk_are_passed_over_with_the_reason(text: str, reason: str) -> None:
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
        when.spans(text, 0)
    assert time.perf_counter() - begun < 5


def test_every_role_but_the_system_makes_statements() -> None:
    messages = (
        Message("system", "Be nice."),
        Message("user", "I like tea."),
        Message("assistant", "Tea has caffeine."),
    )

    sorted_out = statements.find(messages)

    assert sorted_out.statements == (Message("user", "I like tea."), Message("assistant", "Tea has caffeine."))
    assert sorted_out.skipped == (Skipped("system", "Be nice.", "instruction"),)


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("I live in Rome", "I live in rome."),
        ("User likes tea", "Remember that user likes tea!"),
        ("“Ready”", "ready"),
        ("ＡＢＣ is a letter", "ABC is a letter"),
    ],
)
def test_the_same_statement_is_told_in_spite_of_its_dress(known: str, new: str) -> None:
    assert merging.standing(known, new) == "same"


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("User prefers coffee in the morning", "User prefers tea in the morning"),
        ("User prefers dark mode", "User prefers light mode"),
        ("I live in Rome", "I moved to Berlin."),
        ("Ana works at Acme", "Ana works for Globex"),
        ("The user works at Acme", "User now works at Globex"),
        ("I'm 30 years old", "I am 31"),
        ("My favorite color is blue", "My favorite color is now red"),
        ("User's name is Ana", "User's name is Bea"),
        ("The port is 8080", "The port is 9090"),
        ("Port: 8080", "Port: 9090"),
        ("DB_HOST=alpha", "DB_HOST=beta"),
        ("Staging listens on port 8080", "Staging listens on port 9090"),
        ("The meeting is at 3pm", "The meeting is at 4pm"),
        ("User likes coffee", "User does not like coffee"),
        ("User no longer likes coffee", "User likes coffee"),
        ("我的名字是张三", "我的名字是李四"),
        ("我住在上海", "我搬到北京了"),
    ],
)
def test_another_value_of_the_same_thing_is_a_change(known: str, new: str) -> None:
    assert merging.standing(known, new) == "changed"
    assert any(set(terms) <= set(merging.words.terms(known)) for terms in merging.clues(new))


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("I have a dog named Rex", "I have a cat named Tom"),
        ("Memory number 1", "Memory number 2"),
        ("I am a developer", "I am a vegetarian"),
        ("Production listens on port 8080", "Staging listens on port 8080"),
        ("Alice likes item 5", "Alice likes item 6"),
        ("Fact 1: the sky is blue", "Fact 2: the sky is blue"),
        ("Note: buy milk", "Note: call Bob"),
        ("Shopping: milk", "Shopping: eggs"),
        ("Paris is the capital of France", "Rome is the capital of Italy"),
        ("The cat is black", "The cat is called Tom"),
        ("My flight is on 2026-03-01", "My flight is at 9am"),
        ("User likes coffee", "User likes tea"),
        ("My name is Ana and I live in Rome", "My name is Bea"),
    ],
)
def test_what_can_stand_side_by_side_is_no_change(known: str, new: str) -> None:
    assert merging.standing(known, new) == "other"
