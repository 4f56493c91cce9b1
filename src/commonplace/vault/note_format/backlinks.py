"""Finds the notes that link to a note."""

from collections.abc import Sequence

from commonplace.records.memory import Memory
from commonplace.storage.rows import note_files as rows
from commonplace.vault.note_format.markdown import linkable_names
from commonplace.vault.vault import Vault, aliases_of, path_of, title_of


def backlinks(vault: Vault, memories: Sequence[Memory]) -> dict[int, list[str]]:
    """The paths of the notes that link to each note; notes without links to them are left out."""
    bank_id = vault.bank_id
    noted = [memory for memory in memories if path_of(memory)]
    if bank_id is None or not noted:
        return {}
    by_note = {
        one.id: linkable_names(path_of(one), title_of(one), aliases_of(one)) for one in noted
    }
    paths: dict[str, list[tuple[int, str]]] = {}
    for link in rows.backlinks(
        vault.engine.db, bank_id, {name for names in by_note.values() for name in names}
    ):
        paths.setdefault(link.name, []).append((link.memory_id, link.path))
    found = {
        number: sorted(
            {path for name in names for source, path in paths.get(name, ()) if source != number}
        )
        for number, names in by_note.items()
    }
    return {number: each for number, each in found.items() if each}
