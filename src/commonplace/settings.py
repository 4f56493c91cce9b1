"""The settings, as a table of name, default and help. Only this module reads the environment."""

import os
import zoneinfo
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import platformdirs

from commonplace import spelling
from commonplace.errors import Invalid

EMBEDDERS = ("static", "none")
RERANKERS = ("cross-encoder", "none")
HOOK_MODES = ("on", "all", "off")
# Variables that are not settings: the folder of public sets for evals, and the token of vault
# clients.
_OTHER_VARIABLES = ("COMMONPLACE_DATA", "COMMONPLACE_TOKEN")

# Macs with Intel processors have no onnxruntime for Python 3.14 and later.
DEFAULT_RERANKER = "cross-encoder" if find_spec("onnxruntime") else "none"


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table. The environment name is COMMONPLACE_ and the name in capitals.

    `original` is the environment name of the product that a dialect replaces; our own name wins
    when both are set.
    """

    name: str
    default: str
    help: str
    original: str = ""
    # Never printed and never logged.
    secret: bool = False
    is_url: bool = False

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "COMMONPLACE_" + self.name.upper()


SETTINGS = (
    Setting(
        "home", "", "Folder for everything on disk; empty means the data folder of the platform"
    ),
    Setting(
        "database",
        "sqlite:commonplace.db",
        "Database with the memories: sqlite:PATH, relative to the home folder",
    ),
    Setting("vault", "vault", "Folder for notes as markdown files, relative to the home folder"),
    Setting(
        "vault_inbox",
        "",
        "Folder inside the vault for new notes of agents, such as Inbox; empty means the vault",
    ),
    Setting(
        "embedder",
        "static",
        "Model that turns text into vectors: static (part of the installation) or none",
    ),
    Setting(
        "reranker",
        DEFAULT_RERANKER,
        "Model that reranks the best candidates: cross-encoder (part of the installation) or none"
        " (faster)",
    ),
    Setting("busy_timeout_ms", "30000", "How many milliseconds a write waits for another process"),
    Setting(
        "owner",
        "",
        "Author recorded for changes made on the command line; empty means the login name",
    ),
    Setting(
        "timezone",
        "",
        "Time zone for reminders, such as Europe/Rome; empty means the time zone of the machine",
    ),
    Setting(
        "api_key",
        "",
        "Key required in every HTTP request except /health; empty means none",
        secret=True,
    ),
    Setting(
        "allowed_hosts",
        "",
        "Host names that HTTP clients may use besides the machine's own, separated by commas",
    ),
    Setting(
        "log_level",
        "warning",
        "Lowest level of messages in the server's log: debug (every request), info, warning or"
        " error",
    ),
    Setting(
        "hindsight_api_key",
        "",
        "Key required by the hindsight endpoints only; empty means none",
        original="HINDSIGHT_API_TENANT_API_KEY",
        secret=True,
    ),
    Setting(
        "hindsight_tenant",
        "",
        "Hindsight's tenant extension; if set, the server does not start without a key",
        original="HINDSIGHT_API_TENANT_EXTENSION",
    ),
    Setting(
        "hindsight_bank",
        "default",
        "Bank for Hindsight calls that name none",
        original="HINDSIGHT_MCP_BANK_ID",
    ),
    Setting(
        "hindsight_enabled",
        "true",
        "Whether the server has the hindsight endpoints: true or false",
        original="HINDSIGHT_API_MCP_ENABLED",
    ),
    Setting(
        "hindsight_instructions",
        "",
        "Instructions added to the descriptions of Hindsight's tools retain and recall",
        original="HINDSIGHT_API_MCP_INSTRUCTIONS",
    ),
    Setting(
        "llm_provider",
        "",
        "Provider of the language model: openai, qwen, deepseek, ollama and others; empty or noop"
        " means none",
        original="LLM_PROVIDER",
    ),
    Setting(
        "llm_url",
        "",
        "URL of an OpenAI-compatible API, such as http://127.0.0.1:8080/v1; overrides that of the"
        " provider",
        original="LLM_BASE_URL",
        is_url=True,
    ),
    Setting(
        "llm_model",
        "",
        "Name of the language model; empty means the provider's default",
        original="LLM_MODEL",
    ),
    Setting(
        "llm_api_key", "", "API key of the language model", original="LLM_API_KEY", secret=True
    ),
    Setting(
        "powermem_dir",
        "~/.powermem",
        "Folder whose config.json names the owner in the powermem dialect; without one it is"
        " mcp_user",
        original="POWERMEM_DIR",
    ),
    Setting(
        "fading_days",
        "0",
        "Days after which a memory ranks half as high; 0 means that age does not matter",
    ),
    Setting(
        "hooks",
        "on",
        "Sessions whose hooks are answered: on (interactive ones), all (headless ones too) or off",
    ),
    Setting("brief_tokens", "1200", "Most tokens of the brief that a session starts with"),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of all settings."""

    home: Path
    database: str
    embedder: str
    busy_timeout_ms: int
    owner: str
    timezone: str
    api_key: str = field(repr=False)
    allowed_hosts: tuple[str, ...]
    log_level: str
    hindsight_api_key: str = field(repr=False)
    hindsight_bank: str
    hindsight_enabled: bool
    hindsight_tenant: str = ""
    hindsight_instructions: str = ""
    llm_provider: str = ""
    llm_url: str = ""
    llm_model: str = ""
    llm_api_key: str = field(default="", repr=False)
    powermem_dir: str = ""
    fading_days: float = 0.0
    vault: str = "vault"
    vault_inbox: str = ""
    reranker: str = DEFAULT_RERANKER
    hooks: str = "on"
    brief_tokens: int = 1200

    @property
    def database_path(self) -> Path:
        """The file of a sqlite: setting."""
        scheme, _, path = self.database.partition(":")
        if scheme != "sqlite" or not path:
            raise Invalid(
                f"{mask_secrets(self.database)!r} is not a supported database.",
                hint="Set COMMONPLACE_DATABASE to sqlite:PATH or unset it.",
            )
        return self.home / path

    @property
    def vault_path(self) -> Path:
        """The folder of the notes."""
        return self.home / Path(self.vault).expanduser()


