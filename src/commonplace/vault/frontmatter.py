"""A note as text: markdown with frontmatter. Only our own keys are ever changed; every other byte
stays as it is.
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
from commonplace.vault import frontmatter_yaml
from commonplace.vault.markdown import text_tags

FIELDS = ("id", "title", "status", "created_at", "updated_at", "tags", "deleted_at")
# Names that people and plug-ins of Obsidian use for the same, read where our own is not there, and
# never written.
_CREATED = ("created_at", "created", "date")
_UPDATED = ("updated_at", "updated", "modified")
_LISTS = ("tags", "phases", "aliases")
_READ = (*FIELDS, "phases", "aliases", *_CREATED[1:], *_UPDATED[1:])
_ALIASES_MAX, _ALIAS_CHARS_MAX = 50, 100
_FAULTS_SHOWN = 2
# A colon ends a key only before a blank. A brace or a bracket begins a whole map on one line, below
# which no line of ours can be put.
_KEY = re.compile(
    r"""("(?:[^"\\]|\\.)*"\s*|'(?:[^']|'')*'\s*|[^\s:#\-\[\]{}"'](?:[^:]|:(?!\s|$))*?):(?=\s|$)(.*)""",
    re.DOTALL,
)
_HEADING = re.compile(r"^#[ \t]+(?=\S)(.+)$", re.MULTILINE)
# Signs at the end of a heading belong to it only where no blank is before them.
_CLOSING = re.compile(r"(?<=[ \t])#+$")
_BOM = "\ufeff"
_Span: TypeAlias = tuple[int, int]
# The number of a line, and what is wrong with it.
Fault: TypeAlias = tuple[int, str]


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
    # Those of the frontmatter; `all_tags` has those of the text as well.
    tags: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    # What is wrong with the frontmatter, and which of our keys cannot be read for it; their lines
    # stay as they are.
    faults: tuple[Fault, ...] = ()
    unread: frozenset[str] = frozenset()

    @property
    def fault(self) -> str:
        """What is wrong with the frontmatter, for people; "" where nothing is."""
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
class Page:
    """A file taken apart; put together again it is the same file."""

    bom: str
    # The lines between the fences, with their ends; None where there is no frontmatter.
    head: tuple[str, ...] | None
    fences: tuple[str, str]
    # The blank line after the frontmatter, and the end of the last line: neither belongs to the
    # body.
    lead: str
    body: str
    tail: str
    eol: str
    spans: Mapping[str, _Span] = field(default_factory=dict[str, _Span])
    # Lines of the frontmatter that cannot be read.
    faults: tuple[Fault, ...] = ()

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
        raise Invalid("It contains a NUL character.", hint="Remove it.")
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
    spans, faults = _spans(head)
    return Page(bom, head, (lines[0], lines[close]), lead, body, tail, eol, spans, faults)


def read(page: Page, stem: str) -> Note:
    """What a file says; a note without a title has that of its first heading, or its file's name.

    A key whose value cannot be read is left out, and named among what is wrong with the note.
    """
    plain: dict[str, str | None] = {}
    listed: dict[str, tuple[str, ...]] = {}
    faults, unread = list(page.faults), set[str]()
    for name, span in page.spans.items():
        try:
            if name in _LISTS:
                listed[name] = frontmatter_yaml.texts(_values(page, span))
            else:
                plain[name] = frontmatter_yaml.scalar(_values(page, span))
        except Invalid as error:
            faults.append((span[0] + 2, error.message))
            unread.add(name)
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
        created_at=next(_moments(plain, _CREATED), None),
        updated_at=max(_moments(plain, _UPDATED), default=None),
        deleted_at=_moment(plain.get("deleted_at")),
        tags=listed.get("tags", ()),
        phases=listed.get("phases", ()),
        aliases=tuple(
            alias[:_ALIAS_CHARS_MAX] for alias in listed.get("aliases", ())[:_ALIASES_MAX]
        ),
        faults=tuple(faults),
        unread=frozenset(unread),
    )


def all_tags(note: Note) -> tuple[str, ...]:
    """The tags of the frontmatter, and after them those that only the text has."""
    return (*note.tags, *text_only_tags(note))


def text_only_tags(note: Note) -> tuple[str, ...]:
    """The tags in the text that the frontmatter does not have, as many as a memory takes."""
    written = {tag.strip().casefold() for tag in note.tags}
    room = max(0, TAGS_MAX - len(note.tags))
    return tuple(tag for tag in text_tags(note.body) if tag.casefold() not in written)[:room]


def render(note: Note) -> bytes:
    """A new file."""
    blank = Page("", (), ("---\n", "---\n"), "\n", note.body, "\n", "\n")
    return change(blank, Note("", note.body), note)


