"""Stores as earlier versions left them, as SQL: made once by the code of their time, and loaded by
tests ever after.

`python -m tests.storage.old_stores` writes `stores/NNNN.sql` and `stores/NNNN.json` for the newest
migration of the code at hand: the store, and what the engine answered about it. Run it before you
add a migration. Nothing in it is of anybody's: all content is invented here.
"""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw

from commonplace.app import open_engine
from commonplace.clock import Clock
from commonplace.dialects import registry
from commonplace.engine.catch_up import catch_up_links
from commonplace.engine.engine import Engine
from commonplace.engine.operations import worker
from commonplace.recall.vector_index import VectorIndex
from commonplace.records.memory import BankEdit, Draft, Edit, IdempotencyKey, Scope
from commonplace.records.query import AllOf, Filter, LabelMatch, Match, Query, TagMatch
from commonplace.records.receipt import Portion
from commonplace.records.work import ReminderDraft, SessionDraft
from commonplace.settings import load
from commonplace.storage import migrations
from commonplace.storage.rows import derivations, jobs
from commonplace.vault.sync import sync
from commonplace.vault.vault import vault_of
from tests.conftest import StoppedClock
from tests.dialects.dialect_client import Client
from tests.dialects.hindsight_client import Hindsight
from tests.engine.archives import BY, exported, fill
from tests.recall.embedders import HashEmbedder
from tests.vault.note_files import edit, kept

STORES = Path(__file__).parent / "stores"
_NUMBER = ("shelf", "number")
# One for each column with an index, one for each kind of condition, and each state of a memory.
FILTERS = {
    "all": Filter(status="any", expired=True),
    "forgotten": Filter(status="forgotten"),
    "a user": Filter(users=("ben",)),
    "nobody": Filter(users=("",)),
    "an agent": Filter(agents=("scout",)),
    "a run": Filter(runs=("night",)),
    "a project": Filter(projects=("harbour",)),
    "a kind": Filter(kinds=("rule",)),
    "a category": Filter(categories=("supplies",)),
    "a key": Filter(key_prefix="lamps"),
    "tags": Filter(where=TagMatch(("oil", "wicks"), "any_strict")),
    "labels": Filter(where=LabelMatch(("project:harbour",), "any_strict")),
    "a field": Filter(where=Match(_NUMBER, "eq", 7)),
    "a span of a field": Filter(
        where=AllOf((Match(("shelf", "number"), "gt", 7), Match(("shelf", "number"), "lt", 9)))
    ),
    "a null": Filter(where=Match(("shelf",), "eq", None)),
    "another user": Filter(where=Match(("user",), "eq", "ben", own=True)),
}
QUESTIONS = (
    "Where is the lamp oil kept?",
    "How long are the wicks?",
    "Where does Dora live?",
    "Who mends the sail?",
)


def open_small(home: Path, clock: Clock) -> Engine:
    """An engine with small vectors, so that a store can be kept as text."""
    settings = load({"COMMONPLACE_HOME": str(home), "COMMONPLACE_RERANKER": "none"})
    semantics = VectorIndex(HashEmbedder("hash-16", 16))
    return replace(open_engine(settings, clock), semantics=lambda: semantics)


def fill_all(engine: Engine, clock: StoppedClock) -> None:
    """At least one row in every table, and one of every state that a row can have."""
    fill(engine)
    _lamps(engine, clock)
    _facts(engine, clock)
    _jobs(engine)
    _activities(engine)
    _notes(engine)
    for bank in engine.list_banks():
        engine.recall(bank.name, Query("oil"))
        catch_up_links(engine, bank.id, (), 60_000)
    # These wait for a vector.
    clock.advance(1)
    engine.remember("lamps", Draft("The newest lamp has no vector yet."))
    dora = engine.list("default", Filter(kinds=("observation",)))[0]
    with engine.db.transaction():
        # As a process leaves it that ends before what rests on a memory follows.
        derivations.mark_changed(
            engine.db, dora.bank_id, derivations.source_ids(engine.db, [dora.id])[:1]
        )


