"""What stands behind a path: a dialect as this path offers it, and the bank its calls go to.

Resolved for every request anew, never kept in a session, so that a session opens no bank that its
requests may not use.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from commonplace import validation
from commonplace.dialects.dialect import Dialect
from commonplace.dialects.registry import BANKED
from commonplace.faces.http.access import Arrival

DEFAULT_BANK = "default"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a request goes."""

    dialect: Dialect
    bank: str
    # Whether the path names the bank, so that no call can choose another.
    single: bool


class Endpoints:
    """The endpoints of one server."""

    def __init__(self, dialects: Mapping[str, Dialect], banks: Mapping[str, str]) -> None:
        self._dialects = dialects
        self._single = {
            # On the path of one bank a dialect that names banks in its tools speaks of that bank
            # only.
            name: dialect.fixed(*BANKED[name]) if name in BANKED else dialect
            for name, dialect in dialects.items()
        }
        self._banks = banks

    def find(self, arrival: Arrival) -> Endpoint:
        """The endpoint of a request: a bank in the path wins over one in the header, and that over
        the default.
        """
        place = arrival.place
        if place.bank:
            return Endpoint(self._single[place.dialect], _bank(place.bank), True)
        return Endpoint(self._dialects[place.dialect], self.named_bank(arrival), False)

    def named_bank(self, arrival: Arrival) -> str:
        """The bank in the header of a request, else the usual one of its dialect."""
        given = arrival.headers.get(b"x-bank-id")
        if given:
            return _bank(given.decode("utf-8", "surrogateescape"))
        return self._banks.get(arrival.place.dialect, DEFAULT_BANK)


def _bank(name: str) -> str:
    return validation.name(name, what="bank")
