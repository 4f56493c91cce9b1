"""The dialects by name. A dialect is imported at first use, so that a client waits only for its
own."""

from functools import cache
from importlib import import_module

from commonplace import spelling
from commonplace.dialects.dialect import Dialect
from commonplace.errors import Invalid

# The module of each dialect, which defines DIALECT.
_MODULES = {
    "commonplace": "commonplace.dialects.commonplace",
    "hindsight": "commonplace.dialects.hindsight",
    "mem0": "commonplace.dialects.mem0",
    "memories": "commonplace.dialects.memories",
    "memstate": "commonplace.dialects.memstate",
    "powermem": "commonplace.dialects.powermem",
    "vault": "commonplace.dialects.vault",
}

NAMES = ("commonplace", "vault", "memories", "memstate", "powermem", "mem0", "hindsight")

# The dialect for clients that name none. It has few tools, and can correct and forget a single
# memory.
DEFAULT = "commonplace"
# The dialect at /mcp of a server, because Hindsight's clients go there.
HTTP_DEFAULT = "hindsight"

# For dialects whose tools name a bank: the parameter, and the tools that are useless with a single
# bank.
BANK_PARAMETERS = {
    "hindsight": ("bank_id", ("list_banks", "create_bank", "get_bank_stats")),
    "memories": ("tenant_id", ()),
}


@cache
def find(name: str) -> Dialect:
    """The dialect with a name."""
    if name not in _MODULES:
        raise Invalid(f"There is no dialect called {name!r}.", hint=spelling.hint(name, NAMES))
    dialect = import_module(_MODULES[name]).DIALECT
    assert isinstance(dialect, Dialect)
    return dialect


@cache
def single_bank(name: str) -> Dialect:
    """The dialect for a client that can use only one bank."""
    return (
        find(name).for_single_bank(*BANK_PARAMETERS[name])
        if name in BANK_PARAMETERS
        else find(name)
    )
