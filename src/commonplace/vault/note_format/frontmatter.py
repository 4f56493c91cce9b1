"""Parses and writes notes: markdown with frontmatter.

Only our own keys are changed; all other bytes stay.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import TypeAlias

from commonplace import clock, ids
from commonplace.clock import MOMENT_MAX, MOMENT_MIN
from commonplace.errors import Invalid
from commonplace.limits import TAGS_MAX, TITLE_CHARS_MAX
from commonplace.vault.note_format import frontmatter_yaml
from commonplace.vault.note_format.markdown import text_tags

FIELDS = ("id", "title", "status", "created_at", "updated_at", "tags", "deleted_at")
# Keys of people and plug-ins of Obsidian, read if our own is missing, and never written.
_CREATED_KEYS = ("created_at", "created", "date")
_UPDATED_KEYS = ("updated_at", "updated", "modified")
_LIST_KEYS = ("tags", "phases", "aliases")
_KNOWN_KEYS = (*FIELDS, "phases", "aliases", *_CREATED_KEYS[1:], *_UPDATED_KEYS[1:])
_ALIASES_MAX, _ALIAS_CHARS_MAX = 50, 100
_FAULTS_SHOWN = 2
# A colon ends a key only before white space. A brace or bracket begins a map on one line, to which
# no line can be added.
_KEY = re.compile(
    r"""("(?:[^"\\]|\\.)*"\s*|'(?:[^']|'')*'\s*|[^\s:#\-\[\]{}"'](?:[^:]|:(?!\s|$))*?):(?=\s|$)(.*)""",
    re.DOTALL,
)
_HEADING = re.compile(r"^#[ \t]+(?=\S)(.+)$", re.MULTILINE)
# `#` at the end of a heading closes it, if white space precedes.
_CLOSING_HASHES = re.compile(r"(?<=[ \t])#+$")
_BOM = "\ufeff"
_Span: TypeAlias = tuple[int, int]
# The number of a line, and its error.
Fault: TypeAlias = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Note:
    """The content of a note."""

    title: str
    body: str
    id: int | None = None
    deleted: bool = False
    created_at: int | None = None
    updated_at: int | None = None
    deleted_at: int | None = None
    # Tags of the frontmatter; `all_tags` adds those of the text.
    tags: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    # Errors of the frontmatter, and our keys that cannot be read; their lines stay unchanged.
    faults: tuple[Fault, ...] = ()
    unreadable: frozenset[str] = frozenset()

    @property
    def fault(self) -> str:
        """The errors of the frontmatter in words; "" without any."""
        if not self.faults:
            return ""
        shown = " ".join(
            f"Line {line}: {text}" for line, text in sorted(self.faults)[:_FAULTS_SHOWN]
        )
        more = (
            f" And {len(self.faults) - _FAULTS_SHOWN:,} more."
            if len(self.faults) > _FAULTS_SHOWN
            else ""
        )
        return f"{shown}{more} The rest of the note is read."


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """The parts of a file. Joined again, they are the same bytes."""

    bom: str
    # The lines between the fences, with line ends; None without frontmatter.
    head: tuple[str, ...] | None
    fences: tuple[str, str]
    # The blank line after the frontmatter, and the last line end; the body has neither.
    lead: str
    body: str
    tail: str
    eol: str
    spans: Mapping[str, _Span] = field(default_factory=dict[str, _Span])
    # Lines of the frontmatter that are invalid.
    faults: tuple[Fault, ...] = ()

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        head = "" if self.head is None else self.fences[0] + "".join(self.head) + self.fences[1]
        return (self.bom + head + self.lead + self.body + self.tail).encode()


