"""Finds in what was said the statements worth remembering, word for word, and says why the rest is not one.

A question, a greeting and small talk are not worth it. Pure: whoever asks keeps the whole text somewhere else.
"""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from commonplace.extract.outline import sentences

Reason: TypeAlias = Literal["question", "greeting", "small talk", "instruction", "not text"]

# A sentence that only makes sense after the one before it stays with it, up to this length.
_JOINED_CHARS_MAX = 500
_SHOWN_CHARS_MAX = 100

_GREETING = re.compile(
    r"(?:hi|hiya|hey|hello|howdy|greetings|yo|welcome(?: back)?|good (?:morning|afternoon|evening|day|night)|"
    r"nice to (?:meet|see) you|bye|good ?bye|see (?:you|ya)(?: (?:later|soon|tomorrow|around))?|cheers|take care|"
    r"have a (?:nice|good|great|lovely) (?:day|evening|weekend|one|time)|hallo|guten (?:tag|morgen|abend)|hola|"
    r"buenos d[ií]as|bonjour|salut|ciao|buongiorno|ol[aá]|你好|您好|大家好|早上好|下午好|晚上好|早安|晚安|再见|拜拜|嗨|"
    r"こんにちは|おはよう(?:ございます)?|こんばんは|안녕(?:하세요)?|привет|здравствуйте)"
    r"(?:[\s,]+(?:there|all|everyone|everybody|again|to you|folks|guys|team|assistant|claude|chatgpt|friend))*",
    re.IGNORECASE,
)
_SMALL_TALK = re.compile(
    r"(?:(?:ok(?:ay)?|yes|yeah|yep|yup|no|nope|sure|right|alright|fine|great|good|nice|cool|perfect|awesome|excellent|"
    r"wonderful|amazing|lovely|exactly|indeed|agreed|understood|noted|wow|oh|ah|hmm+|hm|haha+|lol|well|please|sorry|"
    r"got it|i see|will do|no problem|no worries|never ?mind|sounds (?:good|great)|makes sense|of course|certainly|"
    r"absolutely|you(?:['’]re| are) welcome|my pleasure|i(?:['’]m| am) (?:fine|good|great|well|ok(?:ay)?)|"
    r"(?:many |a lot of )?thanks?(?: you)?(?: so much| very much| a lot| again)?|thx|ty|much appreciated|"
    r"(?:that|this|it)(?:['’]s| is| sounds| looks| seems| must be) (?:so |really |very |like )?(?:great|good|nice|cool|"
    r"fine|right|correct|awesome|perfect|interesting|wonderful|amazing|lovely|fun|exciting|true)(?: to hear)?|"
    r"(?:glad|happy) to (?:help|hear (?:it|that))|let me know(?: if .*)?|how can i help.*|"
    r"i(?:['’]ll| will) (?:remember|keep|note) (?:that|it|this)(?: in mind)?|"
    r"好的?|谢谢(?:你|您)?|多谢|不客气|没问题|嗯+|哦+|是的|对的?|不是|知道了|明白了?|了解|收到|哈哈+|ありがとう(?:ございます)?|はい|네|감사합니다)"
    r"(?:[\s,，!.…~]+|$))+",
    re.IGNORECASE,
)
_ASKING = (
    r"what|who|whom|whose|where|when|why|how|which|do|does|did|can|could|would|will|shall|should|may|might|is|are|was|"
    r"were|am|have|has|had|isn['’]t|aren['’]t|don['’]t|doesn['’]t|didn['’]t|won['’]t|any"
)
_QUESTION_END = re.compile(r"[?？؟][\"'”’)\]!?？]*$|[吗呢]$")
# "I live in Rome, do you know a good restaurant?" says something before it asks.
_SAID_FIRST = re.compile(
    rf"(?P<said>.{{6,}}?)\s*[,;，；–—-]+\s*(?:(?:so|and|but|then)\s+)?(?:{_ASKING})\b.*", re.IGNORECASE | re.DOTALL
)
_BEGINS_ASKING = re.compile(
    rf"(?:(?:so|and|but|well|ok|okay|hey|hi|hello|please|sorry|if|since|because)[,\s]+)*(?:{_ASKING})\b|if\b|"
    r"(?:hey|hi|hello|ok|okay|well|sorry|thanks)\W*$",
    re.IGNORECASE,
)
_LEANING = re.compile(
    r"(?:it|its|it['’]s|this|that['’]?s?|these|those|they|they['’]re|their|he|he['’]s|his|she|she['’]s|her|them|him|"
    r"there|then|so|but|and|or|also|however|therefore|because|otherwise|instead|the same|both|which|still|yet)\b",
    re.IGNORECASE,
)
# And so does one that leaves out what it repeats: "My wife does, though."
_ECHOING = re.compile(r"(?:\S+ ){1,5}(?:though|too|as well|either)[.!]*", re.IGNORECASE)
_FENCE = re.compile(r"^\s*(```|~~~)")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?=\S)")
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.+?)\s*#*$")
_QUIET_ROLES = ("system", "developer")


