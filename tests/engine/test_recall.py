"""Recall through the engine: what is found, what is not, and in which order."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commonplace.app import open_engine
from commonplace.engine.engine import Engine
from commonplace.errors import Invalid, TooLarge
from commonplace.limits import QUERY_CHARS_MAX, RECALL_MAX
from commonplace.records.memory import Draft, Edit, Scope
from commonplace.records.query import Filter, Query
from commonplace.settings import load
from tests.conftest import StoppedClock

FACTS = (
    "Staging listens on port 8080 behind the proxy.",
    "Ada prefers green tea over coffee in the morning.",
    "The release train leaves every second Tuesday.",
    "COMMONPLACE_API_KEY must be set before the server is exposed.",
    "The entry point is src/app/main.py and it calls fooBarBaz.",
    "Ticket PROJ-123 tracks the flaky login test.",
    "Ticket PROJ-124 tracks the slow login page.",
    "Grandmother's apple pie needs a pinch of cinnamon.",
    "我喜欢在北京吃烤鸭。",
    "東京タワーへ行きました。",
    "나는 김치찌개를 좋아한다.",
)


@pytest.fixture
def filled(engine: Engine) -> Engine:
    engine.remember_many("b", [Draft(fact) for fact in FACTS])
    return engine


def found(engine: Engine, question: str, **options: object) -> list[str]:
    return [hit.memory.text for hit in engine.recall("b", Query(question, **options)).hits]  # pyright: ignore


@pytest.fixture(params=["both channels", "keyword only"])
def channels(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return ("keyword", "vector") if request.param == "both channels" else ("keyword",)


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("which port does staging use?", 0),
        ("what does Ada like to drink, tea?", 1),
        ("when do releases happen on Tuesdays", 2),
        ("COMMONPLACE_API_KEY", 3),
        ("where is the api key set", 3),
        ("main.py", 4),
        ("src/app/main.py", 4),
        ("what calls fooBarBaz", 4),
        ("foo bar baz", 4),
        ("PROJ-123", 5),
        ("apples with cinnamon", 7),
        ("烤鸭", 8),
        ("北京", 8),
        ("東京", 9),
        ("タワー", 9),
        ("김치", 10),
    ],
)
def test_the_right_memory_comes_first(
    filled: Engine, channels: tuple[str, ...], question: str, fact: int
) -> None:
    assert found(filled, question, channels=channels)[:1] == [FACTS[fact]]


def test_a_word_of_one_character_is_found(filled: Engine) -> None:
    assert found(filled, "鸭") == [FACTS[8]]


@pytest.mark.parametrize(
    "question", ["quantum chromodynamics", "who painted the Mona Lisa", "zzzz qqqq", "股票市场"]
)
def test_nothing_relevant_gives_an_empty_answer(
    filled: Engine, channels: tuple[str, ...], question: str
) -> None:
    assert found(filled, question, channels=channels) == []


def test_an_empty_bank_gives_an_empty_answer(engine: Engine) -> None:
    engine.create_bank("b")
    assert found(engine, "anything") == []


def test_a_question_of_stop_words_only_still_looks(engine: Engine) -> None:
    engine.remember_many("b", [Draft("To be or not to be"), Draft("Ada bought bread.")])
    assert found(engine, "to be or not to be")[:1] == ["To be or not to be"]


def test_the_text_itself_scores_at_least_nine_tenths(
    filled: Engine, channels: tuple[str, ...]
) -> None:
    for fact in FACTS:
        best = filled.recall("b", Query(fact, channels=channels)).hits[0]
        assert best.memory.text == fact
        assert best.score >= 0.9


def test_scores_are_between_zero_and_one_and_fall(filled: Engine) -> None:
    scores = [hit.score for hit in filled.recall("b", Query("ticket for the login test")).hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_an_identifier_is_never_outranked_by_a_neighbour(engine: Engine) -> None:
    engine.remember_many(
        "b",
        [
            Draft(f"The login page of PROJ-{n} is slow and must be fixed soon")
            for n in range(200, 260)
        ],
    )
    engine.remember(
        "b",
        Draft(
            "Minutes of a long meeting about budgets, holidays and the weather, with PROJ-777 at"
            " the end"
        ),
    )
    hits = engine.recall(
        "b", Query("is the login page of PROJ-777 slow and must it be fixed soon?", limit=10)
    ).hits
    assert "PROJ-777" in hits[0].memory.text
    assert hits[0].score > hits[1].score


def test_meaning_finds_what_shares_no_word(engine: Engine) -> None:
    engine.remember_many(
        "b",
        [Draft("The puppy was sick and saw the veterinarian."), *(Draft(fact) for fact in FACTS)],
    )
    assert found(engine, "ill dog doctor")[:1] == ["The puppy was sick and saw the veterinarian."]


def test_titles_tags_keys_and_categories_are_searched(engine: Engine) -> None:
    engine.remember("b", Draft("One.", title="Harvest festival"))
    engine.remember("b", Draft("Two.", tags=("zebra-crossing",)))
    engine.remember("b", Draft("Three.", key="billing.invoices.currency"))
    engine.remember("b", Draft("Four.", category="gardening"))
    for word, text in (
        ("festival", "One."),
        ("zebra", "Two."),
        ("invoices", "Three."),
        ("gardening", "Four."),
    ):
        assert found(engine, word)[:1] == [text]


def test_a_forgotten_memory_is_found_only_when_asked_for(filled: Engine) -> None:
    hit = filled.recall("b", Query("port of staging")).hits[0]
    filled.forget("b", [hit.memory.id])
    assert FACTS[0] not in found(filled, "port of staging")
    assert found(filled, "port of staging", filter=Filter(status="forgotten"))[:1] == [FACTS[0]]
    assert found(filled, "port of staging", filter=Filter(status="any"))[:1] == [FACTS[0]]
    filled.restore("b", [hit.memory.id])
    assert found(filled, "port of staging")[:1] == [FACTS[0]]


def test_an_expired_memory_is_not_found(engine: Engine, clock: StoppedClock) -> None:
    engine.remember("b", Draft("The sale ends soon.", expires_at=clock.now() + 1000))
    assert found(engine, "sale ends") == ["The sale ends soon."]
    clock.advance(2000)
    assert found(engine, "sale ends") == []


def test_a_purged_memory_leaves_no_hit(filled: Engine) -> None:
    hit = filled.recall("b", Query("apple pie")).hits[0]
    filled.purge("b", [hit.memory.id])
    assert FACTS[7] not in found(filled, "apple pie cinnamon", filter=Filter(status="any"))


def test_a_revised_memory_is_found_by_its_new_words_only(filled: Engine) -> None:
    hit = filled.recall("b", Query("port of staging")).hits[0]
    filled.revise("b", hit.memory.id, Edit(text="Cucumbers grow well in the greenhouse."))
    assert found(filled, "cucumbers in the greenhouse")[:1] == [
        "Cucumbers grow well in the greenhouse."
    ]
    assert found(filled, "staging port 8080 proxy") == []


def test_nothing_crosses_the_wall_between_banks(filled: Engine) -> None:
    filled.remember("other", Draft("Staging listens on port 9999."))
    assert found(filled, "staging port")[:1] == [FACTS[0]]
    assert all(
        hit.memory.bank_id == filled.get_bank("b").id
        for hit in filled.recall("b", Query("staging port")).hits
    )


@pytest.mark.parametrize("channel", ["keyword", "vector"])
def test_a_filter_that_excludes_the_best_five_hundred_still_finds(
    engine: Engine, channel: str
) -> None:
    crowd = [Draft(f"green tea note {n}", scope=Scope(project="crowd")) for n in range(600)]
    engine.remember_many(
        "b",
        [
            *crowd,
            Draft("green tea with a long story about ships and sails", scope=Scope(project="own")),
        ],
    )
    engine.rebuild()
    hits = engine.recall(
        "b", Query("green tea note", Filter(projects=("own",)), channels=(channel,))
    ).hits
    assert [hit.memory.scope.project for hit in hits] == ["own"]


def test_another_banks_crowd_does_not_hide_a_memory(engine: Engine) -> None:
    engine.remember_many("crowd", [Draft(f"green tea note {n}") for n in range(600)])
    engine.remember("b", Draft("green tea with a long story about ships and sails"))
    assert len(found(engine, "green tea note")) == 1


def test_the_limit_and_the_least_score_are_kept(filled: Engine) -> None:
    every = filled.recall("b", Query("ticket login", limit=10)).hits
    assert len(every) > 1
    assert len(found(filled, "ticket login", limit=1)) == 1
    least = every[0].score
    assert all(
        hit.score >= least
        for hit in filled.recall("b", Query("ticket login", min_score=least)).hits
    )


def test_explain_says_why_others_were_left_out(filled: Engine) -> None:
    answer = filled.recall("b", Query("ticket PROJ-123 login", limit=1, explain=True))
    evidence = {
        "keyword",
        "coverage",
        "passage",
        "vector",
        "tokens",
        "passage tokens",
        "section tokens",
    }
    assert set(answer.hits[0].channels) == evidence | {"read", "sure"}
    assert {"beyond the limit"} <= {dropped.why for dropped in answer.dropped}
    shown = {hit.memory.id for hit in answer.hits}
    assert shown.isdisjoint(dropped.memory_id for dropped in answer.dropped)
    assert filled.recall("b", Query("ticket")).dropped == ()


def test_the_same_question_gets_the_same_answer(filled: Engine) -> None:
    first, second = (filled.recall("b", Query("login ticket tea")) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("query", "error"),
    [
        (Query("  \n"), Invalid),
        (Query("nul \x00"), Invalid),
        (Query("half \ud800"), Invalid),
        (Query("x" * (QUERY_CHARS_MAX + 1)), TooLarge),
        (Query("x", limit=0), Invalid),
        (Query("x", limit=RECALL_MAX + 1), TooLarge),
        (Query("x", min_score=2.0), Invalid),
        (Query("x", min_score=float("nan")), Invalid),
        (Query("x", channels=()), Invalid),
        (Query("x", channels=("telepathy",)), Invalid),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused_with_a_hint(
    filled: Engine, query: Query, error: type[Invalid]
) -> None:
    with pytest.raises(error) as caught:
        filled.recall("b", query)
    assert caught.value.hint


def test_a_bank_nobody_wrote_to_knows_nothing(engine: Engine) -> None:
    assert engine.recall("nowhere", Query("anything")).hits == ()
    assert engine.list_banks() == ()


@pytest.mark.parametrize(
    "question",
    [
        'NEAR("a" "b", 5)',
        "a AND b OR NOT c",
        "title:staging",
        "stag*",
        "^port",
        '"unclosed',
        "'; drop table text_index; --",
        "{title body}: x",
        "(((",
        "+-*/",
        "port 🍕 \u202e rtl",
        "\\",
        "a" * QUERY_CHARS_MAX,
        "port " * (QUERY_CHARS_MAX // 5),
        " ".join(f"word{n}" for n in range(1_200)),
        "港" * QUERY_CHARS_MAX,
    ],
)
def test_any_text_is_a_safe_question(filled: Engine, question: str) -> None:
    filled.recall("b", Query(question))
    assert filled.count("b") == len(FACTS)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.text(
        st.characters(exclude_categories=("Cs",), exclude_characters="\x00"),
        min_size=1,
        max_size=80,
    )
)
def test_no_text_breaks_a_search(filled: Engine, question: str) -> None:
    if question.strip():
        filled.recall("b", Query(question))


@pytest.fixture
def second(home: Path, clock: StoppedClock) -> Iterator[Engine]:
    """Another engine on the same file, as another process would have."""
    opened = open_engine(load({"COMMONPLACE_HOME": str(home)}), clock)
    yield opened
    opened.db.close()


def test_what_one_engine_wrote_the_other_finds_at_once(filled: Engine, second: Engine) -> None:
    assert found(second, "port of staging")[:1] == [FACTS[0]]
    for number in range(5):
        filled.remember("b", Draft(f"The lighthouse keeper number {number} is called Olaf."))
        texts = found(second, f"lighthouse keeper number {number}", channels=("vector",))
        assert f"The lighthouse keeper number {number} is called Olaf." in texts


def test_what_another_process_wrote_is_found_by_the_next_search(filled: Engine, home: Path) -> None:
    assert found(filled, "lighthouse keeper") == []
    code = (
        "import sys, commonplace\n"
        "engine = commonplace.open(sys.argv[1])\n"
        "engine.remember('b', commonplace.Draft('The lighthouse keeper is called Olaf.'))"
    )
    subprocess.run([sys.executable, "-c", code, str(home)], check=True)
    assert found(filled, "lighthouse keeper")[:1] == ["The lighthouse keeper is called Olaf."]


def test_a_search_does_not_wait_for_a_writer(filled: Engine, second: Engine) -> None:
    filled.remember("b", Draft("The lighthouse keeper is called Olaf."))
    with second.db.transaction():
        assert found(filled, "lighthouse keeper")[:1] == ["The lighthouse keeper is called Olaf."]
    assert filled.stale_count() > 0


def test_a_search_inside_a_transaction_sees_what_was_just_written(filled: Engine) -> None:
    with filled.db.transaction():
        filled.remember("b", Draft("The lighthouse keeper is called Olaf."))
        assert found(filled, "lighthouse keeper")[:1] == ["The lighthouse keeper is called Olaf."]


def test_a_transaction_taken_back_leaves_no_trace_in_later_searches(filled: Engine) -> None:
    def taken_back() -> None:
        with filled.db.transaction():
            filled.remember("b", Draft("The lighthouse keeper is called Olaf."))
            assert found(filled, "lighthouse keeper")
            raise Invalid

    with pytest.raises(Invalid):
        taken_back()
    assert found(filled, "lighthouse keeper") == []
    filled.remember("b", Draft("The baker is called Greta."))
    assert found(filled, "who is the baker", channels=("vector",))[:1] == [
        "The baker is called Greta."
    ]


def test_a_fact_at_the_end_of_a_very_long_memory_is_found(filled: Engine) -> None:
    filler = " ".join(f"sentence number {n} says little" for n in range(5_000))
    filled.remember("b", Draft(f"{filler} The lighthouse keeper is called Olaf."))
    assert found(filled, "lighthouse keeper Olaf")[0].endswith("Olaf.")


def test_without_an_embedder_keywords_do(home: Path, clock: StoppedClock) -> None:
    plain = open_engine(
        load({"COMMONPLACE_HOME": str(home), "COMMONPLACE_EMBEDDER": "none"}), clock
    )
    plain.remember_many("b", [Draft(fact) for fact in FACTS])
    assert found(plain, "which port does staging use?")[:1] == [FACTS[0]]
    plain.db.close()


def test_what_is_of_the_time_asked_about_comes_first(engine: Engine, clock: StoppedClock) -> None:
    day = 86_400_000
    engine.remember(
        "b", Draft("We decided on the billing retries: three.", happened_at=clock.now() - 30 * day)
    )
    engine.remember(
        "b", Draft("We decided on the billing retries: none.", happened_at=clock.now() - day)
    )
    engine.remember(
        "b", Draft("We decided on the billing retries: five.", happened_at=clock.now() - 5 * day)
    )
    assert found(engine, "What did we decide on the billing retries yesterday?")[0].endswith(
        "none."
    )
    assert found(engine, "What did we decide on the billing retries?")[0].endswith("five.")


def test_an_answer_is_marked_when_even_the_best_hit_is_a_weak_one(engine: Engine) -> None:
    engine.remember_many("b", [Draft(fact) for fact in FACTS])
    assert not engine.recall("b", Query(FACTS[0])).unsure
    weak = engine.recall("b", Query("puppy veterinarian cat illness", limit=3))
    assert not weak.hits or weak.unsure


def test_a_turn_is_found_by_what_was_said_before_it(engine: Engine) -> None:
    said = [
        "Ben: How was your week?",
        "Anna: Quiet. I mostly read.",
        "Ben: Did you finish the painting for the exhibition? What gave you the idea?",
        "Anna: It came to me on the ferry, in the fog.",
        "Ben: Lovely. Shall we have lunch on Friday?",
        "Anna: Friday is fine. One o'clock?",
    ]
    engine.remember_many(
        "b", [Draft(turn) for turn in [*said, *(f"Ben: Number {n}." for n in range(20))]]
    )
    assert said[3] in found(engine, "What gave Anna the idea for the exhibition painting?")[:3]


def test_a_turn_found_by_what_was_said_around_it_has_its_time_too(
    engine: Engine, clock: StoppedClock
) -> None:
    yesterday = clock.now() - 86_400_000
    said = [
        "Ben: Is the exhibition painting done?",
        "Anna: It is.",
        "Ben: And the frame?",
        "Anna: Oak.",
    ]
    engine.remember_many("b", [Draft(turn, happened_at=yesterday) for turn in said])
    hits = engine.recall("b", Query("exhibition painting yesterday", limit=10)).hits
    assert len(hits) > 1
    assert {hit.channels["time"] for hit in hits} == {1.0}


def test_what_another_user_said_in_between_is_not_heard(engine: Engine) -> None:
    for user, text in (
        ("u1", "Ben: And the exhibition painting?"),
        ("u2", "Anna: No."),
        ("u1", "Anna: In the fog."),
    ):
        engine.remember("b", Draft(text, scope=Scope(user=user)))
    hits = engine.recall("b", Query("exhibition painting", Filter(users=("u2",)))).hits
    assert "Anna: In the fog." not in [hit.memory.text for hit in hits]
