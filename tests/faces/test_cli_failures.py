"""How the command line fails: two lines on stderr, an exit code, and nothing changed."""

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from commonplace.engine.engine import Engine
from commonplace.faces.cli import cli
from commonplace.records.memory import Draft
from tests.faces.conftest import Answer, Run


def check_failure(answer: Answer, code: int, *words: str) -> None:
    """The form every failure has."""
    assert answer.code == code, answer
    assert answer.out == ""
    first, second = answer.err.splitlines()
    assert first.startswith("Error: ")
    assert second.startswith("Hint:  ")
    assert len(second) > len("Hint:  ")
    for word in words:
        assert word in answer.err


BAD_INPUT = {
    "blank text": (("add", "  \n "), 2, "empty"),
    "no text": (("add",), 2, "TEXT"),
    "text over the limit": (("add", "x" * 1_000_001), 6, "1,000,000"),
    "NUL": (("add", "a\0b"), 2, "NUL"),
    "lone surrogate": (("add", "a\ud800b"), 2, "surrogate"),
    "too many tags": (("add", "x", *(f"--tag={number}" for number in range(10_000))), 6, "tags"),
    "invalid time": (("add", "x", "--when", "yesterday"), 2, "ISO 8601"),
    "a year beyond the calendar": (("add", "x", "--when", "10000-01-01"), 2, "not a time"),
    "an end before the start": (
        ("add", "x", "--when", "2026-02-01", "--until", "2026-01-01"),
        2,
        "end is before",
    ),
    "invalid metadata": (("add", "x", "--metadata", "{nope"), 2, "JSON"),
    "metadata that is no object": (("add", "x", "--metadata", "[1]"), 2, "object"),
    "metadata with a number JSON cannot hold": (
        ("add", "x", "--metadata", '{"a": NaN}'),
        2,
        "JSON",
    ),
    "unknown id": (("show", "m00000000001"), 4, "m00000000001"),
    "no id at all": (("show", "nonsense"), 2, "nonsense"),
    "unknown id in history": (("history", "12345"), 4, "12345"),
    "unknown id in forget": (("forget", "12345"), 4, "12345"),
    "unknown id in restore": (("restore", "12345"), 4, "12345"),
    "unknown id in purge": (("purge", "12345", "--yes"), 4, "12345"),
    "unknown id in revise": (("revise", "12345", "x"), 4, "12345"),
    "an empty revision": (("revise", "12345"), 2, "changes nothing"),
    "negative limit": (("list", "--limit", "-1"), 2, "limit"),
    "negative limit of recall": (("recall", "x", "--limit", "-1"), 2, "limit"),
    "huge limit": (("list", "--limit", "1000000"), 6, "limit"),
    "limit that is no number": (("list", "--limit", "many"), 2, "--limit"),
    "negative offset": (("list", "--offset", "-1"), 2, "offset"),
    "unknown order": (("list", "--order", "mood"), 2, "created"),
    "blank pattern": (("list", "--contains", ""), 2, "empty"),
    "invalid since": (("list", "--since", "soon"), 2, "ISO 8601"),
    "blank question": (("recall", " "), 2, "empty"),
    "unknown bank in list": (("list", "--bank", "nope"), 4, "nope"),
    "unknown bank in recall": (("recall", "x", "--bank", "nope"), 4, "nope"),
    "unknown bank in show": (("show", "12345", "--bank", "nope"), 4, "nope"),
    "unknown bank in export": (("export", "--bank", "nope", "x.jsonl"), 4, "nope"),
    "unknown bank in tags": (("tags", "--bank", "nope"), 4, "nope"),
    "blank bank": (("add", "x", "--bank", " "), 2, "bank"),
    "unknown command": (("rember", "x"), 2, "rember"),
    "unknown option": (("add", "x", "--tagg", "y"), 2, "--tag"),
    "forget nothing": (("forget",), 2, "--project"),
    "forget two ways": (("forget", "12345", "--project", "p"), 2, "--project"),
    "restore nothing": (("restore",), 2, "--backup"),
    "restore from no file": (("restore", "--backup", "nowhere.db", "--yes"), 4, "nowhere.db"),
    "purge nothing": (("purge",), 2, "--forgotten"),
    "import no file": (("import", "nowhere.jsonl"), 4, "nowhere.jsonl"),
    "import what is nothing": (("import", __file__), 2, "not in a format that can be imported"),
    "import what is no archive": (("import", "--from", "archive", __file__), 2, "Line 1"),
    "import from an unknown source": (("import", "--from", "evernote", __file__), 4, "evernote"),
    "export into no folder": (("export", "nowhere/x.jsonl"), 4, "nowhere"),
    "backup into no folder": (("backup", "nowhere/x.db"), 4, "nowhere"),
}


