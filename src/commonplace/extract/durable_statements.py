"""Selects the statements of a conversation with an agent that stay true after the task.

Requests, hypotheticals, progress reports, error output and questions are left out. The rules prefer
to miss a fact over storing junk, because the raw turn is kept elsewhere. Pure.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from commonplace.extract.statement_splitting import Message, split_statements

STATEMENTS_PER_TURN_MAX = 20
_CUT_CHARS_MAX = 20_000
_STATEMENT_CHARS_MAX = 500
_WORDS_MIN = 3

_CODE_BLOCK = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_REMEMBER = re.compile(
    r"(?:and |also |please |ok(?:ay)?,? )*(?:can you |could you )?(?:please )?"
    r"(?:remember|note|keep in mind|don['’]?t forget|for the record|fyi|memori[sz]e)"
    r"(?!\s+to\b)(?: this| the following)?(?: that|:|,)?\s+(?=\S)",
    re.IGNORECASE,
)
# Words that make an instruction hold beyond the task.
_STANDING = re.compile(
    r"\b(?:always|never|from now on|by default|going forward|in (?:general|future|this"
    r" (?:repo|repository|project|codebase))|prefer|avoid|instead of|rather than|every time|"
    r"must(?: not)?|only ever|everywhere)\b|\b(?:do not|don['’]t)\b.{0,200}\bever\b",
    re.IGNORECASE,
)
_LEAD = (
    r"(?:(?:please|now|then|ok|okay|also|next|first|second|finally|and|so|just|great|good|thanks|"
    r"well|hey|hi|hm+|yes|no|not now|sure|right|alright|perfect|nice|cool|"
    r"(?:that |it |this )?(?:looks|sounds|seems) (?:good|right|fine|great|ok))[,.!;\s]{1,8}){0,8}"
)
_REQUEST = re.compile(
    rf"{_LEAD}(?:can|could|would|will) you\b|"
    rf"{_LEAD}(?:i|we)(?:['’]d| would)? (?:want|like|need)(?: you)? to\b|"
    rf"{_LEAD}let['’]?s\b|{_LEAD}let us\b|{_LEAD}(?:go ahead|go on|carry on|keep going)\b|"
    rf"{_LEAD}(?:fix|add|implement|write|create|make|update|refactor|remove|delete|rename|run|show|"
    r"tell|explain|find|check|look|read|open|try|change|move|test|debug|review|help|give|list|"
    r"generate|build|install|commit|push|pull|merge|revert|undo|redo|continue|go|do|let|put|set|"
    r"get|take|start|stop|restart|deploy|clean|format|lint|search|grep|print|compare|describe|"
    r"summari[sz]e|draft|rewrite|extract|split|replace|convert|migrate|upgrade|bump|rebase|squash|"
    r"wait|proceed|apply|verify|confirm|ensure|investigate|figure|think|plan|suggest|propose|"
    r"ask|call|send|fetch|download|copy|paste|edit|insert|drop|wire|hook|document|comment|"
    r"answer|reply|say|ignore|skip|leave|keep|use (?:the|this|that|it|your|option)|"
    r"remind|see|note to|prepare|regenerate|speed|push|tag|link|mention|reuse|cut|shorten)\b"
    # "Test data lives in tests/data" is no request.
    r"(?![-'’:]|(?: (?!(?:that|this|what|which|who|why|how|if|it)\b)[\w-]+)?"
    r" (?:is|are|was|were|has|have|runs|lives?|uses|listens|goes|takes|needs)\b)",
    re.IGNORECASE,
)
_HYPOTHETICAL = re.compile(
    r"\b(?:what if|suppos(?:e|ing)|imagine|hypothetical(?:ly)?|let['’]?s say|say we|assuming|in"
    r" theory|for (?:example|instance)|maybe|perhaps|possibly|might|not sure|i wonder|wondering"
    r" (?:if|whether)|i guess|i['’]?m thinking|thinking (?:about|of)|we could|could we|should we|"
    r"(?:if|unless)\b.{0,200}\b(?:would|could|might))\b",
    re.IGNORECASE,
)
# What is true only while the work goes on.
_PASSING = re.compile(
    rf"{_LEAD}(?:i|we)(?:['’]m| am|['’]re| are)?"
    r" (?:just|now|still|currently|\w+ing|about|back|done|"
    r"stuck|confused|see|saw|got|get|ran|tried|think|guess|hope|wonder|noticed?|found)\b|"
    rf"{_LEAD}(?:it|this|that|these|those|there|they|he|she|here|both|none|nothing|everything|"
    r"something|same)\b|"
    rf"{_LEAD}(?:still|again|same)\b|"
    r".*\b(?:(?:fails?|failed|failing|crash(?:es|ed|ing)?|complains?|hangs?|breaks?)"
    r"(?: again| now| on| with| about| at| in|[.!]|$)|does ?n['’]?t work|"
    r"not working|is broken|still fail(?:s|ing)|keeps? failing|"
    r"stack ?trace|traceback|right now|at the moment|"
    r"this (?:error|test|file|line|function|time))\b",
    re.IGNORECASE,
)
_PROGRESS = re.compile(
    r"(?:i|i['’](?:ve|ll|m|d)|let me|now|next|done|first|finally|all|here|the (?:tests?|build|file|"
    r"change|fix|code|function|error|output|following)|you (?:can|should|may|might|could)|"
    r"would you|if you|want me|note that i|as requested|both|everything|updated|added|fixed|"
    r"created|removed|implemented|changed|ran|running|looking|checking|reading)\b",
    re.IGNORECASE,
)
_FACTUAL = re.compile(
    r"\b(?:uses?|runs? (?:on|in|with|at|every)|lives? in|listens? on|is (?:set|stored|configured|"
    r"defined|located|hosted|deployed|called|owned|written|the)|are (?:stored|defined|kept|"
    r"written|deployed)|"
    r"(?:is|are) (?:\w+ed|built|kept|read|run|made|sent) (?:from|in|by|as|with|on|"
    r"at|to|into|every)|root cause|caused by|because|decided|decision|chose|agreed|convention|"
    r"requires?|depends on|must|always|never|defaults? (?:to|is)|deadline|due on|expects?|"
    r"supports?|belongs? to|maintained by)\b",
    re.IGNORECASE,
)
_NOT_PROSE = re.compile(
    r"\s*(?:[|+>$#@]|at .+:\d+|traceback|error\b|warning\b|exception\b|\d+[:.)]\d|https?://\S+$|"
    r"[\w./\\-]+:\d+|import |from \S+ import|def |class |function |const |let |var |return |"
    r"\{|\}|</?\w+[^>]*>$)",
    re.IGNORECASE,
)
# "No, that's wrong: the port is 9090." corrects with what comes after it.
_CORRECTION = re.compile(
    r"(?:no|actually|sorry|wait|correction)\b[\s,:;.-]*(?:(?:that|this|it)(?:['’]s| is|['’]s not|"
    r" was)? (?:not )?(?:wrong|right|correct|incorrect|true|outdated|old)\b[\s,:;.-]*)?(?=\S)",
    re.IGNORECASE,
)
# Something said of something: a verb that is no command, a number, or a name within the sentence.
_ASSERTION = re.compile(
    r"\b(?:(?i:is|are|was|were|am|be|has|have|had|must|should|can(?:not)?|will|uses?|used|prefer|"
    r"want|need|like|own|live|work|mean|decided|agreed|chose|moved|est|sont|ist|sind|hat|haben|"
    r"nutzen|es|son|tiene)|\w{2,}(?<!s)s\b (?!$)|\w{3,}ed)\b|\d|(?<=\S )[A-ZÀ-Þ]|[^\x00-\x7f]"
)
_SHORT_WORDS = 7
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_SYMBOLS = re.compile(r"[{}()\[\]<>=;|\\$&*^~]")
_SYMBOL_SHARE_MAX = 0.08
_UNSPACED_SCRIPT = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")


@dataclass(frozen=True, slots=True)
class DurableStatements:
    """The statements to keep, and how many pieces were left out for each reason."""

    statements: tuple[Message, ...] = ()
    skipped: Counter[str] = field(default_factory=Counter[str])


def select_durable(messages: Sequence[Message]) -> DurableStatements:
    """The statements of a turn that stay true after it, in their order."""
    cut = tuple(
        replace(one, text=_CODE_BLOCK.sub("\n", one.text)[:_CUT_CHARS_MAX]) for one in messages
    )
    found = split_statements(tuple(one for one in cut if one.text.strip()))
    skipped = Counter[str](one.reason for one in found.skipped)
    kept: dict[str, Message] = {}
    for one in found.statements:
        text, reason = _judge(one)
        if not reason and len(kept) >= STATEMENTS_PER_TURN_MAX:
            reason = "too many"
        if reason:
            skipped[reason] += 1
        else:
            kept.setdefault(text.casefold(), replace(one, text=text))
    return DurableStatements(tuple(kept.values()), skipped)


def _judge(statement: Message) -> tuple[str, str]:
    """The text to keep, and the reason why it is not kept."""
    text = " ".join(statement.text.split())
    is_answer = statement.role == "assistant"
    if not is_answer:
        if explicit := _REMEMBER.match(text):
            return _capitalized(text[explicit.end() :]), ""
        if correction := _CORRECTION.match(text):
            text = _capitalized(text[correction.end() :])
    if reason := _why_not_prose(text):
        return text, reason
    if _HYPOTHETICAL.search(text):
        return text, "hypothetical"
    return text, _why_not_found(text) if is_answer else _why_not_stated(text)


def _why_not_found(text: str) -> str:
    """Why a sentence of an agent is no finding; empty if it is one."""
    is_report = _PROGRESS.match(text) or _PASSING.match(text)
    return "progress" if is_report or not _FACTUAL.search(text) else ""


def _why_not_stated(text: str) -> str:
    """Why a sentence of a person is no lasting statement; empty if it is one."""
    if _STANDING.search(text):
        return ""
    if _REQUEST.match(text):
        return "request"
    if len(_WORD.findall(text)) <= _SHORT_WORDS and not _ASSERTION.search(text):
        return "no assertion"
    return "passing" if _PASSING.match(text) else ""


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def _why_not_prose(text: str) -> str:
    if len(text) > _STATEMENT_CHARS_MAX:
        return "too long"
    words = _WORD.findall(text)
    if len(words) < _WORDS_MIN and not _UNSPACED_SCRIPT.search(text):
        return "too short"
    if _NOT_PROSE.match(text) or len(_SYMBOLS.findall(text)) > _SYMBOL_SHARE_MAX * len(text):
        return "not prose"
    return "too short" if text.endswith(":") else ""