def change(page: Page, before: Note, after: Note) -> bytes:
    """The file with what differs written into it, key by key; a file without frontmatter gets
    one.
    """
    if page.head is None:
        # A blank line of its own, so that one at the start of the body stays the body's.
        page = replace(page, head=(), fences=("---" + page.eol, "---" + page.eol), lead=page.eol)
    elif not page.fences[1].endswith("\n"):
        page = replace(page, fences=(page.fences[0], page.fences[1] + page.eol))
    lines = list(page.head or ())
    spans = dict(page.spans)
    foreign = "id" in spans and before.id is None
    for name, text in _written(after).items():
        if name in before.unread:
            continue  # Its line is for a person to mend.
        known = name in spans
        if (name == "id" and foreign) or (
            known and text is not None and _same(name, before, after)
        ):
            continue
        fresh = (
            [] if text is None else [f"{name}: {text}{_comment(lines, spans.get(name))}{page.eol}"]
        )
        start, end = spans.get(name, (len(lines), len(lines)))
        lines[start:end] = fresh
        grown = len(fresh) - (end - start)
        spans = {
            key: (a + grown, b + grown) if a >= end and key != name else (a, b)
            for key, (a, b) in spans.items()
        }
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
        "title": frontmatter_yaml.written(note.title),
        "status": "deleted" if note.deleted else "active",
        **{name: clock.iso(at) if at is not None else None for name, at in times.items()},
        "tags": frontmatter_yaml.written_list(note.tags),
        "deleted_at": clock.iso(note.deleted_at)
        if note.deleted and note.deleted_at is not None
        else None,
    }


def _same(name: str, before: Note, after: Note) -> bool:
    attribute = "deleted" if name == "status" else name
    return getattr(before, attribute) == getattr(after, attribute)


def _comment(lines: list[str], span: _Span | None) -> str:
    if span is None or span[0] == span[1]:
        return ""
    found = _KEY.match(lines[span[0]])
    return frontmatter_yaml.comment(found[2]) if found else ""


def _closing(lines: list[str]) -> int | None:
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
    said = [line for line in lines[1:close] if line.strip() and not line.lstrip().startswith("#")]
    # Between two rules across the page stand words; frontmatter has a key, or nothing at all.
    is_head = any(_KEY.match(line) for line in said) if said else bool(lines[1].strip())
    if said and not is_head and re.match(r"\{(?!\{)", said[0]):
        raise Invalid(
            "Its frontmatter is a map on one line.", hint="Put each key on a line of its own."
        )
    return close if is_head else None


def _spans(head: tuple[str, ...]) -> tuple[dict[str, _Span], tuple[Fault, ...]]:
    """Where the keys are that we read, and what cannot be read."""
    found: dict[str, _Span] = {}
    faults: list[Fault] = []
    name: str | None = None  # "" below a line that cannot be read.
    for place, line in enumerate(head):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line[0] in " \t]}" or re.match(r"-(?:\s|$)", line):
            if name is not None and name in found:
                found[name] = (found[name][0], place + 1)
            elif name is None:
                faults.append((place + 2, "It belongs to no key of the frontmatter."))
            continue
        key = _KEY.match(line)
        if key is None:
            faults.append((place + 2, "It is not YAML."))
            name = ""
            continue
        named = key[1].strip().strip("\"'")
        if named in found and named in _READ:
            faults.append((place + 2, f"The frontmatter has {named} already."))
            name = ""
        else:
            found[named] = (place, place + 1)
            name = named
    return {name: span for name, span in found.items() if name in _READ}, tuple(faults)


def _values(page: Page, span: _Span) -> list[str]:
    lines = list(page.head or ())[span[0] : span[1]]
    found = _KEY.match(lines[0])
    return [found[2] if found else "", *lines[1:]]


def _heading(body: str) -> str:
    found = _HEADING.search(body)
    return _CLOSING.sub("", found[1].rstrip()).rstrip() if found else ""


def _moments(plain: Mapping[str, str | None], keys: tuple[str, ...]) -> Iterator[int]:
    found = (_moment(plain.get(key)) for key in keys)
    return (moment for moment in found if moment is not None)


def _moment(text: str | None) -> int | None:
    try:
        found = clock.moment(text) if text else None
    except (Invalid, OverflowError):
        return None
    return found if found is not None and MOMENT_MIN <= found <= MOMENT_MAX else None


def _without_end(text: str, eol: str) -> tuple[str, str]:
    end = next((end for end in dict.fromkeys((eol, "\n")) if text.endswith(end)), "")
    return (text[: len(text) - len(end)], end)
