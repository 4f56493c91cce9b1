"""Tells which language a statement is written in, as far as its words are to be read in one or
another."""

import re
from functools import lru_cache

from commonplace.language.chinese import CHINESE
from commonplace.language.english import ENGLISH
from commonplace.language.french import FRENCH
from commonplace.language.german import GERMAN
from commonplace.language.lexicon import HAN, Language, folded_letters
from commonplace.language.spanish import SPANISH

LANGUAGES = {one.name: one for one in (ENGLISH, GERMAN, SPANISH, FRENCH, CHINESE)}
_WORD = re.compile(r"[^\W\d_]+")
_HAN = re.compile(rf"[{HAN}]")
_CHARS_MAX = 1_000


def language_of(text: str, name: str = "") -> Language:
    """The language of a text; English where its words do not tell."""
    return LANGUAGES[name or name_of(text)]


@lru_cache(maxsize=8_192)
def name_of(text: str) -> str:
    """The name of the language of a text."""
    head = text[:_CHARS_MAX]
    if _HAN.search(head):
        return CHINESE.name
    found = _WORD.findall(folded_letters(head))
    return max(
        (ENGLISH, GERMAN, SPANISH, FRENCH), key=lambda one: sum(word in one.signs for word in found)
    ).name
