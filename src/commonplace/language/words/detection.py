"""Detects the language of a statement, and loads the words of that language."""

import re
from functools import cache, lru_cache

from commonplace import lazy
from commonplace.language.words.lexicon import HAN, Language, fold_letters, words

# The patterns of a language take long to compile, so only those of the text are loaded.
_MODULES = {
    "en": "commonplace.language.words.english:ENGLISH",
    "de": "commonplace.language.words.german:GERMAN",
    "es": "commonplace.language.words.spanish:SPANISH",
    "fr": "commonplace.language.words.french:FRENCH",
    "zh": "commonplace.language.words.chinese:CHINESE",
}
# Words that identify each language with spaces between words.
_COMMON_WORDS = {
    "en": words(
        "the is are and of to in on at we our my i for with was not now uses use runs moved lives"
        " works no from it"
    ),
    "de": words(
        "der die das in ist und ich wir nicht mit auf für von zu im am um ein eine einen ab "
        "seit jetzt den dem des bei nach hat wurde werden sind mein meine wohnt wohne nutzt "
        "nutzen kein keine habe bin noch nur auch mag trinkt isst arbeitet heißt läuft alle "
        "nie als"
    ),
    "es": words(
        "el la los las es son de del que y en un una por para con se ya ahora mi mis me no "
        "está usa usamos vive vivo tiene trabaja le les al lo soy tengo usar nuestro nuestra "
        "cuesta llama nunca bebo bebe"
    ),
    "fr": words(
        "le la les est et un une des du dans pour avec je nous il elle sur ne pas mon ma mes "
        "habite travaille utilise maintenant plus chez qui au aux sont notre"
    ),
}
_WORD = re.compile(r"[^\W\d_]+")
_HAN = re.compile(rf"[{HAN}]")
_CHARS_MAX = 1_000


def language_of(text: str, name: str = "") -> Language:
    """The language of a text; English where its words do not identify one."""
    return _language(name or detect_language(text))


@cache
def _language(name: str) -> Language:
    language: Language = lazy.load(_MODULES[name])
    return language


@lru_cache(maxsize=8_192)
def detect_language(text: str) -> str:
    """The name of the language of a text."""
    head = text[:_CHARS_MAX]
    if _HAN.search(head):
        return "zh"
    found = _WORD.findall(fold_letters(head))
    return max(_COMMON_WORDS, key=lambda name: sum(word in _COMMON_WORDS[name] for word in found))
