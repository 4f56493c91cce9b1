"""Export and import: everything canonical as JSON lines, in one order and one spelling, and back
into any store.

The first line names the format and counts the rows of each type, so that a file that was cut off is
noticed. There is no time of day in it: exporting what was imported into an empty home gives the
same bytes.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from commonplace import filesystem, ids, validation
from commonplace.engine.banks import known
from commonplace.engine.operations.archive_import import Importing, located
from commonplace.engine.runtime import Parts
from commonplace.errors import Invalid, TooLarge, Unsupported
from commonplace.limits import COUNT_MAX
from commonplace.records.receipt import WHOLE, Portion
from commonplace.storage import archive, derivations
from commonplace.storage.archive import SHAPES, Kind, Shape

Progress: TypeAlias = Callable[[int, int | None], None]

FORMAT = "commonplace-archive"
NUMBER = 1
LINE_CHARS_MAX = 256_000_000  # Far beyond any row; it stops a file that has no lines at all.
_REPORT_EVERY = 200
_YEAR_MS = 366 * 24 * 3_600_000
_NAMES: dict[type, str] = {
    int: "a whole number",
    str: "a string",
    list: "a list of strings",
    dict: "an object",
}
_WANTED: dict[Kind, type] = {
    "id": int,
    "id?": int,
    "number": int,
    "number?": int,
    "moment": int,
    "moment?": int,
    "text": str,
    "list": list,
    "object": dict,
    "json": object,
}
_EXPORT_FIRST = "Make an archive with `commonplace export`."


@dataclass(frozen=True, slots=True)
class ExportReport:
    """How many rows of each type an archive holds."""

    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        """How many rows in all."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did, by type: new here, brought up to a later state, or already here."""

    added: Mapping[str, int]
    continued: Mapping[str, int]
    skipped: Mapping[str, int]
    dry_run: bool = False

    @property
    def changed(self) -> int:
        """How many rows were written."""
        return sum(self.added.values()) + sum(self.continued.values())


class _RehearsedError(Exception):
    """Takes back what a dry run did."""


def export(
    parts: Parts,
    write: Callable[[str], object],
    *,
    bank: str | None = None,
    portion: Portion = WHOLE,
    progress: Progress | None = None,
) -> ExportReport:
    """Write everything canonical, or one bank, as JSON lines. It is one state, whatever others
    write meanwhile.

    Of a part of a bank go the memories of a user, a project or a document with their documents,
    sessions, reminders and streams, and neither directives, mental models and jobs nor who changed
    a project when.
    """
    if portion.session is not None or portion.forgotten:
        raise Unsupported(
            "Only a user, a project or a document can be exported.",
            hint="Leave out the other options.",
        )
    with parts.db.snapshot():
        bank_id = known(parts, bank).id if bank is not None else None
        report = ExportReport(archive.counts(parts.db, bank_id, portion))
        write(_line({"format": FORMAT, "number": NUMBER, "counts": dict(report.counts)}))
        for done, (shape, row) in enumerate(archive.rows(parts.db, bank_id, portion), start=1):
            write(_line({"type": shape.name, **row}))
            if progress and (done % _REPORT_EVERY == 0 or done == report.total):
                progress(done, report.total)
    return report


def export_to(
    parts: Parts,
    target: Path,
    *,
    bank: str | None = None,
    portion: Portion = WHOLE,
    progress: Progress | None = None,
) -> ExportReport:
    """Export into a new file that only its owner can read; it appears when it is complete and
    replaces nothing.
    """
    with (
        filesystem.new_file(target) as part,
        part.open("w", encoding="utf-8", newline="\n") as file,
    ):
        return export(parts, file.write, bank=bank, portion=portion, progress=progress)


def import_archive(
    parts: Parts, lines: Iterable[str], *, dry_run: bool = False, progress: Progress | None = None
) -> ImportReport:
    """Bring an archive into the store: all of it, or nothing and a refusal that names the line.

    Banks are matched by name. What is already here is skipped, so a second import changes nothing.
    A dry run does everything and takes it back.
    """
    importing = Importing(parts.db, parts.clock.now())
    try:
        with parts.db.transaction():
            _read_all(importing, lines, ids.floor(parts.clock.now() + _YEAR_MS), progress)
            derivations.rebuild(parts.db)
            if dry_run:
                raise _RehearsedError
    except _RehearsedError:
        pass
    return ImportReport(importing.added, importing.continued, importing.skipped, dry_run)


def import_from(
    parts: Parts, source: Path, *, dry_run: bool = False, progress: Progress | None = None
) -> ImportReport:
    """Import a file, or what comes out of a pipe."""
    filesystem.check_name(source)
    with filesystem.explained(source), source.open(encoding="utf-8-sig", newline="\n") as file:
        return import_archive(parts, _lines(file), dry_run=dry_run, progress=progress)


