"""Matches files with notes: by id, by path, by content, and last by similar lines."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import count
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import NamedTuple

from commonplace import ids
from commonplace.storage.rows import note_files as rows
from commonplace.storage.rows.note_files import NoteFile
from commonplace.vault.folder import filenames
from commonplace.vault.folder.folder import FileStat, Listing
from commonplace.vault.note_format.frontmatter import Note, note_text
from commonplace.vault.vault import Vault, path_id, vault_metadata

# An id from further in the future comes from a wrong clock or was made up.
_CLOCK_SKEW_MS = 24 * 3_600_000
_SIMILARITY_MIN = 0.5
_PAIRS_MAX = 400
_LINES_MAX = 500


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that may have changed, with its content as a note."""

    path: str
    stat: FileStat
    sha256: str
    note: Note


class MatchedFile(NamedTuple):
    """A file with the id of its note, and whether it is a copy of another note's file."""

    file: ChangedFile
    memory_id: int
    is_copy: bool


def match_files(
    vault: Vault, files: list[ChangedFile], known: list[NoteFile], listing: Listing
) -> Iterator[MatchedFile]:
    """Match each changed file with a note. Every note gets one file at most."""
    matcher = _Matcher(vault, files, known, listing)
    for file in sorted(files, key=matcher.priority):
        yield matcher.match(file)


class _Matcher:
    """Decides file by file, best candidates first, and remembers which file each note has."""

    def __init__(
        self, vault: Vault, files: list[ChangedFile], known: list[NoteFile], listing: Listing
    ) -> None:
        self._vault = vault
        self._row_by_path = {row.path: row for row in known}
        self._row_by_id = {row.memory_id: row for row in known}
        self._stems = _FileStems(listing)
        self._id_max = ids.smallest_id(vault.engine.clock.now() + _CLOCK_SKEW_MS)
        # The path that each note has; an unchanged file keeps its note.
        unchanged = listing.files.keys() - {file.path for file in files}
        self._owners = {row.memory_id: row.path for row in known if row.path in unchanged}
        lost = [row for row in known if row.path not in listing.files]
        self._missing = _MissingNotes(vault, lost, self._owners)
        self._missing.load_texts([file for file in files if self._is_unknown(file)])

    def _is_unknown(self, file: ChangedFile) -> bool:
        return file.note.id is None and file.path not in self._row_by_path

    def priority(self, file: ChangedFile) -> tuple[bool, bool, int, str]:
        """Sort key: the original of a note comes before its copies."""
        row = self._row_by_id.get(file.note.id or 0)
        is_moved = row is None or row.path != file.path
        return is_moved, _is_conflict(file.path, self._stems), len(file.path), file.path

    def match(self, file: ChangedFile) -> MatchedFile:
        """Match one file, and record it as the file of its note."""
        matched = (
            self._match_unchanged(file)
            or self._match_by_id(file)
            or self._match_by_path(file)
            or self._match_missing(file)
            or self._match_new(file)
        )
        self._owners[matched.memory_id] = file.path
        return matched

    def _match_unchanged(self, file: ChangedFile) -> MatchedFile | None:
        """A known file with the known content keeps its note, also a copy without original."""
        row = self._row_by_path.get(file.path)
        if row is None or row.sha256 != file.sha256 or not self._is_free(row.memory_id, file):
            return None
        has_other_id = self._valid_id(file) != row.memory_id
        return MatchedFile(file, row.memory_id, has_other_id and self._is_copy_likely(file))

    def _match_by_id(self, file: ChangedFile) -> MatchedFile | None:
        number = self._valid_id(file)
        if number is None or not self._is_free(number, file):
            return None
        return MatchedFile(file, number, is_copy=False)

    def _match_by_path(self, file: ChangedFile) -> MatchedFile | None:
        row = self._row_by_path.get(file.path)
        if row is None or not self._is_free(row.memory_id, file):
            return None
        if row.memory_id == self._valid_id(file):
            return None
        return MatchedFile(file, row.memory_id, self._is_copy_likely(file))

    def _match_missing(self, file: ChangedFile) -> MatchedFile | None:
        """A file without an id may be a note whose file was moved or renamed."""
        if self._valid_id(file) is not None:
            return None
        number = self._missing.match(file)
        return None if number is None else MatchedFile(file, number, is_copy=False)

    def _match_new(self, file: ChangedFile) -> MatchedFile:
        number = id_for_path(self._vault, file.path, self._owners)
        return MatchedFile(file, number, self._is_copy_likely(file))

    def _valid_id(self, file: ChangedFile) -> int | None:
        number = file.note.id
        return number if number is not None and number <= self._id_max else None

    def _is_copy_likely(self, file: ChangedFile) -> bool:
        return self._valid_id(file) is not None or _is_conflict(file.path, self._stems)

    def _is_free(self, number: int, file: ChangedFile) -> bool:
        return self._owners.get(number, file.path) == file.path


