import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commonplace import filesystem
from commonplace.engine.engine import Engine
from commonplace.engine.operations import archive
from commonplace.errors import (
    CommonplaceError,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    TooLarge,
    Unsupported,
)
from commonplace.records.memory import Draft, Edit, Scope
from commonplace.storage.archive_schema import SHAPES
from tests.conftest import StoppedClock
from tests.engine.archives import exported, meddle, open_filled, open_home, peek

INDEXES = {"tags", "metadata_index", "text_index", "vectors", "embedding_queue"}
DERIVED = INDEXES | {"links", "notes", "wikilinks", "erased_notes", "conflict_files", "derivations"}
DERIVED |= {"stale_derivations", "refresh_schedule"}
OWN = {"migrations", "counters", "store_info", "vaults"}


@pytest.fixture
def full(home: Path, clock: StoppedClock) -> Iterator[Engine]:
    opened = open_filled(home, clock)
    yield opened
    opened.db.close()


@pytest.fixture
def other(tmp_path: Path, clock: StoppedClock) -> Iterator[Engine]:
    clock.advance(1000)
    opened = open_home(tmp_path / "other", clock)
    yield opened
    opened.db.close()


def changed(lines: list[str], number: int, /, **fields: Any) -> list[str]:
    """The same file with one line edited."""
    value = {**json.loads(lines[number - 1]), **fields}
    return [*lines[: number - 1], json.dumps(value) + "\n", *lines[number:]]


def line_of(lines: list[str], **fields: Any) -> int:
    for number, line in enumerate(lines, start=1):
        value = json.loads(line)
        if all(value.get(name) == wanted for name, wanted in fields.items()):
            return number
    raise AssertionError(fields)


def refused(engine: Engine, lines: list[str], error: type[CommonplaceError]) -> CommonplaceError:
    """Why an import is refused, once it is sure that it changed nothing."""
    before, counter = exported(engine), peek(engine, "select value from counters")
    with pytest.raises(error) as raised:
        archive.import_archive(engine, lines)
    assert (exported(engine), peek(engine, "select value from counters")) == (before, counter)
    assert raised.value.hint
    return raised.value


def test_export_import_export_gives_the_same_bytes(full: Engine, other: Engine) -> None:
    lines = exported(full)
    report = archive.import_archive(other, lines)

    assert exported(other) == lines
    assert all(report.added.values())
    assert set(report.added) == set(SHAPES)
    assert not report.skipped


def test_what_was_imported_works_like_what_was_written(full: Engine, other: Engine) -> None:
    archive.import_archive(other, exported(full))

    for bank in ("work", "home"):
        assert other.get_bank(bank) == full.get_bank(bank)
        for memory in full.list(bank):
            assert other.get(bank, memory.id) == memory
            assert other.history(bank, memory.id) == full.history(bank, memory.id)
        for project in ("", "app"):
            assert other.revisions(bank, project) == full.revisions(bank, project)
            for number in range(full.revision(bank, project) + 1):
                assert other.at_revision(bank, project, number) == full.at_revision(
                    bank, project, number
                )
    assert other.list_tags("work") == full.list_tags("work")
    derived = "select rowid, title, body, labels from text_index order by 1"
    assert peek(other, derived) == peek(full, derived)
    assert peek(other, "select memory_id from embedding_queue") == peek(
        other, "select id from memories order by id"
    )


def test_every_canonical_table_and_column_is_in_the_archive(full: Engine) -> None:
    tables = {
        name
        for (name,) in peek(
            full, "select name from pragma_table_list where type in ('table', 'virtual')"
        )
    }
    tables -= DERIVED | OWN | {name for name in tables if name.startswith("sqlite_")}
    singular = {"memories": "memory", "idempotency_keys": "reply", "bank_items": "standing"}
    assert {singular.get(table, table[:-1]) for table in tables} == set(SHAPES)
    for table in tables:
        columns = {
            name for (name,) in peek(full, f"select name from pragma_table_info('{table}')")
        } - {"purge_count"}
        # What an archive calls otherwise, as archives were written before the tables got their
        # names.
        renamed = {"user_name": "user", "result": "result" if table == "jobs" else "reply"}
        written = {renamed.get(column, column) for column in columns}
        assert written == set(SHAPES[singular.get(table, table[:-1])].columns)