def _lamps(engine: Engine, clock: StoppedClock) -> None:
    ben = Scope("harbour", "ben", "scout", "night")
    engine.create_bank(
        "lamps", BankEdit(title="Lamps", config={"mcp_enabled_tools": ["recall", "sync_retain"]})
    )
    shelf = {"shelf": {"number": 7, "sides": ["left", "right"], "label": "ü" * 120}}
    engine.remember(
        "lamps",
        Draft("The lamp oil is kept on shelf seven.", scope=ben, tags=("oil",), metadata=shelf),
    )
    wicks = Draft(
        "Wicks are a hand long.", scope=replace(ben, agent="", run=""), tags=("wicks",), kind="rule"
    )
    engine.remember("lamps", replace(wicks, category="supplies", paths=("lamps/**",)), BY)
    for number, words in enumerate(("Port: 8080", "Port: 9090", "The sail is mended by Cleo."), 8):
        clock.advance(1)
        engine.remember("lamps", Draft(words, metadata={"shelf": {"number": number, "full": True}}))
    keyed = Draft(
        "Brass", scope=Scope("harbour"), key="lamps.metal", happened_at=5, happened_until=9
    )
    metal = engine.remember("lamps", keyed).memory.id
    engine.revise("lamps", metal, Edit(text="Copper"), BY)
    gone = engine.remember(
        "lamps", Draft("The old tower was white.", expires_at=clock.now() + 5)
    ).memory.id
    engine.forget("lamps", [gone], BY)
    for key in ("before", "erased"):
        engine.remember_once(
            "lamps",
            IdempotencyKey("s", "add", key),
            Draft(f"The {key} jar of Zoe.", scope=Scope("", "zoe")),
            BY,
        )
    engine.erase("lamps", Portion(user="zoe"), BY)


def _facts(engine: Engine, clock: StoppedClock) -> None:
    hindsight = Hindsight(engine)
    hindsight.sync_retain(
        "Dora lives in Rome. Dora works at Acme. Dora has a dog.",
        document_id="dora.md",
        tags=["people"],
    )
    hindsight(
        "create_mental_model",
        name="Dora",
        source_query="Where does Dora live?",
        mental_model_id="dora",
    )
    timed = {"refresh_cron": "0 3 * * *"}
    hindsight(
        "create_mental_model",
        name="Dogs",
        source_query="Who has a dog?",
        mental_model_id="dogs",
        trigger=timed,
    )
    folder = hindsight("create_knowledge_folder", name="People")["id"]
    hindsight(
        "create_knowledge_page",
        name="Page of Dora",
        source_query="What does Dora do?",
        parent_id=folder,
    )
    hindsight("create_directive", name="Tone", content="Be brief.")
    clock.advance(1000)
    hindsight.sync_retain("Dora plays chess.")


def _jobs(engine: Engine) -> None:
    """One in every state; `fill` leaves a pending and a cancelled one."""

    def broken(_context: object) -> object:
        raise ValueError("no")

    engine.enqueue("lamps", "good", {"n": 1})
    engine.enqueue("lamps", "bad", {"n": 2}, attempts_max=1)
    done = worker.run_pending(engine, {"good": lambda _: {"found": 3}, "bad": broken})
    assert len(done) == 2
    held = engine.enqueue("lamps", "slow", {"document": "dora.md"})
    with engine.db.transaction():
        # As a worker leaves it that is killed.
        jobs.claim(engine.db, "worker that was killed", held.run_at, 60_000, ("slow",))
    assert engine.get_job("lamps", held.id).state == "running"


