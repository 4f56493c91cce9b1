"""Sessions of agents, their context, reminders and streams. A module is imported on first use."""

from typing import TYPE_CHECKING

from commonplace import lazy

if TYPE_CHECKING:
    from commonplace.engine.sessions import (
        compaction as compaction,
        context as context,
        phase_context as phase_context,
        reminders as reminders,
        rules as rules,
        schedules as schedules,
        sessions as sessions,
        streams as streams,
    )

__getattr__ = lazy.submodules(__name__)
