"""Says beside hits that none of them is surely an answer, in one word in every dialect that
searches.
"""

from collections.abc import Sized

NONE_SURE = "None of these is surely an answer."


def unsure_field(*, unsure: bool, found: Sized) -> dict[str, bool]:
    """A mark for an answer; nothing where one is sure, or where there is none to be sure of."""
    return {"unsure": True} if unsure and len(found) else {}
