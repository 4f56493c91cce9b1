"""Compares the values of two claims about one subject: whether both can hold."""

from commonplace.language.judgement import Judgement
from commonplace.language.statement import Claim, overlap, subject_match
from commonplace.language.statement_pair import Pair, both_hold, older_ends
from commonplace.language.tool_kinds import kinds_of

_SUBJECT_MATCH_MIN = 0.6
_SAME_VALUE_MIN, _SAME_PART_MIN = 0.5, 0.25
# Slots that have one value at a time once a word such as "now" announces another one.
_SINGLE_WHEN_ANNOUNCED = ("uses", "role", "drives")


def different_value(pair: Pair) -> Judgement | None:
    """Both give one subject a value for one slot, and the values differ."""
    old, new = pair.old.claim, pair.new.claim
    if old is None or new is None or pair.has_long:
        return None
    match = subject_match(old, new)
    if match < _SUBJECT_MATCH_MIN:
        return both_hold(pair, "They speak of different subjects.")
    if (old.is_event or new.is_event) and not pair.new.corrects:
        return both_hold(pair, "They tell of two events.")
    if _is_unclear(pair, old, new, match):
        return None
    confidence = _difference_confidence(pair, old, new)
    return older_ends(pair, confidence * match, _reason(pair, new)) if confidence else None


def _is_unclear(pair: Pair, old: Claim, new: Claim, match: float) -> bool:
    """Whether the subjects may be different ones, and no word announces a change."""
    return match < 1.0 and not pair.is_announced and old.subject_kind != new.subject_kind


def differing_kind(pair: Pair) -> str | None:
    """The kind of value, such as a time or a price, of which the two have different ones."""
    old, new = pair.old.values, pair.new.values
    return next((kind for kind in old if kind in new and not old[kind] & new[kind]), None)


def _reason(pair: Pair, new: Claim) -> str:
    if kind := differing_kind(pair):
        before, after = (" ".join(sorted(one.values[kind])) for one in (pair.old, pair.new))
        return f'The same is said with "{before}" and with "{after}".'
    subject = " ".join(sorted(new.subject - {"@self"}))
    if subject:
        return f'Both say what holds of "{subject}", and they differ.'
    return "Both give another value."


def _difference_confidence(pair: Pair, old: Claim, new: Claim) -> float:
    """How sure it is that two claims about one subject cannot both hold."""
    if not _is_same_slot(old, new):
        return 0.0
    confidence = 0.95 if pair.is_announced else 0.85
    has_one_value = old.is_single or new.is_single
    kind = differing_kind(pair)
    if kind and (has_one_value or _is_same_value(pair, old, new)):
        return confidence
    if not has_one_value and new.slot != "changes":
        return _multiple_confidence(pair, old, new)
    return confidence if _has_another_value(pair, old, new, kind) else 0.0


def _is_same_value(pair: Pair, old: Claim, new: Claim) -> bool:
    """Whether two claims are about the same value, or announce that they are."""
    is_empty = not (old.value or new.value)
    return pair.is_announced or is_empty or overlap(old.value, new.value) >= _SAME_VALUE_MIN


def _has_another_value(pair: Pair, old: Claim, new: Claim, kind: str | None) -> bool:
    """Whether the newer value is another one of the same kind, and not the older one in more
    words: a day and a place do not differ.
    """
    if not new.value - old.value or old.value < new.value:
        return False
    only_one_typed = bool(pair.old.values) != bool(pair.new.values)
    return new.slot == "changes" or kind is not None or not only_one_typed


def _is_same_slot(old: Claim, new: Claim) -> bool:
    """Whether two claims are about the same slot of their subject, perhaps in other words."""
    if old.slot == new.slot or new.slot == "changes":
        return True
    has_moved = new.is_change and new.slot == "lives" and old.slot.startswith("is ")
    is_renamed = new.slot == "called" and old.is_single and old.slot in ("is", "role")
    return has_moved or is_renamed or {old.slot, new.slot} == {"age", "is"}


def _multiple_confidence(pair: Pair, old: Claim, new: Claim) -> float:
    """The same for a slot that may have several values: a tool is replaced by one of its kind, or
    where the words announce it.
    """
    if old.value <= new.value or new.value <= old.value:
        return 0.0
    old_kinds = kinds_of(old.value | pair.old.purposes)
    new_kinds = kinds_of(new.value | pair.new.purposes)
    if old_kinds and new_kinds:
        announced = 0.95 if pair.is_announced else 0.8
        return announced if old_kinds & new_kinds else 0.0
    return 0.9 if pair.new.corrects else _overlap_confidence(pair, old, new)


def _overlap_confidence(pair: Pair, old: Claim, new: Claim) -> float:
    """The same by the words, the purpose or the period that both values have in common."""
    is_part_same = overlap(old.value, new.value) >= _SAME_PART_MIN
    is_same_case = _is_same_case(pair)
    if new.slot == "prefers":
        return 0.9 if is_same_case or is_part_same else 0.0
    if new.slot == "uses" and is_same_case:
        return 0.8
    if pair.new.announces:
        return _announced_confidence(pair, new, is_part_same=is_part_same)
    return 0.0


def _is_same_case(pair: Pair) -> bool:
    """Whether both are about the same purpose or period."""
    old, new = pair.old, pair.new
    return bool(old.purposes & new.purposes or old.periods & new.periods)


def _announced_confidence(pair: Pair, new: Claim, *, is_part_same: bool) -> float:
    """How sure a word such as "now" makes it that another value is the only one."""
    if new.slot in _SINGLE_WHEN_ANNOUNCED:
        return 0.0 if pair.new.purposes else 0.8
    is_placed = new.subject_kind == "thing" and " " in new.slot.removeprefix("verb ")
    return 0.85 if is_part_same or is_placed else 0.55
