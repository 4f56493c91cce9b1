"""Imports the rows of an archive one after the other, inside the caller's transaction.

Stored rows stay, missing rows are added, and a memory with newer versions in the file gets these
versions. A conflict about an id or a key refuses the whole import.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from commonplace import ids, validation
from commonplace.engine.draft_validation import validate_draft
from commonplace.errors import Conflict, Invalid, TooLarge, Unsupported
from commonplace.records.memory import Draft, Memory, Origin, Scope
from commonplace.storage import archive, text_index
from commonplace.storage.archive_schema import (
    BANK,
    CONTENT,
    MEMORY,
    REVISION,
    VERSION,
    Shape,
)
from commonplace.storage.database import Database, Row
from commonplace.storage.rows import banks, memories

_SCOPE = ("project", "user", "agent", "run")
_EXPORT_AGAIN = "Export again and import the whole file."


@contextmanager
def with_line_number(line: int) -> Generator[None]:
    """Add the line number of the file to an error."""
    try:
        yield
    except (Invalid, Conflict, TooLarge, Unsupported) as error:
        raise type(error)(f"Line {line}: {error.message}", hint=error.hint) from error


@dataclass(slots=True)
class _VersionChain:
    """The memory whose versions are being imported."""

    line: int
    row: Row
    stored_version: int
    last: Row | None = None


@dataclass(slots=True)
class _RevisionNumbers:
    """The revisions of one project: the number stored before, the number in the file, and whether
    the two diverge.
    """

    stored_count: int
    file_count: int = 0
    has_diverged: bool = False
    import_revision: int = 0


class ArchiveImporter:
    """The state of one import."""

    def __init__(self, db: Database, now: int) -> None:
        self.added: dict[str, int] = {}
        self.continued: dict[str, int] = {}
        self.skipped: dict[str, int] = {}
        self._db = db
        self._now = now
        self._banks: dict[int, int] = {}
        self._numberings: dict[tuple[int, str], _RevisionNumbers] = {}
        self._chain: _VersionChain | None = None
        self._parents: dict[str, int] = {}
        self._last_id = 0

    def import_row(self, line: int, shape: Shape, row: Row) -> None:
        """Import one row."""
        if shape is not VERSION:
            self._end_chain()
        with with_line_number(line):
            local_row = self._with_local_bank(shape, row)
            if shape is BANK:
                self._import_bank(local_row)
            elif shape is REVISION:
                self._import_revision(local_row)
            elif shape is MEMORY:
                self._import_memory(line, local_row)
            elif shape is VERSION:
                self._import_version(local_row)
            else:
                self._import_plain_row(shape, local_row)

    def finish(self) -> None:
        """Finish the last memory and move the id counter beyond every id in the file."""
        self._end_chain()
        if self._last_id:
            banks.skip_ids(self._db, self._last_id)

    def _with_local_bank(self, shape: Shape, row: Row) -> Row:
        """The row with its local bank id, after checking that its parents precede it."""
        self._last_id = max(
            self._last_id,
            *(row[name] or 0 for name, kind in shape.columns.items() if "id" in kind),
            0,
        )
        if shape.parent and row[shape.parent] != self._parents.get(shape.parent):
            raise Invalid(
                f"The {shape.name} comes before the row it belongs to.", hint=_EXPORT_AGAIN
            )
        for child in shape.children:
            self._parents[child.parent] = row["id"]
        if "bank_id" not in row:
            return row
        if row["bank_id"] not in self._banks:
            raise Invalid(f"The {shape.name} comes before its bank.", hint=_EXPORT_AGAIN)
        return {**row, "bank_id": self._banks[row["bank_id"]]}

    def _import_bank(self, row: Row) -> None:
        name = validation.name(row["name"], what="bank")
        if row["id"] in self._banks:
            raise Invalid("Two banks have the same id.", hint=_EXPORT_AGAIN)
        stored = banks.find(self._db, name)
        if stored is not None:
            self._banks[row["id"]] = stored.id
            return self._count(self.skipped, BANK)
        taken = archive.find_row(self._db, BANK, row) is not None
        number = banks.new_ids(self._db, self._now)[0] if taken else row["id"]
        archive.put_row(self._db, BANK, {**row, "id": number})
        self._banks[row["id"]] = number
        self._count(self.added, BANK)

    def _import_revision(self, row: Row) -> None:
        project_address = (row["bank_id"], row["project"])
        if project_address not in self._numberings:
            self._numberings[project_address] = _RevisionNumbers(
                memories.newest_revision(self._db, *project_address)
            )
        numbering = self._numberings[project_address]
        if row["number"] != numbering.file_count + 1:
            raise Invalid(
                f"Revision {row['number']} follows revision {numbering.file_count}.",
                hint=_EXPORT_AGAIN,
            )
        numbering.file_count += 1
        if row["number"] <= numbering.stored_count:
            stored = archive.find_row(self._db, REVISION, row)
            numbering.has_diverged = (
                numbering.has_diverged or stored is None or not _is_same_row(REVISION, stored, row)
            )
        if numbering.has_diverged or row["number"] <= numbering.stored_count:
            return self._count(self.skipped, REVISION)
        archive.put_row(self._db, REVISION, row)
        self._count(self.added, REVISION)

    def _import_memory(self, line: int, row: Row) -> None:
        if (
            row["document_id"] is not None
            and archive.bank_of_document(self._db, row["document_id"]) != row["bank_id"]
        ):
            raise Invalid("The memory's document is not in its bank.", hint=_EXPORT_AGAIN)
        stored = archive.find_row(self._db, MEMORY, row)
        if stored is None:
            self._require_free_id(MEMORY, row["id"], row["id"])
            archive.put_row(self._db, MEMORY, row)
        elif not _is_same_row(MEMORY, stored, row):
            raise _id_conflict(MEMORY, row)
        self._chain = _VersionChain(line, row, stored["version"] if stored else 0)

    def _import_version(self, row: Row) -> None:
        chain = self._chain
        if chain is None:
            raise Invalid("The version does not follow its memory.", hint=_EXPORT_AGAIN)
        number = chain.last["number"] + 1 if chain.last else 1
        if row["number"] != number:
            raise Invalid(f"This is not version {number} of its memory.", hint=_EXPORT_AGAIN)
        validate_draft(_draft(chain.row, row))
        chain.last = row
        if number <= chain.stored_version:
            stored = archive.find_row(self._db, VERSION, row)
            if stored is None or not _is_same_row(VERSION, stored, row):
                raise Conflict(
                    f"Memory {ids.short_form(row['memory_id'])} has a different version {number} in"
                    " the store.",
                    hint=(
                        "It was changed on both sides after the copy was made. Import into an empty"
                        " home instead."
                    ),
                )
            return self._count(self.skipped, VERSION)
        self._require_free_id(VERSION, row["id"], row["memory_id"])
        archive.put_row(
            self._db, VERSION, {**row, "revision": self._revision(chain.row, row["revision"])}
        )
        self._count(self.added, VERSION)

    def _revision(self, memory: Row, filed: int) -> int:
        """The local revision of a version.

        Where the file continues the stored revisions, its numbers are kept. Where both sides
        continued, a past revision must not change, so everything the import adds to a project
        becomes one new revision.
        """
        numbering = self._numberings.get((memory["bank_id"], memory["project"]))
        if numbering is None or not 1 <= filed <= numbering.file_count:
            raise Invalid(
                f"Revision {filed} of the version is not in the file.", hint=_EXPORT_AGAIN
            )
        if not numbering.has_diverged and numbering.stored_count <= numbering.file_count:
            return filed
        if not numbering.import_revision:
            project_address = (memory["bank_id"], memory["project"])
            numbering.import_revision = memories.add_revision(
                self._db, *project_address, "import", self._now, Origin()
            )
        return numbering.import_revision

    def _require_free_id(self, shape: Shape, number: int, memory_id: int) -> None:
        """Refuse an id of another memory. Memories and versions share one space of ids."""
        if archive.memory_of_id(self._db, number) not in (None, memory_id):
            raise _id_conflict(shape, {"id": number})

    def _end_chain(self) -> None:
        chain, self._chain = self._chain, None
        if chain is None:
            return
        with with_line_number(chain.line):
            if chain.last is None or not _is_newest(chain.row, chain.last):
                raise Invalid(
                    "The memory is not in the state of its newest version.", hint=_EXPORT_AGAIN
                )
            if chain.row["version"] <= chain.stored_version:
                return self._count(self.skipped, MEMORY)
            if chain.stored_version:
                archive.put_row(self._db, MEMORY, chain.row)
            text_index.index_memory(self._db, _memory(chain.row))
            self._count(self.continued if chain.stored_version else self.added, MEMORY)

    def _import_plain_row(self, shape: Shape, row: Row) -> None:
        stored = archive.find_row(self._db, shape, row)
        if stored is None:
            archive.put_row(self._db, shape, row)
            self._count(self.added, shape)
        elif not _is_same_row(shape, stored, row):
            raise _id_conflict(shape, row)
        elif shape.moments and _moment(shape, row) > _moment(shape, stored):
            archive.put_row(self._db, shape, row)
            self._count(self.continued, shape)
        else:
            self._count(self.skipped, shape)

    def _count(self, tally: dict[str, int], shape: Shape) -> None:
        tally[shape.name] = tally.get(shape.name, 0) + 1


def _is_same_row(shape: Shape, stored: Row, row: Row) -> bool:
    """Whether two rows with the same key are the same. JSON is compared as text, because 1 equals
    true in Python.
    """
    return all(_is_equal(stored[name], row[name]) for name in shape.fixed)


def _is_equal(one: object, other: object) -> bool:
    return (
        archive.encode_json(one) == archive.encode_json(other)
        if isinstance(one, list | dict)
        else one == other
    )


def _moment(shape: Shape, row: Row) -> int:
    return max(row[name] for name in shape.moments if row[name] is not None)


def _is_newest(memory: Row, version: Row) -> bool:
    state = {
        **{name: version[name] for name in CONTENT},
        "version": version["number"],
        "version_id": version["id"],
        "updated_at": version["at"],
        "forgotten_at": version["at"] if version["action"] == "forget" else None,
    }
    return all(_is_equal(memory[name], value) for name, value in state.items())


def _draft(memory: Row, version: Row) -> Draft:
    content = {name: version[name] for name in CONTENT}
    content |= {"tags": tuple(version["tags"]), "paths": tuple(version["paths"])}
    return Draft(**content, scope=_scope(memory))


def _memory(row: Row) -> Memory:
    values = {name: value for name, value in row.items() if name not in _SCOPE}
    values |= {"tags": tuple(row["tags"]), "paths": tuple(row["paths"])}
    return Memory(**values, scope=_scope(row))


def _scope(row: Row) -> Scope:
    return Scope(*(row[name] for name in _SCOPE))


def _id_conflict(shape: Shape, row: Row) -> Conflict:
    what = f"{shape.name} {ids.short_form(row['id'])}" if "id" in row else shape.name
    return Conflict(
        f"Another {what} is already in the store.",
        hint="Import into an empty home, because ids and keys must be unique.",
    )
