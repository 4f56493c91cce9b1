"""Hindsight's sentences about facts, documents, recall and reflect, one by one, with many banks and
with one.
"""

from typing import Any

import pytest

from commonplace.engine.engine import Engine
from tests.conftest import StoppedClock
from tests.dialects.hindsight_client import Hindsight
from tests.dialects.requirements import requirement

MENTIONED = "2026-03-12T09:00:00Z"  # A Thursday.


@requirement("hindsight:retain:content", "hindsight:retain:async-parameters")
def test_retain_stores_its_content_with_all_that_is_said_of_it(hindsight: Hindsight) -> None:
    told = {
        "context": "sport",
        "timestamp": MENTIONED,
        "tags": ["team"],
        "metadata": {"source": "slack"},
    }
    hindsight("retain", content="Lena won the regatta in Kiel.", document_id="news", **told)
    [fact] = hindsight.facts()
    assert (fact["text"], fact["context"], fact["tags"]) == (
        "Lena won the regatta in Kiel.",
        "sport",
        ["team"],
    )
    assert (fact["metadata"], fact["document_id"]) == ({"source": "slack"}, "news")
    assert fact["mentioned_at"] == "2026-03-12T09:00:00.000Z"
    document = hindsight("get_document", document_id="news")
    assert document["document_metadata"] == {"source": "slack"}
    assert document["retain_params"] == {
        "context": "sport",
        "event_date": "2026-03-12T09:00:00.000Z",
    }


@requirement("hindsight:sync-retain:parameters")
def test_sync_retain_takes_what_retain_takes(engine: Engine) -> None:
    for client in (Hindsight(engine), Hindsight(engine, "alice")):
        listed = client.client.listed()
        both = [listed[name]["inputSchema"]["properties"] for name in ("retain", "sync_retain")]
        assert {name: one for name, one in both[0].items() if name != "update_mode"} == both[1]
        assert "prefer retain" in listed["sync_retain"]["description"]
        for word in ("preferences", "events", "decisions", "opinions", "goals", "project"):
            assert word in listed["retain"]["description"]
        for name in ("recall", "reflect"):
            assert "Use this" in listed[name]["description"]


@requirement("hindsight:retain:dates")
@pytest.mark.parametrize(
    ("words", "start", "end"),
    [
        ("yesterday", "2026-03-11", "2026-03-11"),
        ("last Friday", "2026-03-06", "2026-03-06"),
        ("two weeks ago", "2026-02-23", "2026-03-01"),
        ("this morning", "2026-03-12", "2026-03-12"),
        ("in January", "2026-01-01", "2026-01-31"),
        ("on 4 May 2025", "2025-05-04", "2025-05-04"),
        ("on 25/12/2025", "2025-12-25", "2025-12-25"),
    ],
)
def test_relative_dates_are_reckoned_from_the_timestamp(
    hindsight: Hindsight, words: str, start: str, end: str
) -> None:
    [number] = hindsight.sync_retain(f"Ines visited the dentist {words}.", timestamp=MENTIONED)
    memory = hindsight("get_memory", memory_id=number)
    assert (memory["occurred_start"][:10], memory["occurred_end"][:10]) == (start, end)


@requirement("hindsight:retain:dates", "hindsight:recall:query-timestamp")
def test_a_day_is_that_of_the_clock_that_the_timestamp_was_read_from(hindsight: Hindsight) -> None:
    evening = "2026-03-12T20:00:00-08:00"  # In UTC it is Friday already.
    [number] = hindsight.sync_retain("Ines visited the dentist today.", timestamp=evening)
    memory = hindsight("get_memory", memory_id=number)
    assert (memory["occurred_start"][:10], memory["mentioned_at"]) == (
        "2026-03-12",
        "2026-03-13T04:00:00.000Z",
    )
    assert hindsight.found("What happened today?", query_timestamp=evening) == [
        "Ines visited the dentist today."
    ]
    assert (
        hindsight.found("What happened yesterday?", query_timestamp="2026-03-13T20:00:00-08:00")
        != []
    )
    assert (
        hindsight.sync_retain(
            "Ines visited the dentist today.", document_id=memory["document_id"], timestamp=evening
        )
        == []
    )


