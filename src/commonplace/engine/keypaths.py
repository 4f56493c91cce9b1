"""Keys: each names one chain of versions. A key is set directly, or a text is split into keyed
statements.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from commonplace import ids, validation
from commonplace.engine.documents import put_document
from commonplace.engine.draft_validation import validate_edit, validate_origin, validate_scope
from commonplace.engine.memories import first_version, next_version, require_version
from commonplace.engine.operations.jobs import enqueue
from commonplace.engine.runtime import Runtime
from commonplace.engine.versions import history as past
from commonplace.engine.versions.revisions import RevisionWriter
from commonplace.errors import Conflict, Invalid
from commonplace.extract import key_assignment, llm_keys, slugs
from commonplace.limits import KEY_CHARS_MAX
from commonplace.records.memory import Draft, Edit, Memory, Origin, Outcome, Scope, Unset, Version
from commonplace.records.work import DocumentDraft, Job
from commonplace.storage.rows import banks, jobs, memories

# Metadata of a source text. It belongs to the version made from that text, not to later ones.
_SOURCE_FIELDS = ("source", "context")


@dataclass(frozen=True, slots=True)
class TextSource:
    """The name and the context of a text. Both are stored with it and guide the assignment of
    keys.
    """

    name: str = ""
    context: str = ""


NO_SOURCE = TextSource()
# Metadata of a memory whose key a model named: the key that the rules assign.
_RULE_KEY = "key_by_rule"


@dataclass(frozen=True, slots=True)
class KeyOutcome(Outcome):
    """The outcome of a write to a key, and the id of the version it replaced, if any."""

    before_id: int | None = None


@dataclass(frozen=True, slots=True)
class Key:
    """A key, and the version that the caller read: 0 where there was none, None for any."""

    scope: Scope
    name: str
    expected: int | None = None


@dataclass(frozen=True, slots=True)
class Tree:
    """The keys of a project as they were after a revision, and which revision is the newest."""

    revision: int
    newest: int
    versions: tuple[Version, ...]


def set_key(
    runtime: Runtime, bank: str, key: Key, edit: Edit, origin: Origin = Origin()
) -> KeyOutcome:
    """Make the next version of a key, or its first. Fields not given stay as they are."""
    checked, scope, author = validate_edit(edit), validate_scope(key.scope), validate_origin(origin)
    name = validation.name(key.name, what="key", chars_max=KEY_CHARS_MAX)
    with runtime.db.transaction():
        bank_id = banks.ensure(
            runtime.db, validation.name(bank, what="bank"), runtime.clock.now()
        ).id
        _require_version(_find(runtime, bank_id, scope, name), key)
        writer = RevisionWriter(runtime, bank_id, "set", author)
        return _write_key(runtime, Draft("-", key=name, scope=scope), checked, writer)


def _require_version(memory: Memory | None, key: Key) -> None:
    if memory is not None:
        require_version(memory, key.expected)
    elif key.expected:
        raise Conflict(
            f"{key.name!r} has no version {key.expected}.",
            hint="Read it again; 0 creates a new key.",
        )


def absorb(
    runtime: Runtime,
    bank: str,
    scope: Scope,
    text: str,
    source: TextSource = NO_SOURCE,
    origin: Origin = Origin(),
) -> tuple[Outcome, ...]:
    """Split a text into keyed statements and store what is new or changed, in one revision.

    The text itself is stored as a document. Keys without a statement in the text are not changed. A
    model, if configured, may name the keys of new statements; it is called before the transaction,
    so that no writer waits for it.
    """
    validation.nonempty_text(text)
    request = _AbsorbRequest(bank, validate_scope(scope), text, source, validate_origin(origin))
    return _store_statements(runtime, request, _propose_keys(runtime, request))


def absorb_as_job(
    runtime: Runtime,
    bank: str,
    scope: Scope,
    text: str,
    source: TextSource = NO_SOURCE,
    origin: Origin = Origin(),
) -> Job:
    """Absorb a text now and record it as a finished job, for callers that expect one.

    Work and record are one transaction: a text that cannot be absorbed is an error, never a failed
    job.
    """
    validation.nonempty_text(text)
    request = _AbsorbRequest(bank, validate_scope(scope), text, source, validate_origin(origin))
    names = _propose_keys(runtime, request)
    with runtime.db.transaction():
        job = enqueue(runtime, bank, "absorb", {"project": scope.project})
        outcomes = _store_statements(runtime, request, names)
        result = {"keys": [outcome.memory.key for outcome in outcomes], "changed": len(outcomes)}
        jobs.complete_pending(
            runtime.db, job.id, json.dumps(result, ensure_ascii=False), runtime.clock.now()
        )
    return job


@dataclass(frozen=True, slots=True)
class _AbsorbRequest:
    bank: str
    scope: Scope
    text: str
    source: TextSource
    origin: Origin


def _propose_keys(runtime: Runtime, one: _AbsorbRequest) -> dict[str, str]:
    model = runtime.llm()
    if model is None or runtime.db.in_transaction:
        return {}
    statements, known = _assign_keys(runtime, one)
    return llm_keys.propose_keys(model, statements, known)


def _assign_keys(
    runtime: Runtime, one: _AbsorbRequest
) -> tuple[list[key_assignment.KeyedStatement], dict[str, str]]:
    """The statements of a text with their keys, and the current text of every key.

    Keys are assigned by rule. A key that a model named stores the rule's key in its metadata and is
    found by it.
    """
    state = _current_versions(runtime, one.bank, one.scope)
    by_rule = {
        key_of(version): str(version.metadata.get(_RULE_KEY, "")) or key_of(version)
        for version in state
    }
    named = {rule: key for key, rule in by_rule.items()}
    extracted_keys = {
        by_rule[version.key] for version in state if version.key and version.document_id is not None
    }
    known = {by_rule[key_of(version)]: version.text for version in state}
    hints = key_assignment.Hints(one.source.context, one.source.name)
    statements = key_assignment.assign_keys(
        one.text, known, hints, extracted_keys=extracted_keys, judge=runtime.judge
    )
    statements = [replace(found, key=named.get(found.key, found.key)) for found in statements]
    return statements, {key_of(version): version.text for version in state}


def _store_statements(
    runtime: Runtime, one: _AbsorbRequest, names: Mapping[str, str]
) -> tuple[Outcome, ...]:
    source_metadata = {"source": one.source.name, "context": one.source.context}
    source_metadata = {name: value for name, value in source_metadata.items() if value}
    with runtime.db.transaction():
        name = _document_name(one.scope, one.text)
        document, _ = put_document(
            runtime, one.bank, DocumentDraft(name, one.text, metadata=source_metadata)
        )
        statements, known = _assign_keys(runtime, one)
        writer = RevisionWriter(runtime, document.bank_id, "absorb", one.origin)
        draft = Draft("-", metadata=source_metadata, document_id=document.id, scope=one.scope)
        renamed = llm_keys.apply_names(statements, names, known)
        return tuple(
            _write_key(
                runtime,
                _with_key(draft, new, old.key),
                Edit(text=new.text),
                writer,
                _reason_text(new),
            )
            for new, old in zip(renamed, statements, strict=True)
            if known.get(new.key) != new.text
        )


def _with_key(draft: Draft, new: key_assignment.KeyedStatement, rule: str) -> Draft:
    metadata = {**draft.metadata, _RULE_KEY: rule} if new.key != rule else draft.metadata
    return replace(draft, key=new.key, kind=new.kind, metadata=metadata)


def tree(
    runtime: Runtime, bank: str, scope: Scope, prefix: str = "", *, revision: int | None = None
) -> Tree:
    """A user's keys in a project, or those below a prefix, sorted; now, or as of a revision."""
    with runtime.db.snapshot():
        newest, now = past.revision(runtime, bank, scope.project), runtime.clock.now()
        number = newest if revision is None else revision
        state = past.at_revision(runtime, bank, scope.project, number, user=scope.user)
    if revision is None:
        state = tuple(one for one in state if one.expires_at is None or one.expires_at > now)
    below = (one for one in state if _is_below(key_of(one), prefix))
    return Tree(number, newest, tuple(sorted(below, key=key_of)))


