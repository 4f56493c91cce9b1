"""From the options of a command to a server on standard input and output."""

import json
import os
from pathlib import Path
from typing import cast

from commonplace import checks
from commonplace import settings as settings_table
from commonplace.dialects import registry
from commonplace.errors import Invalid
from commonplace.faces.mcp import stdio
from commonplace.faces.mcp.stdio import Place
from commonplace.settings import Settings

DEFAULT_BANK = "default"


def serve(name: str, settings: Settings, bank: str = "") -> int:
    """Serve a dialect until the input ends; the exit code. With a bank named, the client has no other."""
    if bank:
        chosen = checks.name(bank, what="bank")
        return stdio.run(registry.single(name), settings, Place(chosen, True, _folder()))
    usual = settings.hindsight_bank if name == "hindsight" else DEFAULT_BANK
    return stdio.run(registry.find(name), settings, Place(usual, False, _folder()))


def environment(config: str = "", env: str = "") -> dict[str, str]:
    """The environment with what the files add: a variable that is set wins over --env, and --config over both."""
    added = dict(_assignments(_text(env, "--env"))) if env else {}
    wanted = _configured(_text(config, "--config")) if config else {}
    return added | {name: value for name, value in os.environ.items() if value} | wanted


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # The folder was removed after the client went there.
        return ""


def _text(path: str, option: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(f"The file of {option} cannot be read.", hint="Check its name and who owns it.") from error


def _configured(text: str) -> dict[str, str]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise Invalid("The file of --config is not JSON.", hint="Correct it or leave the option out.") from error
    if not isinstance(found, dict):
        raise Invalid("The file of --config is not a JSON object.", hint="Correct it or leave the option out.")
    # PowerMem's own sections are passed over here; a setting is a plain value under its name.
    chosen = cast(dict[str, object], found)
    return {one.variable: str(chosen[one.name]) for one in settings_table.SETTINGS if _plain(chosen.get(one.name))}


def _plain(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _assignments(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for line in text.splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and not name.startswith("#"):
            found.append((name.strip(), value.strip().strip("'\"")))
    return found
