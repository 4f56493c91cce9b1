"""The command `eval`: measures how well a store answers questions with known answers."""

import json
import time
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias, cast

import click

from commonplace import clock, ids, validation
from commonplace.errors import Invalid, NotFound, TooLarge
from commonplace.evaluation import metrics
from commonplace.evaluation.metrics import Answer, Estimate
from commonplace.faces.cli import terminal
from commonplace.faces.cli.command import DEFAULT_BANK, CommandCall, with_call
from commonplace.faces.cli.terminal import Column
from commonplace.limits import RECALL_MAX, TEXT_BYTES_MAX
from commonplace.records.query import Filter, Hit, Query, TagMatch

Fields: TypeAlias = Mapping[str, object]

FILE_BYTES_MAX = 20 * TEXT_BYTES_MAX
_FILTER_FIELDS = ("project", "user", "kind", "category")
_ID_FIELDS = ("expected", "superseded", "also_fine")
_FIELDS = ("question", *_ID_FIELDS, "bank", "tags", *_FILTER_FIELDS, "now")
_MEASURE_COLUMNS = (
    Column("measure"),
    Column("value", right=True),
    Column("95 % interval"),
    Column("over", right=True),
)
_EXAMPLE = (
    'Write {"question": "which port?", "expected": ["m0srn2x8v000"]},'
    " or [] if no memory answers it."
)


@dataclass(frozen=True, slots=True)
class Case:
    """A question, its location in the file, and the expected ids."""

    location: str
    text: str
    bank: str
    filter: Filter
    now: int | None
    expected: tuple[int, ...]
    superseded: tuple[int, ...]
    also_fine: tuple[int, ...]


@click.command("eval")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--limit", type=int, metavar="N", default=10, help="Search for at most N memories per question."
)
@click.option(
    "--misses", is_flag=True, help="List the questions that were answered wrongly, and how."
)
@with_call()
def evaluate(call: CommandCall, file: Path, limit: int, misses: bool) -> None:
    """Measure how well the memories answer your own questions.

    Each line of the file is a JSON object with a question and the ids of the memories that answer
    it; one JSON list of such objects works as well. An empty list of ids means that no memory
    answers, and that the store should say so. Optional fields: superseded (ids that were right
    once), also_fine (ids that neither help nor hurt), bank, tags, project, user, kind, category,
    and now (the time of asking). The command changes nothing.

    \b
    Examples:
      echo '{"question": "which port?", "expected": ["m0srn2x8v000"]}' > q.jsonl
      commonplace eval q.jsonl --misses
    """
    validation.count(limit, what="limit", least=1, most=RECALL_MAX)
    cases = [_resolve_ids(call, case) for case in _read_cases(file, call.bank)]
    answers = list(_ask_all(call, cases, limit))
    found = metrics.estimate_measures(
        answers, {**metrics.RANKING, **metrics.PRECISION, **metrics.PACE}
    )
    wrong = [
        (case, answer, why)
        for case, answer in zip(cases, answers, strict=True)
        if (why := metrics.fault_of(answer))
    ]
    if call.as_json:
        listed = [_miss_out(case, answer, why) for case, answer, why in wrong]
        terminal.print_json(report_out(len(cases), limit, found, listed))
        return
    terminal.print_table(
        _MEASURE_COLUMNS, [(name, *_estimate_cells(estimate)) for name, estimate in found.items()]
    )
    for case, answer, why in wrong if misses else ():
        _show_miss(call, case, answer, why)
    _print_summary(cases, len(wrong), offer_list=not misses)


def _print_summary(cases: Sequence[Case], wrong_count: int, *, offer_list: bool) -> None:
    unknown = sum(1 for case in cases if not case.expected)
    questions = terminal.pluralize(len(cases), "question")
    hint = " (--misses lists them)" if offer_list and wrong_count else ""
    terminal.print_note(
        f"Asked {questions}, {unknown} of which no memory answers;"
        f" {wrong_count} answered wrongly{hint}."
    )


def _ask_all(call: CommandCall, cases: Sequence[Case], limit: int) -> Iterator[Answer]:
    with terminal.progress("Asking") as progress:
        # The first question of a process includes loading the models, so it is not measured.
        call.engine.recall(cases[0].bank, Query("warm up", limit=1))
        for number, case in enumerate(cases):
            begun = time.perf_counter()
            with _locate_errors(case.location):
                found = call.engine.recall(
                    case.bank, Query(case.text, case.filter, limit=limit, now=case.now)
                )
            seconds = time.perf_counter() - begun
            yield Answer(
                frozenset(case.expected),
                tuple(number for hit in found.hits for number in _matching_ids(hit, case.expected)),
                frozenset(case.superseded),
                frozenset(case.also_fine),
                found.unsure,
                seconds,
            )
            progress(number + 1, len(cases))


