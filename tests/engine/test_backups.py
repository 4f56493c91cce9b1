import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import apsw
import pytest

from commonplace.engine import recall
from commonplace.engine.engine import Engine
from commonplace.engine.operations import archive, backups, doctor
from commonplace.errors import Busy, CommonplaceError, Conflict, Invalid, NotFound, Unsupported
from commonplace.records.memory import Draft, Edit
from commonplace.records.query import Query
from commonplace.storage import backups as copies
from commonplace.storage import migrations
from commonplace.storage.database import Database
from tests.conftest import StoppedClock
from tests.engine.archives import exported, meddle, open_filled, open_home, peek

# Writes for as long as its standard input is open, and says which ids were acknowledged.
_WRITER = """
import sys, threading
from pathlib import Path
import commonplace
engine = commonplace.open(Path(sys.argv[1]))
stop = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), stop.set()), daemon=True).start()
while not stop.is_set():
    memory = engine.remember("b", commonplace.Draft("x" * 3000)).memory
    try:
        engine.revise("b", memory.id, commonplace.Edit(text="y" * 3000))
        print(memory.id, flush=True)
    except commonplace.NotFound:
        pass  # A restore came between.
engine.db.close()
"""


@pytest.fixture
def full(home: Path, clock: StoppedClock) -> Iterator[Engine]:
    opened = open_filled(home, clock)
    yield opened
    opened.db.close()


def left_behind(folder: Path) -> list[str]:
    return [
        path.name for path in folder.iterdir() if ".part" in path.name or path.name.startswith(".")
    ]


def opened_copy(source: Path, folder: Path, clock: StoppedClock) -> Engine:
    folder.mkdir()
    shutil.copy(source, folder / "commonplace.db")
    return open_home(folder, clock)


