"""Answers a question with facts alone: grouped by subject, dated, the newest first.

A fact that a newer one replaced is listed after it and marked as earlier. Every line cites the id
of its memory. Terms of the question that no fact contains are listed as unknown.
"""

import re
from collections.abc import Sequence

from commonplace import clock, ids
from commonplace.engine.facts.fact_metadata import fact_metadata_of, has_ended
from commonplace.engine.facts.fact_ranking import Finding
from commonplace.extract import fact_splitting
from commonplace.language import analyzer as words
from commonplace.language import temporal_expressions
from commonplace.language.judgement import Judge
from commonplace.records.memory import Memory

NOTHING_KNOWN = "Nothing is known about this: no stored memory answers the question."
_WORD = re.compile(r"[^\W_][\w'’-]*")
_QUESTION_WORDS = frozenset(
    "does doing done tell know known think please much many about should would could like happen"
    " happened happening thing things anything everything something someone summary summarise"
    " summarize describe explain list based past currently right recently".split()
)


def build_answer(question: str, findings: Sequence[Finding], judge: Judge) -> str:
    """Build the answer from the facts found."""
    if not findings:
        return NOTHING_KNOWN
    sections: list[str] = []
    for heading, members in _group_by_subject(findings).items():
        lines = [f"{heading}:"]
        ordered = sorted(
            members,
            key=lambda memory: (fact_metadata_of(memory).mentioned_at, memory.id),
            reverse=True,
        )
        current: list[Memory] = []
        for memory in ordered:
            newer = next((new for new in current if has_ended(judge, memory, new)), None)
            if newer is None:
                current.append(memory)
                lines.append(f"- {_format_line(memory)}")
            else:
                lines.append(
                    f"- Earlier, and contradicted by [{cite(newer)}]: {_format_line(memory)}"
                )
        sections.append("\n".join(lines))
    if unknown := _unknown_words(question, findings):
        sections.append(f"Not known: nothing stored mentions {', '.join(unknown)}.")
    return "\n\n".join(sections)


def day_of(memory: Memory) -> str:
    """The first day of a memory's event, or else the day on which it was stated."""
    return clock.iso(
        fact_metadata_of(memory).mentioned_at if memory.happened_at is None else memory.happened_at
    )[:10]


def time_of(memory: Memory) -> str:
    """The time of a memory, as precise as known: a day, a month, a year, or a range of days."""
    first = day_of(memory)
    if memory.happened_at is None or memory.happened_until is None:
        return first
    last, after = clock.iso(memory.happened_until)[:10], clock.iso(memory.happened_until + 1)[:10]
    if first.endswith("-01-01") and after.endswith("-01-01"):
        return first[:4] if first[:4] == last[:4] else f"{first[:4]} to {last[:4]}"
    if first.endswith("-01") and after.endswith("-01"):
        return first[:7] if first[:7] == last[:7] else f"{first[:7]} to {last[:7]}"
    return first if first == last else f"{first} to {last}"


def cite(memory: Memory) -> str:
    """The id of a memory as answers show it."""
    return ids.uuid_form(memory.id)


def _group_by_subject(findings: Sequence[Finding]) -> dict[str, list[Memory]]:
    """The memories by their subject, in the order of the findings.

    Memories without a subject come first if they were found before all others, else last.
    """
    groups: dict[str, list[Memory]] = {}
    leading: list[Memory] = []
    rest: list[Memory] = []
    for finding in findings:
        subject = fact_splitting.subject_of(finding.memory.text)
        if subject:
            groups.setdefault(subject, []).append(finding.memory)
        else:
            (rest if groups else leading).append(finding.memory)
    named = {_heading(subject, memories[0].text): memories for subject, memories in groups.items()}
    return ({"Known": leading} if leading else {}) | named | ({"Also": rest} if rest else {})


def _heading(subject: str, text: str) -> str:
    """A subject with the spelling of the text."""
    start = text.casefold().find(subject)
    written = text[start : start + len(subject)] if start >= 0 else subject
    return written[:1].upper() + written[1:]


def _unknown_words(question: str, findings: Sequence[Finding]) -> list[str]:
    """The words of a question that no memory contains."""
    known = set[str]().union(
        *(words.terms(f"{one.memory.text} {one.memory.category}") for one in findings)
    )
    searched = set(words.question_terms(question))
    unknown: list[str] = []
    for word in _content_words(question):
        terms = set(words.terms(word))
        if terms & searched and not terms & known:
            unknown.append(word)
    return unknown


def _content_words(question: str) -> list[str]:
    """The distinct words of a question that say what it is about, without its times."""
    for span in temporal_expressions.find_spans(question, 0):
        question = question.replace(span.words, " ")
    return [
        word
        for word in dict.fromkeys(_WORD.findall(question))
        if (len(word) > 3 or (len(word) > 1 and word.isupper()))
        and word.casefold() not in _QUESTION_WORDS
    ]


def _format_line(memory: Memory) -> str:
    return f"{' '.join(memory.text.split())} ({time_of(memory)}) [{cite(memory)}]"
