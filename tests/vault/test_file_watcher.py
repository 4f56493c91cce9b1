"""A server gets notifications of changes in the folder, and stops watching when it is closed."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace.engine.engine import Engine
from commonplace.vault.folder.file_watcher import FileWatcher
from commonplace.vault.sync_loop import SyncLoop
from commonplace.vault.vault import vault_of
from tests.faces.http_client import until


@pytest.fixture
def woken() -> threading.Event:
    return threading.Event()


@pytest.fixture
def notices(woken: threading.Event) -> Iterator[FileWatcher]:
    made = FileWatcher()
    made.wake = woken.set
    yield made
    made.close()
    assert not made.is_listening


def hears(notices: FileWatcher, woken: threading.Event) -> bool:
    woken.wait(10)
    woken.clear()
    return notices.take_changed()


def test_a_change_is_told_and_so_is_one_in_a_folder_that_came_later(
    notices: FileWatcher, woken: threading.Event, tmp_path: Path
) -> None:
    notices.watch_folders([tmp_path])
    until(lambda: notices.is_listening)
    (tmp_path / "a.md").write_text("x")
    assert hears(notices, woken)
    (tmp_path / "deep").mkdir()
    assert hears(notices, woken)
    notices.watch_folders([tmp_path])
    until(lambda: notices.is_listening)
    (tmp_path / "deep" / "b.md").write_text("x")
    assert hears(notices, woken)
    (tmp_path / "deep" / "b.md").unlink()
    assert hears(notices, woken)


def test_a_folder_in_the_place_of_another_is_listened_to(
    notices: FileWatcher, woken: threading.Event, tmp_path: Path
) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    notices.watch_folders([root])
    root.rename(tmp_path / "old")
    root.mkdir()
    notices.watch_folders([root])
    until(lambda: notices.is_listening)
    (root / "a.md").write_text("x")
    assert hears(notices, woken)


def test_what_lies_behind_links_and_dots_is_not_listened_to(
    notices: FileWatcher, woken: threading.Event, tmp_path: Path
) -> None:
    root, outside = tmp_path / "notes", tmp_path / "outside"
    for folder in (root, outside, root / ".git"):
        folder.mkdir()
    (root / "link").symlink_to(outside)
    notices.watch_folders([root])
    until(lambda: notices.is_listening)
    (outside / "a.md").write_text("x")
    (root / ".git" / "b.md").write_text("x")
    (root / ".hidden.md").write_text("x")
    assert not woken.wait(1)


def test_a_watch_looks_when_it_is_told_and_ends_when_it_is_closed(
    engine: Engine, woken: threading.Event
) -> None:
    place, watch = vault_of(engine), SyncLoop(engine)
    watch.start(woken.set)
    place.root.mkdir()
    watch.sync_if_due()
    before = threading.active_count()
    until(lambda: watch.is_listening)
    (place.root / "dropped.md").write_text("A narwhal surfaced.")
    woken.wait(10)
    until(lambda: (watch.sync_if_due(), engine.list("default"))[1])
    watch.close()
    assert threading.active_count() == before - 1


def test_what_no_notice_told_of_is_found_by_looking(engine: Engine) -> None:
    place, watch = vault_of(engine), SyncLoop(engine)
    place.root.mkdir()
    watch.sync_if_due()
    watch.close()
    (place.root / "dropped.md").write_text("A narwhal surfaced.")
    until(lambda: (watch.sync_if_due(), engine.list("default"))[1])
    watch.close()


def test_a_store_without_notes_does_not_load_what_listens(home: Path) -> None:
    code = (
        "import sys; from commonplace.app import open_engine; from commonplace.settings import"
        " load\nfrom commonplace.vault.sync_loop import SyncLoop\nloop ="
        f" SyncLoop(open_engine(load({{'COMMONPLACE_HOME': {str(home)!r}}})))\nloop.sync_if_due();"
        " loop.close(); sys.exit('watchfiles' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
