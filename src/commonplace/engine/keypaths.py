"""Keys: one chain of versions each. Set one, or let a whole text find its keys."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from commonplace import ids, validation
from commonplace.engine import history as past
from commonplace.engine.documents import put_document
from commonplace.engine.draft_validation import checked_edit, checked_origin, checked_scope
from commonplace.engine.memories import newborn, next_version, require_version
from commonplace.engine.operations.jobs import enqueue
from commonplace.engine.revisions import Revising
from commonplace.engine.runtime import Parts
from commonplace.errors import Conflict, Invalid
from commonplace.extract import key_assignment, llm_keys, slugs
from commonplace.limits import KEY_CHARS_MAX
from commonplace.records.memory import Draft, Edit, Memory, Origin, Outcome, Scope, Unset, Version
from commonplace.records.work import DocumentDraft, Job
from commonplace.storage import banks, jobs, memories

# What a text says of itself; it belongs to the version that came out of that text and to no later
# one.
_OF_THE_TEXT = ("source", "context")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a text comes from and what it is about; both are kept with it and guide where its
    statements go.
    """

    name: str = ""
    context: str = ""


UNSAID = Source()
# In the metadata of a memory whose key a model named: the key it would have had.
_BY_RULE = "key_by_rule"


@dataclass(frozen=True, slots=True)
class KeyOutcome(Outcome):
    """What a write did to a key, and the id of the version whose place it took, if there was
    one.
    """

    before_id: int | None = None


@dataclass(frozen=True, slots=True)
class Key:
    """A key, and which version of its memory was read: 0 where there was none, None where it does
    not matter.
    """

    scope: Scope
    name: str
    expected: int | None = None


@dataclass(frozen=True, slots=True)
class Tree:
    """The keys of a project as they were after a revision, and which revision is the newest."""

    revision: int
    newest: int
    versions: tuple[Version, ...]


def set_key(parts: Parts, bank: str, key: Key, edit: Edit, origin: Origin = Origin()) -> KeyOutcome:
    """Make the next version of a key, which need not exist yet; fields not given stay as they
    are.
    """
    checked, owned, author = checked_edit(edit), checked_scope(key.scope), checked_origin(origin)
    name = validation.name(key.name, what="key", chars_max=KEY_CHARS_MAX)
    with parts.db.transaction():
        bank_id = banks.ensure(parts.db, validation.name(bank, what="bank"), parts.clock.now()).id
        _require_version(_find(parts, bank_id, owned, name), key)
        revising = Revising(parts, bank_id, "set", author)
        return _set(parts, Draft("-", key=name, scope=owned), checked, revising)


def _require_version(memory: Memory | None, key: Key) -> None:
    if memory is not None:
        require_version(memory, key.expected)
    elif key.expected:
        raise Conflict(
            f"{key.name!r} has no version {key.expected}.",
            hint="Read it again; 0 creates a new key.",
        )


def absorb(
    parts: Parts,
    bank: str,
    scope: Scope,
    text: str,
    source: Source = UNSAID,
    origin: Origin = Origin(),
) -> tuple[Outcome, ...]:
    """Cut a text into statements with keys and store what is new or changed, all of it in one
    revision.

    The text itself is kept as a document. A key that the text does not name is not touched. A
    model, where there is one, may name the keys of what is new; it is asked before the transaction,
    so nobody waits for it.
    """
    validation.body(text)
    absorbing = _Absorbing(bank, checked_scope(scope), text, source, checked_origin(origin))
    return _absorbed(parts, absorbing, _names(parts, absorbing))


def absorb_as_job(
    parts: Parts,
    bank: str,
    scope: Scope,
    text: str,
    source: Source = UNSAID,
    origin: Origin = Origin(),
) -> Job:
    """Absorb a text now and keep a record of it as a finished job, for callers that expect one.

    Work and record are one transaction: a text that cannot be absorbed is an error, never a job
    that failed unseen.
    """
    validation.body(text)
    absorbing = _Absorbing(bank, checked_scope(scope), text, source, checked_origin(origin))
    names = _names(parts, absorbing)
    with parts.db.transaction():
        job = enqueue(parts, bank, "absorb", {"project": scope.project})
        outcomes = _absorbed(parts, absorbing, names)
        result = {"keys": [outcome.memory.key for outcome in outcomes], "changed": len(outcomes)}
        jobs.conclude(parts.db, job.id, json.dumps(result, ensure_ascii=False), parts.clock.now())
    return job