def test_what_is_to_come_lies_after_the_timestamp(hindsight: Hindsight) -> None:
    [number] = hindsight.sync_retain("The launch is planned for next month.", timestamp=MENTIONED)
    assert hindsight("get_memory", memory_id=number)["occurred_start"] == "2026-04-01T00:00:00.000Z"


@requirement("hindsight:retain:entities")
def test_names_places_products_amounts_and_identifiers_are_entities(hindsight: Hindsight) -> None:
    [number] = hindsight.sync_retain(
        "Maria Rossi bought an iPhone 15 Pro for €1,299.00 in New York, order XJ-900."
    )
    entities = hindsight("get_memory", memory_id=number)["entities"]
    assert entities == ["Maria Rossi", "iPhone 15 Pro", "€1,299.00", "New York", "XJ-900"]
    shown = hindsight("recall", query="What did Maria buy?", include_entities=True)
    assert set(shown["entities"]) == set(entities)
    assert shown["results"][0]["entities"] == entities


@requirement("hindsight:retain:causes", "hindsight:recall:graph")
def test_causes_are_links_that_recall_follows(hindsight: Hindsight, engine: Engine) -> None:
    hindsight.sync_retain("The north boiler leaked oil. As a result, the school stayed shut.")
    hindsight.sync_retain(
        "The concert was cancelled because the north boiler leaked oil.", document_id="concert"
    )
    stats = Hindsight(engine)("get_bank_stats", bank_id=hindsight.client.bank)
    assert stats["link_counts"]["caused_by"] == 2
    found = hindsight("recall", query="Why did the school stay shut?", include_trace=True)
    texts = [one["text"] for one in found["results"]]
    assert texts[0] == "As a result, the school stayed shut."
    assert "The north boiler leaked oil." in texts
    traced = dict(zip(texts, found["trace"]["results"], strict=True))
    assert traced["The north boiler leaked oil."]["stage"] == "graph"
    assert "causal" in traced["The north boiler leaked oil."]["links"]
    assert hindsight.found("Why did the school stay shut?", budget="low") == texts[:1]
    hindsight("delete_document", document_id="concert")
    stats = Hindsight(engine)("get_bank_stats", bank_id=hindsight.client.bank)
    assert stats["link_counts"]["caused_by"] == 1


@requirement("hindsight:retain:links")
def test_links_are_counted_as_they_are_and_go_with_their_facts(
    hindsight: Hindsight, engine: Engine
) -> None:
    def links() -> dict[str, int]:
        found: dict[str, int] = Hindsight(engine)("get_bank_stats", bank_id=hindsight.client.bank)[
            "link_counts"
        ]
        return found

    hindsight("update_bank", config_updates={"enable_observations": False})
    hindsight.sync_retain(
        "The backup of the billing server runs at two.", document_id="a", timestamp="2026-01-01"
    )
    hindsight.sync_retain(
        "The backup of the billing server runs at two in Oslo.",
        document_id="b",
        timestamp="2026-02-01",
    )
    hindsight.sync_retain("Emil flew to Oslo.", document_id="c", timestamp="2026-02-01T08:00:00Z")
    assert links() == {"semantic": 1, "entity": 1, "temporal": 1}
    hindsight("delete_document", document_id="b")
    assert links() == {}


@requirement("hindsight:recall:graph")
def test_a_neighbour_never_stands_before_a_direct_hit(hindsight: Hindsight) -> None:
    for number in range(12):
        hindsight.sync_retain(f"Otto Brandt repaired clock {number} in Vienna.")
    hindsight.sync_retain("Otto Brandt is allergic to walnuts.")
    found = hindsight(
        "recall", query="Who is allergic to walnuts?", types=["world"], include_trace=True
    )
    stages = [one["stage"] for one in found["trace"]["results"]]
    assert found["results"][0]["text"] == "Otto Brandt is allergic to walnuts."
    assert stages == sorted(stages)  # Direct ones before those of the graph.
    assert "graph" in stages
    finals = [one["scores"]["final"] for one in found["results"]]
    assert finals == sorted(finals, reverse=True)