def _notes(engine: Engine) -> None:
    vault = vault_of(engine)
    plan = kept(vault, "Plan", "Buy oil.\n\nCall Ada.\n\nSee [[Shore]].", "trip")
    kept(vault, "Shore", "The shore is far.")
    kept(vault, "Lost", "Nobody finds it.")
    (vault.root / "hand.md").write_text("My own words, with [[Plan]].")
    sync(vault)
    engine.revise("default", plan.id, Edit(text="Buy oil.\n\nCall Ben.\n\nSee [[Shore]]."), BY)
    edit(vault, "Plan.md", "Call Ada.", "Write to Ada.")
    (vault.root / "Lost.md").unlink()
    sync(vault)
    sync(vault, settle=False)
    doomed = [
        kept(vault, "Burnt", "Ashes."),
        *(one for one in engine.list("default") if one.text.startswith("My own")),
    ]
    engine.purge("default", [doomed[0].id], BY)
    sync(vault)
    engine.purge("default", [one.id for one in doomed[1:]], BY)
    burnt = kept(vault, "Burning", "Soon ashes.")
    # Its file still waits to be removed.
    engine.purge("default", [burnt.id], BY)


def _activities(engine: Engine) -> None:
    client = Client(engine, registry.single_bank("memories"))
    client.result(
        "add_memory",
        content="Ada mends the nets.",
        user_id="ada",
        project_id="harbour",
        tags=["nets"],
    )
    client.result(
        "add_reminder",
        cron="0 9 * * 1",
        message="Trim the wicks.",
        user_id="ada",
        project_id="harbour",
    )
    daily = engine.add_reminder(
        "default", ReminderDraft("30 8 * * *", "Fill the lamps.", timezone="Europe/Rome")
    )
    engine.disable_reminder("default", daily.id)
    engine.start_session(
        "default", SessionDraft("Open talk", user="ada", project="harbour", client="tester")
    )


def answers(engine: Engine) -> dict[str, Any]:
    """What an engine says of its store, in a form that can be kept."""
    told: dict[str, Any] = {"export": [json.loads(line) for line in exported(engine)]}
    told["sound"] = sorted(
        f"{one.check}: {one.text}" for one in engine.doctor() if one.state != "ok"
    )
    for bank in engine.list_banks():
        listed = {
            name: [one.id for one in engine.list(bank.name, chosen, limit=100)]
            for name, chosen in FILTERS.items()
        }
        models = engine.list_mental_models(bank.name)
        told[bank.name] = {
            "lists": listed,
            "tags": [asdict(one) for one in engine.list_tags(bank.name)],
            "links": [asdict(link) for link in engine.list_links(bank.name, listed["all"])],
            "jobs": dict(engine.count_jobs(bank.name)),
            "stale models": [model.name for model in models if engine.is_stale(bank.name, model)],
            "unsettled": engine.unpropagated_count(bank.name),
            "first hits": [
                [hit.memory.id for hit in _hits(engine, bank.name, asked)[:1]]
                for asked in QUESTIONS
            ],
            "projects": [asdict(one) for one in engine.list_projects(bank.name)],
        }
    plain: dict[str, Any] = json.loads(json.dumps(told))
    return plain


def _ids(engine: Engine, bank: str, chosen: Filter) -> list[int]:
    return [one.id for one in engine.list(bank, chosen, limit=100)]


def _hits(engine: Engine, bank: str, asked: str) -> Any:
    return engine.recall(bank, Query(asked, limit=3)).hits


