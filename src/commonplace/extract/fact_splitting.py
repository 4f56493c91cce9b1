"""Splits a text into facts of a sentence or two, each with its time and its entities.

Pure. The words stay as they are, except for pronouns that can mean only one person. A text that
cannot be split is one fact as a whole, because it was stored on purpose.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

from commonplace.extract import causality, statement_splitting
from commonplace.extract.sentences import split_sentences
from commonplace.extract.statement_splitting import Message
from commonplace.language import coreference, entities, temporal_expressions
from commonplace.language.statement import fold_text, statement_label
from commonplace.language.temporal_expressions import Span

CHUNK_CHARS = 3_000
_SUBJECT_CHARS_MAX = 200
_NAME_CHARS_MAX = 60
_TURN = re.compile(
    r"^\s*(?P<moment>[\[(][^\])\n]{0,40}[\])]\s*)?"
    r"\**(?P<role>user|human|customer|client|assistant|ai|agent|bot|system)\**\s*:\s*",
    re.IGNORECASE,
)
_SAID_AT = re.compile(r"[\[(][^\])\n]{3,40}[\])]\s+(?=\S)")
_USERS, _ASSISTANTS = ("human", "customer", "client"), ("ai", "agent", "bot")
# What an agent did is an experience of it; everything else is about the world.
_DONE = (
    r"fixed|deployed|helped|suggested|recommended|explained|tried|ran|wrote|implemented|created|refactored|updated|"
    r"added|removed|deleted|tested|built|answered|told|sent|searched|looked|found|learned|installed|configured|reviewed|"
    r"merged|migrated|regenerated|rewrote|renamed|replaced|committed|pushed|enabled|disabled|debugged|changed|asked|called|moved|made|used|proposed|generated|summari[sz]ed|resolved|offered"
)
# A time that a statement begins with is not what it is about.
_TIME_FIRST = re.compile(
    r"^(?:yesterday|today|tomorrow|tonight|last (?:night|week|month|year)|next (?:week|month|year)"
    r"|this (?:morning|afternoon|evening|week|month|year)"
    r"|(?:on |last |next )?(?:mon|tues|wednes|thurs|fri|satur|sun)day),?\s+",
    re.IGNORECASE,
)
_WHEN = (
    r"(?:(?:yesterday|today|earlier|later|then|last \w+|this \w+|on [\w -]{2,30}|in [\w"
    r" ]{2,20}),?\s++)?"
)
_EXPERIENCE = re.compile(
    rf"{_WHEN}(?:(?:the |this )?(?:assistant|agent|ai|bot)\s+(?:\w+ly\s+)?(?:has |have |had"
    rf" )?(?:{_DONE})\b"
    rf"|(?:i|we)(?:['’]ve| have| had)?\s+(?:\w+ly\s+|just\s+|then\s+|also\s+)?(?:{_DONE})\b)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"(?P<subject>(?:[^\s,;:.!?]++\s++){0,6}?[^\s,;:.!?]+?)(?:['’]s)?\s++(?:(?:now|still|currently|always|usually|also|"
    r"no longer)\s++)*+(?:is|are|was|were|has|have|had|lives?|lived|works?|worked|moved|prefers?|"
    r"preferred|"
    r"likes?|liked|loves?|hates?|uses?|used|wants?|needs?|runs?|listens?|costs?|became|becomes|will|can|does|did|owns?|plays?|"
    r"speaks?|joined|left|started|stopped|switched|studies|studied|failed|crashed|broke|visited|bought|sold|met|went|said|deployed|"
    r"fixed|wrote|built|launched|finished|completed|signed|leads?|manages?|reached|dropped|ends|ended|expires?|expired|released|raised|hired|married|died|turned|decided|chose|plans?|planned|agreed|owes?|knows?|"
    r"keeps?|teaches|taught|drives?|drove|fell|grew|rose)\b",
    re.IGNORECASE,
)
# "Decisions: We go with Redis Streams": a heading, and a statement where more than a short value
# follows.
_HEADED = re.compile(r"[^:：\n]{1,80}(?::\s+|：)(?P<said>\S.*)", re.DOTALL)
_VALUE_WORDS_MAX = 4
# Labels that say something of the text they stand in: an owner here and an owner there are not one
# that changed.
_OF_ITS_TEXT = frozenset(
    "owner author authors location role name title status state date updated created version"
    " priority reason type tags category subject from to cc start end deadline due attendees"
    " deciders participants revisit description".split()
)
_JOINING = re.compile(
    r"\b(?:because|since|although|though|when|while|if|that|which|who|so|and then)\b", re.IGNORECASE
)
_VAGUE = frozenset(
    "it this that these those there he she they we one what which who here everything"
    " something".split()
)


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement of a text, with its time, its entities and the chunk it is from."""

    text: str
    is_experience: bool
    happened_at: int | None
    happened_until: int | None
    entities: tuple[str, ...]
    chunk: int
    # The facts of the same text that it names as its causes, and a cause that is no fact of its
    # own.
    causes: tuple[str, ...] = ()
    stated_cause: str = ""


