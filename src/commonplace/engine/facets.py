"""Facets: the values of a bank by which a list of memories can be filtered."""

from commonplace import validation
from commonplace.engine.runtime import Runtime
from commonplace.limits import LIST_MAX
from commonplace.records.query import Facets
from commonplace.storage.rows import banks, facets

_SHOWN_MAX = 200


def list_facets(runtime: Runtime, bank: str, *, limit: int = _SHOWN_MAX) -> Facets:
    """The projects, users, agents, kinds and tags of a bank. An unknown bank has none."""
    validation.count(limit, what="limit", most=LIST_MAX)
    found = banks.find(runtime.db, bank)
    return facets.list_facets(runtime.db, found.id, limit) if found else Facets()
