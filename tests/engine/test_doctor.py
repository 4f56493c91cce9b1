import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace.engine.engine import Engine
from commonplace.engine.operations import doctor
from commonplace.engine.operations.doctor import Finding, examine_file
from commonplace.errors import CommonplaceError
from commonplace.records.memory import Draft
from commonplace.records.query import Query
from commonplace.storage import migrations
from tests.conftest import StoppedClock
from tests.engine.archives import exported, meddle, open_filled, open_home, peek
from tests.engine.test_backups import with_one_more_step

GHOST = "999999999999"


@pytest.fixture
def full(home: Path, clock: StoppedClock) -> Iterator[Engine]:
    opened = open_filled(home, clock)
    yield opened
    opened.db.close()


def found(engine: Engine, check: str, *, fix: bool = False) -> Finding:
    return next(finding for finding in doctor.doctor(engine, fix=fix) if finding.check == check)


def test_a_healthy_store_is_healthy(full: Engine) -> None:
    findings = doctor.doctor(full)
    assert {finding.state for finding in findings} == {"ok"}
    assert len({finding.check for finding in findings}) == len(findings)
    assert doctor.doctor(full, fix=True) == findings


def test_an_empty_store_is_healthy(home: Path, clock: StoppedClock) -> None:
    engine = open_home(home, clock)
    assert {finding.state for finding in doctor.doctor(engine)} == {"ok"}
    engine.db.close()


@pytest.mark.parametrize(
    ("check", "damage"),
    [
        (
            "text index",
            (
                "update text_index_content set c1 = 'other words' where id = (select min(id) from"
                " memories)"
            ),
        ),
        ("text index", "delete from text_index_data where id > 10"),
        ("text index", "delete from text_index_data"),
        ("texts", "delete from text_index where rowid = (select min(id) from memories)"),
        ("texts", "delete from text_index"),
        (
            "lost texts",
            f"insert into text_index (rowid, title, body, labels) values ({GHOST}, 'a', 'b', 'c')",
        ),
        ("tags", "delete from tags"),
        ("tags", "insert into tags select bank_id, 'invented', id from memories"),
        ("tags", "update tags set bank_id = 5"),
        (
            "tags",
            "insert into tags select bank_id, 'x', id from memories where forgotten_at is not null",
        ),
        ("fields", "delete from metadata_index"),
        (
            "fields",
            "insert into metadata_index select bank_id, '$.\"invented\"', 1, id from memories",
        ),
        ("fields", "update metadata_index set bank_id = 5"),
        ("vectors", "delete from embedding_queue"),
        (
            "vector states",
            (
                "insert into vectors (bank_id, memory_id, version, embedder, live, vector) "
                "select 5, id, version, 'e', 1, x'00' from memories"
            ),
        ),
        (
            "vector states",
            (
                "insert into vectors (bank_id, memory_id, version, embedder, live, vector) select"
                " bank_id, id, version, 'e', 0, x'00' from memories where forgotten_at is null"
            ),
        ),
        (
            "orphans",
            (
                "insert into vectors (bank_id, memory_id, version, embedder, live, vector) "
                f"values (1, {GHOST}, 1, 'e', 1, x'00')"
            ),
        ),
        ("orphans", f"insert into tags values (1, 'lost', {GHOST})"),
        ("orphans", f"insert into metadata_index values (1, '$.\"lost\"', 1, {GHOST})"),
        ("orphans", f"insert into embedding_queue values ({GHOST}, 1)"),
        (
            "orphans",
            (
                "insert into links (bank_id, kind, from_id, to_id, confidence, reason, at) "
                f"values (1, 'k', {GHOST}, (select min(id) from memories), 1, '', 1)"
            ),
        ),
        ("ids", "update counters set value = 7"),
    ],
)
def test_derived_damage_is_found_and_mended(full: Engine, check: str, damage: str) -> None:
    before = exported(full)
    meddle(full, damage)

    broken = found(full, check)
    assert broken.state == "problem"
    assert "--fix" in broken.hint
    assert found(full, check, fix=True).state == "fixed"
    assert {finding.state for finding in doctor.doctor(full)} == {"ok"}
    assert exported(full) == before
    assert full.recall("home", Query("once")).hits[0].memory.text == "Once."


