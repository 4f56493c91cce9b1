"""After random edits by people, agents and sync clients, files and notes are equal."""

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.engine.engine import Engine
from commonplace.records.memory import Edit, Memory
from commonplace.records.query import Filter
from commonplace.storage.rows import note_files as rows
from commonplace.vault.memory_to_file import GRACE_MS, catch_up_files
from commonplace.vault.note_format import frontmatter
from commonplace.vault.note_format.frontmatter import note_text
from commonplace.vault.sync import sync
from commonplace.vault.vault import Vault, vault_metadata, vault_of
from tests.conftest import StoppedClock
from tests.vault.note_files import BY, kept

STEPS = 60
SPOILT = '---\ntitle: "not closed\n---\n'


class Chaos:
    """Somebody who does anything that can be done to notes."""

    def __init__(self, vault: Vault, clock: StoppedClock, seed: int) -> None:
        self.vault, self.clock, self.chance = vault, clock, random.Random(seed)
        self.trash: list[tuple[str, bytes]] = []
        self.count = 0

    def step(self) -> None:
        self.count += 1
        self.chance.choice(self._deeds())()
        if self.chance.random() < 0.4:
            sync(self.vault, full=self.chance.random() < 0.3, settle=self.chance.random() < 0.5)

    def _deeds(self) -> list[Callable[[], object]]:
        person = [
            self.write,
            self.edit,
            self.flip,
            self.rename,
            self.remove,
            self.bring_back,
            self.copy,
            self.strip,
        ]
        agent = [self.append, self.revise, self.forget, self.restore, self.purge]
        return [*agent, *person, self.spoil, self.mend, self.wait]

    def file(self) -> Path | None:
        found = (
            sorted(file for file in self.vault.root.rglob("*.md") if file.is_file())
            if self.count > 1
            else []
        )
        return self.chance.choice(found) if found else None

    def memory(self, status: str = "live") -> Memory | None:
        chosen = Filter(status="live") if status == "live" else Filter(status="forgotten")
        found = [
            one
            for one in self.vault.engine.list("default", chosen, limit=500)
            if vault_metadata(one)
        ]
        return self.chance.choice(found) if found else None

    def append(self) -> None:
        kept(
            self.vault,
            f"Title {self.chance.randrange(4)}",
            f"Body {self.count}.\nSecond line.",
            "t",
        )

    def write(self) -> None:
        self.vault.root.mkdir(exist_ok=True)
        (self.vault.root / f"hand {self.chance.randrange(5)}.md").write_text(
            f"By hand {self.count}.\nMore.\nEnd.\n"
        )

    def edit(self) -> None:
        if file := self.file():
            file.write_text(file.read_text() + f"Line {self.count}.\n")

    def flip(self) -> None:
        if file := self.file():
            text = file.read_text()
            before, after = self.chance.sample(["status: active", "status: deleted"], 2)
            file.write_text(text.replace(before, after))

    def rename(self) -> None:
        if file := self.file():
            folder = self.vault.root / self.chance.choice([".", "deep", "deep/er"])
            folder.mkdir(parents=True, exist_ok=True)
            target = folder / f"name {self.chance.randrange(5)}.md"
            if not target.exists():
                file.rename(target)

    def remove(self) -> None:
        if file := self.file():
            self.trash.append((file.name, file.read_bytes()))
            file.unlink()

    def bring_back(self) -> None:
        if self.trash:
            name, data = self.trash.pop()
            (self.vault.root / name).write_bytes(data)

    def copy(self) -> None:
        if file := self.file():
            file.with_name(f"{file.stem} (conflicted copy {self.count}).md").write_bytes(
                file.read_bytes()
            )

    def strip(self) -> None:
        if file := self.file():
            file.write_text(
                "".join(
                    line for line in file.read_text().splitlines(True) if not line.startswith("id:")
                )
            )

    def spoil(self) -> None:
        if file := self.file():
            file.write_text(SPOILT + file.read_text())

    def mend(self) -> None:
        for file in self.vault.root.rglob("*.md"):
            file.write_text(file.read_text().replace(SPOILT, ""))

    def revise(self) -> None:
        if memory := self.memory():
            self.vault.engine.revise("default", memory.id, Edit(text=f"Revised {self.count}."), BY)
            self.follow()

    def forget(self) -> None:
        if memory := self.memory():
            self.vault.engine.forget("default", [memory.id], BY)
            self.follow()

    def restore(self) -> None:
        if memory := self.memory("forgotten"):
            self.vault.engine.restore("default", [memory.id], BY)
            self.follow()

    def purge(self) -> None:
        if memory := self.memory(self.chance.choice(["live", "forgotten"])):
            self.vault.engine.purge("default", [memory.id], BY)
            self.follow()

    def follow(self) -> None:
        if self.chance.random() < 0.5:
            catch_up_files(self.vault.engine)

    def wait(self) -> None:
        self.clock.advance(self.chance.choice([1, 1_000, GRACE_MS]))


@pytest.mark.parametrize("seed", range(12))
def test_in_the_end_every_file_is_a_note_that_says_the_same(
    engine: Engine, clock: StoppedClock, seed: int
) -> None:
    vault = vault_of(engine)
    chaos = Chaos(vault, clock, seed)
    for _ in range(STEPS):
        chaos.step()
    vault.root.mkdir(exist_ok=True)
    chaos.mend()
    for _ in range(4):
        # Looks at what changed and looks at everything come to the same.
        sync(vault, full=seed % 2 == 0)
        clock.advance(GRACE_MS)
        time.sleep(
            0.06
        )  # Files are known by their time only when that cannot be the time of a second change.
    last = sync(vault, full=True)
    assert (last.added, last.changed, last.forgotten, last.restored, last.written, last.broken) == (
        0,
        0,
        0,
        0,
        0,
        {},
    )
    files = {str(file.relative_to(vault.root)): file for file in vault.root.rglob("*.md")}
    known = {
        one.path: one.memory_id
        for one in rows.list_files(engine.db, vault.bank_id or 0)
        if one.path in files
    }
    assert set(known) == set(files) - set(last.passed) - set(last.conflicts)
    for path, number in known.items():
        note = frontmatter.parse_note(
            frontmatter.split_file(files[path].read_bytes()), files[path].stem
        )
        memory = engine.get("default", number)
        assert (note_text(note), note.tags) == (memory.text, memory.tags)
        assert note.deleted == (memory.forgotten_at is not None)
        assert path in last.copies or note.id in (None, number)
    live = [one.id for one in engine.list("default", limit=500)]
    assert set(live) <= set(known.values())
    assert len(set(known.values())) == len(known)
