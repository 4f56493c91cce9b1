"""The vault of a bank, and conversions between notes and memories."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from commonplace.engine.engine import Engine
from commonplace.engine.facts.fact_metadata import heading
from commonplace.errors import Unsupported
from commonplace.records.memory import Memory
from commonplace.reserved_metadata import NOTE_FIELD, aliases
from commonplace.storage.rows import banks, memories, note_files
from commonplace.vault.folder import filenames
from commonplace.vault.note_format.frontmatter import Note, note_text, text_only_tags
from commonplace.vault.note_format.markdown import text_tags

DEFAULT_BANK = "default"
# The metadata field of a note: its path, and what only the file can express.
VAULT_FIELD = NOTE_FIELD
_BANKS_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Vault:
    """The notes of one bank: an engine, a bank and a folder."""

    engine: Engine
    bank: str
    root: Path

    @property
    def bank_id(self) -> int | None:
        """The number of the bank; None before its first write."""
        found = banks.find(self.engine.db, self.bank)
        return found.id if found else None

    def memory(self, number: int) -> Memory | None:
        """The memory of a note, also a forgotten one."""
        bank_id = self.bank_id
        return memories.find(self.engine.db, bank_id, number) if bank_id is not None else None


def vault_of(engine: Engine, bank: str = DEFAULT_BANK) -> Vault:
    """The vault of a bank: the folder in the settings, or for other banks a folder beside it."""
    if engine.vault is None:
        raise Unsupported("No folder is set for notes.", hint="Set COMMONPLACE_VAULT.")
    if bank == DEFAULT_BANK:
        return Vault(engine, bank, engine.vault)
    plain = filenames.safe_stem(bank)
    # Two banks never share a folder, even if their names differ only in case or in characters
    # that no file name can have.
    name = (
        plain if plain == bank == bank.lower() else f"{plain.lower()}-{sha256(bank.encode())[:8]}"
    )
    return Vault(engine, bank, folders_of(engine.vault)[1] / name)


def folders_of(root: Path) -> tuple[Path, Path]:
    """The folder of the default bank, and the parent folder of the other banks."""
    return (root, root.with_name(f"{root.name}-banks"))


def list_vaults(engine: Engine, *, every: bool = True) -> list[Vault]:
    """The vaults of a store, the default bank first, and erased banks with files left to remove.

    With `every`, also banks with neither notes nor a folder.
    """
    known = [vault_of(engine, bank.name) for bank in banks.list_banks(engine.db, _BANKS_MAX)]
    busy = {*note_files.banks_with_notes(engine.db), *note_files.banks_to_erase(engine.db)}
    folders = engine.vault is not None and folders_of(engine.vault)[1].is_dir()
    chosen = [
        one.bank for one in known if every or one.bank in busy or (folders and one.root.is_dir())
    ]
    return [
        vault_of(engine, name) for name in dict.fromkeys((DEFAULT_BANK, *chosen, *sorted(busy)))
    ]


def sha256(data: bytes) -> str:
    """The hash of a file's content."""
    return hashlib.sha256(data).hexdigest()


def path_id(path: str, turn: int = 0) -> int:
    """The id of a file without one: a hash of its path, smaller than any generated id."""
    digest = hashlib.sha256(f"{filenames.fold_path(path)}\0{turn}".encode()).digest()
    return int.from_bytes(digest[:5]) or 1


def note_metadata(
    note: Note, path: str, *, copy: bool, rest: Mapping[str, object]
) -> dict[str, object]:
    """The metadata for the memory of a note."""
    mark: dict[str, object] = {"file": path}
    if note.phases:
        mark["phases"] = list(note.phases)
    if note.title != note.title.strip():
        # The title of a memory is trimmed; this is the exact one.
        mark["title"] = note.title
    if copy:
        mark["copy"] = True
    if tags := text_only_tags(note):
        mark["text_tags"] = list(tags)
    if note.aliases:
        mark["aliases"] = list(note.aliases)
    return {**rest, VAULT_FIELD: mark}


def vault_metadata(memory: Memory) -> dict[str, Any]:
    """The vault field of a memory's metadata; empty if it is no note."""
    found = memory.metadata.get(VAULT_FIELD)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def path_of(memory: Memory) -> str:
    """The path of a note below the root; "" if a memory is no note."""
    found = vault_metadata(memory).get("file")
    return found if isinstance(found, str) else ""


def aliases_of(memory: Memory) -> tuple[str, ...]:
    """The aliases of a note."""
    return aliases(memory.metadata)


def title_of(memory: Memory) -> str:
    """The exact title of a note; for another memory its title, its key or its first line."""
    given = vault_metadata(memory).get("title")
    if isinstance(given, str) and given.strip() == memory.title:
        return given
    return (
        heading(memory)
        or next((line.strip() for line in memory.text.splitlines() if line.strip()), "")[:200]
    )


def file_tags(memory: Memory, before: Note | None = None) -> tuple[str, ...]:
    """The tags for the frontmatter: without those that are only in the text."""
    given = vault_metadata(memory).get("text_tags")
    only_text = set(cast("list[object]", given)) if isinstance(given, list) else set[object]()
    if before is not None:
        # The tags of an older text may be back.
        only_text = (only_text | set(text_tags(memory.text))) - set(before.tags)
    return tuple(tag for tag in memory.tags if tag not in only_text)


def complete_note(note: Note, memory: Memory) -> Note:
    """The note of a file; unreadable lines of its frontmatter are filled from the memory."""
    if not note.unreadable:
        return note
    return replace(
        note,
        title=title_of(memory) if "title" in note.unreadable else note.title,
        deleted=memory.forgotten_at is not None if "status" in note.unreadable else note.deleted,
        tags=file_tags(memory) if "tags" in note.unreadable else note.tags,
    )


def note_of(memory: Memory, before: Note | None = None) -> Note:
    """The note of a memory, for its file."""
    body = before.body if before is not None and note_text(before) == memory.text else memory.text
    # Only a person changes the time of creation in a file, so it wins.
    created_at = (before.created_at if before is not None else None) or memory.created_at
    return Note(
        title=title_of(memory),
        body=body,
        id=memory.id,
        deleted=memory.forgotten_at is not None,
        created_at=created_at,
        updated_at=memory.updated_at,
        deleted_at=memory.forgotten_at,
        tags=file_tags(memory, before),
        phases=before.phases if before else (),
        aliases=before.aliases if before else (),
    )
