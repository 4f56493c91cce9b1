"""Resolves a route to a dialect and the bank of its calls.

Resolved for every request and never kept in a session, so that a session gives no access to a bank
that its requests may not use.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from commonplace import validation
from commonplace.dialects.dialect import Dialect
from commonplace.dialects.registry import BANK_PARAMETERS
from commonplace.faces.http.access import HttpRequest

DEFAULT_BANK = "default"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The dialect and the bank that answer a request."""

    dialect: Dialect
    bank: str
    # Whether the path names the bank, so that no call can choose another.
    is_only_bank: bool


class Endpoints:
    """The endpoints of one server."""

    def __init__(self, dialects: Mapping[str, Dialect], banks: Mapping[str, str]) -> None:
        self._dialects = dialects
        self._single_bank_dialects = {
            # On the path of one bank, the tools of a dialect have no bank parameters.
            name: dialect.for_single_bank(*BANK_PARAMETERS[name])
            if name in BANK_PARAMETERS
            else dialect
            for name, dialect in dialects.items()
        }
        self._banks = banks

    def find(self, http_request: HttpRequest) -> Endpoint:
        """The endpoint of a request. The bank comes from the path, the header or the default."""
        route = http_request.route
        if route.bank:
            return Endpoint(
                self._single_bank_dialects[route.dialect], _checked_bank(route.bank), True
            )
        return Endpoint(self._dialects[route.dialect], self.bank_of(http_request), False)

    def bank_of(self, http_request: HttpRequest) -> str:
        """The bank in the header of a request, or the default bank of its dialect."""
        given = http_request.headers.get(b"x-bank-id")
        if given:
            return _checked_bank(given.decode("utf-8", "surrogateescape"))
        return self._banks.get(http_request.route.dialect, DEFAULT_BANK)


def _checked_bank(name: str) -> str:
    return validation.name(name, what="bank")
