"""Export and import: all canonical data as JSON lines, in one order and one spelling, for any
store.

The first line names the format and counts the rows of each type, so that a truncated file is
detected. The archive has no time of export: exporting an import into an empty home gives the same
bytes.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from commonplace import filesystem, ids, validation
from commonplace.engine.banks import require_bank
from commonplace.engine.operations.archive_import import ArchiveImporter, with_line_number
from commonplace.engine.runtime import Runtime
from commonplace.errors import Invalid, TooLarge, Unsupported
from commonplace.limits import COUNT_MAX
from commonplace.records.receipt import WHOLE_BANK, Portion
from commonplace.storage import archive
from commonplace.storage.archive_schema import SHAPES, Kind, Shape
from commonplace.storage.rows import derivations

Progress: TypeAlias = Callable[[int, int | None], None]

FORMAT = "commonplace-archive"
FORMAT_NUMBER = 1
LINE_CHARS_MAX = 256_000_000  # Far beyond any row; it refuses a file without line breaks.
_REPORT_EVERY = 200
_YEAR_MS = 366 * 24 * 3_600_000
_TYPE_NAMES: dict[type, str] = {
    int: "a whole number",
    str: "a string",
    list: "a list of strings",
    dict: "an object",
}
_FIELD_TYPES: dict[Kind, type] = {
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
_EXPORT_HINT = "Make an archive with `commonplace export`."


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
    """The rows of an import by type: new, updated to a later state, or already stored."""

    added: Mapping[str, int]
    continued: Mapping[str, int]
    skipped: Mapping[str, int]
    dry_run: bool = False

    @property
    def changed(self) -> int:
        """How many rows were written."""
        return sum(self.added.values()) + sum(self.continued.values())


class _DryRunRollback(Exception):
    """Rolls back a dry run."""


def export(
    runtime: Runtime,
    write: Callable[[str], object],
    *,
    bank: str | None = None,
    portion: Portion = WHOLE_BANK,
    progress: Progress | None = None,
) -> ExportReport:
    """Write all canonical data, or one bank, as JSON lines. It is one consistent state, whatever
    others write meanwhile.

    An archive of a user, a project or a document has its memories with their documents, sessions,
    reminders and streams. It has no directives, mental models, jobs or authors of revisions.
    """
    if portion.session is not None or portion.forgotten:
        raise Unsupported(
            "Only a user, a project or a document can be exported.",
            hint="Leave out the other options.",
        )
    with runtime.db.snapshot():
        bank_id = require_bank(runtime, bank).id if bank is not None else None
        report = ExportReport(archive.count_rows(runtime.db, bank_id, portion))
        write(
            _format_line({"format": FORMAT, "number": FORMAT_NUMBER, "counts": dict(report.counts)})
        )
        for done, (shape, row) in enumerate(
            archive.iterate_rows(runtime.db, bank_id, portion), start=1
        ):
            write(_format_line({"type": shape.name, **row}))
            if progress and (done % _REPORT_EVERY == 0 or done == report.total):
                progress(done, report.total)
    return report


def export_to(
    runtime: Runtime,
    target: Path,
    *,
    bank: str | None = None,
    portion: Portion = WHOLE_BANK,
    progress: Progress | None = None,
) -> ExportReport:
    """Export into a new file that only its owner can read. The file appears when it is complete and
    replaces none.
    """
    with (
        filesystem.new_file(target) as part,
        part.open("w", encoding="utf-8", newline="\n") as file,
    ):
        return export(runtime, file.write, bank=bank, portion=portion, progress=progress)


def import_archive(
    runtime: Runtime,
    lines: Iterable[str],
    *,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> ImportReport:
    """Import an archive: all of it, or nothing and an error that names the line.

    Banks are matched by name. Rows that exist already are skipped, so a second import changes
    nothing. A dry run does everything and rolls it back.
    """
    importer = ArchiveImporter(runtime.db, runtime.clock.now())
    try:
        with runtime.db.transaction():
            _read_all(importer, lines, ids.smallest_id(runtime.clock.now() + _YEAR_MS), progress)
            derivations.rebuild(runtime.db)
            if dry_run:
                raise _DryRunRollback
    except _DryRunRollback:
        pass
    return ImportReport(importer.added, importer.continued, importer.skipped, dry_run)


def import_from(
    runtime: Runtime, source: Path, *, dry_run: bool = False, progress: Progress | None = None
) -> ImportReport:
    """Import a file or a pipe."""
    filesystem.check_name(source)
    with (
        filesystem.translate_os_errors(source),
        source.open(encoding="utf-8-sig", newline="\n") as file,
    ):
        return import_archive(runtime, read_lines(file), dry_run=dry_run, progress=progress)


def _read_all(
    importer: ArchiveImporter, lines: Iterable[str], id_max: int, progress: Progress | None
) -> None:
    seen, number, expected_counts = dict.fromkeys(SHAPES, 0), 0, cast("dict[str, int] | None", None)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        with with_line_number(number):
            value = _parse_object(line)
            if expected_counts is None:
                expected_counts = _header_counts(value)
                continue
            shape = _parse_shape(value)
            row = _parse_row(shape, value, id_max)
        importer.import_row(number, shape, row)
        seen[shape.name] += 1
        if progress and number % _REPORT_EVERY == 0:
            progress(number - 1, sum(expected_counts.values()))
    if expected_counts is None:
        raise Invalid("The archive is empty.", hint=_EXPORT_HINT)
    importer.finish()
    for name, count in expected_counts.items():
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


def _format_line(value: dict[str, Any]) -> str:
    text = archive.encode_json(value)
    # Programs that split at every Unicode line break must still read one row per line.
    for line_break, escape in (("\x85", "\\u0085"), ("\u2028", "\\u2028"), ("\u2029", "\\u2029")):
        if line_break in text:
            text = text.replace(line_break, escape)
    return text + "\n"


def read_lines(file: IO[str]) -> Iterator[str]:
    """The lines of an archive. A line without an end is refused."""
    try:
        while line := file.readline(LINE_CHARS_MAX):
            if len(line) == LINE_CHARS_MAX:
                raise TooLarge(
                    f"A line is longer than {LINE_CHARS_MAX:,} characters.", hint=_EXPORT_HINT
                )
            yield line
    except UnicodeDecodeError as error:
        raise Invalid("The file is not UTF-8 text.", hint=_EXPORT_HINT) from error


def _parse_object(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Invalid(
            "This is not JSON.", hint="The file was cut off or edited; export again."
        ) from error
    if not isinstance(value, dict):
        raise Invalid("This is not a JSON object.", hint=_EXPORT_HINT)
    return cast("dict[str, Any]", value)


def _header_counts(header: dict[str, Any]) -> dict[str, int]:
    if header.get("format") != FORMAT:
        raise Invalid("This is not the first line of an archive.", hint=_EXPORT_HINT)
    _check_format_number(header.get("number"))
    counts = header.get("counts")
    if not isinstance(counts, dict):
        raise Invalid("The counts are missing.", hint=_EXPORT_HINT)
    expected_counts = cast("dict[str, object]", counts)
    for name, count in expected_counts.items():
        if name not in SHAPES or type(count) is not int or count < 0:
            raise Invalid(
                f"The count of type {name!r} is wrong.", hint=f"Known types: {', '.join(SHAPES)}."
            )
    return {name: cast("int", expected_counts.get(name, 0)) for name in SHAPES}


def _check_format_number(number: object) -> None:
    if type(number) is not int or number < 1:
        raise Invalid("The format number is missing.", hint=_EXPORT_HINT)
    if number > FORMAT_NUMBER:
        raise Unsupported(
            f"The archive has format {number}; this version reads up to {FORMAT_NUMBER}.",
            hint="Install the newest version.",
        )


def _parse_shape(value: dict[str, Any]) -> Shape:
    name = value.pop("type", None)
    if not isinstance(name, str) or name not in SHAPES:
        raise Invalid(f"There is no type {name!r}.", hint=f"Known types: {', '.join(SHAPES)}.")
    return SHAPES[name]


def _parse_row(shape: Shape, value: dict[str, Any], id_max: int) -> dict[str, Any]:
    for name in shape.columns.keys() ^ value.keys():
        what = "has an unknown field" if name in value else "lacks the field"
        raise Invalid(
            f"The {shape.name} {what} {name!r}.", hint=f"Its fields: {', '.join(shape.columns)}."
        )
    for name, kind in shape.columns.items():
        if not (kind.endswith("?") and value[name] is None):
            _validate_field(kind, value[name], name, id_max)
    return {name: value[name] for name in shape.columns}


def _validate_field(kind: Kind, value: object, name: str, id_max: int) -> None:
    """Refuse a value that the store could not have written."""
    expected_type = _FIELD_TYPES[kind]
    if not isinstance(value, expected_type) or (isinstance(value, bool) and kind != "json"):
        raise Invalid(
            f"The field {name!r} is not {_TYPE_NAMES[expected_type]}.",
            hint="Correct the line, or export again.",
        )
    match kind:
        case "text":
            validation.any_text(value, what=name, bytes_max=LINE_CHARS_MAX)
        case "id" | "id?":
            _validate_id(cast("int", value), name, id_max)
        case "moment" | "moment?":
            validation.moment(cast("int", value), what=name)
        case "number" | "number?":
            validation.count(cast("int", value), what=name, least=-COUNT_MAX, most=COUNT_MAX)
        case "list":
            _validate_texts(cast("list[object]", value), name)
        case "object" | "json":
            _validate_json(value, name)


def _validate_texts(items: list[object], name: str) -> None:
    for item in items:
        validation.any_text(item, what=name)


def _validate_id(number: int, name: str, id_max: int) -> None:
    if not 0 < number <= id_max:
        raise Invalid(
            f"The {name} {number} is out of range.", hint="Check the clocks of both machines."
        )


def _validate_json(value: object, name: str) -> None:
    try:
        size = len(archive.encode_json(value).encode())
    except (ValueError, RecursionError) as error:
        raise Invalid(
            f"The {name} cannot be stored.", hint="Use valid Unicode and less nesting."
        ) from error
    if size > LINE_CHARS_MAX:
        raise TooLarge(
            f"The {name} has {size:,} bytes; the limit is {LINE_CHARS_MAX:,}.", hint="Shorten it."
        )
