"""The field of search results without a confident answer, the same in every dialect."""

from collections.abc import Sized

NONE_SURE = "None of these is surely an answer."


def unsure_field(*, unsure: bool, found: Sized) -> dict[str, bool]:
    """The field to add; empty if a hit is confident or there are no hits."""
    return {"unsure": True} if unsure and len(found) else {}
