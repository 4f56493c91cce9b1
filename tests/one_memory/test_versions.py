"""Every tool that replaces a text can say which version was read, so that no stale writer replaces
what is newer.
"""

from typing import Any

import pytest

from commonplace import ids
from commonplace.engine.engine import Engine
from commonplace.records.memory import Draft, Edit
from tests.dialects.dialect_client import Client
from tests.one_memory.dialect_clients import Row, rows

REPLACING = rows("revise")


def replaced(client: Client, row: Row, number: int, words: str, expected: int) -> dict[str, Any]:
    given = row.arguments("x", words=words, form=ids.uuid_form(number)) | {
        "expected_version": expected
    }
    return client.result(row.tool.name, **given)


def says_version(shown: object, version: int) -> bool:
    """Whether somewhere in an answer the number of a version stands."""
    if isinstance(shown, dict):
        return shown.get("version") == version or any(
            says_version(one, version) for one in shown.values()
        )
    return isinstance(shown, list) and any(says_version(one, version) for one in shown)


def test_the_tools_that_replace_a_text_are_known() -> None:
    assert {str(row) for row in REPLACING} == {
        "commonplace.revise",
        "memories.edit_memory",
        "memstate.memstate_set",
        "powermem.update_memory",
        "hindsight.update_memory",
        "mem0.update_memory",
    }


@pytest.mark.parametrize("row", REPLACING, ids=str)
def test_of_two_writers_who_read_the_same_version_the_second_is_refused_and_told_what_to_do(
    engine: Engine, clients: dict[str, Client], row: Row
) -> None:
    memory = engine.remember("default", Draft("The oil is in the shed.")).memory
    client = clients[row.dialect]

    first = replaced(client, row, memory.id, "The oil is in the barn.", 1)
    second = replaced(client, row, memory.id, "The oil is in the attic.", 1)

    assert not first.get("isError"), first
    told = str(second)
    assert "version 2, not 1" in told
    assert "Read it again" in told
    assert engine.get("default", memory.id).text == "The oil is in the barn."
    assert len(engine.history("default", memory.id)) == 2
    # After reading it again the change goes through.
    assert not replaced(client, row, memory.id, "The oil is in the attic.", 2).get("isError")
    assert engine.get("default", memory.id).text == "The oil is in the attic."


@pytest.mark.parametrize("row", REPLACING, ids=str)
def test_a_stale_writer_is_refused_also_when_it_repeats_what_is_there(
    engine: Engine, clients: dict[str, Client], row: Row
) -> None:
    memory = engine.remember("default", Draft("The oil is in the shed.")).memory
    engine.revise("default", memory.id, Edit(text="The oil is in the barn."))
    assert "version 2, not 1" in str(
        replaced(clients[row.dialect], row, memory.id, "The oil is in the barn.", 1)
    )


@pytest.mark.parametrize("row", rows("revise"), ids=str)
def test_a_reader_is_shown_the_version_to_name(
    engine: Engine, clients: dict[str, Client], row: Row
) -> None:
    memory = engine.remember("default", Draft("The oil is in the shed.")).memory
    engine.revise("default", memory.id, Edit(text="The oil is in the barn."))
    readers = [one for one in rows("fetch", "find") if one.dialect == row.dialect]
    client = clients[row.dialect]
    shown = [
        client.result(
            one.tool.name,
            **one.arguments("x", words="Where is the oil?", form=ids.uuid_form(memory.id)),
        )
        for one in readers
    ]
    assert any(
        says_version(one.get("structuredContent"), 2) or '"version":2' in str(one) for one in shown
    ), shown


def test_a_new_keypath_is_made_only_where_there_is_none(clients: dict[str, Client]) -> None:
    memstate = clients["memstate"]
    given = {"project_id": "shop", "keypath": "db.port"}
    missing = memstate.result("memstate_set", **given, value="5432", expected_version=3)
    assert missing["isError"]
    assert "no version 3" in str(missing)
    assert not memstate.result("memstate_set", **given, value="5432", expected_version=0).get(
        "isError"
    )
    again = memstate.result("memstate_set", **given, value="5433", expected_version=0)
    assert "version 1, not 0" in str(again)
