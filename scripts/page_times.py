"""Measures pages of a bank with 100,000 memories: their size, and the processor time they take.

python scripts/page_times.py
"""

import tempfile
import time

from commonplace.app import open_engine
from commonplace.faces.web.rendering import render
from commonplace.faces.web.views import memories
from commonplace.faces.web.visit import Page, Visit
from commonplace.records.memory import Draft, Scope
from commonplace.settings import load

COUNT, CALL, RUNS = 100_000, 5_000, 9
KINDS = ("note", "fact", "rule", "decision")
ADDRESSES: dict[str, dict[str, list[str]]] = {
    "the first page": {},
    "kind and project": {"kind": ["rule"], "project": ["project2"]},
    "a tag": {"tag": ["tag7"]},
    "a search": {"q": ["which port has service 17"]},
}


def draft(number: int) -> Draft:
    """One of the memories."""
    text = f"Service {number % 997} listens on port {number} in region {number % 17}."
    tags = (f"tag{number % 150}",)
    return Draft(text, kind=KINDS[number % 4], tags=tags, scope=Scope(f"project{number % 40}"))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        engine = open_engine(load({"COMMONPLACE_HOME": folder}))
        for first in range(0, COUNT, CALL):
            engine.remember_many("default", [draft(n) for n in range(first, first + CALL)])
        engine.rebuild()
        for name, query in ADDRESSES.items():
            visit, times, size = Visit(engine, "GET", ("memories",), query, {}, ""), [], 0
            for _ in range(RUNS):
                started = time.process_time()
                answer = memories.list_page(visit)
                assert isinstance(answer, Page)
                size = len(render(answer, visit).encode())
                times.append((time.process_time() - started) * 1000)
            print(f"{name:18s} {size / 1000:5.1f} kB  {sorted(times)[RUNS // 2]:6.1f} ms")
        engine.db.close()


if __name__ == "__main__":
    main()
