"""Reads a statement: what it speaks of, what it says about that, and which words say that
something has changed.

Only words are looked at, in time that grows with the length of the text. What is found is cached.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from commonplace.language import analyzer as terms
from commonplace.language.statement import LABEL, Claim, Over, Reading, label
from commonplace.language.words.detection import language_of
from commonplace.language.words.lexicon import HAN, Language, Slot, folded_letters

_READ_CHARS_MAX = 2_000  # Two long documents have a word in common with everything.
_CLAUSES_MAX, _WORD_CHARS_MAX = 8, 30
_TOKEN = re.compile(
    rf"[{HAN}]|[$€£¥]?(?:(?![{HAN}])\w)+(?:[-.:/@+#'](?:(?![{HAN}])\w)+)*(?:\+\+|[%€$£¥#])?"
)
_CLAUSE_END = re.compile(r"(?<=[^\d][.!?])\s+|[\n;。！？；]+")
_CONTRACTIONS = (
    (re.compile(r"\bcan't\b|\bcannot\b"), "can not"),
    (re.compile(r"\bwon't\b"), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"(?<=\bi)'m\b"), " am"),
    (re.compile(r"(?<=\w)'re\b"), " are"),
    (re.compile(r"(?<=\w)'ve\b"), " have"),
    (re.compile(r"(?<=\w)'ll\b"), " will"),
    (re.compile(r"\b(he|she|it|that|there|here)'s\b"), r"\1 is"),
    (re.compile(r"(?<=\w)'s\b"), " 's "),
    (re.compile(r"\bthe user\b"), "user"),
)
_POSSESSIVE = "'s"
_COMPOUND = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_NUMBER = re.compile(r"(?<![\w.])\d[\d.,:]*\d|(?<![\w.])\d")
_MEASURE = re.compile(r"[\d$€£¥]")


@lru_cache(maxsize=8_192)
def read(text: str, name: str = "") -> Reading:
    """A statement as it is compared, in a language that is named or told by its words."""
    head = text[:_READ_CHARS_MAX]
    spoken = language_of(head, name)
    return _Reader(head, spoken, is_long=len(text) > _READ_CHARS_MAX).reading()


@lru_cache(maxsize=8_192)
def has_signs_of_change(text: str) -> bool:
    """Whether a text has words that tell of a change, whatever it may be."""
    spoken = language_of(text[:_READ_CHARS_MAX])
    plain = _plain(text[:_READ_CHARS_MAX], spoken)
    return any(pattern.search(plain) for pattern in (spoken.hints, spoken.changes, spoken.ended))


@lru_cache(maxsize=8_192)
def is_exception(text: str) -> bool:
    """Whether a text has words of a plan or an exception."""
    spoken = language_of(text[:_READ_CHARS_MAX])
    plain = _plain(text[:_READ_CHARS_MAX], spoken)
    return spoken.exceptions.search(plain) is not None


class _Reader:
    """Reads one text in one language."""

    def __init__(self, text: str, language: Language, *, is_long: bool) -> None:
        self.text, self.language, self.is_long = text, language, is_long
        self.plain = _plain(text, language)

    def reading(self) -> Reading:
        spoken, plain = self.language, self.plain
        named = label(self.text)
        if named and spoken.corrections.search(folded_letters(named)):
            named = ""
        labelled = LABEL.match(self.text) if named else None
        kept = _without(plain, spoken.fillers, spoken.changes, spoken.corrections)
        sequence = tuple(self.terms(kept))
        values = self._values(kept)
        core = _without(kept, *spoken.values.values(), spoken.periods, spoken.ended, spoken.denials)
        claim = self._claim(core)
        if claim and claim.numbers:
            values["number"] = claim.numbers
        return Reading(
            normal=_normal(plain, spoken),
            sequence=sequence,
            content=frozenset(sequence),
            claim=None if labelled else claim,
            values=values,
            periods=self._found(spoken.periods, kept),
            purposes=self._purposes(core),
            over=tuple(self._over(kept)),
            label=named,
            label_is_single=labelled is not None and self._is_single_label(named, labelled),
            denies=any(one.search(plain) for one in (spoken.denials, spoken.aversions)),
            ends=spoken.ended.search(plain) is not None,
            announces=spoken.changes.search(plain) is not None or bool(claim and claim.is_change),
            corrects=spoken.corrections.search(plain) is not None,
            adds=_phrase(spoken.additions, plain),
            passing=self._passing(),
            past=_phrase(spoken.past, plain),
            several=self._has_several(),
            is_long=self.is_long or len(self.text) > 400,
        )

    def terms(self, plain: str) -> Iterator[str]:
        """The terms of a text that carry content, in their order."""
        spoken = self.language
        for word in _TOKEN.findall(plain):
            number = spoken.numbers.get(word)
            if number is not None:
                yield number
            elif word not in spoken.stops and word not in spoken.group_words | spoken.self_words:
                parts = word.split("-") if _COMPOUND.fullmatch(word) else (word,)
                yield from (spoken.endings.sub("", _term(part)) for part in parts)

    def _passing(self) -> str:
        """What makes it a plan, an exception or a question."""
        found = (_phrase(one, self.plain) for one in self._passing_patterns())
        return next(filter(None, found), "") or _question(self.text)

    def _passing_patterns(self) -> tuple[re.Pattern[str], ...]:
        return self.language.exceptions, self.language.conditions

    def _values(self, kept: str) -> dict[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        rest = kept
        for kind, pattern in self.language.values.items():
            if some := pattern.findall(rest):
                found[kind] = frozenset(" ".join(self.terms(one)) or one for one in some)
                rest = pattern.sub(" ", rest)
        return found

    def _found(self, pattern: re.Pattern[str], kept: str) -> frozenset[str]:
        return frozenset(pattern.findall(kept))

    def _purposes(self, core: str) -> frozenset[str]:
        _, cue, _ = _slot_in(self.language, core)
        core = core if cue is None else core.replace(cue[0], " ", 1)
        found = self.language.purposes.search(core)
        return frozenset(self.terms(core[found.end() :])) if found else frozenset()

    def _is_single_label(self, named: str, found: re.Match[str]) -> bool:
        last = folded_letters(named).rsplit(maxsplit=1)[-1]
        is_assigned = "=" in found[0][: found.start("value") - found.start()]
        return is_assigned or last in self.language.single or bool(_MEASURE.match(found["value"]))

    def _has_several(self) -> bool:
        clauses = [one for one in _CLAUSE_END.split(self.text.strip(), _CLAUSES_MAX) if one.strip()]
        joined = self.plain.count(", and ") + len(_JOINED.findall(self.plain))
        return len(clauses) > 1 or joined > 0

    def _claim(self, core: str) -> Claim | None:
        """What the first clause that has a verb says."""
        for clause in _CLAUSE_END.split(core, _CLAUSES_MAX):
            if found := self._claim_of(clause.strip()):
                return found
        return None

    def _claim_of(self, clause: str) -> Claim | None:
        spoken = self.language
        slot, cue, is_change = _slot_in(spoken, clause)
        verbs = (_verb(one, clause, spoken) for one in _pivots(spoken))
        present = [one for one in (cue, *verbs) if one]
        if not present:
            return None
        pivot = min(present, key=lambda one: (one.start(), -one.end()))
        if cue and cue.start() > pivot.end() + 1 and not spoken.has_participles:
            slot, cue, is_change = None, None, False  # "Has a colour of its own" tells of no owner.
        before, after = clause[: pivot.start()], clause[pivot.end() :]
        if not before.strip() and spoken.verb_first and not self.plain.startswith(pivot[0]):
            before, after = _inverted(after, spoken)
        who, subject, head = self._subject(before)
        name, is_single = self._slot(slot, pivot, after, head, before)
        value, numbers = self._value(after, cue, pivot)
        is_title = who == "name" and name in _IS and _first(after) in spoken.definite
        if is_title:  # "X is the treasurer" says who the treasurer is.
            name, is_single = "is who", True
        if is_title or name == "owner":  # "X owns Y" says of Y who the owner is.
            who, subject, head, value = "thing", value, "", subject
        is_event = (slot is None or slot.name == "is in") and self._is_event(clause, pivot)
        found_by = self._found_by(slot, pivot)
        return Claim(
            who, subject, head, name, is_single, is_change, is_event, value, numbers, found_by
        )

    def _value(
        self, after: str, cue: re.Match[str] | None, pivot: re.Match[str]
    ) -> tuple[frozenset[str], frozenset[str]]:
        """The terms and the numbers of what is said of a subject, without what it is for."""
        spoken = self.language
        rest = after.replace(cue[0], " ", 1) if cue else after
        purpose = spoken.purposes.search(rest)
        value = frozenset(self.terms(rest[: purpose.start()] if purpose else rest))
        if spoken.many.fullmatch(pivot[0].strip()):
            return value, frozenset()
        return value, frozenset(_NUMBER.findall(f"{rest} {cue[0]}" if cue else rest))

    def _is_event(self, clause: str, pivot: re.Match[str]) -> bool:
        """Whether a clause tells of something that happened once."""
        event = self.language.events.search(clause)
        return event is not None and (
            self.language.has_participles or event.start() <= pivot.start()
        )

    def _found_by(self, slot: Slot | None, pivot: re.Match[str]) -> tuple[str, ...]:
        is_said = not self.language.copulas.fullmatch(pivot[0].strip())
        words = (slot.found_by if slot else ()) or (pivot[0].split()[:1] if is_said else ())
        return tuple(dict.fromkeys(map(_term, words)))

    def _slot(
        self, slot: Slot | None, pivot: re.Match[str], after: str, head: str, before: str
    ) -> tuple[str, bool]:
        """The name of what is said, and whether there is one value of it at a time."""
        spoken = self.language
        is_named = head in spoken.single or spoken.preferred.search(before) is not None
        if slot is not None:
            return slot.name, slot.is_single or is_named
        first = _first(after)
        if not spoken.copulas.fullmatch(pivot[0].strip()):
            placed = f" {first}" if first in spoken.prepositions else ""
            return f"verb {_term(pivot[0])}{placed}", False
        if first in spoken.prepositions:
            return f"is {first}", True
        is_role = first in spoken.articles or spoken.roles.fullmatch(pivot[0].strip())
        if not is_role and spoken.capital_nouns:
            is_role = self._is_capital(_TOKEN.findall(first))
        return ("role" if is_role else "is"), is_named

    def _subject(self, before: str) -> tuple[str, frozenset[str], str]:
        spoken = self.language
        found = _TOKEN.findall(before)
        content = list(self.terms(before))
        if not content:
            for who, listed in (
                ("self", spoken.self_words),
                ("group", spoken.group_words),
                ("pronoun", spoken.pronouns),
            ):
                if any(word in listed for word in found):
                    return who, frozenset(), ""
            return "", frozenset(), ""
        if any(word in spoken.self_words for word in found):
            content.append("@self")
        is_name = not any(word in spoken.stops for word in found) and self._is_capital(found)
        return ("name" if is_name else "thing"), frozenset(content), _head(before, spoken, content)

    def _is_capital(self, found: list[str]) -> bool:
        every = {folded_letters(one) for one in _TOKEN.findall(self.text) if one[:1].isupper()}
        return bool(found) and all(word in every for word in found)

    def _over(self, kept: str) -> Iterator[Over]:
        """What it says is over."""
        spoken = self.language
        for found in spoken.over_after.finditer(kept):
            rest = kept[found.end() :]
            end = min(
                (one.start() for one in (spoken.until.search(rest), _STOP.search(rest)) if one),
                default=len(rest),
            )
            gone = frozenset(self.terms(rest[:end]))
            if gone:
                is_own = spoken.replaced_by.fullmatch(found[0].strip()) is None
                yield Over(gone, f"{found[0].strip()} {rest[:end].strip()}"[:80], is_own)
        for clause in _CLAUSE_END.split(kept, _CLAUSES_MAX):
            if found := spoken.over_before.search(clause):
                before = clause[: found.start()]
                if helped := spoken.auxiliaries.search(before):
                    before = before[helped.end() :]
                if gone := frozenset(self.terms(before)):
                    yield Over(gone, clause.strip(" .!")[:80], is_own=False)
            elif found := spoken.ended.search(clause):
                affirmed = _BUT.split(_without(clause, spoken.ended, spoken.denials))[0]
                if gone := frozenset(self.terms(affirmed)):
                    yield Over(gone, found[0].strip(), is_own=True)


_IS = ("is", "role")
_SPEAKERS = frozenset("i we ich wir yo nosotros je nous 我 咱 user".split())
_BUT = re.compile(r"\b(?:but|sondern|sino|mais)\b|而是")
_STOP = re.compile(r"[,.;:!?\n。，；！？]")
_JOINED = re.compile(
    r"\b(?:and|but|while) (?:i|my|we|our|he|his|she|her|they|their|it|the)\b"
    r"|\bund (?:ich|wir|mein|er|sie)\b"
)


def _slot_in(spoken: Language, clause: str) -> tuple[Slot | None, re.Match[str] | None, bool]:
    """The slot that a clause speaks of, the words that say so, and whether they say that it
    changed."""
    for slot in spoken.slots:
        for pattern, is_change in ((slot.change, True), (slot.state, False)):
            if found := pattern.search(clause):
                return slot, found, is_change
    return None, None, False


def _first(text: str) -> str:
    return next(iter(text.split()), "")


def _verb(pattern: re.Pattern[str], clause: str, spoken: Language) -> re.Match[str] | None:
    """The first match that no article makes a noun, as in "the support team"."""
    determiners = spoken.articles | spoken.definite | spoken.self_words | spoken.group_words
    for found in pattern.finditer(clause):
        before = clause[max(0, found.start() - _WORD_CHARS_MAX) : found.start()].split()[-1:]
        if len(found[0].split()) > 1 or not determiners.intersection(before) - _SPEAKERS:
            return found
    return None


def _pivots(spoken: Language) -> tuple[re.Pattern[str], ...]:
    return spoken.copulas, spoken.verbs, spoken.events, spoken.over_after


def _inverted(after: str, spoken: Language) -> tuple[str, str]:
    """The subject and the rest of a clause that begins with its verb: "ist das Treffen um zehn"."""
    found = _TOKEN.findall(after)
    taken = 0
    while taken < len(found) and found[taken] not in spoken.prepositions:
        taken += 1
        if found[taken - 1] not in spoken.stops:
            break
    subject = found[:taken]
    return " ".join(subject), " ".join(found[taken:])


def _head(before: str, spoken: Language, content: list[str]) -> str:
    """What kind of thing a subject is: its last word before "of" and the like."""
    last = ""
    for word in _TOKEN.findall(before):
        if word in spoken.prepositions and last:
            break
        if last and spoken.head_first:
            break
        if word not in spoken.stops and word != _POSSESSIVE:
            last = word
    return last or content[-1]


def _plain(text: str, spoken: Language) -> str:
    plain = " ".join(folded_letters(text).split())
    if spoken.name == "zh":
        return plain.replace("我们", "咱").replace("咱们", "咱")
    if spoken.name == "en":
        for pattern, replacement in _CONTRACTIONS:
            plain = pattern.sub(replacement, plain)
    return plain


def _normal(plain: str, spoken: Language) -> str:
    """A text without what does not matter: fillers, and punctuation at its ends."""
    return " ".join(spoken.fillers.sub(" ", plain).split()).strip(" .!,;:。！，；\"'“”¡")


def _without(plain: str, *patterns: re.Pattern[str]) -> str:
    for pattern in patterns:
        plain = pattern.sub(" ", plain)
    return " ".join(plain.split())


def _phrase(pattern: re.Pattern[str], plain: str) -> str:
    found = pattern.search(plain)
    return found[0].strip() if found else ""


def _question(text: str) -> str:
    return "?" if text.rstrip().endswith(("?", "？", "吗", "吗。")) else ""


def _term(word: str) -> str:
    found = terms.terms(word)
    return found[0] if found else word
