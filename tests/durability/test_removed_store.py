"""A write is acknowledged only if the next start will find it, whatever happened to the files
meanwhile.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import commonplace
from commonplace.engine.engine import Engine
from commonplace.engine.operations import backups
from commonplace.errors import Unsupported
from commonplace.records.memory import Draft
from tests.faces.http_client import server


def remove(store: Path) -> None:
    for file in store.parent.glob(f"{store.name}*"):
        file.unlink()


def rename_home(store: Path) -> None:
    store.parent.rename(store.parent.with_name("synced-away"))


def replace_by_rubbish(store: Path) -> None:
    other = store.with_name("other")
    other.write_bytes(b"not a database" * 1000)
    other.replace(store)


def replace_by_copy(store: Path) -> None:
    other = store.with_name("other")
    shutil.copy(store, other)
    other.replace(store)


def remove_log(store: Path) -> None:
    store.with_name(f"{store.name}-wal").unlink()


@pytest.mark.parametrize(
    "happens", [remove, rename_home, replace_by_rubbish, replace_by_copy, remove_log]
)
def test_a_write_is_refused_when_the_open_store_is_no_longer_at_its_path(
    engine: Engine, happens: Callable[[Path], None]
) -> None:
    engine.remember("b", Draft("The boat is called Alba."))

    happens(engine.db.path)

    for _ in range(2):
        with pytest.raises(Unsupported, match="was removed") as refused:
            engine.remember("b", Draft("This must not be lost."))
        assert refused.value.hint
    assert not engine.db.in_transaction


def test_a_store_that_was_removed_is_not_replaced_by_an_empty_file(engine: Engine) -> None:
    engine.remember("b", Draft("The boat is called Alba."))
    remove(engine.db.path)

    with engine.db.snapshot(), pytest.raises(Unsupported):
        engine.remember("b", Draft("This must not be lost."))

    assert not engine.db.path.exists()


def test_a_write_during_which_the_store_is_removed_is_not_acknowledged(engine: Engine) -> None:
    engine.remember("b", Draft("The boat is called Alba."))

    def write() -> None:
        with engine.db.transaction():
            engine.remember("b", Draft("This must not be lost."))
            remove(engine.db.path)

    with pytest.raises(Unsupported):
        write()


def test_writing_goes_on_when_the_file_is_put_back(engine: Engine) -> None:
    engine.remember("b", Draft("The boat is called Alba."))
    home = engine.db.path.parent
    away = home.rename(home.with_name("away"))
    with pytest.raises(Unsupported):
        engine.remember("b", Draft("Not now."))

    away.rename(home)

    assert engine.remember("b", Draft("Now.")).memory.version == 1


def test_a_store_without_its_log_loses_nothing_when_all_processes_stop(home: Path) -> None:
    engine = commonplace.open(home)
    number = engine.remember("b", Draft("The boat is called Alba.")).memory.id
    remove_log(engine.db.path)
    with pytest.raises(Unsupported):
        engine.remember("b", Draft("Not now."))

    engine.db.close()

    assert commonplace.open(home).get("b", number).text == "The boat is called Alba."


def test_a_restore_under_another_process_lets_it_go_on(home: Path, tmp_path: Path) -> None:
    here, there = commonplace.open(home), commonplace.open(home)
    number = here.remember("b", Draft("The boat is called Alba.")).memory.id
    backups.backup(here, tmp_path / "backup.db")
    there.remember("b", Draft("After the backup."))

    backups.restore_backup(there, tmp_path / "backup.db")

    assert here.remember("b", Draft("After the restore.")).memory.version == 1
    assert here.get("b", number).text == "The boat is called Alba."
    assert here.count("b") == 2


@pytest.mark.parametrize("happens", [remove, remove_log])
def test_a_server_whose_store_was_removed_says_so_to_writers_and_to_those_who_watch_it(
    tmp_path: Path, happens: Callable[[Path], None]
) -> None:
    with server(tmp_path / "home", "serve", "--port", "0", module="commonplace") as running:

        def add(content: str) -> str:
            call = {"name": "add_memory", "arguments": {"content": content}}
            return running.ask("/memories/mcp", "tools/call", call).json["result"]["content"][0][
                "text"
            ]

        assert "Stored" in add("The boat is called Alba.")
        assert running.get("/health").status == 200
        happens(tmp_path / "home" / "commonplace.db")

        assert "was removed" in add("This must not be lost.")

        answer = running.get("/health")
        assert (answer.status, answer.json["status"]) == (503, "error")
        assert "Traceback" not in running.log
