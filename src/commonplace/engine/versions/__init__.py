"""Versions of memories: history, revisions, undo and moves."""

from typing import TYPE_CHECKING

from commonplace import lazy

if TYPE_CHECKING:
    from commonplace.engine.versions import (
        history as history,
        move as move,
        revisions as revisions,
        undo as undo,
    )

__getattr__ = lazy.submodules(__name__)
