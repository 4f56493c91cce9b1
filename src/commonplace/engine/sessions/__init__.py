"""Sessions of agents, their context, reminders and streams. A module is imported on first use."""

from typing import TYPE_CHECKING

from commonplace import lazy

if TYPE_CHECKING:
    from commonplace.engine.sessions import (
        compaction as compaction,
    )
    from commonplace.engine.sessions import (
        context as context,
    )
    from commonplace.engine.sessions import (
        phase_context as phase_context,
    )
    from commonplace.engine.sessions import (
        reminders as reminders,
    )
    from commonplace.engine.sessions import (
        rules as rules,
    )
    from commonplace.engine.sessions import (
        schedules as schedules,
    )
    from commonplace.engine.sessions import (
        sessions as sessions,
    )
    from commonplace.engine.sessions import (
        streams as streams,
    )

__getattr__ = lazy.submodules(__name__)
