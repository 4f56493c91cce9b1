"""The dialects by name. One is loaded when first asked for, because a client speaks one and waits for the start."""

from functools import cache
from importlib import import_module

from commonplace import nearest
from commonplace.dialects.table import Dialect
from commonplace.errors import Invalid

# Dialects that have a table of their own: the module that has it as DIALECT.
_WRITTEN = {
    "hindsight": "commonplace.dialects.hindsight",
    "memories": "commonplace.dialects.memories",
    "memstate": "commonplace.dialects.memstate",
    "powermem": "commonplace.dialects.powermem",
    "vault": "commonplace.dialects.vault",
}

# Dialects whose tools are still to come.
_EMPTY: dict[str, Dialect] = {}

NAMES = ("vault", "memories", "memstate", "powermem", "hindsight")

# Dialects whose tools name a bank: by which parameter, and the tools that make no sense when there is only one bank.
BANKED = {
    "hindsight": ("bank_id", ("list_banks", "create_bank", "get_bank_stats")),
    "memories": ("tenant_id", ()),
}


@cache
def find(name: str) -> Dialect:
    """The dialect of a name."""
    if name in _WRITTEN:
        written = import_module(_WRITTEN[name]).DIALECT
        assert isinstance(written, Dialect)
        return written
    if name not in _EMPTY:
        raise Invalid(f"There is no dialect called {name!r}.", hint=nearest.hint(name, NAMES))
    return _EMPTY[name]


@cache
def single(name: str) -> Dialect:
    """The dialect of a name for a client that has one bank and cannot choose another."""
    return find(name).fixed(*BANKED[name]) if name in BANKED else find(name)
