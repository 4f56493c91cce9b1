"""Decides how a newer statement relates to an older one. No other module decides that.

Every caller that must know whether a statement repeats, replaces or denies another one calls
`judge`, and sets only its own confidence threshold. The rules look at words alone. A learned model
can replace them, because callers hold a `Judge` and not this module.
"""

from collections.abc import Iterator
from dataclasses import replace

from commonplace.language import statement_parser, statement_text
from commonplace.language.conflict_rules import verdict
from commonplace.language.judgement import Judgement, Statement
from commonplace.language.statement_pair import Pair
from commonplace.language.words.detection import detect_language

_TERMS_MAX = 40
_DETECTION_CHARS_MAX = 500


def judge(older: Statement, newer: Statement) -> Judgement:
    """How a newer statement relates to an older one. Where both have a time, it decides which one
    is newer."""
    if older.said_at is not None and newer.said_at is not None and newer.said_at < older.said_at:
        return replace(judge(newer, older), is_reversed=True)
    language = detect_language(
        f"{older.text[:_DETECTION_CHARS_MAX]} {newer.text[:_DETECTION_CHARS_MAX]}"
    )
    parsed = (statement_parser.parse(one.text, language) for one in (older, newer))
    return verdict(Pair(older, newer, *parsed))


def has_change_hint(text: str) -> bool:
    """Whether a text has words that often accompany a change."""
    return statement_parser.has_change_words(text)


def is_exception(text: str) -> bool:
    """Whether a text is about a plan or an exception, which change nothing."""
    return statement_parser.is_exception(text)


def is_lead_in(label: str) -> bool:
    """Whether what stands before a colon is no label but announces a change or a correction."""
    return statement_text.is_lead_in(label)


def lookup_terms(text: str) -> Iterator[list[str]]:
    """Lists of terms that find the statements which this one may repeat, replace or contradict.

    A text is a candidate when it has all terms of one list.
    """
    found = statement_parser.parse(text)
    if found.sequence:
        yield list(dict.fromkeys(found.sequence))[:_TERMS_MAX]
    yield from (sorted(over.terms)[:_TERMS_MAX] for over in found.retractions)
    subject = sorted(found.claim.subject - {"@self"})[:_TERMS_MAX] if found.claim else []
    if subject:
        yield subject
    elif found.claim:
        yield from ([word] for word in found.claim.found_by)
