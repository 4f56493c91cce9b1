"""Recall with a reranker, which reads the best candidates and decides their order."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from commonplace.app import open_engine
from commonplace.engine.engine import Engine
from commonplace.errors import Invalid
from commonplace.recall import rerank, scoring, weights
from commonplace.recall.confidence import CandidateView
from commonplace.recall.evidence import PairFeatures
from commonplace.recall.supersession import Pair
from commonplace.recall.vector_index import VectorIndex
from commonplace.records.memory import Draft
from commonplace.records.query import Filter, Not, Query, TagMatch
from commonplace.settings import load
from tests.recall.embedders import HashEmbedder

FACTS = (
    "Herr Puls repairs radiators, lights and the goods lift in our building.",
    "The heating bill for January was 240 euros.",
    "Heating oil is ordered in September, when it is cheap.",
    "The window in the hall is broken.",
)
STRANGERS = tuple(
    f"Box {number} holds {colour} beads."
    for number in range(20)
    for colour in ("red", "green", "blue")
)
QUESTION = "Who fixes the heating?"


class Choosy:
    """A reranker that loves every text with one word in it, and writes down what it was given."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.given: list[str] = []
        self.compared: list[tuple[str, str]] = []

    def reads(self, question: str, texts: Sequence[str]) -> bool:
        return "foreign" not in question

    def scores(self, question: str, texts: Sequence[str], tokens_max: int) -> list[float]:
        self.given += texts
        return [10.0 if self.word in text else -11.0 for text in texts]

    def replacing(
        self, question: str, pairs: Sequence[tuple[str, str]], tokens_max: int
    ) -> list[float]:
        self.compared += pairs
        return [10.0 if self.word in newer else -11.0 for _, newer in pairs]


class Lukewarm(Choosy):
    """The same, but it only thinks that the texts with the word may be an answer."""

    def scores(self, question: str, texts: Sequence[str], tokens_max: int) -> list[float]:
        return [min(2.0, score) for score in super().scores(question, texts, tokens_max)]


def reading(engine: Engine, reranker: rerank.Reranker) -> Engine:
    return replace(engine, reranker=lambda: reranker)


def test_an_answer_in_other_words_comes_first_with_a_reranker(engine: Engine, home: Path) -> None:
    engine.remember_many("b", [Draft(fact) for fact in FACTS])
    unread = open_engine(load({"COMMONPLACE_HOME": str(home), "COMMONPLACE_RERANKER": "none"}))
    plain = unread.recall("b", Query(QUESTION, limit=4)).hits
    unread.db.close()
    assert plain[0].memory.text != FACTS[0]
    assert not any("read" in hit.channels for hit in plain)
    read = engine.recall("b", Query(QUESTION, limit=4)).hits
    assert read[0].memory.text == FACTS[0]
    assert read[0].channels["read"] > max(hit.channels["read"] for hit in read[1:])


def test_only_the_best_are_reranked_and_the_others_come_after_them(engine: Engine) -> None:
    engine.remember_many(
        "b", [Draft(f"Box {number} holds green glass beads.") for number in range(40)]
    )
    choosy = Choosy("holds")
    hits = (
        reading(engine, choosy)
        .recall("b", Query("which box holds green glass beads", limit=40))
        .hits
    )
    assert len(choosy.given) == rerank.DEPTH
    assert ["read" in hit.channels for hit in hits] == [True] * rerank.DEPTH + [False] * (
        40 - rerank.DEPTH
    )
    assert all(hit.channels["unread"] < 0 for hit in hits[rerank.DEPTH :])


def test_a_likely_answer_without_a_word_of_the_question_is_returned_as_unsure(
    engine: Engine,
) -> None:
    engine.remember_many("b", [Draft(fact) for fact in (*FACTS, *STRANGERS)])
    question = "Whom do we call when it is cold inside?"
    assert not reading(engine, Lukewarm("nothing of the kind")).recall("b", Query(question)).hits
    for limit in (None, 5):
        answer = reading(engine, Lukewarm("Puls")).recall("b", Query(question, limit=limit))
        assert answer.hits[0].memory.text == FACTS[0]
        assert answer.unsure