@dataclass(frozen=True, slots=True)
class _Absorbing:
    bank: str
    scope: Scope
    text: str
    source: Source
    origin: Origin


def _names(parts: Parts, one: _Absorbing) -> dict[str, str]:
    model = parts.llm()
    if model is None or parts.db.in_transaction:
        return {}
    placed, known = _placed(parts, one)
    return llm_keys.proposed(model, placed, known)


def _placed(parts: Parts, one: _Absorbing) -> tuple[list[key_assignment.Placed], dict[str, str]]:
    """The statements of a text with their keys, and what is known under every key.

    Keys are found by rule. A key that a model named remembers which one the rules would have given,
    and is found by it.
    """
    state = _state(parts, one.bank, one.scope)
    by_rule = {
        key_of(version): str(version.metadata.get(_BY_RULE, "")) or key_of(version)
        for version in state
    }
    named = {rule: key for key, rule in by_rule.items()}
    drawn = {
        by_rule[version.key] for version in state if version.key and version.document_id is not None
    }
    known = {by_rule[key_of(version)]: version.text for version in state}
    hints = key_assignment.Hints(one.source.context, one.source.name)
    placed = key_assignment.place(one.text, known, hints, drawn=drawn, judge=parts.judge)
    placed = [replace(found, key=named.get(found.key, found.key)) for found in placed]
    return placed, {key_of(version): version.text for version in state}


def _absorbed(parts: Parts, one: _Absorbing, names: Mapping[str, str]) -> tuple[Outcome, ...]:
    said = {"source": one.source.name, "context": one.source.context}
    said = {name: value for name, value in said.items() if value}
    with parts.db.transaction():
        name = _document_name(one.scope, one.text)
        document, _ = put_document(parts, one.bank, DocumentDraft(name, one.text, metadata=said))
        placed, known = _placed(parts, one)
        revising = Revising(parts, document.bank_id, "absorb", one.origin)
        draft = Draft("-", metadata=said, document_id=document.id, scope=one.scope)
        renamed = llm_keys.renamed(placed, names, known)
        return tuple(
            _set(parts, _filed(draft, new, old.key), Edit(text=new.text), revising, _reason(new))
            for new, old in zip(renamed, placed, strict=True)
            if known.get(new.key) != new.text
        )


def _filed(draft: Draft, new: key_assignment.Placed, rule: str) -> Draft:
    noted = {**draft.metadata, _BY_RULE: rule} if new.key != rule else draft.metadata
    return replace(draft, key=new.key, kind=new.kind, metadata=noted)


def tree(
    parts: Parts, bank: str, scope: Scope, prefix: str = "", *, revision: int | None = None
) -> Tree:
    """A user's keys in a project, or those below a prefix, in their order; now, or right after a
    revision.
    """
    with parts.db.snapshot():
        newest, now = past.revision(parts, bank, scope.project), parts.clock.now()
        number = newest if revision is None else revision
        state = past.at_revision(parts, bank, scope.project, number, user=scope.user)
    if revision is None:
        state = tuple(one for one in state if one.expires_at is None or one.expires_at > now)
    below = (one for one in state if _is_below(key_of(one), prefix))
    return Tree(number, newest, tuple(sorted(below, key=key_of)))


def find_key(parts: Parts, bank: str, scope: Scope, key: str) -> Memory | None:
    """What a key names, forgotten or not; a memory without a key answers to its kind and id."""
    found = banks.find(parts.db, bank)
    return _find(parts, found.id, scope, key) if found else None


def forget_keys(
    parts: Parts,
    bank: str,
    scope: Scope,
    key: str = "",
    origin: Origin = Origin(),
    *,
    recursive: bool = False,
) -> tuple[Version, ...]:
    """Forget what a key names, with all below it where asked; without a key, all of a user's part
    of a project.
    """
    author = checked_origin(origin)
    with parts.db.transaction():
        found = banks.find(parts.db, bank)
        if found is None:
            return ()
        revising = Revising(parts, found.id, "forget", author)
        if recursive or not key:
            doomed = sorted(
                (one for one in _state(parts, bank, scope) if _is_below(key_of(one), key)),
                key=key_of,
            )
            now_known = memories.by_ids(parts.db, found.id, [one.memory_id for one in doomed])
            for one in doomed:
                _forget(parts, now_known[one.memory_id], revising)
            return tuple(doomed)
        gone: list[Version] = []
        # Several agents may each have the key to themselves.
        while (named := _find(parts, found.id, scope, key)) and named.forgotten_at is None:
            gone.append(past.get_version(parts, bank, named.version_id))
            _forget(parts, named, revising)
    return tuple(gone)