def split_facts(
    text: str, at: int, *, chunk_chars: int = CHUNK_CHARS, whole_chunks: bool = False
) -> tuple[Fact, ...]:
    """The facts of a text said at a moment, in their order and each once; or its chunks as facts,
    uncut.
    """
    parts = split_chunks(text, chunk_chars)
    return merge_facts(
        chunk_facts(chunk, at, number, whole=whole_chunks) for number, chunk in enumerate(parts)
    )


def chunk_facts(chunk: str, at: int, number: int, *, whole: bool = False) -> list[Fact]:
    """The facts of one chunk of a text, by rules; or its turns, whole."""
    said = _messages(chunk)
    pieces = (
        said
        if whole
        else list(_parted(statement_splitting.split_statements(said).statements or said))
    )
    return [parse_fact(piece, at, number) for piece in pieces if piece.text.strip()]


def merge_facts(found: Iterable[Sequence[Fact]]) -> tuple[Fact, ...]:
    """The facts of all chunks of a text, each once, with their stated causes."""
    each: dict[str, Fact] = {}
    for one in (fact for some in found for fact in some):
        each.setdefault(fold_text(one.text), one)
    return link_causes(list(each.values()))


def link_causes(found: Sequence[Fact]) -> tuple[Fact, ...]:
    """Facts of one text with their stated causes."""
    by_place = causality.find_causes([one.text for one in found])
    out: list[Fact] = []
    for place, one in enumerate(found):
        known = dict.fromkeys(
            (*one.causes, *(found[other].text for other in by_place.get(place, ())))
        )
        stated = None if known else causality.find_causation(one.text)
        out.append(replace(one, causes=tuple(known), stated_cause=stated.cause if stated else ""))
    return tuple(out)


def split_chunks(
    text: str, chars: int = CHUNK_CHARS, turn_chars: int | None = None
) -> tuple[str, ...]:
    """A text in parts of about so many characters, cut between lines, else between sentences.

    The turns of a conversation stay whole, unless one has more characters than it may have.
    """
    if len(text) <= chars:
        return (text,) if text.strip() else ()
    turns = _short_turns(_turns(text), turn_chars)
    if lines := [json.dumps(turn, ensure_ascii=False) for turn in turns]:
        return _joined_lines(lines, chars, "\n")
    return _joined_lines(_lines(text, chars), chars)


def _joined_lines(lines: Iterable[str], chars: int, end: str = "") -> tuple[str, ...]:
    """Lines, each with an end, joined to parts of about so many characters; blank parts are left
    out.
    """
    parts: list[str] = []
    room = 0
    for line in lines:
        if room < len(line) or not parts:
            parts.append("")
            room = chars
        parts[-1] += line + end
        room -= len(line)
    return tuple(part for part in parts if part.strip())


def fact_digest(text: str, tags: Sequence[str]) -> str:
    """A short name of a fact that the same statement under the same tags has again, and no other
    one.
    """
    whole = "\n".join((fold_text(text), *sorted(tags)))
    return hashlib.sha256(whole.encode()).hexdigest()[:24]


@lru_cache(maxsize=8_192)
def subject_of(text: str) -> str:
    """The subject of a statement, folded; empty where its words do not show it."""
    plain = _TIME_FIRST.sub("", text[:_SUBJECT_CHARS_MAX].strip())
    match = _SUBJECT.match(plain)
    if (
        not match
        and (headed := _HEADED.match(plain))
        and len(headed["said"].split()) > _VALUE_WORDS_MAX
    ):
        # What stands under a heading is about its own subject, not about the heading.
        match = _SUBJECT.match(_TIME_FIRST.sub("", headed["said"]))
        if not match:
            return _named(headed["said"])
    if not match:
        named = statement_label(text[:_SUBJECT_CHARS_MAX])
        return "" if named in _OF_ITS_TEXT else named
    if _JOINING.search(match["subject"]):
        return ""
    words = re.sub(r"^(?:the|a|an)\s+", "", match["subject"].casefold().replace("’", "'")).split()
    return "" if not words or words[0] in _VAGUE else " ".join(words)


def _named(said: str) -> str:
    """The name before the colon of a statement such as "Tom: write the runbook"."""
    head = re.match(r"(?:\[[ xX]\]\s*)?(?P<who>[^\W\d_]\w*(?: [^\W\d_]\w*)?):\s", said)
    return head["who"].casefold() if head and head["who"][0].isupper() else ""


