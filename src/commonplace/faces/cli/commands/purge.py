"""The commands `purge` and `banks delete`. Each prints a receipt."""

from collections.abc import Mapping
from dataclasses import replace

import click
from click.core import ParameterSource

from commonplace import ids
from commonplace.engine.erasure.scoped_erasure import portion_filter
from commonplace.errors import Invalid
from commonplace.faces.cli import completers, terminal
from commonplace.faces.cli.command import CommandCall, with_call
from commonplace.faces.cli.commands.maintenance import banks
from commonplace.faces.cli.commands.vault import clear_erased_files
from commonplace.faces.cli.output import receipt_out
from commonplace.records.receipt import WHOLE_BANK, Portion, Receipt

_SELECTION_HINT = (
    "Give ids, or one of --user, --project, --document, --session, --forgotten and --bank."
)


@click.command()
@click.argument("memory_ids", metavar="[ID]...", nargs=-1)
@click.option("--user", metavar="NAME", help="Erase everything of this user in the bank.")
@click.option(
    "--project",
    metavar="NAME",
    help="Erase everything of this project in the bank.",
    shell_complete=completers.PROJECTS,
)
@click.option("--document", metavar="NAME", help="Erase this document and what was made from it.")
@click.option("--session", metavar="ID", help="Erase this session with its events and snapshots.")
@click.option(
    "--forgotten",
    is_flag=True,
    help="Erase only forgotten memories, of the user or project if one is given.",
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@with_call(reason=True)
def purge(
    call: CommandCall,
    memory_ids: tuple[str, ...],
    user: str | None,
    project: str | None,
    document: str | None,
    session: str | None,
    forgotten: bool,
    yes: bool,
) -> None:
    """Erase memories for good, or all that a user or a bank has.

    Give ids, a user, a project, a document or a session; --bank alone erases the whole bank. Every
    version is erased, and so is everything that was made from it or repeats it: documents,
    observations, lines of sessions. Only a backup made before can bring it back. The command asks
    first and ends with a receipt. --json prints the receipt as one object, which names what was
    erased by id and keyed hash and contains none of the text.

    \b
    Examples:
      commonplace purge m0vc3sn6jr00
      commonplace purge --user ana --reason "asked for it" --json
      commonplace purge --bank trial --yes
      commonplace purge --forgotten --yes
    """
    portion = Portion(user, project, document, session, forgotten)
    named = click.get_current_context().get_parameter_source("bank") is ParameterSource.COMMANDLINE
    _check_selection(memory_ids, portion, whole_bank=named)
    if memory_ids:
        numbers = {call.engine.get(call.read_bank, memory_id).id for memory_id in memory_ids}
        _confirm(
            f"Erase {terminal.pluralize(len(numbers), 'memory')} and all versions for good?",
            yes=yes,
        )
        _print_receipt(call, call.engine.erase_ids(call.bank, sorted(numbers), call.origin))
    elif portion == WHOLE_BANK:
        _erase_bank(call, yes=yes)
    else:
        _erase_portion(call, portion, yes=yes)


@banks.command()
@click.argument("name", shell_complete=completers.BANKS)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@with_call(bank=False, reason=True)
def delete(call: CommandCall, name: str, yes: bool) -> None:
    """Erase a bank for good, with everything in it.

    The same as `commonplace purge --bank NAME`. The command asks first and ends with a receipt.

    \b
    Example:
      commonplace banks delete trial
    """
    call.bank = name
    _erase_bank(call, yes=yes)


def _erase_bank(call: CommandCall, *, yes: bool) -> None:
    call.engine.get_bank(call.bank)
    count = call.engine.count(call.bank, portion_filter(WHOLE_BANK))
    held = terminal.pluralize(count, "memory")
    _confirm(
        f"Erase the bank {call.bank} for good, with {held} and everything else in it?", yes=yes
    )
    _print_receipt(call, call.engine.erase_bank(call.bank, call.origin))


def _erase_portion(call: CommandCall, portion: Portion, *, yes: bool) -> None:
    count = call.engine.count(call.read_bank, portion_filter(portion))
    if not call.bank_exists or (portion.forgotten and not count):
        terminal.print_note(
            "No memory is forgotten, so nothing was purged." if portion.forgotten else _NOTHING
        )
        return
    if portion.document or portion.session:
        question = f"Erase {_describe(portion)} for good, and everything made from it?"
    else:
        held = terminal.pluralize(count, "memory")
        question = f"Erase {_describe(portion)} in the bank {call.bank} for good, including {held}?"
    _confirm(question, yes=yes)
    _print_receipt(call, call.engine.erase(call.bank, portion, call.origin))
    _note_other_banks(call, portion)


_NOTHING = "Nothing matches, so nothing was purged."


def _describe(portion: Portion) -> str:
    if portion.document:
        return f"the document {portion.document}"
    if portion.session:
        return f"the session {portion.session}"
    whose = [
        f"of {what} {name}"
        for what, name in (("user", portion.user), ("project", portion.project))
        if name
    ]
    return " ".join(["all forgotten memories" if portion.forgotten else "everything", *whose])


def _check_selection(memory_ids: tuple[str, ...], portion: Portion, *, whole_bank: bool) -> None:
    """Raise Invalid for an empty selection, and for two selections at once."""
    scope = portion.user is not None or portion.project is not None or portion.forgotten
    ways = [bool(memory_ids), portion.document is not None, portion.session is not None, scope]
    if sum(ways) > 1:
        raise Invalid(
            "Ids and options, or two kinds of options, cannot be combined.", hint=_SELECTION_HINT
        )
    if not any(ways) and not whole_bank:
        raise Invalid("Nothing was selected.", hint=_SELECTION_HINT)
    if "" in (portion.user, portion.project, portion.document, portion.session):
        raise Invalid("A name is empty.", hint=_SELECTION_HINT)


def _confirm(question: str, *, yes: bool) -> None:
    if not yes:
        terminal.confirm(question)


def _print_receipt(call: CommandCall, receipt: Receipt) -> None:
    if call.as_json:
        terminal.print_json(receipt_out(receipt))
    else:
        _print_receipt_text(receipt)
    clear_erased_files(call.engine, receipt.memory_ids)


def _print_receipt_text(receipt: Receipt) -> None:
    for number in receipt.memory_ids:
        terminal.print_line("Purged ", terminal.style(ids.short_form(number), fg="cyan"))
    if not receipt.counts and not receipt.shortened:
        terminal.print_note(_NOTHING)
        return
    shortened = [one.kind for one in receipt.shortened]
    lost = {kind: shortened.count(kind) for kind in dict.fromkeys(shortened)}
    also = f" {_format_counts(lost).capitalize()} lost the erased text." if lost else ""
    terminal.print_note(f"Erased {_format_counts(receipt.counts)}.{also}")
    if not receipt.log_emptied:
        terminal.print_note(
            "Another program is reading the store. The log is emptied as soon as no program"
            " reads it."
        )
    if receipt.copies:
        terminal.print_note(
            f"Older copies of the store may still contain it: {', '.join(receipt.copies)}. Delete"
            " those that you no longer need."
        )


def _format_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(
        terminal.pluralize(count, kind.replace("_", " ")) for kind, count in counts.items()
    )


def _note_other_banks(call: CommandCall, portion: Portion) -> None:
    """Print a note about memories of the same user in other banks."""
    if portion.user is None:
        return
    chosen = portion_filter(replace(portion, project=None))
    for bank in call.engine.list_banks():
        if bank.name != call.bank and (count := call.engine.count(bank.name, chosen)):
            held = terminal.pluralize(count, "memory")
            terminal.print_note(
                f"The bank {bank.name} also has {held} of this user. Repeat with --bank {bank.name}"
                " to erase them."
            )
