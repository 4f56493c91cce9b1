"""Which file is which note: by the id it carries, by its place, by what is in it, and last by what
it is like.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import count
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TypeAlias

from commonplace import ids
from commonplace.storage import note_files as rows
from commonplace.storage.note_files import Kept
from commonplace.vault import filenames
from commonplace.vault.folder import Listing, Seen
from commonplace.vault.frontmatter import Note, text_of
from commonplace.vault.vault import Vault, mark_of, path_id

_AHEAD_MS = (
    24 * 3_600_000
)  # An id from further in the future was not given out by a clock that goes right.
_ALIKE = 0.5
_PAIRS_MAX = 400
_LINES_MAX = 500


@dataclass(frozen=True, slots=True)
class Found:
    """A file that may have changed, read."""

    path: str
    seen: Seen
    sha256: str
    note: Note


# A file with the id of its note, and whether it is a copy of another note's file.
Named: TypeAlias = tuple[Found, int, bool]


def identified(
    vault: Vault, found: list[Found], known: list[Kept], listing: Listing
) -> Iterable[Named]:
    """Each changed file with the id of its note, and whether it is a copy of another note's
    file.
    """
    by_path, by_id = {one.path: one for one in known}, {one.memory_id: one for one in known}
    changed = {one.path: one for one in found}
    # Files that were not read still carry what they carried.
    owners = {
        one.memory_id: one.path
        for one in known
        if one.path in listing.files and one.path not in changed
    }
    ahead = ids.floor(vault.engine.clock.now() + _AHEAD_MS)
    stems = _Stems(listing)

    def order(one: Found) -> tuple[bool, bool, int, str]:
        kept = by_id.get(one.note.id or 0)
        return (
            not (kept and kept.path == one.path),
            _conflicting(one.path, stems),
            len(one.path),
            one.path,
        )

    lost = _Lost(vault, [one for one in known if one.path not in listing.files], owners)
    lost.expect([one for one in found if one.note.id is None and one.path not in by_path])
    for one in sorted(found, key=order):
        carried = one.note.id if one.note.id is not None and one.note.id <= ahead else None
        kept, suspicious = by_path.get(one.path), _conflicting(one.path, stems)
        if kept and kept.sha256 == one.sha256 and owners.get(kept.memory_id, one.path) == one.path:
            # What it was before it still is, also a copy whose original is gone.
            owners[kept.memory_id] = one.path
            yield (
                one,
                kept.memory_id,
                carried != kept.memory_id and (carried is not None or suspicious),
            )
            continue
        if carried is not None and owners.get(carried, one.path) == one.path:
            owners[carried] = one.path
            yield one, carried, False
            continue
        copy = carried is not None or suspicious
        if (
            kept is not None
            and owners.get(kept.memory_id, one.path) == one.path
            and kept.memory_id != carried
        ):
            number = kept.memory_id
        elif carried is None and (moved := lost.found_again(one)) is not None:
            number, copy = moved, False
        else:
            number = own_id(vault, one.path, owners)
        owners[number] = one.path
        yield one, number, copy


def without_numbered_copies(found: list[Found], known: list[Kept], listing: Listing) -> list[Found]:
    """The files without those that a sync program made beside a note and that carry its id, such as
    `Note (1).md`.
    """
    known_paths = {one.path for one in known}
    owners = {one.memory_id: one.path for one in known} | {
        one.note.id: one.path for one in found if _is_first(one)
    }
    out: list[Found] = []
    for one in found:
        place = PurePosixPath(one.path)
        original = (
            filenames.original_of(place.stem)
            if one.note.id is not None and one.path not in known_paths
            else ""
        )
        beside = str(place.with_name(f"{original}.md")) if original else ""
        if beside in listing.files and owners.get(one.note.id or 0) == beside:
            listing.set_aside(one.path)
        else:
            out.append(one)
    return out


def _is_first(one: Found) -> bool:
    return one.note.id is not None and not filenames.original_of(PurePosixPath(one.path).stem)


class _Lost:
    """Notes whose files are not where they were, to be known again in files that carry no id."""

    def __init__(self, vault: Vault, lost: list[Kept], owners: dict[int, str]) -> None:
        self._vault, self._owners = vault, owners
        self._by_content = {one.sha256: one.memory_id for one in lost}
        self._texts: dict[int, list[str]] = {}
        self._lost = lost

    def expect(self, fresh: list[Found]) -> None:
        """Learn what the lost notes say, if files came that may be theirs; comparing very many
        would take too long.
        """
        waiting = [one for one in fresh if one.sha256 not in self._by_content]
        if not waiting or len(waiting) * len(self._lost) > _PAIRS_MAX:
            return
        contents = {one.sha256 for one in fresh}
        for one in self._lost:
            memory = self._vault.memory(one.memory_id) if one.sha256 not in contents else None
            if memory is not None:
                self._texts[memory.id] = _lines(memory.text)

    def found_again(self, one: Found) -> int | None:
        """The note that a file was: with the same content, or, after a rename and an edit, with
        half of its lines.
        """
        number = self._by_content.pop(one.sha256, None)
        if number is None:
            said = _lines(text_of(one.note))
            scores = {
                number: SequenceMatcher(None, said, lines, autojunk=False).ratio()
                for number, lines in self._texts.items()
                if number not in self._owners
            }
            number = max(scores, key=lambda each: scores[each], default=None)
            number = number if number is not None and scores[number] >= _ALIKE else None
        if number is None or number in self._owners:
            return None
        self._texts.pop(number, None)
        return number


def own_id(vault: Vault, path: str, owners: Mapping[int, str] = MappingProxyType({})) -> int:
    """The id for a file that has none of its own, and that no file among the owners has."""
    for turn in count():
        number = path_id(path, turn)
        if owners.get(number, path) != path:
            continue
        kept, memory = rows.find(vault.engine.db, number), vault.memory(number)
        if memory is None and kept is None:
            return number
        # The same path again is the same note, also when what was known of its file is lost.
        if memory is not None and kept is None and mark_of(memory).get("file") == path:
            return number
        if kept is not None and kept.path == path:
            return number
    raise AssertionError


def _conflicting(path: str, stems: "_Stems") -> bool:
    place = PurePosixPath(path)
    return filenames.conflict(
        place.stem, lambda base: filenames.folded(str(place.with_name(base))) in stems.all
    )


class _Stems:
    """What the files of a folder are called, found out when a name is the first to make it
    matter.
    """

    def __init__(self, listing: Listing) -> None:
        self._listing = listing

    @cached_property
    def all(self) -> set[str]:
        return {filenames.folded(path.removesuffix(".md")) for path in self._listing.files}


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()][:_LINES_MAX]
