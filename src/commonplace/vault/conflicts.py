"""Conflict files: where an agent and a person changed the same lines of a note, the agent's text
beside the note.

The note keeps the person's lines. The file is named as Obsidian and Dropbox name theirs, so that
people know what it is, and no file of such a name is read as a note.
"""

from contextlib import suppress
from itertools import count
from pathlib import PurePosixPath

from commonplace import clock, ids
from commonplace.errors import CommonplaceError
from commonplace.filesystem import explained
from commonplace.records.memory import Memory
from commonplace.storage import note_files as rows
from commonplace.vault import folder, frontmatter_yaml
from commonplace.vault.vault import Vault, sha256, title_of

_STEM_BYTES_MAX = 180
_EXPLANATION = (
    (
        "# An agent changed lines of this note that were changed in its file at the same time. The"
        " note keeps those of the"
    ),
    (
        "# file; this is the agent's text. Copy from it what the note is missing, then delete this"
        " file."
    ),
)


def keep_conflict(vault: Vault, memory: Memory, path: str) -> str:
    """Write what a memory says beside the file of its note; where. It is on disk when this
    returns.
    """
    data = _rendered(vault, memory, path)
    place = PurePosixPath(path)
    stem = place.stem.encode()[:_STEM_BYTES_MAX].decode(errors="ignore").rstrip()
    part = folder.stage(vault.root, data)
    try:
        for number in count(1):
            again = f", {number}" if number > 1 else ""
            target = str(
                place.with_name(f"{stem} (conflicted copy, version {memory.version}{again}).md")
            )
            if folder.publish(part, vault.root, target) or _holds(vault, target, data):
                rows.put_conflict_file(vault.engine.db, vault.bank, target, memory.id, sha256(data))
                return target
    finally:
        part.unlink(missing_ok=True)
    raise AssertionError


def remove_conflicts(vault: Vault) -> None:
    """Remove the conflict files of erased notes; one that a person changed since is theirs."""
    for path, fingerprint in rows.erased_conflict_files(vault.engine.db, vault.bank):
        # A file in a folder that nobody may write to is tried again.
        with suppress(CommonplaceError):
            there = folder.seen(vault.root, path) is not None
            if there and sha256(folder.contents(vault.root, path)) == fingerprint:
                with explained(vault.root / path):
                    (vault.root / path).unlink(missing_ok=True)
            rows.drop_conflict_file(vault.engine.db, vault.bank, path)


def _rendered(vault: Vault, memory: Memory, path: str) -> bytes:
    said = vault.engine.history(vault.bank, memory.id)[-1]
    head = {
        "conflict_of": frontmatter_yaml.quoted(f"[[{PurePosixPath(path).stem}]]"),
        "note": ids.note(memory.id),
        "version": str(memory.version),
        "written_at": clock.iso(said.at),
        "written_by": frontmatter_yaml.written(
            said.origin.who or said.origin.dialect or "an agent"
        ),
        "title": frontmatter_yaml.written(title_of(memory)),
        "tags": frontmatter_yaml.written_list(memory.tags),
    }
    lines = [
        "---",
        *_EXPLANATION,
        *(f"{name}: {value}" for name, value in head.items()),
        "---",
        "",
        memory.text,
        "",
    ]
    return "\n".join(lines).encode()


def _holds(vault: Vault, path: str, data: bytes) -> bool:
    with suppress(CommonplaceError):
        return sha256(folder.contents(vault.root, path)) == sha256(data)
    return False
