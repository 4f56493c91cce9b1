"""Reminders of memories.sh are imported; other tables are skipped and reported."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from commonplace.dialects import registry
from commonplace.engine.engine import Engine
from tests.dialects.dialect_client import Client
from tests.importers import files
from tests.importers.conftest import Bring


def database(path: Path, *rows: dict[str, Any]) -> Path:
    """A local.db as memories.sh leaves it, with reminders, a session and a file that it
    synchronises.
    """
    with closing(files.memories_sh(path, files.RULE)) as connection, connection:
        connection.executescript(
            """create table if not exists reminders (id TEXT PRIMARY KEY, message TEXT NOT NULL,
                 cron_expression TEXT NOT NULL, scope TEXT NOT NULL DEFAULT 'global',
                 project_id TEXT,
                 enabled INTEGER NOT NULL DEFAULT 1, last_triggered_at TEXT,
                 next_trigger_at TEXT, created_at TEXT,
                 updated_at TEXT);
               create table if not exists memory_sessions (id TEXT PRIMARY KEY, title TEXT);
               create table if not exists files (id TEXT PRIMARY KEY, path TEXT, content TEXT);
               insert or replace into memory_sessions values ('s', 'Refactoring');
               insert or replace into files values ('f', '.cursor/rules/a.mdc', 'x');"""
        )
        for row in rows:
            put(connection, row)
    return path


def put(connection: sqlite3.Connection, row: dict[str, Any]) -> None:
    names = ", ".join(row)
    connection.execute(
        f"insert or replace into reminders ({names}) values ({', '.join('?' * len(row))})",
        [*row.values()],
    )


WEEKLY = {"id": "tMqt2KwffoRY", "message": "Rotate the keys", "cron_expression": "5/10 9 * * 1-5/2"}
RESTING = {"id": "r2", "message": "Water the fern", "cron_expression": "0 8 * * *", "enabled": 0}
OF_A_PROJECT = {
    "id": "r3",
    "message": "Deploy",
    "cron_expression": "0 9 * * 2",
    "scope": "project",
    "project_id": "shop",
}


def test_a_reminder_is_listed_by_the_tools_of_memories_sh_with_its_schedule(
    tmp_path: Path, engine: Engine, brought: Bring
) -> None:
    report = brought(database(tmp_path / "local.db", WEEKLY, RESTING, OF_A_PROJECT))

    client = Client(engine, registry.single_bank("memories"))
    listed = client.result("list_reminders", include_disabled=True, project_id="shop")[
        "structuredContent"
    ]["data"]["reminders"]
    assert report.reminders == 3
    # There, 5/10 means the fifth minute alone.
    assert {
        (one["message"], one["cronExpression"], one["enabled"], one.get("projectId"))
        for one in listed
    } == {
        ("Rotate the keys", "5 9 * * 1-5/2", True, None),
        ("Water the fern", "0 8 * * *", False, None),
        ("Deploy", "0 9 * * 2", True, "shop"),
    }
    assert dict(report.skipped) == {"a session": 1, "a file made by an editor": 1}


def test_a_reminder_comes_once_changes_with_its_source_and_stays_away_when_deleted_here(
    tmp_path: Path, engine: Engine, brought: Bring
) -> None:
    path = database(tmp_path / "local.db", WEEKLY)
    told = brought(path, dry_run=True)
    assert (told.reminders, engine.list_reminders("default")) == (1, ())
    brought(path)
    again = brought(path)
    database(path, WEEKLY | {"message": "Rotate all keys"})
    changed = brought(path)
    (reminder,) = engine.list_reminders("default")
    engine.delete_reminder("default", reminder.id)
    gone = brought(path)

    assert (again.reminders, again.unchanged, changed.reminders) == (0, 2, 1)
    assert reminder.message == "Rotate all keys"
    assert (gone.skipped["erased from the store"], engine.list_reminders("default")) == (1, ())


def test_a_schedule_that_means_nothing_is_named_and_the_others_are_taken(
    tmp_path: Path, brought: Bring
) -> None:
    report = brought(
        database(tmp_path / "local.db", WEEKLY | {"cron_expression": "every day"}, RESTING)
    )

    assert (report.reminders, report.broken_count) == (1, 1)
    assert report.broken[0].location == "reminder tMqt2KwffoRY"