def _matching_ids(hit: Hit, expected: Collection[int]) -> Sequence[int]:
    """The expected ids that a hit or its duplicates have, or else the id of the hit."""
    return [number for number in (hit.memory.id, *hit.copies) if number in expected] or [
        hit.memory.id
    ]


def _resolve_ids(call: CommandCall, case: Case) -> Case:
    """The case with its memories resolved. An unknown id is an error in the file, not a miss of the
    search.
    """
    if case.bank != DEFAULT_BANK:
        call.engine.get_bank(case.bank)
    found: list[int] = []
    for number in case.expected:
        name = ids.short_form(number)
        try:
            memory = call.engine.get(case.bank, number)
        except NotFound as error:
            raise NotFound(
                f"{case.location} expects {name}, which bank {case.bank!r} does not have.",
                hint="Correct the id or the bank; `commonplace list` shows the ids.",
            ) from error
        if memory.forgotten_at is not None:
            raise NotFound(
                f"{case.location} expects {name}, which was forgotten.",
                hint=f"Remove it from the file, or run `commonplace restore {name}`.",
            )
        found.append(memory.id)
    return replace(case, expected=tuple(found))


@contextmanager
def _locate_errors(place: str) -> Generator[None]:
    """Adds the location in the file to errors."""
    try:
        yield
    except (Invalid, TooLarge) as error:
        raise type(error)(f"{place}: {error.message}", hint=error.hint) from error


def _read_cases(file: Path, bank: str) -> list[Case]:
    cases = [_parse_case(place, given, bank) for place, given in _parse_objects(_read_file(file))]
    if not cases:
        raise Invalid("The file has no questions.", hint=_EXAMPLE)
    return cases