def _forget(parts: Parts, memory: Memory, revising: Revising) -> None:
    after = next_version(memory, banks.new_ids(parts.db, revising.now)[0], revising.now)
    revising.write(replace(after, forgotten_at=after.updated_at), "forget")


def evened(path: str) -> str:
    """The key that a path means: case, slashes, hyphens and spaces evened, all else as it is."""
    plain = unicodedata.normalize("NFC", path).casefold()
    parts = (part.strip() for part in re.split(r"[./]+", plain))
    return ".".join(re.sub(r"[-\s]+", "_", part) for part in parts if part)


def key_of(one: Memory | Version) -> str:
    """The key, or for a memory without one its kind and id, so that it can be seen among the
    others.
    """
    number = one.id if isinstance(one, Memory) else one.memory_id
    return one.key or f"{slugs.segment(one.kind)}.{ids.short(number)}"


def _is_below(key: str, prefix: str) -> bool:
    """Whether a key is a prefix or below it; a prefix is whole segments, and none is everything."""
    return not prefix or key == prefix or key.startswith(f"{prefix}.")


def _state(parts: Parts, bank: str, scope: Scope) -> tuple[Version, ...]:
    newest = past.revision(parts, bank, scope.project)
    return past.at_revision(parts, bank, scope.project, newest, user=scope.user)


def _find(parts: Parts, bank_id: int, scope: Scope, key: str) -> Memory | None:
    memory = memories.find_by_key(parts.db, bank_id, scope, key)
    if (memory is None or memory.forgotten_at is not None) and not scope.agent and not scope.run:
        other = memories.find_by_key_of_agents(parts.db, bank_id, scope, key)
        memory = other if other and (memory is None or other.forgotten_at is None) else memory
    if memory is None and (number := _own_id(key)):
        other = memories.find(parts.db, bank_id, number)
        if other and other.id == number and not other.key and _at_home(other, scope):
            memory = other
    return memory


def _at_home(memory: Memory, scope: Scope) -> bool:
    return (memory.scope.project, memory.scope.user) == (scope.project, scope.user)


def _own_id(key: str) -> int | None:
    """The id in `<kind>.<id>`. The kind is not compared: it may have changed since somebody saw the
    key.
    """
    kind, _, form = key.partition(".")
    try:
        number = ids.parse(form)
    except Invalid:
        return None
    return number if kind and ids.short(number) == form else None


def _reason(one: key_assignment.Placed) -> str:
    return f"{one.relation}: {one.reason}" if one.reason else one.relation


def _set(
    parts: Parts, draft: Draft, edit: Edit, revising: Revising, reason: str = ""
) -> KeyOutcome:
    """Store an edit under the key of a draft, which says what a new memory is besides the edit."""
    given: dict[str, Any] = {field.name: getattr(edit, field.name) for field in fields(edit)}
    given = {name: value for name, value in given.items() if not isinstance(value, Unset)}
    before = _find(parts, revising.bank_id, draft.scope, draft.key)
    if before is None:
        first, second = banks.new_ids(parts.db, revising.now, 2)
        memory = newborn(replace(draft, **given), (first, second), revising)
        return KeyOutcome("added", memory, revising.write(memory, "remember", reason))
    alive = before.forgotten_at is None
    if alive and all(getattr(before, name) == value for name, value in given.items()):
        return KeyOutcome("unchanged", before)
    if not reason and not revising.origin.reason:
        found, why = key_assignment.relation(
            before.text if alive else None, given.get("text", before.text), parts.judge
        )
        reason = f"{found}: {why}" if why else found
    if "metadata" not in given and given.get("text", before.text) != before.text:
        kept = {name: value for name, value in before.metadata.items() if name not in _OF_THE_TEXT}
        given |= {
            "metadata": kept | dict(draft.metadata),
            "document_id": draft.document_id or before.document_id,
        }
    new_id = banks.new_ids(parts.db, revising.now)[0]
    memory = replace(next_version(before, new_id, revising.now), forgotten_at=None, **given)
    change = "revised" if alive else "restored"
    return KeyOutcome(change, memory, revising.write(memory, "remember", reason), before.version_id)


def _document_name(scope: Scope, text: str) -> str:
    place: Sequence[str] = [part for part in (scope.project, scope.user) if part]
    return "/".join([*place, hashlib.sha256(text.encode()).hexdigest()[:16]])[-200:]