def find_key(runtime: Runtime, bank: str, scope: Scope, key: str) -> Memory | None:
    """The memory of a key, forgotten or not. A memory without a key is found by its kind and id."""
    found = banks.find(runtime.db, bank)
    return _find(runtime, found.id, scope, key) if found else None


def forget_keys(
    runtime: Runtime,
    bank: str,
    scope: Scope,
    key: str = "",
    origin: Origin = Origin(),
    *,
    recursive: bool = False,
) -> tuple[Version, ...]:
    """Forget the memory of a key, with `recursive` also all keys below it. Without a key, forget
    all of a user's memories in a project.
    """
    author = validate_origin(origin)
    with runtime.db.transaction():
        found = banks.find(runtime.db, bank)
        if found is None:
            return ()
        writer = RevisionWriter(runtime, found.id, "forget", author)
        if recursive or not key:
            selected = sorted(
                (
                    one
                    for one in _current_versions(runtime, bank, scope)
                    if _is_below(key_of(one), key)
                ),
                key=key_of,
            )
            by_id = memories.by_ids(runtime.db, found.id, [one.memory_id for one in selected])
            for one in selected:
                _forget(runtime, by_id[one.memory_id], writer)
            return tuple(selected)
        forgotten: list[Version] = []
        # Several agents may each have a memory under this key.
        while (named := _find(runtime, found.id, scope, key)) and named.forgotten_at is None:
            forgotten.append(past.get_version(runtime, bank, named.version_id))
            _forget(runtime, named, writer)
    return tuple(forgotten)


def _forget(runtime: Runtime, memory: Memory, writer: RevisionWriter) -> None:
    after = next_version(memory, banks.new_ids(runtime.db, writer.now)[0], writer.now)
    writer.write(replace(after, forgotten_at=after.updated_at), "forget")