def test_an_export_is_one_state_while_others_write(full: Engine) -> None:
    wanted, lines = exported(full), list[str]()

    def write(line: str) -> None:
        lines.append(line)
        if len(lines) == 3:
            writer = threading.Thread(
                target=lambda: full.remember("home", Draft("Written meanwhile."))
            )
            writer.start()
            writer.join()

    archive.export(full, write)
    assert lines == wanted
    assert exported(full) != wanted


@pytest.mark.parametrize("damage", ["text = cast(x'41c34228' as text)", "metadata = '{oops'"])
def test_a_text_that_cannot_be_read_is_said_to_be_damaged(
    full: Engine, tmp_path: Path, damage: str
) -> None:
    meddle(full, f"update versions set {damage}")
    with pytest.raises(Unsupported, match="damaged"):
        archive.export_to(full, tmp_path / "all.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_an_export_of_one_bank_holds_nothing_of_another(full: Engine, other: Engine) -> None:
    lines = exported(full, "work")
    assert "Stand up!" not in "".join(lines)
    archive.import_archive(other, lines)
    assert [bank.name for bank in other.list_banks()] == ["work"]
    assert exported(other, "work") == lines
    with pytest.raises(NotFound):
        exported(full, "nowhere")


def test_every_row_stays_on_one_line_for_every_program(full: Engine) -> None:
    lines = exported(full)
    assert "".join(lines).splitlines(keepends=True) == lines


def test_many_rows_are_exported_page_by_page(
    home: Path, clock: StoppedClock, other: Engine
) -> None:
    engine = open_home(home, clock)
    first = engine.remember("b", Draft("0", key="k")).memory
    for number in range(1, 250):
        engine.remember("b", Draft(str(number), key="k", scope=Scope("" if number % 2 else "p")))
    engine.remember_many("b", [Draft(f"memory {number}") for number in range(205)])
    lines = exported(engine)
    engine.db.close()

    heard: list[tuple[int, int | None]] = []
    report = archive.import_archive(
        other, lines, progress=lambda done, total: heard.append((done, total))
    )
    assert exported(other) == lines
    assert len(other.history("b", first.id)) == 126
    assert report.added["memory"] == 207
    assert heard[-1] == (len(lines) - 1, len(lines) - 1)


def test_new_ids_come_after_the_imported_ones(full: Engine, home: Path, tmp_path: Path) -> None:
    lines = exported(full)
    early = open_home(tmp_path / "early", StoppedClock(1_780_000_000_000))
    archive.import_archive(early, lines)
    highest = max(
        value for line in lines for name, value in json.loads(line).items() if name == "id"
    )
    assert early.remember("b", Draft("new")).memory.id > highest
    early.db.close()


def test_importing_twice_makes_no_twins(full: Engine, other: Engine) -> None:
    lines = exported(full)
    archive.import_archive(other, lines)
    report = archive.import_archive(other, lines)

    assert report.changed == 0
    assert exported(other) == lines
    assert sum(report.skipped.values()) == len(lines) - 1


def test_an_import_into_the_home_it_came_from_changes_nothing(
    full: Engine, clock: StoppedClock
) -> None:
    lines = exported(full)
    clock.advance(1000)
    memory = full.list("work")[0]
    full.revise("work", memory.id, Edit(text="Newer than the file."))
    before = exported(full)

    assert archive.import_archive(full, lines).changed == 0
    assert exported(full) == before


def test_a_dry_run_says_what_would_happen_and_changes_nothing(full: Engine, other: Engine) -> None:
    lines = exported(full)
    report = archive.import_archive(other, lines, dry_run=True)

    assert report.dry_run
    assert other.list_banks() == ()
    assert report.added == archive.import_archive(other, lines).added


def test_a_later_export_continues_what_is_here(
    full: Engine, other: Engine, clock: StoppedClock
) -> None:
    archive.import_archive(other, exported(full))
    clock.advance(1000)
    memory = full.list("work")[0]
    full.revise("work", memory.id, Edit(text="And on.", tags=("c",)))
    full.forget("work", [memory.id])
    full.restore("work", [memory.id])
    later = exported(full)
    report = archive.import_archive(other, later)

    assert (report.continued, report.added) == ({"memory": 1}, {"revision": 3, "version": 3})
    assert exported(other) == later
    assert [tag.tag for tag in other.list_tags("work")] == ["c"]


def test_a_session_and_a_document_that_went_on_go_on_here(
    full: Engine, other: Engine, clock: StoppedClock
) -> None:
    archive.import_archive(other, exported(full))
    later = clock.now() + 5000
    meddle(
        full,
        f"update documents set text = 'C', updated_at = {later}",
        f"update sessions set status = 'compacted', ended_at = {later}",
        f"update jobs set state = 'failed', updated_at = {later}",
        f"update reminders set last_at = {later}",
    )
    lines = exported(full)
    report = archive.import_archive(other, lines)

    assert report.continued == {"document": 1, "session": 1, "job": 2, "reminder": 1}
    assert exported(other) == lines
    meddle(other, f"update sessions set active_at = {later + 1}, title = 'Mine'")
    assert archive.import_archive(other, lines).changed == 0


def test_two_homes_that_know_one_bank_become_one(
    full: Engine, other: Engine, clock: StoppedClock
) -> None:
    own = other.remember("home", Draft("Only here.")).memory
    past = other.at_revision("home", "", 1)
    clock.advance(1000)
    report = archive.import_archive(other, exported(full))

    assert report.skipped["bank"] == 1
    assert {memory.text for memory in other.list("home")} == {"Only here.", "Once.", "5432"}
    assert other.get("home", own.id) == own
    assert other.at_revision("home", "", 1) == past
    assert other.revisions("home")[0].action == "import"
    assert {v.memory_id for v in other.at_revision("home", "", 2)} == {
        m.id for m in other.list("home") if not m.scope.project
    }
    assert archive.import_archive(other, exported(full)).changed == 0
    assert other.revision("home") == 2


def test_a_bank_whose_id_is_taken_gets_another(full: Engine, other: Engine) -> None:
    taken = full.get_bank("work").id
    mine = other.create_bank("mine").id
    meddle(other, f"update banks set id = {taken} where id = {mine}")
    archive.import_archive(other, exported(full))

    assert other.get_bank("mine").id == taken
    assert other.get_bank("work").id not in (taken, full.get_bank("home").id)
    assert len(other.list("work")) == 1


def test_a_memory_changed_in_both_homes_is_a_conflict(
    full: Engine, other: Engine, clock: StoppedClock
) -> None:
    archive.import_archive(other, exported(full))
    memory = full.list("work")[0]
    clock.advance(1000)
    full.revise("work", memory.id, Edit(text="Here so."))
    clock.advance(1000)
    other.revise("work", memory.id, Edit(text="There otherwise."))
    lines = exported(full)

    error = refused(other, lines, Conflict)
    assert error.message.startswith(
        f"Line {line_of(lines, type='version', memory_id=memory.id, number=4)}: "
    )


def test_a_key_that_another_memory_has_is_a_conflict(full: Engine, other: Engine) -> None:
    other.remember("home", Draft("6543", key="db.port"))
    lines = exported(full)
    number = line_of(lines, type="memory", key="db.port", project="")
    assert refused(other, lines, Conflict).message.startswith(f"Line {number}: ")


def test_an_id_in_another_bank_is_a_conflict(full: Engine, other: Engine) -> None:
    archive.import_archive(other, exported(full))
    lines = exported(full, "work")
    renamed = changed(lines, line_of(lines, type="bank"), name="elsewhere")
    assert "Line " in refused(other, renamed, Conflict).message


@pytest.mark.parametrize("column", ["version_id", "id"])
def test_an_id_that_leads_to_another_memory_here_is_a_conflict(
    full: Engine, other: Engine, column: str
) -> None:
    lines = exported(full)
    taken = json.loads(lines[line_of(lines, type="memory") - 1])[column]
    mine = other.remember("b", Draft("Mine.")).memory
    if column == "version_id":
        meddle(
            other,
            "insert into memories (id, bank_id, text, kind, version, version_id, created_at,"
            f" updated_at) select {taken}, bank_id, text, kind, version, version_id, created_at,"
            f" updated_at from memories where id = {mine.id}",
        )
    else:
        meddle(other, f"update versions set id = {taken} where id = {mine.version_id}")
    assert refused(other, lines, Conflict).message.startswith("Line ")


def test_a_reply_to_other_content_is_a_conflict(full: Engine, other: Engine) -> None:
    archive.import_archive(other, exported(full))
    lines = exported(full)
    number = line_of(lines, type="reply", key="k2")
    assert refused(other, changed(lines, number, content_hash="0"), Conflict).message.startswith(
        f"Line {number}: "
    )


@pytest.mark.parametrize("keep", [1, 2, 10, -1])
def test_a_file_cut_off_at_a_line_changes_nothing(full: Engine, other: Engine, keep: int) -> None:
    error = refused(other, exported(full)[:keep], Invalid)
    assert error.message.startswith("Line ")


def test_a_file_cut_off_inside_a_line_changes_nothing(full: Engine, other: Engine) -> None:
    lines = exported(full)
    lines[-1] = lines[-1][:20]
    assert refused(other, lines, Invalid).message == f"Line {len(lines)}: This is not JSON."


def test_a_missing_line_in_the_middle_is_noticed(full: Engine, other: Engine) -> None:
    lines = exported(full)
    del lines[line_of(lines, type="version", number=2) - 1]
    refused(other, lines, Invalid)


def attempt(engine: Engine, lines: list[str]) -> CommonplaceError | None:
    try:
        archive.import_archive(engine, lines, dry_run=True)
    except CommonplaceError as error:
        return error
    return None


@pytest.mark.parametrize("type_", SHAPES)
def test_no_damaged_field_does_any_harm(full: Engine, other: Engine, type_: str) -> None:
    lines = exported(full)
    number = line_of(lines, type=type_)
    for name in json.loads(lines[number - 1]):
        for wrong in (None, -1, 2**60, "\ud800", []):
            error = attempt(other, changed(lines, number, **{name: wrong}))
            assert error is None or error.hint, (name, wrong)
    assert other.list_banks() == ()


@pytest.mark.parametrize(
    ("header", "error"),
    [
        ("", Invalid),
        ("{}", Invalid),
        ("[]", Invalid),
        ("PK\x03\x04", Invalid),
        ('{"format":"commonplace-archive"}', Invalid),
        ('{"format":"commonplace-archive","number":true,"counts":{}}', Invalid),
        ('{"format":"commonplace-archive","number":1}', Invalid),
        ('{"format":"commonplace-archive","number":1,"counts":{"ghost":1}}', Invalid),
        ('{"format":"commonplace-archive","number":2,"counts":{}}', Unsupported),
        ("[" * 100_000, Invalid),
    ],
)
def test_a_wrong_first_line_is_refused(
    other: Engine, header: str, error: type[CommonplaceError]
) -> None:
    refused(other, [header], error)


def test_no_lines_are_refused(other: Engine) -> None:
    refused(other, [], Invalid)
    refused(other, ["\n", "  \n"], Invalid)


@pytest.mark.parametrize(
    ("type_", "fields", "error"),
    [
        ("memory", {"type": "ghost"}, Invalid),
        ("memory", {"extra": 1}, Invalid),
        ("memory", {"text": 5}, Invalid),
        ("memory", {"text": "Another text."}, Invalid),
        ("memory", {"id": 2**53 - 1}, Invalid),
        ("memory", {"bank_id": 5}, Invalid),
        ("version", {"action": "invent"}, Invalid),
        ("version", {"revision": 99}, Invalid),
        ("version", {"number": 2}, Invalid),
        ("version", {"text": "  "}, Invalid),
        ("version", {"text": "x" * 1_000_001}, TooLarge),
        ("version", {"tags": [str(number) for number in range(101)]}, TooLarge),
        ("version", {"metadata": {"a": "\ud800"}}, Invalid),
        ("event", {"session_id": 5}, Invalid),
        ("session", {"status": "lost"}, Invalid),
        ("session", {"started_at": 10**15}, Invalid),
        ("job", {"state": "lost"}, Invalid),
        ("bank", {"name": " "}, Invalid),
    ],
)
def test_a_wrong_field_is_refused_by_line(
    full: Engine, other: Engine, type_: str, fields: dict[str, Any], error: type[CommonplaceError]
) -> None:
    lines = exported(full)
    number = line_of(lines, type=type_)
    assert refused(other, changed(lines, number, **fields), error).message.startswith(
        f"Line {number}: "
    )


def test_a_memory_cannot_take_a_document_of_another_bank(full: Engine, other: Engine) -> None:
    lines = exported(full)
    document = json.loads(lines[line_of(lines, type="document") - 1])["id"]
    number = line_of(lines, type="memory", text="Once.")
    error = refused(other, changed(lines, number, document_id=document), Invalid)
    assert error.message.startswith(f"Line {number}: ")


def test_a_file_travels_between_homes(full: Engine, other: Engine, tmp_path: Path) -> None:
    target = tmp_path / "all.jsonl"
    report = archive.export_to(full, target)

    assert target.read_text(encoding="utf-8") == "".join(exported(full))
    assert report.total == len(exported(full)) - 1
    assert target.stat().st_mode & 0o777 == 0o600
    archive.import_from(other, target)
    assert exported(other) == exported(full)


def test_an_export_never_overwrites_and_leaves_nothing_half_done(
    full: Engine, tmp_path: Path
) -> None:
    target = tmp_path / "all.jsonl"
    target.write_text("precious")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for wrong, error in (
        (target, Conflict),
        (tmp_path / "link", Conflict),
        (tmp_path, Invalid),
        (tmp_path / "no" / "x", NotFound),
        (target / "x", NotFound),
        (tmp_path / ("x" * 300), Invalid),
        (tmp_path / "a\0b", Invalid),
        (Path("/proc/x"), CommonplaceError),
    ):
        with pytest.raises(error) as raised:
            archive.export_to(full, wrong)
        assert str(tmp_path) not in raised.value.message
        assert raised.value.hint
    with pytest.raises(NotFound):
        archive.export_to(full, tmp_path / "new.jsonl", bank="nowhere")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.jsonl", "home", "link"]
    assert target.read_text() == "precious"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_said_plainly(full: Engine, other: Engine) -> None:
    with (
        pytest.raises(CommonplaceError, match="disk is full"),
        filesystem.translate_os_errors(Path("/dev/full")),
        open("/dev/full", "w", encoding="utf-8") as file,
    ):
        archive.export(full, file.write)


def test_a_file_that_cannot_be_read_is_explained(other: Engine, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00\x01" * 100)
    (tmp_path / "empty").touch()
    for wrong, error in (
        (tmp_path / "missing", NotFound),
        (tmp_path, Invalid),
        (tmp_path / "binary", Invalid),
        (tmp_path / "empty", Invalid),
        (tmp_path / "empty" / "x", CommonplaceError),
        (tmp_path / "a\0b", Invalid),
    ):
        with pytest.raises(error) as raised:
            archive.import_from(other, wrong)
        assert str(tmp_path) not in raised.value.message
        assert raised.value.hint
    if os.getuid():
        (tmp_path / "secret").touch(mode=0)
        with pytest.raises(Forbidden):
            archive.import_from(other, tmp_path / "secret")
