"""Which key the server at an address asks for, and from which variable a client may take it."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from commonplace.dialects import registry
from commonplace.errors import Invalid
from commonplace.faces.http.access import is_loopback
from commonplace.faces.http.tokens import vault_token
from commonplace.settings import Settings

ANY_VARIABLE = "COMMONPLACE_API_KEY"
HINDSIGHT_VARIABLE = "COMMONPLACE_HINDSIGHT_API_KEY"
TOKEN_VARIABLE = "COMMONPLACE_TOKEN"
# What a header may carry and a JSON or TOML text shows as it is.
_KEY_PATTERN = re.compile(r"[!#-\[\]-~]+")
_WRITTEN_KEY = re.compile(r"(Bearer )(?![{$])[!#-\[\]-~]+")


@dataclass(frozen=True, slots=True)
class Key:
    """A key by the variable that holds it, and by itself where it is to be written into the
    file.
    """

    variable: str
    value: str = field(default="", repr=False)


def dialect_at(url: str, dialect: str) -> str:
    """What the address speaks; a short one speaks what the server was told to."""
    first = urlsplit(url).path.strip("/").split("/")[0]
    if first in registry.NAMES:
        return first
    return registry.HTTP_DEFAULT if first == "mcp" and dialect == registry.DEFAULT else dialect


def required_variable(url: str, dialect: str, settings: Settings) -> str:
    """The variable with the key that the server at an address asks for, or ""."""
    if settings.api_key:
        return ANY_VARIABLE
    if dialect_at(url, dialect) == "vault":
        return TOKEN_VARIABLE
    if dialect_at(url, dialect) == "hindsight" and settings.hindsight_api_key:
        return HINDSIGHT_VARIABLE
    # A server that others can reach does not start without a key.
    return "" if is_loopback(urlsplit(url).hostname or "") else ANY_VARIABLE


def read_key(variable: str, settings: Settings, given: str) -> Key:
    """The key of a variable with its value: from the settings, the token's file or the variable
    itself.
    """
    values = {ANY_VARIABLE: settings.api_key, HINDSIGHT_VARIABLE: settings.hindsight_api_key}
    value = given or values.get(variable, "")
    if not value and variable == TOKEN_VARIABLE:
        value = vault_token(settings.home)
    if not _KEY_PATTERN.fullmatch(value):
        raise Invalid(
            f"{variable} holds no key that could be written." if value else f"{variable} is empty.",
            hint=f"Set {variable or ANY_VARIABLE} to the server's key and repeat.",
        )
    return Key(variable, value)


def mask_keys(text: str) -> str:
    """A text without the keys that stand in it."""
    return _WRITTEN_KEY.sub(r"\1…", text)
