"""Finds in what was said the statements worth remembering, word for word, and says why the rest is
not one.

A question, a greeting and small talk are not worth it. Pure: whoever asks keeps the whole text
somewhere else.
"""

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from commonplace.extract.markdown_outline import is_table, sentences, table_rows
from commonplace.language.coreference import AT_A_TIME

Reason: TypeAlias = Literal["question", "greeting", "small talk", "instruction", "not text"]

# A sentence that only makes sense after the one before it stays with it, up to this length.
_JOINED_CHARS_MAX = 500
_SHOWN_CHARS_MAX = 100

_GREETING = re.compile(
    r"(?:hi|hiya|hey|hello|howdy|greetings|yo|welcome(?: back)?|good"
    r" (?:morning|afternoon|evening|day|night)|"
    r"(?:nice|good|great) to (?:meet|see|hear from) you|"
    r"bye|good ?bye|see (?:you|ya)(?: (?:later|soon|tomorrow|around))?|cheers|take care|"
    r"have a (?:nice|good|great|lovely) (?:day|evening|weekend|one|time)|hallo|guten"
    r" (?:tag|morgen|abend)|hola|"
    r"buenos"
    r" d[ií]as|bonjour|salut|ciao|buongiorno|ol[aá]|你好|您好|大家好|早上好|下午好|晚上好|早安|晚安|再见|拜拜|嗨|"
    r"こんにちは|おはよう(?:ございます)?|こんばんは|안녕(?:하세요)?|привет|здравствуйте)"
    r"(?:[\s,]+(?:there|all|everyone|everybody|again|to"
    r" you|folks|guys|team|assistant|claude|chatgpt|friend))*"
    # "Hi Peter", and "Hello world" not.
    r"(?:[\s,]+(?-i:[A-ZÀ-Þ]\w+(?: [A-ZÀ-Þ]\w+)?))?|dear(?: [\w.]+){1,3}",
    re.IGNORECASE,
)
_SIGN_OFF = re.compile(
    r"(?:(?:with )?(?:best|kind|warm|kindest|many)? ?(?:regards|wishes)|best|all the best|"
    r"(?:yours )?(?:sincerely|truly|faithfully)|"
    r"(?:mit )?(?:freundlichen|viele|liebe) gr(?:ü|ue)(?:ß|ss)en?|cordialement|saludos)",
    re.IGNORECASE,
)
_ONLY_A_NAME = re.compile(r"[A-ZÀ-Þ][\w.’'-]*(?: [A-ZÀ-Þ][\w.’'-]*){0,2}")
# Each phrase is taken once and never read in another way, so longer ones stand before the words
# they begin with.
_SMALL_TALK = re.compile(
    r"(?:(?>(?:got it|i see|will do|no problem|no worries|never ?mind|makes sense|of"
    r" course|certainly|on it|"
    r"(?:good )?morning|"
    r"sounds (?:like a"
    r" plan|good|great|lovely|nice|fun|perfect|wonderful|amazing|exciting|awesome|interesting)|"
    r"(?:good|great|nice|excellent) (?:idea|point|question|call|catch|choice|one|job|work)|welcome"
    r" back|"
    r"(?:i['’]?m |i am |we['’]?re )?(?:so |very |really )?sorry(?: about (?:that|this|it)| to hear"
    r" (?:that|it))?|"
    r"(?:many )?thank(?:s| you) for (?:your|the|all|that|this)(?: [\w'’]++){0,3}|"
    r"absolutely|you(?:['’]re| are) welcome|my pleasure|i(?:['’]m| am)"
    r" (?:fine|good|great|well|ok(?:ay)?)|"
    r"(?:many |a lot of )?thanks?(?: you)?(?: so much| very much| a lot| again)?|thx|ty|much"
    r" appreciated|"
    r"(?:that|this|it)(?:['’]s| is| sounds| looks| seems| must be) (?:so |really |very |like"
    r" )?(?:great|good|nice|cool|"
    r"fine|right|correct|awesome|perfect|interesting|wonderful|amazing|lovely|fun|exciting|true)(?:"
    r" to hear)?|"
    r"(?:glad|happy) to (?:help|hear (?:it|that))|let me know(?: if .*)?|how can i help.*|"
    r"i(?:['’]ll| will) (?:remember|keep|note) (?:that|it|this)(?: in mind)?|"
    r"ok(?:ay)?|yes|yeah|yep|yup|no|nope|sure|right|alright|fine|great|good|nice|cool|perfect|awesome|excellent|"
    r"wonderful|amazing|lovely|exactly|indeed|agreed|understood|noted|wow|oh|ah|hmm+|hm|haha+|lol|well|please|"
    r"好的?|谢谢(?:你|您)?|多谢|不客气|没问题|嗯+|哦+|是的|对的?|不是|知道了|明白了?|了解|收到|哈哈+|ありがとう(?:ございます)?|はい|네|감사합니다)"
    r"(?=[\s,，!.…~]|$))[\s,，!.…~]*+)++",
    re.IGNORECASE,
)
_ASKING = (
    r"what|who|whom|whose|where|when|why|how|which|do|does|did|can|could|would|will|shall|should|may|might|is|are|was|"
    r"were|am|have|has|had|isn['’]t|aren['’]t|don['’]t|doesn['’]t|didn['’]t|won['’]t|any"
)
_QUESTION_SIGNS, _CLOSING_SIGNS = "?？؟", "\"'”’)]!?？"
# "I live in Rome, do you know a good restaurant?" says something before it asks.
_SAID_CHARS_MIN = 6
_THEN_ASKS = re.compile(
    rf"(?<![\s,;，；–—-])\s*+[,;，；–—-][\s,;，；–—-]*+(?:(?:so|and|but|then)\s++)?(?:{_ASKING})\b",
    re.IGNORECASE,
)
_BEGINS_ASKING = re.compile(
    rf"(?:(?:so|and|but|well|ok|okay|hey|hi|hello|please|sorry|if|since|because)[,\s]+)*(?:{_ASKING})\b|if\b|"
    r"(?:hey|hi|hello|ok|okay|well|sorry|thanks)\W*$",
    re.IGNORECASE,
)
_LEANING = re.compile(
    rf"(?:{AT_A_TIME},? (?:he|she)|"
    r"it|its|it['’]s|this|that['’]?s?|these|those|they|they['’]re|their|he|he['’]s|his|she|she['’]s|her|them|him|"
    r"there|then|so|but|and|or|also|however|therefore|because|otherwise|instead|the"
    r" same|both|which|still|yet)\b",
    re.IGNORECASE,
)
# And so does one that leaves out what it repeats: "My wife does, though."
_ECHOING = re.compile(r"(?:\S+ ){1,5}(?:though|too|as well|either)[.!]*", re.IGNORECASE)
_FENCE = re.compile(r"^\s*(```|~~~)")
_QUOTE = re.compile(r"^\s{0,3}(?:>\s?)+")
_RULE = re.compile(r"(?:[-*_=]\s*){3,}")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?=\S)")
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+(\S.*)$")
_QUIET_ROLES = ("system", "developer")
# Who speaks in a line of a conversation, with or without the time.
_SPEAKER = re.compile(
    r"(?P<moment>[\[(](?=[^\])]*\d)[^\])\n]{3,40}[\])]\s*)?(?P<who>[^\W\d_][\w.'’-]*(?:"
    r" [^\W\d_][\w.'’-]*){0,2})"
    r"(?P<time>\s*[\[(]?\d{1,2}:\d\d[^\])]{0,9}[\])]?)?\s*:\s+(?=\S)"
)
_OF_ONESELF = re.compile(r"\b(?:I|I['’](?:m|ve|d|ll)|[Mm]y|[Mm]e|[Mm]ine|[Mm]yself)\b")
# A line that begins with one of these goes on; with another small letter only where the line before
# is full.
_GOING_ON = re.compile(
    r"(?:and|or|but|because|so|which|that|who|with|without|to|of|in|for|as|when|while|if|than|then|by|from|on|at|the|an?|"
    r"is|are|was|were|not)\b"
)
_SENTENCE_ENDS = (".", "!", "?", ":", ";", "…", "。", "！", "？")
_FULL_CHARS_MIN, _FULL_CHARS_MAX = 50, 120
_PARENT_WORDS_MAX = 6
_SECTION_WORDS_MAX = 2
_SECTION_TEXT_WORDS_MIN = 3


