"""Runs the same work in several processes that begin at the same moment."""

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.synchronize import Barrier
from typing import Any, TypeVar

_Answer = TypeVar("_Answer")
_GATE_S = 60
_gates: list[Barrier] = []


def crowd(count: int, work: Callable[..., _Answer], *arguments: Any) -> list[_Answer]:
    """What each process answered. The work must be a function at the top of a module."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        count, mp_context=spawn, initializer=_enter, initargs=(spawn.Barrier(count),)
    ) as pool:
        answers = [pool.submit(_together, work, arguments) for _ in range(count)]
        return [answer.result() for answer in answers]


def _enter(gate: Barrier) -> None:
    _gates.append(gate)


def _together(work: Callable[..., _Answer], arguments: tuple[Any, ...]) -> _Answer:
    _gates[0].wait(_GATE_S)
    return work(*arguments)