@pytest.mark.parametrize(
    ("check", "damage"),
    [
        ("versions", "delete from versions where number = 2"),
        ("versions", "update versions set number = 9 where number = 3"),
        ("states", "update memories set text = 'something else'"),
        ("states", "update memories set forgotten_at = 5 where forgotten_at is null"),
        ("states", "update memories set version_id = 7"),
        ("states", "update versions set metadata = '{\"changed\":1}' where number = 3"),
        ("revisions", "delete from revisions where number = 1"),
        ("changes", "update versions set revision = 99 where number = 2"),
        ("references", "update memories set bank_id = 5"),
        ("references", "delete from sessions"),
        ("contents", "update versions set tags = '[oops' where number = 1"),
        ("contents", "update memories set tags = '[oops'"),
        ("contents", "update versions set text = cast(x'41c34228' as text) where number = 1"),
        ("contents", "update memories set title = cast(x'ff' as text)"),
        ("migrations", "update migrations set sha256 = 'other'"),
        ("migrations", "delete from migrations"),
    ],
)
def test_canonical_damage_is_reported_and_left_alone(full: Engine, check: str, damage: str) -> None:
    meddle(full, "pragma foreign_keys = off", damage)
    rows = (
        "select count(*) from versions union all select count(*) from memories union all select"
        " count(*) from events"
    )
    before = peek(full, rows)

    for fix in (False, True):
        broken = found(full, check, fix=fix)
        assert broken.state == "problem"
        assert "restore --backup" in broken.hint
    assert peek(full, rows) == before


def test_a_broken_index_is_made_again(full: Engine, clock: StoppedClock) -> None:
    # Takes an index out of the schema, writes without it, and puts it back: it now lacks what was
    # written.
    full.db.close()
    columns = "type, name, tbl_name, rootpage, sql"
    row = peek(full, f"select {columns} from sqlite_schema where name = 'memories_by_age'")[0]
    hide = "delete from sqlite_schema where name = 'memories_by_age'"
    meddle(full, "pragma writable_schema = on", hide, "pragma writable_schema = reset")
    engine = open_home(full.db.path.parent, clock)
    engine.remember("home", Draft("Not in the index."))
    engine.db.close()
    values = ", ".join(repr(value) for value in row)
    show = f"insert into sqlite_schema ({columns}) values ({values})"
    meddle(full, "pragma writable_schema = on", show, "pragma writable_schema = reset")

    engine = open_home(full.db.path.parent, clock)
    broken = found(engine, "integrity")
    assert broken.state == "problem"
    assert "memories_by_age" in broken.text
    assert found(engine, "integrity", fix=True).state == "fixed"
    assert {finding.state for finding in doctor.doctor(engine)} == {"ok"}
    engine.db.close()


def test_jobs_left_behind_and_a_long_queue_are_warnings(full: Engine, clock: StoppedClock) -> None:
    meddle(full, f"update jobs set state = 'running', leased_until = {clock.now() - 1}")
    assert found(full, "jobs").state == "warning"
    full.remember_many("home", [Draft(f"memory {number}") for number in range(1_001)])
    assert found(full, "queue").state == "warning"


def test_vectors_of_another_embedder_are_made_again(engine: Engine) -> None:
    engine.remember("b", Draft("Staging listens on port 8080."))
    assert engine.recall("b", Query("port")).hits
    meddle(engine, "update vectors set embedder = 'another'")

    assert found(engine, "age").state == "warning"
    assert found(engine, "age", fix=True).state == "fixed"
    assert peek(engine, "select count(*) from vectors where embedder = 'another'") == [(0,)]


def test_a_long_log_is_folded_into_the_file(full: Engine) -> None:
    reader = full.db
    with reader.snapshot():
        reader.all("list_banks", limit=1)
        meddle(
            full,
            "create table ballast (x)",
            "insert into ballast select zeroblob(1000000) from (with recursive n(i) as "
            "(select 1 union all select i + 1 from n where i < 70) select i from n)",
            "drop table ballast",
        )
    assert found(full, "log").state == "warning"
    assert found(full, "log", fix=True).state == "fixed"


@pytest.mark.skipif(os.name != "posix", reason="file modes mean something else here")
def test_files_that_others_can_read_are_closed_to_them(full: Engine) -> None:
    full.db.path.chmod(0o644)
    full.db.path.parent.chmod(0o755)

    opened = found(full, "rights")
    assert opened.state == "warning"
    assert "commonplace.db" in opened.text
    assert found(full, "rights", fix=True).state == "fixed"
    assert full.db.path.stat().st_mode & 0o777 == 0o600
    assert full.db.path.parent.stat().st_mode & 0o777 == 0o700


