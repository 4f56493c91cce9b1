"""Says which sort of answer a question asks for (a time, a price, a number, a name), and whether a
text has one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
DAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|twenty|thirty|"
    "forty|fifty|sixty|hundred|thousand|half|once|twice|dozen|couple"
)
_TIME_UNITS = "(?:second|sec|minute|min|hour|hr|day|night|week|month|year|decade)s?"
_CAPITAL = re.compile(r"(?<=[\w,;)'’\"]\s)[A-ZÀ-Þ][\w'’-]+")
_CLOCK_TIME = (
    r"\b\d{1,2}[:.]\d\d\b",
    r"\b\d{1,2} ?(?:am|pm|a\.m|p\.m|o'clock|uhr)\b",
    rf"\bat (?:\d{{1,2}}|{_NUMBER_WORDS})\b",
    r"\b(?:noon|midnight|half past)\b",
)
_DATE = (
    rf"\b(?:{DAYS}s?|{MONTHS}|to(?:day|night|morrow)|yesterday|weekends?|christmas|easter|ago|recently|just"
    r"|mornings?|afternoons?|evenings?|nights?|summer|winter|spring|autumn|quarter)\b",
    r"\b(?:19|20)\d\d\b",
    r"\b\d{1,2}(?:st|nd|rd|th)\b",
    r"\b\d{1,2}[./-]\d{1,2}\b",
    (
        r"\b(?:last|next|this|past|coming)"
        r" (?:night|week|month|year|summer|winter|spring|autumn|fall|weekend)\b"
    ),
)
_MONEY = (
    r"[$€£¥]\s?\d|\d\s?[$€£¥元块]",
    r"\d\s?k?\s?(?:dollars?|euros?|pounds?|bucks|usd|eur|gbp|cents?|pence|francs?|yen|quid)\b",
    r"\bfree\b",
)


@dataclass(frozen=True, slots=True)
class AnswerType:
    """A sort of answer: what asks for it, and what an answer of this sort has; without that, it has
    a new name.
    """

    question_pattern: re.Pattern[str]
    answer_pattern: re.Pattern[str] | None = None

    def is_in(self, text: str, question: str) -> bool:
        """Whether a text has an answer of this sort; what the question names itself is none."""
        if self.answer_pattern:
            return self.answer_pattern.search(text) is not None
        return any(name.casefold() not in question.casefold() for name in capitalized_words(text))


def asked_types(question: str) -> list[AnswerType]:
    """The sorts of answer that a question asks for."""
    return [sort for sort in _ANSWER_TYPES if sort.question_pattern.search(question)]


def capitalized_words(text: str) -> list[str]:
    """The words of a text that are written as names are."""
    return _CAPITAL.findall(text)


def _any_of(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


def _followed_by(first: str, later: str) -> str:
    """One of some words after something, on one line. Looked for behind its first place only, so
    that a long question which says it again and again is read once.
    """
    return rf"(?m:^(?>.*?{first}).*\b(?:{later})\b)"


_ANSWER_TYPES: Sequence[AnswerType] = (
    AnswerType(
        _any_of(r"\b(?:what|which) (?:time|hour)\b", r"\bset time\b"), _any_of(*_CLOCK_TIME)
    ),
    AnswerType(
        _any_of(
            r"\bwhen\b",
            r"\b(?:what|which) (?:day|date|week|month|year)\b",
            r"\b(?:birthday|anniversary|deadline|due date)\b",
        ),
        _any_of(*_DATE, *_CLOCK_TIME),
    ),
    # Times of day are recognized less well in other languages.
    AnswerType(
        _any_of(r"\b(?:wann|cuándo|a qué hora|quand)\b", "什么时候|几点|哪天"),
        _any_of(
            r"\d",
            "[年月日号点]",
            r"\b(?:heute|morgen|gestern|hoy|mañana|ayer|demain|hier)\b|[今明昨]天",
        ),
    ),
    AnswerType(
        _any_of(
            r"\b(?:how long|wie lange|cuánto tiempo)\b", rf"\bhow many {_TIME_UNITS}\b", "多久"
        ),
        _any_of(
            rf"(?:\b|\d)(?:an?|few|several|{_NUMBER_WORDS}|\d)[ -]?{_TIME_UNITS}\b",
            r"\b(?:since|until|till|seit|bis|desde|hasta)\b",
            r"\b(?:19|20)\d\d\b",
            "[年月天周]",
        ),
    ),
    AnswerType(
        _any_of(r"\bhow (?:often|frequently|regularly)\b", r"\bwie oft\b", "多久一次"),
        _any_of(
            rf"\b(?:every|each|daily|weekly|monthly|yearly|nightly|hourly|once|twice|times|always|never|{DAYS}s)\b",
            r"\ba (?:day|week|month|year)\b",
            "每",
        ),
    ),
    AnswerType(
        _any_of(
            _followed_by(
                r"\bhow much\b",
                "costs?|pays?|paid|spen[dt]|charged?|price|worth|earn|owe|budget|raised?|bill|fee",
            ),
            r"\b(?:price|cost|fee|rent|salary|budget|deposit|fare|wage)\b",
            _followed_by(r"\bwhat (?:do|does|did) ", "pay|cost|charge"),
            "多少钱",
        ),
        _any_of(*_MONEY),
    ),
    AnswerType(
        _any_of(
            r"\bhow (?:many|much|old|tall|big|far|high|large|heavy|wide|deep|fast|hot|cold|warm)\b",
            r"\b(?:number|size|dimensions?|weight|height|distance|speed|temperature|percentage|capacity|limit|age|port"
            r"|version|pin|code|score|total|price|cost|budget|rate|cuánt\w+|wie ?viele?)\b",
            "多少|几",
        ),
        _any_of(r"\d", rf"\b(?:{_NUMBER_WORDS}|every)\b", "[一二三四五六七八九十百千]"),
    ),
    AnswerType(
        _any_of(
            r"\b(?:phone|telephone|mobile) number\b",
            r"\bnumber (?:to|can i) (?:call|ring)\b",
            "电话号码",
        ),
        _any_of(r"\d[\d -]{5,}\d"),
    ),
    AnswerType(_any_of(r"\be-?mail(?: address)?\b"), _any_of(r"\S@\S")),
    AnswerType(
        _any_of(r"^\W*(?:why|warum|weshalb|pourquoi)\b", r"\breason\b", r"\bhow come\b", "为什么"),
        _any_of(
            r"\b(?:because|since|so that|due to|therefore|reason|otherwise|in order"
            r" to|causes?|makes? me|made me|helps?"
            r"|weil|porque)\b",
            "因为",
        ),
    ),
    AnswerType(_any_of(r"\b(?:who|whom|whose|wer|wem|wen|quién)\b", r"\b(?:sur)?name\b", "谁")),
    AnswerType(
        _any_of(r"\b(?:where|(?<!mail )(?<!web )(?<!ip )address|wo|wohin|dónde)\b", "哪里|哪儿")
    ),
)
