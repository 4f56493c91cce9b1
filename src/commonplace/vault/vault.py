"""Where the notes of a bank lie, and how a note and a memory say the same."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from commonplace.engine.engine import Engine
from commonplace.engine.facts.fact_metadata import heading
from commonplace.errors import Unsupported
from commonplace.records.memory import Memory
from commonplace.reserved_metadata import NOTE, aliases
from commonplace.storage import banks, memories, note_files
from commonplace.vault import filenames
from commonplace.vault.frontmatter import Note, text_of, text_only_tags
from commonplace.vault.markdown import text_tags

DEFAULT_BANK = "default"
# The field of a memory's metadata that makes it a note: where its file lies, and what only the file
# can say.
MARK = NOTE
_BANKS_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Vault:
    """The notes of one bank: an engine and a folder."""

    engine: Engine
    bank: str
    root: Path

    @property
    def bank_id(self) -> int | None:
        """The bank's number, once somebody wrote to it."""
        found = banks.find(self.engine.db, self.bank)
        return found.id if found else None

    def memory(self, number: int) -> Memory | None:
        """The memory of a note, forgotten or not."""
        bank_id = self.bank_id
        return memories.find(self.engine.db, bank_id, number) if bank_id is not None else None


def vault_of(engine: Engine, bank: str = DEFAULT_BANK) -> Vault:
    """The vault of a bank: of the usual one the folder in the settings, of another a folder of its
    name beside it.
    """
    if engine.vault is None:
        raise Unsupported("No folder is set for notes.", hint="Set COMMONPLACE_VAULT.")
    if bank == DEFAULT_BANK:
        return Vault(engine, bank, engine.vault)
    plain = filenames.stem(bank)
    # Two banks must not share a folder, also where their names differ only in what no file name can
    # say.
    name = (
        plain if plain == bank == bank.lower() else f"{plain.lower()}-{sha256(bank.encode())[:8]}"
    )
    return Vault(engine, bank, folders_of(engine.vault)[1] / name)


def folders_of(root: Path) -> tuple[Path, Path]:
    """The folders in which a store's notes lie: that of the usual bank, and that with the folders
    of the others.
    """
    return (root, root.with_name(f"{root.name}-banks"))


def vaults(engine: Engine, *, every: bool = True) -> list[Vault]:
    """The vaults of a store, that of the usual bank first, and those of erased banks that still
    have files to go.

    With `every`, also those of banks that have neither notes nor a folder yet: most banks hold
    other things.
    """
    known = [vault_of(engine, bank.name) for bank in banks.listed(engine.db, _BANKS_MAX)]
    busy = {*note_files.banks_with_notes(engine.db), *note_files.banks_to_erase(engine.db)}
    folders = engine.vault is not None and folders_of(engine.vault)[1].is_dir()
    chosen = [
        one.bank for one in known if every or one.bank in busy or (folders and one.root.is_dir())
    ]
    return [
        vault_of(engine, name) for name in dict.fromkeys((DEFAULT_BANK, *chosen, *sorted(busy)))
    ]


def sha256(data: bytes) -> str:
    """The fingerprint of a file."""
    return hashlib.sha256(data).hexdigest()


def path_id(path: str, turn: int = 0) -> int:
    """The id of a file that carries none: always the same for the same path, and older than every
    id we give out.
    """
    digest = hashlib.sha256(f"{filenames.folded(path)}\0{turn}".encode()).digest()
    return int.from_bytes(digest[:5]) or 1


def marked(note: Note, path: str, *, copy: bool, rest: Mapping[str, object]) -> dict[str, object]:
    """The metadata of a note's memory."""
    mark: dict[str, object] = {"file": path}
    if note.phases:
        mark["phases"] = list(note.phases)
    if note.title != note.title.strip():
        # Memories trim their titles; a note has the one it was given.
        mark["title"] = note.title
    if copy:
        mark["copy"] = True
    if tags := text_only_tags(note):
        mark["text_tags"] = list(tags)
    if note.aliases:
        mark["aliases"] = list(note.aliases)
    return {**rest, MARK: mark}


def mark_of(memory: Memory) -> dict[str, Any]:
    """What a note's memory knows of its file; empty where it is no note."""
    found = memory.metadata.get(MARK)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def path_of(memory: Memory) -> str:
    """Where the file of a note lies, from the folder of notes on; "" where a memory is no note."""
    found = mark_of(memory).get("file")
    return found if isinstance(found, str) else ""


def aliases_of(memory: Memory) -> tuple[str, ...]:
    """The other names of a note."""
    return aliases(memory.metadata)


def title_of(memory: Memory) -> str:
    """The exact title of a note; that of another memory is its own, the key of a value, or its
    first line.
    """
    given = mark_of(memory).get("title")
    if isinstance(given, str) and given.strip() == memory.title:
        return given
    return (
        heading(memory)
        or next((line.strip() for line in memory.text.splitlines() if line.strip()), "")[:200]
    )


def file_tags(memory: Memory, before: Note | None = None) -> tuple[str, ...]:
    """The tags of a note that stand in its frontmatter; the others stand in its text, and only
    there.
    """
    given = mark_of(memory).get("text_tags")
    only_text = set(cast("list[object]", given)) if isinstance(given, list) else set[object]()
    if before is not None:
        # Also of an older text that came back.
        only_text = (only_text | set(text_tags(memory.text))) - set(before.tags)
    return tuple(tag for tag in memory.tags if tag not in only_text)


def completed(note: Note, memory: Memory) -> Note:
    """What a file says, and where a line of its frontmatter cannot be read, what was known of
    that.
    """
    if not note.unread:
        return note
    return replace(
        note,
        title=title_of(memory) if "title" in note.unread else note.title,
        deleted=memory.forgotten_at is not None if "status" in note.unread else note.deleted,
        tags=file_tags(memory) if "tags" in note.unread else note.tags,
    )


def told(memory: Memory, before: Note | None = None) -> Note:
    """A memory as its file should tell it."""
    body = before.body if before is not None and text_of(before) == memory.text else memory.text
    # When it was made nobody changes but a person, who may know better than the clock.
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
