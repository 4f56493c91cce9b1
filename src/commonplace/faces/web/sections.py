"""The paths of the pages, by their first part. Small, because the server loads it at its start."""

from collections.abc import Sequence

SECTIONS = frozenset(
    (
        *("", "login", "logout", "static"),
        *("memories", "memory", "undo", "ask", "inbox", "status"),
        *("session", "timeline", "transfer", "map", "banks", "bank", "document"),
    )
)


def is_page(names: Sequence[str]) -> bool:
    """Whether a path belongs to the pages. The list of memories is also at /memories.json."""
    return names[0].removesuffix(".json") in SECTIONS
