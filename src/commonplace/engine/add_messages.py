"""Adds messages: extracts the statements worth remembering and merges them with what is stored.

The whole text is stored as a document unless it is a single statement. With a language model the
model extracts statements and decides, and its answer is checked. When it fails, the rules do both
and the result reports the failure.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from commonplace import validation
from commonplace.engine.documents import put_document
from commonplace.engine.draft_validation import validate_draft, validate_origin, validate_scope
from commonplace.engine.memories import first_version, next_version
from commonplace.engine.recall import recall
from commonplace.engine.runtime import Runtime
from commonplace.engine.versions.revisions import RevisionWriter
from commonplace.errors import Invalid, ModelFailed, TooLarge
from commonplace.extract import llm_statements, statement_splitting
from commonplace.extract.llm_statements import Decision
from commonplace.extract.statement_splitting import Message, SkippedText
from commonplace.language import analyzer as words
from commonplace.language.conflicts import lookup_terms
from commonplace.language.judgement import Judgement, Relation, Statement
from commonplace.limits import QUERY_CHARS_MAX, STATEMENTS_MAX
from commonplace.records.memory import Draft, Memory, Metadata, Origin, Outcome, Scope
from commonplace.records.query import Filter, Query
from commonplace.records.work import DocumentDraft
from commonplace.reserved_metadata import SAID_AT_FIELDS, given_said_at, said_at
from commonplace.storage import text_index
from commonplace.storage.rows import banks, memories

_SIMILAR_MAX, _TERMS_MAX = 20, 40
_SHOWN_PER_FACT_MAX, _SHOWN_MAX = 5, 10
_DEFAULT_KIND = "note"


@dataclass(frozen=True, slots=True)
class MessageBatch:
    """Messages with their scope and metadata. With `whole` they are stored as one memory, undivided
    and unmerged.
    """

    messages: tuple[Message, ...]
    scope: Scope = Scope()
    kind: str = ""
    metadata: Metadata = field(default_factory=dict[str, object])
    whole: bool = False


@dataclass(frozen=True, slots=True)
class StatementOutcome(Outcome):
    """The outcome of one statement, and the memory's text before it where that changed."""

    before: str = ""


@dataclass(frozen=True, slots=True)
class MessagesResult:
    """The outcomes of a batch of messages.

    `document` names the document with the whole text, and `failure` is the reason why the
    configured model was not used.
    """

    outcomes: tuple[StatementOutcome, ...]
    skipped: tuple[SkippedText, ...] = ()
    document: str = ""
    failure: str = ""


@dataclass(frozen=True, slots=True)
class _ModelDecisions:
    """The decisions of a model about a batch, and the memories it was shown, in the order of their
    numbers.
    """

    decisions: Sequence[Decision]
    shown: Sequence[Memory]


def add_messages(
    runtime: Runtime, bank: str, batch: MessageBatch, origin: Origin = Origin()
) -> MessagesResult:
    """Remember messages: each statement is added, revises what is stored, or is known already."""
    checked, author = _validate(batch), validate_origin(origin)
    name = validation.name(bank, what="bank")
    if checked.whole:
        merger = _Merger(runtime, name, checked, author)
        return MessagesResult((merger.store_whole(_transcript(checked.messages)),))
    model_decisions, failure = _decide_with_model(runtime, name, checked)
    found = statement_splitting.split_statements(checked.messages)
    if model_decisions is None and len(found.statements) > STATEMENTS_MAX:
        raise TooLarge(
            f"The messages contain {len(found.statements):,} statements; the limit is"
            f" {STATEMENTS_MAX:,}.",
            hint="Split them over several calls.",
        )
    with runtime.db.transaction():
        merger = _Merger(runtime, name, checked, author)
        text = _transcript(checked.messages)
        # A single statement with no other text needs no document.
        if model_decisions is not None or [one.text for one in found.statements] != [text.strip()]:
            merger.store_document(text)
        if model_decisions is not None:
            outcomes = merger.apply_decisions(model_decisions)
            return MessagesResult(_without_repeats(outcomes), document=merger.document)
        outcomes = [merger.merge(one) for one in found.statements]
        return MessagesResult(_without_repeats(outcomes), found.skipped, merger.document, failure)


def merge_statements(
    runtime: Runtime, bank: str, batch: MessageBatch, origin: Origin = Origin()
) -> tuple[StatementOutcome, ...]:
    """Merge statements that are split already, one per message, by rules alone. The caller stores
    the source text.
    """
    checked, name, author = (
        _validate(batch),
        validation.name(bank, what="bank"),
        validate_origin(origin),
    )
    with runtime.db.transaction():
        merger = _Merger(runtime, name, checked, author)
        return _without_repeats([merger.merge(one) for one in checked.messages])


