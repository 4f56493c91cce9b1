"""What was measured is kept, compared and shown."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from commonplace import Query
from commonplace.evaluation.metrics import Estimate
from commonplace.recall import scoring, supersession
from evals import page, record, ways
from evals.goals import GOALS, OWN
from evals.ways import ABLATIONS, BM25, OURS, UNREAD, WAYS

GROUPS = {page.HELD_OUT if goal.set == OWN else goal.set for goal in GOALS}


def found(value: float) -> record.Results:
    measures = {goal.measure: Estimate(value, value - 0.1, value + 0.1, 50) for goal in GOALS}
    return {group: {OURS: measures, BM25: measures} for group in sorted(GROUPS)}


def parts(value: float, former: float | None = None) -> dict[str, record.Part]:
    """Every part of a record, with one value everywhere and, where it is given, another one in the
    run before.
    """
    public = {group: asked for group, asked in found(value).items() if group != page.HELD_OUT}
    own = {page.HELD_OUT: found(value)[page.HELD_OUT]}
    sizes = {group: [100, 50] for group in public}
    before = (
        parts(former) if former is not None else {page.SETS: {}, page.PRECISE: {}, page.ABLATED: {}}
    )
    return {
        page.SETS: record.part(public, {"sizes": sizes}, before[page.SETS], {}),
        page.PRECISE: record.part(own, {"sizes": {page.HELD_OUT: 50}}, before[page.PRECISE], {}),
        page.ABLATED: record.part(found(value), {"every": 1}, before[page.ABLATED], {}),
    }


def test_what_is_kept_is_read_back(tmp_path: Path) -> None:
    made = parts(0.5)
    record.keep(tmp_path, made)

    assert record.kept(tmp_path) == made
    assert record.results(record.kept(tmp_path)[page.ABLATED]) == found(0.5)


def test_a_damaged_or_missing_record_counts_as_none(tmp_path: Path) -> None:
    assert record.kept(tmp_path) == {}
    (tmp_path / record.NAME).write_text("{")
    assert record.kept(tmp_path) == {}


def test_the_page_tells_the_change_since_the_last_run_and_what_is_missing_to_each_goal(
    tmp_path: Path,
) -> None:
    page.write(tmp_path, parts(0.75, former=0.5))

    text = (tmp_path / page.PAGE).read_text()
    rows = [line for line in text.splitlines() if line.startswith("| locomo-turn | recall@10 ")]
    assert rows == [
        "| locomo-turn | recall@10 | 0.750 |  | 0.750 (0.650–0.850) | 0.78 | no, 0.030 short |"
        " +0.250 | new |"
    ]
    assert (
        "| own precision set | precision | 0.750 |  | 0.750 (0.650–0.850) | 0.70 | yes | +0.250 |"
        " new |" in text
    )
    assert "## What each ingredient brings" in text


def test_the_page_tells_what_the_reranker_brings_and_what_it_costs(tmp_path: Path) -> None:
    slow, quick = ({page.PACE: Estimate(pace, pace, pace, 50)} for pace in (4.0, 50.0))
    plain, read = (found(value)["locomo-turn"][OURS] for value in (0.5, 0.625))
    asked = {"locomo-turn": {UNREAD: plain | quick, OURS: read | slow}}
    page.write(tmp_path, {page.READ: record.part(asked, {"every": 5}, {}, {})})

    text = (tmp_path / page.PAGE).read_text()
    assert "`python -m evals --reranker --every 5`" in text
    assert (
        "| locomo-turn | recall@10 | 0.500 | **0.625** | +0.125 | 0.78 | 20 ms | 250 ms |" in text
    )


def test_a_page_of_one_part_alone_leaves_out_the_others(tmp_path: Path) -> None:
    page.write(tmp_path, {page.PRECISE: parts(0.5)[page.PRECISE]})

    text = (tmp_path / page.PAGE).read_text()
    assert "## Our own precision set" in text
    assert "## Public sets" not in text
    assert "locomo-turn" not in text


def test_the_picture_is_well_formed_and_has_every_goal(tmp_path: Path) -> None:
    page.write(tmp_path, parts(0.75))

    root = ElementTree.fromstring((tmp_path / page.PICTURE).read_text())
    texts = [element.text or "" for element in root.iter() if element.tag.endswith("text")]
    assert sum(text == "0.750" for text in texts) == len(GOALS)


def test_evidence_that_is_left_out_weighs_nothing_until_it_is_back() -> None:
    before = scoring.WEIGHTS, scoring.ORDER_WEIGHTS

    with ways.without("vector", "speaker")():
        assert scoring.WEIGHTS["vector"] == 0
        assert "speaker" not in scoring.ORDER_WEIGHTS
        # What a memory says itself weighs as much as before in all.
        own = [name for name in scoring.WEIGHTS if "around" not in name]
        assert sum(scoring.WEIGHTS[name] for name in own) == pytest.approx(
            sum(before[0][name] for name in own)
        )

    assert before == (scoring.WEIGHTS, scoring.ORDER_WEIGHTS)


def test_every_ablation_takes_something_out_and_puts_it_back() -> None:
    assert all(names for names in ways.EVIDENCE.values())
    before = supersession.find_pairs
    with ways.as_weighed():
        assert supersession.find_pairs is not before
    assert supersession.find_pairs is before


def test_every_ablation_is_a_way_to_ask() -> None:
    assert set(ABLATIONS) <= set(WAYS)
    for way in WAYS.values():
        with way() as changed:
            assert changed(Query("port?")).text == "port?"
