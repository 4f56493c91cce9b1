"""Starts a server on standard input and output from the options of a command."""

import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from commonplace import lazy, validation
from commonplace import settings as settings_table
from commonplace.dialects import registry
from commonplace.dialects.dialect import add_instructions
from commonplace.errors import Invalid
from commonplace.faces.mcp import stdio
from commonplace.faces.mcp.stdio import Target
from commonplace.settings import Settings

# Only a server for PowerMem reads its variables, and its package imports the whole dialect.
if TYPE_CHECKING:
    from commonplace.dialects.powermem import config as powermem_config
else:
    powermem_config = lazy.module("commonplace.dialects.powermem.config")

DEFAULT_BANK = "default"
POWERMEM = "powermem"
_ENV_CHARS_MAX = 100_000
_SCALARS = (str, int, float)


def serve(name: str, settings: Settings, bank: str = "") -> int:
    """Serve a dialect until the input ends, and return the exit code.

    If a bank is given, it is the only one the client can use.
    """
    offered = (registry.single_bank(name) if bank else registry.find(name)).for_single_user()
    spoken = add_instructions(offered, settings.hindsight_instructions)
    if bank:
        return stdio.run(
            spoken, settings, Target(validation.name(bank, what="bank"), True, _working_folder())
        )
    usual = settings.hindsight_bank if name == "hindsight" else DEFAULT_BANK
    return stdio.run(spoken, settings, Target(usual, False, _working_folder()))


def load_environment(config: str = "", env: str = "", dialect: str = "") -> dict[str, str]:
    """The environment together with the values of --env and --config.

    A variable that is set overrides --env, and --config overrides both. For powermem, PowerMem's
    own variables are read as well; `.env` in the working folder has the lowest priority. Values
    that have no effect are named on standard error.
    """
    added = dict(_parse_assignments(_read_file(env, "--env"))) if env else {}
    configured = _parse_config(_read_file(config, "--config")) if config else {}
    set_here = {name: value for name, value in os.environ.items() if value}
    if dialect != POWERMEM:
        _check_settings(configured)
        return added | set_here | _settings_in(configured)
    found, warnings = powermem_config.from_env_file(_parse_assignments(_read_local_env()))
    from_file, more = powermem_config.from_config(
        configured, [one.name for one in settings_table.SETTINGS]
    )
    given, rest = powermem_config.normalize_environment(found | added | set_here | from_file)
    for line in (*warnings, *more, *_unknown_variables(added), *rest):
        sys.stderr.write(f"Warning: {line}\n")
    return given | _settings_in(configured)


def _unknown_variables(added: Iterable[str]) -> list[str]:
    """A warning about the variables of --env that are neither ours nor PowerMem's, if any."""
    names = [
        name
        for name in sorted(added)
        if not name.startswith("COMMONPLACE_") and not powermem_config.is_powermem_variable(name)
    ]
    return [f"Unknown variables in --env: {', '.join(names)}."] if names else []


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # The folder was removed after the client was started in it.
        return ""


def _read_file(path: str, option: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(
            f"The file given with {option} cannot be read.", hint="Check its name and permissions."
        ) from error


def _read_local_env() -> str:
    """The text of `.env` in the working folder, or "" if it is missing or unreadable."""
    try:
        file = Path(".env")
        return file.read_text(encoding="utf-8-sig")[:_ENV_CHARS_MAX] if file.is_file() else ""
    except (OSError, UnicodeDecodeError):
        return ""


def _parse_config(text: str) -> dict[str, object]:
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


def _settings_in(chosen: dict[str, object]) -> dict[str, str]:
    """The settings in a configuration file: scalar values under their names.

    PowerMem's own sections are not settings.
    """
    return {
        one.variable: str(chosen[one.name])
        for one in settings_table.SETTINGS
        if isinstance(chosen.get(one.name), _SCALARS)
    }


def _check_settings(chosen: dict[str, object]) -> None:
    names = [one.name for one in settings_table.SETTINGS]
    for name, value in chosen.items():
        settings_table.refuse_unknown(name, names, what="setting in the --config file called")
        if not isinstance(value, _SCALARS):
            raise Invalid(
                f"The value of {name} in the --config file is neither a string nor a number.",
                hint="Use a string, a number, true or false.",
            )


def _parse_assignments(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for line in text.splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and not name.startswith("#"):
            found.append((name.strip(), value.strip().strip("'\"")))
    return found
