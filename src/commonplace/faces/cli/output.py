"""The JSON output of all commands. Texts are never cut; times are ISO 8601 in UTC or null."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from commonplace import ids, lazy
from commonplace.faces.cli.terminal import iso
from commonplace.records.memory import Bank, Memory, Outcome, Project, TagCount, Version
from commonplace.records.query import Dropped, Hit
from commonplace.records.receipt import ErasedItem, Receipt
from commonplace.reserved_metadata import NOTE_FIELD

if TYPE_CHECKING:
    from commonplace.vault import vault
else:
    vault = lazy.module("commonplace.vault.vault")


def memory_out(memory: Memory, bank: str) -> dict[str, object]:
    """A memory, with its id in printed form and as a number."""
    return {
        "id": ids.short_form(memory.id),
        "number": memory.id,
        "bank": bank,
        "text": memory.text,
        "title": memory.title,
        "kind": memory.kind,
        "key": memory.key,
        "tags": list(memory.tags),
        "metadata": dict(memory.metadata),
        "paths": list(memory.paths),
        "category": memory.category,
        **asdict(memory.scope),
        "version": memory.version,
        "created_at": iso(memory.created_at),
        "updated_at": iso(memory.updated_at),
        "happened_at": iso(memory.happened_at),
        "happened_until": iso(memory.happened_until),
        "expires_at": iso(memory.expires_at),
        "forgotten_at": iso(memory.forgotten_at),
    }


def path_of(memory: Memory) -> str:
    """The path of a note's file below the folder of notes; "" if the memory is no note."""
    # Most memories are none, and then nothing of the vault is imported.
    return vault.path_of(memory) if NOTE_FIELD in memory.metadata else ""


def outcome_out(outcome: Outcome, bank: str) -> dict[str, object]:
    """The change that a write made, its revision (0 for none) and the memory after it."""
    return {
        "change": outcome.change,
        "revision": outcome.revision,
        "memory": memory_out(outcome.memory, bank),
    }


def receipt_out(receipt: Receipt) -> dict[str, object]:
    """What an erasure deleted: ids and keyed hashes, but no text."""
    return {
        "change": "purged",
        "bank": receipt.bank,
        "at": iso(receipt.at),
        "who": receipt.origin.who,
        "dialect": receipt.origin.dialect,
        "reason": receipt.origin.reason,
        "asked": dict(receipt.asked),
        "counts": receipt.counts,
        "gone": [_erased_out(one) for one in receipt.gone],
        "shortened": [_erased_out(one) for one in receipt.shortened],
        "log_emptied": receipt.log_emptied,
        "copies": list(receipt.copies),
    }


def _erased_out(one: ErasedItem) -> dict[str, object]:
    return {
        "kind": one.kind,
        "id": ids.short_form(one.id),
        "number": one.id,
        "hash": one.hash,
        "derived": one.derived,
    }


def version_out(version: Version) -> dict[str, object]:
    """One version of a memory, with its author, time, dialect and reason."""
    return {
        "version": version.number,
        "action": version.action,
        "at": iso(version.at),
        **asdict(version.origin),
        "revision": version.revision,
        "id": ids.short_form(version.id),
        "memory": ids.short_form(version.memory_id),
        "text": version.text,
        "title": version.title,
        "kind": version.kind,
        "key": version.key,
        "tags": list(version.tags),
        "metadata": dict(version.metadata),
        "paths": list(version.paths),
        "category": version.category,
        "happened_at": iso(version.happened_at),
        "happened_until": iso(version.happened_until),
        "expires_at": iso(version.expires_at),
    }


def hit_out(hit: Hit, bank: str) -> dict[str, object]:
    """A hit: its score, its channels, and the ids of its duplicates."""
    copies = [ids.short_form(number) for number in hit.copies]
    return {
        "score": hit.score,
        "channels": dict(hit.channels),
        "memory": memory_out(hit.memory, bank),
        "path": path_of(hit.memory),
        "copies": copies,
    }


def dropped_out(dropped: Dropped) -> dict[str, object]:
    """A candidate that was left out, and why."""
    number = dropped.memory_id
    return {
        "id": ids.short_form(number),
        "number": number,
        "score": dropped.score,
        "why": dropped.why,
    }


def tag_out(tag: TagCount) -> dict[str, object]:
    """A tag and its number of live memories."""
    return asdict(tag)


def bank_out(bank: Bank, memory_count: int) -> dict[str, object]:
    """A bank and its number of live memories."""
    return {
        "name": bank.name,
        "memory_count": memory_count,
        "title": bank.title,
        "mission": bank.mission,
        "config": dict(bank.config),
        "created_at": iso(bank.created_at),
    }


def project_out(project: Project) -> dict[str, object]:
    """A project, how many live memories it has, and its newest revision."""
    return {**asdict(project), "changed_at": iso(project.changed_at)}
