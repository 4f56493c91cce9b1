"""The settings, as a table of name, default and help. Only this module reads the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from commonplace.errors import Invalid


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table. The environment name is COMMONPLACE_ and the name in capitals."""

    name: str
    default: str
    help: str

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "COMMONPLACE_" + self.name.upper()


SETTINGS = (
    Setting("home", "", "Folder for everything on disk; empty means the platform's data folder"),
    Setting("database", "sqlite:commonplace.db", "Where memories live: sqlite:PATH, relative to the home folder"),
    Setting("embedder", "static", "How text becomes vectors: static (inside the installation) or none"),
    Setting("busy_timeout_ms", "30000", "How long a write waits for another process before it gives up"),
    Setting("owner", "", "Name written as the author of changes made on the command line"),
    Setting("timezone", "", "Time zone for reminders, such as Europe/Rome; empty means the machine's own"),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The values in force."""

    home: Path
    database: str
    embedder: str
    busy_timeout_ms: int
    owner: str
    timezone: str

    @property
    def database_path(self) -> Path:
        """The file behind a sqlite: setting."""
        scheme, _, path = self.database.partition(":")
        if scheme != "sqlite" or not path:
            raise Invalid(
                f"No database is called {self.database!r}.", hint="Set COMMONPLACE_DATABASE to sqlite:PATH or unset it."
            )
        return self.home / path


def load(environment: Mapping[str, str] | None = None) -> Settings:
    """Read every setting from the environment."""
    given = os.environ if environment is None else environment
    values = {setting.name: given.get(setting.variable, "").strip() or setting.default for setting in SETTINGS}
    try:
        busy_timeout_ms = int(values["busy_timeout_ms"])
    except ValueError as error:
        raise Invalid(
            f"COMMONPLACE_BUSY_TIMEOUT_MS is {values['busy_timeout_ms']!r}.", hint="Use whole milliseconds."
        ) from error
    if not 0 <= busy_timeout_ms <= 600_000:
        raise Invalid("COMMONPLACE_BUSY_TIMEOUT_MS is out of range.", hint="Use 0 to 600000.")
    home = Path(values["home"]).expanduser() if values["home"] else platformdirs.user_data_path("commonplace", False)
    return Settings(
        home=home.absolute(),
        database=values["database"],
        embedder=values["embedder"],
        busy_timeout_ms=busy_timeout_ms,
        owner=values["owner"],
        timezone=values["timezone"],
    )
