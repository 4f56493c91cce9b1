"""The rules that relate a newer statement to an older one: the first that says anything decides.

They look at words alone, and are careful: what is not plain from the words is no change.
"""

from collections.abc import Callable
from dataclasses import dataclass

from commonplace.language import analyzer
from commonplace.language.judgement import Judgement, Relation, Statement
from commonplace.language.statement import (
    Claim,
    ParsedStatement,
    Retraction,
    overlap,
    subject_match,
)
from commonplace.language.tool_kinds import kinds_of

_ALIKE_MIN = 0.6
_SHARED_MIN = 0.4
_FITS_MIN = 0.6


@dataclass(frozen=True, slots=True)
class Pair:
    """Two statements as they were given and as they were read."""

    older: Statement
    newer: Statement
    old: ParsedStatement
    new: ParsedStatement

    @property
    def is_announced(self) -> bool:
        return (
            self.new.announces or self.new.corrects or self.new.ends or bool(self.new.retractions)
        )

    @property
    def shared(self) -> float:
        """Which share of the words of both they have in common."""
        return len(self.old.content & self.new.content) / max(
            1, len(self.old.content | self.new.content)
        )


def _unrelated(reason: str = "They have nothing in common.") -> Judgement:
    return Judgement(Relation.UNRELATED, 0.9, reason)


def _beside(pair: Pair, reason: str) -> Judgement:
    """Both hold: as more about the same, or as something else."""
    return (
        Judgement(Relation.ADDS, _sure(pair.shared), reason)
        if pair.shared >= 0.2
        else _unrelated(reason)
    )


def _over(pair: Pair, confidence: float, reason: str) -> Judgement:
    """The older one does not hold any more."""
    relation = Relation.REPLACES if pair.is_announced else Relation.CONTRADICTS
    # A text that says several things is not over because one of them is.
    return Judgement(
        relation, _sure(confidence if not pair.old.has_several else confidence - 0.3), reason
    )


def _sure(confidence: float) -> float:
    return round(min(0.99, max(0.0, confidence)), 2)


def _empty(pair: Pair) -> Judgement | None:
    return None if pair.old.content and pair.new.content else _same(pair) or _unrelated()


def _same(pair: Pair) -> Judgement | None:
    if pair.old.normal and pair.old.normal == pair.new.normal:
        return Judgement(Relation.SAME, 1.0, "Both say the same in the same words.")
    return None


def _keyed(pair: Pair) -> Judgement | None:
    """A key has one value; and what is kept under two keys is different on purpose."""
    if not pair.older.key or not pair.newer.key:
        return None
    if pair.older.key != pair.newer.key:
        if pair.shared >= _ALIKE_MIN:
            return Judgement(
                Relation.ADDS, _sure(pair.shared), "They are kept under different keys."
            )
        return _unrelated("They are kept under different keys.")
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


# These stand before many things that have nothing to do with each other.
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
            None if not (old.label and new.label) else _beside(pair, "They have different labels.")
        )
    if pair.new.addition:
        return _beside(pair, f'The newer one adds something: "{new.addition}".')
    is_single = old.label_is_single and new.label_is_single
    sure = 0.9 if is_single and new.label not in _GENERIC_LABELS else 0.7
    return _over(pair, sure, f'Both say what "{new.label}" is, and they differ.')


def _passing(pair: Pair) -> Judgement | None:
    if pair.new.exception:
        return _beside(
            pair, f'The newer one is a plan, an exception or a question: "{pair.new.exception}".'
        )
    if pair.new.past and not pair.is_announced:
        return _beside(pair, f'The newer one tells of the past: "{pair.new.past}".')
    return None


def _ended(pair: Pair) -> Judgement | None:
    """The newer one names what is over, and that is what the older one says."""
    if pair.old.retractions or pair.old.is_long or pair.old.exception:
        return None
    for over in pair.new.retractions:
        if over.terms <= pair.old.content and not (pair.old.denies and not pair.old.ends):
            sure = _of_its_subject(pair, over)
            if sure > 0:
                return _over(pair, sure, f'The newer one says so: "{over.phrase}".')
    return None


