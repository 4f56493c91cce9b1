"""Parses markdown or plain text as an outline: statements under headings, lists and labels.

Every line with content is in exactly one statement, word for word: as its text, or in its path.
Code and quotations are text, never structure.
"""

import re
from dataclasses import dataclass, field
from itertools import zip_longest

from commonplace.extract import slugs
from commonplace.extract.sentences import split_sentences
from commonplace.language import conflicts

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
_LABEL_WORDS_MAX = 6
_DASH_WORDS_MAX = 3
# Headers without a meaning of their own: a value, or the name of one, is below them.
_PLAIN_HEADERS = frozenset(
    ("item", "value", "values", "description", "details", "meaning", "purpose", "what")
)
_NAME_HEADERS = frozenset(
    ("item", "key", "name", "field", "setting", "option", "parameter", "property")
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of the text: its path, its own label if it has one, and its words."""

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

    def close_items(self, indent: int) -> None:
        """End the list items that are indented as far as a new one, or further."""
        while self.lists and self.lists[-1][0] >= indent:
            self.lists.pop()

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


def split_label(text: str) -> tuple[str, str] | None:
    """The label and the value of `label: value`, `**Label:** value`, `key = value` or `label —
    value`.
    """
    if (tight := _ASSIGNMENT.match(text)) and slugs.fits_segment(tight["label"]):
        return tight["label"], tight["value"].strip()
    found = _LABEL.fullmatch(text)
    if found is None or not _is_label(found):
        return None
    return found["label"].strip(), (found["value"] or "").strip()


def _is_label(found: re.Match[str]) -> bool:
    label, dash = found["label"], found["dash"]
    if _LABEL_BROKEN.search(label) or not slugs.fits_segment(label) or conflicts.is_lead_in(label):
        return False
    if dash:
        # A dash or an arrow also joins the halves of sentences, so what it labels must be short.
        return len(label.split()) <= _DASH_WORDS_MAX and bool(found["value"])
    return len(label.split()) <= _LABEL_WORDS_MAX


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
    texts = (
        "; ".join(f"{head}: {cell}" if head else cell for head, cell in row if cell) for row in rows
    )
    return [row for row in texts if row]


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
    if not rest:
        outline.add_statement(slugs.label_segments(first), first)
    elif _is_key_and_value(names, cells):
        outline.add_statement(slugs.label_segments(first), cells[1])
    else:
        outline.row = slugs.label_segments(first)
        if first and not slugs.fits_segment(first):
            outline.add_statement("", first)
        for place, cell in rest.items():
            name = names[place] if place < len(names) else f"column_{place + 1}"
            outline.add_statement(name, cell)
        outline.row = ""


def _is_key_and_value(names: list[str], cells: list[str]) -> bool:
    """Whether a row of two columns is a name with its value."""
    if len(names) != 2 or len(cells) != 2:
        return False
    return names[1] in _PLAIN_HEADERS and slugs.fits_segment(cells[0])


def _cells(line: str) -> list[str]:
    return [
        cell.strip() for cell in re.split(r"(?<!\\)\|", re.sub(r"^\||(?<!\\)\|$", "", line.strip()))
    ]


def _read_item(outline: _Outline, at: int, item: re.Match[str]) -> int:
    lines, indent = outline.lines, len(item[1].expandtabs(4))
    outline.close_items(indent)
    end = _item_end(lines, at, indent)
    text = "\n".join([item[3].rstrip(), *(line.strip() for line in lines[at + 1 : end])])
    if _has_children(lines, end, indent):
        _open_item(outline, text, indent)
    else:
        label, value = split_label(text) or ("", "")
        outline.add_statement(slugs.label_segments(label) if label else "", value or text)
    outline.pause = True
    return end


def _open_item(outline: _Outline, text: str, indent: int) -> None:
    """Begin the items below an item; it is a statement itself if it is more than their name."""
    label, value = split_label(text) or ("", "")
    if value:
        outline.add_statement(slugs.label_segments(label), value)
    elif not label and not _is_name(text):
        outline.add_statement("", text)
    outline.lists.append((indent, _item_segment(text, label)))


def _item_end(lines: list[str], at: int, indent: int) -> int:
    """The line after an item and the lines that continue it."""
    end = at + 1
    while end < len(lines) and _indent(lines[end]) > indent and _continues(lines[end]):
        end += 1
    return end


def _item_segment(text: str, label: str) -> str:
    """The segment under which the items below an item stand."""
    if label:
        return slugs.label_segments(label)
    return slugs.segment(text) if _is_name(text) else slugs.sentence_segment(text)


def _is_name(text: str) -> bool:
    """Whether a text is short enough to be only the name of what is below it."""
    return len(text.split()) <= _LABEL_WORDS_MAX and slugs.fits_segment(text)


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
    lines = outline.lines
    found = split_label(lines[at].strip())
    level = _underlined_level(lines, at)
    # `Port: 8080` above a rule may end a front matter.
    if level and not (found and found[1]):
        outline.open_heading(level, lines[at].strip())
        return at + 2
    outline.begin_prose()
    if found and not found[1]:
        outline.open_lead(found[0], lines[at].strip())  # `Key files:` names what follows.
        return at + 1
    end = _paragraph_end(lines, at)
    rest = [line.strip() for line in lines[at + 1 : end]]
    if found:
        outline.add_statement(slugs.label_segments(found[0]), "\n".join([found[1], *rest]))
        return end
    for sentence in split_sentences("\n".join([lines[at].strip(), *rest])):
        outline.add_statement("", sentence)
    return end


def _underlined_level(lines: list[str], at: int) -> int:
    """The level of a heading that is underlined; 0 for any other line, and for a long sentence."""
    under = _UNDERLINE.match(lines[at + 1]) if at + 1 < len(lines) else None
    if under is None or not slugs.fits_segment(lines[at]):
        return 0
    return 1 if under[1][0] == "=" else 2


def _paragraph_end(lines: list[str], at: int) -> int:
    """The line after a paragraph, which ends at a mark or at a line with a label of its own."""
    end = at + 1
    while end < len(lines) and _is_plain(lines, end) and not split_label(lines[end].strip()):
        end += 1
    return end