def _parted(pieces: Sequence[Message]) -> Iterator[Message]:
    """The pieces, a cause that is a sentence of its own before the one that names it."""
    for piece in pieces:
        several = [piece.text] if "\n" in piece.text.strip() else split_sentences(piece.text)
        for whole in coreference.resolve_pronouns(several) if len(several) > 1 else [piece.text]:
            for text in causality.split_consequences(whole):
                if cause := causality.cause_clause(text):
                    yield Message(piece.role, cause)
                yield Message(piece.role, text)


def parse_fact(piece: Message, at: int, chunk: int) -> Fact:
    """A statement as a fact: its time, its entities and its type."""
    span = _span(piece.text.strip(), at)
    # What a person says of themselves in a conversation is about the world; what nobody is named
    # for may be an agent's.
    own = piece.role != "user" and _EXPERIENCE.match(piece.text.strip()) is not None
    return Fact(
        text=piece.text.strip(),
        is_experience=piece.role == "assistant" or own,
        happened_at=span.start if span else None,
        happened_until=span.end - 1 if span else None,
        entities=entities.find_entities(_SAID_AT.sub("", piece.text)),
        chunk=chunk,
    )


def _span(text: str, at: int) -> Span | None:
    """The time of a statement; where it begins with a time of its own, "yesterday" is the day
    before that.
    """
    said = _SAID_AT.match(text)
    moment = temporal_expressions.main_span(said[0], at) if said else None
    if said is None or moment is None:
        return temporal_expressions.main_span(text, at)
    return temporal_expressions.main_span(text[said.end() :], moment.start) or moment


def _turns(text: str) -> list[dict[str, Any]]:
    """The turns of a conversation written as JSON, one list or one object a line; none when it is
    no such thing.
    """
    whole = _parse_json(text) if text.lstrip()[:1] in ("[", "{") else None
    if isinstance(whole, dict):
        messages: object = cast(dict[str, object], whole).get("messages")
        whole = cast(object, messages if isinstance(messages, list) else [whole])
    items = cast(list[object], whole) if isinstance(whole, list) else []
    if not all(isinstance(one, dict) for one in items):
        return []
    turns = [
        one | {"content": _content(one.get("content", one.get("text")))}
        for one in cast(list[dict[str, Any]], items)
    ]
    return turns if all(isinstance(one["content"], str) for one in turns) else []


def _parse_json(text: str) -> object:
    """The value of a JSON text, or the values of its lines; None when it is neither."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None


def _who(turn: dict[str, Any]) -> str:
    """The name of the speaker of a turn, if it has one."""
    named = (turn.get(name) for name in ("speaker", "name", "author"))
    return next(
        (
            " ".join(one.split())[:_NAME_CHARS_MAX]
            for one in named
            if isinstance(one, str) and one.strip()
        ),
        "",
    )


def _content(given: object) -> object:
    """The text of a turn; where it has parts, their texts."""
    if not isinstance(given, list):
        return given
    parts = [
        cast(dict[str, Any], one) for one in cast(list[object], given) if isinstance(one, dict)
    ]
    texts = [str(one["text"]) for one in parts if isinstance(one.get("text"), str)]
    return "\n".join(texts) if texts else cast(object, given)


def _short_turns(turns: Sequence[dict[str, Any]], chars: int | None) -> Iterator[dict[str, Any]]:
    for turn in turns:
        said = str(turn.get("content", turn.get("text")))
        if chars is None or len(said) <= chars:
            yield turn
        else:
            parts = split_chunks(said, chars) if not _turns(said) else (said,)
            yield from (turn | {"content": part} for part in parts)


def _messages(text: str) -> tuple[Message, ...]:
    if turns := _turns(text):
        return tuple(
            replace(_message(str(one.get("role", "user")), one["content"]), speaker=_who(one))
            for one in turns
        )
    out: list[Message] = []
    for line in text.splitlines(keepends=True):
        match = _TURN.match(line)
        if match:
            moment = (match["moment"] or "").strip()
            out.append(replace(_message(match["role"], line[match.end() :]), moment=moment))
        elif out:
            out[-1] = replace(out[-1], text=out[-1].text + line)
        else:
            out.append(Message("", line))
    return tuple(out)


def _message(role: str, text: str) -> Message:
    plain = role.lower()
    return Message(
        "user" if plain in _USERS else "assistant" if plain in _ASSISTANTS else plain, text
    )


def _lines(text: str, chars: int) -> Iterator[str]:
    """The lines of a text; a longer one in sentences, and a longer sentence in pieces."""
    for line in text.splitlines(keepends=True):
        for sentence in (
            [line]
            if len(line) <= chars
            else re.findall(r".+?(?:[.!?](?=\s)\s*|$)|\s+", line, re.DOTALL)
        ):
            yield from (sentence[at : at + chars] for at in range(0, len(sentence), chars))
