"""Gives every statement of a text its key, next to what is already known, and says how the two relate.

Pure: it is told what is known under each key and writes nothing. A key that the text does not name is never touched.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from commonplace import text as words
from commonplace.extract import outline, slugs
from commonplace.extract.outline import Statement

Relation: TypeAlias = Literal["none", "additive", "supersede", "contradiction"]

_DENIAL = re.compile(
    r"\b(no longer|not any ?more|instead of|never|stopped|removed|dropped|deprecated|replaced|isn['’]t|aren['’]t|"
    r"doesn['’]t|don['’]t|won['’]t|not|cannot|can['’]t)\b",
    re.IGNORECASE,
)
# A reworded line is the same line when it starts alike and shares most of its words.
_SHARED_MIN = 0.5
_OPENING_WORDS = 2
_KINDS = (
    ("decision", re.compile(r"\b(decid\w+|decision|chose|chosen|agreed|we will|going with)\b", re.IGNORECASE)),
    ("preference", re.compile(r"\b(prefer\w*|likes?|dislikes?|favou?rite|rather)\b", re.IGNORECASE)),
    ("requirement", re.compile(r"\b(must|shall|required?|requirement|has to|needs? to)\b", re.IGNORECASE)),
    ("task", re.compile(r"^\[[ xX]\]|\b(todo|to do|next step|follow[- ]up)\b", re.IGNORECASE)),
    ("learning", re.compile(r"\b(learn(ed|t)|lesson|gotcha|turns? out|discovered)\b", re.IGNORECASE)),
)


@dataclass(frozen=True, slots=True)
class Placed:
    """A statement with its key, its sort, and how it stands to what the key held."""

    key: str
    text: str
    kind: str
    relation: Relation
    reason: str


def root_of(statements: Sequence[Statement], context: str, source: str) -> tuple[str, ...]:
    """Where statements go that stand under no heading: below the context, else the source, else `notes`."""
    if any(statement.path for statement in statements):
        return ()
    return (slugs.sentence(context or source or "notes"),)


def place(text: str, known: Mapping[str, str], *, context: str = "", source: str = "") -> list[Placed]:
    """The statements of a text with their keys, one a key, in the order of the text."""
    statements = outline.read(text)
    root = root_of(statements, context, source)
    said: dict[str, list[Statement]] = {}
    texts = {statement.text for statement in statements}
    for statement in statements:
        section = ".".join(statement.path or root)
        if statement.label:
            key = f"{section}.{statement.label}" if section else statement.label
        else:
            key = _key_of_sentence(section, statement.text, known, texts, said)
        said.setdefault(key, []).append(statement)
    return [_placed(key, group, known.get(key)) for key, group in said.items()]


def relation(before: str | None, after: str) -> tuple[Relation, str]:
    """How a new value stands to the old one, and why."""
    if before is None or before == after:
        return "none", ""
    if before in after:
        return "additive", "The new value contains the old one and adds to it."
    if bool(_DENIAL.search(after)) != bool(_DENIAL.search(before)):
        return "contradiction", "One of the two denies what the other says; the newer one holds."
    return "supersede", "The new value replaces the old one."


def _placed(key: str, group: list[Statement], before: str | None) -> Placed:
    # A label that comes back in one text is a list, not a race for the last word.
    text = "\n".join(dict.fromkeys(statement.text for statement in group))
    found, reason = relation(before, text)
    return Placed(key, text, _kind(group[0], text), found, reason)


def _kind(statement: Statement, text: str) -> str:
    if statement.code:
        return "code"
    named = " ".join(statement.path).replace("_", " ")
    for kind, signs in _KINDS:
        if signs.search(text) or signs.search(named):
            return kind
    return "fact" if statement.label else "note"


def _key_of_sentence(
    section: str, text: str, known: Mapping[str, str], texts: set[str], said: Mapping[str, list[Statement]]
) -> str:
    """The key of a line without a label: that of the same line, of the line it was reworded from, or a new one."""
    prefix = f"{section}." if section else ""
    beside = {k: t for k, t in known.items() if k.startswith(prefix) and "." not in k[len(prefix) :]}
    for key, before in beside.items():
        if before == text:
            return key
    # Only a line that this text no longer has can have become this one.
    reworded = [
        (shared, k)
        for k, before in beside.items()
        if before not in texts and k not in said
        if (shared := _alike(before, text)) >= _SHARED_MIN
    ]
    if reworded:
        return max(reworded)[1]
    wanted = key = prefix + slugs.sentence(text)
    number = 2
    while key in said or (key in known and known[key] in texts):
        if any(statement.text == text for statement in said.get(key, ())):
            return key
        key, number = f"{wanted}_{number}", number + 1
    return key


def _alike(before: str, after: str) -> float:
    """The share of words two lines have in common, 0 when they do not start alike."""
    old, new = words.question_terms(before), words.question_terms(after)
    if old[:_OPENING_WORDS] != new[:_OPENING_WORDS]:
        return 0.0
    return len(set(old) & set(new)) / len(set(old) | set(new))
