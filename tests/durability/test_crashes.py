"""Kill -9, a full disk, a read-only file: what was acknowledged is there, and the file opens."""

import random
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import commonplace
from commonplace.engine.engine import Engine
from commonplace.errors import Busy, CommonplaceError
from commonplace.records.memory import Draft
from commonplace.records.query import Filter, Query

WRITER = str(Path(__file__).parent / "writer.py")
ROUNDS = 200


def test_kill_9_loses_nothing_that_was_acknowledged(home: Path) -> None:
    chance = random.Random(20261115)
    acknowledged: dict[int, tuple[int, str]] = {}
    commonplace.open(home).db.close()
    for round_ in range(ROUNDS):
        command = [sys.executable, WRITER, str(home), f"r{round_}", "1000000"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout
            lines = [writer.stdout.readline() for _ in range(chance.randint(1, 12))]
            writer.send_signal(signal.SIGKILL)
            lines += writer.stdout.readlines()
        for line in lines:
            if line.endswith("\n"):  # A half-printed line was not acknowledged to anybody.
                number, version, text = line[:-1].split(" ", 2)
                acknowledged[int(number)] = (int(version), text)
    engine = commonplace.open(home)
    assert len(acknowledged) > ROUNDS
    for number, (version, text) in acknowledged.items():
        memory = engine.get("b", number)
        assert (memory.version, memory.text) >= (version, text) or memory.version > version
    assert engine.db.select("pragma integrity_check", {}) == [{"integrity_check": "ok"}]
    assert engine.count("b") - len(acknowledged) <= ROUNDS  # At most one unanswered write a round.
    last = engine.get("b", number)
    assert last.id in [hit.memory.id for hit in engine.recall("b", Query(last.text)).hits]


FILL = """
import sys, commonplace
from commonplace.errors import CommonplaceError
from commonplace.records.memory import Draft
engine = commonplace.open(sys.argv[1])
kept = []
for n in range(100000):
    try:
        # To the very end, as when another program fills the disk.
        with engine.db.use_disk_reserve():
            kept.append(engine.remember("b", Draft(f"{n} " + "x" * 20000)).memory.id)
    except CommonplaceError as error:
        print(type(error).__name__, "|", error.message, "|", error.hint)
        break
print(*kept)
"""


def small_disk(tmp_path: Path, megabytes: int = 4) -> Path | None:
    """A real file system of a few megabytes, where the machine lets us make one."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(place)],
        capture_output=True,
        check=False,
    )
    return place if mounted.returncode == 0 else None


def test_a_full_disk_is_a_clear_error_and_the_store_stays_whole(tmp_path: Path) -> None:
    place = small_disk(tmp_path)
    try:
        home = (place or tmp_path) / "home"
        # Without the right to mount, a limit on the size of files stands in for the end of the
        # disk.
        limit = None if place else lambda: _limit_files(4_000_000)
        done = subprocess.run(
            [sys.executable, "-c", FILL, str(home)],
            capture_output=True,
            text=True,
            preexec_fn=limit,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        kind, message, hint = done.stdout.splitlines()[0].split(" | ")
        assert kind == "Busy"
        assert "nothing was changed" in message
        assert hint
        kept = done.stdout.splitlines()[1].split()
        engine = commonplace.open(home)
        assert len(kept) > 10
        assert {str(m.id) for m in engine.list("b", limit=1000)} == set(kept)
        assert engine.db.select("pragma integrity_check", {}) == [{"integrity_check": "ok"}]
        engine.db.close()
    finally:
        if place:
            subprocess.run(["umount", str(place)], check=True)


def test_what_filled_the_disk_can_be_forgotten_and_purged(tmp_path: Path) -> None:
    if (place := small_disk(tmp_path, megabytes=24)) is None:
        # Only a file system of its own has an end that can be reached.
        return
    try:
        engine = commonplace.open(place / "home")
        with pytest.raises(Busy, match="nearly full") as refused:
            _fill(engine)
        assert "purge" in refused.value.hint
        count = engine.count("b")
        oldest = [one.id for one in engine.list("b", limit=1_000)][-20:]
        engine.forget("b", oldest[:10])
        assert engine.purge("b", oldest) == tuple(oldest)
        assert engine.remember("b", Draft("There is room again.")).change == "added"
        engine.erase_bank("b")
        assert count > 100
        engine.db.close()
        assert shutil.disk_usage(place).used < 2_000_000
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def _fill(engine: Engine) -> None:
    for n in range(100_000):
        engine.remember("b", Draft(f"{n} " + "x" * 20_000))


def _limit_files(size: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


READ_ONLY = """
import ctypes, os, sys
if os.getuid() == 0:
    # The superuser may write anything. Without CAP_DAC_OVERRIDE the modes hold for it too, and it
    # can still read this checkout and its Python, which another user could not in a folder that is
    # closed to others.
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this thread
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; twice
    libc = ctypes.CDLL(None)
    assert libc.capget(header, sets) == 0
    sets[0] &= ~2
    sets[1] &= ~2
    assert libc.capset(header, sets) == 0
import commonplace
from commonplace.errors import CommonplaceError
from commonplace.records.memory import Draft
try:
    engine = commonplace.open(sys.argv[1])
    print(engine.count("b"))
    engine.remember("b", Draft("no"))
except CommonplaceError as error:
    print(type(error).__name__, "|", error.message, "|", error.hint)
"""


@pytest.mark.parametrize("folder_mode", [0o555, 0o777])
def test_a_read_only_store_is_a_clear_error(home: Path, folder_mode: int) -> None:
    engine = commonplace.open(home)
    engine.remember("b", Draft("kept"))
    engine.db.close()
    file = home / "commonplace.db"
    file.chmod(0o444)
    home.chmod(folder_mode)
    before = file.read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", READ_ONLY, str(home)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr == ""
    kind, message, hint = done.stdout.splitlines()[-1].split(" | ")
    assert kind == "Forbidden"
    assert str(home) not in message
    assert "COMMONPLACE_HOME" in hint
    assert file.read_bytes() == before


def test_a_locked_store_is_busy_after_its_timeout_and_nothing_is_changed(home: Path) -> None:
    from commonplace.app import open_engine
    from commonplace.settings import load

    patient = commonplace.open(home)
    patient.remember("b", Draft("first"))
    hasty = open_engine(load({"COMMONPLACE_HOME": str(home), "COMMONPLACE_BUSY_TIMEOUT_MS": "50"}))
    with patient.db.transaction():
        with pytest.raises(Busy) as caught:
            hasty.remember("b", Draft("second"))
        assert hasty.count("b") == 1  # Readers go on.
        assert "Try again" in caught.value.hint
    assert hasty.remember("b", Draft("second")).change == "added"


def test_a_closed_engine_says_so(home: Path) -> None:
    engine = commonplace.open(home)
    engine.db.close()
    with pytest.raises(CommonplaceError, match="closed"):
        engine.remember("b", Draft("x"))
    with pytest.raises(CommonplaceError, match="closed"):
        engine.list("b")


def test_a_purged_text_is_nowhere_in_the_folder(home: Path) -> None:
    engine = commonplace.open(home)
    secrets = [f"zanzibar{n}quokka" for n in range(30)]
    kept = engine.remember("b", Draft("harmless"))
    numbers = [
        engine.remember("b", Draft(f"the word is {word} " * 50, title=word, tags=(word,))).memory.id
        for word in secrets
    ]
    for number in numbers:
        engine.tag("b", [number], add=["x"])
    engine.recall("b", Query(secrets[0]))
    engine.forget("b", numbers[:10])
    engine.purge("b", numbers)
    assert engine.count("b", Filter(status="any", expired=True)) == 1
    everything = b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file())
    assert [word for word in secrets if word.encode() in everything] == []
    assert b"zanzibar" not in everything
    assert engine.get("b", kept.memory.id).text == "harmless"
    assert engine.db.select("select count(*) as n from versions", {}) == [{"n": 1}]


def test_a_deleted_bank_leaves_nothing_in_the_folder(home: Path) -> None:
    engine = commonplace.open(home)
    engine.remember("keep", Draft("harmless"))
    engine.remember_many("gone", [Draft(f"wombat{n}") for n in range(100)])
    engine.once(
        "gone",
        commonplace.records.memory.IdempotencyKey("s", "t", "k"),
        "wombat",
        lambda: "wombat bundle",
    )
    assert engine.delete_bank("gone") == 100
    everything = b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file())
    assert b"wombat" not in everything
    assert [bank.name for bank in engine.list_banks()] == ["keep"]
