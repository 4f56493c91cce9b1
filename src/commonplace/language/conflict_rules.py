"""The rules that relate a newer statement to an older one; the first rule that applies decides.

They look at words alone. Without clear words for a change there is none.
"""

from collections.abc import Callable

from commonplace.language import analyzer
from commonplace.language.conflict_values import different_value, differing_kind
from commonplace.language.judgement import Judgement, Relation
from commonplace.language.statement import (
    Claim,
    ParsedStatement,
    Retraction,
    overlap,
    subject_match,
)
from commonplace.language.statement_pair import (
    Pair,
    both_hold,
    clamp_confidence,
    older_ends,
    unrelated,
)

_ALIKE_MIN = 0.6
_SHARED_MIN = 0.4
_SUBJECT_MATCH_MIN = 0.6


def _empty(pair: Pair) -> Judgement | None:
    return None if pair.old.content and pair.new.content else _same(pair) or unrelated()


def _same(pair: Pair) -> Judgement | None:
    if pair.old.normal and pair.old.normal == pair.new.normal:
        return Judgement(Relation.SAME, 1.0, "Both say the same in the same words.")
    return None


def _keyed(pair: Pair) -> Judgement | None:
    """A key has one value, and two keys are different on purpose."""
    if not pair.older.key or not pair.newer.key:
        return None
    if pair.older.key != pair.newer.key:
        if pair.shared >= _ALIKE_MIN:
            return Judgement(
                Relation.ADDS, clamp_confidence(pair.shared), "They are kept under different keys."
            )
        return unrelated("They are kept under different keys.")
    if _contains(pair.newer.text, pair.older.text):
        return Judgement(Relation.ADDS, 0.99, "The new value contains the old one and adds to it.")
    if _denies(pair.old) != _denies(pair.new):
        reason = "One of the two denies what the other says; the newer one holds."
        return Judgement(Relation.CONTRADICTS, 0.99, reason)
    return Judgement(Relation.REPLACES, 0.99, "The new value replaces the old one.")


def _denies(reading: ParsedStatement) -> bool:
    return reading.denies or reading.ends or bool(reading.retractions)


def _contains(text: str, part: str) -> bool:
    at = text.find(part) if part else -1
    end = at + len(part)
    before, after = text[at - 1 : at], text[end : end + 1]
    return (
        at >= 0
        and not (before.isalnum() and part[:1].isalnum())
        and not (after.isalnum() and part[-1:].isalnum())
    )


# Labels of many unrelated values.
_GENERIC_LABELS = frozenset(
    "date title plan status state number name role job owner location version priority "
    "datum titel zustand nummer rolle besitzer priorität fecha título estado número nombre rol "
    "dueño versión prioridad".split()
)


def _labelled(pair: Pair) -> Judgement | None:
    old, new = pair.old, pair.new
    if not old.label and not new.label:
        return None
    if old.label != new.label:
        return (
            None
            if not (old.label and new.label)
            else both_hold(pair, "They have different labels.")
        )
    if pair.new.addition:
        return both_hold(pair, f'The newer one adds something: "{new.addition}".')
    is_single = old.label_is_single and new.label_is_single
    sure = 0.9 if is_single and new.label not in _GENERIC_LABELS else 0.7
    return older_ends(pair, sure, f'Both say what "{new.label}" is, and they differ.')


def _holds_besides(pair: Pair) -> Judgement | None:
    if pair.new.exception:
        return both_hold(
            pair, f'The newer one is a plan, an exception or a question: "{pair.new.exception}".'
        )
    if pair.new.past and not pair.is_announced:
        return both_hold(pair, f'The newer one tells of the past: "{pair.new.past}".')
    return None


def _ended(pair: Pair) -> Judgement | None:
    """The newer one declares what the older one says to be over."""
    if pair.old.retractions or pair.old.is_long or pair.old.exception:
        return None
    for over in pair.new.retractions:
        if over.terms <= pair.old.content and not (pair.old.denies and not pair.old.ends):
            sure = _of_its_subject(pair, over)
            if sure > 0:
                return older_ends(pair, sure, f'The newer one says so: "{over.phrase}".')
    return None


def _of_its_subject(pair: Pair, over: Retraction) -> float:
    """How sure it is that the older one is over, and not the same about another subject."""
    share = len(over.terms) / max(1, len(pair.old.content))
    sure = 0.75 + 0.2 * share
    old, new = pair.old.claim, pair.new.claim
    if not over.is_about_subject or old is None or new is None:
        return sure
    if (
        subject_match(old, new) >= _SUBJECT_MATCH_MIN
        or (new.subject_kind == "group" and old.subject_kind != "name")
        or old.subject & over.terms
    ):
        return sure
    return (
        0.0
        if new.subject_kind in ("name", "thing", "self") or old.subject_kind in ("name", "self")
        else sure - 0.2
    )


def _adding(pair: Pair) -> Judgement | None:
    if pair.new.addition and not pair.new.corrects:
        return both_hold(pair, f'The newer one adds something: "{pair.new.addition}".')
    if pair.older.speaker and pair.newer.speaker and pair.older.speaker != pair.newer.speaker:
        speaks = [one.claim for one in (pair.old, pair.new)]
        if all(one is not None and one.subject_kind in ("self", "") for one in speaks):
            return both_hold(pair, "Two speakers each speak of themselves.")
    return None


