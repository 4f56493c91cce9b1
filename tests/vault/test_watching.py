"""A server hears of changes in the folder, and stops hearing when it is told to."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace.engine.engine import Engine
from commonplace.vault.file_watcher import Notices
from commonplace.vault.sync_loop import Watch
from commonplace.vault.vault import vault_of
from tests.faces.http_client import until


@pytest.fixture
def woken() -> threading.Event:
    return threading.Event()


@pytest.fixture
def notices(woken: threading.Event) -> Iterator[Notices]:
    made = Notices()
    made.wake = woken.set
    yield made
    made.close()
    assert not made.listening


def hears(notices: Notices, woken: threading.Event) -> bool:
    woken.wait(10)
    woken.clear()
    return notices.heard()


def test_a_change_is_told_and_so_is_one_in_a_folder_that_came_later(
    notices: Notices, woken: threading.Event, tmp_path: Path
) -> None:
    notices.cover([tmp_path])
    until(lambda: notices.listening)
    (tmp_path / "a.md").write_text("x")
    assert hears(notices, woken)
    (tmp_path / "deep").mkdir()
    assert hears(notices, woken)
    notices.cover([tmp_path])
    until(lambda: notices.listening)
    (tmp_path / "deep" / "b.md").write_text("x")
    assert hears(notices, woken)
    (tmp_path / "deep" / "b.md").unlink()
    assert hears(notices, woken)


def test_a_folder_in_the_place_of_another_is_listened_to(
    notices: Notices, woken: threading.Event, tmp_path: Path
) -> None:
    root = tmp_path / "notes"
    root.mkdir()
    notices.cover([root])
    root.rename(tmp_path / "old")
    root.mkdir()
    notices.cover([root])
    until(lambda: notices.listening)
    (root / "a.md").write_text("x")
    assert hears(notices, woken)


def test_what_lies_behind_links_and_dots_is_not_listened_to(
    notices: Notices, woken: threading.Event, tmp_path: Path
) -> None:
    root, outside = tmp_path / "notes", tmp_path / "outside"
    for folder in (root, outside, root / ".git"):
        folder.mkdir()
    (root / "link").symlink_to(outside)
    notices.cover([root])
    until(lambda: notices.listening)
    (outside / "a.md").write_text("x")
    (root / ".git" / "b.md").write_text("x")
    (root / ".hidden.md").write_text("x")
    assert not woken.wait(1)


def test_a_watch_looks_when_it_is_told_and_ends_when_it_is_closed(
    engine: Engine, woken: threading.Event
) -> None:
    place, watch = vault_of(engine), Watch(engine)
    watch.begin(woken.set)
    place.root.mkdir()
    watch.look()
    before = threading.active_count()
    until(lambda: watch.listening)
    (place.root / "dropped.md").write_text("A narwhal surfaced.")
    woken.wait(10)
    until(lambda: (watch.look(), engine.list("default"))[1])
    watch.close()
    assert threading.active_count() == before - 1


def test_what_no_notice_told_of_is_found_by_looking(engine: Engine) -> None:
    place, watch = vault_of(engine), Watch(engine)
    place.root.mkdir()
    watch.look()
    watch.close()
    (place.root / "dropped.md").write_text("A narwhal surfaced.")
    until(lambda: (watch.look(), engine.list("default"))[1])
    watch.close()


def test_a_store_without_notes_does_not_load_what_listens(home: Path) -> None:
    code = (
        "import sys; from commonplace.app import open_engine; from commonplace.settings import"
        " load\nfrom commonplace.vault.sync_loop import Watch\nwatch ="
        f" Watch(open_engine(load({{'COMMONPLACE_HOME': {str(home)!r}}})))\nwatch.look();"
        " watch.close(); sys.exit('watchfiles' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