def _of_its_subject(pair: Pair, over: Retraction) -> float:
    """How sure it is that what is over is what the older one says, and not the same of somebody
    else."""
    share = len(over.terms) / max(1, len(pair.old.content))
    sure = 0.75 + 0.2 * share
    old, new = pair.old.claim, pair.new.claim
    if not over.is_about_subject or old is None or new is None:
        return sure
    if (
        subject_match(old, new) >= 0.6
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
        return _beside(pair, f'The newer one adds something: "{pair.new.addition}".')
    if pair.older.speaker and pair.newer.speaker and pair.older.speaker != pair.newer.speaker:
        speaks = [one.claim for one in (pair.old, pair.new)]
        if all(one is not None and one.subject_kind in ("self", "") for one in speaks):
            return _beside(pair, "Two speakers each speak of themselves.")
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
    """One says of the same thing that it is not so."""
    old, new = pair.old, pair.new
    if old.denies == new.denies or old.is_long or new.is_long:
        return None
    if old.claim and new.claim:
        if subject_match(old.claim, new.claim) < 0.6:
            return None
        both_like = {old.claim.slot, new.claim.slot} <= {"likes", "prefers"}
        if both_like and old.claim.value & new.claim.value:
            shared = _shared_word(pair, old.claim.value & new.claim.value)
            return _over(pair, 0.8, f'One of them is for "{shared}", and the other is against it.')
    without = [one.content - _DENYING for one in (old, new)]
    share = overlap(*without)
    if share < _ALIKE_MIN or (min(map(len, without)) < 2 and share < 1):
        return None
    return _over(pair, 0.5 + 0.45 * share, "One of them denies what the other says.")


def _shared_word(pair: Pair, terms: frozenset[str]) -> str:
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
    """They hold for different times or purposes."""
    old, new = pair.old, pair.new
    is_moved = new.claim is not None and new.claim.is_change
    for mine, theirs in ((new.periods, old.periods), (new.purposes, old.purposes)):
        if mine and theirs and not mine & theirs and not is_moved:
            return _beside(pair, "They speak of different times or purposes.")
    if (new.periods - old.periods) and not old.periods and not pair.is_announced:
        return _beside(pair, "The newer one speaks of a certain time only.")
    return None


def _other_value(pair: Pair) -> Judgement | None:
    """Both say of one thing what it has one of, and differ."""
    old, new = pair.old.claim, pair.new.claim
    if old is None or new is None or pair.old.is_long or pair.new.is_long:
        return None
    fit = subject_match(old, new)
    are_events = (old.is_event or new.is_event) and not pair.new.corrects
    if fit < _FITS_MIN or are_events:
        return _aside(pair, fit)
    if fit < 1.0 and not pair.is_announced and old.subject_kind != new.subject_kind:
        return None
    sure = _differ(pair, old, new)
    return _over(pair, sure * fit, _reason(pair, old, new)) if sure else None


def _aside(pair: Pair, fit: float) -> Judgement:
    reason = "They tell of two events." if fit >= 0.6 else "They speak of different subjects."
    return _beside(pair, reason)


def _reason(pair: Pair, old: Claim, new: Claim) -> str:
    if kind := _kind_of_difference(pair):
        before, after = (" ".join(sorted(one.values[kind])) for one in (pair.old, pair.new))
        return f'The same is said with "{before}" and with "{after}".'
    subject = " ".join(sorted(new.subject - {"@self"}))
    return (
        f'Both say what holds of "{subject}", and they differ.'
        if subject
        else "Both give another value."
    )


def _differ(pair: Pair, old: Claim, new: Claim) -> float:
    """How sure it is that two claims about one subject cannot both hold."""
    if not _is_one_slot(old, new):
        return 0.0
    sure = 0.95 if pair.is_announced else 0.85
    is_single = old.is_single or new.is_single
    kind = _kind_of_difference(pair)
    if kind and (is_single or pair.is_announced or _is_alike(old, new)):
        return sure
    if is_single or new.slot == "changes":
        return sure if _gives_another(pair, old, new, kind) else 0.0
    return _of_many(pair, old, new) if old.value - new.value and new.value - old.value else 0.0


def _is_alike(old: Claim, new: Claim) -> bool:
    return overlap(old.value, new.value) >= 0.5 or not (old.value or new.value)


def _gives_another(pair: Pair, old: Claim, new: Claim, kind: str | None) -> bool:
    """Whether the newer value is another one, and not the older one in more words or of another
    kind: a day and a place do not differ."""
    if not new.value - old.value or old.value < new.value:
        return False
    only_one_typed = bool(pair.old.values) != bool(pair.new.values)
    return new.slot == "changes" or kind is not None or not only_one_typed


def _is_one_slot(old: Claim, new: Claim) -> bool:
    """Whether two claims say the same of their subject, though perhaps in other words."""
    if old.slot == new.slot or new.slot == "changes":
        return True
    has_moved = new.is_change and new.slot == "lives" and old.slot.startswith("is ")
    is_renamed = new.slot == "called" and old.is_single and old.slot in ("is", "role")
    return has_moved or is_renamed or {old.slot, new.slot} == {"age", "is"}


def _of_many(pair: Pair, old: Claim, new: Claim) -> float:
    """The same for what may have several values: a tool is replaced by one of its kind, or by
    saying so."""
    kinds = [
        kinds_of(one.value | extra.purposes) for one, extra in ((old, pair.old), (new, pair.new))
    ]
    if all(kinds):
        return (0.95 if pair.is_announced else 0.8) if kinds[0] & kinds[1] else 0.0
    if pair.new.corrects:
        return 0.9
    same_case = bool(pair.old.purposes & pair.new.purposes or pair.old.periods & pair.new.periods)
    is_part_same = overlap(old.value, new.value) >= 0.25
    if new.slot == "prefers":
        return 0.9 if same_case or is_part_same else 0.0
    if new.slot == "uses" and same_case:
        return 0.8
    return _announced(pair, new, is_part_same=is_part_same) if pair.new.announces else 0.0


def _announced(pair: Pair, new: Claim, *, is_part_same: bool) -> float:
    """How sure a word such as "now" makes it that another value is the only one."""
    if new.slot in ("uses", "role", "drives"):
        return 0.0 if pair.new.purposes else 0.8
    is_placed = new.subject_kind == "thing" and " " in new.slot.removeprefix("verb ")
    return 0.85 if is_part_same or is_placed else 0.55


def _kind_of_difference(pair: Pair) -> str | None:
    """The kind of value of which they give different ones: a time, a price, a number."""
    old, new = pair.old.values, pair.new.values
    both = [kind for kind in old if kind in new]
    differing = [kind for kind in both if not old[kind] & new[kind]]
    return differing[0] if differing else None


def _corrected(pair: Pair) -> Judgement | None:
    """A correction, of what has enough of the same words."""
    old, new = pair.old, pair.new
    if (
        not (new.corrects or new.announces)
        or old.is_long
        or new.is_long
        or not (new.content - old.content)
    ):
        return None
    fit = subject_match(old.claim, new.claim) if old.claim and new.claim else 0.7
    shared = len(old.content & new.content) / max(1, min(len(old.content), len(new.content)))
    if fit < 0.6 or shared < _SHARED_MIN or (not new.corrects and not _kind_of_difference(pair)):
        return None
    return _over(
        pair,
        0.55 + 0.35 * shared,
        "The newer one says that it corrects or changes something like this.",
    )


def _alike(pair: Pair) -> Judgement:
    old, new = pair.old.claim, pair.new.claim
    if pair.shared >= 0.2 or (old and new and old.subject and old.subject == new.subject):
        return Judgement(
            Relation.ADDS, _sure(pair.shared), f"They share {pair.shared:.0%} of their words."
        )
    if (
        old
        and new
        and not old.subject
        and old.subject_kind == new.subject_kind
        and old.subject_kind in ("self", "group")
    ):
        return Judgement(Relation.ADDS, _sure(pair.shared), "Both speak of the same person.")
    return _unrelated()


_RULES: tuple[Callable[[Pair], Judgement | None], ...] = (
    _same,
    _keyed,
    _empty,
    _again,
    _passing,
    _labelled,
    _ended,
    _adding,
    _denied,
    _other_case,
    _other_value,
    _corrected,
    _alike,
)


def verdict(pair: Pair) -> Judgement:
    """What the first rule says that says anything."""
    return next(found for rule in _RULES if (found := rule(pair)))