@requirement("hindsight:recall:trace")
def test_a_trace_tells_every_stage_and_comes_only_when_asked_for(hindsight: Hindsight) -> None:
    hindsight.sync_retain("On 2026-03-09 Ines visited the dentist. Ines likes figs.")
    assert "trace" not in hindsight("recall", query="dentist")
    trace = hindsight("recall", query="Who was at the dentist on 2026-03-09?", include_trace=True)[
        "trace"
    ]
    first = trace["results"][0]
    assert (trace["budget"], first["stage"], first["temporal"], first["graph"]) == (
        "high",
        "direct",
        1.0,
        None,
    )
    assert 0 < first["keyword"] <= 1
    assert 0 < first["semantic"] <= 1
    assert trace["stages"]["direct"] >= 1


def _reasons(trace: dict[str, Any]) -> dict[str, str]:
    assert trace["dropped_count"] >= len(trace["dropped"])
    assert all(one["score"] >= 0 for one in trace["dropped"])
    return {one["id"]: one["why"] for one in trace["dropped"]}


@requirement("hindsight:recall:trace-dropped")
def test_a_trace_tells_why_something_was_left_out(hindsight: Hindsight) -> None:
    hindsight("update_bank", config_updates={"enable_observations": False})
    [ines] = hindsight.sync_retain("On 2026-03-09 Ines visited the dentist.", document_id="a")
    [long] = hindsight.sync_retain(
        "Ines told the dentist of Oslo about every one of her teeth.", document_id="b"
    )
    [bread] = hindsight.sync_retain("Rye bread rises slowly.", document_id="c")

    def traced(query: str = "Ines at the dentist", **more: Any) -> dict[str, Any]:
        found: dict[str, Any] = hindsight("recall", query=query, include_trace=True, **more)
        trace: dict[str, Any] = found["trace"]
        kept = [one["id"] for one in found["results"]]
        assert kept == [one["id"] for one in trace["results"]]
        assert not set(kept) & set(_reasons(trace))
        return trace

    whole = traced(budget="low")
    assert {one["id"]: one["why"] for one in whole["results"]} == dict.fromkeys(
        (ines, long), "found by its words and its meaning"
    )
    assert {"keyword", "vector"} <= set(whole["results"][0]["channels"])
    assert _reasons(whole)[bread] in ("not close enough to the question", "not surely an answer")
    assert "no room left within max_tokens" in _reasons(traced(max_tokens=1)).values()
    assert _reasons(traced(min_scores={"final": 5}))[ines] == "below the minimum score"
    floors = {"keyword": 1.0, "semantic": 1.0}
    assert (
        _reasons(traced(min_scores=floors))[ines] == "below the minimum keyword and semantic scores"
    )
    then = traced("What happened on 2026-03-09?")
    assert next(one["why"] for one in then["results"] if one["id"] == ines).endswith(
        "from the time asked about"
    )
    assert _reasons(traced("zebra crossing in Kuala Lumpur"))[bread]


@requirement("hindsight:recall:trace-dropped")
def test_a_trace_names_facts_that_an_observation_stands_for(hindsight: Hindsight) -> None:
    for place, day in enumerate(("Monday", "Tuesday", "Friday")):
        hindsight.sync_retain(f"Mira plays the cello on {day}.", document_id=f"d{place}")
    found = hindsight(
        "recall",
        query="When does Mira play the cello?",
        prefer_observations=True,
        include_trace=True,
    )
    observed = [one for one in found["results"] if one["fact_type"] == "observation"]
    folded = {number for one in observed for number in one["source_fact_ids"]}
    assert folded
    assert {_reasons(found["trace"])[number] for number in folded} == {
        "an observation in the answer is based on it"
    }


@requirement("hindsight:reflect:trace-dropped")
def test_the_trace_of_a_reflection_tells_what_each_search_left_out(hindsight: Hindsight) -> None:
    hindsight.sync_retain("Ines visited the dentist.", document_id="a")
    [bread] = hindsight.sync_retain("Rye bread rises slowly.", document_id="b")
    [step] = hindsight("reflect", query="Who visited the dentist?", include_trace=True)[
        "tool_trace"
    ]
    assert {"tool", "reason", "input", "output", "duration_ms", "iteration"} <= set(step)
    assert _reasons(step)[bread]
    assert bread not in step["output"]


