"""Cuts a text into statement-sized facts, each with the time it speaks of and whom and what it names.

Pure, and word for word: nothing is reworded. A text from which nothing can be cut is one fact as a whole, because
somebody asked for it to be kept.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from commonplace.extract import statements, when
from commonplace.extract.relations import folded
from commonplace.extract.statements import Message

CHUNK_CHARS = 3_000
_ENTITIES_MAX = 12
_ENTITY_CHARS_MAX = 60
_SUBJECT_CHARS_MAX = 200
_READ_CHARS_MAX = 3_000  # Where a text names so much before, what comes after hardly matters.
_TURN = re.compile(r"^\s*\**(user|human|assistant|ai|agent|system)\**\s*:\s*", re.IGNORECASE)
_ROLES = {"human": "user", "ai": "assistant", "agent": "assistant"}
# What an agent did is an experience of it; everything else is about the world.
_DONE = (
    r"fixed|deployed|helped|suggested|recommended|explained|tried|ran|wrote|implemented|created|refactored|updated|"
    r"added|removed|deleted|tested|built|answered|told|sent|searched|looked|found|learned|installed|configured|reviewed|"
    r"merged|migrated|debugged|changed|asked|called|moved|made|used|proposed|generated|summari[sz]ed|resolved|offered"
)
_EXPERIENCE = re.compile(
    rf"(?:the |this )?(?:assistant|agent|ai|bot)\s+(?:\w+ly\s+)?(?:has |have |had )?(?:{_DONE})\b"
    rf"|(?:i|we)(?:['’]ve| have| had)?\s+(?:\w+ly\s+|just\s+|then\s+)?(?:{_DONE})\b",
    re.IGNORECASE,
)
_PLAIN = frozenset(
    "a an the this that these those it its he she they we you i my your his her our their there here what when where "
    "who why how which if in on at by for from to of with without and or but so then also after before during since "
    "while as is are was were be been do does did has have had not no yes all any some every each both user users "
    "never always please use run see set note todo may can could would should will today yesterday tomorrow last next "
    "monday tuesday wednesday thursday friday saturday sunday january february march april june july august september "
    "october november december remember prefers prefer likes like".split()
)
_NAME = re.compile(r"[^\W\d_a-z][\w'’&-]*(?:[ \t]+(?:(?:of|the|de|van|von|der|da|di|la)[ \t]+)?[^\W\d_a-z][\w'’&.-]*)*")
_IDENTIFIER = re.compile(r"\b[\w-]*\d[\w-]*[A-Za-z][\w-]*\b|\b[A-Za-z]+[-_]?\d[\w-]*\b|\b\w+(?:[._/@-]\w+)+\b|#\d+")
_AMOUNT = re.compile(
    r"[$€£¥]\s?\d[\d.,]*\d?[kKmMbB]?\b|\b\d[\d.,]*\s?(?:%|percent|usd|eur|gbp|dollars?|euros?|pounds?|km|kg|cm|mm|gb|mb|kb|"
    r"tb|ms|mph|kwh|hours?|minutes?|miles?)(?!\w)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"(?P<subject>(?:[^\s,;:.!?]+\s+){0,6}?[^\s,;:.!?]+?)(?:['’]s)?\s+(?:(?:now|still|currently|always|usually|also|no "
    r"longer)\s+)*(?:is|are|was|were|has|have|had|lives?|lived|works?|worked|moved|prefers?|preferred|likes?|liked|loves?|"
    r"hates?|uses?|used|wants?|needs?|runs?|listens?|costs?|became|becomes|will|can|does|did|owns?|plays?|speaks?|joined|"
    r"left|started|stopped|switched|studies|studied)\b",
    re.IGNORECASE,
)
_VAGUE = frozenset("it this that these those there he she they we one what which who here everything something".split())


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement, what it speaks of, and in which chunk of its text it stands."""

    text: str
    experience: bool
    happened_at: int | None
    happened_until: int | None
    entities: tuple[str, ...]
    chunk: int


def find(text: str, at: int, *, chunk_chars: int = CHUNK_CHARS, whole_chunks: bool = False) -> tuple[Fact, ...]:
    """The facts of a text said at a moment, in their order and each once; or its chunks as facts, uncut."""
    found: dict[str, Fact] = {}
    for number, chunk in enumerate(chunks(text, chunk_chars)):
        said = _messages(chunk)
        pieces = said if whole_chunks else statements.find(said).statements or said
        for piece in pieces:
            if piece.text.strip():
                found.setdefault(folded(piece.text), _fact(piece, at, number))
    return tuple(found.values())