def _again(pair: Pair) -> Judgement | None:
    """The same words in the same order, but for what can be left out."""
    old, new = pair.old, pair.new
    if old.sequence == new.sequence and _denies(old) == _denies(new) and _who(old) == _who(new):
        return Judgement(Relation.SAME, 0.95, "Both say the same in almost the same words.")
    return None


def _who(reading: ParsedStatement) -> str:
    who = reading.claim.subject_kind if reading.claim else ""
    return who if who in ("self", "group", "pronoun") else ""


def _denied(pair: Pair) -> Judgement | None:
    """One denies what the other says."""
    if pair.old.denies == pair.new.denies or pair.has_long:
        return None
    if pair.old.claim and pair.new.claim:
        if subject_match(pair.old.claim, pair.new.claim) < _SUBJECT_MATCH_MIN:
            return None
        if found := _liked_and_disliked(pair, pair.old.claim, pair.new.claim):
            return found
    return _denied_words(pair)


def _denied_words(pair: Pair) -> Judgement | None:
    """One denies the other by the words that both have besides the denial."""
    old, new = pair.old.content - _DENYING, pair.new.content - _DENYING
    share = overlap(old, new)
    if share < _ALIKE_MIN or (share < 1 and min(len(old), len(new)) < 2):
        return None
    return older_ends(pair, 0.5 + 0.45 * share, "One of them denies what the other says.")


def _liked_and_disliked(pair: Pair, old: Claim, new: Claim) -> Judgement | None:
    shared = old.value & new.value
    if not shared or not {old.slot, new.slot} <= {"likes", "prefers"}:
        return None
    words = _words_with_terms(pair, shared)
    return older_ends(pair, 0.8, f'One of them is for "{words}", and the other is against it.')


def _words_with_terms(pair: Pair, terms: frozenset[str]) -> str:
    """The words of the newer statement that have some terms, as they are written."""
    written = (one.strip(".,;:!?\"'()") for one in pair.newer.text.split())
    return " ".join(one for one in written if set(analyzer.terms(one)) & terms) or " ".join(
        sorted(terms)
    )


_DENYING = frozenset(
    "not never no without avoid dislik dislike hate forbidden kein keine keinen nicht nie niemal "
    "nunca no sin ne pas jamai 不 没 别 再 aucun "
    # Words that say since when: "no longer" and "again".
    "longer anymore more again mehr wieder más mas vez nuevo plus encore".split()
)


def _other_case(pair: Pair) -> Judgement | None:
    """The two hold for different times or purposes."""
    old, new = pair.old, pair.new
    is_moved = new.claim is not None and new.claim.is_change
    for mine, theirs in ((new.periods, old.periods), (new.purposes, old.purposes)):
        if mine and theirs and not mine & theirs and not is_moved:
            return both_hold(pair, "They speak of different times or purposes.")
    if (new.periods - old.periods) and not old.periods and not pair.is_announced:
        return both_hold(pair, "The newer one speaks of a certain time only.")
    return None


def _corrected(pair: Pair) -> Judgement | None:
    """A correction, with enough words of the older one."""
    old, new = pair.old, pair.new
    has_difference = new.corrects or (new.announces and differing_kind(pair) is not None)
    if pair.has_long or not has_difference or new.content <= old.content:
        return None
    match = subject_match(old.claim, new.claim) if old.claim and new.claim else 0.7
    shared = len(old.content & new.content) / max(1, min(len(old.content), len(new.content)))
    if match < _SUBJECT_MATCH_MIN or shared < _SHARED_MIN:
        return None
    reason = "The newer one says that it corrects or changes something like this."
    return older_ends(pair, 0.55 + 0.35 * shared, reason)


def _alike(pair: Pair) -> Judgement:
    """Some shared words or the same subject, and nothing else in common."""
    old, new = pair.old.claim, pair.new.claim
    is_same_subject = bool(old and new and old.subject and old.subject == new.subject)
    if pair.shared >= 0.2 or is_same_subject:
        reason = f"They share {pair.shared:.0%} of their words."
    elif old and new and _is_same_person(old, new):
        reason = "Both speak of the same person."
    else:
        return unrelated()
    return Judgement(Relation.ADDS, clamp_confidence(pair.shared), reason)


def _is_same_person(old: Claim, new: Claim) -> bool:
    """Whether both are about the person who speaks, or the group of that person."""
    is_named = bool(old.subject)
    return not is_named and old.subject_kind == new.subject_kind in ("self", "group")


_RULES: tuple[Callable[[Pair], Judgement | None], ...] = (
    _same,
    _keyed,
    _empty,
    _again,
    _holds_besides,
    _labelled,
    _ended,
    _adding,
    _denied,
    _other_case,
    different_value,
    _corrected,
    _alike,
)


def verdict(pair: Pair) -> Judgement:
    """The judgement of the first rule that applies."""
    return next(found for rule in _RULES if (found := rule(pair)))
