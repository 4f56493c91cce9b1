"""Splits a conversation into the statements worth remembering, word for word, and gives the reason
for each piece that is skipped.

Questions, greetings and small talk are skipped. Pure: the caller keeps the whole text elsewhere.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from commonplace.extract.text_pieces import Piece, join_prefix, split_pieces
from commonplace.language.coreference import TIME_PREFIX

Reason: TypeAlias = Literal["question", "greeting", "small talk", "instruction", "not text"]

# A sentence that depends on the one before it is joined to it, up to this length.
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
    r" d[ií]as|bonjour|salut|ciao|buongiorno|ol[aá]|你好|您好|大家好|早上好|"
    r"下午好|晚上好|早安|晚安|再见|拜拜|嗨|"
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
_NAME_ONLY = re.compile(r"[A-ZÀ-Þ][\w.’'-]*(?: [A-ZÀ-Þ][\w.’'-]*){0,2}")
# Atomic groups keep the match linear, so a longer phrase stands before the words it begins with.
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
_QUESTION_WORDS = (
    r"what|who|whom|whose|where|when|why|how|which|do|does|did|can|could|would|will|shall|should|may|might|is|are|was|"
    r"were|am|have|has|had|isn['’]t|aren['’]t|don['’]t|doesn['’]t|didn['’]t|won['’]t|any"
)
_QUESTION_SIGNS, _CLOSING_SIGNS = "?？؟", "\"'”’)]!?？"
# "I live in Rome, do you know a good restaurant?" is a statement before it is a question.
_STATEMENT_CHARS_MIN = 6
_QUESTION_CLAUSE = re.compile(
    rf"(?<![\s,;，；–—-])\s*+[,;，；–—-][\s,;，；–—-]*+(?:(?:so|and|but|then)\s++)?(?:{_QUESTION_WORDS})\b",
    re.IGNORECASE,
)
_QUESTION_START = re.compile(
    rf"(?:(?:so|and|but|well|ok|okay|hey|hi|hello|please|sorry|if|since|because)[,\s]+)*(?:{_QUESTION_WORDS})\b|if\b|"
    r"(?:hey|hi|hello|ok|okay|well|sorry|thanks)\W*$",
    re.IGNORECASE,
)
_DEPENDENT = re.compile(
    rf"(?:{TIME_PREFIX},? (?:he|she)|"
    r"it|its|it['’]s|this|that['’]?s?|these|those|they|they['’]re|their|he|he['’]s|his|she|she['’]s|her|them|him|"
    r"there|then|so|but|and|or|also|however|therefore|because|otherwise|instead|the"
    r" same|both|which|still|yet)\b",
    re.IGNORECASE,
)
# A sentence that leaves out what it repeats also depends on the one before it: "My wife does,
# though."
_ELLIPTIC = re.compile(r"(?:\S+ ){1,5}(?:though|too|as well|either)[.!]*", re.IGNORECASE)
_SKIPPED_ROLES = ("system", "developer")


@dataclass(frozen=True, slots=True)
class Message:
    """A text with the role and the name of its speaker, and the time written before it."""

    role: str
    text: str
    speaker: str = ""
    moment: str = ""


@dataclass(frozen=True, slots=True)
class SkippedText:
    """A piece that is no statement worth remembering, shortened, with the reason."""

    role: str
    text: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class SplitResult:
    """The statements of a conversation, and the pieces that were skipped."""

    statements: tuple[Message, ...]
    skipped: tuple[SkippedText, ...]


def split_statements(messages: tuple[Message, ...]) -> SplitResult:
    """The statements of a conversation, each with its role, in their order and each once."""
    statements: dict[Message, None] = {}
    skipped: list[SkippedText] = []
    for message in messages:
        if message.role in _SKIPPED_ROLES:
            skipped.append(SkippedText(message.role, _shorten(message.text), "instruction"))
            continue
        after_sign_off = False
        for piece in _join_dependent(split_pieces(message.text)):
            statement, reason = _classify(piece.text)
            if after_sign_off and _NAME_ONLY.fullmatch(piece.text):
                statement, reason = "", "greeting"
            after_sign_off = bool(_SIGN_OFF.fullmatch(_strip_signs(piece.text)))
            if statement:
                text = _with_context(message, piece, statement)
                statements[Message(message.role, text)] = None
            if reason:
                skipped.append(SkippedText(message.role, _shorten(piece.text), reason))
    return SplitResult(tuple(statements), tuple(skipped))


def _with_context(message: Message, piece: Piece, statement: str) -> str:
    """A statement after the time and the prefix or speaker that it stands under."""
    prefix = piece.prefix or (f"{message.speaker}:" if message.speaker else "")
    moment = message.moment if any(map(str.isdigit, message.moment)) else ""
    return join_prefix(moment, join_prefix(prefix, statement))


def _strip_signs(text: str) -> str:
    return text.strip(" \t\n!.,;:~…。！，、🙂👋😊👍")


def _classify(piece: str) -> tuple[str, Reason | None]:
    """The part of a piece that is a statement, and the reason why the rest of it is skipped."""
    bare = _strip_signs(piece)
    if not bare or _GREETING.fullmatch(bare) or _SIGN_OFF.fullmatch(bare):
        return "", "greeting" if bare else None
    if _SMALL_TALK.fullmatch(bare):
        return "", "small talk"
    if "\n" not in piece and _is_question(piece):
        return _statement_before_question(piece), "question"
    return piece, None


def _statement_before_question(piece: str) -> str:
    """The statement before the clause that asks, such as "I moved to Rome, where do I register?";
    empty where there is none.
    """
    clause = _QUESTION_CLAUSE.search(piece, _STATEMENT_CHARS_MIN)
    before = piece[: clause.start()] if clause else ""
    is_statement = len(before.split()) > 2 and not _QUESTION_START.match(before)
    return before if is_statement else ""


def _is_question(piece: str) -> bool:
    """Whether a sentence ends as questions do, whatever closes it."""
    bare = piece.rstrip(_CLOSING_SIGNS)
    closing = piece[len(bare) :]
    return (
        any(sign in closing for sign in _QUESTION_SIGNS)
        or bare.endswith("؟")
        or piece.endswith(("吗", "呢"))
    )


def _join_dependent(pieces: list[Piece]) -> list[Piece]:
    """The pieces, each one that depends on the statement before it joined to that."""
    out: list[Piece] = []
    for piece in pieces:
        before = out[-1].text if out else ""
        if before and _depends(piece) and _can_join(before, piece.text):
            out[-1] = replace(out[-1], text=f"{before} {piece.text}")
        else:
            out.append(piece)
    return out


def _depends(piece: Piece) -> bool:
    """Whether a piece makes sense only after the one before it."""
    is_dependent = _DEPENDENT.match(piece.text) or _ELLIPTIC.fullmatch(piece.text)
    return piece.may_continue and bool(is_dependent) and not _is_question(piece.text)


def _can_join(before: str, text: str) -> bool:
    return _classify(before) == (before, None) and len(before) + len(text) < _JOINED_CHARS_MAX


def _shorten(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= _SHOWN_CHARS_MAX else plain[: _SHOWN_CHARS_MAX - 1] + "…"
