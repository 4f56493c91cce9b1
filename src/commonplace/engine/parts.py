"""What the verbs work with. app.py puts the parts together; a verb takes them as its first argument."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from commonplace.clock import Clock
from commonplace.storage.database import Database

if TYPE_CHECKING:
    from commonplace.extract.proposals import Model
    from commonplace.recall.semantics import Semantics


def _nobody() -> None:
    """No model is configured."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of an engine."""

    db: Database
    clock: Clock
    # Opened on first use, because a start that only writes must not wait for it. None when switched off.
    semantics: Callable[[], "Semantics | None"]
    timezone: str = ""
    # A language model, when one is configured; everything works without.
    llm: Callable[[], "Model | None"] = _nobody
    # What dialects that name the owner of the installation call that person; scopes say "" of them.
    owner: str = ""
    # After how many days a memory weighs half in the order of hits; 0 means that age does not matter.
    fading_days: float = 0.0
    # The folder in which notes lie as files; None where nobody wants any.
    vault: Path | None = None