class _Merger:
    """Merges the statements of one batch into the store."""

    def __init__(self, runtime: Runtime, bank: str, batch: MessageBatch, origin: Origin) -> None:
        self.runtime, self.bank, self.batch, self.origin = runtime, bank, batch, origin
        self.document = ""
        self.document_id: int | None = None
        self.written: set[int] = set()
        self._writer: RevisionWriter | None = None

    @property
    def writer(self) -> RevisionWriter:
        """The revision of this batch. Use it only inside the transaction."""
        if self._writer is None:
            bank_id = banks.ensure(self.runtime.db, self.bank, self.runtime.clock.now()).id
            self._writer = RevisionWriter(self.runtime, bank_id, "tell", self.origin)
        return self._writer

    def store_document(self, text: str) -> None:
        """Store the whole text as a document."""
        scope = self.batch.scope
        scope_metadata = {"user": scope.user, "agent": scope.agent, "run": scope.run}
        draft = DocumentDraft(
            _document_name(scope, text),
            text,
            metadata={k: v for k, v in scope_metadata.items() if v},
        )
        stored, _ = put_document(self.runtime, self.bank, draft)
        self.document, self.document_id = stored.name, stored.id

    def store_whole(self, text: str) -> StatementOutcome:
        """Store a text as one memory without merging it."""
        with self.runtime.db.transaction():
            return self._add(Message("", text))

    def merge(self, statement: Message) -> StatementOutcome:
        """Merge a statement with what is stored."""
        similar = _similar_memories(self.runtime, self.writer, statement.text, self.batch.scope)
        verdicts = [(self._judge(one, statement), one) for one in similar]
        for verdict, one in verdicts:
            if verdict.relation is Relation.SAME:
                return StatementOutcome("unchanged", one)
        old = self._replaced_memory(verdicts)
        return self._change(old, statement) if old else self._add(statement)

    def _replaced_memory(self, verdicts: Sequence[tuple[Judgement, Memory]]) -> Memory | None:
        """The memory that a statement replaces with the highest confidence. Memories of this batch
        are not replaced: two values in one batch are two statements.
        """
        replaced = [
            (verdict.confidence, one.id, one)
            for verdict, one in verdicts
            if one.id not in self.written and verdict.ends_older() and not verdict.is_reversed
        ]
        return max(replaced)[2] if replaced else None

    def apply_decisions(self, answer: _ModelDecisions) -> list[StatementOutcome]:
        """Apply the decisions of a model."""
        outcomes = [self._apply_decision(one, answer.shown) for one in answer.decisions]
        return [one for one in outcomes if one]

    def _apply_decision(
        self, decision: Decision, shown: Sequence[Memory]
    ) -> StatementOutcome | None:
        """Apply a decision. Without a memory, or if the memory has changed since the model saw it,
        its statement is merged instead.
        """
        statement = Message("", decision.text)
        old = shown[decision.known_index] if decision.known_index is not None else None
        if decision.event == "ADD" or old is None:
            return self.merge(statement)
        is_current = self._is_current(old)
        if decision.event == "DELETE":
            return self._forget(old) if is_current else None
        if not is_current:
            return self.merge(statement)
        if decision.event == "NONE":
            return StatementOutcome("unchanged", old)
        if self._judge(old, statement).relation is Relation.SAME:
            return self.merge(statement)
        return self._change(old, statement)

    def _judge(self, old: Memory, statement: Message) -> Judgement:
        now = self.writer.now
        told_at = given_said_at(self.batch.metadata, now) or now
        return self.runtime.judge(
            Statement(old.text, said_at(old)), Statement(statement.text, told_at)
        )

    def _is_current(self, memory: Memory) -> bool:
        found = memories.find(self.runtime.db, memory.bank_id, memory.id)
        return found is not None and found.version == memory.version and found.forgotten_at is None

    def _add(self, statement: Message) -> StatementOutcome:
        batch = self.batch
        draft = validate_draft(
            Draft(
                statement.text,
                kind=batch.kind or _DEFAULT_KIND,
                metadata=self._metadata(statement, {}),
                document_id=self.document_id,
                scope=batch.scope,
            )
        )
        first, second = banks.new_ids(self.runtime.db, self.writer.now, 2)
        memory = first_version(draft, (first, second), self.writer)
        self.written.add(memory.id)
        return StatementOutcome("added", memory, self.writer.write(memory, "remember"))

    def _change(self, old: Memory, statement: Message) -> StatementOutcome:
        metadata = self._metadata(statement, old.metadata)
        validation.metadata(metadata)
        after = replace(
            next_version(old, banks.new_ids(self.runtime.db, self.writer.now)[0], self.writer.now),
            text=validation.nonempty_text(statement.text),
            metadata=metadata,
            kind=self.batch.kind or old.kind,
            document_id=self.document_id or old.document_id,
        )
        self.written.add(after.id)
        return StatementOutcome("revised", after, self.writer.write(after, "revise"), old.text)

    def _forget(self, old: Memory) -> StatementOutcome:
        after = next_version(
            old, banks.new_ids(self.runtime.db, self.writer.now)[0], self.writer.now
        )
        after = replace(after, forgotten_at=after.updated_at)
        self.written.add(after.id)
        return StatementOutcome("forgotten", after, self.writer.write(after, "forget"))

    def _metadata(self, statement: Message, before: Metadata) -> Mapping[str, object]:
        """The metadata of a statement: the stored metadata, that of the batch, and the role unless
        it is the default.
        """
        # The time and the role of the text before do not belong to the new one.
        left = ("role", *SAID_AT_FIELDS)
        kept = {name: value for name, value in before.items() if name not in left}
        role = {"role": statement.role} if statement.role not in ("", "user") else {}
        return kept | dict(self.batch.metadata) | role


