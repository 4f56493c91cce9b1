"""From the options of a command to a server on standard input and output."""

import json
import os
import sys
from pathlib import Path
from typing import cast

from commonplace import settings as settings_table
from commonplace import validation
from commonplace.dialects import registry
from commonplace.dialects.dialect import instructed
from commonplace.dialects.powermem import config as powermem_config
from commonplace.errors import Invalid
from commonplace.faces.mcp import stdio
from commonplace.faces.mcp.stdio import Place
from commonplace.settings import Settings

DEFAULT_BANK = "default"
POWERMEM = "powermem"
_ENV_CHARS_MAX = 100_000
_PLAIN = (str, int, float)


def serve(name: str, settings: Settings, bank: str = "") -> int:
    """Serve a dialect until the input ends; the exit code. With a bank named, the client has no
    other.
    """
    offered = (registry.single(name) if bank else registry.find(name)).for_one_person()
    spoken = instructed(offered, settings.hindsight_instructions)
    if bank:
        return stdio.run(
            spoken, settings, Place(validation.name(bank, what="bank"), True, _folder())
        )
    usual = settings.hindsight_bank if name == "hindsight" else DEFAULT_BANK
    return stdio.run(spoken, settings, Place(usual, False, _folder()))


def environment(config: str = "", env: str = "", dialect: str = "") -> dict[str, str]:
    """The environment with what the files add: a variable that is set wins over --env, and --config
    over both.

    For powermem, its own names are understood as well, those in `.env` of the working folder last
    of all. What has no effect is named on standard error.
    """
    added = dict(_assignments(_text(env, "--env"))) if env else {}
    configured = _decoded(_text(config, "--config")) if config else {}
    set_here = {name: value for name, value in os.environ.items() if value}
    if dialect != POWERMEM:
        _check(configured)
        return added | set_here | _wanted(configured)
    found, warnings = powermem_config.from_env_file(_assignments(_env_here()))
    from_file, more = powermem_config.from_config(
        configured, [one.name for one in settings_table.SETTINGS]
    )
    names = [
        name
        for name in added
        if not name.startswith("COMMONPLACE_") and not powermem_config.is_known(name)
    ]
    if names:
        more.append(f"Unknown variables in --env: {', '.join(sorted(names))}.")
    given, rest = powermem_config.understood(found | added | set_here | from_file)
    for line in (*warnings, *more, *rest):
        sys.stderr.write(f"Warning: {line}\n")
    return given | _wanted(configured)


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # The folder was removed after the client went there.
        return ""


def _text(path: str, option: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(
            f"The file given with {option} cannot be read.", hint="Check its name and permissions."
        ) from error


def _env_here() -> str:
    """The text of `.env` in the working folder, or "" where there is none that can be read."""
    try:
        file = Path(".env")
        return file.read_text(encoding="utf-8-sig")[:_ENV_CHARS_MAX] if file.is_file() else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _decoded(text: str) -> dict[str, object]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise Invalid(
            "The file given with --config is not valid JSON.",
            hint="Correct the file, or repeat without --config.",
        ) from error
    if not isinstance(found, dict):
        raise Invalid(
            "The file given with --config is not a JSON object.",
            hint="Correct the file, or repeat without --config.",
        )
    return cast(dict[str, object], found)


def _wanted(chosen: dict[str, object]) -> dict[str, str]:
    """The settings in a configuration file: plain values under their names. PowerMem's own sections
    are not these.
    """
    return {
        one.variable: str(chosen[one.name])
        for one in settings_table.SETTINGS
        if isinstance(chosen.get(one.name), _PLAIN)
    }


def _check(chosen: dict[str, object]) -> None:
    names = [one.name for one in settings_table.SETTINGS]
    for name, value in chosen.items():
        settings_table.refuse_unknown(name, names, what="setting in the --config file called")
        if not isinstance(value, _PLAIN):
            raise Invalid(
                f"The value of {name} in the --config file is neither a string nor a number.",
                hint="Use a string, a number, true or false.",
            )


def _assignments(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for line in text.splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and not name.startswith("#"):
            found.append((name.strip(), value.strip().strip("'\"")))
    return found
