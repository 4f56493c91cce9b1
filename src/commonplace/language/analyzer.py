"""Cuts text into the terms that are indexed and looked up. Both use the same terms, so that stored
text can be found.

Words are folded (case, accents, width) and English ones stemmed; a compound such as `src/main.py`
or `fooBar` is kept whole and in parts; scripts without spaces become single characters and pairs.
No term contains a space, a quotation mark or a bracket, so the text index cuts in the same places.
"""

import re
import threading
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

import Stemmer

# Raise it when the same text would give other terms; the store then rebuilds its text index.
ANALYZER = "1"

_TERM_CHARS_MAX = 200
_MARKS = "".join(
    chr(code) for code in range(0x300, 0x1B00) if unicodedata.category(chr(code)).startswith("M")
)
_ACCENT = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f]")
# Han, kana, hangul, Thai, Lao, Burmese and Khmer: written without spaces, or with endings glued on.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u1100-\u11ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
)
_WORD = rf"[\w{_MARKS}]"
_ASCII_CHUNK = re.compile(r"(?P<joined>\w+(?:[-./:\\@_'&+=~,]\w+)*(?:\+\+|#)?)", re.ASCII)
_PART = re.compile(rf"(?:(?!_){_WORD})+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_TICKET = re.compile(r"#(\d+)\b")
_QUOTED = re.compile(r'"([^"]{2,100})"|“([^”]{2,100})”|`([^`]{2,100})`')
# Digits beside letters, or joined by something other than a mere hyphen between words.
_EXACT = re.compile(
    r"(?=.*\d)(?=.*[^\W\d_]).+|\d{5,}|\d+(?:[-.:/]\d+)+|.*[_@\\].*|.*(?:\+\+|#)|[\w-]+(?:[./:][\w-]+)+"
)
# The 15th, 9am and a 5-day trip have other spellings that must match, too.
_LOOSE = re.compile(r"\d+(?:st|nd|rd|th|am|pm)|\d+(?:-[^\W\d_]+)+", re.IGNORECASE)
# The spelling of names in code. YouTube, iPhone and MoMA are words that may be spelled otherwise.
_CAMEL = re.compile(r"(?:[a-z]{2}|[A-Z][a-z]++(?=(?:[A-Z][a-z]+){2}))(?>\w*?[A-Z][a-z])\w*+")
_STOP_WORDS = (
    "a about all also am an and any are as at be because been being but by can could d did do does"
    " doing don for from had has have having he her hers him his how i if in into is it its just ll"
    " m me my of on or our ours re s she so some such t than that the their theirs them then there"
    " these they this those to too ve was we were what when where which while who whom whose why"
    " will with would you your yours"
).split()
# Characters of Chinese grammar: a pair with one of them spans two words or is part of a question.
_GRAMMAR_CHARACTERS = frozenset(
    "的了是在我你他她它们吗呢吧啊么什怎哪谁几和与就都也这那个为被把着过得地"
)
# Runs of blanks, signs or letters that carry no more meaning when they are longer.
_LONG_BLANKS = re.compile(r"(\s{8})\s+")
_LONG_SIGNS = re.compile(r"([^\w\s]{16})[^\w\s]+")
_LONG_WORD = re.compile(rf"((?:(?![{_UNSPACED}])\w){{{_TERM_CHARS_MAX}}})(?:(?![{_UNSPACED}])\w)+")
_DIGEST = re.compile(r"[0-9a-f]{24}")
_local = threading.local()


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a question, with its position and the terms it is looked up by."""

    start: int
    end: int
    terms: tuple[str, ...]


def normalize_question(question: str) -> str:
    """A question with long runs of blanks, signs and letters cut short."""
    plain = _LONG_SIGNS.sub(r"\1", _LONG_BLANKS.sub(r"\1", question))
    return _LONG_WORD.sub(r"\1", plain) if len(plain) > _TERM_CHARS_MAX else plain


def terms(text: str) -> list[str]:
    """Every term of a text, in order, repeats included."""
    return [term for kind, chunk in _chunks(text) for term in _chunk_terms(kind, chunk)]


def index_text(text: str) -> str:
    """The text as the index stores it: its terms, joined with spaces."""
    return " ".join(terms(text))


def question_terms(text: str) -> list[str]:
    """The terms a question is looked up by, each once; words like `the` count only when there are
    no others.
    """
    every: dict[str, None] = {}
    content: dict[str, None] = {}
    for kind, chunk in _chunks(text):
        found = dict.fromkeys(_question_chunk(kind, chunk))
        every |= found
        is_acronym = chunk.isupper() and len(chunk) > 1  # IT and WHO are names, it and who are not.
        content |= found if is_acronym else {term: None for term in found if term not in _stops()}
    return list(content or every)


def question_words(text: str) -> list[Word]:
    """The words of a question with their positions, in a text that is already normalised."""
    return [
        Word(match.start(), match.end(), _question_chunk(match.lastgroup or "", match[0]))
        for match in (_ASCII_CHUNK if text.isascii() else _chunk()).finditer(text)
    ]


def is_digest(key: str) -> bool:
    """Whether a key is a digest of its statement, and so has no words of its own."""
    return _DIGEST.fullmatch(key) is not None


def plain_words(text: str) -> str:
    """The words of a text that consist of letters; numbers and ids have no meaning to embed."""
    return " ".join(word for word in _PART.findall(text) if word.isalpha())


def identifiers(text: str) -> list[str]:
    """The names in a text that must match exactly, as indexed: file names, versions, tickets,
    quoted phrases.

    Each is a run of terms that are adjacent in the index.
    """
    found: dict[str, None] = {}
    for quoted in _QUOTED.finditer(text):
        found[index_text(next(group for group in quoted.groups() if group))] = None
    found |= dict.fromkeys(_TICKET.findall(text))
    for kind, chunk in _chunks(text):
        if (
            kind == "joined"
            and (_EXACT.fullmatch(chunk) or _is_camel(chunk))
            and not _LOOSE.fullmatch(chunk)
        ):
            found[next(iter(_chunk_terms(kind, chunk)), "")] = None
    found.pop("", None)
    return list(found)


@cache
def _chunk() -> re.Pattern[str]:
    # A run of one script: unspaced characters, a pictogram, or words joined by what joins words in
    # identifiers. Compiling it takes a tenth of the start, so ASCII text does without it.
    return re.compile(
        rf"(?P<unspaced>[{_UNSPACED}]+)"
        rf"|(?P<joined>(?:(?![{_UNSPACED}]){_WORD})+(?:[-./:\\@_'’&+=~,](?:(?![{_UNSPACED}]){_WORD})+)*(?:\+\+|#)?)"
        "|(?P<pictogram>[\u2600-\u27bf\U0001f000-\U0001faff])"
    )


def _chunks(text: str) -> Iterator[tuple[str, str]]:
    if text.isascii():  # Most text is, and the short pattern is several times as fast.
        return (("joined", chunk) for chunk in _ASCII_CHUNK.findall(text))
    return (
        (match.lastgroup or "", match[0])
        for match in _chunk().finditer(unicodedata.normalize("NFKC", text))
    )


@lru_cache(maxsize=20_000)
def _chunk_terms(kind: str, chunk: str) -> tuple[str, ...]:
    """The terms of a chunk: a compound as a whole, then its parts."""
    if kind == "unspaced":
        return (*chunk, *_pairs(chunk))
    if kind == "pictogram":
        return (chunk,)
    chunk = chunk.replace("’", "'")
    plain = re.sub(r"'s?$", "", re.sub(r"'s\b", "", chunk, flags=re.IGNORECASE))
    parts = _PART.findall(plain)
    if parts == [plain]:
        terms = [_stem(word) for word in (plain, *_humps(plain))]
    elif parts:
        terms = [*_compound_terms(plain), *(_stem(one) for word in parts for one in _words(word))]
    else:
        terms = []
    return tuple(dict.fromkeys(filter(None, terms)))


def _words(part: str) -> list[str]:
    """A word, and the words that its capitals divide it into."""
    return [part, *_humps(part)]


def _compound_terms(plain: str) -> list[str]:
    """A compound as one term in its spellings; what has an apostrophe is none."""
    if "'" in plain:
        return []
    return [_fold(piece) for piece in _compounds(plain) if len(piece) <= _TERM_CHARS_MAX]


def _compounds(chunk: str) -> Iterator[str]:
    """The whole chunk, the compounds between its slashes, and its other spellings."""
    yield chunk
    if "/" in chunk or "\\" in chunk:
        yield from (
            piece for piece in re.split(r"[/\\]", chunk) if not _PART.fullmatch(piece) and piece
        )
    elif _THOUSANDS.fullmatch(chunk):
        yield chunk.replace(",", "")
    elif chunk.count("-") == 1:
        yield chunk.replace("-", "")


def _question_chunk(kind: str, chunk: str) -> tuple[str, ...]:
    # Pairs are more distinctive than single characters, which serve only words of one character.
    if kind == "unspaced" and len(chunk) > 1:
        pairs = _pairs(chunk)
        return tuple(pair for pair in pairs if _GRAMMAR_CHARACTERS.isdisjoint(pair)) or pairs
    return _chunk_terms(kind, chunk)


def _pairs(chunk: str) -> tuple[str, ...]:
    return tuple(a + b for a, b in pairwise(chunk))


def _humps(word: str) -> list[str]:
    pieces = _HUMP.split(word)
    return pieces if len(pieces) > 1 else []


def _is_camel(chunk: str) -> bool:
    return _CAMEL.fullmatch(chunk) is not None


def _fold(word: str) -> str:
    plain = word.casefold()
    if plain.isascii():
        return plain
    return unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", plain)))


def _stem(word: str) -> str:
    plain = _fold(word)[:_TERM_CHARS_MAX]
    return _stemmer().stemWord(plain) if plain.isascii() and plain.isalpha() else plain


@lru_cache(maxsize=1)
def _stops() -> frozenset[str]:
    # Stemmed like terms: `does` is looked up as `doe`.
    return frozenset(_STOP_WORDS) | {_stem(word) for word in _STOP_WORDS}


def _stemmer() -> Stemmer.Stemmer:
    # A stemmer keeps state while it works, so each thread has its own.
    if not hasattr(_local, "stemmer"):
        _local.stemmer = Stemmer.Stemmer("english")
    return _local.stemmer
