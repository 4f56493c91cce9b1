"""The commands, as people and programs use them."""

import json
import re
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import click
import pytest

from commonplace import ids
from commonplace.faces.cli import SECTIONS, cli
from commonplace.faces.cli.commands.recall import NOTHING
from commonplace.faces.cli.terminal import display_width
from commonplace.settings import SETTINGS
from tests.faces.conftest import Run

MEMORY_FIELDS = (
    "id number bank text title kind key tags metadata paths category project user agent run version"
    " created_at updated_at happened_at happened_until expires_at forgotten_at"
).split()


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


# An escape sequence that changes how characters look; NO_COLOR leaves those that move the cursor.
COLOUR = re.compile(r"\x1b\[[\d;:]*m")


def added(run: Run, *args: str) -> str:
    """The id of a new memory."""
    answer = run("add", *args, "--json")
    assert answer.code == 0, answer.err
    return json.loads(answer.out)["memory"]["id"]


def shown(run: Run, memory_id: str, *args: str) -> dict[str, Any]:
    return json.loads(run("show", memory_id, "--json", *args).out)


def test_a_newcomer_remembers_and_recalls_with_two_commands(program: Run) -> None:
    first = program('commonplace add "Staging listens on port 8080."')
    second = program("commonplace recall 'which port does staging use?'")

    assert (first.code, first.err) == (0, "")
    assert first.out.startswith("Remembered m")
    assert second.code == 0
    assert "Staging listens on port 8080." in second.out


def test_the_program_can_also_be_run_as_a_module(program: Run) -> None:
    assert program("python -m commonplace --version").out.startswith("commonplace ")


def test_the_bare_program_prints_a_friendly_overview(run: Run) -> None:
    answer = run()

    assert answer.code == 0
    assert answer.err == ""
    assert all(f"\n  {name} " in answer.out for name in cli.commands)
    assert answer.out.count("  commonplace ") == 3
    assert max(len(line) for line in answer.out.splitlines()) <= 80


def test_every_command_belongs_to_a_section_of_the_overview() -> None:
    assert set(cli.commands) <= {name for _, names in SECTIONS for name in names}


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_every_command_has_help_with_an_example_its_options_and_json(run: Run, name: str) -> None:
    answer = run(name, "--help")

    assert answer.code == 0
    assert f"\n    commonplace {name}" in answer.out
    assert "--json" in answer.out or name in ("serve", "mcp", "token", "help", "completion")
    assert max(len(line) for line in answer.out.splitlines()) <= 80
    assert all(
        parameter.help
        for parameter in cli.commands[name].params
        if isinstance(parameter, click.Option) and not parameter.hidden
    )


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_the_first_sentence_of_a_help_fits_into_the_overview(name: str) -> None:
    assert not cli.commands[name].get_short_help_str(66).endswith("...")


def test_a_memory_in_json_has_every_field_in_the_promised_order(run: Run) -> None:
    memory = shown(run, added(run, "Staging listens on port 8080."))

    assert list(memory) == MEMORY_FIELDS
    assert ids.parse(memory["id"]) == memory["number"]
    assert memory["created_at"].endswith("Z")
    assert memory["forgotten_at"] is None


def test_what_add_is_told_is_what_show_gives_back(run: Run) -> None:
    options = [
        "--title",
        "Ports",
        "--kind",
        "fact",
        "--key",
        "staging.port",
        "--tag",
        "infra",
        "--tag",
        "web",
    ]
    options += [
        "--project",
        "site",
        "--user",
        "bo",
        "--category",
        "ops",
        "--path",
        "src/**",
        "--when",
        "2026-03-01T09:30Z",
    ]
    options += [
        "--until",
        "2026-03-02T00:00Z",
        "--expires",
        "2999-01-01T00:00Z",
        "--metadata",
        '{"source": "chat"}',
    ]
    memory = shown(run, added(run, "Staging listens on port 8080.", *options))

    assert (
        memory
        | {
            "title": "Ports",
            "kind": "fact",
            "key": "staging.port",
            "tags": ["infra", "web"],
            "project": "site",
            "user": "bo",
            "category": "ops",
            "paths": ["src/**"],
            "happened_at": "2026-03-01T09:30:00.000Z",
            "happened_until": "2026-03-02T00:00:00.000Z",
            "expires_at": "2999-01-01T00:00:00.000Z",
            "metadata": {"source": "chat"},
        }
        == memory
    )


def test_words_need_no_quotes(run: Run) -> None:
    assert (
        shown(run, added(run, "Staging", "listens", "on", "8080"))["text"]
        == "Staging listens on 8080"
    )


