"""Several processes on one file are the normal case: nothing is lost, nothing collides, nothing
fails.
"""

import subprocess
import sys
from pathlib import Path

import pytest

import commonplace
from commonplace.records.memory import Draft, IdempotencyKey
from commonplace.records.query import Filter

WRITER = str(Path(__file__).parent / "writer.py")


def start(home: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, WRITER, str(home), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_eight_processes_write_a_thousand_memories_each_and_none_is_lost(home: Path) -> None:
    writers = [start(home, f"w{n}", 1000) for n in range(8)]
    answers = [writer.communicate(timeout=600) for writer in writers]
    assert [errors for _, errors in answers if errors] == []
    assert [writer.returncode for writer in writers] == [0] * 8
    said = [line.split(" ", 2) for out, _ in answers for line in out.splitlines()]
    assert len(said) == 8000
    assert len({number for number, _, _ in said}) == 8000
    engine = commonplace.open(home)
    assert engine.count("b") == 8000
    assert engine.revision("b") == 8000 + 8 * 200
    for name in (f"w{n}" for n in range(8)):
        stored = {
            (str(m.id), str(m.version), m.text)
            for m in engine.list("b", Filter(tags_like=(name,)), limit=1000)
        }
        assert stored == {tuple(words) for words in said if words[2].startswith(f"{name} ")}


def test_processes_that_start_together_on_an_empty_folder_make_one_store(home: Path) -> None:
    writers = [start(home, f"w{n}", 3) for n in range(6)]
    answers = [writer.communicate(timeout=120) for writer in writers]
    assert [errors for _, errors in answers if errors] == []
    assert commonplace.open(home).count("b") == 18


def test_a_write_is_seen_by_every_other_process_at_once(home: Path) -> None:
    here = commonplace.open(home)
    for number in range(5):
        out, errors = start(home, f"w{number}", 1).communicate(timeout=60)
        assert errors == ""
        assert here.get("b", out.split()[0]).text == f"w{number} wrote 0"


RETRY = """
import sys, commonplace
from commonplace.records.memory import Draft, IdempotencyKey
engine = commonplace.open(sys.argv[1])
print(engine.remember_once("b", IdempotencyKey("s", "append", "k"), Draft("said once")).memory.id)
"""


def test_one_idempotency_key_from_many_processes_is_one_memory(home: Path) -> None:
    command = [sys.executable, "-c", RETRY, str(home)]
    tries = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(6)]
    answers = {out.strip() for out, _ in (one.communicate(timeout=60) for one in tries)}
    assert len(answers) == 1
    assert commonplace.open(home).count("b") == 1


@pytest.mark.parametrize("threads", [8])
def test_threads_of_one_process_share_an_engine(home: Path, threads: int) -> None:
    from concurrent.futures import ThreadPoolExecutor

    engine = commonplace.open(home)

    def write(number: int) -> int:
        memory = engine.remember("b", Draft(f"thread {number}")).memory
        assert engine.get("b", memory.id).text == f"thread {number}"
        return memory.id

    with ThreadPoolExecutor(threads) as pool:
        numbers = list(pool.map(write, range(200)))
    assert len(set(numbers)) == engine.count("b") == 200
    assert engine.once("b", IdempotencyKey("s", "t", "k"), "c", lambda: "a") == ("a", True)