def _read_all(
    importing: Importing, lines: Iterable[str], id_max: int, progress: Progress | None
) -> None:
    seen, number, promised = dict.fromkeys(SHAPES, 0), 0, cast("dict[str, int] | None", None)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        with located(number):
            value = _object(line)
            if promised is None:
                promised = _promised(value)
                continue
            shape = _shape(value)
            row = _row(shape, value, id_max)
        importing.take(number, shape, row)
        seen[shape.name] += 1
        if progress and number % _REPORT_EVERY == 0:
            progress(number - 1, sum(promised.values()))
    if promised is None:
        raise Invalid("The archive is empty.", hint=_EXPORT_FIRST)
    importing.finish()
    for name, count in promised.items():
        if seen[name] != count:
            raise Invalid(
                f"Line {number}: the archive ends after {seen[name]} of {count} rows of type"
                f" {name}.",
                hint=(
                    "It was cut off or edited. Export again, or correct the counts in its first"
                    " line."
                ),
            )
    if progress:
        progress(sum(seen.values()), sum(seen.values()))


def _line(value: dict[str, Any]) -> str:
    text = archive.spelled(value)
    # Programs that cut at every line break Unicode knows must still see one row on one line.
    for mark, escape in (("\x85", "\\u0085"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029")):
        if mark in text:
            text = text.replace(mark, escape)
    return text + "\n"


def _lines(file: IO[str]) -> Iterator[str]:
    try:
        while line := file.readline(LINE_CHARS_MAX):
            if len(line) == LINE_CHARS_MAX:
                raise TooLarge(
                    f"A line is longer than {LINE_CHARS_MAX:,} characters.", hint=_EXPORT_FIRST
                )
            yield line
    except UnicodeDecodeError as error:
        raise Invalid("The file is not UTF-8 text.", hint=_EXPORT_FIRST) from error


def _object(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Invalid(
            "This is not JSON.", hint="The file was cut off or edited; export again."
        ) from error
    if not isinstance(value, dict):
        raise Invalid("This is not a JSON object.", hint=_EXPORT_FIRST)
    return cast("dict[str, Any]", value)


def _promised(header: dict[str, Any]) -> dict[str, int]:
    if header.get("format") != FORMAT:
        raise Invalid("This is not the first line of an archive.", hint=_EXPORT_FIRST)
    number, counts = header.get("number"), header.get("counts")
    if type(number) is not int or number < 1:
        raise Invalid("The format number is missing.", hint=_EXPORT_FIRST)
    if number > NUMBER:
        raise Unsupported(
            f"The archive has format {number}; this version reads up to {NUMBER}.",
            hint="Install the newest version.",
        )
    if not isinstance(counts, dict):
        raise Invalid("The counts are missing.", hint=_EXPORT_FIRST)
    promised = cast("dict[str, object]", counts)
    for name, count in promised.items():
        if name not in SHAPES or type(count) is not int or count < 0:
            raise Invalid(
                f"The count of type {name!r} is wrong.", hint=f"Known types: {', '.join(SHAPES)}."
            )
    return {name: cast("int", promised.get(name, 0)) for name in SHAPES}


def _shape(value: dict[str, Any]) -> Shape:
    name = value.pop("type", None)
    if not isinstance(name, str) or name not in SHAPES:
        raise Invalid(f"There is no type {name!r}.", hint=f"Known types: {', '.join(SHAPES)}.")
    return SHAPES[name]


def _row(shape: Shape, value: dict[str, Any], id_max: int) -> dict[str, Any]:
    for name in shape.columns.keys() ^ value.keys():
        what = "has an unknown field" if name in value else "lacks the field"
        raise Invalid(
            f"The {shape.name} {what} {name!r}.", hint=f"Its fields: {', '.join(shape.columns)}."
        )
    for name, kind in shape.columns.items():
        if not (kind.endswith("?") and value[name] is None):
            _check(kind, value[name], name, id_max)
    return {name: value[name] for name in shape.columns}


def _check(kind: Kind, value: object, name: str, id_max: int) -> None:
    """Refuse a value that the store could not have written itself."""
    wanted = _WANTED[kind]
    if not isinstance(value, wanted) or (isinstance(value, bool) and kind != "json"):
        raise Invalid(
            f"The field {name!r} is not {_NAMES[wanted]}.",
            hint="Correct the line, or export again.",
        )
    match value:
        case str() if kind == "text":
            validation.passage(value, what=name, bytes_max=LINE_CHARS_MAX)
        case int() if kind in ("id", "id?"):
            if not 0 < value <= id_max:
                raise Invalid(
                    f"The {name} {value} is out of range.",
                    hint="Check the clocks of both machines.",
                )
        case int() if kind in ("moment", "moment?"):
            validation.moment(value, what=name)
        case int() if kind in ("number", "number?"):
            validation.count(value, what=name, least=-COUNT_MAX, most=COUNT_MAX)
        case list() if kind == "list":
            for item in cast("list[object]", value):
                validation.passage(item, what=name)
        case _:
            _check_json(cast("object", value), name)


def _check_json(value: object, name: str) -> None:
    try:
        size = len(archive.spelled(value).encode())
    except (ValueError, RecursionError) as error:
        raise Invalid(
            f"The {name} cannot be stored.", hint="Use valid Unicode and less nesting."
        ) from error
    if size > LINE_CHARS_MAX:
        raise TooLarge(
            f"The {name} has {size:,} bytes; the limit is {LINE_CHARS_MAX:,}.", hint="Shorten it."
        )
