"""What the commands share: the engine, the bank, and common options."""

import getpass
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import cached_property, partial, wraps
from pathlib import Path
from typing import Any, TypeAlias, cast

import click

from commonplace import clock, ids
from commonplace import settings as settings_table
from commonplace.app import open_engine, update_note_files
from commonplace.engine.engine import Engine
from commonplace.errors import Invalid, TooLarge
from commonplace.faces.cli import completers, terminal
from commonplace.faces.cli.completers import DEFAULT_BANK
from commonplace.faces.cli.shell import Shell
from commonplace.limits import TEXT_BYTES_MAX
from commonplace.records.memory import Origin
from commonplace.records.query import Filter, TagMatch
from commonplace.settings import Settings

Command: TypeAlias = Callable[..., None]


class CommandCall:
    """One run of a command: its engine, its bank and its common options."""

    def __init__(
        self, shell: Shell, *, bank: str = DEFAULT_BANK, as_json: bool = False, reason: str = ""
    ) -> None:
        self.home = shell.home
        self.bank = bank
        self.as_json = as_json
        self.reason = reason
        self.verbose = shell.verbose
        self.is_open = False
        # A read-only command does not update the files of notes.
        self.is_read_only = False

    @cached_property
    def settings(self) -> Settings:
        """The effective settings; --home takes precedence over the environment."""
        chosen = settings_table.load()
        return (
            replace(chosen, home=Path(self.home).expanduser().absolute()) if self.home else chosen
        )

    @cached_property
    def engine(self) -> Engine:
        """The engine, opened on first use and closed with the command."""
        opened = open_engine(self.settings)
        click.get_current_context().call_on_close(opened.db.close)
        # Changes and erasures are written to the files of notes when the command ends.
        if not self.is_read_only:
            click.get_current_context().call_on_close(partial(update_note_files, opened))
        self.is_open = True
        return opened

    @property
    def origin(self) -> Origin:
        """The author of changes: the owner or the login name, with the reason."""
        return Origin(who=self.settings.owner or _login_name(), dialect="cli", reason=self.reason)

    @property
    def bank_exists(self) -> bool:
        """Whether the bank exists; the first write creates it."""
        return any(bank.name == self.bank for bank in self.engine.list_banks())

    @property
    def read_bank(self) -> str:
        """The bank, which must exist: an empty result from a misspelt bank would be misleading."""
        if self.bank != DEFAULT_BANK:
            self.engine.get_bank(self.bank)
        return self.bank

    def with_full_ids(self, options: dict[str, Any]) -> dict[str, Any]:
        """The options of a command with shortened ids completed."""
        completed = options.copy()
        if "memory_id" in options:
            completed["memory_id"] = self.engine.complete_id(self.bank, options["memory_id"])
        if options.get("memory_ids"):
            completed["memory_ids"] = tuple(
                self.engine.complete_id(self.bank, one) for one in options["memory_ids"]
            )
        return completed

    def short_ids(self, numbers: Sequence[int]) -> Mapping[int, str]:
        """Ids to print: shortened on a terminal, complete in a pipe."""
        if terminal.is_terminal(sys.stdout):
            return self.engine.short_ids(numbers)
        return {number: ids.short_form(number) for number in numbers}


def _login_name() -> str:
    # A container may run under a user id without a name.
    with suppress(KeyError, ImportError, OSError):
        return getpass.getuser()
    return ""


def with_call(
    *, bank: bool = True, reason: bool = False, verbose: str = ""
) -> Callable[[Command], Command]:
    """Passes a CommandCall to a command, made from --bank, --json and --reason. `verbose` is the
    help text of --verbose for this command.
    """

    own = ["as_json", *(["bank"] if bank else []), *(["reason"] if reason else [])]

    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(**options: Any) -> None:
            shell = click.get_current_context().ensure_object(Shell)
            shell.home = options.pop("home") or shell.home
            shell.verbose = options.pop("verbose") or shell.verbose
            call = CommandCall(shell, **{name: options.pop(name) for name in own})
            command(call, **call.with_full_ids(options))

        added = [
            click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
        ]
        # The global options are accepted after the command too.
        added += [
            click.option("--home", type=click.Path(file_okay=False), hidden=True),
            click.option("--verbose", is_flag=True, hidden=not verbose, help=verbose),
        ]
        if bank:
            added.insert(0, _bank_option())
        if reason:
            added.insert(
                0,
                click.option(
                    "--reason",
                    metavar="TEXT",
                    default="",
                    show_default=False,
                    help="The reason, kept in the history.",
                ),
            )
        return _apply_options(run, added)

    return decorate


def with_fields(command: Command) -> Command:
    """Passes `given` to a command: the memory fields that have options, under their names in Draft
    and Edit.
    """

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        given: dict[str, Any] = {}
        for option, field, read in _FIELD_OPTIONS:
            value = options.pop(option)
            if value is not None and value != ():
                given[field] = read(value)
        command(*args, given=given, **options)

    texts = (
        ("--title", "A short title."),
        ("--kind", "Kind of memory; a new one is a `note` by default."),
    )
    times = (
        ("--when", "When it happened"),
        ("--until", "When it ended"),
        ("--expires", "When it expires"),
    )
    return _apply_options(
        run,
        [
            *(click.option(name, metavar="TEXT", help=text) for name, text in texts),
            click.option(
                "--tag",
                multiple=True,
                metavar="TAG",
                help="A tag; repeat for several.",
                shell_complete=completers.TAGS,
            ),
            click.option("--category", metavar="TEXT", help="A category of your own."),
            click.option(
                "--path",
                multiple=True,
                metavar="GLOB",
                help="Files it is about; repeat for several.",
            ),
            *(
                click.option(
                    n, metavar="TIME", help=f"{text}: an ISO 8601 time, local if it has no zone."
                )
                for n, text in times
            ),
            click.option(
                "--metadata",
                metavar="JSON",
                help='Further fields as JSON, such as \'{"source": "chat"}\'.',
            ),
        ],
    )


