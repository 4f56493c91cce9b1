"""Ask: what a question finds, with the reasons."""

import json

from commonplace.dialects import registry
from tests.web.visitor import Visitor


def test_a_hit_shows_its_signals_and_what_was_left_out(visitor: Visitor) -> None:
    visitor.remember("The staging server listens on port 8080.", bank="ask")
    visitor.remember("The cat of the neighbour is grey.", bank="ask")
    found = visitor.json("/ask.json?bank=ask&q=Which+port+has+the+staging+server")["results"][0]
    page = visitor.get("/ask?bank=ask&q=Which+port+has+the+staging+server").body.decode()

    assert [one["memory"]["text"] for one in found["hits"]] == [
        "The staging server listens on port 8080."
    ]
    assert {"keyword", "vector"} <= found["hits"][0]["signals"].keys()
    assert found["tokens"] > 3
    assert "its words, rare ones weigh more" in page


def test_nothing_that_is_known_is_said_to_be_so(visitor: Visitor) -> None:
    page = visitor.get("/ask?bank=nowhere&q=What").body.decode()

    assert "Nothing that is known answers this." in page


def test_every_dialect_answers_word_for_word_beside_other_settings(visitor: Visitor) -> None:
    visitor.remember("The release is on Tuesday.", bank="as")
    for name in registry.NAMES:
        results = visitor.json(
            f"/ask.json?bank=as&q=When+is+the+release&as={name}&compare=1&limit2=5"
        )["results"]
        assert "The release is on Tuesday." in results[0]["reply"], name
        assert len(results[1]["hits"]) == 1


def test_the_right_hit_becomes_a_line_for_eval(visitor: Visitor) -> None:
    one = visitor.remember("The release is on Tuesday.", bank="keep")
    saved = visitor.post("/ask/keep?bank=keep", {"q": "When is the release?", "id": one})

    assert "attachment" in saved.headers["content-disposition"]
    assert json.loads(saved.body) == {
        "question": "When is the release?",
        "expected": [one],
        "bank": "keep",
    }