@requirement("hindsight:recall:budget-depth", "hindsight:recall:max-tokens-default")
def test_a_budget_says_how_far_is_looked_and_tokens_how_much_comes(hindsight: Hindsight) -> None:
    text = "\n".join(
        f"Rule {n}: the dishes of kitchen number {n} are washed by hand." for n in range(150)
    )
    hindsight("update_bank", config_updates={"enable_observations": False})
    hindsight.sync_retain(text)
    asked = "Which rule is there about the dishes of the kitchens?"
    counts = [
        len(hindsight.found(asked, budget=budget, max_tokens=100_000))
        for budget in ("low", "mid", "high")
    ]
    assert counts[0] < counts[1] < counts[2]
    assert (
        hindsight.client.listed()["recall"]["inputSchema"]["properties"]["budget"]["default"]
        == "high"
    )
    usual, told = hindsight.found(asked), hindsight.found(asked, max_tokens=4096)
    # What comes after those found directly follows links, which are still being made.
    assert usual[:100] == told[:100]


@requirement("hindsight:recall:types-default")
def test_all_types_come_unless_some_are_asked_for(hindsight: Hindsight) -> None:
    hindsight.sync_retain(
        "The assistant fixed the printer. The printer is loud. The printer is grey."
    )
    kinds = {one["fact_type"] for one in hindsight("recall", query="the printer")["results"]}
    assert kinds == {"world", "experience", "observation"}
    two = hindsight("recall", query="the printer", types=["world", "experience"])["results"]
    assert {one["fact_type"] for one in two} == {"world", "experience"}


# Facts tagged {a}, {b}, {a, b} and not at all: what each tree of groups lets through.
GROUPS: list[tuple[list[dict[str, Any]], set[str]]] = [
    ([{"tags": ["a"]}], {"a", "ab"}),
    ([{"tags": ["a"], "match": "any"}], {"a", "ab", "none"}),
    ([{"tags": ["a", "b"], "match": "all"}], {"ab", "none"}),
    ([{"tags": ["a", "b"], "match": "all_strict"}], {"ab"}),
    ([{"tags": ["a"], "match": "exact"}], {"a"}),
    ([{"tags": ["a"]}, {"tags": ["b"]}], {"ab"}),
    ([{"or": [{"tags": ["a"], "match": "exact"}, {"tags": ["b"], "match": "exact"}]}], {"a", "b"}),
    ([{"and": [{"tags": ["a"]}, {"not": {"tags": ["b"]}}]}], {"a"}),
    ([{"not": {"or": [{"tags": ["a"]}, {"tags": ["b"]}]}}], {"none"}),
]


@requirement("hindsight:recall:tag-groups")
@pytest.mark.parametrize(("groups", "wanted"), GROUPS)
def test_tag_groups_choose_by_a_tree(
    hindsight: Hindsight, groups: list[dict[str, Any]], wanted: set[str]
) -> None:
    for name, tags in {"a": ["a"], "b": ["b"], "ab": ["a", "b"], "none": []}.items():
        hindsight.sync_retain(f"The lamp of {name} glows.", tags=tags)
    found = hindsight.found("Which lamp glows?", tag_groups=groups, types=["world"])
    assert sorted(found) == sorted(f"The lamp of {name} glows." for name in wanted)


def test_a_tag_group_that_is_none_is_refused(hindsight: Hindsight) -> None:
    answer = hindsight("recall", query="lamp", tag_groups=[{"tags": "a"}])
    assert answer["results"] == []
    assert "A tag group is not valid" in answer["error"]


@requirement("hindsight:recall:recency")
def test_the_moment_asked_about_anchors_recency(hindsight: Hindsight) -> None:
    hindsight.sync_retain("The guild has the blue banner.", timestamp="2022-05-01")
    hindsight.sync_retain("The guild has the green banner.", timestamp="2026-09-01")
    first = {
        at: hindsight.found("Which banner has the guild?", types=["world"], query_timestamp=at)[0]
        for at in ("2022-05-02", "2026-09-02")
    }
    assert first == {
        "2022-05-02": "The guild has the blue banner.",
        "2026-09-02": "The guild has the green banner.",
    }


