"""Keys: one chain of versions each. Set one, or let a whole text find its keys."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from commonplace import checks, ids
from commonplace.activities import DocumentDraft, Job
from commonplace.engine import history as past
from commonplace.engine.documents import put_document
from commonplace.engine.drafts import checked_edit, checked_origin, checked_scope
from commonplace.engine.forgetting import forget
from commonplace.engine.jobs import enqueue
from commonplace.engine.memories import newborn, next_version
from commonplace.engine.parts import Parts
from commonplace.engine.revising import Revising
from commonplace.errors import Invalid
from commonplace.extract import placing, slugs
from commonplace.limits import KEY_CHARS_MAX
from commonplace.records import Draft, Edit, Memory, Origin, Outcome, Scope, Unset, Version
from commonplace.storage import banks, jobs, memories


@dataclass(frozen=True, slots=True)
class Source:
    """Where a text comes from and what it is about; both are kept with it and guide where its statements go."""

    name: str = ""
    context: str = ""


@dataclass(frozen=True, slots=True)
class Tree:
    """The keys of a project as they were after a revision, and which revision is the newest."""

    revision: int
    newest: int
    versions: tuple[Version, ...]


def set_key(parts: Parts, bank: str, scope: Scope, key: str, edit: Edit, origin: Origin = Origin()) -> Outcome:
    """Make the next version of a key, which need not exist yet; fields not given stay as they are."""
    checked, owned, author = checked_edit(edit), checked_scope(scope), checked_origin(origin)
    name = checks.name(key, what="key", chars_max=KEY_CHARS_MAX)
    with parts.db.transaction():
        bank_id = banks.ensure(parts.db, checks.name(bank, what="bank"), parts.clock.now()).id
        revising = Revising(parts, bank_id, "set", author)
        return _set(parts, Draft("-", key=name, scope=owned), checked, revising)


def absorb(
    parts: Parts, bank: str, scope: Scope, text: str, source: Source = Source(), origin: Origin = Origin()
) -> tuple[Outcome, ...]:
    """Cut a text into statements with keys and store what is new or changed, all of it in one revision.

    The text itself is kept as a document. A key that the text does not name is not touched.
    """
    checks.body(text)
    owned, author = checked_scope(scope), checked_origin(origin)
    noted = {name: getattr(source, name) for name in ("name", "context") if getattr(source, name)}
    with parts.db.transaction():
        document, _ = put_document(parts, bank, DocumentDraft(_document_name(owned, text), text, metadata=noted))
        known = memories.keys(parts.db, document.bank_id, owned)
        placed = placing.place(text, known, context=source.context, source=source.name)
        revising = Revising(parts, document.bank_id, "absorb", author)
        metadata = {"source": source.name} if source.name else {}
        return tuple(
            _absorb(
                parts, one, Draft("-", key=one.key, metadata=metadata, document_id=document.id, scope=owned), revising
            )
            for one in placed
            if known.get(one.key) != one.text
        )


def absorb_as_job(
    parts: Parts, bank: str, scope: Scope, text: str, source: Source = Source(), origin: Origin = Origin()
) -> Job:
    """Absorb a text now and keep a record of it as a finished job, for callers that expect one.

    Work and record are one transaction: a text that cannot be absorbed is an error, never a job that failed unseen.
    """
    with parts.db.transaction():
        job = enqueue(parts, bank, "absorb", {"project": scope.project})
        outcomes = absorb(parts, bank, scope, text, source, origin)
        result = {"keys": [outcome.memory.key for outcome in outcomes], "changed": len(outcomes)}
        jobs.conclude(parts.db, job.id, json.dumps(result, ensure_ascii=False), parts.clock.now())
    return job


def tree(parts: Parts, bank: str, scope: Scope, prefix: str = "", *, revision: int | None = None) -> Tree:
    """A user's keys in a project, or those below a prefix, in their order; now, or right after a revision."""
    with parts.db.snapshot():
        newest = past.revision(parts, bank, scope.project)
        number = newest if revision is None else revision
        state = past.at_revision(parts, bank, scope.project, number, user=scope.user)
    below = [one for one in state if not prefix or key_of(one) == prefix or key_of(one).startswith(prefix + ".")]
    return Tree(number, newest, tuple(sorted(below, key=key_of)))


def find_key(parts: Parts, bank: str, scope: Scope, key: str) -> Memory | None:
    """What a key names, forgotten or not; a memory without a key answers to its kind and id."""
    found = banks.find(parts.db, bank)
    return _find(parts, found.id, scope, key) if found else None


def forget_keys(
    parts: Parts, bank: str, scope: Scope, key: str = "", origin: Origin = Origin(), *, recursive: bool = False
) -> tuple[Version, ...]:
    """Forget what a key names, with all below it where asked; without a key, all of a user's part of a project."""
    with parts.db.transaction():
        live = tree(parts, bank, scope, key).versions
        doomed = [one for one in live if recursive or not key or key_of(one) == key]
        if doomed:
            forget(parts, bank, [one.memory_id for one in doomed], origin)
    return tuple(doomed)


def key_of(one: Memory | Version) -> str:
    """The key, or for a memory without one its kind and id, so that it can be seen among the others."""
    number = one.id if isinstance(one, Memory) else one.memory_id
    return one.key or f"{slugs.segment(one.kind)}.{ids.short(number)}"


def _find(parts: Parts, bank_id: int, scope: Scope, key: str) -> Memory | None:
    memory = memories.find_by_key(parts.db, bank_id, scope, key)
    if memory is None and (number := _own_id(key)):
        other = memories.find(parts.db, bank_id, number)
        if other and (other.scope.project, other.scope.user) == (scope.project, scope.user) and key_of(other) == key:
            memory = other
    return memory


def _own_id(key: str) -> int | None:
    try:
        return ids.parse(key.rpartition(".")[2])
    except Invalid:
        return None


def _absorb(parts: Parts, one: placing.Placed, draft: Draft, revising: Revising) -> Outcome:
    reason = f"{one.relation}: {one.reason}" if one.reason else one.relation
    return _set(parts, replace(draft, kind=one.kind), Edit(text=one.text), revising, reason)


def _set(parts: Parts, draft: Draft, edit: Edit, revising: Revising, reason: str = "") -> Outcome:
    """Store an edit under the key of a draft, which says what a new memory is besides the edit."""
    given: dict[str, Any] = {field.name: getattr(edit, field.name) for field in fields(edit)}
    given = {name: value for name, value in given.items() if not isinstance(value, Unset)}
    before = _find(parts, revising.bank_id, draft.scope, draft.key)
    if before is None:
        first, second = banks.new_ids(parts.db, revising.now, 2)
        memory = newborn(replace(draft, **given), (first, second), revising)
        return Outcome("added", memory, revising.write(memory, "remember", reason))
    alive = before.forgotten_at is None
    if alive and all(getattr(before, name) == value for name, value in given.items()):
        return Outcome("unchanged", before)
    if alive and not reason and not revising.origin.reason:
        reason = ": ".join(placing.relation(before.text, given.get("text", before.text))).removesuffix(": ")
    new_id = banks.new_ids(parts.db, revising.now)[0]
    memory = replace(next_version(before, new_id, revising.now), forgotten_at=None, **given)
    return Outcome("revised" if alive else "restored", memory, revising.write(memory, "remember", reason))


def _document_name(scope: Scope, text: str) -> str:
    place: Sequence[str] = [part for part in (scope.project, scope.user) if part]
    return "/".join([*place, hashlib.sha256(text.encode()).hexdigest()[:16]])[-200:]
