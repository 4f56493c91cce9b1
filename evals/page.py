"""Writes docs/quality.md and its picture from the record, and nothing but the record."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from commonplace.evaluation import metrics
from commonplace.evaluation.metrics import Estimate
from evals import record
from evals.goals import GOALS, OWN, Goal
from evals.picture import Row, picture
from evals.record import Part
from evals.ways import BM25, OURS, UNREAD, VECTORS

PAGE, PICTURE = "quality.md", "quality.svg"
SETS, PRECISE, ABLATED, READ = "sets", "precision", "ablations", "reranker"
HELD_OUT = "held-out half"
PACE = next(iter(metrics.PACE))

_HEAD = f"""# Quality

Made by `make eval`; do not edit. No language model, the embedder of the installation, no \
settings. What each part says
was measured on the date and commit above it; a + behind the commit means that the code had \
changes not yet committed.

**How.** Every store of a set goes through the engine's public verbs into an empty bank of its \
own, and every question
is asked of it. *recall@k* is the share of right memories among the first k, *any@5* how often one \
of the first five is
right, *ndcg@10* rewards right ones near the top, *mrr* is one divided by the place of the first \
right one, *silent* how
often nothing is answered although there is an answer. The range in brackets is the 95 % interval: \
the questions of a
set are drawn again with replacement {metrics.DRAW_COUNT:,} times (percentile bootstrap, seed \
{metrics.SEED}), so it says how
far another draw of such questions may lie, nothing about other kinds. *vectors alone* is the \
engine without keywords.
*questions/s* counts the call alone, in one thread, while another set may be measured beside it.
"""


def write(folder: Path, parts: Mapping[str, Part]) -> None:
    """Write the page and the picture into a folder."""
    rows = _goal_rows(parts)
    if rows:
        (folder / PICTURE).write_text(picture("Where each measure stands", rows), encoding="utf-8")
    sections = [_HEAD, _goals(parts), _sets(parts.get(SETS)), _precise(parts.get(PRECISE))]
    sections += [_ablations(parts.get(ABLATED)), _read(parts.get(READ))]
    (folder / PAGE).write_text("\n".join(filter(None, sections)), encoding="utf-8")


def _part(goal: Goal) -> str:
    return PRECISE if goal.set == OWN else SETS


def _group(goal: Goal) -> str:
    return HELD_OUT if goal.set == OWN else goal.set


def _found(parts: Mapping[str, Part], goal: Goal) -> dict[str, Estimate]:
    """What a goal's measure came to, by way."""
    ways = record.results(parts.get(_part(goal), {})).get(_group(goal), {})
    return {way: found[goal.measure] for way, found in ways.items() if goal.measure in found}


def _goal_rows(parts: Mapping[str, Part]) -> list[Row]:
    rows: list[Row] = []
    for goal in GOALS:
        found = _found(parts, goal)
        if OURS in found:
            plain, vectors = (found[way].value if way in found else None for way in (BM25, VECTORS))
            name = f"own set, {goal.measure}" if goal.set == OWN else f"{goal.set}  {goal.measure}"
            rows.append(Row(name, found[OURS], plain, vectors, goal.least))
    return rows


def _goals(parts: Mapping[str, Part]) -> str:
    rows: list[Sequence[str]] = []
    for goal in GOALS:
        found = _found(parts, goal)
        if OURS not in found:
            continue
        value = found[OURS].value
        reached = "yes" if value >= goal.least else f"no, {goal.least - value:.3f} short"
        others = (f"{found[way].value:.3f}" if way in found else "" for way in (BM25, VECTORS))
        changes = (
            _change(parts[_part(goal)], since, _group(goal), goal.measure, value)
            for since in ("run", "commit")
        )
        rows.append(
            (
                goal.set,
                goal.measure,
                *others,
                _ranged(found[OURS]),
                f"{goal.least:.2f}",
                reached,
                *changes,
            )
        )
    heads = (
        "set",
        "measure",
        BM25,
        VECTORS,
        f"**{OURS}**",
        "goal",
        "reached",
        "since last run",
        "since last commit",
    )
    return (
        "## Goals\n\nOur own precision set counts with its held-out half only. A change is against"
        " what stood in\n`docs/quality.json` before the run, and in the last commit.\n\n"
        + _table(heads, rows)
        + f"\n![Where each measure stands]({PICTURE})\n"
    )


def _change(part: Part, since: str, group: str, measure: str, value: float) -> str:
    former = part["before"][since]["values"].get(group, {}).get(measure)
    return "new" if former is None else f"{value - former:+.3f}"