def test_a_question_of_punctuation_is_not_reranked_and_finds_nothing(engine: Engine) -> None:
    engine.remember_many("b", [Draft(fact) for fact in FACTS])
    choosy = Choosy("Puls")
    assert not reading(engine, choosy).recall("b", Query("???", limit=5)).hits
    assert not choosy.given


def test_the_reranker_reads_a_title_with_its_text(engine: Engine) -> None:
    engine.remember("b", Draft("On the hook behind the door.", title="Spare key"))
    choosy = Choosy("Spare")
    assert reading(engine, choosy).recall("b", Query("where is the spare key", limit=1)).hits
    assert choosy.given == ["Spare key\nOn the hook behind the door."]


def test_the_reranker_reads_a_turn_with_the_turn_before_it(engine: Engine) -> None:
    said = (
        "Ines: I sold my old car at last.",
        "Vera: What did you get for it?",
        "Ines: It came to 900.",
        "Vera: Not bad!",
    )
    engine.remember_many("b", [Draft(turn) for turn in said])
    choosy = Choosy("900")
    assert (
        reading(engine, choosy)
        .recall("b", Query("what did Ines get for her old car", limit=4))
        .hits
    )
    assert set(choosy.given) == {said[0], *(f"{before} {turn}" for before, turn in pairwise(said))}


def test_the_reranker_reads_no_previous_turn_that_the_filter_excludes(engine: Engine) -> None:
    said = (
        "Ines: I sold my old car.",
        "Vera: What did you get for it?",
        "Ines: It came to 900.",
        "Vera: Not bad for it!",
    )
    drafts = [
        Draft(turn, tags=("secret",) if place == 1 else ()) for place, turn in enumerate(said)
    ]
    engine.remember_many("b", drafts)
    choosy, open_to_all = Choosy("900"), Filter(where=Not(TagMatch(("secret",))))
    assert (
        reading(engine, choosy)
        .recall("b", Query("what did Ines get for her old car", open_to_all, limit=4))
        .hits
    )
    assert not any("What did you get" in text for text in choosy.given)


def test_the_token_budget_falls_with_the_number_of_memories() -> None:
    few, many, most = (
        rerank.RerankPass.sized_for(Choosy(""), QUESTION, 10**power).tokens_max
        for power in (3, 6, 9)
    )
    assert few > many >= most > 0


def test_an_exact_identifier_still_comes_first(engine: Engine) -> None:
    engine.remember_many(
        "b", [Draft("Ticket PROJ-123 tracks the login."), Draft("The login is slow on Mondays.")]
    )
    first, *_ = (
        reading(engine, Choosy("Mondays")).recall("b", Query("login PROJ-123", limit=5)).hits
    )
    assert "PROJ-123" in first.memory.text


def test_only_the_first_page_is_reranked(engine: Engine) -> None:
    engine.remember_many("b", [Draft(f"Box {number} holds beads.") for number in range(30)])
    choosy, query = Choosy("Box 7 "), Query("which box holds beads", depth=50, limit=4)
    first = reading(engine, choosy).recall("b", query)
    assert "Box 7 " in first.hits[0].memory.text
    choosy.given.clear()
    second = reading(engine, choosy).recall("b", replace(query, after=first.next))
    third = reading(engine, choosy).recall("b", replace(query, after=second.next, limit=50))
    assert choosy.given == []
    every = [hit.memory.id for page in (first, second, third) for hit in page.hits]
    assert len(every) == len(set(every)) == 30
    assert [
        hit.memory.id for hit in reading(engine, choosy).recall("b", replace(query, limit=50)).hits
    ] == every


def test_a_question_in_an_unknown_script_is_not_reranked(
    engine: Engine,
) -> None:
    engine.remember("b", Draft("我妹妹在杭州的一家医院当护士。"))
    choosy = Choosy("护士")
    assert reading(engine, choosy).recall("b", Query("我妹妹在哪里当护士", limit=3)).hits
    assert choosy.given == []


FILLER = "Nothing else of note was said. " * 60


