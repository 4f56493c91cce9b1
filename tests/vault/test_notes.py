"""A note read from its file equals the note that was written, and other content of the file
stays.
"""

import string
import time
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.clock import MOMENT_MAX, parse_moment
from commonplace.errors import Invalid
from commonplace.ids import ID_MAX
from commonplace.vault.note_format import frontmatter
from commonplace.vault.note_format.frontmatter import Note
from tests.vault.hostile_texts import BODIES, TITLES

MOMENTS = st.integers(0, MOMENT_MAX - 1)
BODY = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
LINE = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029\x85"),
    min_size=1,
)
LABEL = LINE.map(str.strip).filter(bool)
NOTES = st.builds(
    Note,
    title=LINE.filter(str.strip),
    body=BODY,
    id=st.integers(1, ID_MAX),
    created_at=MOMENTS,
    updated_at=MOMENTS,
    tags=st.lists(LABEL, max_size=4, unique=True).map(tuple),
)


def _deleted(note: Note, at: int) -> Note:
    return Note(
        note.title, note.body, note.id, True, note.created_at, note.updated_at, at, note.tags
    )


DELETED = st.builds(_deleted, NOTES, MOMENTS)


def parsed(data: bytes) -> Note:
    return frontmatter.parse_note(frontmatter.split_file(data), "stem")


@given(NOTES | DELETED)
def test_what_is_rendered_is_read_again_exactly(note: Note) -> None:
    assert parsed(frontmatter.render_note(note)) == note


@given(
    st.binary()
    | BODY.map(str.encode)
    | BODY.map(lambda body: f"---\ntitle: x\nmore: y\n---\n{body}".encode())
)
def test_a_file_taken_apart_and_put_together_is_the_same_file(data: bytes) -> None:
    try:
        page = frontmatter.split_file(data)
    except Invalid:
        return
    assert page.data == data


@given(NOTES, BODY, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\ufeff"]))
def test_unknown_content_survives_every_change(note: Note, body: str, eol: str, bom: str) -> None:
    head = [
        "# a comment",
        "zebra: [1, {a: 2}]",
        "title: before # why",
        "aliases:",
        "  - one",
        "  # inside",
        "  - two",
        "",
        "status: active",
        "custom: >-",
        "  folded",
        "  text",
    ]
    lead = bom + eol.join(["---", *head, "---", "", ""])
    data = (lead + body).encode()
    page = frontmatter.split_file(data)
    before = frontmatter.parse_note(page, "stem")
    after = Note(
        note.title,
        before.body,
        note.id,
        True,
        note.created_at,
        note.updated_at,
        note.updated_at,
        note.tags,
    )
    after = replace(after, aliases=before.aliases)
    changed = frontmatter.update_fields(page, before, after)
    text = changed.decode()
    assert text.startswith(bom + "---" + eol)
    for line in (line for line in head if not line.startswith(("title", "status"))):
        assert eol + line + eol in text
    assert " # why" + eol in text
    assert changed.endswith((eol + eol + body).encode())
    assert text.count("zebra") >= 1
    assert text.index("zebra:") < text.index("aliases:") < text.index("custom:")
    assert parsed(changed) == after


@pytest.mark.parametrize("title", TITLES)
def test_titles_of_the_torture_list_come_back(title: str) -> None:
    assert (
        parsed(frontmatter.render_note(Note(title, "b", 1, created_at=0, updated_at=0))).title
        == title
    )


@pytest.mark.parametrize("body", BODIES, ids=lambda body: repr(body[:12]))
def test_bodies_of_the_torture_list_come_back(body: str) -> None:
    assert (
        parsed(frontmatter.render_note(Note("t", body, 1, created_at=0, updated_at=0))).body == body
    )


@given(BODY.filter(lambda body: not body.startswith("---")))
def test_a_file_without_frontmatter_gets_one_and_keeps_its_text(body: str) -> None:
    page = frontmatter.split_file(body.encode())
    before = frontmatter.parse_note(page, "stem")
    changed = frontmatter.update_fields(
        page, before, Note(before.title, before.body, 5, created_at=1, updated_at=1)
    )
    assert changed.endswith(body.removeprefix("\ufeff").encode())
    assert parsed(changed).id == 5
    assert parsed(changed).body == before.body


def test_people_write_yaml_in_many_ways() -> None:
    text = (
        "---\r\ntitle: 'It''s'\r\ntags:\r\n  - a\r\n  - \"b, c\"\r\n- d\r\nphases: [work,"
        " 'review']\r\nstatus: Deleted\r\ncreated_at: 2026-01-02\r\nid:"
        " somebody-elses\r\n---\r\nBody\r\n"
    )
    note = parsed(text.encode())
    assert (note.title, note.tags, note.phases) == ("It's", ("a", "b, c", "d"), ("work", "review"))
    assert note.deleted
    assert note.id is None
    assert note.body == "Body"
    assert note.created_at == 1_767_312_000_000
    page = frontmatter.split_file(text.encode())
    changed = frontmatter.update_fields(
        page, note, Note(note.title, note.body, 7, created_at=note.created_at, tags=note.tags)
    )
    assert b"id: somebody-elses\r\n" in changed
    assert b"status: active\r\n" in changed


@pytest.mark.parametrize(
    "key", ["dc:title", '"my: key"', "'a:b'", "http://a.example/x", "🎉", "two words"]
)
def test_any_key_that_yaml_knows_stays_in_the_file(key: str) -> None:
    data = f"---\n{key}: of no concern\ntitle: Known\n---\nBody\n".encode()
    note = parsed(data)
    assert (note.title, note.body) == ("Known", "Body")
    changed = frontmatter.update_fields(
        frontmatter.split_file(data), note, replace(note, title="Other")
    )
    assert changed.startswith(f"---\n{key}: of no concern\ntitle: Other\n".encode())


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Heading\n\ntext", "Heading"),
        ("no heading", "stem"),
        ("---\n\n# Under a rule\n\n---\ntext", "Under a rule"),
        ("---\ntags: x\n---\n## second\n# First #\n", "First"),
        ("# C#\r\ntext", "C#"),
        ("---\ntitle: |\n  block\n  title\n---\n", "block title"),
        ('---\ntitle: "esc\\u00e9 \\x41"\n---\n', "escé A"),
    ],
)
def test_a_title_comes_from_the_frontmatter_the_heading_or_the_name(text: str, title: str) -> None:
    assert parsed(text.encode()).title == title