def _read_file(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            given = stream.read(FILE_BYTES_MAX + 1)
    except FileNotFoundError as error:
        raise NotFound(f"There is no file {file}.", hint="Check the name.") from error
    except IsADirectoryError as error:
        raise Invalid(
            f"{file} is a folder.", hint="Give the name of a file with questions."
        ) from error
    if len(given) > FILE_BYTES_MAX:
        raise TooLarge(
            f"{file} has more than {FILE_BYTES_MAX:,} bytes.", hint="Split it into parts."
        )
    try:
        return given.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid(
            f"{file} is not UTF-8 text.", hint="Convert it first, for example with `iconv`."
        ) from error


def _parse_objects(text: str) -> Iterator[tuple[str, object]]:
    """The objects of the file with their locations: a list, an object with a list, or one object
    per line.
    """
    try:
        whole: Any = json.loads(text)
    except RecursionError as error:
        raise Invalid("The file is nested too deeply.", hint=_EXAMPLE) from error
    except ValueError as error:
        if text.lstrip().startswith("["):
            raise Invalid(f"The file is not JSON: {error}.", hint=_EXAMPLE) from error
        yield from _parse_lines(text)
        return
    listed: object = whole
    if isinstance(whole, dict) and "questions" in whole:
        listed = cast("dict[str, object]", whole)["questions"]
    many = cast("list[object]", listed) if isinstance(listed, list) else [listed]
    yield from ((f"Question {number}", one) for number, one in enumerate(many, 1))


def _parse_lines(text: str) -> Iterator[tuple[str, object]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield f"Line {number}", json.loads(line)
            except (ValueError, RecursionError) as error:
                raise Invalid(f"Line {number} is not JSON: {error}.", hint=_EXAMPLE) from error


def _parse_case(place: str, given: object, bank: str) -> Case:
    if not isinstance(given, dict):
        raise Invalid(f"{place} is not an object.", hint=_EXAMPLE)
    fields = cast("Fields", given)
    unknown = [name for name in fields if name not in _FIELDS]
    if unknown:
        raise Invalid(
            f"{place} has an unknown field {unknown[0]!r}.",
            hint=f"Use some of: {', '.join(_FIELDS)}.",
        )
    text = _string_field(place, fields, "question")
    if not text.strip():
        raise Invalid(f"{place} has no question.", hint=_EXAMPLE)
    if "expected" not in fields:
        raise Invalid(f"{place} has no expected ids.", hint=_EXAMPLE)
    now = _string_field(place, fields, "now")
    with _locate_errors(place):
        asked_at = clock.parse_moment(now) if now else None
    return Case(
        place,
        text,
        _string_field(place, fields, "bank") or bank,
        _build_filter(place, fields),
        asked_at,
        *(_id_field(place, fields, name) for name in _ID_FIELDS),
    )


def _build_filter(place: str, fields: Fields) -> Filter:
    tags = tuple(str(tag) for tag in _list_field(place, fields, "tags"))
    values = {name: _string_field(place, fields, name) for name in _FILTER_FIELDS}
    return Filter(
        projects=(values["project"],) if values["project"] else None,
        users=(values["user"],) if values["user"] else None,
        kinds=(values["kind"],) if values["kind"] else None,
        categories=(values["category"],) if values["category"] else None,
        where=TagMatch(tags) if tags else None,
    )


def _id_field(place: str, fields: Fields, name: str) -> tuple[int, ...]:
    found: list[int] = []
    for form in _list_field(place, fields, name):
        if not isinstance(form, int | str):
            raise Invalid(
                f"{place} has {form!r} in {name!r}, which is not an id.",
                hint="Write ids as `commonplace list` prints them.",
            )
        with _locate_errors(f"{place}, {name!r}"):
            found.append(ids.parse(form))
    return tuple(found)


def _list_field(place: str, fields: Fields, name: str) -> list[object]:
    value = fields.get(name, [])
    if isinstance(value, int | str):  # A single value counts as a list of one.
        return [value]
    if not isinstance(value, list):
        raise Invalid(f"{place}: {name!r} is not a list.", hint=f'Write "{name}": [...].')
    return cast("list[object]", value)


def _string_field(place: str, fields: Fields, name: str) -> str:
    value = fields.get(name, "")
    if not isinstance(value, str):
        raise Invalid(f"{place}: {name!r} is not a string.", hint=f'Write "{name}": "...".')
    return value


def _estimate_cells(estimate: Estimate) -> tuple[str, str, str]:
    if estimate.value > 1:  # A rate, not a proportion.
        return (
            f"{estimate.value:.0f}",
            f"{estimate.low:.0f}–{estimate.high:.0f}",
            str(estimate.count),
        )
    return f"{estimate.value:.3f}", f"{estimate.low:.3f}–{estimate.high:.3f}", str(estimate.count)


def report_out(
    count: int, limit: int, found: Mapping[str, Estimate], misses: Sequence[Mapping[str, object]]
) -> dict[str, object]:
    """The measurements as JSON."""
    measures = {
        name: {
            "value": round(e.value, 4),
            "low": round(e.low, 4),
            "high": round(e.high, 4),
            "questions": e.count,
        }
        for name, e in found.items()
    }
    return {"questions": count, "limit": limit, "measures": measures, "misses": list(misses)}


def _miss_out(case: Case, answer: Answer, why: str) -> dict[str, object]:
    expected, found = (
        [ids.short_form(one) for one in case.expected],
        [ids.short_form(int(one)) for one in answer.found],
    )
    return {
        "question": case.text,
        "bank": case.bank,
        "why": why,
        "expected": expected,
        "found": found,
    }


_FOUND_SHOWN = 3


def _show_miss(call: CommandCall, case: Case, answer: Answer, why: str) -> None:
    terminal.print_line()
    terminal.print_line(
        terminal.style(why, fg="yellow"), "  ", terminal.style(case.text, bold=True)
    )
    _show_memories(call, case.bank, "expected", case.expected)
    found = tuple(int(one) for one in answer.found)
    _show_memories(call, case.bank, "found", found[:_FOUND_SHOWN])
    if len(found) > _FOUND_SHOWN:
        terminal.print_line(
            " " * 11, terminal.style(f"and {len(found) - _FOUND_SHOWN} more", dim=True)
        )


def _show_memories(call: CommandCall, bank: str, head: str, numbers: Sequence[int]) -> None:
    if not numbers:
        terminal.print_line(terminal.style(f"  {head:<9}nothing", dim=True))
    for place, number in enumerate(numbers):
        name = terminal.style(f"  {'' if place else head:<9}", dim=True)
        text = terminal.shorten(call.engine.get(bank, number).text, terminal.width() - 26)
        terminal.print_line(
            name, terminal.style(ids.short_form(number), fg="cyan"), "  ", terminal.style(text)
        )
