"""Conflict files: the agent's text beside a note whose lines a person changed at the same time.

The note keeps the person's lines. The file is named like conflict copies of Obsidian and Dropbox,
which people know; such files are not read as notes.
"""

from contextlib import suppress
from itertools import count
from pathlib import PurePosixPath

from commonplace import clock, ids
from commonplace.errors import CommonplaceError
from commonplace.filesystem import translate_os_errors
from commonplace.records.memory import Memory
from commonplace.storage.rows import note_files as rows
from commonplace.vault.folder import folder
from commonplace.vault.note_format import frontmatter_yaml
from commonplace.vault.vault import Vault, sha256, title_of

_STEM_BYTES_MAX = 180
_COMMENT_LINES = (
    (
        "# An agent changed lines of this note that were changed in its file at the same time. The"
        " note keeps those of the"
    ),
    (
        "# file; this is the agent's text. Copy from it what the note is missing, then delete this"
        " file."
    ),
)


def write_conflict_file(vault: Vault, memory: Memory, path: str) -> str:
    """Write the text of a memory beside the file of its note; returns the path."""
    data = _render(vault, memory, path)
    place = PurePosixPath(path)
    stem = place.stem.encode()[:_STEM_BYTES_MAX].decode(errors="ignore").rstrip()
    part = folder.stage(vault.root, data)
    try:
        for number in count(1):
            again = f", {number}" if number > 1 else ""
            target = str(
                place.with_name(f"{stem} (conflicted copy, version {memory.version}{again}).md")
            )
            if folder.publish(part, vault.root, target) or _has_content(vault, target, data):
                rows.put_conflict_file(vault.engine.db, vault.bank, target, memory.id, sha256(data))
                return target
    finally:
        part.unlink(missing_ok=True)
    raise AssertionError


def remove_conflict_files(vault: Vault) -> None:
    """Remove the conflict files of erased notes, except those that a person changed."""
    for path, fingerprint in rows.erased_conflict_files(vault.engine.db, vault.bank):
        # A file in a read-only folder is tried again later.
        with suppress(CommonplaceError):
            there = folder.stat_file(vault.root, path) is not None
            if there and sha256(folder.read_bytes(vault.root, path)) == fingerprint:
                with translate_os_errors(vault.root / path):
                    (vault.root / path).unlink(missing_ok=True)
            rows.drop_conflict_file(vault.engine.db, vault.bank, path)


def _render(vault: Vault, memory: Memory, path: str) -> bytes:
    said = vault.engine.history(vault.bank, memory.id)[-1]
    head = {
        "conflict_of": frontmatter_yaml.dump_quoted(f"[[{PurePosixPath(path).stem}]]"),
        "note": ids.note_form(memory.id),
        "version": str(memory.version),
        "written_at": clock.iso(said.at),
        "written_by": frontmatter_yaml.dump_scalar(
            said.origin.who or said.origin.dialect or "an agent"
        ),
        "title": frontmatter_yaml.dump_scalar(title_of(memory)),
        "tags": frontmatter_yaml.dump_list(memory.tags),
    }
    lines = [
        "---",
        *_COMMENT_LINES,
        *(f"{name}: {value}" for name, value in head.items()),
        "---",
        "",
        memory.text,
        "",
    ]
    return "\n".join(lines).encode()


def _has_content(vault: Vault, path: str, data: bytes) -> bool:
    with suppress(CommonplaceError):
        return sha256(folder.read_bytes(vault.root, path)) == sha256(data)
    return False
