"""Which view answers which path. A part in capitals stands for any text."""

from collections.abc import Callable
from typing import TypeAlias

from commonplace.errors import NotFound
from commonplace.faces.web.views import (
    ask,
    banks,
    inbox,
    memories,
    memory,
    neighbourhood,
    status,
    timeline,
    transfer,
)
from commonplace.faces.web.visit import Answer, Visit

View: TypeAlias = Callable[[Visit], Answer]

_VIEWS: dict[tuple[str, str], View] = {
    ("GET", ""): memories.list_page,
    ("GET", "memories"): memories.list_page,
    ("POST", "memories/change"): memories.change,
    ("POST", "memories/purge"): memories.purge,
    ("POST", "memories/add"): memories.add,
    ("POST", "undo"): memories.undo,
    ("GET", "memory/ID"): memory.memory_page,
    ("GET", "memory/ID/text"): memory.whole_text,
    ("GET", "memory/ID/edit"): memory.edit_page,
    ("POST", "memory/ID/edit"): memory.save,
    ("POST", "memory/ID/restore"): memory.restore_version,
    ("GET", "ask"): ask.ask_page,
    ("POST", "ask/keep"): ask.keep,
    ("GET", "inbox"): inbox.inbox_page,
    ("POST", "inbox/settle"): inbox.settle,
    ("GET", "session/ID"): timeline.session_page,
    ("GET", "timeline"): timeline.timeline_page,
    ("GET", "transfer"): transfer.transfer_page,
    ("GET", "transfer/export"): transfer.export,
    ("POST", "transfer/backup"): transfer.backup,
    ("POST", "transfer/import"): transfer.take_in,
    ("GET", "map"): neighbourhood.map_page,
    ("GET", "banks"): banks.banks_page,
    ("POST", "banks/create"): banks.create,
    ("GET", "bank"): banks.bank_page,
    ("POST", "bank/save"): banks.save,
    ("POST", "bank/change"): banks.change,
    ("GET", "document"): banks.document_page,
    ("GET", "status"): status.status_page,
    ("POST", "status/fix"): status.fix,
    ("POST", "status/job"): status.change_job,
}


def find_view(method: str, path: tuple[str, ...]) -> View:
    """The view of a path."""
    wanted = "GET" if method == "HEAD" else method
    for (one, pattern), view in _VIEWS.items():
        parts = pattern.split("/") if pattern else []
        if one == wanted and _matches(parts, path):
            return view
    raise NotFound("There is no such page.", hint="Start at the list of memories.")


def _matches(parts: list[str], path: tuple[str, ...]) -> bool:
    return len(parts) == len(path) and all(
        part.isupper() or part == given for part, given in zip(parts, path, strict=True)
    )
