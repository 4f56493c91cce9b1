"""Finds the notes that link to a note."""

from collections.abc import Iterable, Mapping, Sequence

from commonplace.records.memory import Memory
from commonplace.storage.rows import note_files as rows
from commonplace.vault.note_format.markdown import linkable_names
from commonplace.vault.vault import Vault, aliases_of, path_of, title_of


def backlinks(vault: Vault, memories: Sequence[Memory]) -> dict[int, list[str]]:
    """The paths of the notes that link to each note; notes without links to them are left out."""
    bank_id = vault.bank_id
    by_note = {
        one.id: linkable_names(path_of(one), title_of(one), aliases_of(one))
        for one in filter(path_of, memories)
    }
    if bank_id is None or not by_note:
        return {}
    notes_by_name = _invert(by_note)
    paths: dict[int, set[str]] = {number: set() for number in by_note}
    for link in rows.backlinks(vault.engine.db, bank_id, notes_by_name.keys()):
        for number in notes_by_name.get(link.name, ()):
            if number != link.memory_id:
                paths[number].add(link.path)
    return {number: sorted(found) for number, found in paths.items() if found}


def _invert(names_by_note: Mapping[int, Iterable[str]]) -> dict[str, list[int]]:
    """The notes that each name may mean."""
    notes: dict[str, list[int]] = {}
    for number, names in names_by_note.items():
        for name in names:
            notes.setdefault(name, []).append(number)
    return notes
