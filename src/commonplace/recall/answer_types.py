"""Says which sort of answer a question asks for (a time, a price, a number, a name), and whether a
text has one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
DAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_COUNTED = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|twenty|thirty|"
    "forty|fifty|sixty|hundred|thousand|half|once|twice|dozen|couple"
)
_SPANS = "(?:second|sec|minute|min|hour|hr|day|night|week|month|year|decade)s?"
_CAPITAL = re.compile(r"(?<=[\w,;)'’\"]\s)[A-ZÀ-Þ][\w'’-]+")
_CLOCK = (
    r"\b\d{1,2}[:.]\d\d\b",
    r"\b\d{1,2} ?(?:am|pm|a\.m|p\.m|o'clock|uhr)\b",
    rf"\bat (?:\d{{1,2}}|{_COUNTED})\b",
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
class Sort:
    """A sort of answer: what asks for it, and what an answer of this sort has; without that, it has
    a new name.
    """

    asks: re.Pattern[str]
    has: re.Pattern[str] | None = None

    def is_in(self, text: str, question: str) -> bool:
        """Whether a text has an answer of this sort; what the question names itself is none."""
        if self.has:
            return self.has.search(text) is not None
        return any(name.casefold() not in question.casefold() for name in names(text))


def asked_for(question: str) -> list[Sort]:
    """The sorts of answer that a question asks for."""
    return [sort for sort in _SORTS if sort.asks.search(question)]


def names(text: str) -> list[str]:
    """The words of a text that are written as names are."""
    return _CAPITAL.findall(text)


def _either(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


def _then(first: str, later: str) -> str:
    """One of some words after something, on one line. Looked for behind its first place only, so
    that a long question which says it again and again is read once.
    """
    return rf"(?m:^(?>.*?{first}).*\b(?:{later})\b)"


_SORTS: Sequence[Sort] = (
    Sort(_either(r"\b(?:what|which) (?:time|hour)\b", r"\bset time\b"), _either(*_CLOCK)),
    Sort(
        _either(
            r"\bwhen\b",
            r"\b(?:what|which) (?:day|date|week|month|year)\b",
            r"\b(?:birthday|anniversary|deadline|due date)\b",
        ),
        _either(*_DATE, *_CLOCK),
    ),
    # How other languages tell the time is not known so well.
    Sort(
        _either(r"\b(?:wann|cuándo|a qué hora|quand)\b", "什么时候|几点|哪天"),
        _either(
            r"\d",
            "[年月日号点]",
            r"\b(?:heute|morgen|gestern|hoy|mañana|ayer|demain|hier)\b|[今明昨]天",
        ),
    ),
    Sort(
        _either(r"\b(?:how long|wie lange|cuánto tiempo)\b", rf"\bhow many {_SPANS}\b", "多久"),
        _either(
            rf"(?:\b|\d)(?:an?|few|several|{_COUNTED}|\d)[ -]?{_SPANS}\b",
            r"\b(?:since|until|till|seit|bis|desde|hasta)\b",
            r"\b(?:19|20)\d\d\b",
            "[年月天周]",
        ),
    ),
    Sort(
        _either(r"\bhow (?:often|frequently|regularly)\b", r"\bwie oft\b", "多久一次"),
        _either(
            rf"\b(?:every|each|daily|weekly|monthly|yearly|nightly|hourly|once|twice|times|always|never|{DAYS}s)\b",
            r"\ba (?:day|week|month|year)\b",
            "每",
        ),
    ),
    Sort(
        _either(
            _then(
                r"\bhow much\b",
                "costs?|pays?|paid|spen[dt]|charged?|price|worth|earn|owe|budget|raised?|bill|fee",
            ),
            r"\b(?:price|cost|fee|rent|salary|budget|deposit|fare|wage)\b",
            _then(r"\bwhat (?:do|does|did) ", "pay|cost|charge"),
            "多少钱",
        ),
        _either(*_MONEY),
    ),
    Sort(
        _either(
            r"\bhow (?:many|much|old|tall|big|far|high|large|heavy|wide|deep|fast|hot|cold|warm)\b",
            r"\b(?:number|size|dimensions?|weight|height|distance|speed|temperature|percentage|capacity|limit|age|port"
            r"|version|pin|code|score|total|price|cost|budget|rate|cuánt\w+|wie ?viele?)\b",
            "多少|几",
        ),
        _either(r"\d", rf"\b(?:{_COUNTED}|every)\b", "[一二三四五六七八九十百千]"),
    ),
    Sort(
        _either(
            r"\b(?:phone|telephone|mobile) number\b",
            r"\bnumber (?:to|can i) (?:call|ring)\b",
            "电话号码",
        ),
        _either(r"\d[\d -]{5,}\d"),
    ),
    Sort(_either(r"\be-?mail(?: address)?\b"), _either(r"\S@\S")),
    Sort(
        _either(r"^\W*(?:why|warum|weshalb|pourquoi)\b", r"\breason\b", r"\bhow come\b", "为什么"),
        _either(
            r"\b(?:because|since|so that|due to|therefore|reason|otherwise|in order"
            r" to|causes?|makes? me|made me|helps?"
            r"|weil|porque)\b",
            "因为",
        ),
    ),
    Sort(_either(r"\b(?:who|whom|whose|wer|wem|wen|quién)\b", r"\b(?:sur)?name\b", "谁")),
    Sort(_either(r"\b(?:where|(?<!mail )(?<!web )(?<!ip )address|wo|wohin|dónde)\b", "哪里|哪儿")),
)
