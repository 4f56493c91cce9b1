"""Cutting a text into facts takes seconds where it is long, and nobody's write waits for that."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from types import FrameType
from typing import Any

import pytest

from commonplace.engine.engine import Engine
from commonplace.engine.facts.retain_request import RetainRequest
from commonplace.extract import fact_splitting
from commonplace.records.memory import Draft
from commonplace.records.query import Query

WAIT_S = 20
LONG = "\n".join(f"Ana moved crate {n} to Oslo because dock {n} was full." for n in range(400))
WAYS: dict[str, Callable[[Engine, RetainRequest], object]] = {
    "retain": lambda engine, passage: engine.retain("default", passage),
    "retain as a job": lambda engine, passage: engine.retain_as_job("default", passage),
}


@contextmanager
def at_each_chunk(do: Callable[[], None]) -> Iterator[None]:
    """Do something whenever this thread begins to cut a chunk."""

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code is fact_splitting.chunk_facts.__code__:
            do()

    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(None)


def write(engine: Engine, text: str) -> bool:
    """Whether another thread can write now."""
    done = threading.Event()

    def run() -> None:
        engine.remember("default", Draft(text))
        done.set()

    threading.Thread(target=run, daemon=True).start()
    return done.wait(WAIT_S)


@pytest.mark.parametrize("way", WAYS)
def test_others_write_while_a_long_text_is_cut(engine: Engine, way: str) -> None:
    written: list[bool] = []
    number = count()
    with at_each_chunk(
        lambda: written.append(write(engine, f"A note made meanwhile, number {next(number)}."))
    ):
        WAYS[way](engine, RetainRequest(LONG, "crates"))
        # What is appended is cut together with what is there, and so is a text that replaces
        # another.
        WAYS[way](engine, RetainRequest("Ben counts the crates.", "crates", append=True))
        WAYS[way](engine, RetainRequest(LONG.replace("Oslo", "Bergen"), "crates"))
    assert len(written) > 10
    assert all(written)
    assert len(engine.recall("default", Query("note made meanwhile")).hits) > 0
    text = engine.get_document("default", "crates").text
    assert ("Bergen" in text, "Oslo" in text) == (True, False)


@pytest.mark.parametrize("way", WAYS)
def test_a_document_that_others_change_while_it_is_cut_is_cut_again(
    engine: Engine, way: str
) -> None:
    engine.retain("default", RetainRequest("The gate is open.", "log"))
    changes = iter(("The lamp is lit.", "The dock is dry."))

    def change() -> None:
        if said := next(changes, None):
            passage = RetainRequest(said, "log", append=True)
            other = threading.Thread(target=lambda: engine.retain("default", passage), daemon=True)
            other.start()
            other.join(WAIT_S)

    with at_each_chunk(change):
        WAYS[way](engine, RetainRequest("The crane is red.", "log", append=True))
    said = ["The gate is open.", "The lamp is lit.", "The dock is dry.", "The crane is red."]
    assert engine.get_document("default", "log").text.split("\n") == said
    kept = {one.text for one in engine.list("default", limit=50) if one.kind != "observation"}
    assert kept == set(said)
