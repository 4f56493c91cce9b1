"""The dialects by name. One is loaded when first asked for, because a client speaks one and waits
for the start.
"""

from functools import cache
from importlib import import_module

from commonplace import spelling
from commonplace.dialects.dialect import Dialect
from commonplace.errors import Invalid

# The module that has a dialect's table as DIALECT.
_MODULES = {
    "commonplace": "commonplace.dialects.commonplace",
    "hindsight": "commonplace.dialects.hindsight",
    "memories": "commonplace.dialects.memories",
    "memstate": "commonplace.dialects.memstate",
    "powermem": "commonplace.dialects.powermem",
    "vault": "commonplace.dialects.vault",
}

NAMES = ("commonplace", "vault", "memories", "memstate", "powermem", "hindsight")

# What a client gets that names none: few tools, which correct and forget a single memory.
DEFAULT = "commonplace"
# What a server answers with at /mcp, because Hindsight's clients go there.
HTTP_DEFAULT = "hindsight"

# Dialects whose tools name a bank: by which parameter, and the tools that make no sense when there
# is only one bank.
BANK_PARAMETERS = {
    "hindsight": ("bank_id", ("list_banks", "create_bank", "get_bank_stats")),
    "memories": ("tenant_id", ()),
}


@cache
def find(name: str) -> Dialect:
    """The dialect of a name."""
    if name not in _MODULES:
        raise Invalid(f"There is no dialect called {name!r}.", hint=spelling.hint(name, NAMES))
    dialect = import_module(_MODULES[name]).DIALECT
    assert isinstance(dialect, Dialect)
    return dialect


@cache
def single_bank(name: str) -> Dialect:
    """The dialect of a name for a client that has one bank and cannot choose another."""
    return (
        find(name).for_single_bank(*BANK_PARAMETERS[name])
        if name in BANK_PARAMETERS
        else find(name)
    )
