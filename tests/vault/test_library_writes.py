"""Files follow what is written through `commonplace.open()`, as they follow what a tool writes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import commonplace
from commonplace import Draft, Edit, Engine, Origin
from commonplace.vault.memory_to_file import NewNote, add_note
from commonplace.vault.vault import vault_of

BANK = "default"


@pytest.fixture
def opened(home: Path) -> Iterator[Engine]:
    engine = commonplace.open(home)
    yield engine
    engine.db.close()


@pytest.fixture
def note(opened: Engine) -> int:
    return add_note(
        vault_of(opened, BANK), NewNote("Ports", "Staging listens on 8080.", ()), None, Origin()
    ).id


@pytest.fixture
def file(home: Path, note: int) -> Path:
    found = home / "vault" / "Ports.md"
    assert "8080" in found.read_text(encoding="utf-8")
    return found


def test_a_note_that_is_revised_is_revised_in_its_file(
    opened: Engine, note: int, file: Path
) -> None:
    opened.revise(BANK, note, Edit(text="Staging listens on 9090."))

    assert "9090" in file.read_text(encoding="utf-8")
    assert "8080" not in file.read_text(encoding="utf-8")


def test_a_note_that_is_tagged_and_restored_is_the_same_in_its_file(
    opened: Engine, note: int, file: Path
) -> None:
    first = opened.get(BANK, note)
    opened.revise(BANK, note, Edit(text="Staging listens on 9090.", tags=("infra",)))
    assert "infra" in file.read_text(encoding="utf-8")

    opened.restore_version(BANK, note, first.version)

    assert "8080" in file.read_text(encoding="utf-8")


def test_what_a_transaction_wrote_is_in_the_file_after_the_next_write(
    opened: Engine, note: int, file: Path
) -> None:
    with opened.db.transaction():
        opened.revise(BANK, note, Edit(text="Staging listens on 9090."))
        assert "8080" in file.read_text(encoding="utf-8")
    opened.remember(BANK, Draft("Something else."))

    assert "9090" in file.read_text(encoding="utf-8")


def test_a_note_that_is_purged_leaves_no_file(opened: Engine, note: int, file: Path) -> None:
    opened.purge(BANK, [note])

    assert not file.exists()


def test_a_file_that_a_person_changed_meanwhile_is_not_written_over(
    opened: Engine, note: int, file: Path
) -> None:
    file.write_text(file.read_text(encoding="utf-8").replace("8080", "7070"), encoding="utf-8")

    opened.revise(BANK, note, Edit(text="Staging listens on 9090."))

    assert "7070" in file.read_text(encoding="utf-8")
