"""An answer made of facts and of nothing else: grouped by what they are about, dated, the newest
truth first.

What a newer fact took the place of is told after it and named as such, every line has the id of its
memory, and what no fact tells is said.
"""

import re
from collections.abc import Sequence

from commonplace import clock, ids
from commonplace.engine.facts.fact_metadata import has_ended, mark_of
from commonplace.engine.facts.fact_search import Finding
from commonplace.extract import fact_splitting
from commonplace.language import analyzer as words
from commonplace.language import temporal_expressions
from commonplace.language.judgement import Judge
from commonplace.records.memory import Memory

NOTHING = "Nothing is known about this: no stored memory answers the question."
_WORD = re.compile(r"[^\W_][\w'’-]*")
_ASKING = frozenset(
    "does doing done tell know known think please much many about should would could like happen"
    " happened happening thing things anything everything something someone summary summarise"
    " summarize describe explain list based past currently right recently".split()
)


def answer(asked: str, found: Sequence[Finding], judge: Judge) -> str:
    """The facts as an answer."""
    if not found:
        return NOTHING
    parts: list[str] = []
    for heading, members in _grouped(found).items():
        lines = [f"{heading}:"]
        ordered = sorted(members, key=lambda one: (mark_of(one).mentioned_at, one.id), reverse=True)
        current: list[Memory] = []
        for one in ordered:
            newer = next((new for new in current if has_ended(judge, one, new)), None)
            if newer is None:
                current.append(one)
                lines.append(f"- {_told(one)}")
            else:
                lines.append(f"- Earlier, and contradicted by [{cite(newer)}]: {_told(one)}")
        parts.append("\n".join(lines))
    if unknown := _unknown(asked, found):
        parts.append(f"Not known: nothing stored mentions {', '.join(unknown)}.")
    return "\n\n".join(parts)


def day(memory: Memory) -> str:
    """The first day a memory speaks of, or else the one on which it was said."""
    return clock.iso(
        mark_of(memory).mentioned_at if memory.happened_at is None else memory.happened_at
    )[:10]


def time_of(memory: Memory) -> str:
    """The time a memory speaks of, no more exact than it is: a day, a month, a year, or the first
    and the last day.
    """
    first = day(memory)
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


def _grouped(found: Sequence[Finding]) -> dict[str, list[Memory]]:
    """The memories by what they are about, in the order in which they were found.

    Those whose words do not tell it come first as far as they were found before all others, and
    else last.
    """
    groups: dict[str, list[Memory]] = {}
    best: list[Memory] = []
    rest: list[Memory] = []
    for one in found:
        subject = fact_splitting.subject(one.memory.text)
        if subject:
            groups.setdefault(subject, []).append(one.memory)
        else:
            (rest if groups else best).append(one.memory)
    named = {_heading(subject, some[0].text): some for subject, some in groups.items()}
    return ({"Known": best} if best else {}) | named | ({"Also": rest} if rest else {})


def _heading(subject: str, text: str) -> str:
    """A subject as a text writes it."""
    at = text.casefold().find(subject)
    written = text[at : at + len(subject)] if at >= 0 else subject
    return written[:1].upper() + written[1:]


def _unknown(asked: str, found: Sequence[Finding]) -> list[str]:
    """The words of a question that none of the memories has."""
    known = {
        term for one in found for term in words.terms(f"{one.memory.text} {one.memory.category}")
    }
    meant = set(words.question_terms(asked))
    plain = asked
    for span in temporal_expressions.spans(
        asked, 0
    ):  # A time is not mentioned, it is when something was.
        plain = plain.replace(span.words, " ")
    every = dict.fromkeys(_WORD.findall(plain))
    long = [word for word in every if len(word) > 3 or (len(word) > 1 and word.isupper())]
    telling = [word for word in long if word.casefold() not in _ASKING]
    return [
        word for word in telling if (terms := set(words.terms(word))) & meant and not terms & known
    ]


def _told(memory: Memory) -> str:
    return f"{' '.join(memory.text.split())} ({time_of(memory)}) [{cite(memory)}]"
