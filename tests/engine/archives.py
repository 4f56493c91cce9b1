"""Homes to export from and import into, and a hand on the file itself."""

from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw

from commonplace.app import open_engine
from commonplace.clock import Clock
from commonplace.engine import documents
from commonplace.engine.engine import Engine
from commonplace.engine.operations import archive, jobs
from commonplace.engine.reflect.directives import Directive
from commonplace.engine.sessions import reminders, sessions, streams
from commonplace.records.memory import BankEdit, Draft, Edit, IdempotencyKey, Origin, Scope
from commonplace.records.work import DocumentDraft, EventDraft, ReminderDraft, SessionDraft
from commonplace.settings import load
from tests.conftest import StoppedClock

BY = Origin(who="ada", dialect="vault", session="s1", reason="because\u2028so")


def open_home(path: Path, clock: Clock) -> Engine:
    return open_engine(load({"COMMONPLACE_HOME": str(path), "COMMONPLACE_EMBEDDER": "none"}), clock)


def open_filled(path: Path, clock: StoppedClock) -> Engine:
    """A home with one of everything."""
    path.mkdir(mode=0o700)
    store = path / "commonplace.db"
    store.touch(mode=0o600)
    store.write_bytes(_filled())
    return open_home(path, clock)


@cache
def _filled() -> bytes:
    # Made once: thirty commits for each of two hundred tests would be most of their time.
    with TemporaryDirectory() as folder:
        engine = open_home(Path(folder), StoppedClock())
        fill(engine)
        engine.db.close()
        return engine.db.path.read_bytes()


def fill(engine: Engine) -> None:
    """One of everything: versions, tombstones, keys, scopes, documents, sessions, reminders,
    streams, jobs, replies.
    """
    engine.create_bank(
        "work",
        BankEdit(title="Work", mission="Remember 工作", config={"b": 1, "a": [True, None, 1.5]}),
    )
    document, _ = documents.put_document(
        engine, "work", DocumentDraft("notes.md", "A\nB", tags=("x", "y"))
    )
    memory = engine.remember(
        "work", Draft("It began.", document_id=document.id, paths=("src/**",)), BY
    ).memory
    engine.revise(
        "work", memory.id, Edit(text="It went on. 🐙\u2028\x85\u2029 \\u0000", tags=("b", "a")), BY
    )
    engine.revise(
        "work", memory.id, Edit(metadata={"z": {"ü": [1, 2.5, 1.0]}, "a": "北京\n", "big": 10**30})
    )
    keyed = Draft(
        "5432", key="db.port", happened_at=-5, happened_until=7, expires_at=9_000_000_000_000
    )
    port = engine.remember(
        "home", Draft("5432", key="db.port", scope=Scope("app", "ada", "agent", "run"))
    ).memory
    engine.remember("home", keyed)
    engine.forget("home", [port.id], BY)
    engine.restore("home", [port.id])
    engine.forget("home", [port.id])
    gone = engine.remember("home", Draft("Soon gone.", scope=Scope("app"))).memory
    engine.purge("home", [gone.id])
    engine.remember_once("home", IdempotencyKey("s", "add", "k1"), Draft("Once."))
    engine.once(
        "home", IdempotencyKey("", "tool", "k2"), "content", lambda: {"answer": ["ü", None, 1]}
    )
    session = sessions.start_session(engine, "home", SessionDraft("Talk", metadata={"k": "v"}))
    for number in range(3):
        sessions.checkpoint_session(
            engine, "home", session.id, EventDraft(f"Said {number}", token_count=number)
        )
    sessions.snapshot_session(engine, "home", session.id)
    sessions.end_session(engine, "home", session.id)
    reminders.add_reminder(
        engine, "home", ReminderDraft("0 9 * * 1", "Stand up!", timezone="Europe/Rome")
    )
    engine.add_directive("home", Directive("Tone", "Be brief.", 2, tags=("style",)))
    stream = streams.start_stream(engine, "home", Draft("", tags=("later",)))
    streams.append_chunk(engine, "home", stream.id, "first ")
    streams.append_chunk(engine, "home", stream.id, "")
    jobs.enqueue(engine, "work", "index", {"ids": [memory.id]})
    jobs.cancel_job(engine, "work", jobs.enqueue(engine, "work", "index", {}).id)


def exported(engine: Engine, bank: str | None = None) -> list[str]:
    lines: list[str] = []
    archive.export(engine, lines.append, bank=bank)
    return lines


def meddle(engine: Engine, *statements: str) -> None:
    """Change the file behind the engine's back."""
    with closing(apsw.Connection(str(engine.db.path))) as connection:
        for statement in statements:
            connection.execute(statement)


def peek(engine: Engine, question: str) -> list[Any]:
    with closing(apsw.Connection(str(engine.db.path))) as connection:
        return connection.execute(question).fetchall()
