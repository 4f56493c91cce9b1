"""A lone surrogate in the answer of a language model never fails a call; a replacement character
stands in its place.
"""

import json
from typing import Any

import pytest

from commonplace.models.llm import LanguageModel
from tests.dialects.hindsight_client import Hindsight
from tests.dialects.powermem_client import PowerMem
from tests.dialects.requirements import requirement
from tests.models.scripted import model

HALF = "\ud83d"
ANSWERS: dict[str, list[dict[str, Any]]] = {
    "a sentence": [{"sentences": [{"text": f"It is 8443 {HALF}.", "sources": [1]}]}],
    "what is not known": [
        {"sentences": [{"text": "It is 8443.", "sources": [1]}], "unknown": [f"Why {HALF}"]}
    ],
    "a search": [
        {"search": [f"port {HALF}", HALF]},
        {"sentences": [{"text": "It is 8443.", "sources": [1]}]},
    ],
    "the output": [
        {"sentences": [{"text": "It is 8443.", "sources": [1]}]},
        {"output": {"port": f"8443 {HALF}"}},
    ],
    "a name in the output": [
        {"sentences": [{"text": "8443.", "sources": [1]}]},
        {"output": {"port": "1", HALF: 1}},
    ],
    "something else": [
        {HALF: [HALF], "sentences": [{"text": "It is 8443.", "sources": [1, HALF]}]}
    ],
}


@requirement("hindsight:reflect:model")
@pytest.mark.parametrize("where", ANSWERS)
def test_reflect_answers_when_the_model_says_half_of_a_character(
    hindsight: Hindsight, where: str
) -> None:
    hindsight.sync_retain("The staging port is 8443.")
    schema = {"type": "object", "properties": {"port": {"type": "string"}}}
    with model(*ANSWERS[where]) as script:
        client = hindsight.with_model(lambda: LanguageModel(script.url, call_s_max=5))
        for more in ({"response_schema": schema}, {}):
            answer = client("reflect", query="Which port is staging on?", **more)
            json.dumps(answer, ensure_ascii=False).encode()
            assert "8443" in answer["text"]


@pytest.mark.parametrize("letters", [HALF, "\udc80", f"{HALF}{HALF}", "\udc80\ud83d"])
def test_what_a_model_finds_is_kept_with_a_mark_for_the_half(
    powermem: PowerMem, letters: str
) -> None:
    facts = {"facts": [f"The staging port is 8443 {letters}."]}
    with model(
        facts, {"memory": [{"text": f"The staging port is 8443 {letters}.", "event": "ADD"}]}
    ) as script:
        client = PowerMem(powermem.engine, llm=lambda: LanguageModel(script.url, call_s_max=5))
        client.add("The staging port is 8443.")
    [kept] = powermem.listed()
    assert kept.startswith("The staging port is 8443")
    kept.encode()


def test_a_character_that_came_in_two_halves_is_whole_again() -> None:
    with model('{"a": "\\ud83d\\ude00", "b": "\\ud83d"}') as script:
        assert LanguageModel(script.url).ask("x", "y") == {
            "a": "😀",
            "b": "\N{REPLACEMENT CHARACTER}",
        }
