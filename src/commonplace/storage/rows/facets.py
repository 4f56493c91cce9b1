"""The values that the memories of a bank have in the fields that a filter can choose."""

from commonplace.records.query import Facets
from commonplace.storage.database import Database


def list_facets(db: Database, bank_id: int, limit: int) -> Facets:
    """The values of each field in order, at most `limit` of each."""
    return Facets(
        projects=_values(db, "facet_projects", bank_id, limit),
        users=_values(db, "facet_users", bank_id, limit),
        agents=_values(db, "facet_agents", bank_id, limit),
        kinds=_values(db, "facet_kinds", bank_id, limit),
        tags=_values(db, "facet_tags", bank_id, limit),
    )


def _values(db: Database, query: str, bank_id: int, limit: int) -> tuple[str, ...]:
    return tuple(row["value"] for row in db.all(query, bank_id=bank_id, limit=limit))
