"""What is erased is in no file of the home any more: tried with every tool that writes and every
way of erasing.

A marker goes through every parameter of every writing tool, and everything that keeps what it was
told tells it again. Then it is erased in one of the ways there are, and the bytes of every file are
searched for it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import commonplace
from commonplace import ids
from commonplace.dialects import registry
from commonplace.engine.engine import Engine
from commonplace.records.memory import Bank, Draft
from commonplace.records.query import Filter
from commonplace.records.receipt import Portion
from tests.erasing.marker_writer import (
    BANK,
    MEMORY,
    REMINDER,
    RUN,
    SESSION,
    STANDING,
    STREAM,
    WORDLESS,
    Mark,
    Writer,
    found,
    memories_with,
    rows,
    told,
    vectors_of,
)
from tests.faces.conftest import Run

OTHER = "elsewhere"
KEPT = "Zebra crossings are striped."
SCOPED = (MEMORY, SESSION, REMINDER, STREAM, RUN)
EVERYTHING = (*SCOPED, STANDING, BANK)


@dataclass(frozen=True, repr=False)
class Way:
    """A way of erasing, what it erases, and whether what it leaves alone must still be there."""

    name: str
    kinds: tuple[str, ...]
    erase: Callable[[Writer, Run], None]
    # Where it takes what belongs to one user or project.
    scope: str = ""
    only: tuple[str, ...] = ()
    # Whether it takes every memory of the bank.
    sweeps: bool = False

    def takes(self, mark: Mark) -> bool:
        spared = mark.is_project and not self.scope and BANK not in self.kinds
        meant = mark.row in (self.only or [mark.row]) and mark.belongs_to(self.scope)
        return mark.kind in self.kinds and meant and not spared

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__


def _by_id(writer: Writer, run: Run) -> None:
    numbers = _marked(writer)
    _done(run("purge", *(ids.short_form(number) for number in numbers), "--yes"))


def _one_by_one(writer: Writer, _run: Run) -> None:
    for number in _marked(writer):
        # What was made of another one went with that.
        if writer.engine.list("default", Filter(ids=(number,), status="any", expired=True)):
            writer.engine.purge("default", [number])


def _forgotten_by(*sweeps: tuple[str, str, Mapping[str, Any]]) -> Callable[[Writer, Run], None]:
    """Hide everything through some tools, and erase what is hidden."""

    def erase(writer: Writer, run: Run) -> None:
        for dialect, tool, given in sweeps:
            writer.ask(dialect, tool, given)
        # What these tools do not reach: other users, other agents.
        writer.engine.forget_where("default", Filter(expired=True))
        if sweeps:
            writer.ask("memories", "vacuum_memories", {})
        _done(run("purge", "--forgotten", "--yes"))

    return erase


def _by_documents(writer: Writer, run: Run) -> None:
    first, *others = writer.engine.document_names("default", _documents(writer.engine)).values()
    _done(run("purge", "--document", first, "--yes"))
    for name in others:
        if writer.engine.find_document("default", name):
            writer.engine.erase("default", Portion(document=name))


def _by_hindsight_documents(writer: Writer, _run: Run) -> None:
    for name in writer.engine.document_names("default", _documents(writer.engine)).values():
        writer.ask("hindsight", "delete_document", {"document_id": name})


def _by_clearing(writer: Writer, run: Run) -> None:
    writer.ask("hindsight", "clear_memories", {})
    # It leaves what other users told.
    for user in sorted({one.scope.user for one in writer.engine.list("default", _ANY)}):
        _done(run("purge", "--user", user, "--yes"))


def _by_sessions(writer: Writer, run: Run) -> None:
    for session in writer.engine.list_sessions("default", limit=1000).items:
        _done(run("purge", "--session", ids.short_form(session.id), "--yes"))


def _by_portion(name: str) -> Callable[[Writer, Run], None]:
    return lambda writer, run: _done(run("purge", f"--{name}", getattr(writer, name), "--yes"))


def _each_bank(*command: str) -> Callable[[Writer, Run], None]:
    def erase(writer: Writer, run: Run) -> None:
        for bank in _banks(writer):
            _done(run(*command, bank.name, "--yes"))

    return erase


def _by_hindsight_banks(writer: Writer, _run: Run) -> None:
    for bank in _banks(writer):
        writer.ask("hindsight", "delete_bank", {"bank_id": bank.name})


def _by_tools(writer: Writer, _run: Run) -> None:
    """Every tool that deletes one thing for good, on every such thing."""
    engine = writer.engine
    for number, user in _select(engine, "select id, user_name from reminders"):
        whose = {"user_id": user} if user else {}
        writer.ask("memories", "delete_reminder", {"id": ids.short_form(number), **whose})
    for (number,) in _select(engine, "select id from streams"):
        writer.ask("memories", "cancel_memory_stream", {"stream_id": ids.short_form(number)})
    for directive in engine.list_directives("default", active_only=False):
        writer.ask("hindsight", "delete_directive", {"directive_id": ids.uuid_form(directive.id)})
    for one in writer.ask("hindsight", "get_knowledge_base_tree", {})["roots"]:
        writer.ask("hindsight", "delete_knowledge_node", {"node_id": one["id"]})
    for model in engine.list_mental_models("default"):
        writer.ask("hindsight", "clear_mental_model", {"mental_model_id": model.name})
        writer.ask("hindsight", "delete_mental_model", {"mental_model_id": model.name})


def _documents(engine: Engine) -> list[int]:
    return [row[0] for row in _select(engine, "select id from documents")]


def _marked(writer: Writer) -> list[int]:
    return memories_with(
        writer.engine, "default", [one.word for one in writer.marks if one.kind == MEMORY]
    )


def _banks(writer: Writer) -> list[Bank]:
    return [one for one in writer.engine.list_banks() if one.name != OTHER]


def _select(engine: Engine, sql: str) -> list[Any]:
    with engine.db.maintenance() as connection:
        return connection.execute(sql).fetchall()


def _done(answer: Any) -> None:
    assert answer.code == 0, answer.err


_ANY = Filter(status="any", expired=True)
_DOCUMENTED = (
    "memstate.memstate_remember",
    "hindsight.retain",
    "hindsight.sync_retain",
    "hindsight.update_memory",
)
_SWEEPS = (
    ("powermem", "delete_all_memories", {}),
    ("memstate", "memstate_delete_project", {"project_id": "p"}),
    ("mem0", "delete_entities", {"app_id": "p"}),
    ("mem0", "delete_all_memories", {"user_id": "*"}),
    ("memories", "bulk_forget_memories", {"all": True}),
)
WAYS = (
    Way("purge ID", (MEMORY,), _by_id),
    Way("Engine.purge, one by one", (MEMORY,), _one_by_one),
    Way("forget, then purge --forgotten", (MEMORY,), _forgotten_by(), sweeps=True),
    Way("sweeps, then vacuum_memories", (MEMORY,), _forgotten_by(*_SWEEPS), sweeps=True),
    Way("purge --user", SCOPED, _by_portion("user"), scope="user"),
    Way("purge --project", SCOPED, _by_portion("project"), scope="project"),
    Way("purge --document", (MEMORY,), _by_documents, only=_DOCUMENTED),
    Way("Hindsight delete_document", (MEMORY,), _by_hindsight_documents, only=_DOCUMENTED),
    Way("Hindsight clear_memories", (MEMORY,), _by_clearing, sweeps=True),
    Way("purge --session", (SESSION,), _by_sessions),
    Way("purge --bank", EVERYTHING, _each_bank("purge", "--bank"), sweeps=True),
    Way("banks delete", EVERYTHING, _each_bank("banks", "delete"), sweeps=True),
    Way("Hindsight delete_bank", EVERYTHING, _by_hindsight_banks, sweeps=True),
    Way("one thing after the other", (REMINDER, STREAM, STANDING), _by_tools),
)


def _cells() -> list[tuple[Way, str]]:
    """Each way with the dialects through which something was written that it takes."""
    takes = {
        (way.name, name): any(way.takes(Mark("", name, tool.name, "")) for tool in rows(name))
        for way in WAYS
        for name in registry.NAMES
    }
    return [(way, name) for way in WAYS for name in registry.NAMES if takes[way.name, name]]


@pytest.fixture
def writer(
    request: pytest.FixtureRequest,
    home: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Writer]:
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("COMMONPLACE_HOME", raising=False)
    engine = commonplace.open(home)
    folders = tmp_path_factory.mktemp("folders")
    yield Writer(engine, folders, **getattr(request, "param", {}))
    engine.db.close()


@pytest.mark.parametrize("dialect", registry.NAMES)
def test_a_marker_can_be_written_through_every_tool_that_writes(
    writer: Writer, home: Path, dialect: str
) -> None:
    writer.write(dialect)
    there = found(home, [mark.word for mark in writer.marks])
    through = {mark.row for mark in writer.marks if mark.word in there}
    assert through | _wordless(dialect) == {f"{dialect}.{tool.name}" for tool in rows(dialect)}
    assert not through & WORDLESS.keys()


@pytest.mark.parametrize(("way", "dialect"), _cells(), ids=str)
def test_what_is_erased_is_in_no_file_of_the_home(
    writer: Writer, home: Path, run: Run, tmp_path: Path, way: Way, dialect: str
) -> None:
    if way.scope:
        setattr(writer, way.scope, writer.word())
    apart, beside = (
        writer.engine.remember(bank, Draft(KEPT)).memory.id for bank in (OTHER, "default")
    )
    writer.write(dialect)
    writer.retell()
    marks = [mark for mark in writer.marks if way.takes(mark)]
    words = [mark.word for mark in marks]
    assert found(home, words)
    vectors = vectors_of(writer.engine, _marked(writer))

    way.erase(writer, run)

    marks += [Mark(getattr(writer, way.scope), "the", "whole", way.scope)] if way.scope else []
    words = [mark.word for mark in marks]
    assert told(writer.engine, found(home, words), marks) == []
    # A memory that stays may say the same.
    gone = set(vectors) - set(vectors_of(writer.engine))
    assert not [
        one
        for one in gone
        if any(one in path.read_bytes() for path in home.rglob("*") if path.is_file())
    ]
    _done(run("export", str(tmp_path / "later.jsonl")))
    assert found(tmp_path, words) == {}
    assert writer.engine.get(OTHER, apart).text == KEPT
    if not way.sweeps:
        assert writer.engine.get("default", beside).text == KEPT


def _wordless(dialect: str) -> set[str]:
    return {name for name in WORDLESS if name.startswith(f"{dialect}.")}
