"""The confidence of hits, and what is returned without a limit."""

import pytest

from commonplace import Draft, Engine, Query
from commonplace.recall import confidence, weights
from commonplace.recall.confidence import CandidateView, QueryInfo
from commonplace.recall.evidence import Evidence, Features, HitFeatures
from commonplace.recall.scoring import ScoredHit, rank
from tests.conftest import StoppedClock

DAY_MS = 86_400_000
FACTS = (
    "The staging database runs on port 5433.",
    "Leonor is allergic to cashews and pistachios.",
    "Quotations are good for 21 days.",
    "Sietse's birthday is on 29 February.",
    "The spare keys hang in the safe.",
    "Newsletters go out on the first Tuesday of the month.",
    "The workshop heater trips the fuse.",
    "Bram's vet is Dierenkliniek Oost.",
    "Parcels go with DPD.",
    "The choir rehearses on Mondays at eight.",
)


@pytest.fixture
def filled(engine: Engine, clock: StoppedClock) -> Engine:
    for fact in FACTS:
        clock.advance(DAY_MS)
        engine.remember("b", Draft(fact))
    return engine


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("what is Leonor allergic to?", FACTS[1]),
        ("on which port does the staging database run?", FACTS[0]),
        ("where are the spare keys?", FACTS[4]),
    ],
)
def test_without_a_limit_only_sure_answers_are_returned(
    filled: Engine, question: str, fact: str
) -> None:
    answer = filled.recall("b", Query(question))
    assert [hit.memory.text for hit in answer.hits] == [fact]
    assert not answer.unsure


def test_with_a_limit_merely_similar_memories_are_returned_too(filled: Engine) -> None:
    question = "on which day of the month do newsletters go out?"
    assert len(filled.recall("b", Query(question, limit=10)).hits) > len(
        filled.recall("b", Query(question)).hits
    )


def test_a_question_without_an_answer_is_unsure(filled: Engine) -> None:
    answer = filled.recall("b", Query("which dose of ibuprofen is safe for a child?"))
    assert not answer.hits or answer.unsure


def test_without_a_sure_hit_only_the_few_closest_are_returned(filled: Engine) -> None:
    answer = filled.recall("b", Query("what does Leonor do for a living?"))
    assert answer.unsure
    assert len(answer.hits) <= 3


@pytest.mark.parametrize(
    "question",
    [
        "what is Leonor allergic to?",
        "where are the spare keys?",
        "what does Leonor do for a living?",
        "which dose of ibuprofen is safe for a child?",
        "when does the choir rehearse?",
    ],
)
def test_the_best_score_is_one_half_at_the_threshold(filled: Engine, question: str) -> None:
    answer = filled.recall("b", Query(question, limit=10))
    scores = [hit.score for hit in answer.hits]
    assert scores == sorted(scores, reverse=True)
    assert answer.unsure == (max(scores, default=0.0) < 0.5)
    assert len(filled.recall("b", Query(question, limit=10, min_score=0.5)).hits) == sum(
        one >= 0.5 for one in scores
    )


def test_explain_shows_confidence_and_the_reason_of_a_dropped_hit(filled: Engine) -> None:
    answer = filled.recall("b", Query("what is Leonor allergic to?", explain=True))
    assert answer.hits[0].channels["sure"] >= weights.SURE_MIN
    assert {one.why for one in answer.dropped} == {"not surely an answer"}


def test_one_memory_alone_can_be_sure(engine: Engine) -> None:
    engine.remember("b", Draft("Staging listens on port 8080."))
    assert not engine.recall("b", Query("port of staging")).unsure


def test_a_question_in_the_words_of_a_memory_is_sure(filled: Engine) -> None:
    for fact in FACTS:
        answer = filled.recall("b", Query(fact))
        assert answer.hits[0].memory.text == fact
        assert not answer.unsure


def features(question: str, text: str, found: frozenset[str] = frozenset()) -> HitFeatures:
    one: ScoredHit = rank([Evidence(1, False, Features(vector=0.5))])[0]
    terms = {"anand": 2.0, "birthday": 1.0, "wage": 1.0}
    asked = QueryInfo(question, terms, frozenset({"wage"}), confidence.name_terms(question, terms))
    look = CandidateView(text, frozenset(), found, [0.0] * len(confidence.REACH_DEGREES))
    return confidence.confidence_features(asked, [one], [look])[0]