def with_filter(*, full: bool = True) -> Callable[[Command], Command]:
    """Passes `chosen` to a command: the Filter that its options describe. `full` adds filters for
    key, time and text.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(*args: Any, **options: Any) -> None:
            given = {
                name: options.pop(f"in_{name}", None)
                for name, _ in (*_REPEATABLE_FILTERS, *_SINGLE_FILTERS)
            }
            command(*args, chosen=_build_filter(given), **options)

        added = [
            click.option(
                f"--{name}",
                f"in_{name}",
                multiple=True,
                metavar="NAME",
                help=f"Only memories {text}; may be repeated.",
                shell_complete=_FILTER_COMPLETERS.get(name),
            )
            for name, text in (_REPEATABLE_FILTERS if full else _REPEATABLE_FILTERS[:-1])
        ]
        if full:
            added += [
                click.option(
                    f"--{name.replace('_', '-')}",
                    f"in_{name}",
                    metavar="VALUE",
                    help=f"Only memories {text}.",
                )
                for name, text in _SINGLE_FILTERS
            ]
        return _apply_options(run, added)

    return decorate


_REPEATABLE_FILTERS = (
    ("project", "of this project"),
    ("user", "of this user"),
    ("kind", "of this kind"),
    ("tag", "with this tag"),
    ("category", "in this category"),
)
_FILTER_COMPLETERS = {"project": completers.PROJECTS, "tag": completers.TAGS}
_SINGLE_FILTERS = (
    ("key_prefix", "with this key or one below it"),
    ("since", "created at or after this time"),
    ("before", "created before this time"),
    ("contains", "with this in the text or the title"),
    ("pattern", "with this in the text; * and ? are wildcards"),
)


def _build_filter(given: dict[str, Any]) -> Filter:
    return Filter(
        projects=given["project"] or None,
        users=given["user"] or None,
        kinds=given["kind"] or None,
        categories=given["category"] or None,
        where=TagMatch(given["tag"]) if given["tag"] else None,
        key_prefix=given["key_prefix"],
        created_from=None if given["since"] is None else parse_time(given["since"]),
        created_before=None if given["before"] is None else parse_time(given["before"]),
        text_contains=given["contains"],
        text_pattern=given["pattern"],
    )


def parse_time(text: str) -> int:
    """An ISO time in milliseconds. Without a zone it is local time."""
    try:
        local = datetime.fromisoformat(text.strip()).astimezone()
    except (ValueError, OverflowError, OSError):
        return clock.parse_moment(
            text
        )  # Raises for an invalid time, and reads the first days of the calendar as UTC.
    return clock.parse_moment(local.isoformat())


def _parse_optional_time(text: str) -> int | None:
    return parse_time(text) if text.strip() else None


def _parse_metadata(text: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise Invalid(
            f"The metadata is not JSON: {error}.",
            hint="""Quote it like this: --metadata '{"source": "chat"}'.""",
        ) from error
    if not isinstance(value, dict):
        raise Invalid(
            "The metadata is not a JSON object.",
            hint="""Use names and values: --metadata '{"source": "chat"}'.""",
        )
    return cast("dict[str, object]", value)


def _identity(value: Any) -> Any:
    return value


# The option, the field that it sets, and the function that parses its text.
_FIELD_OPTIONS: tuple[tuple[str, str, Callable[[Any], Any]], ...] = (
    ("title", "title", _identity),
    ("kind", "kind", _identity),
    ("tag", "tags", _identity),
    ("category", "category", _identity),
    ("path", "paths", _identity),
    ("when", "happened_at", _parse_optional_time),
    ("until", "happened_until", _parse_optional_time),
    ("expires", "expires_at", _parse_optional_time),
    ("metadata", "metadata", _parse_metadata),
)


def read_text(words: tuple[str, ...]) -> str:
    """The text on the command line, or on standard input when it is a single `-`."""
    if words != ("-",):
        return " ".join(words)
    if sys.stdin is None or sys.stdin.closed:  # pyright: ignore[reportUnnecessaryComparison]
        raise Invalid(
            "There is no standard input to read.",
            hint="Give the text as an argument, or pipe it in.",
        )
    if terminal.is_terminal(sys.stdin):
        terminal.print_note("Type the text and end it with Ctrl-D on a line of its own.")
    try:
        # Reading a little more than the limit is enough to detect a longer text.
        given = sys.stdin.buffer.read(TEXT_BYTES_MAX + 4)
        if len(given) > TEXT_BYTES_MAX + 2:  # A final line end is not counted.
            raise TooLarge(
                f"The text has more than {TEXT_BYTES_MAX:,} bytes.", hint="Split it into parts."
            )
        return given.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise Invalid(
            "Standard input is not UTF-8 text.", hint="Convert it first, for example with `iconv`."
        ) from error


def _bank_option() -> Callable[[Command], Command]:
    return click.option(
        "--bank",
        metavar="NAME",
        default=DEFAULT_BANK,
        help="The bank to use.",
        shell_complete=completers.BANKS,
    )


def _apply_options(command: Command, options: list[Callable[[Command], Command]]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command
