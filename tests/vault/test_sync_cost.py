"""A sync does little work when little changed, even with a file that is always invalid."""

import os
import sys
from collections.abc import Callable

import pytest

from commonplace.engine.engine import Engine
from commonplace.vault.sync import sync
from commonplace.vault.vault import Vault, vault_of
from tests.vault.note_files import kept

NOTES = 1_500


@pytest.fixture
def vault(engine: Engine) -> Vault:
    place = vault_of(engine)
    place.root.mkdir(parents=True)
    for number in range(NOTES):
        (place.root / f"n{number}.md").write_text(f"Number {number}.")
    for file in place.root.iterdir():
        os.utime(file, (1_000, 1_000))
    sync(place, full=True)
    return place


def calls(work: Callable[[], object]) -> int:
    """How many calls of functions some work is, which unlike its time is the same on every
    machine.
    """
    count = 0

    def noted(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(noted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def look(vault: Vault) -> int:
    return calls(lambda: sync(vault, settle=False))


def test_a_few_files_that_are_not_in_order_do_not_make_every_look_go_through_all(
    vault: Vault,
) -> None:
    look(vault)
    usual = look(vault)
    (vault.root / "broken.md").write_text('---\ntitle: "unclosed\n---\n')
    (vault.root / "refused by the engine.md").write_text(f"---\ntitle: {'long ' * 200}\n---\n")
    (vault.root / "n5.md").unlink()
    kept(vault, "so young that it may yet change unseen")
    look(vault)
    assert look(vault) < usual + 2 * NOTES
