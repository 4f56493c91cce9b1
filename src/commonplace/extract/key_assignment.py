"""Gives every statement of a text its key, and decides how it relates to the statement that is
already stored under that key.

Pure functions: the caller passes the stored statements. A key that the text does not name is never
changed.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from commonplace.extract import markdown_outline, slugs
from commonplace.extract.markdown_outline import Statement
from commonplace.language import analyzer as words
from commonplace.language import conflicts, judgement
from commonplace.language.judgement import Judge
from commonplace.limits import KEY_CHARS_MAX

Relation: TypeAlias = Literal["none", "additive", "supersede", "contradiction"]
_NAMES: Mapping[judgement.Relation, Relation] = {
    judgement.Relation.ADDS: "additive",
    judgement.Relation.CONTRADICTS: "contradiction",
}

# A line was reworded when it shares most of its words with one that the text no longer has. Where
# the lines around it are still there, fewer are enough; elsewhere it must also start alike, for it
# may be about something else.
_SHARED_MIN = 0.4
_SHARED_ALONE_MIN = 0.6
_OPENING_WORDS = 2
_JUDGED_MAX = 20
_NUMBERING_CHARS = 6
_ONE_KEY = "key"
# Keypaths that begin so are read as those of a project.
_RESERVED = "project"
_KINDS = (
    (
        "decision",
        re.compile(
            r"\b(decid\w+|decisions?|chose|chosen|agreed|we will|going with)\b", re.IGNORECASE
        ),
    ),
    (
        "preference",
        re.compile(r"\b(prefer\w*|likes?|dislikes?|favou?rite|rather)\b", re.IGNORECASE),
    ),
    (
        "requirement",
        re.compile(r"\b(must|shall|required?|requirements?|has to|needs? to)\b", re.IGNORECASE),
    ),
    ("task", re.compile(r"^\[[ xX]\]|\b(todos?|to do|next steps?|follow[- ]up)\b", re.IGNORECASE)),
    (
        "learning",
        re.compile(r"\b(learn(ed|t)|lessons?|gotchas?|turns? out|discovered)\b", re.IGNORECASE),
    ),
)


@dataclass(frozen=True, slots=True)
class KeyedStatement:
    """A statement with its key, its sort, and how it stands to what the key held."""

    key: str
    text: str
    kind: str
    relation: Relation
    reason: str


@dataclass(frozen=True, slots=True)
class Hints:
    """What a caller says about a text: what it is about and where it comes from."""

    context: str = ""
    source: str = ""


NO_HINTS = Hints()


def assign_keys(
    text: str,
    known: Mapping[str, str],
    hints: Hints = NO_HINTS,
    *,
    extracted_keys: Collection[str] | None = None,
    judge: Judge = conflicts.judge,
) -> list[KeyedStatement]:
    """The statements of a text with their keys, one a key, in the order of the text.

    `drawn` are the known keys that came out of texts, which alone may be taken for an earlier
    wording; None is all.
    """
    statements = markdown_outline.parse_outline(text)
    return _Placing(
        statements, known, hints, known if extracted_keys is None else extracted_keys, judge
    ).placed()


def compare_values(
    before: str | None, after: str, judge: Judge = conflicts.judge
) -> tuple[Relation, str]:
    """How a new value of a key stands to the old one, and why."""
    if before is None or before == after:
        return "none", ""
    found = judge(
        judgement.Statement(before, key=_ONE_KEY), judgement.Statement(after, key=_ONE_KEY)
    )
    return _NAMES.get(found.relation, "supersede"), found.reason


class _Section:
    """What is known directly below a path, as a text sees it that may be a later edition of it."""

    def __init__(
        self, known: Mapping[str, str], drawn: Collection[str], texts: Collection[str]
    ) -> None:
        self.by_text = {text: key for key, text in reversed(list(known.items()))}
        lines = self.lines = {key: text for key, text in known.items() if key in drawn}
        gone = {key: words.question_terms(text) for key, text in lines.items() if text not in texts}
        # The same lines around it are what makes a line that differs the same line.
        self.edited = 0 < len(lines) <= 2 * (len(lines) - len(gone))
        self.gone: dict[tuple[str, ...], list[tuple[str, frozenset[str]]]] = {}
        for key, terms in gone.items():
            self.gone.setdefault(self._opening(terms), []).append((key, frozenset(terms)))

    def reworded(self, text: str, taken: Collection[str]) -> str | None:
        """The key of the line that this one was before, if any."""
        listed = words.question_terms(text)
        terms, least = frozenset(listed), _SHARED_MIN if self.edited else _SHARED_ALONE_MIN
        lines = [
            (key, old) for key, old in self.gone.get(self._opening(listed), ()) if key not in taken
        ]
        shared = [(len(terms & old) / max(1, len(terms | old)), key) for key, old in lines]
        alike = [pair for pair in shared if pair[0] >= least]
        return max(alike)[1] if alike else None

    def replaced(self, text: str, taken: Collection[str], judge: Judge) -> str | None:
        """The key of the line that this one takes the place of, in whatever words."""
        terms = frozenset(words.question_terms(text))
        lines = [
            (len(terms & old), key)
            for some in self.gone.values()
            for key, old in some
            if key not in taken and terms & old
        ]
        for _, key in sorted(lines, reverse=True)[:_JUDGED_MAX]:
            if judge(judgement.Statement(self.lines[key]), judgement.Statement(text)).ends_older():
                return key
        return None

    def _opening(self, terms: list[str]) -> tuple[str, ...]:
        return () if self.edited else tuple(terms[:_OPENING_WORDS])


class _Placing:
    """One text on its way to its keys."""

    def __init__(
        self,
        statements: list[Statement],
        known: Mapping[str, str],
        hints: Hints,
        drawn: Collection[str],
        judge: Judge,
    ) -> None:
        self.statements, self.known, self.drawn, self.judge = statements, known, drawn, judge
        self.texts = {statement.text for statement in statements}
        context = hints.context.strip()
        self.about = (
            (slugs.label_segments(context) if "." in context else slugs.sentence_segment(context))
            if context
            else ""
        )
        self.loose = self.about or slugs.sentence_segment(hints.source or "notes")
        self.said: dict[str, list[Statement]] = {}
        self.beside: dict[str, dict[str, str]] = {}
        for key, value in known.items():
            self.beside.setdefault(key.rpartition(".")[0], {})[key] = value
        self.sections: dict[str, _Section] = {}

    def placed(self) -> list[KeyedStatement]:
        # Labels first: they say their key, and no sentence may take it from them.
        for statement in (one for one in self.statements if one.label):
            self.said.setdefault(self._labelled(statement), []).append(statement)
        for statement in (one for one in self.statements if not one.label):
            self.said.setdefault(self._sentence(statement), []).append(statement)
        return [
            _placed(key, group, self.known.get(key), self.judge) for key, group in self.said.items()
        ]

    def _labelled(self, statement: Statement) -> str:
        if statement.path:
            return _joined(statement.path, statement.label)
        # Without a heading a label stands below the context, if there is one; a path, or a key that
        # exists, is meant.
        own, free = _joined((self.about,), statement.label), _joined((), statement.label)
        return free if own not in self.known and (free in self.known or "." in free) else own

    def _sentence(self, statement: Statement) -> str:
        """The key of a line without a label: that of the same line, of the line it was reworded
        from, or a new one.
        """
        text = statement.text
        wanted = key = _joined(statement.path or (self.loose,), slugs.sentence_segment(text))
        section = self._section(wanted.rpartition(".")[0])
        same = section.by_text.get(text)
        if (
            found := same
            or section.reworded(text, self.said)
            or section.replaced(text, self.said, self.judge)
        ):
            return found
        number = 2
        # The same first words alone do not make it the next version of a known line.
        while key in self.said or key in self.known:
            if any(one.text == text for one in self.said.get(key, ())):
                return key
            key, number = f"{wanted}_{number}", number + 1
        return key

    def _section(self, path: str) -> _Section:
        if path not in self.sections:
            self.sections[path] = _Section(self.beside.get(path, {}), self.drawn, self.texts)
        return self.sections[path]


def _joined(path: tuple[str, ...], leaf: str) -> str:
    """The key of a leaf, as deep as a key may go."""
    root, *rest = [part for part in (*path, *leaf.split(".")) if part]
    *above, last = [f"the_{root}" if root == _RESERVED and rest else root, *rest]
    room, kept = KEY_CHARS_MAX - _NUMBERING_CHARS - len(last), list[str]()
    for part in above:
        room -= len(part) + 1
        if room < 0:
            break
        kept.append(part)
    return ".".join([*kept, last])


def _placed(key: str, group: list[Statement], before: str | None, judge: Judge) -> KeyedStatement:
    # A label that comes back in one text is a list, not a race for the last word.
    text = "\n".join(dict.fromkeys(statement.text for statement in group))
    found, reason = compare_values(before, text, judge)
    return KeyedStatement(key, text, _kind(group[0], text), found, reason)


def _kind(statement: Statement, text: str) -> str:
    if statement.code:
        return "code"
    named = " ".join((*statement.path, statement.label)).replace("_", " ")
    for kind, signs in _KINDS:
        if signs.search(text) or signs.search(named):
            return kind
    return "fact" if statement.label else "note"
