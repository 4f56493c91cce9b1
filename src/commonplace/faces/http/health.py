"""The page /health: whether the server works, and if not, what to do."""

from collections.abc import Mapping

from commonplace.engine.engine import Engine
from commonplace.engine.operations.worker import Worker
from commonplace.faces.mcp.messages import Json

_STORE_MOVED = (
    "The store's file or its log was removed, renamed or replaced. Put it back, or restart the"
    " server."
)


def health(engine: Engine, workers: Mapping[str, Worker]) -> tuple[int, Json]:
    """The status code and the page. The code is 503 if only a restart helps.

    Waits for no lock, query or thread, so that the page is available when everything else is slow.
    """
    if not engine.db.is_in_place:
        return 503, {"status": "error", "store": _STORE_MOVED}
    fared = {name: worker.health() for name, worker in workers.items()}
    troubled = {name: one for name, one in fared.items() if one.state != "ok"}
    if not troubled:
        return 200, {"status": "ok"}
    stopped = any(one.state == "stopped" for one in troubled.values())
    background = [
        {"worker": name, "state": one.state, "text": one.text} for name, one in troubled.items()
    ]
    return (503 if stopped else 200), {
        "status": "error" if stopped else "degraded",
        "background": background,
    }
