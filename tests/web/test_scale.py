"""A bank of 100,000 memories: a page stays small and comes soon."""

import time

import pytest

from commonplace.app import open_engine
from commonplace.records.memory import Draft, Scope
from commonplace.settings import load
from tests.faces.http_client import Running
from tests.web.visitor import Visitor

COUNT = 100_000
_CALL = 5_000


@pytest.fixture
def full(running: Running) -> Visitor:
    engine = open_engine(load({"COMMONPLACE_HOME": str(running.home)}))
    for first in range(0, COUNT, _CALL):
        drafts = [
            Draft(
                f"Service {number % 997} listens on port {number} in region {number % 17}.",
                tags=(f"tag{number % 150}",),
                scope=Scope(f"project{number % 40}"),
            )
            for number in range(first, first + _CALL)
        ]
        engine.remember_many("full", drafts)
    engine.db.close()
    return Visitor(running)


def test_a_page_of_a_hundred_thousand_memories_is_small_and_soon_there(full: Visitor) -> None:
    full.get("/memories?bank=full")
    for address in ("/memories?bank=full", "/memories?bank=full&project=project3&tag=tag3"):
        started = time.perf_counter()
        page = full.get(address)
        took_s = time.perf_counter() - started

        assert page.status == 200
        assert len(page.body) < 100_000
        # A tenth of a second on an idle machine; the tests share theirs.
        assert took_s < 2
    assert f"{COUNT:,} memories" in full.get("/memories?bank=full").body.decode()

    # The pages behind each other hold each memory once, also within one call.
    seen: list[str] = []
    address = "/memories.json?bank=full&limit=200"
    for _ in range(30):
        found = full.json(address)
        seen += [one["id"] for one in found["memories"]]
        address = found["next"]
    assert len(set(seen)) == len(seen) == 6_000