def test_a_folder_everybody_shares_stays_open(full: Engine) -> None:
    full.db.path.parent.chmod(0o1777)
    assert found(full, "rights", fix=True).state == "warning"
    assert full.db.path.parent.stat().st_mode & 0o7777 == 0o1777


def test_copies_that_were_never_finished_are_cleared_away(
    full: Engine, home: Path, clock: StoppedClock
) -> None:
    yesterday = clock.now() / 1000 - 90_000
    for name in (
        ".commonplace-abc.part",
        ".commonplace-abc.part-journal",
        ".commonplace-restore-x",
    ):
        old = home / name
        old.mkdir() if "restore" in name else old.touch()
        os.utime(old, (yesterday, yesterday))
    (home / ".commonplace-new.part").touch()
    (home / "mine.part").touch()

    assert found(full, "leftovers").state == "warning"
    assert found(full, "leftovers", fix=True).state == "fixed"
    kept = {path.name for path in home.iterdir() if not path.name.startswith("commonplace.db")}
    assert kept == {".commonplace-new.part", "mine.part"}


def test_a_torn_page_is_explained_and_not_fixed(full: Engine) -> None:
    full.db.close()
    path = full.db.path
    (page,) = peek(full, "select rootpage from sqlite_schema where name = 'versions'")[0]
    content = bytearray(path.read_bytes())
    content[(page - 1) * 4096] ^= 0xFF
    path.write_bytes(content)

    engine = open_home(path.parent, full.clock)
    findings = {finding.check: finding for finding in doctor.doctor(engine, fix=True)}
    assert findings["integrity"].state == "problem"
    assert "restore --backup" in findings["integrity"].hint
    assert findings["rights"].state == "ok"
    engine.db.close()
    assert examine_file(path)[0].state == "problem"


@pytest.mark.parametrize("place", [*range(0, 100, 3), *range(100, 4096, 211)])
def test_a_flipped_byte_never_makes_the_doctor_fall_over(
    home: Path, clock: StoppedClock, place: int, template: bytes
) -> None:
    home.mkdir(mode=0o700)
    path = home / "commonplace.db"
    content = bytearray(template)
    content[place] ^= 0x55
    path.write_bytes(content)

    assert all(finding.text for finding in examine_file(path))
    try:
        engine = open_home(home, clock)
    except CommonplaceError:
        return
    assert all(finding.text for finding in doctor.doctor(engine, fix=True))
    engine.db.close()


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    engine = open_home(tmp_path_factory.mktemp("template"), StoppedClock())
    engine.remember("b", Draft("A memory.", tags=("t",)))
    engine.db.close()
    return engine.db.path.read_bytes()


def test_a_sound_file_is_said_to_be_sound(full: Engine) -> None:
    assert [finding.state for finding in examine_file(full.db.path)] == ["ok"]
    full.db.close()
    before = sorted(path.name for path in full.db.path.parent.iterdir())
    assert [finding.state for finding in examine_file(full.db.path)] == ["ok"]
    assert sorted(path.name for path in full.db.path.parent.iterdir()) == before


@pytest.mark.parametrize("kind", ["missing", "folder", "empty", "text", "half", "newer", "foreign"])
def test_a_file_that_cannot_be_opened_is_explained(full: Engine, tmp_path: Path, kind: str) -> None:
    full.db.close()
    path = tmp_path / "store.db"
    content = full.db.path.read_bytes()
    match kind:
        case "folder":
            path.mkdir()
        case "empty":
            path.touch()
        case "text":
            path.write_text("Dear diary, " * 100)
        case "half":
            path.write_bytes(content[: len(content) // 2])
        case "newer":
            migrations.open_database(path, full.clock, steps=with_one_more_step()).close()
        case "foreign":
            path.write_bytes(content[:68] + b"\0\0\0\1" + content[72:])
        case _:
            pass
    finding = examine_file(path)[0]
    assert finding.state == "problem"
    assert finding.hint
    assert str(tmp_path) not in finding.text
    if kind == "newer":
        assert "newer version" in finding.text
