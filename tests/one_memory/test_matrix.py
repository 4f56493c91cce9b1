"""What is written through any tool of any dialect is found, read, changed, forgotten and brought
back through the rest.

The cells are made from the dialects' tables: a new tool joins by itself, once its row says what it
does to a memory.
"""

import pytest

from commonplace.dialects import registry
from commonplace.dialects.dialect import MemoryAction
from tests.one_memory.conftest import SharedStore
from tests.one_memory.dialect_clients import FORMS, Row, form_of, new_statement, rows

WRITERS = rows("write")
everybody = pytest.mark.parametrize("reader", registry.NAMES)


def cells(*deeds: MemoryAction) -> pytest.MarkDecorator:
    """Every tool that does one of these, to be tried on what every tool that writes wrote."""
    return pytest.mark.parametrize(
        "reader", [row for row in rows(*deeds) if not row.role.kind], ids=str
    )


writers = pytest.mark.parametrize("writer", WRITERS, ids=str)


@pytest.mark.parametrize("name", registry.NAMES)
def test_every_tool_says_what_it_does_to_a_memory(name: str) -> None:
    tools = registry.find(name).tools.values()
    assert [tool.name for tool in tools if not tool.roles] == []
    for row in (one for one in rows(*MemoryAction.__args__) if one.dialect == name):
        named = {row.role.id, row.role.text} - {""}
        assert named <= {one.name for one in row.tool.parameters}, f"{row} has no such argument"


def test_every_dialect_can_write_and_find() -> None:
    for deed in ("write", "find"):
        assert {row.dialect for row in rows(deed)} == set(registry.NAMES)


@writers
@everybody
def test_what_is_written_is_found_at_once(meeting: SharedStore, writer: Row, reader: str) -> None:
    what = new_statement()
    meeting.writer.write(writer, what)
    project = meeting.memory(what).scope.project
    found = meeting.reader.finds(what, project, reader)
    listed = meeting.reader.lists(what, project, reader)
    assert found | listed == dict.fromkeys(found | listed, True)


@writers
@cells("fetch", "history")
def test_it_is_read_by_every_form_of_its_id(meeting: SharedStore, writer: Row, reader: Row) -> None:
    what = new_statement()
    meeting.writer.write(writer, what)
    memory = meeting.memory(what)
    for form in FORMS:
        for number in (memory.id, memory.version_id):
            assert what.marker in meeting.reader.call(reader, what.cue, form=form(number)), (
                form,
                number,
            )


@writers
@cells("revise")
def test_it_is_changed_there_and_everybody_sees_that(
    meeting: SharedStore, writer: Row, reader: Row
) -> None:
    what = new_statement()
    meeting.writer.write(writer, what)
    before = meeting.memory(what)
    after = what.changed()
    form = form_of(before, WRITERS.index(writer))
    meeting.reader.call(reader, what.cue, words=after.text, form=form, project=before.scope.project)
    memory = meeting.memory(what)
    assert (memory.id, memory.text, memory.version) == (before.id, after.text, 2)
    assert (memory.kind, memory.tags, memory.title, memory.scope) == (
        before.kind,
        before.tags,
        before.title,
        before.scope,
    )
    for speaker in meeting.all_clients:
        found = speaker.finds(after, memory.scope.project, before=what)
        assert found == dict.fromkeys(found, True)
    for row in rows("history"):
        told = meeting.writer.call(row, what.cue, form=form)
        assert what.marker in told
        assert f'"source": "{reader.dialect}"' in told


@writers
@cells("forget")
def test_forgotten_there_it_is_forgotten_everywhere(
    meeting: SharedStore, writer: Row, reader: Row
) -> None:
    what = new_statement()
    meeting.writer.write(writer, what)
    before = meeting.memory(what)
    project = before.scope.project
    form = form_of(before, WRITERS.index(writer) + 1)
    meeting.reader.call(reader, what.cue, form=form, project=project)
    assert meeting.memory(what).forgotten_at is not None
    for speaker in meeting.all_clients:
        seen = speaker.finds(what, project) | speaker.lists(what, project)
        assert seen == dict.fromkeys(seen, False)
    for row in rows("fetch"):
        told = meeting.reader.call(row, what.cue, form=form)
        marked = any(one in told for one in ('"is_deleted": true', '"state":"invalidated"'))
        assert what.marker not in told or marked, row


@writers
@cells("restore")
def test_brought_back_there_it_is_back_everywhere(
    meeting: SharedStore, writer: Row, reader: Row
) -> None:
    what = new_statement()
    meeting.writer.write(writer, what)
    before = meeting.memory(what)
    meeting.engine.forget("default", [before.id])
    # A tool that takes no words brings back what was there.
    after = what.changed() if reader.role.text else what
    form = form_of(before, WRITERS.index(writer) + 2)
    meeting.reader.call(reader, what.cue, words=after.text, form=form, project=before.scope.project)
    memory = meeting.memory(what)
    assert (memory.id, memory.text, memory.forgotten_at) == (before.id, after.text, None)
    found = meeting.writer.finds(after, memory.scope.project)
    assert found == dict.fromkeys(found, True)