def test_a_dash_reads_the_text_from_standard_input(run: Run) -> None:
    answer = run("add", "-", "--json", stdin="first line\nsecond line\n")

    assert json.loads(answer.out)["memory"]["text"] == "first line\nsecond line"


def test_a_time_without_a_zone_is_local(program: Run) -> None:
    answer = program("commonplace add Lunch --when 2026-07-01T12:00 --json", TZ="Europe/Rome")

    assert json.loads(answer.out)["memory"]["happened_at"] == "2026-07-01T10:00:00.000Z"


def test_people_read_local_time(program: Run) -> None:
    program("commonplace add Lunch --when 2026-07-01T10:00Z")

    assert (
        "2026-07-01 12:00"
        in program("commonplace show $(commonplace list | cut -f1)", TZ="Europe/Rome").out
    )


@pytest.mark.parametrize(
    "form", [ids.short_form, ids.memstate_form, ids.note_form, ids.uuid_form, str]
)
def test_every_printed_form_of_an_id_is_accepted(run: Run, form: Any) -> None:
    number = shown(run, added(run, "Staging listens on port 8080."))["number"]

    assert run("show", form(number)).code == 0
    assert run("history", form(number)).code == 0
    assert run("forget", form(number)).code == 0


def test_a_second_add_under_a_key_revises(run: Run) -> None:
    run("add", "We deploy to eu-west-1.", "--key", "region")
    answer = run("add", "We deploy to eu-north-1.", "--key", "region")

    assert answer.out.startswith("Revised m")
    assert "(version 2)" in answer.out


def test_recall_says_when_nothing_is_known(run: Run) -> None:
    answer = run("recall", "which port?")

    assert (answer.code, answer.out) == (0, NOTHING + "\n")


def test_recall_in_json_is_one_object_with_scores_and_channels(run: Run) -> None:
    run("add", "Staging listens on port 8080.")
    found = json.loads(run("recall", "port of staging", "--json").out)

    assert list(found) == ["question", "unsure", "hits", "dropped"]
    assert found["unsure"] is False
    assert 0 < found["hits"][0]["score"] <= 1
    assert found["hits"][0]["channels"]
    assert list(found["hits"][0]["memory"]) == MEMORY_FIELDS


def test_recall_explains_what_each_channel_found(run: Run) -> None:
    run("add", "Staging listens on port 8080.")
    answer = run("recall", "port of staging", "--explain")

    assert "keyword" in answer.out
    assert "█" in answer.out


def test_recall_keeps_to_its_filter(run: Run) -> None:
    run("add", "Staging listens on port 8080.", "--project", "web")
    run("add", "Staging listens on port 9090.", "--project", "api")
    answer = run("recall", "staging port", "--project", "api")

    assert "9090" in answer.out
    assert "8080" not in answer.out


def test_list_narrows_by_every_filter(run: Run) -> None:
    wanted = added(
        run,
        "Wanted port 80",
        *"--project p --user u --kind k --tag t --category c --key a.b".split(),
    )
    added(run, "Other", "--tag", "x", "--key", "ab")
    options = "--project p|--user u|--kind k|--tag t|--category c|--key-prefix a"
    for option in f"{options}|--contains port|--pattern p?rt".split("|"):
        assert run("list", *option.split()).ids == [wanted], option


def test_list_narrows_by_time_and_the_same_option_twice_widens(run: Run) -> None:
    added(run, "One", "--tag", "a")
    added(run, "Two", "--tag", "b")

    assert len(run("list", "--tag", "a", "--tag", "b").ids) == 2
    assert len(run("list", "--since", "2020-01-01").ids) == 2
    assert run("list", "--before", "2020-01-01").ids == []


def test_list_off_a_terminal_is_uncut_and_separated_by_tabs(run: Run) -> None:
    text = "word " * 100 + "end"
    memory_id = added(run, text)

    assert run("list").out.split("\t")[0] == memory_id
    assert text in run("list").out


def test_list_says_how_to_go_on(run: Run) -> None:
    for text in ("One", "Two", "Three"):
        added(run, text)
    answer = run("list", "--limit", "2")

    assert len(answer.ids) == 2
    assert answer.err == "2 of 3 memories; --offset 2 shows the next.\n"
    assert len(run("list", "--limit", "2", "--offset", "2").ids) == 1