@pytest.mark.parametrize(("args", "code", "word"), BAD_INPUT.values(), ids=BAD_INPUT)
def test_bad_input_is_refused_in_two_lines(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    args: tuple[str, ...],
    code: int,
    word: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    run("add", "Here before.")
    before = run("export").out

    check_failure(run(*args), code, word)

    assert run("export").out == before


def test_an_unknown_command_is_answered_with_what_was_meant(run: Run) -> None:
    check_failure(run("recal", "x"), 2, "recall")


def test_a_home_that_cannot_be_made_is_named_with_the_way_out(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    check_failure(run("--home", str(tmp_path / "file" / "home"), "add", "x"), 3, "COMMONPLACE_HOME")


def test_a_corrupt_store_points_to_the_doctor_and_the_backup(run: Run, home: Path) -> None:
    home.mkdir()
    (home / "commonplace.db").write_bytes(b"this is not a database " * 100)

    check_failure(run("list"), 7, "commonplace doctor", "restore --backup")


def test_doctor_explains_a_store_that_cannot_be_opened(run: Run, home: Path) -> None:
    home.mkdir()
    (home / "commonplace.db").write_bytes(b"this is not a database " * 100)
    answer = run("doctor")

    assert answer.code == 1
    assert "not a database" in answer.out
    assert "restore --backup" in answer.out


def test_a_backup_takes_the_place_of_a_corrupt_store_which_is_kept(
    run: Run, home: Path, tmp_path: Path
) -> None:
    run("add", "One")
    run("backup", str(tmp_path / "copy.db"))
    damaged, bad = b"this is not a database " * 100, tmp_path / "bad.db"
    (home / "commonplace.db").write_bytes(damaged)
    bad.write_bytes(damaged)

    check_failure(run("restore", "--backup", str(bad), "--yes"), 2, "bad.db")
    assert (home / "commonplace.db").read_bytes() == damaged
    assert run("restore", "--backup", str(tmp_path / "copy.db"), "--yes").code == 0
    assert "One" in run("list").out
    assert (home / "commonplace.db.damaged-1.bak").read_bytes() == damaged


@pytest.mark.parametrize(
    ("variable", "value", "allowed"),
    [
        ("COMMONPLACE_BUSY_TIMEOUT_MS", "soon", "a whole number of milliseconds from 0 to 600,000"),
        ("COMMONPLACE_BUSY_TIMEOUT_MS", "-1", "a whole number of milliseconds from 0 to 600,000"),
        ("COMMONPLACE_FADING_DAYS", "nan", "a number of days from 0 to 36,500"),
        ("COMMONPLACE_EMBEDDER", "statik", "Did you mean static? Use static or none."),
        (
            "COMMONPLACE_RERANKER",
            "crossencoder",
            "Did you mean cross-encoder? Use cross-encoder or none.",
        ),
        ("COMMONPLACE_LOG_LEVEL", "loud", "Use debug, info, warning or error."),
        (
            "COMMONPLACE_TIMEZONE",
            "Europe/Roma",
            "Use the name of a time zone, such as Europe/Rome.",
        ),
        ("HINDSIGHT_API_MCP_ENABLED", "maybe", "true"),
        ("COMMONPLACE_DATABASE", "postgres:x", "sqlite:PATH"),
    ],
)
def test_an_impossible_value_of_a_setting_is_refused_with_what_is_allowed(
    run: Run, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, allowed: str
) -> None:
    monkeypatch.setenv(variable, value)

    check_failure(run("list"), 2, variable.removeprefix("COMMONPLACE_DATABASE"), value, allowed)


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("COMMONPLACE_EMBEDER", "Did you mean COMMONPLACE_EMBEDDER?"),
        ("COMMONPLACE_APIKEY", "Did you mean COMMONPLACE_API_KEY?"),
        ("commonplace_home", "Did you mean COMMONPLACE_HOME?"),
        ("COMMONPLACE_X", "`commonplace settings` lists them all."),
    ],
)
def test_a_misspelt_setting_is_refused_with_the_nearest_name(
    run: Run, monkeypatch: pytest.MonkeyPatch, variable: str, meant: str
) -> None:
    monkeypatch.setenv(variable, "x")

    check_failure(run("list"), 2, f"There is no setting {variable}.", meant)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"embeder": "none"}, "Did you mean embedder?"),
        ({"embedder": ["none"]}, "Use a string, a number, true or false."),
        ({"embedder": "statik"}, "Did you mean static?"),
    ],
)
def test_a_misspelt_or_impossible_key_of_a_configuration_file_is_refused(
    run: Run, tmp_path: Path, config: dict[str, object], said: str
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config))

    check_failure(
        run("mcp", "--dialect", "memstate", "--config", str(tmp_path / "config.json")), 2, said
    )


