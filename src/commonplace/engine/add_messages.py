"""Tell: what was said goes in, and the statements worth remembering in it are merged with what is
known.

The whole text stays as a document unless it is nothing but one statement. With a language model the
model finds the statements and decides, and is checked; when it fails, the rules do both and the
answer says so.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from commonplace import validation
from commonplace.engine.documents import put_document
from commonplace.engine.draft_validation import checked_draft, checked_origin, checked_scope
from commonplace.engine.memories import newborn, next_version
from commonplace.engine.recall import recall
from commonplace.engine.revisions import Revising
from commonplace.engine.runtime import Parts
from commonplace.errors import Invalid, ModelFailed, TooLarge
from commonplace.extract import llm_statements, statement_splitting
from commonplace.extract.llm_statements import Decision
from commonplace.extract.statement_splitting import Message, Skipped
from commonplace.language import analyzer as words
from commonplace.language.conflicts import lookups
from commonplace.language.judgement import Judgement, Relation, Statement
from commonplace.limits import QUERY_CHARS_MAX, STATEMENTS_MAX
from commonplace.records.memory import Draft, Memory, Metadata, Origin, Outcome, Scope
from commonplace.records.query import Filter, Query
from commonplace.records.work import DocumentDraft
from commonplace.storage import banks, memories, text_index

_LIKE_MAX, _TERMS_MAX = 20, 40
_SHOWN_EACH, _SHOWN_MAX = 5, 10
_USUAL_KIND = "note"


@dataclass(frozen=True, slots=True)
class Telling:
    """What was said, by whom and about what. With `whole` it is kept as one memory, undivided and
    unmerged.
    """

    messages: tuple[Message, ...]
    scope: Scope = Scope()
    kind: str = ""
    metadata: Metadata = field(default_factory=dict[str, object])
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Noted(Outcome):
    """What became of one statement, and what the memory said before where that changed."""

    before: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """What became of everything that was said.

    `document` names where the whole text is, and `failure` says why the model that should have read
    it did not.
    """

    outcomes: tuple[Noted, ...]
    skipped: tuple[Skipped, ...] = ()
    document: str = ""
    failure: str = ""


@dataclass(frozen=True, slots=True)
class _Reading:
    """What a model made of a telling, and the memories it was shown, in the order of their
    numbers.
    """

    decisions: Sequence[Decision]
    shown: Sequence[Memory]


def tell(parts: Parts, bank: str, telling: Telling, origin: Origin = Origin()) -> Told:
    """Remember what was said: each statement is added, changes what is known, or is known
    already.
    """
    checked, name, author = (
        _checked(telling),
        validation.name(bank, what="bank"),
        checked_origin(origin),
    )
    if checked.whole:
        return Told((_Merging(parts, name, checked, author).keep(_transcript(checked.messages)),))
    reading, failure = _read(parts, name, checked)
    found = statement_splitting.find(checked.messages)
    if reading is None and len(found.statements) > STATEMENTS_MAX:
        raise TooLarge(
            f"The messages contain {len(found.statements):,} statements; the limit is"
            f" {STATEMENTS_MAX:,}.",
            hint="Split it into parts.",
        )
    with parts.db.transaction():
        merge = _Merging(parts, name, checked, author)
        text = _transcript(checked.messages)
        # One statement and nothing besides is its own document.
        if reading is not None or [one.text for one in found.statements] != [text.strip()]:
            merge.file(text)
        if reading is not None:
            outcomes = [
                noted for one in reading.decisions if (noted := merge.obey(one, reading.shown))
            ]
            return Told(_each_once(outcomes), document=merge.document)
        outcomes = [merge.take(one) for one in found.statements]
        return Told(_each_once(outcomes), found.skipped, merge.document, failure)


class _Merging:
    """One telling on its way into the store."""

    def __init__(self, parts: Parts, bank: str, telling: Telling, origin: Origin) -> None:
        self.parts, self.bank, self.telling, self.origin = parts, bank, telling, origin
        self.document = ""
        self.document_id: int | None = None
        self.written: set[int] = set()
        self._revising: Revising | None = None

    @property
    def revising(self) -> Revising:
        """The revision this telling makes; only asked for inside the transaction."""
        if self._revising is None:
            bank_id = banks.ensure(self.parts.db, self.bank, self.parts.clock.now()).id
            self._revising = Revising(self.parts, bank_id, "tell", self.origin)
        return self._revising

    def file(self, text: str) -> None:
        """Keep the whole text."""
        scope = self.telling.scope
        said = {"user": scope.user, "agent": scope.agent, "run": scope.run}
        draft = DocumentDraft(
            _document_name(scope, text), text, metadata={k: v for k, v in said.items() if v}
        )
        stored, _ = put_document(self.parts, self.bank, draft)
        self.document, self.document_id = stored.name, stored.id

    def keep(self, text: str) -> Noted:
        """Store a text as one memory, whatever else is known."""
        with self.parts.db.transaction():
            return self._add(Message("", text))

    def take(self, statement: Message) -> Noted:
        """Merge a statement with what is known."""
        like = _alike(self.parts, self.revising, statement.text, self.telling.scope)
        verdicts = [(self._judge(one, statement), one) for one in like]
        if same := next((one for found, one in verdicts if found.relation is Relation.SAME), None):
            return Noted("unchanged", same)
        # Two values in one breath are two statements; only what was known before can have changed.
        known = [(found, one) for found, one in verdicts if one.id not in self.written]
        ended = [(found.confidence, one.id, one) for found, one in known if found.ends_older()]
        old = max(ended)[2] if ended else None
        return self._change(old, statement) if old else self._add(statement)

    def obey(self, decision: Decision, shown: Sequence[Memory]) -> Noted | None:
        """Do what a model decided, as far as what it saw is still so."""
        statement = Message("", decision.text)
        old = shown[decision.place] if decision.place is not None else None
        fresh = old is not None and self._is_current(old)
        if decision.event == "NONE":
            return Noted("unchanged", old) if old and fresh else self.take(statement)
        if decision.event == "ADD" or old is None:
            return self.take(statement)
        if decision.event == "DELETE":
            return self._forget(old) if fresh else None
        if not fresh or self._judge(old, statement).relation is Relation.SAME:
            return self.take(statement)
        return self._change(old, statement)

    def _judge(self, old: Memory, statement: Message) -> Judgement:
        return self.parts.judge(Statement(old.text), Statement(statement.text))

    def _is_current(self, memory: Memory) -> bool:
        found = memories.find(self.parts.db, memory.bank_id, memory.id)
        return found is not None and found.version == memory.version and found.forgotten_at is None

    def _add(self, statement: Message) -> Noted:
        telling = self.telling
        draft = checked_draft(
            Draft(
                statement.text,
                kind=telling.kind or _USUAL_KIND,
                metadata=self._said(statement, {}),
                document_id=self.document_id,
                scope=telling.scope,
            )
        )
        first, second = banks.new_ids(self.parts.db, self.revising.now, 2)
        memory = newborn(draft, (first, second), self.revising)
        self.written.add(memory.id)
        return Noted("added", memory, self.revising.write(memory, "remember"))

    def _change(self, old: Memory, statement: Message) -> Noted:
        said = self._said(statement, old.metadata)
        validation.metadata(said)
        after = replace(
            next_version(
                old, banks.new_ids(self.parts.db, self.revising.now)[0], self.revising.now
            ),
            text=validation.body(statement.text),
            metadata=said,
            kind=self.telling.kind or old.kind,
            document_id=self.document_id or old.document_id,
        )
        self.written.add(after.id)
        return Noted("revised", after, self.revising.write(after, "revise"), old.text)

    def _forget(self, old: Memory) -> Noted:
        after = next_version(
            old, banks.new_ids(self.parts.db, self.revising.now)[0], self.revising.now
        )
        after = replace(after, forgotten_at=after.updated_at)
        self.written.add(after.id)
        return Noted("forgotten", after, self.revising.write(after, "forget"))

    def _said(self, statement: Message, before: Metadata) -> Mapping[str, object]:
        """The metadata of a statement: what it had, what the telling says, and the role unless it
        is the usual one.
        """
        kept = {name: value for name, value in before.items() if name != "role"}
        role = {"role": statement.role} if statement.role not in ("", "user") else {}
        return kept | dict(self.telling.metadata) | role


def _read(parts: Parts, bank: str, telling: Telling) -> tuple[_Reading | None, str]:
    """What the model makes of a telling, or why it makes nothing of it; neither when there is no
    model.
    """
    try:
        model = parts.llm()
        if model is None:
            return None, ""
        facts = llm_statements.facts(model, telling.messages)
        shown: dict[int, Memory] = {}
        for fact in facts:
            query = Query(fact[:QUERY_CHARS_MAX], _same_scope(telling.scope), limit=_SHOWN_EACH)
            shown |= {hit.memory.id: hit.memory for hit in recall(parts, bank, query).hits}
        known = list(shown.values())[:_SHOWN_MAX]
        decided = llm_statements.decisions(model, facts, [one.text for one in known])
    except ModelFailed as error:
        # The one failure that must not end the call: what was said would be lost.
        return None, error.message
    return _Reading(decided, known), ""


def _alike(parts: Parts, revising: Revising, statement: str, scope: Scope) -> list[Memory]:
    """What is known in the same scope that a statement may repeat or change, best first."""
    chosen, now, bank_id = _same_scope(scope), revising.now, revising.bank_id
    found: dict[int, None] = {}
    content = words.question_terms(statement)[:_TERMS_MAX]
    matches = [text_index.all_of(terms) for terms in (content, *lookups(statement)) if terms]
    for match in [*matches, text_index.any_of(content)]:
        found |= dict.fromkeys(
            text_index.keyword_ids(parts.db, bank_id, match, chosen, now, _LIKE_MAX)
            if match
            else ()
        )
    by_id = memories.by_ids(parts.db, bank_id, list(found))
    return [by_id[number] for number in found if number in by_id]


def _same_scope(scope: Scope) -> Filter:
    """Exactly this scope: nothing that was told to one agent or in one run changes for another.
    Keys are left alone.
    """
    return Filter(
        projects=(scope.project,),
        users=(scope.user,),
        agents=(scope.agent,),
        runs=(scope.run,),
        key="",
    )


def _each_once(outcomes: Sequence[Noted]) -> tuple[Noted, ...]:
    """The outcomes without a memory's second "unchanged", which would say nothing new."""
    kept: list[Noted] = []
    seen: set[int] = set()
    for one in outcomes:
        if one.change != "unchanged" or one.memory.id not in seen:
            kept.append(one)
        seen.add(one.memory.id)
    return tuple(kept)


def _checked(telling: Telling) -> Telling:
    messages = tuple(
        Message(
            validation.line(one.role, what="role"), validation.passage(one.text, what="message")
        )
        for one in telling.messages
        if one.text.strip()
    )
    if not messages:
        raise Invalid(
            "The messages contain no text.", hint="Give at least one message with some text."
        )
    validation.body(_transcript(messages))
    validation.metadata(telling.metadata)
    kind = validation.line(telling.kind, what="kind")
    return replace(telling, messages=messages, scope=checked_scope(telling.scope), kind=kind)


def _transcript(messages: Sequence[Message]) -> str:
    """The whole text: what one person said as it is, a conversation with its roles."""
    if len(messages) == 1 and messages[0].role in ("", "user"):
        return messages[0].text
    return "\n".join(f"{one.role or 'user'}: {one.text}" for one in messages)


def _document_name(scope: Scope, text: str) -> str:
    """The same text told twice in one scope is one document; in another scope it is another."""
    told = json.dumps([scope.project, scope.user, scope.agent, scope.run, text])
    return "/".join(
        part
        for part in ("told", scope.user[:100], hashlib.sha256(told.encode()).hexdigest()[:16])
        if part
    )
