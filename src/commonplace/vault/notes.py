"""A note as text: markdown with frontmatter. Only our own keys are ever changed; every other byte stays as it is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import TypeAlias

from commonplace import clock, ids
from commonplace.clock import MOMENT_MAX, MOMENT_MIN
from commonplace.errors import Invalid
from commonplace.limits import TITLE_CHARS_MAX
from commonplace.vault import yaml_text

FIELDS = ("id", "title", "status", "created_at", "updated_at", "tags", "deleted_at")
_READ = (*FIELDS, "phases")
# A colon ends a key only before a blank. A brace or a bracket begins a whole map on one line, below which no line of
# ours can be put.
_KEY = re.compile(
    r"""("(?:[^"\\]|\\.)*"\s*|'(?:[^']|'')*'\s*|[^\s:#\-\[\]{}"'](?:[^:]|:(?!\s|$))*?):(?=\s|$)(.*)""", re.DOTALL
)
_HEADING = re.compile(r"^#[ \t]+(?=\S)(.+)$", re.MULTILINE)
# Signs at the end of a heading belong to it only where no blank is before them.
_CLOSING = re.compile(r"(?<=[ \t])#+$")
_BOM = "\ufeff"
_Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Note:
    """What a note says."""

    title: str
    body: str
    id: int | None = None
    deleted: bool = False
    created_at: int | None = None
    updated_at: int | None = None
    deleted_at: int | None = None
    tags: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A file taken apart; put together again it is the same file."""

    bom: str
    # The lines between the fences, with their ends; None where there is no frontmatter.
    head: tuple[str, ...] | None
    fences: tuple[str, str]
    # The blank line after the frontmatter, and the end of the last line: neither belongs to the body.
    lead: str
    body: str
    tail: str
    eol: str
    spans: Mapping[str, _Span] = field(default_factory=dict[str, _Span])

    @property
    def data(self) -> bytes:
        """The file's bytes."""
        head = "" if self.head is None else self.fences[0] + "".join(self.head) + self.fences[1]
        return (self.bom + head + self.lead + self.body + self.tail).encode()


def split(data: bytes) -> Page:
    """A file's bytes taken apart. Raises Invalid with what a person should mend."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Invalid("It is not UTF-8.", hint="Save it as UTF-8.") from error
    if "\0" in text:
        raise Invalid("It has a NUL character in it.", hint="Remove it.")
    bom, text = (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    eol = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    close = _closing(lines)
    if close is None:
        body, tail = _without_end(text, eol)
        return Page(bom, None, ("", ""), "", body, tail, eol)
    rest = "".join(lines[close + 1 :])
    lead = next((end for end in (eol, "\n") if rest.startswith(end)), "")
    body, tail = _without_end(rest[len(lead) :], eol)
    head = tuple(lines[1:close])
    return Page(bom, head, (lines[0], lines[close]), lead, body, tail, eol, _spans(head))


def read(page: Page, stem: str) -> Note:
    """What a file says; a note without a title has that of its first heading, or its file's name."""
    values = {name: _values(page, span) for name, span in page.spans.items()}
    plain = {name: yaml_text.scalar(values[name]) for name in values if name not in ("tags", "phases")}
    title = plain.get("title")
    if title is None or not title.strip():
        # A title that a person did not write as one need not be kept to the letter.
        said = re.sub(r"[\x00-\x1f\x7f]", " ", _heading(page.body) or stem)
        title = said.strip()[:TITLE_CHARS_MAX].strip() or "note"
    return Note(
        title=re.sub(r"[\r\n]+", " ", title),
        body=page.body,
        id=own_id(plain.get("id")),
        deleted=(plain.get("status") or "").lower() == "deleted",
        created_at=_moment(plain.get("created_at")),
        updated_at=_moment(plain.get("updated_at")),
        deleted_at=_moment(plain.get("deleted_at")),
        tags=yaml_text.texts(values["tags"]) if "tags" in values else (),
        phases=yaml_text.texts(values["phases"]) if "phases" in values else (),
    )


def render(note: Note) -> bytes:
    """A new file."""
    blank = Page("", (), ("---\n", "---\n"), "\n", note.body, "\n", "\n")
    return change(blank, Note("", note.body), note)


