"""A request for a page, and the answers that a view can give to it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias
from urllib.parse import parse_qs, quote, urlencode

from commonplace import validation
from commonplace.engine.engine import Engine
from commonplace.errors import Invalid
from commonplace.records.memory import Origin

DEFAULT_BANK = "default"
Values: TypeAlias = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its template, what the template shows, and the same as JSON."""

    template: str
    data: Mapping[str, object]
    twin: Mapping[str, object] = field(default_factory=dict[str, object])
    status: int = 200


@dataclass(frozen=True, slots=True)
class Redirect:
    """An answer that sends the browser to another page after a change."""

    address: str


@dataclass(frozen=True, slots=True)
class File:
    """An answer that is a file: shown as plain text, or saved under a name."""

    body: bytes
    content_type: str
    save_as: str = ""


Answer: TypeAlias = Page | Redirect | File


@dataclass(frozen=True, slots=True)
class Visit:
    """One request: what the address and the form contain, and what the server offers to views."""

    engine: Engine
    method: str
    path: tuple[str, ...]
    query: Values
    form: Values
    form_token: str
    # Whether the server needs a key, so that pages offer to log out.
    has_login: bool = False
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    # What the server knows about itself: calls, workers, keys.
    facts: Callable[[], Mapping[str, object]] = dict

    @property
    def bank(self) -> str:
        """The bank of the page."""
        return validation.name(self.get("bank") or DEFAULT_BANK, what="bank")

    @property
    def origin(self) -> Origin:
        """Who makes a change here, and why."""
        reason = self.posted("reason").strip()
        return Origin(who=self.engine.owner or "owner", dialect="web", reason=reason)

    def get(self, name: str) -> str:
        """A value of the address, or an empty string."""
        return next(iter(self.query.get(name, ())), "").strip()

    def list(self, name: str) -> tuple[str, ...]:
        """All values of a name in the address, without empty ones."""
        return tuple(one.strip() for one in self.query.get(name, ()) if one.strip())

    def posted(self, name: str) -> str:
        """A value of the form, or an empty string. Browsers send line breaks as two characters."""
        return next(iter(self.form.get(name, ())), "").replace("\r\n", "\n")

    def posted_list(self, name: str) -> tuple[str, ...]:
        """All values of a name in the form, without empty ones."""
        return tuple(one.strip() for one in self.form.get(name, ()) if one.strip())

    def number(self, name: str, default: int) -> int:
        """A whole number of the address."""
        return whole_number(self.get(name), name, default)

    def address(self, path: str, **values: object) -> str:
        """An address within the bank of this page."""
        return address(path, bank=self.bank, **values)


def whole_number(text: str, what: str, default: int) -> int:
    """A whole number that a person typed or that stands in an address."""
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise Invalid(f"{what} is {text[:40]!r}.", hint="Use a whole number.")
    return int(text)


def address(path: str, **values: object) -> str:
    """A path with its values. Empty ones and the default bank are left out."""
    given = {
        name: value
        for name, value in values.items()
        if value not in ("", None, ()) and (name, value) != ("bank", DEFAULT_BANK)
    }
    query = urlencode(given, doseq=True, quote_via=quote)
    return f"{path}?{query}" if query else path


def parse_values(text: str) -> dict[str, list[str]]:
    """The values of a query or of a form."""
    try:
        return parse_qs(text, keep_blank_values=True, max_num_fields=_FIELDS_MAX)
    except ValueError as error:
        raise Invalid(
            "The form has too many fields.", hint="Choose fewer memories at once."
        ) from error


_FIELDS_MAX = 5_000