def chunks(text: str, chars: int = CHUNK_CHARS) -> tuple[str, ...]:
    """A text in parts of about so many characters, cut between lines, else between sentences; turns stay whole."""
    if len(text) <= chars:
        return (text,) if text.strip() else ()
    turns = [json.dumps(turn, ensure_ascii=False) for turn in _turns(text)]
    parts: list[str] = []
    room = 0
    for line in turns or _lines(text, chars):
        if room < len(line) or not parts:
            parts.append("")
            room = chars
        parts[-1] += line + ("\n" if turns else "")
        room -= len(line)
    return tuple(part for part in parts if part.strip())


def identity(text: str, tags: Sequence[str]) -> str:
    """A short name of a fact that the same statement under the same tags has again, and no other one."""
    whole = "\n".join((folded(text), *sorted(tags)))
    return hashlib.sha256(whole.encode()).hexdigest()[:24]


def subject(text: str) -> str:
    """What a statement is about, evened out; empty where its words do not tell."""
    match = _SUBJECT.match(text[:_SUBJECT_CHARS_MAX].strip())
    if not match:
        return ""
    words = re.sub(r"^(?:the|a|an)\s+", "", match["subject"].casefold().replace("’", "'")).split()
    return "" if not words or words[0] in _VAGUE else " ".join(words)


def entities(text: str) -> tuple[str, ...]:
    """Whom and what a text names: people, places, products, amounts and identifiers, each once."""
    found: dict[str, str] = {}
    text = text[:_READ_CHARS_MAX]
    names = (name for match in _NAME.finditer(text) for name in _trimmed(match[0]))
    marks = (match[0].strip("._-/ ") for rule in (_AMOUNT, _IDENTIFIER) for match in rule.finditer(text))
    for name in (*names, *marks):
        if 1 < len(name) <= _ENTITY_CHARS_MAX:
            found.setdefault(name.casefold(), name)
    return tuple(found.values())[:_ENTITIES_MAX]


def _trimmed(run: str) -> Iterator[str]:
    """A run of capitalised words without those that only begin a sentence."""
    words = re.sub(r"['’]s\b", "", run).rstrip(".,").split()
    while words and words[0].casefold() in _PLAIN:
        words = words[1:]
    while words and words[-1].casefold() in _PLAIN:
        words = words[:-1]
    if words:
        yield " ".join(words)


def _fact(piece: Message, at: int, chunk: int) -> Fact:
    span = when.first(piece.text, at)
    return Fact(
        text=piece.text.strip(),
        experience=piece.role == "assistant" or _EXPERIENCE.match(piece.text.strip()) is not None,
        happened_at=span.start if span else None,
        happened_until=span.end - 1 if span else None,
        entities=entities(piece.text),
        chunk=chunk,
    )


def _turns(text: str) -> list[dict[str, Any]]:
    """The turns of a conversation written as JSON, one list or one object a line; none when it is no such thing."""
    if text.lstrip()[:1] not in "[{":
        return []
    try:
        whole: Any = json.loads(text)
    except (ValueError, RecursionError):
        try:
            whole = [json.loads(line) for line in text.splitlines() if line.strip()]
        except (ValueError, RecursionError):
            return []
    items = cast(list[Any], whole if isinstance(whole, list) else [whole])
    if not all(isinstance(one, dict) for one in items):
        return []
    turns = cast(list[dict[str, Any]], items)
    return turns if all(isinstance(one.get("content", one.get("text")), str) for one in turns) else []


def _messages(text: str) -> tuple[Message, ...]:
    if turns := _turns(text):
        return tuple(_message(str(one.get("role", "user")), str(one.get("content", one.get("text")))) for one in turns)
    out: list[Message] = []
    for line in text.splitlines(keepends=True):
        match = _TURN.match(line)
        if match:
            out.append(_message(match[1], line[match.end() :]))
        elif out:
            out[-1] = Message(out[-1].role, out[-1].text + line)
        else:
            out.append(Message("user", line))
    return tuple(out)


def _message(role: str, text: str) -> Message:
    return Message(_ROLES.get(role.lower(), role.lower()), text)


def _lines(text: str, chars: int) -> Iterator[str]:
    """The lines of a text; a longer one in sentences, and a longer sentence in pieces."""
    for line in text.splitlines(keepends=True):
        for sentence in [line] if len(line) <= chars else re.findall(r".+?(?:[.!?](?=\s)\s*|$)|\s+", line, re.DOTALL):
            yield from (sentence[at : at + chars] for at in range(0, len(sentence), chars))