def without_numbered_copies(
    found: list[ChangedFile], known: list[NoteFile], listing: Listing
) -> list[ChangedFile]:
    """The files without the numbered copies that sync programs make, such as `Note (1).md`.

    A numbered file is a copy if it has the id of the note beside it.
    """
    known_paths = {one.path for one in known}
    owners = _paths_by_id(found, known)
    out: list[ChangedFile] = []
    for one in found:
        is_new = one.note.id is not None and one.path not in known_paths
        beside = _numbered_original(one.path) if is_new else ""
        if beside in listing.files and owners.get(one.note.id or 0) == beside:
            listing.set_aside(one.path)
        else:
            out.append(one)
    return out


def _paths_by_id(found: list[ChangedFile], known: list[NoteFile]) -> dict[int | None, str]:
    """The path of each note: that of a changed file with its id, or else the known one."""
    return {one.memory_id: one.path for one in known} | {
        one.note.id: one.path for one in found if _is_original(one)
    }


def _numbered_original(path: str) -> str:
    """The path of `Note.md` for `Note (1).md`; "" for other names."""
    copy = PurePosixPath(path)
    original = filenames.original_of(copy.stem)
    return str(copy.with_name(f"{original}.md")) if original else ""


def _is_original(one: ChangedFile) -> bool:
    return one.note.id is not None and not filenames.original_of(PurePosixPath(one.path).stem)


class _MissingNotes:
    """Notes without a file, which may have moved to files that have no id."""

    def __init__(self, vault: Vault, lost: list[NoteFile], owners: dict[int, str]) -> None:
        self._vault, self._owners = vault, owners
        self._by_content = {one.sha256: one.memory_id for one in lost}
        self._texts: dict[int, list[str]] = {}
        self._lost = lost

    def load_texts(self, fresh: list[ChangedFile]) -> None:
        """Load the texts of the notes, if some new files have none of their contents.

        Above a limit nothing is loaded, because comparing many pairs takes too long.
        """
        waiting = [one for one in fresh if one.sha256 not in self._by_content]
        if not waiting or len(waiting) * len(self._lost) > _PAIRS_MAX:
            return
        contents = {one.sha256 for one in fresh}
        for one in self._lost:
            memory = self._vault.memory(one.memory_id) if one.sha256 not in contents else None
            if memory is not None:
                self._texts[memory.id] = _lines(memory.text)

    def match(self, one: ChangedFile) -> int | None:
        """The note with the content of a file; else the most similar one, if similar enough."""
        number = self._by_content.pop(one.sha256, None)
        if number is None:
            lines_of_file = _lines(note_text(one.note))
            scores = {
                number: SequenceMatcher(None, lines_of_file, lines, autojunk=False).ratio()
                for number, lines in self._texts.items()
                if number not in self._owners
            }
            number = max(scores, key=lambda each: scores[each], default=None)
            number = number if number is not None and scores[number] >= _SIMILARITY_MIN else None
        if number is None or number in self._owners:
            return None
        self._texts.pop(number, None)
        return number


def id_for_path(vault: Vault, path: str, owners: Mapping[int, str] = MappingProxyType({})) -> int:
    """An id for a file without one: derived from its path, and free."""
    for attempt in count():
        number = path_id(path, attempt)
        if owners.get(number, path) != path:
            continue
        kept, memory = rows.find(vault.engine.db, number), vault.memory(number)
        if memory is None and kept is None:
            return number
        # The same path is the same note, also after its row was lost.
        if memory is not None and kept is None and vault_metadata(memory).get("file") == path:
            return number
        if kept is not None and kept.path == path:
            return number
    raise AssertionError


def _is_conflict(path: str, stems: "_FileStems") -> bool:
    file = PurePosixPath(path)
    return filenames.is_conflict_name(
        file.stem, lambda base: filenames.fold_path(str(file.with_name(base))) in stems.all
    )


class _FileStems:
    """The stems of the files in a folder, collected on first use."""

    def __init__(self, listing: Listing) -> None:
        self._listing = listing

    @cached_property
    def all(self) -> set[str]:
        return {filenames.fold_path(path.removesuffix(".md")) for path in self._listing.files}


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()][:_LINES_MAX]
