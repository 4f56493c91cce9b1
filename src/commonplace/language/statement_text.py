"""Prepares the text of a statement for its parser: folded letters, contractions, single terms."""

import re
from functools import lru_cache

from commonplace.language import analyzer
from commonplace.language.statement import LABEL
from commonplace.language.words.detection import language_of
from commonplace.language.words.lexicon import Language, fold_letters

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


def fold(text: str, language: Language) -> str:
    """A text in small letters without accents, and without contractions."""
    plain = " ".join(fold_letters(text).split())
    if language.name == "zh":
        return plain.replace("我们", "咱").replace("咱们", "咱")
    if language.name == "en":
        for pattern, replacement in _CONTRACTIONS:
            plain = pattern.sub(replacement, plain)
    return plain


def normalize(plain: str, language: Language) -> str:
    """A text without fillers, and without punctuation at its ends."""
    return " ".join(language.fillers.sub(" ", plain).split()).strip(" .!,;:。！，；\"'“”¡")


def remove_matches(plain: str, *patterns: re.Pattern[str]) -> str:
    """A text without the matches of some patterns."""
    for pattern in patterns:
        plain = pattern.sub(" ", plain)
    return " ".join(plain.split())


def first_match(pattern: re.Pattern[str], plain: str) -> str:
    """The first match of a pattern in a text, or nothing."""
    found = pattern.search(plain)
    return found[0].strip() if found else ""


def single_term(word: str) -> str:
    """The term of a word."""
    found = analyzer.terms(word)
    return found[0] if found else word


# The subjects of a clause before a colon. "It" is left out: "IT support: …" is a label.
_SUBJECT_PRONOUNS = frozenset("i we he she they ich wir er yo nosotros je nous il elle".split())


@lru_cache(maxsize=8_192)
def is_lead_in(label: str) -> bool:
    """Whether what stands before a colon is no label but announces a change or a correction, as in
    "We raised it: …".
    """
    named = fold_letters(label).strip()
    if first_word(named) in _SUBJECT_PRONOUNS:
        return " " in named
    return language_of(label).corrections.fullmatch(named) is not None


def value_after_label(text: str) -> str:
    """What stands after the label of a statement, or all of it."""
    found = LABEL.match(text)
    return found["value"] if found else text


def first_word(text: str) -> str:
    """The first word of a text."""
    return next(iter(text.split()), "")


def question_sign(text: str) -> str:
    """The mark of a question at the end of a text."""
    return "?" if text.rstrip().endswith(("?", "？", "吗", "吗。")) else ""


def without_leading_retraction(plain: str, language: Language) -> str:
    """A text without what is over at its beginning: "Scrap the canteen, we meet on the roof"."""
    _, comma, rest = plain.partition(",")
    return rest if comma and language.over_after.match(plain.lstrip()) else plain
