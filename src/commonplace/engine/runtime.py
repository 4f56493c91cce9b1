"""The runtime of an engine: store, clock, models and hooks. app.py builds it; a verb takes it as
its first argument.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from commonplace import lazy
from commonplace.clock import Clock
from commonplace.language.judgement import Judge, Judgement, Statement
from commonplace.storage.database import Database

if TYPE_CHECKING:
    from commonplace.extract.llm_statements import Model
    from commonplace.language import conflicts
    from commonplace.recall.rerank import Reranker
    from commonplace.recall.vector_index import VectorIndex
else:
    conflicts = lazy.module("commonplace.language.conflicts")


def _no_model() -> None:
    """The default where no model is configured."""


def judge_by_rules(older: Statement, newer: Statement) -> Judgement:
    """The default judge: rules over the words alone. They are loaded when the first pair is
    judged.
    """
    return conflicts.judge(older, newer)


def skip_file_sync(_runtime: "Runtime") -> None:
    """The default of `sync_note_files`: does nothing, because the calling face syncs the files of
    notes itself and reports conflicts.
    """


class WorkSignal:
    """Wakes the workers of this process when a job is added. There may be none."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[], object]] = []

    def register(self, listener: Callable[[], object]) -> None:
        """Call a listener at each signal from now on."""
        self._listeners.append(listener)

    def unregister(self, listener: Callable[[], object]) -> None:
        """Stop calling a listener."""
        if listener in self._listeners:
            self._listeners.remove(listener)

    def notify(self) -> bool:
        """Signal that there is work. Returns whether a listener was called."""
        listeners = tuple(self._listeners)
        for listener in listeners:
            listener()
        return bool(listeners)


@dataclass(frozen=True, slots=True)
class Runtime:
    """What every verb works with."""

    db: Database
    clock: Clock
    # Opened on first use, so that a start which only writes does not wait for it. None when
    # switched off.
    semantics: Callable[[], "VectorIndex | None"]
    timezone: str = ""
    # Rescores the best candidates of a question, where a reranker is installed and switched on.
    reranker: Callable[[], "Reranker | None"] = _no_model
    # How a newer statement relates to an older one: the rules, or a learned model.
    judge: Judge = judge_by_rules
    # A language model, if one is configured. Everything works without it.
    llm: Callable[[], "Model | None"] = _no_model
    # The name that dialects use for the owner of the installation. In scopes the owner is "".
    owner: str = ""
    # The age in days at which the recency weight of a hit is one half; 0 switches recency off.
    half_life_days: float = 0.0
    # The vault folder; None where no vault is configured.
    vault: Path | None = None
    # The folder below `vault` for notes that agents create, with / as separator; "" is the vault
    # itself.
    vault_inbox: str = ""
    # Which hooks are answered (see the setting `hooks`), and the budget of a session's brief.
    hook_mode: str = "on"
    brief_tokens: int = 1_200
    # Syncs the files of notes after each write, unless the face does so after each call.
    sync_note_files: Callable[["Runtime"], object] = field(default=skip_file_sync, compare=False)
    work_signal: WorkSignal = field(default_factory=WorkSignal, compare=False)
