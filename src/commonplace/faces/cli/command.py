"""What commands share: the engine they ask, the bank they mean, and the options that several of
them take.
"""

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
    """One run of a command."""

    def __init__(
        self, shell: Shell, *, bank: str = DEFAULT_BANK, as_json: bool = False, reason: str = ""
    ) -> None:
        self.home = shell.home
        self.bank = bank
        self.as_json = as_json
        self.reason = reason
        self.verbose = shell.verbose
        self.is_open = False
        # Whether the command only looks, so that not even the files of notes follow.
        self.is_read_only = False

    @cached_property
    def settings(self) -> Settings:
        """The settings in force; --home wins over the environment."""
        chosen = settings_table.load()
        return (
            replace(chosen, home=Path(self.home).expanduser().absolute()) if self.home else chosen
        )

    @cached_property
    def engine(self) -> Engine:
        """The engine, opened when first asked for and closed with the command."""
        opened = open_engine(self.settings)
        click.get_current_context().call_on_close(opened.db.close)
        # What a command changes or erases is changed and erased in the files of notes too.
        if not self.is_read_only:
            click.get_current_context().call_on_close(partial(update_note_files, opened))
        self.is_open = True
        return opened

    @property
    def origin(self) -> Origin:
        """Who is typing, and why."""
        return Origin(who=self.settings.owner or _login_name(), dialect="cli", reason=self.reason)

    @property
    def bank_exists(self) -> bool:
        """Whether anything was ever written to the bank."""
        return any(bank.name == self.bank for bank in self.engine.list_banks())

    @property
    def read_bank(self) -> str:
        """The bank, which must exist: an empty answer from a misspelt bank would be taken for the
        truth.
        """
        if self.bank != DEFAULT_BANK:
            self.engine.get_bank(self.bank)
        return self.bank

    def with_full_ids(self, options: dict[str, Any]) -> dict[str, Any]:
        """A command's options with shortened ids written out."""
        completed = options.copy()
        if "memory_id" in options:
            completed["memory_id"] = self.engine.complete_id(self.bank, options["memory_id"])
        if options.get("memory_ids"):
            completed["memory_ids"] = tuple(
                self.engine.complete_id(self.bank, one) for one in options["memory_ids"]
            )
        return completed

    def short_ids(self, numbers: Sequence[int]) -> Mapping[int, str]:
        """Ids for a person to read and type; whole ones in a pipe, where a program reads them."""
        if terminal.is_terminal(sys.stdout):
            return self.engine.short_ids(numbers)
        return {number: ids.short_form(number) for number in numbers}


def _login_name() -> str:
    # A container may run under a number that no name belongs to.
    with suppress(KeyError, ImportError, OSError):
        return getpass.getuser()
    return ""


def with_call(
    *, bank: bool = True, reason: bool = False, verbose: str = ""
) -> Callable[[Command], Command]:
    """Gives a command its Call, made from --bank, --json and --reason. `verbose` says what
    --verbose adds to it.
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
        # The same two as before the command, for those who think of them late.
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
    """Gives a command `given`: the fields of a memory that were named, by the names they have in a
    Draft or an Edit.
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
    """Gives a command `chosen`: the Filter that its options describe; with `full` also by key, time
    and text.
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
    """The moment an ISO time names. People mean their own clock, so a time without a zone is
    local.
    """
    try:
        local = datetime.fromisoformat(text.strip()).astimezone()
    except (ValueError, OverflowError, OSError):
        return clock.parse_moment(
            text
        )  # It refuses what is no time, and reads the first days of the calendar as UTC.
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


# The option's name, the field it fills, and how its text is read.
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
        # Enough to see that it is over the limit, however much more would come.
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