def test_an_existing_file_is_never_overwritten(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("precious")
    run("add", "One")

    check_failure(run("export", str(target)), 5, "precious")
    check_failure(run("backup", str(target)), 5, "precious")
    assert target.read_text() == "precious"


def test_an_import_with_one_bad_line_changes_nothing(run: Run, tmp_path: Path) -> None:
    run("add", "One")
    archive = tmp_path / "a.jsonl"
    archive.write_text(run("export").out + "not json\n", encoding="utf-8")

    answer = run("import", str(archive), "--home", str(tmp_path / "other"))

    check_failure(answer, 2, "Line ")
    assert run("list", "--home", str(tmp_path / "other")).out == ""


def test_a_long_message_stays_two_short_lines(run: Run) -> None:
    run("add", "One")
    answer = run("show", "word\nword " * 10_000)

    check_failure(answer, 2)
    assert len(answer.err) < 1_000


@pytest.fixture
def buggy() -> Iterator[None]:
    """A command with a bug in it."""

    @cli.command("explode")
    @click.option("--verbose", is_flag=True)
    @click.pass_obj
    def explode(shell: object, verbose: bool) -> None:
        raise ZeroDivisionError("a bug")

    yield
    del cli.commands["explode"]


@pytest.mark.usefixtures("buggy")
def test_a_bug_is_an_internal_error_with_a_reference_and_no_trace(run: Run) -> None:
    first, second = run("explode"), run("explode")

    check_failure(first, 1, "internal error", "--verbose")
    assert first.err == second.err


@pytest.mark.usefixtures("buggy")
def test_a_bug_shows_its_trace_when_asked(run: Run) -> None:
    answer = run("--verbose", "explode")

    assert answer.code == 1
    assert "ZeroDivisionError: a bug" in answer.err


def test_a_closed_standard_input_is_a_plain_failure(program: Run) -> None:
    check_failure(program("commonplace add - <&-"), 2, "standard input")
    check_failure(program("commonplace import - <&-"), 2, "standard input")


def test_closed_outputs_do_not_hinder_a_write(program: Run) -> None:
    assert program("commonplace add One >&- 2>&-").code == 0
    assert "One" in program("commonplace list").out


def test_standard_input_that_is_no_text_is_refused(program: Run) -> None:
    check_failure(program(r"printf '\377\376' | commonplace add -"), 2, "UTF-8")
    check_failure(program(r"printf '\377\376' | commonplace import -"), 2, "UTF-8")


def test_endless_standard_input_is_refused(program: Run) -> None:
    check_failure(program("yes | commonplace add -"), 6, "1,000,000")


def test_a_reader_that_goes_away_is_no_failure_worth_a_word(
    program: Run, engine: Engine, home: Path
) -> None:
    engine.remember_many("default", [Draft("word " * 200) for _ in range(300)])

    for command in ("list --limit 300", "list --limit 300 --json", "export"):
        answer = program(f"commonplace {command} --home {shlex.quote(str(home))} | head -n 1")
        assert answer.err == "", command
        assert len(answer.out.splitlines()) == 1


def test_a_full_device_is_told(program: Run) -> None:
    program("commonplace add One")
    answer = program("commonplace list > /dev/full")

    check_failure(answer, 1, "No space left")


def test_a_terminal_without_unicode_still_gets_an_answer(program: Run) -> None:
    program("commonplace add 'naïve 数据'", PYTHONUTF8="1")
    plain = program("commonplace list", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    coded = program("commonplace list --json", PYTHONIOENCODING="ascii", PYTHONUTF8="0")

    assert plain.code == 0
    assert json.loads(coded.out)["text"] == "naïve 数据"


def test_a_start_that_only_writes_loads_neither_tables_nor_vectors(program: Run) -> None:
    script = (
        "import sys; from commonplace.faces.cli import main; main(['add', 'One']);"
        " print(*sys.modules)"
    )
    loaded = program(f'{shlex.quote(sys.executable)} -c "{script}"').out.split()

    assert "click" in loaded
    assert not {"rich", "numpy", "tokenizers"} & set(loaded)
