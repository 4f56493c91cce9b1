"""What the verbs work with. app.py puts the parts together; a verb takes them as its first
argument.
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
    from commonplace.recall.vector_index import Semantics
else:
    conflicts = lazy.module("commonplace.language.conflicts")


def _nobody() -> None:
    """No model is configured."""


def judge_by_rules(older: Statement, newer: Statement) -> Judgement:
    """The default judge: rules that look at words alone, which are loaded when the first pair is
    judged.
    """
    return conflicts.judge(older, newer)


def leave_files(_parts: "Parts") -> None:
    """The face that made the call brings the files of notes in line after it, and says what became
    of them.
    """


class Bell:
    """Wakes whoever does jobs in this process. Nobody may be there to hear it."""

    def __init__(self) -> None:
        self._hearers: list[Callable[[], object]] = []

    def hear(self, hearer: Callable[[], object]) -> None:
        """Have somebody woken from now on."""
        self._hearers.append(hearer)

    def leave(self, hearer: Callable[[], object]) -> None:
        """Wake somebody no more."""
        if hearer in self._hearers:
            self._hearers.remove(hearer)

    def ring(self) -> bool:
        """Say that there is work; whether somebody heard it."""
        hearers = tuple(self._hearers)
        for hearer in hearers:
            hearer()
        return bool(hearers)


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of an engine."""

    db: Database
    clock: Clock
    # Opened on first use, because a start that only writes must not wait for it. None when switched
    # off.
    semantics: Callable[[], "Semantics | None"]
    timezone: str = ""
    # Reads the best candidates of a question once more, where one is installed and switched on.
    reranker: Callable[[], "Reranker | None"] = _nobody
    # How a newer statement relates to an older one: the rules, or a learned model.
    judge: Judge = judge_by_rules
    # A language model, when one is configured; everything works without.
    llm: Callable[[], "Model | None"] = _nobody
    # What dialects that name the owner of the installation call that person; scopes say "" of them.
    owner: str = ""
    # After how many days a memory weighs half in the order of hits; 0 means that age does not
    # matter.
    fading_days: float = 0.0
    # The folder in which notes lie as files; None where nobody wants any.
    vault: Path | None = None
    # The folder in it for new notes of agents, with / between its parts; "" means the folder of
    # notes itself.
    vault_inbox: str = ""
    # Brings the files of notes in line after each write, where no face does it after each call.
    follow_files: Callable[["Parts"], object] = field(default=leave_files, compare=False)
    bell: Bell = field(default_factory=Bell, compare=False)