def test_forgotten_memories_are_listed_only_when_asked_for(run: Run) -> None:
    memory_id = added(run, "One")
    run("forget", memory_id)

    assert run("list").ids == []
    assert run("list", "--forgotten").ids == [memory_id]
    assert run("list", "--all").ids == [memory_id]


def test_revise_changes_what_is_named_and_nothing_else(run: Run) -> None:
    memory_id = added(
        run, "Old text", "--tag", "a", "--title", "Title", "--when", "2026-01-01T00:00Z"
    )
    run("revise", memory_id, "--tag", "b", "--title", "", "--when", "")
    memory = shown(run, memory_id)

    assert (memory["text"], memory["tags"], memory["title"], memory["happened_at"]) == (
        "Old text",
        ["b"],
        "",
        None,
    )


def test_a_stale_reviser_is_refused(run: Run) -> None:
    memory_id = added(run, "One")
    run("revise", memory_id, "Two")
    answer = run("revise", memory_id, "Three", "--expect", "1")

    assert answer.code == 5
    assert shown(run, memory_id)["text"] == "Two"


def test_history_tells_who_when_how_why_and_what(run: Run) -> None:
    memory_id = added(run, "Port 8080.\nSame line.", "--tag", "infra")
    run("revise", memory_id, "Port 9090.\nSame line.", "--tag", "web", "--reason", "moved")
    answer = run("history", memory_id)

    assert "version 1 · remembered" in answer.out
    assert "version 2 · revised" in answer.out
    assert "by ada · through cli" in answer.out
    assert "because: moved" in answer.out
    assert "  - Port 8080.\n  + Port 9090.\n    Same line.\n  tags: infra → web\n" in answer.out


def test_history_in_json_is_a_version_on_each_line(run: Run) -> None:
    memory_id = added(run, "One")
    run("forget", memory_id, "--reason", "old")
    first, second = objects(run("history", memory_id, "--json").out)

    assert (first["version"], first["action"], first["text"]) == (1, "remember", "One")
    assert (second["action"], second["dialect"], second["who"], second["reason"]) == (
        "forget",
        "cli",
        "ada",
        "old",
    )