def _sets(part: Part | None) -> str:
    if not part:
        return ""
    measures = (*metrics.RANKING, *metrics.PACE)
    rows: list[Sequence[str]] = []
    for name, ways in record.results(part).items():
        docs, questions = part["sizes"][name]
        for way, found in ways.items():
            size = (name, f"{docs:,}", f"{questions:,}") if way == OURS else ("", "", "")
            rows.append((*size, f"**{way}**" if way == OURS else way, *_cells(found, measures)))
    return (
        f"## Public sets\n\n{_made(part, 'python -m evals')} They are the development halves of"
        " public\nquestion sets, and the weights were chosen on them, so these numbers are fitted."
        " Every question has an\nanswer.\n\n"
        + _table(("set", "memories", "questions", "asked with", *measures), rows)
    )


def _precise(part: Part | None) -> str:
    if not part:
        return ""
    measures = tuple(metrics.PRECISION)
    rows: list[Sequence[str]] = []
    for group, ways in record.results(part).items():
        for way, found in ways.items():
            first = (group, f"{part['sizes'][group]:,}") if way == OURS else ("", "")
            rows.append((*first, f"**{way}**" if way == OURS else way, *_cells(found, measures)))
    return f"""## Our own precision set

{_made(part, "python -m evals precision")} Six invented stores
(`evals/precision`), asked without a limit; a third of the questions have no answer in their \
store, a third ask for
a fact that has changed. Thresholds may be chosen on the dev half; the held-out half is only \
reported.

- *precision*: which share of everything returned to answerable questions holds the current \
answer. *Lenient* also lets
  pass what is related (named in the file by hand) and what is superseded, where it stands below \
its successor.
- *recall*: which share of the current answers is returned. An answer marked as unsure counts as \
silence here, so that
  nobody gains by being sure of nothing.
- *unanswerable admitted*: how often a question without an answer gets nothing, or only what is \
marked as unsure.
- *superseded on top*: how often an old value stands above the current one, or in its place. Lower \
is better.

""" + _table(("questions", "number", "asked with", *measures), rows)


def _ablations(part: Part | None) -> str:
    if not part:
        return ""
    found = record.results(part)
    chosen = [goal for goal in GOALS if _group(goal) in found]
    ways = list(dict.fromkeys(way for group in found.values() for way in group))
    rows: list[Sequence[str]] = []
    for way in ways:
        cells: list[str] = []
        for goal in chosen:
            group = found[_group(goal)]
            value, whole = group[way][goal.measure].value, group[OURS][goal.measure].value
            cells.append(f"{value:.3f}" if way == OURS else f"{value - whole:+.3f}")
        rows.append((f"**{way}**" if way == OURS else way, *cells))
    heads = (
        "",
        *(f"{'own set' if goal.set == OWN else goal.set} {goal.measure}" for goal in chosen),
    )
    command = f"python -m evals --ablate --every {part['every']}"
    return (
        f"## What each ingredient brings\n\n{_made(part, command)}\nThe first row is everything"
        " together, on every so many-th question of the public sets and on all of our own;\neach"
        " row below tells what changes when one thing is taken out.\n\n" + _table(heads, rows)
    )


def _read(part: Part | None) -> str:
    if not part:
        return ""
    found = record.results(part)
    rows: list[Sequence[str]] = []
    for goal in GOALS:
        if group := found.get(_group(goal)):
            without, read = (group[way] for way in (UNREAD, OURS))
            before, after = without[goal.measure].value, read[goal.measure].value
            shown = (
                f"{before:.3f}",
                f"**{after:.3f}**",
                f"{after - before:+.3f}",
                f"{goal.least:.2f}",
            )
            paces = (
                f"{1000 / way[PACE].value:.0f} ms" if PACE in way else "" for way in (without, read)
            )
            rows.append((goal.set, goal.measure, *shown, *paces))
    heads = ("set", "measure", "without", "with", "change", "goal", "a question without", "with")
    command = f"python -m evals --reranker --every {part['every']}"
    return (
        f"## What the reranker brings and costs\n\n{_made(part, command)}\nThe best candidates are"
        " read together with the question; `COMMONPLACE_RERANKER=none` leaves that out.\nOn every"
        " so many-th question of the public sets, and on all of our own.\n\n" + _table(heads, rows)
    )


def _made(part: Part, command: str) -> str:
    return f"`{command}`, {part['date']} UTC, commit {part['commit']}, {part['machine']}."


def _cells(found: Mapping[str, Estimate], measures: Sequence[str]) -> list[str]:
    return [_ranged(found[measure]) if measure in found else "" for measure in measures]


def _ranged(estimate: Estimate) -> str:
    if estimate.value > 1:  # A pace, not a share.
        return f"{estimate.value:.0f} ({estimate.low:.0f}–{estimate.high:.0f})"
    return f"{estimate.value:.3f} ({estimate.low:.3f}–{estimate.high:.3f})"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] + ["---:"] * (len(heads) - 1), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)
