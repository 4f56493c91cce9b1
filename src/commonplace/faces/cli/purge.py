"""Commands that erase for good: purge, and the deletion of a bank. Each ends with a receipt."""

from collections.abc import Mapping
from dataclasses import replace

import click
from click.core import ParameterSource

from commonplace import ids
from commonplace.engine.scoped_erasure import meant
from commonplace.errors import Invalid
from commonplace.faces.cli import completers, terminal
from commonplace.faces.cli.command import Call, called
from commonplace.faces.cli.maintenance import banks
from commonplace.faces.cli.output import receipt_out
from commonplace.faces.cli.vault import tell_of_files
from commonplace.records.receipt import WHOLE, Portion, Receipt

_WAYS = "Give ids, or one of --user, --project, --document, --session, --forgotten and --bank."


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
@called(reason=True)
def purge(
    call: Call,
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
    _check(memory_ids, portion, whole_bank=named)
    if memory_ids:
        numbers = {call.engine.get(call.read_bank, memory_id).id for memory_id in memory_ids}
        _ask(
            f"Erase {terminal.counted(len(numbers), 'memory')} and all versions for good?", yes=yes
        )
        _report(call, call.engine.erase_ids(call.bank, sorted(numbers), call.origin))
    elif portion == WHOLE:
        _erase_bank(call, yes=yes)
    else:
        _erase_portion(call, portion, yes=yes)


@banks.command()
@click.argument("name", shell_complete=completers.BANKS)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@called(bank=False, reason=True)
def delete(call: Call, name: str, yes: bool) -> None:
    """Erase a bank for good, with everything in it.

    The same as `commonplace purge --bank NAME`. The command asks first and ends with a receipt.

    \b
    Example:
      commonplace banks delete trial
    """
    call.bank = name
    _erase_bank(call, yes=yes)


def _erase_bank(call: Call, *, yes: bool) -> None:
    call.engine.get_bank(call.bank)
    count = call.engine.count(call.bank, meant(WHOLE))
    held = terminal.counted(count, "memory")
    _ask(f"Erase the bank {call.bank} for good, with {held} and everything else in it?", yes=yes)
    _report(call, call.engine.erase_bank(call.bank, call.origin))


def _erase_portion(call: Call, portion: Portion, *, yes: bool) -> None:
    count = call.engine.count(call.read_bank, meant(portion))
    if not call.is_written or (portion.forgotten and not count):
        terminal.note(
            "No memory is forgotten, so nothing was purged." if portion.forgotten else _NOTHING
        )
        return
    if portion.document or portion.session:
        question = f"Erase {_described(portion)} for good, and everything made from it?"
    else:
        held = terminal.counted(count, "memory")
        question = (
            f"Erase {_described(portion)} in the bank {call.bank} for good, including {held}?"
        )
    _ask(question, yes=yes)
    _report(call, call.engine.erase(call.bank, portion, call.origin))
    _tell_of_other_banks(call, portion)


_NOTHING = "Nothing matches, so nothing was purged."


def _described(portion: Portion) -> str:
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


def _check(memory_ids: tuple[str, ...], portion: Portion, *, whole_bank: bool) -> None:
    """Refuse what means nothing, and two ways of choosing at once."""
    scope = portion.user is not None or portion.project is not None or portion.forgotten
    ways = [bool(memory_ids), portion.document is not None, portion.session is not None, scope]
    if sum(ways) > 1:
        raise Invalid("Ids and options, or two kinds of options, cannot be combined.", hint=_WAYS)
    if not any(ways) and not whole_bank:
        raise Invalid("Nothing was selected.", hint=_WAYS)
    if "" in (portion.user, portion.project, portion.document, portion.session):
        raise Invalid("A name is empty.", hint=_WAYS)


def _ask(question: str, *, yes: bool) -> None:
    if not yes:
        terminal.confirm(question)


def _report(call: Call, receipt: Receipt) -> None:
    if call.as_json:
        terminal.emit(receipt_out(receipt))
    else:
        _show(receipt)
    tell_of_files(call.engine, receipt.memory_ids)


def _show(receipt: Receipt) -> None:
    for number in receipt.memory_ids:
        terminal.line("Purged ", terminal.styled(ids.short(number), fg="cyan"))
    if not receipt.counts and not receipt.shortened:
        terminal.note(_NOTHING)
        return
    shortened = [one.kind for one in receipt.shortened]
    lost = {kind: shortened.count(kind) for kind in dict.fromkeys(shortened)}
    also = f" {_listed(lost).capitalize()} lost the erased text." if lost else ""
    terminal.note(f"Erased {_listed(receipt.counts)}.{also}")
    if not receipt.log_emptied:
        terminal.note(
            "Another program is reading the store. The log is emptied as soon as no program"
            " reads it."
        )


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(
        terminal.counted(count, kind.replace("_", " ")) for kind, count in counts.items()
    )


def _tell_of_other_banks(call: Call, portion: Portion) -> None:
    """A person may have memories behind other walls too."""
    if portion.user is None:
        return
    chosen = meant(replace(portion, project=None))
    for bank in call.engine.list_banks():
        if bank.name != call.bank and (count := call.engine.count(bank.name, chosen)):
            held = terminal.counted(count, "memory")
            terminal.note(
                f"The bank {bank.name} also has {held} of this user. Repeat with --bank {bank.name}"
                " to erase them."
            )