def load(environment: Mapping[str, str] | None = None) -> Settings:
    """Read every setting from the environment."""
    given = os.environ if environment is None else environment
    _refuse_unknown(given)
    values = {setting.name: _value(setting, given) for setting in SETTINGS}
    home = (
        Path(values["home"]).expanduser()
        if values["home"]
        else platformdirs.user_data_path("commonplace", False)
    )
    return Settings(
        home=home.absolute(),
        database=values["database"],
        embedder=_choice("embedder", given, values, EMBEDDERS),
        busy_timeout_ms=int(
            _number("busy_timeout_ms", given, values, 600_000, "a whole number of milliseconds")
        ),
        owner=values["owner"],
        timezone=_timezone(given, values),
        api_key=values["api_key"],
        allowed_hosts=tuple(
            name.strip() for name in values["allowed_hosts"].split(",") if name.strip()
        ),
        log_level=_choice("log_level", given, values, ("debug", "info", "warning", "error")),
        hindsight_api_key=values["hindsight_api_key"],
        hindsight_tenant=values["hindsight_tenant"],
        hindsight_bank=values["hindsight_bank"],
        hindsight_enabled=_choice("hindsight_enabled", given, values, _TRUE + _FALSE) in _TRUE,
        hindsight_instructions=values["hindsight_instructions"],
        llm_provider=values["llm_provider"],
        llm_url=values["llm_url"],
        llm_model=values["llm_model"],
        llm_api_key=values["llm_api_key"],
        powermem_dir=values["powermem_dir"],
        fading_days=_number("fading_days", given, values, 36_500, "a number of days"),
        vault=values["vault"],
        vault_inbox=_inbox(values["vault_inbox"]),
        reranker=_choice("reranker", given, values, RERANKERS),
        hooks=_choice("hooks", given, values, HOOK_MODES),
        brief_tokens=int(
            _number("brief_tokens", given, values, 20_000, "a whole number of tokens")
        ),
    )