def test_the_reranker_reads_the_most_similar_passage_of_a_long_text(engine: Engine) -> None:
    engine.remember("b", Draft(f"{FILLER} Ruth has the vault code. {FILLER}"))
    choosy = Choosy("Ruth")
    (hit,) = reading(engine, choosy).recall("b", Query("who has the vault code", limit=1)).hits
    (excerpt,) = choosy.given
    assert "Ruth has the vault code." in excerpt
    assert len(excerpt) <= rerank.TEXT_CHARS_MAX
    assert hit.channels["read"] > 0


def test_a_long_text_without_an_excerpt_gets_the_median_score(
    engine: Engine,
) -> None:
    semantics = VectorIndex(HashEmbedder())
    long = f"Ruth has the vault code. {FILLER}"
    short = [
        "The vault code is 4711.",
        "4711, a vault code.",
        "Who has the vault code?",
        "The vault code was changed.",
    ]
    engine.remember_many("b", [Draft(text) for text in (long, *short)])
    choosy = Choosy("4711")
    without_tokens = replace(reading(engine, choosy), semantics=lambda: semantics)
    hits = without_tokens.recall("b", Query("what is the vault code", limit=5)).hits
    assert sorted(choosy.given) == sorted(short)
    said = {hit.memory.text: hit.channels["read"] for hit in hits}
    assert said[short[0]] > said[long] > said[short[2]]


def test_a_very_long_question_is_not_reranked(engine: Engine) -> None:
    engine.remember("b", Draft("The vault code is 4711."))
    choosy = Choosy("4711")
    question = "First of all, the vault. " + "It rained again. " * 100 + "So what is the code?"
    assert reading(engine, choosy).recall("b", Query(question, limit=1)).hits
    assert choosy.given == []


def test_a_question_in_an_unknown_language_is_not_reranked(engine: Engine) -> None:
    engine.remember_many("b", [Draft("The foreign mint is open on Fridays.")])
    choosy = Choosy("mint")
    (hit,) = reading(engine, choosy).recall("b", Query("foreign mint open", limit=3)).hits
    assert choosy.given == []
    assert "read" not in hit.channels


def test_a_search_by_one_channel_is_not_reranked(engine: Engine) -> None:
    engine.remember_many("b", [Draft("The mint is open on Fridays.")])
    choosy = Choosy("mint")
    (hit,) = (
        reading(engine, choosy).recall("b", Query("mint open", limit=3, channels=("keyword",))).hits
    )
    assert choosy.given == []
    assert "read" not in hit.channels


class Updating(Choosy):
    """A reranker to which all texts are the same, but one with a certain word has replaced every
    older one.
    """

    def scores(self, question: str, texts: Sequence[str], tokens_max: int) -> list[float]:
        return [0.0 for _ in texts]


WIFI = (
    "The wifi password is on the fridge.",
    "Bread is in the blue tin.",
    "Tom wrote the new passphrase on the router itself.",
)


def test_a_replacement_in_other_words_comes_first_with_a_reranker(
    engine: Engine,
) -> None:
    engine.remember_many("b", [Draft(fact) for fact in WIFI])
    question = Query("What is the wifi password?", limit=3)
    kept = reading(engine, Updating("nothing")).recall("b", question).hits
    assert kept[0].memory.text == WIFI[0]
    changed = [
        hit.memory.text for hit in reading(engine, Updating("router")).recall("b", question).hits
    ]
    assert changed.index(WIFI[2]) < changed.index(WIFI[0])


TALK = (
    "Ines: The rent is 870 for my half.",
    "Joss: Fine by me, see you on Sunday.",
    "Ines: Petrakis and I settled on 925 for the rent.",
)


def test_a_later_turn_comes_first_when_the_reranker_finds_a_change(
    engine: Engine,
) -> None:
    engine.remember_many("b", [Draft(turn) for turn in TALK])
    question = Query("How much is the rent for Ines's half?", limit=3)
    for word, first in (("nothing", TALK[0]), ("925", TALK[2])):
        assert reading(engine, Updating(word)).recall("b", question).hits[0].memory.text == first


