"""The key that a server at a URL requires, and the variable that holds it for a client."""

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
# The characters that a header accepts and that JSON and TOML need not escape.
_KEY_PATTERN = re.compile(r"[!#-\[\]-~]+")
_WRITTEN_KEY = re.compile(r"(Bearer )(?![{$])[!#-\[\]-~]+")


@dataclass(frozen=True, slots=True)
class Key:
    """The variable of a key, and its value if the value is to be written into the file."""

    variable: str
    value: str = field(default="", repr=False)


def dialect_at(url: str, dialect: str) -> str:
    """The dialect in a URL's path, or else `dialect`, the one the server serves by default."""
    first = urlsplit(url).path.strip("/").split("/")[0]
    if first in registry.NAMES:
        return first
    return registry.HTTP_DEFAULT if first == "mcp" and dialect == registry.DEFAULT else dialect


def required_variable(url: str, dialect: str, settings: Settings) -> str:
    """The variable with the key that the server at a URL requires; "" if it requires none."""
    if settings.api_key:
        return ANY_VARIABLE
    if dialect_at(url, dialect) == "vault":
        return TOKEN_VARIABLE
    if dialect_at(url, dialect) == "hindsight" and settings.hindsight_api_key:
        return HINDSIGHT_VARIABLE
    # A server that others can reach does not start without a key.
    return "" if is_loopback(urlsplit(url).hostname or "") else ANY_VARIABLE


def read_key(variable: str, settings: Settings, given: str) -> Key:
    """The key of a variable with its value: from the command line, the settings or the file of the
    token.
    """
    values = {ANY_VARIABLE: settings.api_key, HINDSIGHT_VARIABLE: settings.hindsight_api_key}
    value = given or values.get(variable, "")
    if not value and variable == TOKEN_VARIABLE:
        value = vault_token(settings.home)
    if not _KEY_PATTERN.fullmatch(value):
        raise Invalid(
            f"{variable} contains characters that a key cannot have."
            if value
            else f"{variable} is empty.",
            hint=f"Set {variable or ANY_VARIABLE} to the server's key and repeat.",
        )
    return Key(variable, value)


def mask_keys(text: str) -> str:
    """The text with the keys in it masked."""
    return _WRITTEN_KEY.sub(r"\1…", text)
