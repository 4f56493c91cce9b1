"""What add_memory makes of what was said: without a model, with one, and with one that fails."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from commonplace.engine.engine import Engine
from commonplace.extract.llm_statements import Model
from commonplace.models.llm import LanguageModel
from tests.dialects.powermem_client import PowerMem
from tests.dialects.requirements import requirement
from tests.models import scripted


def with_model(engine: Engine, url: str, seconds: float = 10) -> PowerMem:
    def opened() -> Model:
        return LanguageModel(url, call_s_max=seconds)

    return PowerMem(engine, llm=opened)


def document(powermem: PowerMem, answer: dict[str, Any]) -> str:
    return powermem.engine.get_document("default", answer["data"]["document"]).text


@requirement("powermem:add:object", "powermem:add:list", "powermem:add:text")
def test_messages_are_a_text_an_object_or_a_list(powermem: PowerMem) -> None:
    for place, messages in enumerate(
        (
            "I own boat 0.",
            {"role": "user", "content": "I own boat 1."},
            [{"role": "user", "content": "I own boat 2."}],
            ["I own boat 3."],
            {"content": "I own boat 4."},
            json.dumps([{"role": "user", "content": "I own boat 5."}]),
            {"role": None, "text": "I own boat 6."},
        )
    ):
        assert powermem.add(messages) == [("ADD", f"I own boat {place}.")]
    assert powermem.add('{"not": "a message"}') == [("ADD", '{"not": "a message"}')]


@requirement(
    "powermem:messages:multimodal", "powermem:messages:roles", "powermem:messages:nothing-silent"
)
def test_roles_and_text_parts_are_kept_and_the_rest_is_named(powermem: PowerMem) -> None:
    answer = powermem(
        "add_memory",
        messages=[
            {"role": "system", "content": "Answer in rhymes."},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "This is my red bicycle."},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                    {"type": "input_text", "text": "I ride it daily."},
                    "The bell is broken.",
                ],
            },
            {"role": "assistant", "content": "Bells cost ten euros."},
            {"role": "assistant", "content": None, "tool_calls": []},
            {"role": "tool", "name": "shop", "content": "The bell is in stock."},
        ],
    )

    texts = [one["memory"] for one in answer["data"]["results"]]
    assert texts == [
        "This is my red bicycle.",
        "I ride it daily.",
        "The bell is broken.",
        "Bells cost ten euros.",
        "shop: The bell is in stock.",
    ]
    assert answer["data"]["skipped"] == [
        {"role": "system", "text": "Answer in rhymes.", "reason": "instruction"},
        {"role": "user", "text": "[image_url]", "reason": "not text"},
        {"role": "assistant", "text": "[nothing]", "reason": "not text"},
    ]
    roles = {
        one["memory"]: one.get("metadata", {}).get("role")
        for one in powermem("list_memories")["memories"]
    }
    assert [roles[text] for text in texts] == [None, None, None, "assistant", "tool"]
    whole = document(powermem, answer)
    assert whole.startswith(
        "system: Answer in rhymes.\nuser: This is my red bicycle.\nI ride it daily."
    )
    assert "assistant: Bells cost ten euros." in whole


@requirement("powermem:messages:empty")
@pytest.mark.parametrize(
    "messages",
    [
        "",
        "  \n",
        [],
        {},
        [{"role": "user", "content": ""}],
        {"role": "user", "content": [{"type": "image_url"}]},
        [[]],
        {"role": 1, "content": "x"},
    ],
)
def test_messages_without_a_text_are_refused_and_leave_nothing(
    powermem: PowerMem, messages: Any
) -> None:
    powermem.failure("add_memory", messages=messages)
    powermem.failure("add_memory")

    assert powermem.listed() == []


@requirement("powermem:add:statements", "powermem:add:document", "powermem:messages:nothing-silent")
def test_questions_greetings_and_small_talk_stay_in_the_document_only(powermem: PowerMem) -> None:
    text = "Hello! My name is Ana. I live in Rome, do you know it? Thanks a lot."
    answer = powermem("add_memory", messages=text)

    assert [one["memory"] for one in answer["data"]["results"]] == [
        "My name is Ana.",
        "I live in Rome",
    ]
    assert [one["reason"] for one in answer["data"]["skipped"]] == [
        "greeting",
        "question",
        "small talk",
    ]
    assert document(powermem, answer) == text
    number = answer["memory_id"]
    assert powermem.engine.get("default", number).document_id is not None

    nothing = powermem("add_memory", messages="How are you?")
    assert (nothing["memory_id"], nothing["data"]["results"]) == (None, [])
    assert nothing["message"].startswith("It contains no statement worth remembering")
    assert document(powermem, nothing) == "How are you?"


@requirement("powermem:add:none", "powermem:add:update", "powermem:add:add")
def test_the_same_again_is_none_a_changed_value_an_update_and_the_rest_an_add(
    powermem: PowerMem,
) -> None:
    number = powermem.added("User prefers coffee in the morning", metadata={"a": 1})

    again = powermem("add_memory", messages="user prefers coffee in the morning.")
    assert (again["memory_id"], again["message"]) == (number, "Already known; nothing was changed")
    assert again["data"]["results"] == [
        {"id": number, "memory": "User prefers coffee in the morning", "event": "NONE"}
    ]
    changed = powermem("add_memory", messages="User prefers tea in the morning", metadata={"b": 2})
    assert changed["data"]["results"] == [
        {
            "id": number,
            "memory": "User prefers tea in the morning",
            "event": "UPDATE",
            "previous_memory": "User prefers coffee in the morning",
        }
    ]
    assert powermem.get(number)["metadata"] == {"a": 1, "b": 2}
    assert powermem.add("User prefers wine in the evening") == [
        ("ADD", "User prefers wine in the evening")
    ]
    assert powermem.add("User has a dog named Rex. User has a cat named Tom.")[1][0] == "ADD"
    assert powermem.listed()[:2] == [
        "User prefers tea in the morning",
        "User prefers wine in the evening",
    ]
    assert len(powermem.engine.history("default", number)) == 2


@requirement("powermem:add:update")
def test_two_values_in_one_breath_are_two_statements(powermem: PowerMem) -> None:
    assert powermem.add("I live in Rome. I live in Berlin.") == [
        ("ADD", "I live in Rome."),
        ("ADD", "I live in Berlin."),
    ]
    assert [event for event, _ in powermem.add("I live in Rome. I live in Berlin.")] == [
        "NONE",
        "NONE",
    ]


@requirement("powermem:add:add")
def test_numbered_facts_are_never_taken_for_one_another(powermem: PowerMem) -> None:
    for number in range(30):
        assert powermem.add(f"Fact number {number} about the fleet")[0][0] == "ADD"
        assert powermem.add(f"Ticket {number} is closed")[0][0] == "ADD"
    assert len(powermem.listed()) == 60


@requirement("powermem:add:none", "powermem:add:update")
def test_a_deleted_statement_told_again_is_new(powermem: PowerMem) -> None:
    number = powermem.added("The port is 8080")
    powermem("delete_memory", memory_id=number)

    assert powermem.add("The port is 8080") == [("ADD", "The port is 8080")]


@requirement("powermem:add:infer", "powermem:tools:aliases")
def test_without_inference_the_text_is_stored_as_it_is(powermem: PowerMem) -> None:
    text = "Hi! I live in Rome. Do you?"

    assert powermem.add(text, infer=False) == [("ADD", text)]
    assert powermem.add(text, infer="false") == [("ADD", text)]
    assert powermem.add(text, infer=True) == [("ADD", "I live in Rome.")]
    messages = [{"role": "user", "content": "a b"}, {"role": "assistant", "content": "c d"}]
    assert powermem.add(messages, infer=False) == [("ADD", "user: a b\nassistant: c d")]


def test_a_text_of_too_many_statements_is_refused_whole(powermem: PowerMem) -> None:
    text = "\n".join(f"Row {number} is in the list." for number in range(1_001))

    assert "1,001" in powermem.failure("add_memory", messages=text)["error"]
    assert powermem.listed() == []


@requirement("powermem:model:extracts")
def test_a_model_extracts_and_decides(engine: Engine) -> None:
    plain = PowerMem(engine)
    coffee = plain.added("User prefers coffee in the morning")
    dog = plain.added("User has a dog")
    facts = {
        "facts": [
            "User prefers tea in the morning",
            "User sold the dog",
            "User owns a garden with tea plants",
        ]
    }

    def decide(script: scripted.Scripted, to: Any) -> None:
        known = json.loads(script.texts[1])["known"]
        numbers = {text: number for number, text in known.items()}
        decided = [
            {
                "id": numbers["User prefers coffee in the morning"],
                "text": "User prefers tea in the morning",
                "event": "UPDATE",
            },
            {"id": numbers["User has a dog"], "text": "User has a dog", "event": "DELETE"},
            {"text": "User owns a garden with tea plants", "event": "ADD"},
        ]
        content = json.dumps({"memory": decided})
        scripted.sent(to, json.dumps({"choices": [{"message": {"content": content}}]}).encode())

    said = (
        "I now prefer tea in the morning, I sold the dog, and I own a garden with tea plants. And"
        " you?"
    )
    with scripted.model(facts, decide) as script:
        powermem = with_model(engine, script.url)
        answer = powermem("add_memory", messages=said)

    assert len(script.asked) == 2
    assert script.texts[0] == f"user: {said}"
    events = [(one["event"], one["id"]) for one in answer["data"]["results"]]
    assert events[:2] == [("UPDATE", coffee), ("DELETE", dog)]
    assert events[2][0] == "ADD"
    assert answer["data"]["results"][0]["previous_memory"] == "User prefers coffee in the morning"
    assert "model_error" not in answer["data"]
    assert document(powermem, answer) == said
    assert plain.listed() == [
        "User prefers tea in the morning",
        "User owns a garden with tea plants",
    ]


@requirement("powermem:model:checked")
def test_what_a_model_makes_up_or_was_not_shown_is_left_out(engine: Engine) -> None:
    plain = PowerMem(engine)
    boat = plain.added("User has a boat in Genoa")
    other = plain.added("User has a boat in Genoa", user_id="bob")
    facts = {"facts": ["User painted the boat blue", "The moon is made of cheese", "boat"]}
    decisions = {
        "memory": [
            {"id": "7", "text": "User painted the boat blue", "event": "UPDATE"},
            {"id": str(other), "text": "gone", "event": "DELETE"},
            {"id": "0", "text": "User sold everything and moved to Mars", "event": "UPDATE"},
            {"id": "0", "text": "x", "event": "EXPLODE"},
            "rubbish",
        ]
    }
    with scripted.model(facts, decisions) as script:
        assert with_model(engine, script.url).add("I painted the boat blue.") == [
            ("ADD", "User painted the boat blue")
        ]

    assert plain.get(boat)["content"] == "User has a boat in Genoa"
    assert plain.listed(user_id="bob") == ["User has a boat in Genoa"]


@requirement("powermem:model:extracts")
def test_a_model_that_finds_nothing_stores_nothing_but_the_document(engine: Engine) -> None:
    with scripted.model({"facts": []}) as script:
        powermem = with_model(engine, script.url)
        answer = powermem("add_memory", messages="The sky is blue")

    assert (answer["data"]["results"], answer["memory_id"]) == ([], None)
    assert document(powermem, answer) == "The sky is blue"


@requirement("powermem:model:extracts")
def test_a_statement_that_the_model_repeats_is_none(engine: Engine) -> None:
    with scripted.model(
        {"facts": ["The sky is blue"]},
        {"memory": [{"id": "0", "text": "The sky is blue", "event": "NONE"}]},
    ) as script:
        powermem = with_model(engine, script.url)
        PowerMem(engine).add("The sky is blue")
        assert powermem.add("I said that the sky is blue") == [("NONE", "The sky is blue")]


def stored_without(powermem: PowerMem, said: str) -> None:
    """The text is stored by the rules, and the answer says so."""
    answer = powermem("add_memory", messages="Hello! My name is Ana.")

    assert [(one["event"], one["memory"]) for one in answer["data"]["results"]] == [
        ("ADD", "My name is Ana.")
    ]
    assert said in answer["data"]["model_error"]
    assert said in answer["message"]
    assert powermem.listed() == ["My name is Ana."]


@requirement("powermem:model:down")
def test_a_model_that_is_down_loses_nothing(engine: Engine) -> None:
    stored_without(with_model(engine, scripted.nobody()), "cannot be reached")


@requirement("powermem:model:slow")
@pytest.mark.parametrize("slow", [scripted.silent, scripted.endless])
def test_a_model_that_is_slow_loses_nothing(engine: Engine, slow: scripted.Answer) -> None:
    with scripted.model(slow) as script:
        stored_without(with_model(engine, script.url, seconds=0.3), "did not answer within")


@requirement("powermem:model:rubbish", "powermem:model:real")
@pytest.mark.parametrize(
    "rubbish",
    [
        "I am a teapot.",
        500,
        401,
        {"facts": "none"},
        {"facts": [1, 2]},
        {"facts": ["x " * 2_000]},
        {"facts": ["The moon is made of cheese"]},
        {"facts": ["Ana"]},
        {"other": []},
    ],
)
def test_a_model_that_answers_rubbish_loses_nothing(
    engine: Engine, rubbish: scripted.Answer
) -> None:
    with scripted.model(rubbish) as script:
        stored_without(with_model(engine, script.url), "odel")


@requirement("powermem:model:rubbish")
def test_a_model_whose_decisions_are_rubbish_loses_nothing(engine: Engine) -> None:
    PowerMem(engine).add("My name is Ana Maria")
    with scripted.model({"facts": ["User's name is Ana"]}, "rubbish") as script:
        answer = with_model(engine, script.url)(
            "add_memory", messages="I am called Ana, which is my name."
        )

    assert answer["data"]["results"]
    assert "model_error" in answer["data"]


def test_a_text_longer_than_a_model_is_given_is_stored_without_it(engine: Engine) -> None:
    with scripted.model({"facts": []}) as script:
        powermem = with_model(engine, script.url)
        answer = powermem("add_memory", messages="The log says nothing. " + "x" * 30_000)

    assert script.asked == []
    assert "24,000" in answer["data"]["model_error"]
    assert answer["data"]["results"]


@requirement("powermem:add:none")
def test_the_same_statement_from_many_at_once_is_one_memory(powermem: PowerMem) -> None:
    with ThreadPoolExecutor(8) as pool:
        added = list(pool.map(powermem.add, ["The anchor weighs a ton"] * 8))

    assert sorted(event for ((event, _),) in added) == ["ADD", *["NONE"] * 7]
    assert powermem.listed() == ["The anchor weighs a ton"]


@requirement("powermem:model:checked")
def test_what_changed_while_the_model_was_thinking_is_not_overwritten(engine: Engine) -> None:
    plain = PowerMem(engine)
    number = plain.added("User has a boat in Genoa")

    def meanwhile(_script: scripted.Scripted, to: Any) -> None:
        plain("update_memory", memory_id=number, content="User has a boat in Pisa")
        decided = {"memory": [{"id": "0", "text": "User has a blue boat", "event": "UPDATE"}]}
        scripted.sent(
            to, json.dumps({"choices": [{"message": {"content": json.dumps(decided)}}]}).encode()
        )

    with scripted.model({"facts": ["User has a blue boat"]}, meanwhile) as script:
        assert with_model(engine, script.url).add("My boat is blue") == [
            ("ADD", "User has a blue boat")
        ]

    assert plain.listed() == ["User has a boat in Pisa", "User has a blue boat"]