def _decide_with_model(
    runtime: Runtime, bank: str, batch: MessageBatch
) -> tuple[_ModelDecisions | None, str]:
    """The decisions of the model about a batch, or the reason why it failed. Both are empty without
    a model.
    """
    try:
        model = runtime.llm()
        if model is None:
            return None, ""
        facts = llm_statements.extract_statements(model, batch.messages)
        shown: dict[int, Memory] = {}
        for fact in facts:
            query = Query(
                fact[:QUERY_CHARS_MAX], _same_scope(batch.scope), limit=_SHOWN_PER_FACT_MAX
            )
            shown |= {hit.memory.id: hit.memory for hit in recall(runtime, bank, query).hits}
        known = list(shown.values())[:_SHOWN_MAX]
        decided = llm_statements.decide(model, facts, [one.text for one in known])
    except ModelFailed as error:
        # The only failure that must not end the call: the messages would be lost.
        return None, error.message
    return _ModelDecisions(decided, known), ""


def _similar_memories(
    runtime: Runtime, writer: RevisionWriter, statement: str, scope: Scope
) -> list[Memory]:
    """Memories in the same scope that a statement may repeat or change, best first."""
    chosen, now, bank_id = _same_scope(scope), writer.now, writer.bank_id
    found: dict[int, None] = {}
    content = words.question_terms(statement)[:_TERMS_MAX]
    matches = [text_index.all_of(terms) for terms in (content, *lookup_terms(statement)) if terms]
    for match in [*matches, text_index.any_of(content)]:
        found |= dict.fromkeys(
            text_index.keyword_ids(runtime.db, bank_id, match, chosen, now, _SIMILAR_MAX)
            if match
            else ()
        )
    by_id = memories.by_ids(runtime.db, bank_id, list(found))
    return [by_id[number] for number in found if number in by_id]


def _same_scope(scope: Scope) -> Filter:
    """Exactly this scope: a message to one agent or in one run changes nothing for another.
    Memories with keys are excluded.
    """
    return Filter(
        projects=(scope.project,),
        users=(scope.user,),
        agents=(scope.agent,),
        runs=(scope.run,),
        key="",
    )


def _without_repeats(outcomes: Sequence[StatementOutcome]) -> tuple[StatementOutcome, ...]:
    """The outcomes without a repeated "unchanged" of one memory."""
    kept: list[StatementOutcome] = []
    seen: set[int] = set()
    for one in outcomes:
        if one.change != "unchanged" or one.memory.id not in seen:
            kept.append(one)
        seen.add(one.memory.id)
    return tuple(kept)


def _validate(batch: MessageBatch) -> MessageBatch:
    messages = tuple(
        Message(
            validation.line(one.role, what="role"), validation.any_text(one.text, what="message")
        )
        for one in batch.messages
        if one.text.strip()
    )
    if not messages:
        raise Invalid(
            "The messages contain no text.", hint="Give at least one message with some text."
        )
    validation.nonempty_text(_transcript(messages))
    validation.metadata(batch.metadata)
    kind = validation.line(batch.kind, what="kind")
    return replace(batch, messages=messages, scope=validate_scope(batch.scope), kind=kind)


def _transcript(messages: Sequence[Message]) -> str:
    """The whole text: a single user message as it is, a conversation with its roles."""
    if len(messages) == 1 and messages[0].role in ("", "user"):
        return messages[0].text
    return "\n".join(f"{one.role or 'user'}: {one.text}" for one in messages)


def _document_name(scope: Scope, text: str) -> str:
    """The name of a document. The same text twice in one scope has one name; in another scope it
    has another.
    """
    name_source = json.dumps([scope.project, scope.user, scope.agent, scope.run, text])
    return "/".join(
        part
        for part in (
            "told",
            scope.user[:100],
            hashlib.sha256(name_source.encode()).hexdigest()[:16],
        )
        if part
    )