@requirement("hindsight:recall:newest")
def test_the_newest_value_of_a_thing_stands_before_the_older_ones(hindsight: Hindsight) -> None:
    hindsight.sync_retain("The billing service listens on port 8443.", timestamp="2026-01-01")
    hindsight.sync_retain("The billing service listens on port 9443.", timestamp="2026-06-01")
    hindsight.sync_retain("The billing service listens on port 7443.", timestamp="2025-06-01")
    found = hindsight.found("On which port does the billing service listen?", types=["world"])
    assert [text[-5:-1] for text in found] == ["9443", "8443", "7443"]


@requirement("hindsight:recall:window")
def test_a_question_that_names_only_a_time_finds_only_what_is_of_it(hindsight: Hindsight) -> None:
    hindsight.sync_retain("The flight leaves tomorrow.", timestamp="2026-11-15")
    hindsight.sync_retain("The project ends on 2026-12-01. The review was on 2026-10-14.")
    assert hindsight.found("What is happening on 2026-11-16?") == ["The flight leaves tomorrow."]
    assert hindsight.found("What happened on 2026-01-02?") == []
    assert (
        hindsight.found("When does the project end, 2026-11-16?")[0]
        == "The project ends on 2026-12-01."
    )


@requirement("hindsight:reflect:grounded")
def test_an_extract_says_what_is_not_known(hindsight: Hindsight) -> None:
    hindsight.sync_retain(
        "Project Orion: Owner: Dana Lee\nProject Orion: Budget: $120k", timestamp="2026-05-01"
    )
    text = hindsight("reflect", query="Who is the owner of Project Orion, and who is its CTO?")[
        "text"
    ]
    lines = text.splitlines()
    assert lines[0] == "Project Orion:"
    assert "Project Orion: Owner: Dana Lee (2026-05-01) [" in text
    assert lines[-1] == "Not known: nothing stored mentions CTO."


@requirement("hindsight:recall:window-ranks")
def test_a_window_of_time_ranks_and_hides_nothing(hindsight: Hindsight) -> None:
    hindsight.sync_retain(
        "On 2026-03-09 Ines painted the gate. On 2025-03-09 Ines painted the fence."
    )
    window = {"start": "2025-03-01", "end": "2025-03-31"}
    found = hindsight.found("What did Ines paint?", temporal_window=window, types=["world"])
    assert found == [
        "On 2025-03-09 Ines painted the fence.",
        "On 2026-03-09 Ines painted the gate.",
    ]


@requirement("hindsight:recall:min-scores-stages")
def test_floors_of_a_stage_prune_that_stage_only(hindsight: Hindsight) -> None:
    hindsight.sync_retain("The bakery opens at six. The library opens at nine.")

    def scores(**floors: float) -> list[dict[str, Any]]:
        answer = hindsight(
            "recall", query="When does the bakery open?", min_scores=floors, types=["world"]
        )
        return [one["scores"] for one in answer["results"]]

    usual = scores()
    exactly = scores(final=usual[0]["final"] - 0.0001)
    assert len(exactly) == 1
    assert scores(keyword=1.01)[0]["keyword"] is None
    assert scores(keyword=1.01, semantic=1.01) == []  # No stage found it any more.
    assert scores(final=0.0, reranker=2.0) == []  # All of them at once.
    assert scores(unheard=5.0) == usual


@requirement("hindsight:reflect:tags-match", "hindsight:reflect:defaults")
def test_reflect_filters_by_tags_in_every_mode(hindsight: Hindsight) -> None:
    for name, tags in {"a": ["a"], "b": ["b"], "ab": ["a", "b"], "none": []}.items():
        hindsight.sync_retain(f"The lamp of {name} glows.", tags=tags)
    wanted = {"any": 4, "all": 2, "any_strict": 3, "all_strict": 1, "exact": 1}
    for mode, count in wanted.items():
        text = hindsight("reflect", query="Which lamp glows?", tags=["a", "b"], tags_match=mode)[
            "text"
        ]
        assert text.count("glows.") == count, mode
    answer = hindsight("reflect", query="Which lamp glows?")
    assert set(answer) == {"text", "structured_output", "structured_output_error", "usage"}
    assert answer["structured_output"] is None
    assert answer["usage"]["total_tokens"] == 0