def dumped(path: Path) -> Iterator[str]:
    """A store as SQL: the schema word for word as the file has it, and every row."""
    with closing(apsw.Connection(str(path))) as store:
        yield "pragma auto_vacuum = incremental;"
        yield f"pragma application_id = {store.pragma('application_id')};"
        yield f"pragma user_version = {store.pragma('user_version')};"
        found = store.execute(
            "select type, name, sql from sqlite_schema where sql is not null order by rowid"
        ).fetchall()
        virtual = [
            str(name) for _, name, sql in found if str(sql).lower().startswith("create virtual")
        ]
        own = [
            one
            for one in found
            if not str(one[1]).startswith(("sqlite_", *(f"{name}_" for name in virtual)))
        ]
        yield from (f"{sql};" for type_, _, sql in own if type_ == "table")
        for name in virtual:
            yield f"insert into {name} ({name}, rank) values ('secure-delete', 1);"
        tables = [str(name) for type_, name, _ in own if type_ == "table"]
        for name in [*tables, "sqlite_sequence"]:
            yield from _rows(store, name, with_rowid=name in virtual)
        yield from (f"{sql};" for type_, _, sql in own if type_ != "table")


def _rows(store: apsw.Connection, table: str, *, with_rowid: bool) -> Iterator[str]:
    # Generated columns are not listed here, and cannot be inserted.
    columns = [str(row[1]) for row in store.execute(f"pragma table_info({table})")]
    columns = ["rowid", *columns] if with_rowid else columns
    values = " || ', ' || ".join(f"quote({column})" for column in columns)
    for (row,) in store.execute(f"select {values} from {table} order by 1"):
        # On one line, whatever the texts hold.
        text = str(row).replace("\r", "'||char(13)||'").replace("\n", "'||char(10)||'")
        yield f"insert into {table} ({', '.join(columns)}) values ({text});"


def load_store(name: str, path: Path) -> None:
    """Make the file of a store that was kept as SQL."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    with closing(apsw.Connection(str(path))) as store:
        store.execute("begin")
        store.execute((STORES / f"{name}.sql").read_text(encoding="utf-8"))
        store.execute("commit")


def undo_renaming(store: apsw.Connection) -> None:
    """Give tables, columns and indexes of a present store the names they had before
    0016_schema_words.
    """
    [step] = [one for one in migrations.packaged_steps() if one.name == "0016_schema_words"]
    statements = re.sub(r"--.*", "", step.sql).split(";")
    dropped = list[str]()
    for statement in reversed([" ".join(one.split()) for one in statements if one.strip()]):
        match statement.split():
            case ["alter", "table", old, "rename", "to", new]:
                store.execute(f"alter table {new} rename to {old}")
            case ["alter", "table", table, "rename", "column", old, "to", new]:
                store.execute(f"alter table {table} rename column {new} to {old}")
            case ["create", "index", name, *_]:
                store.execute(f"drop index {name}")
            case ["drop", "index", name]:
                dropped.append(name)
            case _:
                raise ValueError(statement)
    before = (STORES / "0015.sql").read_text(encoding="utf-8")
    for name in dropped:
        [made] = re.findall(rf"^CREATE INDEX {name} .*;$", before, re.MULTILINE)
        store.execute(made)
    store.execute("delete from migrations where name = '0016_schema_words'")


def told_then(name: str) -> dict[str, Any]:
    """What the engine that made a store answered about it."""
    told: dict[str, Any] = json.loads((STORES / f"{name}.json").read_text(encoding="utf-8"))
    return told


def main() -> None:
    """Keep a store of the code at hand, and what the engine says about it."""
    name = migrations.packaged_steps()[-1].name[:4]
    clock = StoppedClock()
    with TemporaryDirectory() as folder:
        engine = open_small(Path(folder), clock)
        fill_all(engine, clock)
        engine.db.close()
        store = "\n".join(dumped(engine.db.path)) + "\n"
        (STORES / f"{name}.sql").write_text(store, encoding="utf-8")
    with TemporaryDirectory() as folder:
        # Of the store as it was kept, in a home without its notes, which is what a test has too.
        clock = StoppedClock()
        load_store(name, Path(folder) / "commonplace.db")
        engine = open_small(Path(folder), clock)
        told = json.dumps(answers(engine), ensure_ascii=False, indent=0, sort_keys=True)
        engine.db.close()
        (STORES / f"{name}.json").write_text(told + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
