"""Decides how a newer statement relates to an older one: this is the one place that does.

Every part of the program that must know whether something was repeated, replaced or denied asks
`judge`, and sets
only how sure it must be to act. The rules here look at words alone; a learned model can take their
place, because
callers hold a `Judge` and not this module.
"""

from collections.abc import Iterator
from dataclasses import replace

from commonplace.language import statement_parser
from commonplace.language.conflict_rules import Pair, verdict
from commonplace.language.judgement import Judgement, Statement
from commonplace.language.words.detection import name_of

_TERMS_MAX = 40
_SIGNS_CHARS_MAX = 500


def judge(older: Statement, newer: Statement) -> Judgement:
    """How a newer statement relates to an older one. When both say when they were said, that
    decides which is newer."""
    if older.said_at is not None and newer.said_at is not None and newer.said_at < older.said_at:
        return replace(judge(newer, older), is_reversed=True)
    language = name_of(f"{older.text[:_SIGNS_CHARS_MAX]} {newer.text[:_SIGNS_CHARS_MAX]}")
    readings = (statement_parser.read(one.text, language) for one in (older, newer))
    return verdict(Pair(older, newer, *readings))


def hints_at_change(text: str) -> bool:
    """Whether a text has words that often come with a change."""
    return statement_parser.has_signs_of_change(text)


def is_exception(text: str) -> bool:
    """Whether a text tells of a plan or an exception, which change nothing."""
    return statement_parser.is_exception(text)


def lookups(text: str) -> Iterator[list[str]]:
    """The terms that find what a statement may repeat, replace or contradict: a text with all of
    any one list."""
    found = statement_parser.read(text)
    if found.sequence:
        yield list(dict.fromkeys(found.sequence))[:_TERMS_MAX]
    yield from (sorted(over.terms)[:_TERMS_MAX] for over in found.over)
    subject = sorted(found.claim.subject - {"@self"})[:_TERMS_MAX] if found.claim else []
    if subject:
        yield subject
    elif found.claim:
        yield from ([word] for word in found.claim.found_by)