@requirement("hindsight:reflect:fills")
def test_a_schema_is_filled_with_the_newest_truth(hindsight: Hindsight) -> None:
    hindsight.sync_retain("The billing port is 8443.", timestamp="2026-01-01")
    hindsight.sync_retain(
        "The billing port is 9443. The dark mode is enabled. The log level is debug.",
        timestamp="2026-02-01",
    )
    hindsight.sync_retain(
        "The budget is 1,250.50 EUR. The launch date is 2027-05-03.", timestamp="2026-02-01"
    )
    schema = {
        "type": "object",
        "properties": {
            "billingPort": {"type": "integer"},
            "dark_mode": {"type": "boolean"},
            "log_level": {"enum": ["info", "debug"]},
            "budget": {"type": "number"},
            "launch_date": {"type": "string", "format": "date"},
            "launch": {"type": "array", "items": {"type": "string"}},
            "owner": {"type": "string"},
        },
        "required": ["billingPort"],
    }
    asked = "What are billing port, dark mode, log level, budget and launch date?"
    answer = hindsight("reflect", query=asked, response_schema=schema)
    assert answer["structured_output"] == {
        "billingPort": 9443,
        "dark_mode": True,
        "log_level": "debug",
        "budget": 1250.5,
        "launch_date": "2027-05-03",
        "launch": ["The launch date is 2027-05-03."],
    }
    tight = schema | {"properties": {"billingPort": {"type": "integer", "maximum": 5}}}
    answer = hindsight("reflect", query=asked, response_schema=tight)
    assert answer["structured_output"] is None
    assert "9443 is greater than the maximum of 5" in answer["structured_output_error"]


@requirement("hindsight:documents:limit", "hindsight:documents:metadata")
def test_documents_are_paged_and_know_their_metadata(
    hindsight: Hindsight, clock: StoppedClock
) -> None:
    for number in range(4):
        clock.advance(1000)
        hindsight.sync_retain(
            f"Shelf {number} holds jam.",
            document_id=f"shelf-{number}",
            metadata={"row": str(number)},
        )
    page = hindsight("list_documents", limit=2, offset=1)
    assert [one["id"] for one in page["items"]] == ["shelf-2", "shelf-1"]
    assert (page["total"], page["limit"], page["offset"]) == (4, 2, 1)
    assert hindsight("list_documents")["limit"] == 100
    assert hindsight("list_documents", q="SHELF-3")["items"][0]["matched_fields"] == ["id"]
    document = hindsight("get_document", document_id="shelf-3")
    assert document["document_metadata"] == {"row": "3"}
    assert (document["original_text"], len(document["content_hash"])) == ("Shelf 3 holds jam.", 64)


@requirement("hindsight:retain:document", "hindsight:retain:replace")
def test_a_document_that_moves_its_facts_keeps_them(hindsight: Hindsight) -> None:
    hindsight("update_bank", config_updates={"retain_chunk_size": 100})
    first = hindsight.sync_retain("The oven is red.", document_id="kitchen")
    filler = "The long shelf holds many jars of jam and honey. " * 4
    hindsight.sync_retain(f"{filler}\nThe oven is red.", document_id="kitchen")
    [oven] = [one for one in hindsight.facts() if one["text"] == "The oven is red."]
    assert oven["id"] == first[0]
    chunk_id = hindsight("get_memory", memory_id=oven["id"])["chunk_id"]
    assert chunk_id.endswith("_2")
    chunks = hindsight(
        "recall", query="Which colour is the oven?", include_chunks=True, types=["world"]
    )["chunks"]
    assert "The oven is red." in chunks[chunk_id]["chunk_text"]


@requirement("hindsight:retain:labels")
def test_labels_with_values_are_found_by_rules_too(hindsight: Hindsight) -> None:
    labels = [{"key": "mood", "values": ["calm", "tense"]}]
    hindsight(
        "update_bank", config_updates={"entity_labels": labels, "entities_allow_free_form": False}
    )
    [number] = hindsight.sync_retain("Ann was tense in Rome.")
    assert hindsight("get_memory", memory_id=number)["entities"] == ["mood:tense"]