def mask_secrets(value: str, *, is_url: bool = False) -> str:
    """A value for display, with *** for passwords, parameters and fragments of URLs."""
    if is_url:
        return _mask_url(value)
    return " ".join(_mask_url(word) if "://" in word else word for word in value.split(" "))


def _mask_url(url: str) -> str:
    before, mark, after = url.partition("://")
    scheme, rest = (f"{before}{mark}", after) if mark else ("", url)
    # A password may contain any character unescaped, so everything up to the last @ is replaced.
    _, at, rest = rest.rpartition("@")
    rest, hash_sign, _ = rest.partition("#")
    path, question_mark, parameters = rest.partition("?")
    pairs = (one.partition("=") for one in parameters.split("&") if one)
    shown = "&".join(f"{name}=***" if equals else "***" for name, equals, _ in pairs)
    return f"{scheme}{at and '***@'}{path}{question_mark}{shown}{hash_sign and '#***'}"


_TRUE, _FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


def refuse_unknown(name: str, known: Iterable[str], *, what: str) -> None:
    """Refuse an unknown name of a setting: otherwise it would silently have no effect."""
    if name not in known:
        raise Invalid(f"There is no {what} {name}.", hint=_suggestion(name, known))


def _refuse_unknown(given: Mapping[str, str]) -> None:
    known = (*(setting.variable for setting in SETTINGS), *_OTHER_VARIABLES)
    for name, value in sorted(given.items()):
        if name.upper().startswith("COMMONPLACE_") and value.strip():
            refuse_unknown(name, known, what="setting")


def _suggestion(name: str, known: Iterable[str]) -> str:
    meant = spelling.closest_name(name, known)
    return f"{f'Did you mean {meant}? ' if meant else ''}`commonplace settings` lists them all."


def _value(setting: Setting, given: Mapping[str, str]) -> str:
    names = (setting.variable, setting.original) if setting.original else (setting.variable,)
    return next(
        (value for name in names if (value := given.get(name, "").strip())), setting.default
    )


def _variable(name: str, given: Mapping[str, str]) -> str:
    """The variable that the value of a setting came from."""
    setting = next(one for one in SETTINGS if one.name == name)
    if setting.original and not given.get(setting.variable, "").strip():
        return setting.original
    return setting.variable


def _number(
    name: str, given: Mapping[str, str], values: Mapping[str, str], most: int, what: str
) -> float:
    try:
        value = int(values[name]) if "whole" in what else float(values[name])
        if 0 <= value <= most:
            return value
    except ValueError:
        pass
    raise Invalid(
        f"{_variable(name, given)} cannot be {values[name]!r}.",
        hint=f"Use {what} from 0 to {most:,}.",
    )


def _choice(
    name: str, given: Mapping[str, str], values: Mapping[str, str], allowed: tuple[str, ...]
) -> str:
    text = values[name].lower()
    if text not in allowed:
        raise Invalid(
            f"{_variable(name, given)} cannot be {values[name]!r}.",
            hint=spelling.hint(text, allowed),
        )
    return text


def _inbox(text: str) -> str:
    """A relative folder, with slashes between its parts."""
    parts = [part for part in text.replace("\\", "/").split("/") if part]
    if text.startswith(("/", "\\", "~")) or any(
        part.startswith(".") or ":" in part for part in parts
    ):
        hint = "Use the name of a folder inside the vault, such as Inbox or Agents/Inbox."
        raise Invalid(f"COMMONPLACE_VAULT_INBOX cannot be {text!r}.", hint=hint)
    return "/".join(parts)


def _timezone(given: Mapping[str, str], values: Mapping[str, str]) -> str:
    text = values["timezone"]
    try:
        if text:
            zoneinfo.ZoneInfo(text)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        meant = spelling.closest_name(text, zoneinfo.available_timezones()) or "Europe/Rome"
        raise Invalid(
            f"{_variable('timezone', given)} cannot be {text!r}.",
            hint=f"Use the name of a time zone, such as {meant}.",
        ) from error
    return text
