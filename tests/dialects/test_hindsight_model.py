"""Hindsight with a language model, through the MCP layer: what it may find and say, and what
happens when it fails.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from commonplace.engine.operations.maintenance import JOB_TASKS
from commonplace.engine.operations.worker import Worker
from commonplace.errors import ModelFailed
from commonplace.models.llm import LanguageModel
from tests.dialects.hindsight_client import Hindsight
from tests.dialects.requirements import requirement
from tests.models.scripted import Answer, Scripted, model, nobody, silent

TEXT = "On Monday the disk of db-1 was full, so Maria Rossi stopped the billing job. She likes tea."
FOUND: list[dict[str, Any]] = [
    {"text": "The disk of db-1 was full.", "start": "2026-09-21", "entities": ["db-1"]},
    {
        "text": "Maria Rossi stopped the billing job.",
        "type": "experience",
        "entities": ["Maria Rossi"],
        "caused_by": [0],
    },
    {"text": "Maria Rossi likes tea.", "type": "world", "entities": ["Maria Rossi", "Paris"]},
]


@contextmanager
def asked(
    hindsight: Hindsight, *answers: Answer, call_s_max: float = 5
) -> Iterator[tuple[Hindsight, Scripted]]:
    """The same client with a model that says what it is told to, and the model."""
    with model(*answers) as server:
        yield hindsight.with_model(lambda: LanguageModel(server.url, call_s_max=call_s_max)), server


@requirement("hindsight:retain:model")
def test_a_model_finds_facts_dates_types_names_and_causes(hindsight: Hindsight) -> None:
    with asked(hindsight, {"facts": FOUND}) as (client, server):
        numbers = client.sync_retain(TEXT, timestamp="2026-09-22T09:00:00Z")
        disk, job, tea = (client("get_memory", memory_id=number) for number in numbers)
        assert [one["text"] for one in (disk, job, tea)] == [one["text"] for one in FOUND]
        assert (disk["type"], job["type"], tea["type"]) == ("world", "experience", "world")
        assert (disk["occurred_start"], disk["occurred_end"]) == (
            "2026-09-21T00:00:00.000Z",
            "2026-09-21T23:59:59.999Z",
        )
        assert "occurred_start" not in tea
        assert tea["entities"] == ["Maria Rossi"]  # The text says nothing of Paris.
        assert "Said on 2026-09-22 (Tuesday)." in server.texts[0]
        links = Hindsight(hindsight.client.engine)("get_bank_stats", bank_id=hindsight.client.bank)[
            "link_counts"
        ]
        assert links == {"temporal": 3, "entity": 1, "caused_by": 1}
        told = client.found("Why was the billing job stopped?", types=["world", "experience"])
        assert told[0] == "Maria Rossi stopped the billing job."
        assert "The disk of db-1 was full." in told


@pytest.mark.parametrize(
    ("text", "start", "kept"),
    [
        ("Ann moved to Oslo in March.", "2026-03-01", "2026-03-01"),
        ("Ann moved to Oslo after the holidays.", "2026-01-07", "2026-01-07"),
        ("Ann moved to Oslo in March.", "1999-03-01", "2026-03-01"),
        ("Ann moved to Oslo with db-1.", "2026-03-01", None),
        ("Ann moved to Oslo.", "soon", None),
    ],
)
def test_a_date_is_taken_only_where_the_text_speaks_of_it(
    hindsight: Hindsight, text: str, start: str, kept: str | None
) -> None:
    with asked(hindsight, {"facts": [{"text": text, "start": start}]}) as (client, _):
        [number] = client.sync_retain(text, timestamp="2026-06-10")
        occurred = client("get_memory", memory_id=number).get("occurred_start")
        assert (occurred and occurred[:10]) == kept


@requirement("hindsight:retain:wishes")
def test_the_bank_says_how_a_text_is_read(hindsight: Hindsight) -> None:
    vocabulary = [
        {
            "key": "mood",
            "description": "how it felt",
            "values": [{"value": "calm"}, {"value": "tense"}],
        },
        "person",
    ]
    wanted = {
        "retain_mission": "Keep only what concerns the kitchen.",
        "retain_extraction_mode": "custom",
        "retain_custom_instructions": "Write like a ship's log.",
        "entity_labels": vocabulary,
        "entities_allow_free_form": False,
    }
    labels = [
        {"label": "mood", "value": "tense"},
        {"label": "mood", "value": "odd"},
        {"label": "person", "value": "Ann"},
    ]
    fact = {"text": "Ann burnt the soup in Rome.", "entities": ["Ann", "Rome"], "labels": labels}
    with asked(hindsight, {"facts": [fact]}, {"facts": []}) as (client, server):
        client("update_bank", config_updates=wanted)
        [number] = client.sync_retain("Ann burnt the soup in Rome, it was tense.")
        assert client("get_memory", memory_id=number)["entities"] == ["mood:tense", "Ann"]
        told = server.asked[0]["messages"][0]["content"]
        assert all(
            part in told
            for part in (
                "concerns the kitchen",
                "ship's log",
                "mood (one of: calm, tense)",
                "person",
            )
        )
        assert client("sync_retain", content="Bob sold the car.") == {
            "status": "completed",
            "message": "Memory stored successfully",
            "memory_ids": [],
        }
        client(
            "update_bank",
            config_updates=dict.fromkeys(wanted) | {"retain_extraction_mode": "verbose"},
        )
        client.sync_retain("Bob sold the bus.")
        assert "every detail" in server.asked[-1]["messages"][0]["content"]


@requirement("hindsight:retain:model-fails")
@pytest.mark.parametrize(
    ("answers", "why"),
    [
        (["no JSON at all"], "The model did not answer with a JSON object."),
        ([{"facts": "many"}], "The model did not answer with a list of facts."),
        (
            [{"facts": [{"text": "The moon is made of cheese."}]}],
            "The model's facts are not in the text.",
        ),
        (
            [{"facts": [{"text": "The gate code is 9999."}]}],
            "The model's facts are not in the text.",
        ),
        ([{"facts": []}], "The model found no facts in a text that has some."),
        ([500], "The model's server answered with status 500."),
        ([silent], "The model did not answer within 0.3 seconds."),
    ],
)
def test_when_the_model_fails_the_rules_keep_everything(
    hindsight: Hindsight, answers: list[Answer], why: str
) -> None:
    with asked(hindsight, *answers, call_s_max=0.3) as (client, server):
        answer = client("sync_retain", content="The gate code is 4411. Nina has the key.")
        assert answer["note"] == f"Made without the model: {why}"
        assert [one["text"] for one in client.facts()] == [
            "The gate code is 4411.",
            "Nina has the key.",
        ]
        assert len(server.asked) <= 2  # Rubbish is asked for once more, silence is not.


def test_a_second_answer_can_mend_the_first(hindsight: Hindsight) -> None:
    with asked(hindsight, "rubbish", {"facts": ["Nina has the key."]}) as (client, server):
        answer = client("sync_retain", content="Nina has the key.")
        assert "note" not in answer
        assert "could not be used" in server.texts[1]


def test_nobody_there_and_nothing_configured_are_told(hindsight: Hindsight) -> None:
    def refused() -> LanguageModel:
        raise ModelFailed("The language model of openai needs a key.")

    for llm in (lambda: LanguageModel(nobody()), refused):
        client = hindsight.with_model(llm)
        answer = client("sync_retain", content="Tea is at four.", document_id=str(id(llm)))
        assert answer["note"].startswith("Made without the model: The ")


@requirement("hindsight:retain:model-chunks")
def test_only_what_changed_is_read_again(hindsight: Hindsight) -> None:
    first, second = (
        ("The red hall has 10 seats. " * 8).strip(),
        ("The blue hall has 20 seats. " * 8).strip(),
    )
    red, blue, green = (
        {"facts": [f"The {colour} hall has {n}0 seats."]}
        for n, colour in ((1, "red"), (2, "blue"), (3, "green"))
    )
    with asked(hindsight, red, blue, green) as (client, server):
        client(
            "update_bank", config_updates={"retain_chunk_size": 250, "retain_chunk_batch_size": 1}
        )
        kept = client.sync_retain(f"{first}\n{second}", document_id="halls", tags=["a"])
        assert len(kept) == len(server.asked) == 2
        assert client.sync_retain(f"{first}\n{second}", document_id="halls", tags=["a"]) == []
        assert len(server.asked) == 2
        third = ("The green hall has 30 seats. " * 8).strip()
        new = client.sync_retain(f"{first}\n{third}", document_id="halls", tags=["a"])
        assert len(new) == 1
        assert len(server.asked) == 3
        assert {one["id"] for one in client.facts()} == {kept[0], *new}
        assert len(client.sync_retain(f"{first}\n{third}", document_id="halls", tags=["b"])) == 2
        assert len(server.asked) == 3  # Other tags make other facts, but no other reading.


def test_a_later_part_knows_what_the_text_is_about(hindsight: Hindsight) -> None:
    text = (
        "Maria Rossi is the new head of the kitchen, and this is about her.\nShe likes strong tea."
    )
    fact = {"text": "Maria Rossi likes strong tea.", "entities": ["Maria Rossi"]}
    with asked(
        hindsight, {"facts": ["Maria Rossi is the new head of the kitchen."]}, {"facts": [fact]}
    ) as (
        client,
        server,
    ):
        client(
            "update_bank", config_updates={"retain_chunk_size": 100, "retain_chunk_batch_size": 1}
        )
        numbers = client.sync_retain(
            f"{text} {'She drinks it every day. ' * 4}".strip(), context="staff"
        )
        assert "Context: staff" in server.texts[0]
        assert "begins so" not in server.texts[0]
        assert "who is meant: Maria Rossi is the new head" in server.texts[1]
        assert client("get_memory", memory_id=numbers[1])["entities"] == ["Maria Rossi"]


def test_what_one_part_fails_at_is_cut_by_rules(hindsight: Hindsight) -> None:
    text = "\n".join(
        f"The {colour} hall has many seats and a door that leads to the yard."
        for colour in ("red", "blue")
    )
    with asked(hindsight, {"facts": ["The red hall has many seats."]}, "rubbish") as (client, _):
        client(
            "update_bank", config_updates={"retain_chunk_size": 100, "retain_chunk_batch_size": 1}
        )
        answer = client("sync_retain", content=text)
        assert (
            answer["note"]
            == "1 of 2 parts were made without the model: The model did not answer with a JSON"
            " object."
        )
        assert [one["text"] for one in client.facts()] == [
            "The red hall has many seats.",
            text.splitlines()[1],
        ]


@requirement("hindsight:retain:model-async")
def test_retain_does_not_wait_for_the_model(hindsight: Hindsight) -> None:
    with asked(hindsight, {"facts": ["Nina has the key."]}) as (client, server):
        worker = Worker(client.client.engine, JOB_TASKS, poll_s=0.01)
        client.client.engine.work_signal.register(bool)  # Somebody does jobs, and has not begun.
        made = client("retain", content="Nina has the key, I think, and so on.", document_id="d")
        assert client("get_operation", operation_id=made["operation_id"])["status"] == "pending"
        assert [one["text"] for one in client.facts()] == ["Nina has the key, I think, and so on."]
        assert server.asked == []
        worker.start()
        done = made
        for _ in range(500):
            done = client("get_operation", operation_id=made["operation_id"])
            if done["status"] == "completed":
                break
            server.over.wait(0.01)
        worker.stop()
        assert worker.join(5)
        assert done["status"] == "completed"
        assert [one["text"] for one in client.facts()] == ["Nina has the key."]
        assert done["result_metadata"]["memories"] == [one["id"] for one in client.facts()]


def test_without_a_worker_the_model_is_asked_at_once(hindsight: Hindsight) -> None:
    with asked(hindsight, {"facts": ["Nina has the key."]}) as (client, _):
        made = client("retain", content="Nina has the key, I think, and so on.")
        assert client("get_operation", operation_id=made["operation_id"])["status"] == "completed"
        assert [one["text"] for one in client.facts()] == ["Nina has the key."]


def test_what_was_appended_does_not_date_what_the_model_had_read_before(
    hindsight: Hindsight,
) -> None:
    key, door = (
        {"facts": ["Nina has the key."]},
        {"facts": ["Nina has the key.", "Otto has the door."]},
    )
    with asked(hindsight, key, door) as (client, _):
        client("retain", content="Nina has the key.", document_id="d", timestamp="2026-01-05")
        more = {"document_id": "d", "timestamp": "2026-05-06", "update_mode": "append"}
        client("retain", content="Otto has the door.", **more)
        said = {one["text"]: one["mentioned_at"][:10] for one in client.facts()}
        assert said == {"Nina has the key.": "2026-01-05", "Otto has the door.": "2026-05-06"}


@requirement("hindsight:reflect:model")
def test_a_model_must_cite_what_it_was_shown(hindsight: Hindsight) -> None:
    [number] = hindsight.sync_retain("Tea is served at four.")
    cited = [{"text": "Tea is at four.", "sources": [1]}, {"text": "Cake is free.", "sources": [9]}]
    with asked(hindsight, {"sentences": cited}, {"sentences": [{"text": "Nobody said this."}]}) as (
        client,
        _,
    ):
        assert client("reflect", query="When is tea?")["text"] == f"Tea is at four. [{number}]"
        text = client("reflect", query="When is tea?")["text"]
    assert f"- Tea is served at four. (2026-09-21) [{number}]" in text
    assert text.endswith("(Made without the model: The model cited no memory it was shown.)")


def _kept(hindsight: Hindsight, *texts: str) -> list[str]:
    """The ids of facts that were kept without a model."""
    return [number for text in texts for number in hindsight.sync_retain(text)]


@requirement("hindsight:reflect:loop", "hindsight:reflect:budget")
@pytest.mark.parametrize(("budget", "questions"), [("low", 2), ("mid", 4), ("high", 8)])
def test_the_model_searches_again_as_far_as_the_budget_goes(
    hindsight: Hindsight, budget: str, questions: int
) -> None:
    _, key = _kept(
        hindsight, "Otto plays chess on Sundays.", "The archive key hangs behind the clock."
    )
    found = {
        "sentences": [
            {"text": "Otto plays chess, and the key is behind the clock.", "sources": [1, 2, 7]}
        ]
    }
    with asked(hindsight, {"search": ["archive key"]}, found) as (client, server):
        answer = client(
            "reflect",
            query="Who plays chess?",
            budget=budget,
            include_trace=True,
            include_based_on=True,
        )
        assert answer["text"].endswith(f"[{key}]")
        assert "2. (2026-09-21) The archive key hangs behind the clock." in server.texts[1]
        assert [one["input"]["query"] for one in answer["tool_trace"]] == [
            "Who plays chess?",
            "archive key",
        ]
        assert answer["tool_trace"][1]["output"] == [key]
        assert len(answer["llm_trace"]) == 2
        assert {one["id"] for one in answer["based_on"]["world"]} >= {key}
        assert (
            answer["usage"]["total_tokens"]
            == answer["usage"]["input_tokens"] + answer["usage"]["output_tokens"]
            > 100
        )
    with asked(hindsight, {"search": ["again"]}) as (client, server):
        text = client("reflect", query="Who plays chess?", budget=budget)["text"]
        assert len(server.asked) == questions
        assert "cannot search any more" in server.texts[-1]
        assert "(Made without the model: " in text
        assert "- Otto plays chess on Sundays." in text


@requirement("hindsight:reflect:personality", "hindsight:reflect:context")
def test_mission_disposition_directives_and_context_reach_the_model(hindsight: Hindsight) -> None:
    plain = hindsight
    plain.sync_retain("Rent is due on the first.")
    plain(
        "update_bank",
        config_updates={"reflect_mission": "Serve the landlord.", "disposition_skepticism": 5},
    )
    plain("create_directive", name="Tone", content="Answer in rhyme.")
    plain("create_directive", name="Off", content="Answer in Latin.", is_active=False)
    plain("create_directive", name="Other", content="Answer in Greek.", tags=["greek"])
    with asked(hindsight, {"sentences": [{"text": "Rent is due.", "sources": [1]}]}) as (
        client,
        server,
    ):
        answer = client(
            "reflect", query="When is rent due?", context="For the tax office.", include_trace=True
        )
        told = server.asked[0]["messages"][0]["content"]
        assert all(
            one in told
            for one in ("Serve the landlord.", "skepticism 5 of 5. Doubt", "Answer in rhyme.")
        )
        assert not any(one in told for one in ("Latin", "Greek"))
        assert "Context: For the tax office." in server.texts[0]
        assert answer["directives_applied"] == ["Tone"]
        client("reflect", query="When is rent due?", tags=["greek"])
        assert "Answer in Greek." in server.asked[1]["messages"][0]["content"]


@requirement("hindsight:reflect:citations")
def test_only_what_was_retrieved_is_cited(hindsight: Hindsight) -> None:
    [number] = _kept(hindsight, "Tea is served at four.")
    stranger = "00000000-0000-4000-8000-000000000000"
    said = [
        {"text": f"Tea is at four [1] [{stranger}].", "sources": [1, 99, "x", True, 1]},
        {"text": "Cake is free.", "sources": [2]},
        {"text": "Milk is white."},
        "Sugar is sweet.",
    ]
    with asked(hindsight, {"sentences": said, "unknown": ["Who bakes the cake."]}) as (client, _):
        text = client("reflect", query="When is tea?")["text"]
        assert text == f"Tea is at four. [{number}]\n\nNot known: Who bakes the cake."


@requirement("hindsight:reflect:structured")
def test_a_structured_output_fits_its_schema_or_is_null_with_the_reason(
    hindsight: Hindsight,
) -> None:
    _kept(hindsight, "The deploy port is 8443.")
    fields = {"deploy_port": {"type": "integer"}, "team_size": {"type": "integer"}}
    schema = {
        "type": "object",
        "properties": fields,
        "required": ["deploy_port"],
        "additionalProperties": False,
    }
    said = {"sentences": [{"text": "It is 8443.", "sources": [1]}]}
    with asked(
        hindsight, said, {"output": {"deploy_port": "8443"}}, {"output": {"deploy_port": 8443}}
    ) as (
        client,
        server,
    ):
        answer = client("reflect", query="Which port?", response_schema=schema)
        assert (answer["structured_output"], answer["structured_output_error"]) == (
            {"deploy_port": 8443},
            None,
        )
        assert "did not fit: deploy_port: '8443' is not of type 'integer'" in server.texts[2]
    needed = schema | {"required": ["team_size"]}
    with asked(hindsight, said, {"output": {"deploy_port": 1}}) as (client, server):
        answer = client("reflect", query="Which port?", response_schema=needed)
        assert answer["structured_output"] is None
        why = "The model's output does not fit the schema: 'team_size' is a required property"
        assert answer["structured_output_error"] == why
        assert len(server.asked) == 3
    # What the model cannot do right, the facts may still tell.
    with asked(hindsight, said, {"output": 1}) as (client, _):
        answer = client("reflect", query="Which port?", response_schema=schema)
        assert answer["structured_output"] == {"deploy_port": 8443}


_DOUBLING = {f"l{n}": {"allOf": [{"$ref": f"#/$defs/l{n - 1}"}] * 2} for n in range(1, 26)} | {
    "l0": {"type": "string"}
}


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"type": "elephant"}, "not a valid JSON Schema"),
        (
            {"$defs": _DOUBLING, "properties": {"port": {"$ref": "#/$defs/l25"}}},
            "more than 20,000 steps",
        ),
        (
            {"properties": {f"field {n}": {"type": "string"} for n in range(3_000)}},
            "longer than 64,000 bytes",
        ),
        (
            {"type": "object", "properties": {"port": {"$ref": "http://192.0.2.1/x.json"}}},
            "cannot be evaluated",
        ),
    ],
)
def test_a_schema_that_cannot_be_used_does_not_fail_the_call(
    hindsight: Hindsight, schema: dict[str, Any], why: str
) -> None:
    _kept(hindsight, "The port is 8443.")
    plain = hindsight("reflect", query="Which port?", response_schema=schema)
    assert (plain["structured_output"], why in plain["structured_output_error"]) == (None, True)
    with asked(
        hindsight, {"sentences": [{"text": "8443.", "sources": [1]}]}, {"output": {"port": "8443"}}
    ) as (
        client,
        _,
    ):
        answer = client("reflect", query="Which port?", response_schema=schema)
        assert (answer["structured_output"], why in answer["structured_output_error"]) == (
            None,
            True,
        )
        assert answer["text"].startswith("8443.")


@pytest.mark.parametrize("pattern", ["^(a|a)*$", "(a+)+$", r"^((\w|o|R)(\w|m|e)?)*#", "("])
def test_a_pattern_in_a_schema_is_not_evaluated_so_none_can_hold_up_the_server(
    hindsight: Hindsight, pattern: str
) -> None:
    long = "a" * 1_000 + "o"
    _kept(hindsight, f"The city of Ana is {long}.")
    fields = {"city": {"type": "string", "pattern": pattern}}
    schema = {
        "properties": fields,
        "patternProperties": {pattern: {"type": "string"}},
        "additionalProperties": False,
    }
    answer = hindsight("reflect", query="Where does Ana live?", response_schema=schema)
    assert (answer["structured_output"], answer["structured_output_error"]) == (
        {"city": long},
        None,
    )


@requirement("hindsight:reflect:model-fails")
@pytest.mark.parametrize(
    ("answers", "why"),
    [
        (["no JSON"], "The model did not answer with a JSON object."),
        ([{"sentences": "none"}], "The model cited no memory it was shown."),
        ([500], "The model's server answered with status 500."),
        ([silent], "The model did not answer within 0.3 seconds."),
    ],
)
def test_when_the_model_fails_the_extract_comes_with_a_note(
    hindsight: Hindsight, answers: list[Answer], why: str
) -> None:
    [number] = _kept(hindsight, "Tea is served at four.")
    with asked(hindsight, *answers, call_s_max=0.3) as (client, _):
        text = client("reflect", query="When is tea?")["text"]
        assert (
            text
            == f"Tea:\n- Tea is served at four. (2026-09-21) [{number}]\n\n(Made without the model:"
            f" {why})"
        )


@requirement("hindsight:reflect:max-tokens")
def test_an_answer_is_no_longer_than_asked_for(hindsight: Hindsight) -> None:
    _kept(
        hindsight,
        *(
            f"Room {number} of the old castle has {number} windows and a door."
            for number in range(30)
        ),
    )
    sentences = [
        {"text": f"Room {n} has {n} windows and a very heavy door.", "sources": [1]}
        for n in range(30)
    ]
    with asked(hindsight, {"sentences": sentences}) as (client, server):
        whole = client("reflect", query="How many windows do the rooms of the castle have?")["text"]
        short = client(
            "reflect", query="How many windows do the rooms of the castle have?", max_tokens=150
        )["text"]
        assert whole.count("Room") == 30
        assert 1 <= short.count("Room") < 10
        assert "about 112 words" in server.asked[1]["messages"][0]["content"]
    plain = hindsight(
        "reflect", query="How many windows do the rooms of the castle have?", max_tokens=150
    )["text"]
    assert 1 <= plain.count("- Room") < 10


def test_an_empty_bank_is_not_worth_a_question_to_the_model(hindsight: Hindsight) -> None:
    with asked(hindsight, {"sentences": []}) as (client, server):
        assert client("reflect", query="Who is there?")["text"].startswith(
            "Nothing is known about this"
        )
        assert server.asked == []
