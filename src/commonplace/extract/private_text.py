"""Takes out of a text what must not be kept: private parts, and memories that a hook added."""

import re

_PRIVATE = re.compile(r"<private>.*?(?:</private>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCED_MEMORY = re.compile(
    r"<commonplace-memory\b.*?(?:</commonplace-memory>|\Z)", re.DOTALL | re.IGNORECASE
)


def without_private(text: str) -> str:
    """A text without what stands between `<private>` marks, or after one that is never closed."""
    return _PRIVATE.sub("", text).strip()


def without_injected(text: str) -> str:
    """A text without the memories that a hook added to it, so that they are not stored again."""
    return _FENCED_MEMORY.sub("", text).strip()
