"""Shell completion: the script for a shell, and the names that it completes.

Completion reads the store and never creates one. On an error it completes nothing and prints
nothing.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click import shell_completion

from commonplace import settings as settings_table
from commonplace.app import open_engine
from commonplace.dialects import registry
from commonplace.engine.engine import Engine
from commonplace.errors import CommonplaceError
from commonplace.faces.cli.completers import DEFAULT_BANK, Completer
from commonplace.faces.connect import clients
from commonplace.limits import LIST_MAX

SHELLS = ("bash", "zsh", "fish")
_BUSY_TIMEOUT_MS = 200
_CURSOR = "\0"

# Unlike click's own script, this one expands no wildcards in a value, quotes what the shell would
# split, and completes values with a colon or an equals sign, at which bash begins a new word.
_BASH = """\
%(complete_func)s() {
    local type value word=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    while IFS=, read -r type value; do
        case $type in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain)
                case $word in
                    [\\"\\']*) ;;
                    *) printf -v value %%q "$value" ;;
                esac
                COMPREPLY+=("$value") ;;
        esac
    done < <(COMP_WORDS=${COMP_LINE:0:COMP_POINT} COMP_WORD=$word \
        %(complete_var)s=bash_complete "$1" 2>/dev/null)
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class BashCompletion(shell_completion.BashComplete):
    """Completion in bash, which passes the typed line and the word that bash will replace."""

    source_template = _BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        """The complete words before the cursor, and the word that ends at it."""
        # A character at the cursor distinguishes a complete word from one that is being typed.
        words = shell_completion.split_arg_string(os.environ.get("COMP_WORDS", "") + _CURSOR)
        return words[1:-1], words[-1].removesuffix(_CURSOR)

    def complete(self) -> str:
        """One line per completion, without the prefix that bash keeps."""
        words, incomplete = self.get_completion_args()
        found = self.get_completions(words, incomplete)
        if incomplete.startswith("--") and "=" in incomplete:
            incomplete = incomplete.partition("=")[2]
        word = os.environ.get("COMP_WORD", "").strip("'\"")
        word = "" if word in (":", "=") else word
        kept = len(incomplete) - len(word) if incomplete.endswith(word) else 0
        return "\n".join(f"{one.type},{one.value[kept:]}" for one in found)


def register() -> None:
    """Register this class for bash in place of click's own."""
    shell_completion.add_completion_class(BashCompletion)


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script that lets a shell complete commands.

    It completes commands, options and files, and the names of clients, dialects, banks, tags and
    projects. Load it in the start-up file of the shell; bash needs version 4.4.

    \b
    Examples:
      echo 'eval "$(commonplace completion bash)"' >> ~/.bashrc
      echo 'eval "$(commonplace completion zsh)"' >> ~/.zshrc
      commonplace completion fish > ~/.config/fish/completions/commonplace.fish
    """
    register()
    root = click.get_current_context().find_root()
    made = shell_completion.get_completion_class(shell)
    assert made
    click.echo(made(root.command, {}, "commonplace", "_COMMONPLACE_COMPLETE").source(), nl=False)


def complete_fixed(names: Callable[[], Iterable[str]]) -> Completer:
    """A completer of names that do not depend on the store."""
    return lambda _ctx, _param, typed: _with_prefix(names(), typed)


def complete_from_store(names: Callable[[Engine, str], Iterable[str]]) -> Completer:
    """A completer of names in the store and the bank that the command line selects."""

    def complete(ctx: click.Context, _param: click.Parameter, typed: str) -> list[str]:
        home = _option_value(ctx, "home")
        try:
            chosen = settings_table.load()
            if home:
                chosen = replace(chosen, home=Path(home).expanduser().absolute())
            if not chosen.database_path.exists():
                return []
            # A completion must not wait for another process that writes.
            engine = open_engine(replace(chosen, busy_timeout_ms=_BUSY_TIMEOUT_MS))
            try:
                return _with_prefix(
                    names(engine, _option_value(ctx, "bank") or DEFAULT_BANK), typed
                )
            finally:
                engine.db.close()
        except (CommonplaceError, OSError, RuntimeError):
            return []

    return complete


def _option_value(ctx: click.Context, option: str) -> str:
    """The value of an option of this context, or else of a parent's."""
    value: Any = ctx.params.get(option)
    return value or (_option_value(ctx.parent, option) if ctx.parent else "")


def _with_prefix(names: Iterable[str], typed: str) -> list[str]:
    # Completions are printed one per line, so names with line breaks are left out.
    return sorted({name for name in names if name.startswith(typed) and name.isprintable()})


def _banks(engine: Engine, _bank: str) -> Sequence[str]:
    return [bank.name for bank in engine.list_banks()]


def _tags(engine: Engine, bank: str) -> Sequence[str]:
    return [tag.tag for tag in engine.list_tags(bank, limit=LIST_MAX)]


def _projects(engine: Engine, bank: str) -> Sequence[str]:
    return [project.name for project in engine.list_projects(bank) if project.name]


def _tools() -> Iterable[str]:
    return registry.find("hindsight").tools


def _sources() -> Sequence[str]:
    # Importing the readers of ten formats takes as long as importing the rest of the program.
    from commonplace.importers import detection

    return [*(source.name for source in detection.SOURCES), detection.ARCHIVE]


BANKS, TAGS, PROJECTS = (
    complete_from_store(_banks),
    complete_from_store(_tags),
    complete_from_store(_projects),
)
CLIENTS, DIALECTS = (
    complete_fixed(lambda: [client.name for client in clients.CLIENTS]),
    complete_fixed(lambda: registry.NAMES),
)
TOOLS, SOURCES = complete_fixed(_tools), complete_fixed(_sources)
