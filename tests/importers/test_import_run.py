"""Rules for every source: no duplicates, no partial imports, no changes in a dry run."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from commonplace.app import open_engine
from commonplace.dialects.dialect import Dialect
from commonplace.dialects.hindsight import DIALECT as HINDSIGHT
from commonplace.dialects.memories import DIALECT as MEMORIES
from commonplace.dialects.memstate import DIALECT as MEMSTATE
from commonplace.dialects.powermem import DIALECT as POWERMEM
from commonplace.engine.engine import Engine
from commonplace.importers import detection
from commonplace.importers.base import ImportContext
from commonplace.importers.runner import ImportOptions, import_source
from commonplace.records.memory import Draft, Memory, Origin
from commonplace.records.query import Filter
from commonplace.settings import load
from tests.dialects.dialect_client import Client
from tests.importers import files
from tests.importers.conftest import Bring

Known = Callable[..., list[Memory]]


def graph(path: Path, count: int) -> Path:
    lines = (
        json.dumps(
            {
                "type": "entity",
                "name": f"Entity {n}",
                "entityType": "t",
                "observations": [f"has number {n}"],
            }
        )
        for n in range(count)
    )
    return files.written(path, "\n".join(lines))


def test_a_dry_run_tells_what_a_run_then_does_and_changes_nothing(
    tmp_path: Path, engine: Engine, brought: Bring
) -> None:
    path = graph(tmp_path / "memory.jsonl", 450)

    told = brought(path, dry_run=True)
    assert engine.list_banks() == ()
    done = brought(path)

    assert (told.added, len(told.samples)) == (450, 5)
    assert done.added == 450
    assert brought(path, dry_run=True).unchanged == 450


@pytest.mark.kills
def test_a_run_that_is_killed_half_way_is_finished_by_the_next_one(
    tmp_path: Path, home: Path
) -> None:
    path = graph(tmp_path / "memory.jsonl", 4_000)
    command = [sys.executable, "-m", "commonplace", "--home", str(home), "import", str(path)]
    first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    engine = open_engine(load({"COMMONPLACE_HOME": str(home)}))
    try:
        while engine.count("default") < 400 and first.poll() is None:
            time.sleep(0.01)
        first.send_signal(signal.SIGKILL)
        first.wait()
        before = engine.count("default")
        place = ImportContext(path, engine.clock.now(), lambda done, total: None)

        report = import_source(
            engine, detection.source_by_name("graph"), place, ImportOptions("default"), Origin()
        )

        assert 0 < before < 4_000
        assert (report.added, report.unchanged) == (4_000 - before, before)
        assert engine.count("default") == 4_000
    finally:
        engine.db.close()


def test_two_runs_at_once_take_everything_once(tmp_path: Path, home: Path, engine: Engine) -> None:
    path = graph(tmp_path / "memory.jsonl", 600)

    def run() -> int:
        own = open_engine(load({"COMMONPLACE_HOME": str(home)}))
        try:
            place = ImportContext(path, own.clock.now(), lambda done, total: None)
            return import_source(
                own, detection.source_by_name("graph"), place, ImportOptions("default"), Origin()
            ).added
        finally:
            own.db.close()

    with ThreadPoolExecutor(2) as pool:
        added = [future.result() for future in [pool.submit(run), pool.submit(run)]]

    assert (sum(added), engine.count("default")) == (600, 600)


def test_the_note_of_what_was_taken_goes_with_an_archive(
    tmp_path: Path, engine: Engine, brought: Bring
) -> None:
    path = graph(tmp_path / "memory.jsonl", 3)
    brought(path)
    engine.export_to(tmp_path / "archive.jsonl")
    other = open_engine(load({"COMMONPLACE_HOME": str(tmp_path / "other")}))
    try:
        other.import_from(tmp_path / "archive.jsonl")
        place = ImportContext(path, other.clock.now(), lambda done, total: None)

        report = import_source(
            other, detection.source_by_name("graph"), place, ImportOptions("default"), Origin()
        )

        assert (report.added, report.unchanged) == (0, 3)
    finally:
        other.db.close()


def test_two_banks_have_what_is_brought_to_each(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    path = graph(tmp_path / "memory.jsonl", 2)

    brought(path, bank="one")
    brought(path, bank="two")

    assert (len(known("one")), len(known("two")), known("default")) == (2, 2, [])


def test_a_project_is_given_to_what_names_none(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    project = {"scope": "project", "project_id": "github.com/acme/app"}
    rows = ({"id": "a", "content": "Global"}, {"id": "b", "content": "Local"} | project)
    files.memories_sh(tmp_path / "local.db", *rows).close()

    brought(tmp_path / "local.db", project="mine")

    assert [(one.text, one.scope.project) for one in known()] == [
        ("Global", "mine"),
        ("Local", "github.com/acme/app"),
    ]


def test_one_thing_that_stands_twice_in_a_source_is_taken_once(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    item = {"id": "u-1", "memory": "Likes tea"}

    report = brought(files.written(tmp_path / "mem0.json", [item, item]))

    assert (report.added, dict(report.skipped), len(known())) == (
        1,
        {"a duplicate in the source": 1},
        1,
    )


def test_what_no_memory_may_be_is_named_and_the_rest_is_taken(
    tmp_path: Path, brought: Bring, known: Known
) -> None:
    items = [
        {"id": "1", "memory": "x" * 1_000_001},
        {"id": "2", "memory": "half a character \ud800"},
        {"id": "3", "memory": "a NUL \x00 in it"},
        {"id": "4\ud800", "memory": "an id with half a character"},
        {"id": "5", "memory": "fine", "user_id": "u" * 300},
        {"id": "6", "memory": "good", "metadata": {"deep": [[[{}]]]}, "created_at": "9999-99-99"},
        ["not an object"],
    ]

    report = brought(files.written(tmp_path / "mem0.json", json.dumps(items)))

    assert [one.text for one in known()] == ["good"]
    assert [one.location for one in report.broken] == [
        f"item {number}" for number in (7, 1, 2, 3, 4, 5)
    ]
    assert brought(tmp_path / "mem0.json").added == 0


def test_a_time_to_come_is_now(
    tmp_path: Path, engine: Engine, brought: Bring, known: Known
) -> None:
    brought(
        files.written(
            tmp_path / "mem0.json",
            [{"id": "1", "memory": "x y", "created_at": "2199-01-01T00:00:00Z"}],
        )
    )

    assert [one.created_at for one in known()] == [engine.clock.now()]


@pytest.mark.parametrize(
    ("dialect", "tool", "arguments"),
    [
        (MEMORIES, "search_memories", {"query": "harbour crane"}),
        (MEMSTATE, "memstate_search", {"query": "harbour crane"}),
        (POWERMEM, "search_memories", {"query": "harbour crane"}),
        (HINDSIGHT, "recall", {"query": "harbour crane", "bank_id": "default"}),
    ],
)
def test_what_was_brought_is_found_in_every_tongue(
    tmp_path: Path,
    engine: Engine,
    brought: Bring,
    dialect: Dialect,
    tool: str,
    arguments: dict[str, str],
) -> None:
    talk = files.claude(
        "c-1", "Harbour", ("human", "The harbour crane needs oil in May, please remember.")
    )
    brought(files.written(tmp_path / "conversations.json", [talk]))

    answer = Client(engine, dialect).result(tool, **arguments)

    assert not answer.get("isError"), answer
    assert "crane needs oil in May" in json.dumps(answer)


def test_a_source_says_who_brought_it_and_how(
    tmp_path: Path, engine: Engine, brought: Bring, known: Known
) -> None:
    brought(graph(tmp_path / "memory.jsonl", 1))

    (version,) = engine.history("default", known()[0].id)
    assert version.origin.dialect == "import"


def test_a_key_that_two_sources_claim_belongs_to_one_memory(
    tmp_path: Path, engine: Engine, brought: Bring, known: Known
) -> None:
    engine.remember("default", Draft("The same words.", key="a.b"))
    row = {"keypath": "a.b", "content": "The same words.", "id": "u"}

    report = brought(files.written(tmp_path / "memstate.json", [row]))

    assert (report.unchanged, engine.count("default", Filter(status="any"))) == (1, 1)
    assert len(known()) == 1


def test_a_large_export_is_read_in_little_memory(tmp_path: Path, home: Path) -> None:
    talks = [
        files.chatgpt(f"c-{n}", "Long", ("user", "Where is it? " * 20), ("assistant", "word " * 40))
        for n in range(300)
    ]
    talks[0]["junk"] = "x" * 20_000_000
    path = files.written(tmp_path / "conversations.json", talks)
    # Not from getrusage, which starts with what the parent had: here a test process that has run
    # for minutes.
    script = (
        "import sys; from commonplace.faces.cli import main; code = main(sys.argv[1:]); most ="
        " [line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')];"
        " sys.stderr.write(most[0]); sys.exit(code)"
    )
    command = [
        sys.executable,
        "-c",
        script,
        "--home",
        str(home),
        "import",
        str(path),
        "--dry-run",
        "--json",
    ]

    done = subprocess.run(
        command, capture_output=True, check=True, env=os.environ | {"COMMONPLACE_HOME": str(home)}
    )

    assert json.loads(done.stdout)["added"] == 600
    assert int(done.stderr) < 300_000


def test_where_all_is_broken_the_report_says_why(tmp_path: Path, brought: Bring) -> None:
    (tmp_path / "v").mkdir()
    (tmp_path / "v" / "a.md").write_bytes(b"\xff\xfe")

    assert [(one.location, one.reason) for one in brought(tmp_path / "v").broken] == [
        ("a.md", "it is not UTF-8")
    ]
