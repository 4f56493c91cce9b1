"""The engine's own tests, with the client in the place of the engine."""

import asyncio
import inspect
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

import commonplace
from commonplace.app import open_engine
from commonplace.errors import Busy, Conflict, Forbidden, Invalid, NotFound
from commonplace.faces.rest.client.client import AsyncClient, Client
from commonplace.faces.rest.table import OPERATIONS
from commonplace.records.memory import Draft, IdempotencyKey
from commonplace.records.query import Query
from commonplace.settings import load
from tests.conftest import StoppedClock
from tests.engine import (
    test_documents,
    test_filters,
    test_memories,
    test_reminders,
    test_sessions,
    test_streams,
)
from tests.rest.in_process import served

MODULES = (
    test_memories,
    test_documents,
    test_filters,
    test_reminders,
    test_sessions,
    test_streams,
)
# What a test needs that is not on the other side of a connection: the database, several processes,
# a verb that takes a function, an empty list in a query.
LOCAL = ("db", "open_engine", "Worker", "once", "second", "subprocess", "timezone", "rebuild")
# Verbs that have no operation.
VERBS = ("document_names", "expire_streams", "purge_where", "put_documents", "set_key", "once")


class Verbs:
    """A module of verbs, which are called on the client instead."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        verb = "list" if name == "list_memories" else name
        if verb in OPERATIONS:
            return lambda client, *args, **kwargs: getattr(client, verb)(*args, **kwargs)
        return getattr(self._module, name)


@pytest.fixture
def engine(home: Path, clock: StoppedClock) -> Iterator[Client]:
    """The client of a server on an empty store."""
    opened = open_engine(load({"COMMONPLACE_HOME": str(home)}), clock)
    with served(opened, "test-key") as url, commonplace.connect(url, key="test-key") as client:
        yield client
    opened.db.close()


def through_client(module: ModuleType) -> Iterator[tuple[str, FunctionType]]:
    """The tests of a module that need only what a client has."""
    changed = {
        name: Verbs(value)
        if inspect.ismodule(value) and value.__name__.startswith("commonplace.engine")
        else value
        for name, value in vars(module).items()
    }
    helpers = {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    }
    local = {name for name, value in helpers.items() if needs(value, LOCAL + VERBS)}
    for name, function in helpers.items():
        copy = FunctionType(
            function.__code__, changed, name, function.__defaults__, function.__closure__
        )
        copy.__dict__.update(function.__dict__)
        copy.__kwdefaults__ = function.__kwdefaults__
        copy.__annotations__ = function.__annotations__
        changed[name] = copy
        if name == "test_sessions_are_listed_by_status_project_and_user":
            continue
        if name.startswith("test_") and not needs(function, tuple(local)) and name not in local:
            yield name, copy


def needs(function: FunctionType, names: tuple[str, ...]) -> bool:
    """Whether a function uses one of some names, or has it as a fixture."""
    inner = [one for one in function.__code__.co_consts if hasattr(one, "co_names")]
    used = {name for code in (function.__code__, *inner) for name in code.co_names}
    return bool(used & set(names)) or bool({*inspect.signature(function).parameters} & set(names))


def test_an_empty_list_is_refused_where_it_would_mean_everything(engine: Client) -> None:
    with pytest.raises(Invalid, match="empty"):
        engine.list_reminders("b", users=())


def test_the_asynchronous_twin_does_the_same(home: Path) -> None:
    async def use(url: str) -> None:
        async with commonplace.connect_async(url) as client:
            drafts = [Draft("Staging listens on port 8080."), Draft("Tea is served at four.")]
            await asyncio.gather(*(client.remember("b", draft) for draft in drafts))
            found = await client.recall("b", Query("which port does staging use?"))
            assert [one.memory.text for one in found.hits] == [drafts[0].text]
            assert await client.count("b") == 2

    opened = open_engine(load({"COMMONPLACE_HOME": str(home)}))
    with served(opened) as url:
        asyncio.run(use(url))
    opened.db.close()


def test_an_archive_goes_out_and_comes_in(home: Path, tmp_path: Path) -> None:
    first = open_engine(load({"COMMONPLACE_HOME": str(home)}))
    second = open_engine(load({"COMMONPLACE_HOME": str(tmp_path / "other")}))
    lines: list[str] = []
    with served(first) as url, commonplace.connect(url) as client:
        number = client.remember("b", Draft("Line one.\n\u2028 🐙")).memory.id
        assert client.export(lines.append, bank="b").counts["memory"] == 1
    with served(second) as url, commonplace.connect(url) as client:
        assert client.import_archive(lines, dry_run=True).added["memory"] == 1
        assert client.count("b") == 0
        assert client.import_archive(lines).added["memory"] == 1
        assert client.get("b", number).text == "Line one.\n\u2028 🐙"
        assert client.purge("b", [number]) == (number,)
        with pytest.raises(NotFound):
            client.get("b", number)
    first.db.close()
    second.db.close()


def test_a_draft_is_stored_once_for_each_key(engine: Client) -> None:
    key = IdempotencyKey("s", "t", "k")
    first = engine.remember_once("b", key, Draft("One."))
    again = engine.remember_once("b", key, Draft("One."))
    assert (first.change, again.change, again.memory) == ("added", "unchanged", first.memory)
    with pytest.raises(Conflict):
        engine.remember_once("b", key, Draft("Two."))


def test_a_server_that_is_not_there_is_busy_and_a_wrong_key_is_forbidden(engine: Client) -> None:
    with pytest.raises(Busy, match="does not answer"):
        commonplace.connect("http://127.0.0.1:9").list_banks()
    with commonplace.connect(engine.url, key="wrong") as other, pytest.raises(Forbidden):
        other.list_banks()
    with pytest.raises(Invalid):
        commonplace.connect("127.0.0.1:8888")


@pytest.mark.parametrize(("operation", "requests"), [("count", 3), ("remember", 1)])
def test_only_what_is_safe_to_repeat_is_repeated(operation: str, requests: int) -> None:
    """A server that takes requests and closes the connection without an answer."""
    taken: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def take() -> None:
            for _ in range(requests):
                connection, _ = listener.accept()
                with connection:
                    taken.append(connection.recv(65536))

        thread = threading.Thread(target=take)
        thread.start()
        client = commonplace.connect(f"http://127.0.0.1:{listener.getsockname()[1]}")
        with pytest.raises(Busy):
            client.count("b") if operation == "count" else client.remember("b", Draft("x"))
        thread.join()
    assert len(taken) == requests


def test_the_client_and_its_twin_have_every_operation() -> None:
    verbs = {name for name, one in OPERATIONS.items() if not one.function}
    assert verbs - set(vars(Client)) == set()
    assert verbs - set(vars(AsyncClient)) == set()


stocked = test_filters.stocked
for _module in MODULES:
    for _name, _test in through_client(_module):
        globals()[f"{_name}__{_module.__name__.rpartition('.')[2]}"] = _test