@dataclass(frozen=True, slots=True)
class Message:
    """Something said, and in which role."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something said that is no statement worth remembering, shortened, and why."""

    role: str
    text: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Found:
    """What was said, sorted: the statements, and what was passed over."""

    statements: tuple[Message, ...]
    skipped: tuple[Skipped, ...]


def find(messages: tuple[Message, ...]) -> Found:
    """The statements of a conversation, each with the role that made it, in their order and each once."""
    kept: dict[Message, None] = {}
    skipped: list[Skipped] = []
    for message in messages:
        if message.role in _QUIET_ROLES:
            skipped.append(Skipped(message.role, _short(message.text), "instruction"))
            continue
        for piece in _joined(_pieces(message.text)):
            said, reason = _judged(piece)
            if said:
                kept[Message(message.role, said)] = None
            if reason:
                skipped.append(Skipped(message.role, _short(piece), reason))
    return Found(tuple(kept), tuple(skipped))


def _judged(piece: str) -> tuple[str, Reason | None]:
    """What of a piece is a statement, and why the rest of it is not."""
    bare = piece.strip(" \t\n!.,;:~…。！，、🙂👋😊👍")
    if not bare or _GREETING.fullmatch(bare):
        return "", "greeting" if bare else None
    if _SMALL_TALK.fullmatch(bare):
        return "", "small talk"
    if "\n" not in piece and _QUESTION_END.search(piece):
        first = _SAID_FIRST.fullmatch(piece)
        if first and not _BEGINS_ASKING.match(first["said"]) and len(first["said"].split()) > 2:
            return first["said"], "question"
        return "", "question"
    return piece, None


def _joined(pieces: list[tuple[str, bool]]) -> list[str]:
    """The pieces, those that lean on the one before joined to it; the flag says that a piece may lean."""
    out: list[str] = []
    for piece, may_lean in pieces:
        before = out[-1] if out else ""
        goes_on = _LEANING.match(piece) or _ECHOING.fullmatch(piece)
        leans = may_lean and before and goes_on and not _QUESTION_END.search(piece)
        if leans and _judged(before) == (before, None) and len(before) + len(piece) < _JOINED_CHARS_MAX:
            out[-1] = f"{before} {piece}"
        else:
            out.append(piece)
    return out


def _pieces(text: str) -> list[tuple[str, bool]]:
    """The sentences, list items and blocks of code of a text, and whether one goes on from the one before it."""
    out: list[tuple[str, bool]] = []
    lead, lines, at = "", text.splitlines(), 0
    while at < len(lines):
        line = lines[at].strip()
        if fence := _FENCE.match(lines[at]):
            end = next((n for n in range(at + 1, len(lines)) if lines[n].strip().startswith(fence[1])), len(lines) - 1)
            out.append((_led(lead, "\n".join(lines[at : end + 1])), False))
            at = end
        elif heading := _HEADING.match(lines[at]):
            lead = heading[1].rstrip(":：") + ":"
        elif item := _ITEM.match(lines[at]):
            out.append((_led(lead, lines[at][item.end() :].strip()), False))
        elif line.endswith((":", "：")) and _names_what_follows(lines, at):
            lead = line
        elif line:
            end = at + 1
            while end < len(lines) and _goes_on(lines[end]):
                end += 1
            found = sentences(" ".join(one.strip() for one in lines[at:end]))
            out += [(one, place > 0) for place, one in enumerate(found)]
            lead, at = "", end - 1
        at += 1
    return out


def _names_what_follows(lines: list[str], at: int) -> bool:
    after = next((one for one in lines[at + 1 :] if one.strip()), "")
    return bool(_ITEM.match(after) or _FENCE.match(after))


def _goes_on(line: str) -> bool:
    """Whether a line goes on with the paragraph before it. One that begins like a new thought does not."""
    plain = line.strip()
    return bool(plain) and not (_FENCE.match(line) or _ITEM.match(line) or _HEADING.match(line)) and plain[0].islower()


def _led(lead: str, text: str) -> str:
    return f"{lead} {text}" if lead else text


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _SHOWN_CHARS_MAX else plain[: _SHOWN_CHARS_MAX - 1] + "…"
