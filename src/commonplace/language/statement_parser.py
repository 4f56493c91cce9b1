"""Parses a statement: its subject, its slot and value, and the words that announce a change.

Only words count. The time grows with the length of the text, and results are cached.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from commonplace.language.statement import (
    LABEL,
    Claim,
    ParsedStatement,
    Retraction,
    statement_label,
)
from commonplace.language.statement_text import (
    first_match,
    first_word,
    fold,
    is_lead_in,
    normalize,
    question_sign,
    remove_matches,
    single_term,
    value_after_label,
    without_leading_retraction,
)
from commonplace.language.words.detection import language_of
from commonplace.language.words.lexicon import HAN, Language, Slot, fold_letters

_READ_CHARS_MAX = 2_000  # A long document shares words with every other one.
_CLAUSES_MAX, _WORD_CHARS_MAX = 8, 30
_TOKEN = re.compile(
    rf"[{HAN}]|[$€£¥]?(?:(?![{HAN}])\w)+(?:[-.:/@+#'](?:(?![{HAN}])\w)+)*(?:\+\+|[%€$£¥#])?"
)
_CLAUSE_END = re.compile(r"(?<=[^\d][.!?])\s+|[\n;。！？；]+")
_POSSESSIVE = "'s"
_COMPOUND = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")
_NUMBER = re.compile(r"(?<![\w.])\d[\d.,:]*\d|(?<![\w.])\d")
_MEASURE = re.compile(r"[\d$€£¥]")


@lru_cache(maxsize=8_192)
def parse(text: str, name: str = "") -> ParsedStatement:
    """A statement as it is compared, in a given language or the one of its words."""
    head = text[:_READ_CHARS_MAX]
    language = language_of(head, name)
    return _Parser(head, language, is_long=len(text) > _READ_CHARS_MAX).parse()


@lru_cache(maxsize=8_192)
def has_change_words(text: str) -> bool:
    """Whether a text has words that announce any change."""
    language = language_of(text[:_READ_CHARS_MAX])
    plain = fold(text[:_READ_CHARS_MAX], language)
    return any(
        pattern.search(plain) for pattern in (language.hints, language.changes, language.ended)
    )


@lru_cache(maxsize=8_192)
def is_exception(text: str) -> bool:
    """Whether a text has words of a plan or an exception."""
    language = language_of(text[:_READ_CHARS_MAX])
    plain = fold(text[:_READ_CHARS_MAX], language)
    return language.exceptions.search(plain) is not None


class _Parser:
    """Parses one text in one language."""

    def __init__(self, text: str, language: Language, *, is_long: bool) -> None:
        self.text, self.language, self.is_long = text, language, is_long
        self.plain = fold(text, language)

    def parse(self) -> ParsedStatement:
        language, plain = self.language, self.plain
        named = statement_label(self.text)
        if named and language.corrections.search(fold_letters(named)):
            named = ""
        is_announced = bool(named) and is_lead_in(named)
        if is_announced:
            named, plain = "", fold(value_after_label(self.text), language)
        label_match = LABEL.match(self.text) if named else None
        remaining = remove_matches(plain, language.fillers, language.changes, language.corrections)
        sequence = tuple(self.terms(remaining))
        values = self._values(remaining)
        core = remove_matches(
            remaining, *language.values.values(), language.periods, language.ended, language.denials
        )
        claim = self._claim(without_leading_retraction(core, language))
        if claim and claim.numbers:
            values["number"] = claim.numbers
        return ParsedStatement(
            normal=normalize(plain, language),
            sequence=sequence,
            content=frozenset(sequence),
            claim=None if label_match else claim,
            values=values,
            periods=self._matches(language.periods, remaining),
            purposes=self._purposes(core),
            retractions=tuple(self._retractions(remaining)),
            label=named,
            label_is_single=label_match is not None and self._is_single_label(named, label_match),
            denies=self._denies(),
            ends=language.ended.search(plain) is not None,
            announces=is_announced or self._announces(claim),
            corrects=language.corrections.search(plain) is not None,
            addition=first_match(language.additions, plain),
            exception=self._exception(),
            past=first_match(language.past, plain),
            has_several=self._has_several(),
            is_long=self.is_long or len(self.text) > 400,
        )

    def terms(self, plain: str) -> Iterator[str]:
        """The terms of a text that carry content, in their order."""
        language = self.language
        for word in _TOKEN.findall(plain):
            number = language.numbers.get(word)
            if number is not None:
                yield number
            elif (
                word not in language.stops
                and word not in language.group_words | language.self_words
            ):
                parts = word.split("-") if _COMPOUND.fullmatch(word) else (word,)
                yield from (language.endings.sub("", single_term(part)) for part in parts)

    def _denies(self) -> bool:
        language = self.language
        return any(one.search(self.plain) for one in (language.denials, language.aversions))

    def _announces(self, claim: Claim | None) -> bool:
        """Whether it has words for a change, or a verb of one."""
        if claim is not None and claim.is_change:
            return True
        return self.language.changes.search(self.plain) is not None

    def _exception(self) -> str:
        """The words that make it a plan, an exception or a question."""
        found = (
            first_match(one, self.plain)
            for one in (self.language.exceptions, self.language.conditions)
        )
        return next(filter(None, found), "") or question_sign(self.text)

    def _values(self, remaining: str) -> dict[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        rest = remaining
        for kind, pattern in self.language.values.items():
            if some := pattern.findall(rest):
                found[kind] = frozenset(" ".join(self.terms(one)) or one for one in some)
                rest = pattern.sub(" ", rest)
        return found

    def _matches(self, pattern: re.Pattern[str], remaining: str) -> frozenset[str]:
        return frozenset(pattern.findall(remaining))

    def _purposes(self, core: str) -> frozenset[str]:
        _, cue, _ = _find_slot(self.language, core)
        core = core if cue is None else core.replace(cue[0], " ", 1)
        found = self.language.purposes.search(core)
        return frozenset(self.terms(core[found.end() :])) if found else frozenset()

    def _is_single_label(self, named: str, found: re.Match[str]) -> bool:
        last = fold_letters(named).rsplit(maxsplit=1)[-1]
        is_assigned = "=" in found[0][: found.start("value") - found.start()]
        return is_assigned or last in self.language.single or bool(_MEASURE.match(found["value"]))

    def _has_several(self) -> bool:
        clauses = [one for one in _CLAUSE_END.split(self.text.strip(), _CLAUSES_MAX) if one.strip()]
        joined = self.plain.count(", and ") + len(_JOINED_CLAUSES.findall(self.plain))
        return len(clauses) > 1 or joined > 0

    def _claim(self, core: str) -> Claim | None:
        """The claim of the first clause that has a verb."""
        for clause in _CLAUSE_END.split(core, _CLAUSES_MAX):
            if found := self._claim_of(clause.strip()):
                return found
        return None

    def _claim_of(self, clause: str) -> Claim | None:
        slot, cue, is_change = _find_slot(self.language, clause)
        pivot = self._pivot(clause, cue)
        if pivot is None:
            return None
        if cue and cue.start() > pivot.end() + 1 and not self.language.has_participles:
            slot, cue, is_change = None, None, False  # "Has a colour of its own" names no owner.
        before, after = self._split_at(clause, pivot)
        kind, subject, head = self._subject(before)
        name, is_single = self._slot(slot, pivot, after, head, before)
        value, numbers = self._value(after, cue, pivot)
        is_event = (slot is None or slot.name == "is in") and self._is_event(clause, pivot)
        found_by = self._found_by(slot, pivot)
        claim = Claim(
            kind, subject, head, name, is_single, is_change, is_event, value, numbers, found_by
        )
        return self._swap_title(claim, after)

    def _pivot(self, clause: str, cue: re.Match[str] | None) -> re.Match[str] | None:
        """The verb of a clause, or the words of its slot: the match that begins first."""
        verbs = (_find_verb(one, clause, self.language) for one in _verb_patterns(self.language))
        matches = [one for one in (cue, *verbs) if one]
        return min(matches, key=lambda one: (one.start(), -one.end()), default=None)

    def _split_at(self, clause: str, pivot: re.Match[str]) -> tuple[str, str]:
        """The subject of a clause, and the words after its verb."""
        before, after = clause[: pivot.start()], clause[pivot.end() :]
        is_inverted = not before.strip() and not self.plain.startswith(pivot[0])
        if is_inverted and self.language.verb_first:
            return _split_inverted(after, self.language)
        return before, after

    def _swap_title(self, claim: Claim, after: str) -> Claim:
        """A claim about a title or a thing that has an owner, instead of one about the person.

        "X is the treasurer" gives a value of "the treasurer", and "X owns Y" one of Y.
        """
        is_title = (
            claim.subject_kind == "name"
            and claim.slot in _COPULA_SLOTS
            and first_word(after) in self.language.definite
        )
        if is_title:
            claim = replace(claim, slot="is who", is_single=True)
        if is_title or claim.slot == "owner":
            return replace(
                claim, subject_kind="thing", subject=claim.value, head="", value=claim.subject
            )
        return claim

    def _value(
        self, after: str, cue: re.Match[str] | None, pivot: re.Match[str]
    ) -> tuple[frozenset[str], frozenset[str]]:
        """The terms and the numbers of the value, without its purpose."""
        language = self.language
        rest = after.replace(cue[0], " ", 1) if cue else after
        purpose = language.purposes.search(rest)
        value = frozenset(self.terms(rest[: purpose.start()] if purpose else rest))
        if language.many.fullmatch(pivot[0].strip()):
            return value, frozenset()
        return value, frozenset(_NUMBER.findall(f"{rest} {cue[0]}" if cue else rest))

    def _is_event(self, clause: str, pivot: re.Match[str]) -> bool:
        """Whether a clause is about something that happened once."""
        event = self.language.events.search(clause)
        return event is not None and (
            self.language.has_participles or event.start() <= pivot.start()
        )

    def _found_by(self, slot: Slot | None, pivot: re.Match[str]) -> tuple[str, ...]:
        is_said = not self.language.copulas.fullmatch(pivot[0].strip())
        words = (slot.found_by if slot else ()) or (pivot[0].split()[:1] if is_said else ())
        return tuple(dict.fromkeys(map(single_term, words)))

    def _slot(
        self, slot: Slot | None, pivot: re.Match[str], after: str, head: str, before: str
    ) -> tuple[str, bool]:
        """The name of the slot, and whether it has one value at a time."""
        language = self.language
        is_named = head in language.single or language.preferred.search(before) is not None
        if slot is not None:
            return slot.name, slot.is_single or is_named
        first = first_word(after)
        is_preposition = first in language.prepositions
        if not language.copulas.fullmatch(pivot[0].strip()):
            placed = f" {first}" if is_preposition else ""
            return f"verb {single_term(pivot[0])}{placed}", False
        if is_preposition:
            return f"is {first}", True
        return ("role" if self._is_role(first, pivot) else "is"), is_named

    def _is_role(self, first: str, pivot: re.Match[str]) -> bool:
        """Whether the first word after a verb such as "is" begins a role."""
        language = self.language
        if first in language.articles or language.roles.fullmatch(pivot[0].strip()):
            return True
        return language.capital_nouns and self._is_capitalized(_TOKEN.findall(first))

    def _subject(self, before: str) -> tuple[str, frozenset[str], str]:
        language = self.language
        found = _TOKEN.findall(before)
        content = list(self.terms(before))
        if not content:
            for who, listed in (
                ("self", language.self_words),
                ("group", language.group_words),
                ("pronoun", language.pronouns),
            ):
                if any(word in listed for word in found):
                    return who, frozenset(), ""
            return "", frozenset(), ""
        if any(word in language.self_words for word in found):
            content.append("@self")
        is_name = not any(word in language.stops for word in found) and self._is_capitalized(found)
        return (
            ("name" if is_name else "thing"),
            frozenset(content),
            _head(before, language, content),
        )

    def _is_capitalized(self, found: list[str]) -> bool:
        every = {fold_letters(one) for one in _TOKEN.findall(self.text) if one[:1].isupper()}
        return bool(found) and all(word in every for word in found)

    def _retractions(self, remaining: str) -> Iterator[Retraction]:
        yield from self._retractions_after(remaining)
        for clause in _CLAUSE_END.split(remaining, _CLAUSES_MAX):
            if one := self._retraction_in(clause):
                yield one

    def _retractions_after(self, remaining: str) -> Iterator[Retraction]:
        """What stands after phrases such as "no longer" and is over."""
        language = self.language
        for found in language.over_after.finditer(remaining):
            rest = remaining[found.end() :]
            ends = (language.until.search(rest), _PHRASE_END.search(rest))
            rest = rest[: min((one.start() for one in ends if one), default=len(rest))]
            if terms := frozenset(self.terms(rest)):
                phrase = f"{found[0].strip()} {rest.strip()}"[:80]
                yield Retraction(
                    terms, phrase, language.replaced_by.fullmatch(found[0].strip()) is None
                )

    def _retraction_in(self, clause: str) -> Retraction | None:
        """What a clause declares to be over, before a phrase or by a denial."""
        language = self.language
        if found := language.over_before.search(clause):
            before = clause[: found.start()]
            if auxiliary := language.auxiliaries.search(before):
                before = before[auxiliary.end() :]
            terms, phrase, is_about_subject = before, clause.strip(" .!")[:80], False
        elif found := language.ended.search(clause):
            terms = _CONTRAST.split(remove_matches(clause, language.ended, language.denials))[0]
            phrase, is_about_subject = found[0].strip(), True
        else:
            return None
        content = frozenset(self.terms(terms))
        return Retraction(content, phrase, is_about_subject) if content else None


_COPULA_SLOTS = ("is", "role")
_FIRST_PERSON = frozenset("i we ich wir yo nosotros je nous 我 咱 user".split())
_CONTRAST = re.compile(r"\b(?:but|sondern|sino|mais)\b|而是")
_PHRASE_END = re.compile(r"[,.;:!?\n。，；！？]")
_JOINED_CLAUSES = re.compile(
    r"\b(?:and|but|while) (?:i|my|we|our|he|his|she|her|they|their|it|the)\b"
    r"|\bund (?:ich|wir|mein|er|sie)\b"
)


def _find_slot(language: Language, clause: str) -> tuple[Slot | None, re.Match[str] | None, bool]:
    """The slot of a clause, the words that name it, and whether they announce a change of it."""
    for slot in language.slots:
        for pattern, is_change in ((slot.change, True), (slot.state, False)):
            if found := pattern.search(clause):
                return slot, found, is_change
    return None, None, False


def _find_verb(pattern: re.Pattern[str], clause: str, language: Language) -> re.Match[str] | None:
    """The first match that is a verb; after an article it is a noun, as in "the support team"."""
    determiners = language.articles | language.definite | language.self_words | language.group_words
    for found in pattern.finditer(clause):
        before = clause[max(0, found.start() - _WORD_CHARS_MAX) : found.start()].split()[-1:]
        if len(found[0].split()) > 1 or not determiners.intersection(before) - _FIRST_PERSON:
            return found
    return None


def _verb_patterns(language: Language) -> tuple[re.Pattern[str], ...]:
    return language.copulas, language.verbs, language.events, language.over_after


def _split_inverted(after: str, language: Language) -> tuple[str, str]:
    """The subject and the rest of a clause that begins with its verb: "ist das Treffen um zehn"."""
    found = _TOKEN.findall(after)
    taken = 0
    while taken < len(found) and found[taken] not in language.prepositions:
        taken += 1
        if found[taken - 1] not in language.stops:
            break
    subject = found[:taken]
    return " ".join(subject), " ".join(found[taken:])


def _head(before: str, language: Language, content: list[str]) -> str:
    """The noun that a subject is: its last word before "of" and similar words."""
    last = ""
    for word in _TOKEN.findall(before):
        if word in language.prepositions and last:
            break
        if last and language.head_first:
            break
        if word not in language.stops and word != _POSSESSIVE:
            last = word
    return last or content[-1]
