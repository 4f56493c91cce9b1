"""Cuts a text into pieces: sentences, list items, table rows and blocks of code, each with its
prefix.

The prefix is the heading, the parent items or the speaker that the piece stands under. Pure, and
word for word.
"""

import re
from collections import Counter
from dataclasses import dataclass

from commonplace.extract.markdown_outline import is_table, table_rows
from commonplace.extract.sentences import split_sentences

_FENCE = re.compile(r"^\s*(```|~~~)")
_QUOTE = re.compile(r"^\s{0,3}(?:>\s?)+")
_RULE = re.compile(r"(?:[-*_=]\s*){3,}")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?=\S)")
_HEADING = re.compile(r"^ {0,3}#{1,6}\s+(\S.*)$")
# The speaker of a line of a conversation, with or without the time.
_SPEAKER = re.compile(
    r"(?P<moment>[\[(](?=[^\])]*\d)[^\])\n]{3,40}[\])]\s*)?(?P<who>[^\W\d_][\w.'’-]*(?:"
    r" [^\W\d_][\w.'’-]*){0,2})"
    r"(?P<time>\s*[\[(]?\d{1,2}:\d\d[^\])]{0,9}[\])]?)?\s*:\s+(?=\S)"
)
_FIRST_PERSON = re.compile(r"\b(?:I|I['’](?:m|ve|d|ll)|[Mm]y|[Mm]e|[Mm]ine|[Mm]yself)\b")
# A line that begins with one of these words continues the paragraph. A line that begins with any
# other small letter does so only where the line before it is full.
_CONTINUATION = re.compile(
    r"(?:and|or|but|because|so|which|that|who|with|without|to|of|in|for|as|when|while|if|than|then|"
    r"by|from|on|at|the|an?|is|are|was|were|not)\b"
)
_SENTENCE_ENDS = (".", "!", "?", ":", ";", "…", "。", "！", "？")
_FULL_CHARS_MIN, _FULL_CHARS_MAX = 50, 120
_PARENT_WORDS_MAX = 6
_SECTION_WORDS_MAX = 2
_SECTION_TEXT_WORDS_MIN = 3


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence, an item, a row or a block, with its prefix.

    `may_continue` holds for a sentence that is not the first of its paragraph: it can depend on the
    one before it.
    """

    text: str
    prefix: str = ""
    may_continue: bool = False


def split_pieces(text: str) -> list[Piece]:
    """The pieces of a text, in their order."""
    return _PieceReader(text).read()


def join_prefix(prefix: str, text: str) -> str:
    """A text after its prefix, if it has one."""
    return f"{prefix} {text}" if prefix else text


class _PieceReader:
    """Reads the lines of one text. Each `_read` method returns the index of the next line."""

    def __init__(self, text: str) -> None:
        self.raw = text.splitlines()
        self.lines = [_QUOTE.sub("", line) for line in self.raw]
        self.speakers = _find_speakers(self.lines)
        self.wrapped = _find_wrapped(self.lines)
        self.pieces: list[Piece] = []
        self.prefix = ""
        # The parents of the items that follow, each with its indent.
        self.parents: list[tuple[int, str]] = []

    def read(self) -> list[Piece]:
        at = 0
        while at < len(self.lines):
            at = self._read_block(at)
        return self.pieces

    def _read_block(self, at: int) -> int:
        if fence := _FENCE.match(self.lines[at]):
            return self._read_fence(at, fence[1])
        if is_table(self.lines, at):
            return self._read_table(at)
        if self._read_structure(at):
            return at + 1
        return self._read_paragraph(at) if self.lines[at].strip() else at + 1

    def _read_structure(self, at: int) -> bool:
        """Read one line that has a meaning of its own; false where it is a part of a paragraph."""
        line = self.lines[at].strip()
        if _RULE.fullmatch(line):
            self.prefix = ""
        elif heading := _HEADING.match(self.lines[at]):
            self.parents.clear()
            self.prefix = _heading_words(heading[1]).rstrip(":：") + ":"
        elif item := _ITEM.match(self.lines[at]):
            self._read_item(at, self.lines[at][item.end() :].strip())
        elif line.endswith((":", "：")) and _introduces_list(self.lines, at):
            self.prefix = line
        elif _is_section(self.lines, at):
            self.prefix = f"{line}:"
        else:
            return False
        return True

    def _read_fence(self, at: int, sign: str) -> int:
        last = len(self.lines) - 1
        end = next(
            (n for n in range(at + 1, last + 1) if self.lines[n].strip().startswith(sign)), last
        )
        self.pieces.append(Piece("\n".join(self.raw[at : end + 1]), self.prefix))
        return end + 1

    def _read_table(self, at: int) -> int:
        last = len(self.lines)
        end = next((n for n in range(at + 2, last) if "|" not in self.lines[n]), last)
        self.pieces += [Piece(row, self.prefix) for row in table_rows(self.lines[at:end])]
        return end

    def _read_item(self, at: int, text: str) -> None:
        indent = _indent(self.lines[at])
        while self.parents and self.parents[-1][0] >= indent:
            self.parents.pop()
        has_children = indent < _next_item_indent(self.lines, at)
        if has_children and len(text.split()) <= _PARENT_WORDS_MAX:
            self.parents.append((indent, text.rstrip(":：.") + ":"))
            return
        above = [self.prefix] if self.prefix else []
        self.pieces.append(Piece(text, " ".join([*above, *(parent for _, parent in self.parents)])))

    def _read_paragraph(self, at: int) -> int:
        end = at + 1
        while end < len(self.lines) and self._continues(end):
            end += 1
        speaker = _speaker(self.lines[at].strip(), self.speakers)
        paragraph = " ".join(line.strip() for line in self.lines[at:end])[len(speaker) :]
        self.pieces += [
            Piece(sentence, speaker.strip(), index > 0)
            for index, sentence in enumerate(split_sentences(paragraph))
        ]
        self.parents.clear()
        self.prefix = ""
        return end

    def _continues(self, at: int) -> bool:
        """Whether a line continues the paragraph before it, and does not begin a new thought."""
        line, before = self.lines[at], self.lines[at - 1].strip()
        plain = line.strip()
        if not plain or _begins_block(line) or _speaker(plain, self.speakers):
            return False
        if plain[0].islower():
            is_full = len(before) >= _FULL_CHARS_MIN or _CONTINUATION.match(plain) is not None
            return is_full and not before.endswith(_SENTENCE_ENDS)
        return at in self.wrapped


def _begins_block(line: str) -> bool:
    return bool(_FENCE.match(line) or _ITEM.match(line) or _HEADING.match(line))


def _heading_words(heading: str) -> str:
    """The words of a heading, without the signs that close it."""
    return heading.rstrip().rstrip("#").rstrip() or heading.rstrip()


def _introduces_list(lines: list[str], at: int) -> bool:
    """Whether a list or a block of code follows a line."""
    after = next((one for one in lines[at + 1 :] if one.strip()), "")
    return bool(_ITEM.match(after) or _FENCE.match(after))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _next_item_indent(lines: list[str], at: int) -> int:
    """The indent of the item on the next line; -1 where there is none."""
    below = lines[at + 1] if at + 1 < len(lines) else ""
    return _indent(below) if _ITEM.match(below) else -1


def _is_section(lines: list[str], at: int) -> bool:
    """Whether a line of a word or two heads the text below it, as "Context" does in a decision
    record.
    """
    line = lines[at].strip()
    is_alone = at == 0 or not lines[at - 1].strip()
    is_title = line[:1].isupper() and line[-1:].isalpha()
    if not is_alone or not is_title or len(line.split()) > _SECTION_WORDS_MAX:
        return False
    after = lines[at + 1].strip() if at + 1 < len(lines) else ""
    return len(after.split()) >= _SECTION_TEXT_WORDS_MIN and after.endswith(_SENTENCE_ENDS)


def _find_speakers(lines: list[str]) -> frozenset[str]:
    """The speakers: names that stand before several lines, or most lines of a conversation.

    A name that stands once counts only where some line has a time or the first person, as in a
    conversation. `Owner: Tom` is a label.
    """
    matches = [match for line in lines if (match := _SPEAKER.match(line.strip()))]
    names = Counter(match["who"] for match in matches)
    repeated = frozenset(name for name, count in names.items() if count > 1)
    is_conversation = repeated or any(map(_is_speech, matches))
    is_majority = 2 * names.total() > sum(bool(line.strip()) for line in lines)
    return frozenset(names) if is_conversation and is_majority else repeated


def _is_speech(line: re.Match[str]) -> bool:
    """Whether a line is speech: it has the time before the name, or the first person behind it."""
    return bool(
        line["moment"] or (line["who"].istitle() and _FIRST_PERSON.search(line.string, line.end()))
    )


def _speaker(line: str, speakers: frozenset[str]) -> str:
    """The part of a line that names its speaker; empty where there is none."""
    match = _SPEAKER.match(line)
    return match[0] if match and (match["time"] or match["who"] in speakers) else ""


def _find_wrapped(lines: list[str]) -> frozenset[int]:
    """The lines that begin only because the line before is full, as in mails and READMEs."""
    out: set[int] = set()
    start = 0
    for end in [n for n, line in enumerate(lines) if not line.strip()] + [len(lines)]:
        rows, start = range(start, end), end + 1
        if _is_wrapped(lines, rows):
            out.update(rows[1:])
    return frozenset(out)


def _is_wrapped(lines: list[str], rows: range) -> bool:
    """Whether a paragraph is wrapped at one width."""
    width = max((len(lines[n].rstrip()) for n in rows), default=0)
    if len(rows) < 3 or not _FULL_CHARS_MIN <= width <= _FULL_CHARS_MAX:
        return False
    # The lines of a list or a log begin alike and are about as long. Wrapped lines begin with small
    # letters, in the middle of a sentence.
    lower_count = sum(lines[n].lstrip()[:1].islower() for n in rows[1:])
    is_full = all(
        len(lines[n].rstrip()) + 1 + len(lines[n + 1].split()[0]) > width for n in rows[:-1]
    )
    return is_full and 2 * lower_count >= len(rows) - 1
