"""Says how a new statement stands to a known one: the same, the same thing with another value, or something else.

Careful on purpose. A new fact taken for a change of an old one hides the old one, so only statements about what has one
value at a time (a name, a port, where somebody lives) count as changes, and statements that deny one another.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from commonplace import text as words
from commonplace.extract.outline import label_of

Standing: TypeAlias = Literal["same", "changed", "other"]

# Longer texts say more than one thing, so none of them is the old value of another.
_STATEMENT_CHARS_MAX = 400
_CLUE_TERMS_MAX = 40
_FILLER = re.compile(
    r"^(?:(?:please\s+)?(?:remember|note|keep in mind)(?:\s+that)?[:,]?\s+|"
    r"(?:ok(?:ay)?|well|so|also|actually|by the way|hi|hello|hey)[,!]\s+)+",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\n|;|[.!?]\s+\S|[。！？]\s*\S|\b(?:and|but|while) (?:i|my|we|our|he|his|she|her|they|their|it|the)\b",
    re.IGNORECASE,
)
_ADVERB = re.compile(r"\b(?:now|currently|actually|really|also|today|just|recently|again|these days|as of now)\b")
_DENIAL = re.compile(
    r"\b(?:no longer|not any ?more|any ?more|never|not|cannot|stopped|isn't|aren't|doesn't|don't|didn't|won't|can't|"
    r"does|do|did)\b"
)
_STATE = re.compile(
    r"\b(?:is|are|has|have|uses?|costs?|runs?|listens?|needs?|requires?|weighs?|supports?)\b", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_DENIES = re.compile(r"\b(?:no longer|any ?more|never|not|cannot|stopped|\w+n't)\b")
# Things that have one value at a time.
_SINGLE = frozenset(
    "name surname nickname username age birthday birthdate email e-mail phone number address city country hometown "
    "home employer company job occupation profession role title salary height weight size colour color port host url "
    "version database branch deadline date status state timezone zone language framework editor password budget price "
    "cost limit default owner manager boss wife husband spouse partner model plan theme currency capital location "
    "timeout priority".split()
)
# As labels these stand before many things that have nothing to do with each other.
_GENERIC = frozenset("date title plan status state number name role job owner location version priority".split())
_COPULA = re.compile(
    r"^(?P<subject>.{2,80}?) (?:is set to|changed to|will be|has been|became|equals|is|are|was|=) (?P<value>.+)$"
)
_OWNED = re.compile(r"^(?:my|our|your|his|her|their|its|the|this|that)\s|'s?\s|\bof\b")
_FAVOURITE = re.compile(r"\b(?:favou?rite|preferred|primary|main|current)\b")
_MEASURE = re.compile(r"^(?P<how>at|on|in|by|for|due)?\s*+(?:about|around|port|version|v)?\s*+[\d$€£].*$")
_CHINESE = re.compile(
    r"^(?P<subject>.{0,20}?(?:名字|姓名|年龄|生日|邮箱|电话|地址|公司|职业|密码|端口|版本|最喜欢的\w{1,8}?))(?:现在)?[是为].+$"
)
# Of two preferences for the same occasion the newer one holds: "prefers tea in the morning".
_PREFERS = re.compile(r"^(?P<who>.{1,40}?) prefers? (?P<value>.+)$")
_OCCASION = re.compile(r"\s(?=(?:in|on|at|for|with|when|during|before|after|while|over)\s)")


def _verb(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"^(?P<who>.{{1,60}}?) (?:{pattern})$")


# What somebody does at most once at a time: its name, the words a text about it has one of, and how it is said.
_VERBS = (
    (
        "lives",
        ("live", "reside", "move", "relocate"),
        _verb(r"(?:lives?|resides?|moved|relocated|living) (?:in|to|at) .+"),
    ),
    (
        "works",
        ("work", "working", "employed"),
        _verb(r"(?:works?|(?:am|is) working|(?:am|is) employed) (?:at|for|by) .+"),
    ),
    ("age", ("year", "turned"), _verb(r"(?:am|is|turned) \d{1,3}(?: years?(?: old)?)?")),
    ("called", ("called", "named"), _verb(r"(?:is|am|are) (?:called|named) .+")),
    ("born", ("born",), _verb(r"(?:was|were) born .+")),
    ("married", ("married", "engaged"), _verb(r"(?:is|am) (?:married|engaged) to .+")),
    ("port", ("port",), _verb(r"(?:listens?|runs?|is served|is) (?:on|at) port \d+")),
)
_VERB_CHINESE = re.compile(r"^(?P<who>.{1,20}?)(?:现在)?(?:住在|搬到了?).+$")


@dataclass(frozen=True, slots=True)
class Subject:
    """What a statement gives the one value of, and the words that a text about it has: all of any one tuple."""

    name: str
    words: tuple[str, ...]


def standing(known: str, new: str) -> Standing:
    """How a new statement stands to a known one."""
    if normal(known) == normal(new):
        return "same"
    if max(len(known), len(new)) > _STATEMENT_CHARS_MAX:
        return "other"
    subject, before = subject_of(new), subject_of(known)
    if subject and before and subject.name == before.name:
        return "changed"
    return "changed" if _deny_one_another(known, new) else "other"


def renumbered(known: str, new: str) -> bool:
    """Whether two statements about how something is differ in a number only, as a version or a price does."""
    if not _STATE.search(new) or known == new:
        return False
    return _NUMBER.sub("0", known.casefold().rstrip(".! ")) == _NUMBER.sub("0", new.casefold().rstrip(".! "))


def clues(statement: str) -> list[list[str]]:
    """The terms to look up what may be the same or changed: its text has all the terms of one of the lists."""
    found = [words.question_terms(normal(statement))]
    if len(statement) <= _STATEMENT_CHARS_MAX:
        found.append(words.question_terms(_affirmed(statement)))
        subject = subject_of(statement)
        found += [words.question_terms(wanted) for wanted in (subject.words if subject else ())]
    return [list(terms) for terms in dict.fromkeys(tuple(one[:_CLUE_TERMS_MAX]) for one in found) if terms]


@lru_cache(maxsize=4096)
def normal(statement: str) -> str:
    """A statement without what does not matter: case, width, spaces, punctuation at its ends, and "remember that"."""
    plain = " ".join(unicodedata.normalize("NFKC", statement).replace("’", "'").split()).casefold()
    plain = re.sub(r"^i'm\b", "i am", _FILLER.sub("", plain))
    return plain.strip(" .!,;:。！，；\"'“”")


@lru_cache(maxsize=4096)
def subject_of(statement: str) -> Subject | None:
    """What a statement gives the one value of; None when what it says can stand beside others of its kind."""
    # Several sentences say several things, and a new value of one of them must not take the place of all.
    if _SEVERAL.search(statement.strip()):
        return None
    if (labelled := label_of(statement.strip())) and labelled[1]:
        return _labelled(normal(labelled[0]), labelled[1], assigned="=" in statement.partition(labelled[1])[0])
    plain = " ".join(_ADVERB.sub(" ", normal(statement)).split())
    for name, said, pattern in _VERBS:
        if found := pattern.match(plain):
            who = _somebody(found["who"])
            return Subject(f"{who} {name}", tuple(f"{who} {word}" for word in said))
    if found := _VERB_CHINESE.match(plain):
        return Subject(f"{found['who']} 住在", ("住在", "搬到"))
    if found := _CHINESE.match(plain):
        return Subject(found["subject"], (found["subject"],))
    if found := _PREFERS.match(plain):
        return _preferred(_somebody(found["who"]), found["value"])
    found = _COPULA.match(plain)
    return _single(found["subject"], found["value"]) if found and not _DENIES.search(plain) else None


def _preferred(who: str, value: str) -> Subject | None:
    """The subject of a preference: its occasion, or the sort of thing it chooses among, as in "dark mode"."""
    _, *occasion = _OCCASION.split(value, maxsplit=1)
    chosen = value.split()
    among = occasion[0] if occasion else chosen[-1] if 2 <= len(chosen) <= 3 else ""
    return Subject(f"{who} prefers {among}", (f"{who} prefers {among}",)) if among else None


def _labelled(label: str, value: str, *, assigned: bool) -> Subject | None:
    """The subject of "label: value" if the label has one value at a time; of most labels many things are said."""
    last = label.rsplit(maxsplit=1)[-1] if label else ""
    single = assigned or (last in _SINGLE and label not in _GENERIC) or _MEASURE.match(value)
    # In the index a label may be glued to its value, so it is looked up by its parts.
    return Subject(f"label {label}", (re.sub(r"[\W_]+", " ", label),)) if label and single else None


def _single(subject: str, value: str) -> Subject | None:
    """The subject of "x is y" if x has one value at a time."""
    head = re.split(r"\s(?:of|for|in|on|at)\s", subject)[0].split()
    if not _OWNED.search(subject) or not head:
        return None
    if head[-1] in _SINGLE or _FAVOURITE.search(subject):
        bare = re.sub(r"^(?:the|this|that)\s", "", subject)
        return Subject(bare, (bare,))
    # Two measures of the same thing are one that changed: the meeting is at 3, then at 4.
    measure = _MEASURE.match(value)
    return Subject(f"{subject} {measure['how']} measured", (subject,)) if measure else None


def _somebody(who: str) -> str:
    return {"the user": "user", "me": "i", "we": "i"}.get(who.removesuffix(" am").removesuffix(" is"), who)


def _deny_one_another(known: str, new: str) -> bool:
    """Whether one of two statements says of the same thing that it is not so."""
    if bool(_DENIES.search(normal(known))) == bool(_DENIES.search(normal(new))):
        return False
    first, second = (frozenset(words.terms(_affirmed(one))) for one in (known, new))
    return len(first) > 1 and first == second


def _affirmed(statement: str) -> str:
    return " ".join(_DENIAL.sub(" ", _ADVERB.sub(" ", normal(statement))).split())