def test_the_owner_is_the_author_when_one_is_set(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMONPLACE_OWNER", "Grace")
    memory_id = added(run, "One")

    assert objects(run("history", memory_id, "--json").out)[0]["who"] == "Grace"


def test_forgetting_can_be_taken_back(run: Run) -> None:
    memory_id = added(run, "One")

    assert run("forget", memory_id).out == f"Forgot {memory_id} (version 2)\n"
    assert run("restore", memory_id).out == f"Restored {memory_id} (version 3)\n"
    assert run("list").ids == [memory_id]


def test_forgetting_by_filter_asks_first(run: Run) -> None:
    added(run, "One", "--project", "old")
    added(run, "Two", "--project", "old")
    kept = added(run, "Three", "--project", "new")

    assert run("forget", "--project", "old", stdin="n\n").code == 3
    assert len(run("list").ids) == 3
    answer = run("forget", "--project", "old", stdin="y\n")
    assert answer.code == 0
    assert "Forget 2 memories?" in answer.err
    assert run("list").ids == [kept]


def test_a_dry_run_forgets_nothing(run: Run) -> None:
    memory_id = added(run, "One", "--project", "old")
    answer = run("forget", "--project", "old", "--dry-run")

    assert memory_id in answer.out
    assert "Nothing was changed." in answer.err
    assert run("list").ids == [memory_id]


def test_purge_erases_only_after_a_yes(run: Run) -> None:
    memory_id = added(run, "One")

    assert run("purge", memory_id, stdin="n\n").code == 3
    assert run("purge", memory_id).code == 3  # Nobody answers.
    assert run("show", memory_id).code == 0
    assert run("purge", memory_id, "--yes").out == f"Purged {memory_id}\n"
    assert run("show", memory_id).code == 4


@pytest.mark.parametrize(
    "way", [("--user", "ana"), ("--project", "web"), ("--user", "ana", "--project", "web")]
)
def test_purging_a_user_or_a_project_erases_what_it_has_and_says_so(
    run: Run, way: tuple[str, ...]
) -> None:
    gone = added(run, "One", "--user", "ana", "--project", "web")
    kept = added(run, "Two", "--user", "bob", "--project", "home")

    assert run("purge", *way, stdin="n\n").code == 3
    answer = run("purge", *way, "--yes")

    assert answer.out == f"Purged {gone}\n"
    assert "Erased 1 memory, 1 version" in answer.err
    assert run("list").ids == [kept]


def test_a_purge_ends_with_a_receipt_that_tells_no_words(run: Run) -> None:
    gone = added(run, "quux", "--user", "ana")

    answer = run("purge", "--user", "ana", "--yes", "--reason", "request 12", "--json")

    [receipt] = objects(answer.out)
    assert [(one["kind"], one["id"]) for one in receipt["gone"]] == [("memory", gone)]
    assert (receipt["counts"], receipt["reason"]) == ({"memory": 1, "version": 1}, "request 12")
    assert len(receipt["gone"][0]["hash"]) == len(receipt["asked"]["user"]) == 64
    assert "quux" not in answer.out
    assert '"ana"' not in answer.out


def test_a_purge_names_the_older_copies_that_may_still_contain_what_is_erased(
    run: Run, home: Path, tmp_path: Path
) -> None:
    first, second = added(run, "quux"), added(run, "zork")
    assert run("backup", str(tmp_path / "backup.db")).code == 0
    assert run("restore", "--backup", str(tmp_path / "backup.db"), "--yes").code == 0
    [copy] = home.glob("*.bak")

    [receipt] = objects(run("purge", first, "--yes", "--json").out)
    answer = run("purge", second, "--yes")
    copy.unlink()

    assert receipt["copies"] == [copy.name]
    assert f"may still contain it: {copy.name}. Delete" in answer.err
    assert "copies" not in run("purge", added(run, "Again"), "--yes").err


def test_a_purge_says_where_else_the_user_has_memories(run: Run) -> None:
    added(run, "One", "--user", "ana")
    added(run, "Two", "--user", "ana", "--bank", "trial")

    assert "--bank trial" in run("purge", "--user", "ana", "--yes").err


@pytest.mark.parametrize("way", [("purge", "--bank", "trial"), ("banks", "delete", "trial")])
def test_a_bank_is_deleted_after_a_yes(run: Run, way: tuple[str, ...]) -> None:
    kept = added(run, "One")
    added(run, "Two", "--bank", "trial")

    assert run(*way).code == 3
    assert "Erased 1 memory" in run(*way, "--yes").err

    assert [bank["name"] for bank in objects(run("banks", "--json").out)] == ["default"]
    assert run("list").ids == [kept]
    assert run(*way, "--yes").code == 4


def test_the_owner_limits_a_bank_and_lifts_the_limit(run: Run) -> None:
    added(run, "Two", "--bank", "trial")

    assert (
        "allows recall, list_memories"
        in run("banks", "allow", "trial", "recall", "list_memories").err
    )
    # The person at the command line is the owner.
    added(run, "Three", "--bank", "trial")
    assert objects(run("banks", "--json").out)[0]["config"] == {
        "mcp_enabled_tools": ["recall", "list_memories"]
    }
    assert "all tools" in run("banks", "allow", "trial", "--all").err
    assert objects(run("banks", "--json").out)[0]["config"] == {}
    assert "Did you mean recall?" in run("banks", "allow", "trial", "recal").err
    assert run("banks", "allow", "trial").code == 2
    assert run("banks", "allow", "elsewhere", "recall").code == 4


@pytest.mark.parametrize(
    "way",
    [(), ("m0s8127n3c02", "--user", "ana"), ("--document", "d", "--session", "s"), ("--user", "")],
)
def test_a_purge_that_means_nothing_or_two_things_is_refused(
    run: Run, way: tuple[str, ...]
) -> None:
    kept = added(run, "One")

    assert run("purge", *way, "--yes").code == 2
    assert run("list").ids == [kept]


def test_an_export_can_be_of_one_user(run: Run) -> None:
    added(run, "quux", "--user", "ana")
    added(run, "zork", "--user", "bob")

    out = run("export", "--user", "ana").out

    assert "quux" in out
    assert "zork" not in out


def test_purging_the_forgotten_keeps_the_rest(run: Run) -> None:
    kept, gone = added(run, "One"), added(run, "Two")
    run("forget", gone)

    [receipt] = objects(run("purge", "--forgotten", "--yes", "--json").out)
    assert [one["id"] for one in receipt["gone"]] == [gone]
    assert run("list", "--all").ids == [kept]


def test_tags_projects_and_banks_are_counted(run: Run) -> None:
    added(run, "One", "--tag", "team:web", "--project", "site")
    added(run, "Two", "--tag", "team:api", "--tag", "x")
    added(run, "Three", "--bank", "home")

    assert objects(run("tags", "team:*", "--json").out) == [
        {"tag": "team:api", "count": 1},
        {"tag": "team:web", "count": 1},
    ]
    assert [p["name"] for p in objects(run("projects", "--json").out) if p["name"]] == ["site"]
    banks = {bank["name"]: bank["memory_count"] for bank in objects(run("banks", "--json").out)}
    assert banks == {"default": 2, "home": 1}


def test_banks_are_walls(run: Run) -> None:
    memory_id = added(run, "Three", "--bank", "home")

    assert run("show", memory_id, "--bank", "home").code == 0
    assert run("list").ids == []


def test_home_before_or_after_the_command_wins_over_the_environment(
    run: Run, tmp_path: Path
) -> None:
    other = str(tmp_path / "other")
    run("--home", other, "add", "One")

    assert run("list").out == ""
    assert "One" in run("list", "--home", other).out
    assert "One" in run("--home", other, "list").out


def test_settings_show_the_value_and_where_it_comes_from(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMONPLACE_OWNER", "Grace")
    rows = {row["name"]: row for row in objects(run("settings", "--json").out)}

    assert (rows["owner"]["value"], rows["owner"]["source"]) == ("Grace", "COMMONPLACE_OWNER")
    assert rows["embedder"]["source"] == "default"
    assert objects(run("--home", "/nowhere", "settings", "--json").out)[0]["source"] == "--home"


def test_settings_never_show_a_secret(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for setting in SETTINGS:
        if setting.secret:
            monkeypatch.setenv(setting.variable, "hush")

    assert "hush" not in run("settings").out + run("settings", "--json").out
    assert "not shown" in run("settings").out


@pytest.mark.parametrize(
    ("variable", "value", "shown"),
    [
        ("LLM_URL", "https://ada:hush@models.example/v1", "https://***@models.example/v1"),
        ("LLM_URL", "https://ada:hu#s/h?@models.example/v1", "https://***@models.example/v1"),
        ("LLM_URL", "ada:hush@models.example/v1", "***@models.example/v1"),
        (
            "LLM_URL",
            "https://models.example/v1?key=hush&hush#hush",
            "https://models.example/v1?key=***&***#***",
        ),
        ("LLM_URL", "http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        ("DATABASE", "postgres://ada:hush@db.example/store", "postgres://***@db.example/store"),
        (
            "HINDSIGHT_INSTRUCTIONS",
            "Ask https://ada:hush@x.example first.",
            "Ask https://***@x.example first.",
        ),
    ],
)
def test_settings_show_no_password_or_key_in_a_url(
    run: Run, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, shown: str
) -> None:
    monkeypatch.setenv(f"COMMONPLACE_{variable}", value)

    text, rows = run("settings"), objects(run("settings", "--json").out)

    assert f"  {shown} (from COMMONPLACE_{variable}" in text.out
    assert (
        next(row["value"] for row in rows if row["variable"] == f"COMMONPLACE_{variable}") == shown
    )
    assert "hu" not in "".join(str(row["value"]) for row in rows)


def test_a_database_that_is_refused_is_named_without_its_password(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMMONPLACE_DATABASE", "postgres://ada:hush@db.example/store")

    answer = run("list")

    assert answer.code == 2
    assert "postgres://***@db.example/store" in answer.err
    assert "hush" not in answer.err


def test_what_was_exported_comes_back_the_same(run: Run, tmp_path: Path) -> None:
    memory_id = added(run, "One 数据", "--tag", "a")
    run("revise", memory_id, "Two")
    run("forget", memory_id)
    archive, other = tmp_path / "a.jsonl", str(tmp_path / "other")

    assert run("export", str(archive)).code == 0
    dry = run("import", str(archive), "--dry-run", "--home", other)
    assert dry.err.startswith("Would import")
    assert run("list", "--all", "--home", other).ids == []
    assert run("import", str(archive), "--home", other).code == 0
    assert (
        run("export", "--home", other).out
        == archive.read_text(encoding="utf-8")
        == run("export", "-").out
    )


def test_an_archive_travels_through_a_pipe(program: Run) -> None:
    program("commonplace add One")
    answer = program("commonplace export | commonplace --home other import -")

    assert answer.code == 0
    assert "One" in program("commonplace --home other list").out


def test_a_backup_brings_back_what_was_purged(run: Run, tmp_path: Path) -> None:
    memory_id = added(run, "One")
    copy = str(tmp_path / "copy.db")

    assert json.loads(run("backup", copy, "--json").out)["size_bytes"] > 0
    run("purge", memory_id, "--yes")
    assert run("restore", "--backup", copy, stdin="n\n").code == 3
    assert run("restore", "--backup", copy, "--yes").code == 0
    assert run("show", memory_id).code == 0


def test_rebuild_ends_with_a_summary(run: Run) -> None:
    added(run, "One")
    answer = run("rebuild")

    assert answer.code == 0
    assert "1 memory" in answer.err


def test_doctor_says_in_two_lines_that_all_is_well_and_more_on_request(run: Run) -> None:
    added(run, "Staging listens on port 8080.")

    answer, verbose = run("doctor"), run("doctor", "--verbose")

    assert (answer.code, answer.err) == (0, "")
    assert re.fullmatch(
        r"All is well: \d+ checks passed.\nThe store has 1 memory in 1 bank. --verbose shows every"
        r" check.\n",
        answer.out,
    )
    assert verbose.code == 0
    assert verbose.out.splitlines()[0] == "integrity\tok\tThe file is sound."
    assert len(verbose.out.splitlines()) > 20


def test_doctor_shows_a_problem_in_full_and_nothing_else(run: Run, home: Path) -> None:
    added(run, "Staging listens on port 8080.")
    with closing(sqlite3.connect(home / "commonplace.db")) as store:
        store.execute("delete from versions")
        store.commit()

    answer = run("doctor")

    assert answer.code == 1
    assert "versions\tproblem\t" in answer.out
    assert "\tok\t" not in answer.out
    assert "problem" in answer.err


@pytest.mark.parametrize(
    ("name", "value", "advice"),
    [
        ("COMMONPLACE_LLM_PROVIDER", "oppenai", "Did you mean openai?"),
        ("COMMONPLACE_LLM_PROVIDER", "qwen", "Set COMMONPLACE_LLM_API_KEY."),
        ("COMMONPLACE_LLM_URL", "localhost:8080/v1", "Correct COMMONPLACE_LLM_URL."),
    ],
)
def test_doctor_warns_of_a_language_model_that_cannot_be_used(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str, value: str, advice: str
) -> None:
    added(run, "One")
    monkeypatch.setenv(name, value)

    answer = run("doctor")

    assert answer.code == 0
    assert answer.out.startswith("language model\twarning\t")
    assert advice in answer.out


def test_doctor_finds_a_healthy_store_healthy(run: Run) -> None:
    added(run, "One")
    answer = run("doctor", "--json")

    assert answer.code == 0
    assert all(
        set(finding) == {"check", "state", "text", "hint"} for finding in objects(answer.out)
    )


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo terminal")
def test_a_terminal_shows_a_table_that_fits_it(terminal: Callable[..., str]) -> None:
    terminal("commonplace add '" + "数据 word " * 100 + "' --tag infra")
    lines = terminal("commonplace list", NO_COLOR="1").splitlines()

    assert lines[0].split() == ["Id", "Made", "Kind", "Text", "About"]
    assert "…" in lines[2]
    assert max(display_width(line) for line in lines) <= 80


# What a person sees of each: answers, tables, help, failures, questions and progress.
ON_A_TERMINAL = (
    "add One --tag a",
    "list",
    "recall One --explain",
    "history $(commonplace list | cut -f1)",
    "settings",
    "doctor --verbose",
    "connect",
    "nonsense",
    "show m0vc3sn6j",
    "forget --tag a",
    "rebuild",
    "vault status",
    "help",
    "help add",
    "--help",
)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo terminal")
def test_colours_appear_on_a_terminal(terminal: Callable[..., str]) -> None:
    for command in ("add One", "list", "recall One", "settings", "nonsense", "rebuild"):
        assert COLOUR.search(terminal(f"commonplace {command} 2>&1")), command


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo terminal")
@pytest.mark.parametrize("unwanted", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_no_colours_gets_none(
    terminal: Callable[..., str], unwanted: dict[str, str]
) -> None:
    for command in ON_A_TERMINAL:
        printed = terminal(f"commonplace {command} 2>&1", **unwanted)
        assert printed.strip(), command
        assert not COLOUR.search(printed), command


@pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo terminal")
def test_a_stored_text_cannot_steer_the_terminal(terminal: Callable[..., str]) -> None:
    terminal(r"printf 'red \033[31m and a bell \a' | commonplace add - --tag x")

    for command in (
        "list",
        "recall red",
        "show $(commonplace list | cut -f1)",
        "history $(commonplace list | cut -f1)",
    ):
        shown = terminal(f"commonplace {command}", NO_COLOR="1")
        assert "red" in shown
        assert "\x1b" not in shown
        assert "\a" not in shown