def test_a_missing_name_lowers_the_confidence() -> None:
    missing = features(
        "When is Anand's birthday?", "Sietse's birthday is in May.", frozenset({"birthday"})
    )
    assert missing.names_missing == 1
    assert (
        features(
            "When is Anand's birthday?", "Anand was born in May.", frozenset({"anand"})
        ).names_missing
        == 0
    )


def test_missing_words_are_split_into_known_and_unknown_ones() -> None:
    values = features("Anand birthday wage", "Something.", frozenset({"birthday"}))
    assert (values.known_missing, values.unknown_missing) == (0.5, 0.25)


@pytest.mark.parametrize(
    ("question", "answering", "other"),
    [
        ("When does it open?", "It opens on Monday.", "It opens late."),
        ("How many people came?", "Nineteen and 3 more came.", "Many came."),
        ("Who has the key?", "The key is with Moira.", "The key is lost."),
        ("Wann beginnt es?", "Es beginnt um 8.", "Es beginnt bald."),
    ],
)
def test_a_hit_without_the_type_of_answer_asked_for_is_less_sure(
    question: str, answering: str, other: str
) -> None:
    assert features(question, answering).kind_missing == 0
    assert features(question, other).kind_missing == 1


def behind(*said: float) -> list[float]:
    found = rank(
        [Evidence(number, False, Features(vector=0.5, read=one)) for number, one in enumerate(said)]
    )
    asked = QueryInfo("Who has the key?", {"key": 1.0}, frozenset(), frozenset())
    looks = [
        CandidateView(
            "Moira has it.", frozenset(), frozenset(), [0.0] * len(confidence.REACH_DEGREES)
        )
    ] * len(said)
    compared = confidence.confidence_features(asked, found, looks)
    return [round(one.behind, 2) for one in compared if one.behind is not None]


def test_a_lower_reranker_score_is_behind_the_best() -> None:
    assert behind(0.3, 0.28, -0.5) == [0, 0.02, 0.05]
    assert behind(0.3, 0.3) == [0, 0]
    assert behind(0.3) == [0]


def test_more_evidence_never_lowers_the_confidence() -> None:
    against = {
        "asking",
        "behind",
        "kind_missing",
        "known_missing",
        "unknown_missing",
        "names_missing",
    }
    either_way = {"long", "turn", "speaker"}
    for name, weight in [*weights.SURE.items(), *weights.READ.items()]:
        assert name in either_way or (weight <= 0 if name in against else weight >= 0), name


def test_among_few_candidates_the_threshold_is_lower() -> None:
    few, some, many, more = (
        confidence.min_probability(count, is_read=False) for count in (3, 40, 60, 500)
    )
    assert few < some < many == more == weights.SURE_MIN
    assert confidence.min_probability(60, is_read=True) == weights.READ_MIN


CLASSES = (
    "Class 5A has its lessons in room 114.",
    "The class novel of 5A is Charlotte's Web.",
    "5A goes to the maritime museum on 14 October.",
    "The reports for 5A have to be with the head by 27 November.",
    "5B is taught in room 209.",
)


def test_a_memory_with_only_the_name_asked_about_is_no_answer(filled: Engine) -> None:
    filled.remember_many("b", [Draft(fact) for fact in CLASSES])
    answer = filled.recall("b", Query("Which room does class 5A have its lessons in?"))
    assert [hit.memory.text for hit in answer.hits] == [CLASSES[0]]


def test_a_question_of_only_an_identifier_returns_all_that_have_it(filled: Engine) -> None:
    facts = [
        "PROJ-123 is the new login.",
        "Nadia closed PROJ-123 before lunch.",
        "Blocked by PROJ-123: the release.",
    ]
    filled.remember_many("b", [Draft(fact) for fact in facts])
    for question in ("PROJ-123", "What is with PROJ-123?"):
        answer = filled.recall("b", Query(question))
        assert sorted(hit.memory.text for hit in answer.hits) == sorted(facts)
        assert not answer.unsure


def test_names_and_figures_distinguish_similar_things() -> None:
    terms = {"tyre": 2.0, "priya": 1.0, "van": 1.0, "3": 1.0}
    look = CandidateView("The first tyre went to Priya.", frozenset(), frozenset(), ())
    assert confidence.distinguishing_terms("tyres of priya's van 3", terms, [look]) == {
        "priya",
        "3",
    }
