"""The command line: each command calls verbs of the engine, and every failure is two lines and an
exit code.
"""

import io
import os
import sys
import traceback
import zlib
from collections.abc import Sequence

import click

# The whole package, for its version only.
import commonplace
from commonplace import interrupts, lazy
from commonplace.errors import CommonplaceError
from commonplace.faces.cli import terminal
from commonplace.faces.cli.command_table import Commands
from commonplace.faces.cli.groups import Group
from commonplace.faces.cli.shell import Shell

NAME = "commonplace"
COMPLETION_VARIABLE = "_COMMONPLACE_COMPLETE"  # Set by the script of a shell, as click names it.
MESSAGE_CHARS_MAX = 500
SECTIONS = (
    ("Remember and recall", ("add", "recall", "list", "show")),
    ("Change and undo", ("revise", "history", "forget", "restore", "purge")),
    ("Inspect", ("tags", "projects", "banks")),
    ("Maintain", ("doctor", "rebuild", "eval", "export", "import", "backup", "settings")),
    (
        "Connect and serve",
        (
            "connect",
            "disconnect",
            "hooks",
            "rules",
            "vault",
            "serve",
            "open",
            "mcp",
            "hook",
            "token",
        ),
    ),
    ("Help", ("help", "completion")),
)
COMMANDS = Commands()
EXAMPLES = (
    'commonplace add "Staging listens on port 8080." --tag infra',
    'commonplace recall "which port does staging use?"',
    "commonplace list --tag infra",
)


class Overview(Group):
    """A group whose help shows the commands by purpose, after three examples."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the overview."""
        formatter.write_text(self.help or "")
        formatter.write_paragraph()
        formatter.write_text(f"Usage: {NAME} [OPTIONS] COMMAND [ARGS]...")
        with formatter.section("Getting started"):
            for example in EXAMPLES:
                formatter.write_text(example)
        self._format_sections(ctx, formatter)
        self.format_options(ctx, formatter)
        formatter.write_paragraph()
        formatter.write_text(f"`{NAME} help COMMAND` shows the options of a command and examples.")

    def _format_sections(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        listed = {name for _, names in SECTIONS for name in names}
        others = tuple(name for name in self.list_commands(ctx) if name not in listed)
        # One width for all sections keeps the columns in line.
        widest = max(len(name) for name in COMMANDS)
        for title, names in (*SECTIONS, ("More", others)):
            lines = [
                (name.ljust(widest), COMMANDS.short_help(name))
                for name in names
                if name in COMMANDS
            ]
            if lines:
                with formatter.section(title):
                    formatter.write_dl(lines)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write nothing: `format_help` writes the commands in sections."""


@click.group(
    NAME,
    cls=Overview,
    commands=COMMANDS,
    invoke_without_command=True,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "show_default": True,
        "max_content_width": 80,
    },
)
@click.option(
    "--home",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Folder of the store. Overrides COMMONPLACE_HOME.",
)
@click.option("--verbose", is_flag=True, help="Show the traceback of an internal error.")
@click.version_option(commonplace.__version__, "-V", "--version", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context, home: str | None, verbose: bool) -> None:
    """One memory that you and your programs share."""
    ctx.obj = ctx.obj or Shell()
    ctx.obj.home, ctx.obj.verbose = home or "", verbose
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def main(args: Sequence[str] | None = None) -> int:
    """The exit code of one run of the program."""
    _prepare_streams()
    if COMPLETION_VARIABLE in os.environ:
        lazy.load("commonplace.faces.cli.completions:register")()
    shell = Shell()
    try:
        return _run_command(args, shell)
    except KeyboardInterrupt:
        return _report_stop()
    except CommonplaceError as error:
        return _report_error(error)
    except click.UsageError as error:
        name = error.ctx.command_path if error.ctx else NAME
        return _print_failure(error.format_message(), f"Run `{name} --help` to see the usage.", 2)
    except click.Abort as error:
        return _report_abort(error)
    except OSError as error:
        return _report_os_error(error)
    except Exception as error:
        return _report_bug(error, shell.verbose)


def _run_command(args: Sequence[str] | None, shell: Shell) -> int:
    color = None if terminal.wants_colours() else False
    code = cli.main(args, NAME, standalone_mode=False, obj=shell, color=color)
    if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison]
        sys.stdout.flush()
    return code if isinstance(code, int) else 0


def _report_error(error: CommonplaceError) -> int:
    if interrupts.is_interrupted():
        return _report_stop()
    hint = error.hint or "Run `commonplace doctor` to check the store."
    return _print_failure(error.message, hint, error.exit_code)


def _report_abort(error: click.Abort) -> int:
    if interrupts.is_interrupted() or isinstance(error.__cause__, KeyboardInterrupt):
        return _report_stop()
    return _print_failure(
        "The question was not answered, so nothing was changed.",
        "Repeat with --yes to answer it in advance.",
        3,
    )


def _report_os_error(error: OSError) -> int:
    # At exit Python would write the rest again, and fail again.
    _discard_stdout()
    if isinstance(error, BrokenPipeError):
        return 1
    return _print_failure(
        f"The operating system reports an error: {error.strerror or error}.",
        "Check the disk space and the permissions.",
        1,
    )


def _report_stop() -> int:
    return _print_failure(
        "Stopped.",
        "Everything that was reported as done is saved; the rest is not.",
        interrupts.EXIT_CODE,
    )


def _print_failure(message: str, hint: str, code: int) -> int:
    text = terminal.shorten(message, MESSAGE_CHARS_MAX)
    terminal.print_note(click.style("Error: ", fg="red") + terminal.clean(text))
    terminal.print_note(click.style("Hint:  ", dim=True) + terminal.clean(terminal.one_line(hint)))
    return code


def _report_bug(error: Exception, verbose: bool) -> int:
    if interrupts.is_interrupted():
        return _report_stop()
    frame = traceback.extract_tb(error.__traceback__)[-1]
    # The same bug has the same reference everywhere, so that two reports of it can be matched.
    reference = f"{zlib.crc32(f'{type(error).__name__} {frame.name} {frame.line}'.encode()):08x}"
    if verbose:
        traceback.print_exception(error)
        return _print_failure(
            f"internal error {reference}.", "Please report it with the traceback above.", 1
        )
    return _print_failure(
        f"internal error {reference}.", "Repeat with --verbose and report the traceback.", 1
    )


def _prepare_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a character gets a question mark instead of a failure.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _discard_stdout() -> None:
    # The reader of a pipe went away, which is how `| head` ends; the interpreter must not complain
    # at its own end.
    sys.stdout = None
