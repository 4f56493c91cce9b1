"""How Hindsight's recall and reflect answer, through the MCP layer, with many banks and with
one.
"""

import pytest

from tests.conftest import StoppedClock
from tests.dialects.hindsight_client import Hindsight
from tests.dialects.requirements import requirement

COLOURS = ["red", "green", "blue", "black"]
# Facts tagged {a}, {b}, {a, b} and not at all, asked for with [a, b]: what the original was
# measured to answer.
MODES = {
    "any": ["both", "just a", "just b", "none"],
    "all": ["both", "none"],
    "any_strict": ["both", "just a", "just b"],
    "all_strict": ["both"],
    "exact": ["both"],
}


@requirement("hindsight:recall:near-duplicates")
def test_the_item_named_is_first_among_near_duplicates(hindsight: Hindsight) -> None:
    text = "\n".join(
        f"Item {n} is stored in warehouse aisle {n * 7 % 50} on shelf {n * 3 % 20}."
        for n in range(200)
    )
    assert len(hindsight.sync_retain(text, document_id="stock")) == 200
    hits = [hindsight.found(f"Where is item {n} stored?")[:1] for n in range(0, 200, 4)]
    right = [
        n
        for n, hit in zip(range(0, 200, 4), hits, strict=True)
        if hit and hit[0].startswith(f"Item {n} ")
    ]
    assert len(hits) == 50
    assert len(right) >= 45


@requirement("hindsight:recall:query", "hindsight:recall:nothing", "hindsight:recall:budget")
def test_recall_finds_what_answers_and_nothing_else(hindsight: Hindsight) -> None:
    for text in (
        "Nina's dog is called Biscuit.",
        "The server listens on port 8443.",
        "Rent is due on the first.",
    ):
        hindsight.sync_retain(text)
    for budget in ("low", "mid", "high", "whatever"):
        assert (
            hindsight.found("What is the name of Nina's dog?", budget=budget)[0]
            == "Nina's dog is called Biscuit."
        )
    assert hindsight.found("Which quantum chromodynamics lattice was simulated?") == []
    assert hindsight.found("") == []
    [best, *_] = hindsight("recall", query="Which port does the server use?")["results"]
    assert set(best["scores"]) == {"final", "reranker", "semantic", "keyword"}
    assert best["fact_type"] == "world"
    assert not {"entities", "source_fact_ids"} & set(best)


@requirement("hindsight:recall:tags", "hindsight:recall:tag-modes")
@pytest.mark.parametrize("mode", MODES)
def test_tag_modes_choose_as_the_original(hindsight: Hindsight, mode: str) -> None:
    for text, tags in {"just a": ["a"], "just b": ["b"], "both": ["a", "b"], "none": []}.items():
        hindsight.sync_retain(f"The lamp is {text}.", tags=tags)
    wanted = {f"The lamp is {text}." for text in MODES[mode]}
    listed = hindsight("list_memories", tags=["a", "b"], tags_match=mode)["items"]
    assert {one["text"] for one in listed if one["fact_type"] == "world"} == wanted
    found = hindsight.found("What is the lamp?", tags=["a", "b"], tags_match=mode, types=["world"])
    assert set(found) == wanted
    if mode == "exact":
        assert hindsight.found(
            "What is the lamp?", tags=[], tags_match="exact", types=["world"]
        ) == ["The lamp is none."]


def test_groups_of_tags_are_a_tree(hindsight: Hindsight) -> None:
    for number, colour in enumerate(COLOURS):
        hindsight.sync_retain(
            f"The tile is {colour}.", tags=[colour, "even" if number % 2 == 0 else "odd"]
        )
    groups = [
        {"or": [{"tags": ["red"]}, {"tags": ["odd"]}]},
        {"not": {"tags": ["black"], "match": "any_strict"}},
    ]
    assert set(hindsight.found("tile", tag_groups=groups)) == {
        "The tile is red.",
        "The tile is green.",
    }
    assert (
        "cannot be combined"
        in hindsight("recall", query="tile", tags=["red"], tag_groups=groups)["error"]
    )


@requirement("hindsight:recall:types")
def test_types_choose_facts(hindsight: Hindsight) -> None:
    hindsight.sync_retain(
        "The assistant fixed the printer. The printer is loud. The printer is grey."
    )
    assert hindsight.found("printer", types=["experience"]) == ["The assistant fixed the printer."]
    assert set(hindsight.found("printer", types=["world"])) == {
        "The printer is loud.",
        "The printer is grey.",
    }
    assert len(hindsight.found("printer", types=["observation"])) == 1
    assert hindsight.found("printer", types=["opinion"]) == []


@requirement("hindsight:recall:max-tokens")
def test_the_answer_fits_into_its_tokens(hindsight: Hindsight) -> None:
    for number in range(20):
        hindsight.sync_retain(
            f"Rule {number}: wash the dishes, the cups and the pans of kitchen number {number}."
        )
    everything = hindsight.found("Which rule about dishes?")
    assert len(everything) == 20
    assert 1 < len(hindsight.found("Which rule about dishes?", max_tokens=100)) < 8
    assert len(hindsight.found("Which rule about dishes?", max_tokens=1)) == 1
    assert hindsight.found("Which rule about dishes?", max_tokens=0) == []
    hindsight("update_bank", config_updates={"recall_max_tokens": 1})
    assert len(hindsight.found("Which rule about dishes?")) == 1