def split_file(data: bytes) -> ParsedFile:
    """Split the bytes of a file into its parts. Raises Invalid with a hint for a person."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Invalid("It is not UTF-8.", hint="Save it as UTF-8.") from error
    if "\0" in text:
        raise Invalid("It contains a NUL character.", hint="Remove it.")
    bom, text = (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    eol = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    close = _closing_fence(lines)
    if close is None:
        body, tail = _split_line_end(text, eol)
        return ParsedFile(bom, None, ("", ""), "", body, tail, eol)
    rest = "".join(lines[close + 1 :])
    lead = next((end for end in (eol, "\n") if rest.startswith(end)), "")
    body, tail = _split_line_end(rest[len(lead) :], eol)
    head = tuple(lines[1:close])
    spans, faults = _key_spans(head)
    return ParsedFile(bom, head, (lines[0], lines[close]), lead, body, tail, eol, spans, faults)


def parse_note(page: ParsedFile, stem: str) -> Note:
    """The note of a file. Its title is that of the frontmatter, the first heading or the file name.

    A key with an invalid value is left out and listed in `faults`.
    """
    plain: dict[str, str | None] = {}
    listed: dict[str, tuple[str, ...]] = {}
    faults, unread = list(page.faults), set[str]()
    for name, span in page.spans.items():
        try:
            if name in _LIST_KEYS:
                listed[name] = frontmatter_yaml.parse_list(_value_lines(page, span))
            else:
                plain[name] = frontmatter_yaml.parse_scalar(_value_lines(page, span))
        except Invalid as error:
            faults.append((span[0] + 2, error.message))
            unread.add(name)
    title = plain.get("title")
    if title is None or not title.strip():
        # A heading or a file name need not be kept exactly.
        said = re.sub(r"[\x00-\x1f\x7f]", " ", _heading(page.body) or stem)
        title = said.strip()[:TITLE_CHARS_MAX].strip() or "note"
    return Note(
        title=re.sub(r"[\r\n]+", " ", title),
        body=page.body,
        id=parse_note_id(plain.get("id")),
        deleted=(plain.get("status") or "").lower() == "deleted",
        created_at=next(_find_moments(plain, _CREATED_KEYS), None),
        updated_at=max(_find_moments(plain, _UPDATED_KEYS), default=None),
        deleted_at=_parse_moment(plain.get("deleted_at")),
        tags=listed.get("tags", ()),
        phases=listed.get("phases", ()),
        aliases=tuple(
            alias[:_ALIAS_CHARS_MAX] for alias in listed.get("aliases", ())[:_ALIASES_MAX]
        ),
        faults=tuple(faults),
        unreadable=frozenset(unread),
    )


def all_tags(note: Note) -> tuple[str, ...]:
    """The tags of the frontmatter, then those that are only in the text."""
    return (*note.tags, *text_only_tags(note))


def text_only_tags(note: Note) -> tuple[str, ...]:
    """The tags that are only in the text, up to the limit of a memory."""
    written = {tag.strip().casefold() for tag in note.tags}
    room = max(0, TAGS_MAX - len(note.tags))
    return tuple(tag for tag in text_tags(note.body) if tag.casefold() not in written)[:room]


def render_note(note: Note) -> bytes:
    """The bytes of a new file."""
    blank = ParsedFile("", (), ("---\n", "---\n"), "\n", note.body, "\n", "\n")
    return update_fields(blank, Note("", note.body), note)


def update_fields(page: ParsedFile, before: Note, after: Note) -> bytes:
    """The bytes of a file with changed keys and body; frontmatter is added if there is none."""
    if page.head is None:
        # A blank line of its own keeps one at the start of the body.
        page = replace(page, head=(), fences=("---" + page.eol, "---" + page.eol), lead=page.eol)
    elif not page.fences[1].endswith("\n"):
        page = replace(page, fences=(page.fences[0], page.fences[1] + page.eol))
    head = _HeadLines(page)
    for name, text in _field_values(after).items():
        if not _keeps_line(name, text, page, before, after):
            head.set_field(name, text)
    body = page.body if before.body == after.body else after.body
    return replace(page, head=tuple(head.lines), body=body).data


class _HeadLines:
    """The lines of a frontmatter while its fields are changed."""

    def __init__(self, page: ParsedFile) -> None:
        self.lines = list(page.head or ())
        self._spans = dict(page.spans)
        self._eol = page.eol

    def set_field(self, name: str, text: str | None) -> None:
        """Replace the lines of a field, add it at the end, or remove it if the text is None."""
        comment = _comment_after(self.lines, self._spans.get(name))
        fresh = [] if text is None else [f"{name}: {text}{comment}{self._eol}"]
        start, end = self._spans.get(name, (len(self.lines), len(self.lines)))
        self.lines[start:end] = fresh
        growth = len(fresh) - (end - start)
        for key, (first, last) in self._spans.items():
            if first >= end and key != name:
                self._spans[key] = (first + growth, last + growth)
        self._spans[name] = (start, start + len(fresh))


def _keeps_line(name: str, text: str | None, page: ParsedFile, before: Note, after: Note) -> bool:
    """Whether the lines of a field stay as they are."""
    if name in before.unreadable:
        return True  # A person has to correct its line.
    if name not in page.spans:
        return False
    is_foreign_id = name == "id" and before.id is None
    return is_foreign_id or (text is not None and _is_same(name, before, after))


def note_text(note: Note) -> str:
    """The text for the memory of a note: its body, or its title if that is empty."""
    return note.body if note.body.strip() else note.title


def parse_note_id(text: str | None) -> int | None:
    """The id in a field, if it is one of ours; ids of other programs are ignored."""
    if text is None or not text.startswith("note_"):
        return None
    try:
        return ids.parse(text)
    except Invalid:
        return None


def note_id_of(data: bytes, path: str) -> int | None:
    """The id of ours in a file; None if it has none or cannot be read."""
    try:
        return parse_note(split_file(data), PurePosixPath(path).stem).id
    except Invalid:
        return None


def _field_values(note: Note) -> dict[str, str | None]:
    times = {name: getattr(note, name) for name in ("created_at", "updated_at")}
    return {
        "id": ids.note_form(note.id) if note.id is not None else None,
        "title": frontmatter_yaml.dump_scalar(note.title),
        "status": "deleted" if note.deleted else "active",
        **{name: clock.iso(at) if at is not None else None for name, at in times.items()},
        "tags": frontmatter_yaml.dump_list(note.tags),
        "deleted_at": clock.iso(note.deleted_at)
        if note.deleted and note.deleted_at is not None
        else None,
    }


def _is_same(name: str, before: Note, after: Note) -> bool:
    attribute = "deleted" if name == "status" else name
    return getattr(before, attribute) == getattr(after, attribute)


def _comment_after(lines: list[str], span: _Span | None) -> str:
    if span is None or span[0] == span[1]:
        return ""
    found = _KEY.match(lines[span[0]])
    return frontmatter_yaml.trailing_comment(found[2]) if found else ""


def _closing_fence(lines: list[str]) -> int | None:
    if not lines or lines[0].rstrip() != "---":
        return None
    close = next(
        (place for place, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), None
    )
    if close is None:
        if len(lines) > 1 and _KEY.match(lines[1]):
            raise Invalid(
                "Its frontmatter is not closed.", hint="Put --- on a line of its own after it."
            )
        return None
    return close if _is_frontmatter(lines[1:close], lines[1]) else None


def _is_frontmatter(between: list[str], first: str) -> bool:
    """Whether the lines between two fences are frontmatter, not text between horizontal rules.

    Frontmatter has a key or is empty.
    """
    content = [line for line in between if not _is_blank(line)]
    if not content:
        return bool(first.strip())
    if any(_KEY.match(line) for line in content):
        return True
    if re.match(r"\{(?!\{)", content[0]):
        raise Invalid(
            "Its frontmatter is a map on one line.", hint="Put each key on a line of its own."
        )
    return False


def _key_spans(head: tuple[str, ...]) -> tuple[dict[str, _Span], tuple[Fault, ...]]:
    """The lines of the keys that we read, and the errors."""
    found: dict[str, _Span] = {}
    faults: list[Fault] = []
    name: str | None = None  # "" below an invalid line.
    for place, line in enumerate(head):
        if _is_blank(line):
            continue
        if not _continues_value(line):
            name, fault = _parse_key(line, found)
            if name:
                found[name] = (place, place + 1)
        elif name is None:
            fault = "It belongs to no key of the frontmatter."
        else:
            fault = ""
            if name in found:
                found[name] = (found[name][0], place + 1)
        if fault:
            faults.append((place + 2, fault))
    return {name: span for name, span in found.items() if name in _KNOWN_KEYS}, tuple(faults)


def _is_blank(line: str) -> bool:
    """Whether a line is empty or a comment."""
    return not line.strip() or line.lstrip().startswith("#")


def _continues_value(line: str) -> bool:
    """Whether a line belongs to the key above it."""
    return line[0] in " \t]}" or re.match(r"-(?:\s|$)", line) is not None


def _parse_key(line: str, found: Mapping[str, _Span]) -> tuple[str, str]:
    """The key of a line and ""; or "" and the error of the line."""
    key = _KEY.match(line)
    if key is None:
        return "", "It is not YAML."
    name = key[1].strip().strip("\"'")
    if name in found and name in _KNOWN_KEYS:
        return "", f"The frontmatter has {name} already."
    return name, ""


def _value_lines(page: ParsedFile, span: _Span) -> list[str]:
    lines = list(page.head or ())[span[0] : span[1]]
    found = _KEY.match(lines[0])
    return [found[2] if found else "", *lines[1:]]


def _heading(body: str) -> str:
    found = _HEADING.search(body)
    return _CLOSING_HASHES.sub("", found[1].rstrip()).rstrip() if found else ""


def _find_moments(plain: Mapping[str, str | None], keys: tuple[str, ...]) -> Iterator[int]:
    found = (_parse_moment(plain.get(key)) for key in keys)
    return (moment for moment in found if moment is not None)


def _parse_moment(text: str | None) -> int | None:
    try:
        found = clock.parse_moment(text) if text else None
    except (Invalid, OverflowError):
        return None
    return found if found is not None and MOMENT_MIN <= found <= MOMENT_MAX else None


def _split_line_end(text: str, eol: str) -> tuple[str, str]:
    end = next((end for end in dict.fromkeys((eol, "\n")) if text.endswith(end)), "")
    return (text[: len(text) - len(end)], end)
