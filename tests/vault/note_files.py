"""Helpers of the vault tests: create a note, read the folder, edit a file as a person does."""

from commonplace.records.memory import Memory, Origin
from commonplace.records.query import Filter
from commonplace.vault.folder.folder import MARKER_NAME
from commonplace.vault.memory_to_file import NewNote, add_note
from commonplace.vault.vault import Vault

BY = Origin(who="ada")


def kept(vault: Vault, title: str = "Plan", body: str = "We sail.", *tags: str) -> Memory:
    return add_note(vault, NewNote(title, body, tags), None, BY)


def files(vault: Vault) -> dict[str, str]:
    found = [
        file
        for file in sorted(vault.root.rglob("*"))
        if file.is_file() and file.name != MARKER_NAME
    ]
    return {str(file.relative_to(vault.root)): file.read_text() for file in found}


def known(vault: Vault) -> dict[str, tuple[str, str, bool]]:
    found = vault.engine.list(vault.bank, Filter(status="any"), limit=1000)
    return {one.title: (one.text, ",".join(one.tags), one.forgotten_at is None) for one in found}


def edit(vault: Vault, name: str, before: str, after: str) -> None:
    file = vault.root / name
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after))