def test_a_backup_holds_everything_in_one_private_file(
    full: Engine, tmp_path: Path, clock: StoppedClock
) -> None:
    target = tmp_path / "copy.db"
    heard: list[tuple[int, int | None]] = []
    report = backups.backup(full, target, progress=lambda done, total: heard.append((done, total)))

    assert report == backups.BackupReport("copy.db", target.stat().st_size)
    assert target.stat().st_mode & 0o777 == 0o600
    assert heard[-1][0] == heard[-1][1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy.db", "home"]
    other = opened_copy(target, tmp_path / "other", clock)
    assert exported(other) == exported(full)
    other.db.close()


def test_a_backup_while_another_process_writes_is_whole(
    tmp_path: Path, home: Path, clock: StoppedClock
) -> None:
    engine = open_home(home, clock)
    # More than one step of the copy, so that writes fall between the steps.
    engine.remember_many("b", [Draft("z" * 9000) for _ in range(1200)])
    command = [sys.executable, "-c", _WRITER, str(home)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(5)]
        steps: list[int] = []

        def progress(done: int, total: int | None) -> None:
            steps.append(done)
            assert writer.stdout is not None
            writer.stdout.readline()

        backups.backup(engine, tmp_path / "copy.db", progress=progress)
        writer.stdin.close()
        writer.stdout.read()
        assert writer.wait() == 0
    engine.db.close()

    assert len(steps) > 1
    assert steps == sorted(steps)
    copy = opened_copy(tmp_path / "copy.db", tmp_path / "other", clock)
    assert {memory.text[0] for memory in (copy.get("b", number) for number in acknowledged)} == {
        "y"
    }
    assert [finding for finding in doctor.doctor(copy) if finding.state == "problem"] == []
    copy.db.close()


def test_a_backup_never_overwrites(full: Engine, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("precious")
    for wrong, error in (
        (taken, Conflict),
        (full.db.path, Conflict),
        (tmp_path, Invalid),
        (tmp_path / "no" / "x.db", NotFound),
        (taken / "x.db", NotFound),
        (tmp_path / ("x" * 300), Invalid),
    ):
        with pytest.raises(error) as raised:
            backups.backup(full, wrong)
        assert str(tmp_path) not in raised.value.message
        assert raised.value.hint
    assert taken.read_text() == "precious"
    assert left_behind(tmp_path) == []


def test_a_damaged_store_is_not_passed_off_as_a_backup(full: Engine, tmp_path: Path) -> None:
    meddle(
        full,
        "pragma writable_schema = on",
        "delete from sqlite_schema where name = 'memories_by_age'",
    )
    with pytest.raises(Unsupported):
        backups.backup(full, tmp_path / "copy.db")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home"]


_ON_A_FULL_DISK = """
import resource, signal, sys
from pathlib import Path
import commonplace
engine = commonplace.open(Path(sys.argv[1]))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    getattr(engine, sys.argv[2])(Path(sys.argv[3]))
except commonplace.CommonplaceError as error:
    print(error.kind, error.message, bool(error.hint))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on the size of files")
@pytest.mark.parametrize("verb", ["backup", "export_to", "restore_backup"])
def test_a_full_disk_changes_nothing(full: Engine, tmp_path: Path, verb: str) -> None:
    full.remember_many("home", [Draft("x" * 1000) for _ in range(100)])
    backups.backup(full, tmp_path / "copy.db")
    before, files = exported(full), sorted(path.name for path in tmp_path.rglob("*"))
    target = tmp_path / ("copy.db" if verb == "restore_backup" else "new")
    command = [sys.executable, "-c", _ON_A_FULL_DISK, str(full.db.path.parent), verb, str(target)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert answer.startswith("Busy ")
    assert answer.endswith("True\n")
    assert exported(full) == before
    assert sorted(path.name for path in tmp_path.rglob("*")) == files


def test_a_damaged_store_can_be_restored(
    full: Engine, tmp_path: Path, home: Path, clock: StoppedClock
) -> None:
    before = exported(full)
    backups.backup(full, tmp_path / "copy.db")
    pages = peek(
        full, "select rootpage from sqlite_schema where name in ('counters', 'versions', 'vectors')"
    )
    full.db.close()
    content = bytearray(full.db.path.read_bytes())
    for (page,) in pages:
        content[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    full.db.path.write_bytes(content)

    engine = open_home(home, clock)
    report = backups.restore_backup(engine, tmp_path / "copy.db")
    assert exported(engine) == before
    assert [finding for finding in doctor.doctor(engine) if finding.state == "problem"] == []
    assert (home / report.kept).stat().st_size == len(content)
    engine.db.close()


def test_a_restored_backup_is_seen_by_an_engine_opened_before(
    full: Engine, home: Path, tmp_path: Path
) -> None:
    before = exported(full)
    witness = open_home(home, full.clock)
    assert exported(witness) == before
    backups.backup(full, tmp_path / "copy.db")
    memory = full.remember("home", Draft("Written after the backup.")).memory
    full.create_bank("new")
    after = exported(full)

    report = backups.restore_backup(full, tmp_path / "copy.db")
    assert exported(witness) == exported(full) == before
    with pytest.raises(NotFound):
        witness.get("home", memory.id)
    assert witness.remember("home", Draft("Goes on.")).memory.id > memory.id

    assert report.kept == "commonplace.db.before-restore-1.bak"
    assert (
        backups.restore_backup(witness, home / report.kept).kept
        == "commonplace.db.before-restore-2.bak"
    )
    assert exported(full) == after
    assert (home / report.kept).stat().st_mode & 0o777 == 0o600
    assert left_behind(home) == []
    assert [finding for finding in doctor.doctor(witness) if finding.state == "problem"] == []
    witness.db.close()


def by_meaning(engine: Engine, question: str) -> list[str]:
    """What is found by vectors alone, which each process holds in memory."""
    return [
        hit.memory.text
        for hit in recall.recall(engine, "b", Query(question, limit=10, channels=("vector",))).hits
    ]


def test_every_acknowledged_write_is_in_the_store_or_in_the_copy(
    full: Engine, home: Path, tmp_path: Path
) -> None:
    backups.backup(full, tmp_path / "copy.db")
    command = [sys.executable, "-c", _WRITER, str(home)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(5)]
        kept = backups.restore_backup(full, tmp_path / "copy.db").kept
        acknowledged += [int(writer.stdout.readline()) for _ in range(5)]
        writer.stdin.close()
        acknowledged += [int(line) for line in writer.stdout]
        assert writer.wait() == 0

    finished = "select id from memories where version = 2"
    stored = {number for (number,) in peek(full, finished)}
    with closing(apsw.Connection(str(home / kept))) as copy:
        stored |= {number for (number,) in copy.execute(finished)}
    assert set(acknowledged) <= stored
    assert [finding for finding in doctor.doctor(full) if finding.state == "problem"] == []


def test_nobody_recalls_what_a_restore_took_away(engine: Engine, tmp_path: Path) -> None:
    cat, port, bread = (
        "The cat sleeps on the sofa.",
        "Staging listens on port 8080.",
        "Bread needs flour and water.",
    )
    memories = [
        outcome.memory
        for outcome in engine.remember_many("b", [Draft(cat), Draft(port), Draft(bread)])
    ]
    assert by_meaning(engine, "Where does the cat sleep?") == [cat]
    backups.backup(engine, tmp_path / "copy.db")

    engine.purge("b", [memories[1].id])
    engine.revise("b", memories[2].id, Edit(text="The piano is out of tune."))
    engine.remember_many("b", [Draft(f"The harbour opens at {hour}.") for hour in range(5)])
    assert len(by_meaning(engine, "When does the harbour open?")) == 5

    for hour in range(3):
        backups.restore_backup(engine, tmp_path / "copy.db")
        assert by_meaning(engine, "When does the harbour open?") == []
        assert by_meaning(engine, "On which port does staging listen?") == [port]
        assert by_meaning(engine, "Does bread need flour?") == [bread]
        engine.remember("b", Draft(f"The harbour closes at {hour}."))
        assert by_meaning(engine, "When does the harbour close?") == [
            f"The harbour closes at {hour}."
        ]


def test_restoring_counts_beyond_what_any_process_has_seen(full: Engine, tmp_path: Path) -> None:
    columns = "bank_id, memory_id, version, embedder, live, vector"
    meddle(
        full, f"insert into vectors ({columns}) select bank_id, id, 1, 'e', 1, x'00' from memories"
    )
    backups.backup(full, tmp_path / "copy.db")
    marks = (
        "select (select min(seq) from vectors), (select max(seq) from vectors), (select"
        " min(purge_count) from banks)"
    )
    order = "select memory_id from vectors order by seq"
    wanted = peek(full, order)
    seen = [peek(full, marks)[0]]
    for _ in range(3):
        backups.restore_backup(full, tmp_path / "copy.db")
        seen.append(peek(full, marks)[0])
        assert peek(full, order) == wanted
        meddle(full, "update vectors set seq = seq + 100")
    for (_, highest, purges), (lowest, _, more) in pairwise(seen):
        assert lowest > highest + 100
        assert more > purges


def with_one_more_step() -> list[migrations.Migration]:
    more = migrations.Migration("9999_more", "create table more (id integer primary key) strict;")
    return [*migrations.packaged_steps(), more]


def test_an_older_backup_is_brought_up_to_date(
    full: Engine, tmp_path: Path, clock: StoppedClock
) -> None:
    backups.backup(full, tmp_path / "old.db")
    folder = tmp_path / "new"
    new = Engine(
        migrations.open_database(folder / "x.db", clock, steps=with_one_more_step()),
        clock,
        full.semantics,
    )
    copies.restore(new.db, tmp_path / "old.db", clock, steps=with_one_more_step())

    assert exported(new) == exported(full)
    assert peek(new, "select count(*) from more") == [(0,)]
    assert peek(new, "pragma journal_mode") == [("wal",)]
    assert sorted(path.name for path in folder.glob("*.bak")) == ["x.db.before-restore-1.bak"]
    new.db.close()


def test_a_backup_of_a_newer_version_is_refused(
    full: Engine, tmp_path: Path, clock: StoppedClock
) -> None:
    migrations.open_database(tmp_path / "new.db", clock, steps=with_one_more_step()).close()
    before = exported(full)
    with pytest.raises(Unsupported, match="newer version"):
        backups.restore_backup(full, tmp_path / "new.db")
    assert exported(full) == before
    assert left_behind(full.db.path.parent) == []


@pytest.mark.parametrize(
    "kind", ["missing", "folder", "text", "empty", "foreign", "cut", "damaged", "odd", "itself"]
)
def test_what_is_no_backup_changes_nothing(full: Engine, tmp_path: Path, kind: str) -> None:
    source = tmp_path / "source"
    if kind == "folder":
        source.mkdir()
    elif kind == "text":
        source.write_text("not a database, but long enough to be taken for one\n" * 100)
    elif kind == "empty":
        source.touch()
    elif kind == "foreign":
        with closing(apsw.Connection(str(source))) as connection:
            connection.execute("create table t (x)")
    elif kind != "missing":
        backups.backup(full, source)
        content = source.read_bytes()
        if kind == "cut":
            source.write_bytes(content[: len(content) // 2])
        elif kind == "odd":
            source.write_bytes(content[:47] + b"\x51" + content[48:])
        elif kind == "damaged":
            source.write_bytes(content[:8192] + b"\xff" * 4096 + content[12288:])
    before = exported(full)
    with pytest.raises(CommonplaceError) as raised:
        backups.restore_backup(full, full.db.path if kind == "itself" else source)

    assert type(raised.value) in (NotFound, Invalid, Unsupported)
    assert raised.value.hint
    assert str(tmp_path) not in raised.value.message
    assert exported(full) == before
    assert [
        path.name for path in full.db.path.parent.iterdir() if "commonplace.db" not in path.name
    ] == []
    assert not list(full.db.path.parent.glob("*.bak"))


def test_a_restore_waits_its_turn_and_gives_up_politely(
    tmp_path: Path, home: Path, clock: StoppedClock
) -> None:
    engine = open_home(home, clock)
    engine.remember("b", Draft("x"))
    backups.backup(engine, tmp_path / "copy.db")
    hasty = Engine(Database(engine.db.path, busy_timeout_ms=0), clock, engine.semantics)
    with engine.db.transaction(), pytest.raises(Busy):
        backups.restore_backup(hasty, tmp_path / "copy.db")
    assert len(engine.list("b")) == 1
    hasty.db.close()
    engine.db.close()


def test_a_backup_from_a_full_store_can_be_imported_from_too(
    full: Engine, tmp_path: Path, clock: StoppedClock
) -> None:
    backups.backup(full, tmp_path / "copy.db")
    copy = opened_copy(tmp_path / "copy.db", tmp_path / "other", clock)
    assert json.loads(exported(copy)[0])["format"] == archive.FORMAT
    assert archive.import_archive(full, exported(copy)).changed == 0
    copy.db.close()
