"""The commands `banks`, `projects`, `rebuild`, `doctor` and `settings`."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import cast

import click

from commonplace import settings as settings_table
from commonplace import spelling
from commonplace.dialects import allowlists, registry
from commonplace.engine.operations.doctor import Finding, examine_file
from commonplace.errors import Forbidden, Invalid, ModelFailed, Unsupported
from commonplace.faces.cli import completers, terminal
from commonplace.faces.cli.command import CommandCall, with_call
from commonplace.faces.cli.commands.vault import vault_findings
from commonplace.faces.cli.groups import Group
from commonplace.faces.cli.output import bank_out, project_out
from commonplace.faces.cli.terminal import Column
from commonplace.models import providers
from commonplace.records.memory import BankEdit
from commonplace.settings import Setting, Settings

_STATES = {"ok": "green", "fixed": "cyan", "warning": "yellow", "problem": "bold red"}


@click.group(cls=Group, invoke_without_command=True)
@with_call(bank=False)
def banks(call: CommandCall) -> None:
    """List, limit or delete banks, which keep memories apart.

    Searches and changes stay within one bank. The first write to a bank creates it. --json prints
    one object per line.

    \b
    Examples:
      commonplace banks
      commonplace add "The cat is called Ada." --bank home
      commonplace banks allow archive recall list_memories
      commonplace banks delete trial
    """
    if click.get_current_context().invoked_subcommand:
        return
    found = [(bank, call.engine.count(bank.name)) for bank in call.engine.list_banks()]
    if call.as_json:
        for bank, count in found:
            terminal.print_json(bank_out(bank, count))
    elif found:
        columns = (
            Column("Bank", style="cyan"),
            Column("Memories", right=True),
            Column("Made"),
            Column("Title", share=1),
        )
        terminal.print_table(
            columns,
            [
                (b.name, f"{count:,}", terminal.format_time(b.created_at), b.title)
                for b, count in found
            ],
        )
    else:
        terminal.print_note("There is no bank yet. The first `commonplace add` creates one.")


@banks.command()
@click.argument("name", shell_complete=completers.BANKS)
@click.argument("tools", metavar="[TOOL]...", nargs=-1, shell_complete=completers.TOOLS)
@click.option("--all", "everything", is_flag=True, help="Allow all tools again.")
@with_call(bank=False)
def allow(call: CommandCall, name: str, tools: tuple[str, ...], everything: bool) -> None:
    """Limit what clients may do in a bank.

    TOOL is a tool of the hindsight dialect. A client of another dialect may use a tool there if it
    does only what these do: with recall and list_memories, every dialect can search and list and
    none can write. The command line is not limited.

    \b
    Examples:
      commonplace banks allow archive recall list_memories
      commonplace banks allow archive --all
    """
    if bool(tools) == everything:
        raise Invalid(
            "Name the tools that the bank allows, or give --all.",
            hint="`commonplace banks allow NAME recall list_memories` allows only reading.",
        )
    known = registry.find("hindsight").tools
    for tool in set(tools).difference(known):
        raise Invalid(f"Hindsight has no tool {tool!r}.", hint=spelling.hint(tool, known))
    call.engine.update_bank(
        name, BankEdit(config={allowlists.CONFIG_FIELD: None if everything else list(tools)})
    )
    terminal.print_note(
        f"The bank {name} allows {'all tools' if everything else ', '.join(tools)}."
    )


@click.command()
@with_call()
def projects(call: CommandCall) -> None:
    """List the projects of a bank, the most recently changed first.

    The revision of a project counts its changes. --json prints one object per line.

    \b
    Examples:
      commonplace projects
      commonplace list --project web
    """
    found = call.engine.list_projects(call.read_bank)
    if call.as_json:
        for project in found:
            terminal.print_json(project_out(project))
    elif found:
        columns = (
            Column("Project", style="cyan"),
            Column("Memories", right=True),
            Column("Revision", right=True),
            Column("Changed"),
        )
        rows = [
            (
                p.name or "(none)",
                f"{p.memory_count:,}",
                f"{p.revision:,}",
                terminal.format_time(p.changed_at),
            )
            for p in found
        ]
        terminal.print_table(columns, rows)
    else:
        terminal.print_note("No memory belongs to a project.")


@click.command()
@with_call(bank=False)
def rebuild(call: CommandCall) -> None:
    """Rebuild the text index and the vectors from the memories.

    Needed after changing the embedder, or when `commonplace doctor` says so. You can stop it at any
    time; the next rebuild continues where this one ended.

    \b
    Example:
      commonplace rebuild
    """
    with terminal.progress("Rebuilding") as progress:
        report = call.engine.rebuild(progress)
    if call.as_json:
        terminal.print_json({"memory_count": report.memory_count, "resumed": report.resumed})
    else:
        rest = ", continuing where the last rebuild stopped" if report.resumed else ""
        terminal.print_note(
            f"Rebuilt the indexes of {terminal.pluralize(report.memory_count, 'memory')}{rest}."
        )


@click.command()
@click.option("--fix", is_flag=True, help="Fix the problems that can be fixed safely.")
@with_call(bank=False, verbose="Also show the checks that passed.")
def doctor(call: CommandCall, fix: bool) -> None:
    """Check the store and explain what is wrong with it.

    Shows what needs attention, or that all is well. The exit code is 1 when a problem remains.
    --json prints one finding per line, including the checks that passed.

    \b
    Examples:
      commonplace doctor
      commonplace doctor --fix
    """
    findings = _examine(call, fix)
    if call.as_json:
        for finding in findings:
            terminal.print_json(asdict(finding))
    else:
        _print_findings(call, findings)
    if any(finding.state == "problem" for finding in findings):
        click.get_current_context().exit(1)


def _print_findings(call: CommandCall, findings: Sequence[Finding]) -> None:
    shown = [finding for finding in findings if call.verbose or finding.state != "ok"]
    if shown:
        columns = (
            Column("Check"),
            Column("State", styles=_STATES),
            Column("Finding", fold=True, share=1),
        )
        terminal.print_table(
            columns, [(f.check, f.state, " ".join(filter(None, (f.text, f.hint)))) for f in shown]
        )
        terminal.print_note(_summarize([finding.state for finding in findings]))
        return
    found = call.engine.list_banks()
    memories = terminal.pluralize(sum(call.engine.count(bank.name) for bank in found), "memory")
    terminal.print_answer(f"All is well: {terminal.pluralize(len(findings), 'check')} passed.")
    banks = terminal.pluralize(len(found), "bank")
    terminal.print_answer(f"The store has {memories} in {banks}. --verbose shows every check.")


def _examine(call: CommandCall, fix: bool) -> tuple[Finding, ...]:
    path = call.settings.database_path
    try:
        return (
            *call.engine.doctor(fix=fix),
            *vault_findings(call.engine),
            *_model_findings(call.settings),
        )
    except (Unsupported, Forbidden) as error:
        found = examine_file(path)
        # The file is sound but cannot be opened: the error is the finding.
        sound = all(finding.state == "ok" for finding in found)
        return (
            (*found, Finding("opening", "problem", error.message, error.hint)) if sound else found
        )


def _model_findings(chosen: Settings) -> tuple[Finding, ...]:
    """Findings about the configured language model, which is not called."""
    try:
        providers.resolve_address(
            chosen.llm_provider, chosen.llm_url, chosen.llm_model, chosen.llm_api_key
        )
    except ModelFailed as error:
        return (Finding("language model", "warning", error.message, error.hint),)
    return ()


def _summarize(states: list[str]) -> str:
    counts = {
        state: states.count(state) for state in ("problem", "warning", "fixed") if state in states
    }
    named = ", ".join(
        terminal.pluralize(count, state, "fixed" if state == "fixed" else "")
        for state, count in counts.items()
    )
    return f"{terminal.pluralize(len(states), 'check')}: {named or 'all well'}."


@click.command()
@with_call(bank=False)
def settings(call: CommandCall) -> None:
    """Show every setting, its value and where the value comes from.

    Settings are environment variables: COMMONPLACE_ followed by the name in capitals. --json prints
    one object per line.

    \b
    Examples:
      commonplace settings
      COMMONPLACE_EMBEDDER=none commonplace settings
    """
    untouched = settings_table.load({})
    widest = max(len(setting.name) for setting in settings_table.SETTINGS)
    for setting in settings_table.SETTINGS:
        value, default = _format_value(setting, call.settings), _format_value(setting, untouched)
        source = (
            "default"
            if value == default
            else " or ".join(filter(None, (setting.variable, setting.original)))
        )
        source = "--home" if setting.name == "home" and call.home else source
        if call.as_json:
            shape = {
                "name": setting.name,
                "variable": setting.variable,
                "value": value,
                "default": default,
            }
            terminal.print_json(shape | {"source": source, "help": setting.help})
            continue
        origin = (
            "default" if source == "default" else f"from {source}; default: {default or 'empty'}"
        )
        name = terminal.style(setting.name.ljust(widest), fg="cyan")
        terminal.print_line(
            name, "  ", terminal.style(value or "empty"), terminal.style(f" ({origin})", dim=True)
        )
        terminal.print_line(
            terminal.style(terminal.wrap(setting.help, " " * (widest + 2)), dim=True)
        )


def _format_value(setting: Setting, values: Settings) -> str:
    value: object = getattr(values, setting.name)
    if setting.secret:
        return "(set, not shown)" if value else ""
    if isinstance(value, bool):
        return str(value).lower()
    text = ", ".join(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else str(value)
    return settings_table.mask_secrets(text, is_url=setting.is_url)
