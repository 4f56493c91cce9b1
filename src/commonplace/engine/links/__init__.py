"""Links between memories: derived from texts, judged, and read to mark what was replaced."""

from typing import TYPE_CHECKING

from commonplace import lazy

if TYPE_CHECKING:
    from commonplace.engine.links import (
        dedupe as dedupe,
        link_derivation as link_derivation,
        link_judging as link_judging,
        links as links,
        replacements as replacements,
    )

__getattr__ = lazy.submodules(__name__)
