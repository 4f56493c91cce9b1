"""The field of a search result that a newer memory has replaced, the same in every dialect."""

from collections.abc import Callable

from commonplace.records.memory import Memory
from commonplace.records.query import Replacement


def replaced_field(
    replacement: Replacement | None, form: Callable[[Memory], object]
) -> dict[str, object]:
    """The id of the newer memory, in the dialect's form: as `replaced_by` where that is sure, else
    as `maybe_replaced_by`. Empty for a memory that was not replaced.
    """
    if replacement is None:
        return {}
    return {_name(replacement): form(replacement.memory)}


def replaced_note(replacement: Replacement | None, form: Callable[[Memory], object]) -> str:
    """The same for readers, to follow the text of the memory."""
    if replacement is None:
        return ""
    return f" ({_name(replacement).replace('_', ' ')} {form(replacement.memory)})"


def _name(replacement: Replacement) -> str:
    return "replaced_by" if replacement.is_sure else "maybe_replaced_by"