@dataclass(frozen=True, slots=True)
class Message:
    """Something said, in which role, by whom where a name is given, and the time as it stands
    before it.
    """

    role: str
    text: str
    speaker: str = ""
    moment: str = ""


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
    """The statements of a conversation, each with the role that made it, in their order and each
    once.
    """
    kept: dict[Message, None] = {}
    skipped: list[Skipped] = []
    for message in messages:
        if message.role in _QUIET_ROLES:
            skipped.append(Skipped(message.role, _short(message.text), "instruction"))
            continue
        signed = False
        for piece in _joined(_pieces(message.text)):
            said, reason = _judged(piece.text)
            if signed and _ONLY_A_NAME.fullmatch(piece.text):
                said, reason = "", "greeting"
            signed = bool(_SIGN_OFF.fullmatch(_bare(piece.text)))
            if said:
                lead = piece.lead or (f"{message.speaker}:" if message.speaker else "")
                moment = message.moment if any(map(str.isdigit, message.moment)) else ""
                kept[Message(message.role, _led(moment, _led(lead, said)))] = None
            if reason:
                skipped.append(Skipped(message.role, _short(piece.text), reason))
    return Found(tuple(kept), tuple(skipped))


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence, an item or a block; what stands before it in every case; and whether it may go on
    from the last.
    """

    text: str
    lead: str = ""
    may_lean: bool = False


def _bare(piece: str) -> str:
    return piece.strip(" \t\n!.,;:~…。！，、🙂👋😊👍")


def _judged(piece: str) -> tuple[str, Reason | None]:
    """What of a piece is a statement, and why the rest of it is not."""
    bare = _bare(piece)
    if not bare or _GREETING.fullmatch(bare) or _SIGN_OFF.fullmatch(bare):
        return "", "greeting" if bare else None
    if _SMALL_TALK.fullmatch(bare):
        return "", "small talk"
    if "\n" not in piece and _asks(piece):
        then = _THEN_ASKS.search(piece, _SAID_CHARS_MIN)
        said = piece[: then.start()] if then else ""
        if said and not _BEGINS_ASKING.match(said) and len(said.split()) > 2:
            return said, "question"
        return "", "question"
    return piece, None


def _asks(piece: str) -> bool:
    """Whether a sentence ends as questions do, whatever closes it."""
    bare = piece.rstrip(_CLOSING_SIGNS)
    closing = piece[len(bare) :]
    return (
        any(sign in closing for sign in _QUESTION_SIGNS)
        or bare.endswith("؟")
        or piece.endswith(("吗", "呢"))
    )


def _joined(pieces: list[_Piece]) -> list[_Piece]:
    """The pieces, those that lean on the one before joined to it."""
    out: list[_Piece] = []
    for piece in pieces:
        before = out[-1].text if out else ""
        goes_on = _LEANING.match(piece.text) or _ECHOING.fullmatch(piece.text)
        leans = piece.may_lean and before and goes_on and not _asks(piece.text)
        if (
            leans
            and _judged(before) == (before, None)
            and len(before) + len(piece.text) < _JOINED_CHARS_MAX
        ):
            out[-1] = replace(out[-1], text=f"{before} {piece.text}")
        else:
            out.append(piece)
    return out


def _pieces(text: str) -> list[_Piece]:
    """The sentences, list items and blocks of code of a text."""
    out: list[_Piece] = []
    lead, raw, at = "", text.splitlines(), 0
    lines = [_QUOTE.sub("", line) for line in raw]
    speakers, wrapped = _speakers(lines), _wrapped(lines)
    above: list[
        tuple[int, str]
    ] = []  # The items that the items below them belong to, and how far in they stand.
    while at < len(lines):
        line = lines[at].strip()
        if fence := _FENCE.match(lines[at]):
            end = next(
                (n for n in range(at + 1, len(lines)) if lines[n].strip().startswith(fence[1])),
                len(lines) - 1,
            )
            out.append(_Piece("\n".join(raw[at : end + 1]), lead))
            at = end
        elif is_table(lines, at):
            end = next((n for n in range(at + 2, len(lines)) if "|" not in lines[n]), len(lines))
            out += [_Piece(row, lead) for row in table_rows(lines[at:end])]
            at = end - 1
        elif _RULE.fullmatch(line):
            lead = ""
        elif heading := _HEADING.match(lines[at]):
            above.clear()
            lead = _title(heading[1]).rstrip(":：") + ":"
        elif item := _ITEM.match(lines[at]):
            said = lines[at][item.end() :].strip()
            while above and above[-1][0] >= _indent(lines[at]):
                above.pop()
            if (
                _indent(lines[at]) < _indent_below(lines, at)
                and len(said.split()) <= _PARENT_WORDS_MAX
            ):
                above.append((_indent(lines[at]), said.rstrip(":：.") + ":"))
            else:
                out.append(
                    _Piece(said, " ".join([*([lead] if lead else []), *(one for _, one in above)]))
                )
        elif line.endswith((":", "：")) and _names_what_follows(lines, at):
            lead = line
        elif _is_section(lines, at):
            lead = f"{line}:"
        elif line:
            end = at + 1
            while end < len(lines) and _goes_on(lines, end, speakers, wrapped):
                end += 1
            speaker = _speaker(line, speakers)
            found = sentences(" ".join(one.strip() for one in lines[at:end])[len(speaker) :])
            out += [_Piece(one, speaker.strip(), place > 0) for place, one in enumerate(found)]
            above.clear()
            lead, at = "", end - 1
        at += 1
    return out


def _title(heading: str) -> str:
    """The words of a heading, without the signs that close it."""
    return heading.rstrip().rstrip("#").rstrip() or heading.rstrip()


def _names_what_follows(lines: list[str], at: int) -> bool:
    after = next((one for one in lines[at + 1 :] if one.strip()), "")
    return bool(_ITEM.match(after) or _FENCE.match(after))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _indent_below(lines: list[str], at: int) -> int:
    """How far in the item on the next line stands; -1 where there is none."""
    below = lines[at + 1] if at + 1 < len(lines) else ""
    return _indent(below) if _ITEM.match(below) else -1


def _is_section(lines: list[str], at: int) -> bool:
    """Whether a line of a word or two heads the text below it, as "Context" does in a record of a
    decision.
    """
    line = lines[at].strip()
    alone = at == 0 or not lines[at - 1].strip()
    if (
        not alone
        or not line[:1].isupper()
        or len(line.split()) > _SECTION_WORDS_MAX
        or not line[-1:].isalpha()
    ):
        return False
    after = lines[at + 1].strip() if at + 1 < len(lines) else ""
    return len(after.split()) >= _SECTION_TEXT_WORDS_MIN and after.endswith(_SENTENCE_ENDS)


def _speakers(lines: list[str]) -> frozenset[str]:
    """Who speaks: whose name stands before several lines, or beside such names before most of them.

    Of names that stand there once, with the time or of oneself is how people speak; `Owner: Tom` is
    a label.
    """
    matches = [match for line in lines if (match := _SPEAKER.match(line.strip()))]
    names = Counter(match["who"] for match in matches)
    several = frozenset(name for name, count in names.items() if count > 1)
    mostly = 2 * names.total() > sum(bool(line.strip()) for line in lines)
    talk = several or any(_is_said(match) for match in matches)
    return frozenset(names) if talk and mostly else several


def _is_said(line: re.Match[str]) -> bool:
    """Whether somebody says a line: the time stands before the name, or a person behind it speaks
    of themselves.
    """
    return bool(
        line["moment"] or (line["who"].istitle() and _OF_ONESELF.search(line.string, line.end()))
    )


def _speaker(line: str, speakers: frozenset[str]) -> str:
    """The part of a line that says who speaks; empty where nobody is said to."""
    match = _SPEAKER.match(line)
    return match[0] if match and (match["time"] or match["who"] in speakers) else ""


def _goes_on(lines: list[str], at: int, speakers: frozenset[str], wrapped: frozenset[int]) -> bool:
    """Whether a line goes on with the paragraph before it, and does not begin a new thought."""
    line, before = lines[at], lines[at - 1].strip()
    plain = line.strip()
    if (
        not plain
        or _FENCE.match(line)
        or _ITEM.match(line)
        or _HEADING.match(line)
        or _speaker(plain, speakers)
    ):
        return False
    if plain[0].islower():
        full = len(before) >= _FULL_CHARS_MIN or _GOING_ON.match(plain) is not None
        return full and not before.endswith(_SENTENCE_ENDS)
    return at in wrapped


def _wrapped(lines: list[str]) -> frozenset[int]:
    """The lines that were begun only because the one before was full, as mails and READMEs are
    written.
    """
    out: set[int] = set()
    start = 0
    for end in [n for n, line in enumerate(lines) if not line.strip()] + [len(lines)]:
        rows, start = range(start, end), end + 1
        width = max((len(lines[n].rstrip()) for n in rows), default=0)
        if len(rows) < 3 or not _FULL_CHARS_MIN <= width <= _FULL_CHARS_MAX:
            continue
        # Lines of a list or a log begin alike and are about as long; in the middle of a sentence
        # letters are small.
        goes_on = sum(lines[n].lstrip()[:1].islower() for n in rows[1:])
        full = all(
            len(lines[n].rstrip()) + 1 + len(lines[n + 1].split()[0]) > width for n in rows[:-1]
        )
        if full and 2 * goes_on >= len(rows) - 1:
            out.update(rows[1:])
    return frozenset(out)


def _led(lead: str, text: str) -> str:
    return f"{lead} {text}" if lead else text


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _SHOWN_CHARS_MAX else plain[: _SHOWN_CHARS_MAX - 1] + "…"
