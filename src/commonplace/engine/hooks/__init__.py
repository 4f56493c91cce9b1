"""Hooks: what an agent's program reports of a session, and the memories it gets back.

A module is imported on first use.
"""

from typing import TYPE_CHECKING

from commonplace import lazy

if TYPE_CHECKING:
    from commonplace.engine.hooks import (
        brief as brief,
        capture as capture,
        consent as consent,
        hook_clients as hook_clients,
        hook_log as hook_log,
        hook_sessions as hook_sessions,
        launch as launch,
        payloads as payloads,
        prompt_recall as prompt_recall,
        run as run,
    )

__getattr__ = lazy.submodules(__name__)
