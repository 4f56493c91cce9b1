"""Puts the rows of an archive into a store, one after the other, inside the caller's transaction.

What is already here stays; what is missing is added; a memory that went on in the file goes on
here. Where two things claim one id or key, the import is refused whole.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from commonplace import ids, validation
from commonplace.engine.draft_validation import checked_draft
from commonplace.errors import Conflict, Invalid, TooLarge, Unsupported
from commonplace.records.memory import Draft, Memory, Origin, Scope
from commonplace.storage import archive, banks, memories, text_index
from commonplace.storage.archive import BANK, MEMORY, REVISION, VERSION, Shape
from commonplace.storage.database import Database, Row

_SCOPE = ("project", "user", "agent", "run")
_EXPORT_AGAIN = "Export again and import the whole file."


@contextmanager
def located(line: int) -> Generator[None]:
    """Say in which line of the file a refusal arose."""
    try:
        yield
    except (Invalid, Conflict, TooLarge, Unsupported) as error:
        raise type(error)(f"Line {line}: {error.message}", hint=error.hint) from error


@dataclass(slots=True)
class _Chain:
    """The memory whose versions are being read."""

    line: int
    row: Row
    stored_version: int
    last: Row | None = None


@dataclass(slots=True)
class _Numbering:
    """The revisions of one project: how many were here before, how many the file has, and whether
    they are the same.
    """

    stored: int
    filed: int = 0
    parted: bool = False
    own: int = 0


class Importing:
    """One import under way."""

    def __init__(self, db: Database, now: int) -> None:
        self.added: dict[str, int] = {}
        self.continued: dict[str, int] = {}
        self.skipped: dict[str, int] = {}
        self._db = db
        self._now = now
        self._banks: dict[int, int] = {}
        self._numberings: dict[tuple[int, str], _Numbering] = {}
        self._chain: _Chain | None = None
        self._parents: dict[str, int] = {}
        self._last_id = 0

    def take(self, line: int, shape: Shape, row: Row) -> None:
        """Put one row into the store."""
        if shape is not VERSION:
            self._end_chain()
        with located(line):
            placed = self._placed(shape, row)
            if shape is BANK:
                self._take_bank(placed)
            elif shape is REVISION:
                self._take_revision(placed)
            elif shape is MEMORY:
                self._take_memory(line, placed)
            elif shape is VERSION:
                self._take_version(placed)
            else:
                self._take_plain(shape, placed)

    def finish(self) -> None:
        """End the last memory and move the id counter beyond every id of the file."""
        self._end_chain()
        if self._last_id:
            banks.skip_ids(self._db, self._last_id)

    def _placed(self, shape: Shape, row: Row) -> Row:
        """The row with the bank it belongs to here, once it is known to follow what it refers
        to.
        """
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

    def _take_bank(self, row: Row) -> None:
        name = validation.name(row["name"], what="bank")
        if row["id"] in self._banks:
            raise Invalid("Two banks have the same id.", hint=_EXPORT_AGAIN)
        stored = banks.find(self._db, name)
        if stored is not None:
            self._banks[row["id"]] = stored.id
            return self._count(self.skipped, BANK)
        taken = archive.find(self._db, BANK, row) is not None
        number = banks.new_ids(self._db, self._now)[0] if taken else row["id"]
        archive.put(self._db, BANK, {**row, "id": number})
        self._banks[row["id"]] = number
        self._count(self.added, BANK)

    def _take_revision(self, row: Row) -> None:
        place = (row["bank_id"], row["project"])
        if place not in self._numberings:
            self._numberings[place] = _Numbering(memories.newest_revision(self._db, *place))
        numbering = self._numberings[place]
        if row["number"] != numbering.filed + 1:
            raise Invalid(
                f"Revision {row['number']} follows revision {numbering.filed}.", hint=_EXPORT_AGAIN
            )
        numbering.filed += 1
        if row["number"] <= numbering.stored:
            stored = archive.find(self._db, REVISION, row)
            numbering.parted = (
                numbering.parted or stored is None or not _same(REVISION, stored, row)
            )
        if numbering.parted or row["number"] <= numbering.stored:
            return self._count(self.skipped, REVISION)
        archive.put(self._db, REVISION, row)
        self._count(self.added, REVISION)

    def _take_memory(self, line: int, row: Row) -> None:
        if (
            row["document_id"] is not None
            and archive.document_bank(self._db, row["document_id"]) != row["bank_id"]
        ):
            raise Invalid("The memory's document is not in its bank.", hint=_EXPORT_AGAIN)
        stored = archive.find(self._db, MEMORY, row)
        if stored is None:
            self._check_free(MEMORY, row["id"], row["id"])
            archive.put(self._db, MEMORY, row)
        elif not _same(MEMORY, stored, row):
            raise _taken(MEMORY, row)
        self._chain = _Chain(line, row, stored["version"] if stored else 0)

    def _take_version(self, row: Row) -> None:
        chain = self._chain
        if chain is None:
            raise Invalid("The version does not follow its memory.", hint=_EXPORT_AGAIN)
        number = chain.last["number"] + 1 if chain.last else 1
        if row["number"] != number:
            raise Invalid(f"This is not version {number} of its memory.", hint=_EXPORT_AGAIN)
        checked_draft(_draft(chain.row, row))
        chain.last = row
        if number <= chain.stored_version:
            stored = archive.find(self._db, VERSION, row)
            if stored is None or not _same(VERSION, stored, row):
                raise Conflict(
                    f"Memory {ids.short(row['memory_id'])} has a different version {number} in the"
                    " store.",
                    hint=(
                        "It was changed on both sides after the copy was made. Import into an empty"
                        " home instead."
                    ),
                )
            return self._count(self.skipped, VERSION)
        self._check_free(VERSION, row["id"], row["memory_id"])
        archive.put(
            self._db, VERSION, {**row, "revision": self._revision(chain.row, row["revision"])}
        )
        self._count(self.added, VERSION)

    def _revision(self, memory: Row, filed: int) -> int:
        """The revision a version belongs to here.

        Where the file goes on from what is here, its own numbers hold. Where both went on by
        themselves, a past revision must not change after the fact, so everything the import adds to
        a project is one new revision.
        """
        numbering = self._numberings.get((memory["bank_id"], memory["project"]))
        if numbering is None or not 1 <= filed <= numbering.filed:
            raise Invalid(
                f"Revision {filed} of the version is not in the file.", hint=_EXPORT_AGAIN
            )
        if not numbering.parted and numbering.stored <= numbering.filed:
            return filed
        if not numbering.own:
            place = (memory["bank_id"], memory["project"])
            numbering.own = memories.add_revision(self._db, *place, "import", self._now, Origin())
        return numbering.own

    def _check_free(self, shape: Shape, number: int, memory_id: int) -> None:
        """Refuse an id that leads to another memory: memories and versions are looked up by
        either.
        """
        if archive.owner(self._db, number) not in (None, memory_id):
            raise _taken(shape, {"id": number})

    def _end_chain(self) -> None:
        chain, self._chain = self._chain, None
        if chain is None:
            return
        with located(chain.line):
            if chain.last is None or not _is_newest(chain.row, chain.last):
                raise Invalid(
                    "The memory is not in the state of its newest version.", hint=_EXPORT_AGAIN
                )
            if chain.row["version"] <= chain.stored_version:
                return self._count(self.skipped, MEMORY)
            if chain.stored_version:
                archive.put(self._db, MEMORY, chain.row)
            text_index.index_memory(self._db, _memory(chain.row))
            self._count(self.continued if chain.stored_version else self.added, MEMORY)

    def _take_plain(self, shape: Shape, row: Row) -> None:
        stored = archive.find(self._db, shape, row)
        if stored is None:
            archive.put(self._db, shape, row)
            self._count(self.added, shape)
        elif not _same(shape, stored, row):
            raise _taken(shape, row)
        elif shape.moments and _moment(shape, row) > _moment(shape, stored):
            archive.put(self._db, shape, row)
            self._count(self.continued, shape)
        else:
            self._count(self.skipped, shape)

    def _count(self, tally: dict[str, int], shape: Shape) -> None:
        tally[shape.name] = tally.get(shape.name, 0) + 1


def _same(shape: Shape, stored: Row, row: Row) -> bool:
    """Whether two rows with one key are one thing. JSON is compared as text: 1 and true are equal
    only in Python.
    """
    return all(_alike(stored[name], row[name]) for name in shape.fixed)


def _alike(one: object, other: object) -> bool:
    return (
        archive.spelled(one) == archive.spelled(other)
        if isinstance(one, list | dict)
        else one == other
    )


def _moment(shape: Shape, row: Row) -> int:
    return max(row[name] for name in shape.moments if row[name] is not None)


def _is_newest(memory: Row, version: Row) -> bool:
    state = {
        **{name: version[name] for name in archive.CONTENT},
        "version": version["number"],
        "version_id": version["id"],
        "updated_at": version["at"],
        "forgotten_at": version["at"] if version["action"] == "forget" else None,
    }
    return all(_alike(memory[name], value) for name, value in state.items())


def _draft(memory: Row, version: Row) -> Draft:
    content = {name: version[name] for name in archive.CONTENT}
    content |= {"tags": tuple(version["tags"]), "paths": tuple(version["paths"])}
    return Draft(**content, scope=_scope(memory))


def _memory(row: Row) -> Memory:
    values = {name: value for name, value in row.items() if name not in _SCOPE}
    values |= {"tags": tuple(row["tags"]), "paths": tuple(row["paths"])}
    return Memory(**values, scope=_scope(row))


def _scope(row: Row) -> Scope:
    return Scope(*(row[name] for name in _SCOPE))


def _taken(shape: Shape, row: Row) -> Conflict:
    what = f"{shape.name} {ids.short(row['id'])}" if "id" in row else shape.name
    return Conflict(
        f"Another {what} is already in the store.",
        hint="Import into an empty home; ids and keys belong to one thing only.",
    )
