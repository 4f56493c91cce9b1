"""What the verbs work with. app.py puts the parts together; a verb takes them as its first argument."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from commonplace.clock import Clock
from commonplace.storage.database import Database

if TYPE_CHECKING:
    from commonplace.recall.semantics import Semantics


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of an engine."""

    db: Database
    clock: Clock
    # Opened on first use, because a start that only writes must not wait for it. None when switched off.
    semantics: Callable[[], "Semantics | None"]
    timezone: str = ""