def change(page: Page, before: Note, after: Note) -> bytes:
    """The file with what differs written into it, key by key; a file without frontmatter gets one."""
    if page.head is None:
        # A blank line of its own, so that one at the start of the body stays the body's.
        page = replace(page, head=(), fences=("---" + page.eol, "---" + page.eol), lead=page.eol)
    elif not page.fences[1].endswith("\n"):
        page = replace(page, fences=(page.fences[0], page.fences[1] + page.eol))
    lines = list(page.head or ())
    spans = dict(page.spans)
    foreign = "id" in spans and before.id is None
    for name, text in _written(after).items():
        known = name in spans
        if (name == "id" and foreign) or (known and text is not None and _same(name, before, after)):
            continue
        fresh = [] if text is None else [f"{name}: {text}{_comment(lines, spans.get(name))}{page.eol}"]
        start, end = spans.get(name, (len(lines), len(lines)))
        lines[start:end] = fresh
        grown = len(fresh) - (end - start)
        spans = {key: (a + grown, b + grown) if a >= end and key != name else (a, b) for key, (a, b) in spans.items()}
        spans[name] = (start, start + len(fresh))
    body = page.body if before.body == after.body else after.body
    return replace(page, head=tuple(lines), body=body).data


def text_of(note: Note) -> str:
    """What a note says as a memory, which has to say something."""
    return note.body if note.body.strip() else note.title


def own_id(text: str | None) -> int | None:
    """The id that a file carries, if it is one of ours; somebody else's is left alone."""
    if text is None or not text.startswith("note_"):
        return None
    try:
        return ids.parse(text)
    except Invalid:
        return None


def carried(data: bytes, path: str) -> int | None:
    """The id of ours that a file carries; None where it has none or cannot be read."""
    try:
        return read(split(data), PurePosixPath(path).stem).id
    except Invalid:
        return None


def _written(note: Note) -> dict[str, str | None]:
    times = {name: getattr(note, name) for name in ("created_at", "updated_at")}
    return {
        "id": ids.note(note.id) if note.id is not None else None,
        "title": yaml_text.written(note.title),
        "status": "deleted" if note.deleted else "active",
        **{name: clock.iso(at) if at is not None else None for name, at in times.items()},
        "tags": yaml_text.written_list(note.tags),
        "deleted_at": clock.iso(note.deleted_at) if note.deleted and note.deleted_at is not None else None,
    }


def _same(name: str, before: Note, after: Note) -> bool:
    attribute = "deleted" if name == "status" else name
    return getattr(before, attribute) == getattr(after, attribute)


def _comment(lines: list[str], span: _Span | None) -> str:
    if span is None or span[0] == span[1]:
        return ""
    found = _KEY.match(lines[span[0]])
    return yaml_text.comment(found[2]) if found else ""


def _closing(lines: list[str]) -> int | None:
    if not lines or lines[0].rstrip() != "---":
        return None
    close = next((place for place, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), None)
    if close is not None and not lines[1].strip() and not any(_KEY.match(line) for line in lines[1:close]):
        return None  # A rule across the page, and not the beginning of frontmatter.
    if close is None and len(lines) > 1 and _KEY.match(lines[1]):
        raise Invalid("Its frontmatter is not closed.", hint="Put --- on a line of its own after it.")
    return close


def _spans(head: tuple[str, ...]) -> dict[str, _Span]:
    found: dict[str, _Span] = {}
    name = ""
    for place, line in enumerate(head):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line[0] in " \t]}" or re.match(r"-(?:\s|$)", line):
            if not name:
                raise Invalid(f"Line {place + 2} of it belongs to no key.", hint="Correct the frontmatter.")
            found[name] = (found[name][0], place + 1)
            continue
        key = _KEY.match(line)
        if key is None:
            raise Invalid(f"Line {place + 2} of it is not YAML.", hint="Correct the frontmatter.")
        name = key[1].strip().strip("\"'")
        if name in found and name in _READ:
            raise Invalid(f"It says {name} twice.", hint="Remove one of them.")
        found[name] = (place, place + 1)
    return {name: span for name, span in found.items() if name in _READ}


def _values(page: Page, span: _Span) -> list[str]:
    lines = list(page.head or ())[span[0] : span[1]]
    found = _KEY.match(lines[0])
    return [found[2] if found else "", *lines[1:]]


def _heading(body: str) -> str:
    found = _HEADING.search(body)
    return _CLOSING.sub("", found[1].rstrip()).rstrip() if found else ""


def _moment(text: str | None) -> int | None:
    try:
        found = clock.moment(text) if text else None
    except (Invalid, OverflowError):
        return None
    return found if found is not None and MOMENT_MIN <= found <= MOMENT_MAX else None


def _without_end(text: str, eol: str) -> tuple[str, str]:
    end = next((end for end in dict.fromkeys((eol, "\n")) if text.endswith(end)), "")
    return (text[: len(text) - len(end)], end)
