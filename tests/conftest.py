"""Real stores in temporary folders, and a clock that stands still."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test, settings

from commonplace.app import open_engine
from commonplace.engine.engine import Engine
from commonplace.settings import load

# The same examples on every run, so that a red run can be believed and repeated; `make fuzz` looks
# for new ones.
settings.register_profile("repeatable", derandomize=True, print_blob=True)
settings.register_profile("searching", derandomize=False, print_blob=True)
settings.load_profile("repeatable")

# What `make test-quick` leaves out, by what makes it slow: folders and files below tests, and
# fixtures.
MARKED: dict[str, tuple[str, ...]] = {
    "kills": (
        *(
            "durability",
            "erasing",
            "engine/test_backups.py",
            "faces/test_cli_interrupt.py",
            "faces/test_orphans.py",
        ),
        *("vault/test_chaos.py", "vault/test_file_watcher.py"),
    ),
    "servers": (
        *(
            "dialects/test_hindsight_faces.py",
            "dialects/test_memories_faces.py",
            "dialects/test_memstate_faces.py",
        ),
        *(
            "dialects/test_powermem_server.py",
            "dialects/test_vault_clients.py",
            "dialects/test_vault_folder.py",
        ),
        *(
            "dialects/test_vault_guarantees.py",
            "dialects/test_vault_races.py",
            "dialects/test_vault.py",
            "docs",
        ),
        *(
            "dialects/test_vault_pages.py",
            "faces/test_request_bodies.py",
            "faces/test_cli_completion.py",
        ),
        *("faces/test_access.py", "faces/test_request_heads.py", "faces/test_http.py"),
        *(
            "faces/test_hook_command.py",
            "faces/test_warm.py",
            "faces/test_imports.py",
            "faces/test_jobs_page.py",
            "faces/test_metrics.py",
            "faces/test_stdio.py",
        ),
        *(
            "faces/test_stdio_clients.py",
            "faces/test_stdio_against_sdk.py",
            "faces/test_stdio_parameters.py",
        ),
        "rest",
        *(
            "importers/test_command.py",
            "packaging/test_wheel.py",
            "vault/test_special_files.py",
            "web",
        ),
    ),
    "slow": (
        *(
            "dialects/test_hindsight_recall.py",
            "dialects/test_hindsight_facts.py",
            "dialects/test_hindsight_model.py",
        ),
        *(
            "dialects/test_memories_lifecycle.py",
            "dialects/test_memstate_search.py",
            "engine/test_indexing.py",
        ),
        *("evals", "faces/test_fuzz.py", "hostile", "one_memory", "recall/test_scale.py"),
        "web/test_scale.py",
    ),
}
FIXTURES = {"program": "servers", "terminal": "servers"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what kills processes, starts servers, or takes long."""
    here = Path(__file__).parent
    for item in items:
        path = item.path.relative_to(here).as_posix()
        marks = {mark for mark, places in MARKED.items() if path.startswith(places)}
        marks |= {FIXTURES[name] for name in getattr(item, "fixturenames", ()) if name in FIXTURES}
        if is_hypothesis_test(getattr(item, "obj", None)):
            marks.add("slow")
        for mark in sorted(marks):
            item.add_marker(mark)


class StoppedClock:
    """A clock that moves only when told to."""

    def __init__(self, now: int = 1_790_000_000_000) -> None:
        self._now = now

    def now(self) -> int:
        return self._now

    def advance(self, ms: int) -> None:
        self._now += ms


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def engine(home: Path, clock: StoppedClock) -> Iterator[Engine]:
    opened = open_engine(load({"COMMONPLACE_HOME": str(home)}), clock)
    yield opened
    opened.db.close()
