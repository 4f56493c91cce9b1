"""Collects the features of the candidates of a question."""

import math
from collections.abc import Sequence

from commonplace.recall import (
    answer_types,
    conversation_features,
    deduplication,
    dialogue,
    preferences,
    scoring,
    type_lexicon,
)
from commonplace.recall.candidates import COMPARED_TERMS_MAX, Candidates
from commonplace.recall.evidence import Evidence
from commonplace.storage.rows import memories

_RECENT_SHARE = 0.15
_RULE_SIMILARITY_MIN = 0.2  # Any text is about as similar as this to the topic of a rule.
_COMPARED_MAX, _BEST_MAX, _LONG_TERMS = 60, 10, 100


def collect_evidence(
    candidates: Candidates, numbers: Sequence[int], exact: Sequence[int]
) -> list[Evidence]:
    """The evidence for some memories and for the turns around the best of them. `exact` are those
    that have every identifier of the question.
    """
    candidates.exact.update(exact)
    candidates.add(numbers)
    # Pages follow each other by score, so with pages a score must not depend on other candidates.
    if not candidates.query.depth:
        conversation = conversation_features.add_conversation(
            candidates, candidates.read_turns(numbers)
        )
        conversation_features.add_informativeness(candidates, conversation)
        _collapse_copies(candidates)
        _add_company(candidates)
        _add_recency(candidates)
        _add_time(candidates)
        _add_preferences(candidates)
        _add_type_mentions(candidates)
        _add_answer_types(candidates)
    return [
        Evidence(number, number in candidates.exact, features, candidates.is_statement(number))
        for number, features in candidates.features.items()
    ]


def _collapse_copies(candidates: Candidates) -> None:
    """Keep one of several copies: the newest, or the newest of the time that is asked for."""
    by_text: dict[str, list[int]] = {}
    for number in candidates.features:
        by_text.setdefault(deduplication.normalize(candidates.texts[number]), []).append(number)
    several = [number for group in by_text.values() if len(group) > 1 for number in group]
    bank_id = candidates.within.bank_id
    found = memories.by_ids(candidates.db, bank_id, several) if several else {}
    for group in deduplication.group_copies(found.values()):
        first, *others = sorted(
            group, key=lambda number: (candidates.is_timely(number), number), reverse=True
        )
        candidates.copies[first] = tuple(others)
        for other in others:
            del candidates.features[other]


def _add_company(candidates: Candidates) -> None:
    """How similar a long text is to the best of the other long texts: a subject that was discussed
    at length comes up in several.
    """
    similarities = candidates.similarities
    if similarities is None or similarities.embedding.is_character_level:
        return
    strengths = _strengths_of_long(candidates)
    best = sorted(strengths, key=lambda number: strengths[number], reverse=True)[:_COMPARED_MAX]
    if not best:
        return
    odds = [math.exp(strengths[number] - strengths[best[0]]) for number in best[:_BEST_MAX]]
    total = sum(odds)
    shares = [one / total for one in odds] + [0.0] * (len(best) - len(odds))
    positions = [candidates.positions[number] for number in best]
    near = similarities.similarity_to_others(positions, shares)
    for number, value in zip(best, near, strict=True):
        length_share = min(1.0, candidates.matches[number].length / _LONG_TERMS)
        candidates.features[number].company = value * length_share**2


def _strengths_of_long(candidates: Candidates) -> dict[int, float]:
    """The strengths of the candidates that are neither statements nor turns, by memory id."""
    return {
        number: candidates.strength(number)
        for number in candidates.features
        if candidates.matches[number].length > scoring.STATEMENT_TERMS
        and not candidates.is_turn(number)
    }


def _add_recency(candidates: Candidates) -> None:
    if not candidates.features or not dialogue.is_continuation(candidates.query.text):
        return
    span = _RECENT_SHARE * len(candidates.features)
    for age, number in enumerate(sorted(candidates.features, reverse=True)):
        candidates.features[number].recent = math.exp(-age / span)


def _add_time(candidates: Candidates) -> None:
    if candidates.query.during:
        for number, features in candidates.features.items():
            features.time = float(candidates.is_timely(number))


def _add_preferences(candidates: Candidates) -> None:
    """What an answer should respect: preferences, when the question asks for advice, and rules
    whose topic is near to the question.
    """
    is_advice = preferences.asks_for_advice(candidates.query.text)
    rules: dict[int, str] = {}
    for number, features in candidates.features.items():
        text = candidates.texts.get(number, "")
        if is_advice and preferences.is_preference(text):
            features.preference = 1.0
        if topic := preferences.rule_topic(text):
            rules[number] = topic
    if rules and candidates.vector_query:
        near = candidates.vector_query.text_similarities(list(rules.values()))
        for number, value in zip(rules, near, strict=True):
            candidates.features[number].rule = max(0.0, value - _RULE_SIMILARITY_MIN)


def _add_type_mentions(candidates: Candidates) -> None:
    """Whether a text names something of the type that the question asks for. Nearly every long text
    does, so a long one counts as if it does not.
    """
    if members := type_lexicon.asked_members(candidates.query.text):
        for number, features in candidates.features.items():
            length = candidates.matches[number].length
            is_short = length <= COMPARED_TERMS_MAX
            share = members.mention_share(candidates.terms[number], length) if is_short else 0.0
            if share or members.is_type_named:
                features.kind = share


def _add_answer_types(candidates: Candidates) -> None:
    """Whether a statement has the time, the price or the number that the question asks for. In
    conversations, `telling` measures that.
    """
    question = candidates.query.text
    types = [one for one in answer_types.asked_types(question) if one.answer_pattern]
    for number, features in candidates.features.items() if types else ():
        if candidates.is_statement(number):
            text = candidates.texts.get(number, "")
            features.answer = float(all(one.is_in(text, question) for one in types))
