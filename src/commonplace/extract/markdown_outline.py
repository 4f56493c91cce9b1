"""Reads markdown or plain text as an outline: statements under the headings, lists and labels that
hold them.

Every line that says something ends in exactly one statement, word for word: as its value, or as the
name of where it stands. Code and quotations are values, never structure.
"""

import re
from dataclasses import dataclass, field
from itertools import zip_longest

from commonplace.extract import slugs

_HEADING = re.compile(r"^ {0,3}(#{1,6})\s+(\S.*)$")
_UNDERLINE = re.compile(r"^ {0,3}(=+|-+)\s*$")
_RULE = re.compile(r"^ {0,3}([-*_])(?:\s*\1){2,}\s*$")
_FENCE = re.compile(r"^\s*(`{3,}(?=[^`]*$)|~{3,})\s*([\w+-]*)")
_ITEM = re.compile(r"^(\s*)([-*+•]|\d{1,3}[.)])\s+(\S.*)$")
_QUOTE = re.compile(r"^\s*>")
_TABLE_RULE = re.compile(r"\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?")
# The label is bounded and taken at the first sign, so that no line takes long, whatever is in it.
_LABEL = re.compile(
    r"(?:\*\*|__|`)?(?P<label>[^\W_][^:=*|`<>\[\]{}!?\n]{0,80}?)(?:\*\*|__|`)?"
    r"(?: ?(?P<sign>:(?:\*\*|__)?|=)| (?P<dash>[—–]|->))(?:\s+(?P<value>\S.*))?",
    re.DOTALL,
)
_LABEL_BROKEN = re.compile(r"[._](?:\s|$)")
_ASSIGNMENT = re.compile(r"^(?P<label>[^\W\d][\w.-]*)=(?P<value>[^=\s].*)$", re.DOTALL)
# A sentence begins with a capital of Latin, Greek or Cyrillic letters, a digit, or code.
_SENTENCE_END = re.compile(
    r"(?<=[.!?])[\"')\]”’»]*(\s+)(?=[\"'(\[“„«]?[A-Z0-9\u00c0-\u024f\u0386-\u03ab\u0400-\u042f]|`)|(?<=[。！？।])(\s*)"
)
# "Ursula K. Le Guin" and "am 12. April" go on after the dot.
_INITIAL = re.compile(r"(?:^|(?:^|[\s(])[A-Z][\w'’.-]*\s)[A-Z]\.$")
_OPENING = re.compile(
    r"(?:It|We|The|This|That|These|She|He|They|I|You|An?|In|On|At|But|And|So|If|There|My|Our)\b"
)
_ORDINAL = re.compile(r"(?:^|\s)\d{1,2}\.$")
_MONTH = re.compile(r"(?:Jan|Feb|M[aä]r|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)[a-zä]*\b")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|cf|vs|etc|no|mr|mrs|ms|dr|st|approx|resp)\.$", re.IGNORECASE
)
_QUOTED_CHARS_MAX = 200
_LABEL_WORDS_MAX = 6
_DASH_WORDS_MAX = 3
# Headers that say no more than that a value, or the name of one, stands below them.
_PLAIN_HEADERS = frozenset(
    ("item", "value", "values", "description", "details", "meaning", "purpose", "what")
)
_NAME_HEADERS = frozenset(
    ("item", "key", "name", "field", "setting", "option", "parameter", "property")
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing the text says: where it belongs, its own label if it has one, and its words."""

    path: tuple[str, ...]
    label: str
    text: str
    code: bool = False


@dataclass(slots=True)
class _Named:
    """A heading, or a label that names what follows it: level 7, below every heading."""

    level: int
    slug: str
    title: str
    used: bool = False


@dataclass(slots=True)
class _Outline:
    lines: list[str]
    headings: list[_Named] = field(default_factory=list[_Named])
    lead: _Named | None = None
    lists: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    row: str = ""
    # Whether what a label named may be over: after a list, or after an empty line.
    pause: bool = False
    statements: list[Statement] = field(default_factory=list[Statement])

    def path(self) -> tuple[str, ...]:
        lead = (self.lead.slug,) if self.lead else ()
        row = (self.row,) if self.row else ()
        return (
            *(heading.slug for heading in self.headings),
            *lead,
            *(slug for _, slug in self.lists),
            *row,
        )

    def add_statement(self, label: str, text: str, *, code: bool = False) -> None:
        for named in (*self.headings, *((self.lead,) if self.lead else ())):
            named.used = True
        self.statements.append(Statement(self.path(), label, text, code))
        self.pause = False

    def open_heading(self, level: int, title: str) -> None:
        self.close(level)
        self.headings.append(_Named(level, slugs.segment(title), title))
        if not slugs.fits_segment(title):
            self.add_statement("", title)

    def open_lead(self, label: str, line: str) -> None:
        self.close_lead()
        self.lead = _Named(7, slugs.label_segments(label), line)

    def close(self, level: int) -> None:
        """End everything down to the headings of a level."""
        self.close_lead()
        while self.headings and self.headings[-1].level >= level:
            self._keep(self.headings.pop())

    def close_lead(self) -> None:
        self.lists.clear()
        if lead := self.lead:
            self.lead = None
            self._keep(lead)

    def _keep(self, named: _Named) -> None:
        if not named.used:  # With nothing below it, it would otherwise be lost.
            self.add_statement(named.slug, named.title)

    def begin_prose(self) -> None:
        self.lists.clear()
        if self.lead and self.lead.used and self.pause:
            self.close_lead()


def parse_outline(text: str) -> list[Statement]:
    """Every statement of a text, in its order."""
    outline, at = _Outline(text.splitlines()), 0
    while at < len(outline.lines):
        at = _read_line(outline, at)
    outline.close(0)
    return outline.statements


def split_sentences(text: str) -> list[str]:
    """The sentences of a paragraph, word for word."""
    found, start = list[str](), 0
    for end in _SENTENCE_END.finditer(text):
        head = text[start : end.start(1) if end[1] else end.start()]
        if not _goes_on(head, text[end.end() :]):
            found.append(head.strip())
            start = end.end()
    return [one for one in (*found, text[start:].strip()) if one]


def _goes_on(head: str, rest: str) -> bool:
    """Whether the dot at the end of some words ends no sentence."""
    if head.count('"') % 2 and '"' in rest[:_QUOTED_CHARS_MAX]:
        return True
    if _ABBREVIATION.search(head[-12:]) or (
        _INITIAL.search(head[-40:]) and not _OPENING.match(rest)
    ):
        return True
    return _ORDINAL.search(head[-4:]) is not None and _MONTH.match(rest) is not None


def split_label(text: str) -> tuple[str, str] | None:
    """The label and the value of `label: value`, `**Label:** value`, `key = value` or `label —
    value`.
    """
    if (tight := _ASSIGNMENT.match(text)) and slugs.fits_segment(tight["label"]):
        return tight["label"], tight["value"].strip()
    found = _LABEL.fullmatch(text)
    if not found or _LABEL_BROKEN.search(found["label"]) or not slugs.fits_segment(found["label"]):
        return None
    # A dash or an arrow also joins the halves of sentences, so what it labels must be short.
    words_max = _DASH_WORDS_MAX if found["dash"] else _LABEL_WORDS_MAX
    if len(found["label"].split()) > words_max or (found["dash"] and not found["value"]):
        return None
    return found["label"].strip(), (found["value"] or "").strip()


def _read_line(outline: _Outline, at: int) -> int:
    line = outline.lines[at]
    if not line.strip():
        outline.pause = True
        return at + 1
    if fence := _FENCE.match(line):
        return _read_fence(outline, at, fence[1], fence[2])
    if heading := _HEADING.match(line):
        outline.open_heading(len(heading[1]), _unclosed(heading[2].strip()))
        return at + 1
    if _is_rule(line):
        outline.close_lead()
        return at + 1
    if is_table(outline.lines, at):
        return _read_table(outline, at)
    if _QUOTE.match(line):
        return _read_quote(outline, at)
    if item := _ITEM.match(line):
        return _read_item(outline, at, item)
    return _read_prose(outline, at)


def _unclosed(title: str) -> str:
    """A heading's title without the signs that close it; those of `C#` are its own."""
    bare = title.rstrip("#")
    return bare.rstrip() if bare and bare[-1].isspace() else title


def _is_rule(line: str) -> bool:
    return bool(_RULE.match(line) or _UNDERLINE.match(line))


def is_table(lines: list[str], at: int) -> bool:
    """Whether a table begins with a line."""
    return (
        "|" in lines[at]
        and at + 1 < len(lines)
        and "|" in lines[at + 1]
        and _is_table_rule(lines[at + 1])
    )


def table_rows(lines: list[str]) -> list[str]:
    """The rows of a table as statements, each value with its header: "Name: Ada; Role: CTO"."""
    heads = _cells(lines[0])
    rows = ([*zip_longest(heads, _cells(line), fillvalue="")] for line in lines[2:])
    told = (
        "; ".join(f"{head}: {cell}" if head else cell for head, cell in row if cell) for row in rows
    )
    return [row for row in told if row]


def _is_table_rule(line: str) -> bool:
    return _TABLE_RULE.fullmatch(line.strip()) is not None


def _is_plain(lines: list[str], at: int) -> bool:
    """Whether a line can only be the next line of a paragraph."""
    line, item = lines[at], _ITEM.match(lines[at])
    # A number at the start of a line begins a list only with 1; otherwise it is a number that was
    # wrapped.
    begins = item is not None and (not item[2][0].isdigit() or item[2][:-1] == "1")
    marked = _FENCE.match(line) or _HEADING.match(line) or _QUOTE.match(line) or _is_rule(line)
    return bool(line.strip()) and not begins and not marked and not is_table(lines, at)


def _read_fence(outline: _Outline, at: int, mark: str, language: str) -> int:
    lines, end = outline.lines, at + 1
    while end < len(lines) and not re.fullmatch(
        rf"{re.escape(mark)}{mark[0]}*", lines[end].strip()
    ):
        end += 1
    outline.add_statement(
        slugs.segment(language) if language else "code", "\n".join(lines[at : end + 1]), code=True
    )
    return end + 1


def _read_quote(outline: _Outline, at: int) -> int:
    end = at
    while end < len(outline.lines) and _QUOTE.match(outline.lines[end]):
        end += 1
    outline.add_statement("quote", "\n".join(outline.lines[at:end]))
    return end


def _read_table(outline: _Outline, at: int) -> int:
    outline.lists.clear()
    lines, heads, row = outline.lines, _cells(outline.lines[at]), at + 2
    names = [slugs.segment(cell) for cell in heads]
    # The other headers are in the keys of the rows; the first would be lost.
    if names[0] not in _NAME_HEADERS or row >= len(lines) or "|" not in lines[row]:
        outline.add_statement("columns", " | ".join(heads))
    while row < len(lines) and "|" in lines[row]:
        _read_row(outline, names, _cells(lines[row]))
        row += 1
    outline.pause = True
    return row


def _read_row(outline: _Outline, names: list[str], cells: list[str]) -> None:
    first, rest = cells[0], {place: cell for place, cell in enumerate(cells) if place and cell}
    slug = slugs.label_segments(first)
    if not rest:
        outline.add_statement(slug, first)
    elif (
        len(names) == 2
        and len(cells) == 2
        and names[1] in _PLAIN_HEADERS
        and slugs.fits_segment(first)
    ):
        outline.add_statement(slug, cells[1])
    else:
        outline.row = slug
        if not slugs.fits_segment(first) and first:
            outline.add_statement("", first)
        for place, cell in rest.items():
            outline.add_statement(
                names[place] if place < len(names) else f"column_{place + 1}", cell
            )
        outline.row = ""


def _cells(line: str) -> list[str]:
    return [
        cell.strip() for cell in re.split(r"(?<!\\)\|", re.sub(r"^\||(?<!\\)\|$", "", line.strip()))
    ]


def _read_item(outline: _Outline, at: int, item: re.Match[str]) -> int:
    lines, indent, text = outline.lines, len(item[1].expandtabs(4)), item[3].rstrip()
    while outline.lists and outline.lists[-1][0] >= indent:
        outline.lists.pop()
    end = at + 1
    while end < len(lines) and _indent(lines[end]) > indent and _continues(lines[end]):
        text += "\n" + lines[end].strip()
        end += 1
    parent = _has_children(lines, end, indent)
    label, value = split_label(text) or ("", text)
    short = len(text.split()) <= _LABEL_WORDS_MAX and slugs.fits_segment(text)
    if label and (value or not parent):
        outline.add_statement(slugs.label_segments(label), value or text)
    elif not label and not (parent and short):
        outline.add_statement("", text)
    if parent:
        named = (
            slugs.label_segments(label)
            if label
            else slugs.segment(text)
            if short
            else slugs.sentence_segment(text)
        )
        outline.lists.append((indent, named))
    outline.pause = True
    return end


def _continues(line: str) -> bool:
    return bool(line.strip()) and not (
        _ITEM.match(line) or _FENCE.match(line) or _QUOTE.match(line)
    )


def _has_children(lines: list[str], at: int, indent: int) -> bool:
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at < len(lines) and _ITEM.match(lines[at]) is not None and _indent(lines[at]) > indent


def _indent(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())


def _read_prose(outline: _Outline, at: int) -> int:
    lines, end = outline.lines, at + 1
    found = split_label(lines[at].strip())
    # A line above a rule is a heading; but not `Port: 8080`, which may end a front matter, and not
    # a long sentence.
    under = _UNDERLINE.match(lines[end]) if end < len(lines) else None
    if under and slugs.fits_segment(lines[at]) and not (found and found[1]):
        outline.open_heading(1 if under[1][0] == "=" else 2, lines[at].strip())
        return end + 1
    outline.begin_prose()
    if found and not found[1]:
        outline.open_lead(found[0], lines[at].strip())  # `Key files:` names what follows.
        return end
    # A paragraph goes on until a mark, or a line with a label of its own.
    while end < len(lines) and _is_plain(lines, end) and not split_label(lines[end].strip()):
        end += 1
    rest = [line.strip() for line in lines[at + 1 : end]]
    if found:
        outline.add_statement(slugs.label_segments(found[0]), "\n".join([found[1], *rest]))
        return end
    for one in split_sentences("\n".join([lines[at].strip(), *rest])):
        outline.add_statement("", one)
    return end
