"""What stands behind a path: a dialect as this path offers it, and the bank its calls go to.

Resolved for every request anew, never kept in a session, so that a session opens no bank that its requests may not use.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from commonplace import checks
from commonplace.dialects.registry import BANKED
from commonplace.dialects.table import Dialect
from commonplace.faces.http.guard import Arrival
from commonplace.faces.mcp import wire

DEFAULT_BANK = "default"
# A schema can ask for a parameter to be repeated in a header, which then has to be compared.
_HEADER_MARK = "x-mcp-header"


class Offer:
    """One dialect as it is offered, with what every request would otherwise compute again."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect

    @cached_property
    def tools(self) -> list[wire.Json]:
        """The tools as a client lists them."""
        return wire.tools(self.dialect)

    @cached_property
    def mirrored(self) -> Mapping[str, wire.Json]:
        """The input schemas that ask for parameters in headers, by tool."""
        schemas = {entry["name"]: entry["inputSchema"] for entry in self.tools}
        return {name: schema for name, schema in schemas.items() if _HEADER_MARK in json.dumps(schema)}

    @cached_property
    def plain(self) -> frozenset[str]:
        """The tools whose calls need nothing but arguments: no question to a person, no header to compare."""
        return frozenset(n for n, tool in self.dialect.tools.items() if not tool.confirm and n not in self.mirrored)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a request goes."""

    offer: Offer
    bank: str
    # Whether the path names the bank, so that no call can choose another.
    single: bool

    @property
    def dialect(self) -> Dialect:
        """The dialect spoken here."""
        return self.offer.dialect


class Endpoints:
    """The endpoints of one server."""

    def __init__(self, dialects: Mapping[str, Dialect], banks: Mapping[str, str]) -> None:
        self._offers = {name: Offer(dialect) for name, dialect in dialects.items()}
        self._single = {
            # On the path of one bank a dialect that names banks in its tools speaks of that bank only.
            name: Offer(dialect.fixed(*BANKED[name])) if name in BANKED else self._offers[name]
            for name, dialect in dialects.items()
        }
        self._banks = banks

    def find(self, arrival: Arrival) -> Endpoint:
        """The endpoint of a request: a bank in the path wins over one in the header, and that over the default."""
        place = arrival.place
        if place.bank:
            return Endpoint(self._single[place.dialect], _bank(place.bank), True)
        return Endpoint(self._offers[place.dialect], self.named_bank(arrival), False)

    def named_bank(self, arrival: Arrival) -> str:
        """The bank in the header of a request, else the usual one of its dialect."""
        given = arrival.headers.get(b"x-bank-id")
        if given:
            return _bank(given.decode("utf-8", "surrogateescape"))
        return self._banks.get(arrival.place.dialect, DEFAULT_BANK)


def _bank(name: str) -> str:
    return checks.name(name, what="bank")