def normalize_key(path: str) -> str:
    """A path as a key: case, slashes, hyphens and spaces are normalized."""
    plain = unicodedata.normalize("NFC", path).casefold()
    parts = (part.strip() for part in re.split(r"[./]+", plain))
    return ".".join(re.sub(r"[-\s]+", "_", part) for part in parts if part)


def key_of(one: Memory | Version) -> str:
    """The key of a memory, or its kind and id if it has none, so that it is listed with the
    others.
    """
    number = one.id if isinstance(one, Memory) else one.memory_id
    return one.key or f"{slugs.segment(one.kind)}.{ids.short_form(number)}"


def _is_below(key: str, prefix: str) -> bool:
    """Whether a key equals a prefix or is below it. A prefix is whole segments; "" matches
    everything.
    """
    return not prefix or key == prefix or key.startswith(f"{prefix}.")


def _current_versions(runtime: Runtime, bank: str, scope: Scope) -> tuple[Version, ...]:
    newest = past.revision(runtime, bank, scope.project)
    return past.at_revision(runtime, bank, scope.project, newest, user=scope.user)


def _find(runtime: Runtime, bank_id: int, scope: Scope, key: str) -> Memory | None:
    memory = memories.find_by_key(runtime.db, bank_id, scope, key)
    if (memory is None or memory.forgotten_at is not None) and not scope.agent and not scope.run:
        other = memories.find_by_key_of_agents(runtime.db, bank_id, scope, key)
        memory = other if other and (memory is None or other.forgotten_at is None) else memory
    return memory or _find_by_id_key(runtime, bank_id, scope, key)


def _find_by_id_key(runtime: Runtime, bank_id: int, scope: Scope, key: str) -> Memory | None:
    """The memory without a key that `<kind>.<id>` names."""
    number = _id_in_key(key)
    found = memories.find(runtime.db, bank_id, number) if number else None
    if found is None or found.id != number or found.key or not _is_in_scope(found, scope):
        return None
    return found


def _is_in_scope(memory: Memory, scope: Scope) -> bool:
    return (memory.scope.project, memory.scope.user) == (scope.project, scope.user)


def _id_in_key(key: str) -> int | None:
    """The id in `<kind>.<id>`. The kind is not compared, because it may have changed since the key
    was shown.
    """
    kind, _, form = key.partition(".")
    try:
        number = ids.parse(form)
    except Invalid:
        return None
    return number if kind and ids.short_form(number) == form else None


def _reason_text(one: key_assignment.KeyedStatement) -> str:
    return f"{one.relation}: {one.reason}" if one.reason else one.relation


def _given_fields(edit: Edit) -> dict[str, Any]:
    values = {field.name: getattr(edit, field.name) for field in fields(edit)}
    return {name: value for name, value in values.items() if not isinstance(value, Unset)}


def _source_fields(before: Memory, draft: Draft) -> dict[str, Any]:
    """The metadata and the document of a new text: without those of the text before."""
    kept = {name: value for name, value in before.metadata.items() if name not in _SOURCE_FIELDS}
    return {
        "metadata": kept | dict(draft.metadata),
        "document_id": draft.document_id or before.document_id,
    }


def _write_key(
    runtime: Runtime, draft: Draft, edit: Edit, writer: RevisionWriter, reason: str = ""
) -> KeyOutcome:
    """Store an edit under the key of a draft. The draft has the other fields of a new memory."""
    given = _given_fields(edit)
    before = _find(runtime, writer.bank_id, draft.scope, draft.key)
    if before is None:
        first, second = banks.new_ids(runtime.db, writer.now, 2)
        memory = first_version(replace(draft, **given), (first, second), writer)
        return KeyOutcome("added", memory, writer.write(memory, "remember", reason))
    is_live = before.forgotten_at is None
    if is_live and all(getattr(before, name) == value for name, value in given.items()):
        return KeyOutcome("unchanged", before)
    text = given.get("text", before.text)
    if not reason and not writer.origin.reason:
        reason = _reason_for_change(runtime, before, text)
    if "metadata" not in given and text != before.text:
        given |= _source_fields(before, draft)
    new_id = banks.new_ids(runtime.db, writer.now)[0]
    memory = replace(next_version(before, new_id, writer.now), forgotten_at=None, **given)
    change = "revised" if is_live else "restored"
    return KeyOutcome(change, memory, writer.write(memory, "remember", reason), before.version_id)


def _reason_for_change(runtime: Runtime, before: Memory, text: str) -> str:
    """How the new value of a key relates to the one before, in words."""
    old_text = before.text if before.forgotten_at is None else None
    relation, detail = key_assignment.compare_values(old_text, text, runtime.judge)
    return f"{relation}: {detail}" if detail else relation


def _document_name(scope: Scope, text: str) -> str:
    name_parts: Sequence[str] = [part for part in (scope.project, scope.user) if part]
    return "/".join([*name_parts, hashlib.sha256(text.encode()).hexdigest()[:16]])[-200:]