class Hesitant(Updating):
    """To whom a text with the word is more likely a change than not."""

    def replacing(
        self, question: str, pairs: Sequence[tuple[str, str]], tokens_max: int
    ) -> list[float]:
        return [1.0 if self.word in newer else -11.0 for _, newer in pairs]


def test_a_sibling_replaces_nothing_without_a_high_reranker_score(engine: Engine) -> None:
    siblings = (
        "The web repo uses React 19.",
        "The web repo's CI runs on GitHub Actions.",
        "Lunch is at 12.",
    )
    engine.remember_many("b", [Draft(fact) for fact in siblings])
    question = Query("Which framework does the web repo use?", limit=3)
    for reranker, first in ((Hesitant("Actions"), siblings[0]), (Updating("Actions"), siblings[1])):
        assert reading(engine, reranker).recall("b", question).hits[0].memory.text == first


def test_without_a_limit_replaced_memories_are_left_out(engine: Engine) -> None:
    engine.remember_many("b", [Draft(fact) for fact in WIFI])
    found = (
        reading(engine, Updating("router")).recall("b", Query("What is the wifi password?")).hits
    )
    assert [hit.memory.text for hit in found] == [WIFI[2]]


def test_only_the_likeliest_changes_are_reranked_the_older_text_first(engine: Engine) -> None:
    engine.remember_many(
        "b", [Draft(f"Ana now has {number} goats on the farm.") for number in range(2, 12)]
    )
    updating = Updating("goats")
    reading(engine, updating).recall("b", Query("How many goats are on the farm?", limit=5))
    assert 0 < len(updating.compared) <= rerank.PAIRS_MAX
    assert all(int(older.split()[3]) < int(newer.split()[3]) for older, newer in updating.compared)


def test_changes_are_reranked_only_for_likely_answers(engine: Engine) -> None:
    herds = [
        f"Ana now has {number} {animals} on the farm."
        for number in range(2, 7)
        for animals in ("goats", "sheep")
    ]
    engine.remember_many("b", [Draft(fact) for fact in herds])
    choosy = Choosy("goats")
    reading(engine, choosy).recall("b", Query("How many animals has Ana on the farm?"))
    assert choosy.compared
    assert all("goats" in older for older, _ in choosy.compared)


def test_in_the_largest_banks_no_pairs_are_reranked() -> None:
    features = PairFeatures(**dict.fromkeys(weights.SUPERSEDING, 0.0))
    pair, looks = (
        Pair(0, 1, features),
        [CandidateView(fact, frozenset(), frozenset()) for fact in WIFI],
    )
    updating = Updating("router")
    assert rerank.RerankPass.sized_for(updating, "What is the wifi password?", 10**9).score_pairs(
        [pair], looks, []
    ) == [pair]
    assert updating.compared == []


def test_a_long_text_is_not_compared(engine: Engine) -> None:
    engine.remember_many(
        "b",
        [Draft(WIFI[0]), Draft("The wifi password is on the router now. " + "It rained. " * 60)],
    )
    updating = Updating("router")
    reading(engine, updating).recall("b", Query("What is the wifi password?", limit=5))
    assert updating.compared == []


def test_an_unknown_reranker_is_named(home: Path) -> None:
    with pytest.raises(Invalid, match="sesame"):
        open_engine(load({"COMMONPLACE_HOME": str(home), "COMMONPLACE_RERANKER": "sesame"}))


def test_a_start_without_the_package_has_a_hint(home: Path) -> None:
    # As if it were not installed: the name leads to no module.
    script = (
        "import sys; sys.modules['onnxruntime'] = None; from commonplace.faces.cli import main;"
        " sys.exit(main())"
    )
    settings = {"COMMONPLACE_HOME": str(home), "COMMONPLACE_RERANKER": "cross-encoder"}
    done = subprocess.run(
        [sys.executable, "-c", script, "recall", "anything"],
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "onnxruntime, which is not installed" in done.stderr
    assert "set COMMONPLACE_RERANKER to none" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_reranker_score_has_the_largest_weight() -> None:
    assert scoring.ORDER_WEIGHTS["read"] > max(scoring.WEIGHTS.values())