@pytest.mark.parametrize(
    "text",
    ["# a{}b", "---\na{}b\n---\nx", "---\ntags: [a{}[b]]\n---\nx", "---\ntags: ['a'{}[b]]\n---\nx"],
)
def test_many_blanks_take_no_time(text: str) -> None:
    started = time.process_time()
    with suppress(Invalid):
        parsed(text.format(" " * 50_000).encode())
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    "text",
    [
        "---\ntitle: never closed\nx",
        "---\n{title: all on, tags: [one line]}\n---\nx",
        "nul\0",
    ],
)
def test_a_broken_file_is_refused_in_words(text: str) -> None:
    with pytest.raises(Invalid) as caught:
        parsed(text.encode())
    assert caught.value.hint


def test_a_file_that_is_not_utf_8_is_refused_in_words() -> None:
    with pytest.raises(Invalid, match="UTF-8"):
        parsed(b"\xff\xfe" + string.ascii_letters.encode())


@pytest.mark.parametrize(
    ("head", "fault"),
    [
        ("title: [unclosed", "Line 2: A value in the frontmatter is not a plain string."),
        ('title: "unclosed', "Line 2: A quoted string in the frontmatter is not closed."),
        ("tags: [a, b", "Line 2: A list in the frontmatter is not closed."),
        ("tags:\n  - a\n  b", "Line 2: A list in the frontmatter has a line that is not an item."),
        ("title: a\ntitle: b", "Line 3: The frontmatter has title already."),
        ("  - nobody's\nmood: fine", "Line 2: It belongs to no key of the frontmatter."),
        ("mood: fine\nwhat is this\n  - of it", "Line 3: It is not YAML."),
        ("title: {{title}}", "Line 2: A value in the frontmatter is not a plain string."),
    ],
)
def test_a_broken_line_of_the_frontmatter_is_named_and_hides_nothing_else(
    head: str, fault: str
) -> None:
    data = f"---\n{head}\ncreated: 2024-05-06\n---\nThe text.\n".encode()
    note = parsed(data)
    assert (note.body, note.created_at) == ("The text.", parse_moment("2024-05-06"))
    assert note.fault == f"{fault} The rest of the note is read."
    changed = frontmatter.update_fields(
        frontmatter.split_file(data), note, replace(note, title="New", tags=("x",), body="Changed.")
    ).decode()
    assert all(line in changed for line in head.splitlines() if "already" not in fault)
    assert changed.endswith("---\nChanged.\n")


@pytest.mark.parametrize("text", ["---\njust words\n---\nx", "---\n- a list\n- of things\n---\nx"])
def test_words_between_two_rules_are_text_and_no_frontmatter(text: str) -> None:
    assert parsed(text.encode()).body == text
    assert parsed(text.encode()).fault == ""


@pytest.mark.parametrize(
    ("head", "created", "updated"),
    [
        ("created: 2024-05-06\nmodified: 2024-06-07T08:09", "2024-05-06", "2024-06-07T08:09"),
        ("date: 2024-05-06 10:30\nupdated: 2024-06-07", "2024-05-06T10:30", "2024-06-07"),
        ("date: 2023-01-01\ncreated_at: 2024-05-06", "2024-05-06", None),
        ("updated_at: 2024-05-06\nmodified: 2024-06-07", None, "2024-06-07"),
        ("created: last spring\ndate: 2024-05-06", "2024-05-06", None),
    ],
)
def test_the_dates_that_people_and_plug_ins_write_are_read(
    head: str, created: str | None, updated: str | None
) -> None:
    note = parsed(f"---\n{head}\n---\nx".encode())
    assert note.created_at == (parse_moment(created) if created else None)
    assert note.updated_at == (parse_moment(updated) if updated else None)


def test_tags_of_the_text_come_after_those_of_the_frontmatter_and_once() -> None:
    note = parsed(
        b"---\ntags: [Garden]\n---\nWater the #garden and the #lawn/front, #12 first. #Lawn/front\n"
    )
    assert note.tags == ("Garden",)
    assert frontmatter.all_tags(note) == ("Garden", "lawn/front")
    # Writing the note back changes nothing in it.
    assert (
        parsed(
            frontmatter.update_fields(
                frontmatter.split_file(b"a #tag\n"), parsed(b"a #tag\n"), parsed(b"a #tag\n")
            )
        ).tags
        == ()
    )