@requirement("hindsight:recall:query-timestamp", "hindsight:recall:window")
def test_a_time_in_the_question_finds_what_is_of_that_time(hindsight: Hindsight) -> None:
    hindsight.sync_retain("On 2026-03-09 Ines visited the dentist.")
    hindsight.sync_retain("On 2026-05-02 Ines repaired the bicycle.")
    first = "On 2026-03-09 Ines visited the dentist."
    assert hindsight.found("What happened yesterday?", query_timestamp="2026-03-10T12:00:00Z") == [
        first
    ]
    window = {"start": "2026-03-01", "end": "2026-03-31"}
    assert hindsight.found("What did Ines do?", temporal_window=window)[0] == first
    assert "error" in hindsight("recall", query="x", query_timestamp="soon")


@requirement("hindsight:recall:min-scores")
def test_floors_hold_for_every_result(hindsight: Hindsight) -> None:
    hindsight.sync_retain("The bakery opens at six. The library opens at nine.")
    [best, *_] = hindsight("recall", query="When does the bakery open?")["results"]
    scores = best["scores"]
    kept = hindsight(
        "recall", query="When does the bakery open?", min_scores={"reranker": scores["reranker"]}
    )["results"]
    assert [one["id"] for one in kept] == [best["id"]]
    assert (
        hindsight("recall", query="When does the bakery open?", min_scores={"final": 1.5})[
            "results"
        ]
        == []
    )
    half = hindsight("recall", query="When does the bakery open?", min_scores={"semantic": 0.999})[
        "results"
    ]
    assert half[0]["scores"]["semantic"] is None
    assert hindsight("recall", query="x", min_scores={"final": "high"})["results"] == []


@requirement("hindsight:recall:includes")
def test_more_comes_when_asked_for(hindsight: Hindsight) -> None:
    hindsight.sync_retain("Otto lives in Vienna. Otto plays chess.", document_id="otto")
    plain = hindsight("recall", query="Who plays chess?")
    assert not {"trace", "entities", "chunks", "source_facts"} & set(plain)
    full = hindsight(
        "recall",
        query="Who plays chess?",
        include_chunks=True,
        include_entities=True,
        include_source_facts=True,
    )
    [chunk] = full["chunks"].values()
    assert chunk["chunk_text"] == "Otto lives in Vienna. Otto plays chess."
    assert {"Otto", "Vienna"} <= set(full["entities"])
    assert len(full["source_facts"]) == 2
    only = hindsight.found("Who plays chess?", prefer_observations=True)
    assert only == ["Otto plays chess. Otto lives in Vienna."]


@requirement("hindsight:reflect:synthesis", "hindsight:reflect:grounded", "hindsight:reflect:tags")
def test_a_reflection_is_grouped_dated_and_cites(hindsight: Hindsight, clock: StoppedClock) -> None:
    [rome] = hindsight.sync_retain("Dora lives in Rome.", timestamp="2025-01-10", tags=["people"])
    clock.advance(1000)
    [berlin] = hindsight.sync_retain(
        "Dora lives in Berlin.", timestamp="2026-03-01", tags=["people"]
    )
    text = hindsight("reflect", query="Where does Dora live and what is her salary?")["text"]
    assert text.splitlines() == [
        "Dora:",
        f"- Dora lives in Berlin. (2026-03-01) [{berlin}]",
        f"- Earlier, and contradicted by [{berlin}]: Dora lives in Rome. (2025-01-10) [{rome}]",
        "",
        "Not known: nothing stored mentions salary.",
    ]
    none = hindsight(
        "reflect", query="Where does Dora live?", tags=["work"], tags_match="any_strict"
    )
    assert none["text"].startswith("Nothing is known about this")
    assert hindsight("reflect", query=" ")["text"] == ""


@requirement("hindsight:reflect:schema", "hindsight:reflect:trace")
def test_a_schema_is_filled_from_facts_or_left_with_a_reason(hindsight: Hindsight) -> None:
    hindsight.sync_retain("The deploy port is 8443. The deploy region is Frankfurt.")
    fields = {"deploy_port": {"type": "integer"}, "deploy_region": {"type": "string"}}
    schema = {"type": "object", "properties": fields, "required": ["deploy_port"]}
    answer = hindsight(
        "reflect", query="How do we deploy?", response_schema=schema, include_based_on=True
    )
    assert answer["structured_output"] == {"deploy_port": 8443, "deploy_region": "Frankfurt"}
    assert {one["fact_type"] for one in answer["based_on"]["world"]} == {"world"}
    assert "tool_trace" not in answer
    wanted = {
        "type": "object",
        "properties": {"budget": {"type": "number"}},
        "required": ["budget"],
    }
    traced = hindsight(
        "reflect", query="How do we deploy?", response_schema=wanted, include_trace=True
    )
    assert traced["structured_output"] is None
    assert traced["structured_output_error"] == "No stored fact contains: budget."
    assert (traced["tool_trace"][0]["tool"], traced["llm_trace"]) == ("recall", [])


def test_a_better_answer_stands_before_a_newer_one(hindsight: Hindsight) -> None:
    old, new = (
        "Leonor's choir rehearses on Tuesdays at eight.",
        "Leonor's choir rehearses in the crypt of the old church.",
    )
    hindsight.sync_retain(old, timestamp="2024-01-01T00:00:00Z")
    hindsight.sync_retain(new, timestamp="2026-11-10T00:00:00Z")
    found = hindsight("recall", query="when does Leonor's choir rehearse?")["results"]
    assert [one["text"] for one in found] == [old, new]
    assert found[0]["scores"]["final"] > 0.5 > found[1]["scores"]["final"]
