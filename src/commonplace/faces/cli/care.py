"""Commands that look after the store: banks, projects, rebuild, doctor, settings."""

import click

from commonplace import settings as settings_table
from commonplace.faces.cli import screen
from commonplace.faces.cli.call import Call, called
from commonplace.faces.cli.screen import Column
from commonplace.faces.cli.shapes import bank_out, project_out


@click.command()
@called(bank=False)
def banks(call: Call) -> None:
    """List the banks, the walls between memories.

    Nothing crosses from one bank into another. The first write to a bank makes it. With --json there is one object on
    each line.

    \b
    commonplace banks
    commonplace add "The cat is called Ada." --bank home
    """
    found = [(bank, call.engine.count(bank.name)) for bank in call.engine.list_banks()]
    if call.as_json:
        for bank, count in found:
            screen.emit(bank_out(bank, count))
    elif found:
        columns = (
            Column("Bank", style="cyan"),
            Column("Memories", right=True),
            Column("Made"),
            Column("Title", cut=True),
        )
        screen.table(columns, [(b.name, f"{count:,}", screen.when(b.created_at), b.title) for b, count in found])
    else:
        screen.note("There is no bank yet; the first `commonplace add` makes one.")


@click.command()
@called()
def projects(call: Call) -> None:
    """List the projects of a bank, the last changed first.

    A revision counts the changes of a project. With --json there is one object on each line.

    \b
    commonplace projects
    commonplace list --project web
    """
    found = call.engine.list_projects(call.read_bank)
    if call.as_json:
        for project in found:
            screen.emit(project_out(project))
    elif found:
        columns = (
            Column("Project", style="cyan"),
            Column("Memories", right=True),
            Column("Revision", right=True),
            Column("Changed"),
        )
        rows = [
            (p.name or "(none)", f"{p.memory_count:,}", f"{p.revision:,}", screen.when(p.changed_at)) for p in found
        ]
        screen.table(columns, rows)
    else:
        screen.note("No memory belongs to a project.")


@click.command()
@called(bank=False)
def rebuild(call: Call) -> None:
    """Make the text index and the vectors anew from the memories.

    Needed after another embedder was chosen, or when doctor says so. It can be stopped at any time: the next rebuild
    goes on where this one ended.

    \b
    commonplace rebuild
    """
    with screen.progress("Rebuilding") as progress:
        count = call.engine.rebuild(progress)
    if call.as_json:
        screen.emit({"rebuilt": count})
    else:
        screen.note(f"Rebuilt what is derived from {screen.counted(count, 'memory')}.")


@click.command()
@click.option("--fix", is_flag=True, help="Mend what can be mended.")
@called(bank=False)
def doctor(call: Call, fix: bool) -> None:
    """Check the store and explain what is wrong with it.

    Ends with exit code 1 when a problem stays. With --json there is one finding on each line.

    \b
    commonplace doctor
    commonplace doctor --fix
    """
    findings = call.engine.doctor(fix=fix)
    if call.as_json:
        for finding in findings:
            screen.emit({"check": finding.check, "state": finding.state, "text": finding.text, "hint": finding.hint})
    else:
        columns = (Column("Check"), Column("State"), Column("What was found", fold=True))
        screen.table(columns, [(f.check, f.state, " ".join(filter(None, (f.text, f.hint)))) for f in findings])
    if any(finding.state == "problem" for finding in findings):
        click.get_current_context().exit(1)


@click.command()
@called(bank=False)
def settings(call: Call) -> None:
    """Show every setting: its value in force, where that comes from, and what it means.

    Settings are environment variables, COMMONPLACE_ and the name in capitals. With --json there is one object on each
    line.

    \b
    commonplace settings
    COMMONPLACE_EMBEDDER=none commonplace settings
    """
    untouched = settings_table.load({})
    rows: list[tuple[str, str, str, str]] = []
    for setting in settings_table.SETTINGS:
        value, default = str(getattr(call.settings, setting.name)), str(getattr(untouched, setting.name))
        source = "default" if value == default else setting.variable
        if setting.name == "home" and call.home:
            source = "--home"
        if call.as_json:
            shape = {"name": setting.name, "variable": setting.variable, "value": value, "default": default}
            screen.emit(shape | {"source": source, "help": setting.help})
        rows.append((setting.name, value, source, f"{setting.help} (default: {default or 'empty'})"))
    if not call.as_json:
        columns = (
            Column("Name", style="cyan"),
            Column("Value", fold=True),
            Column("From"),
            Column("Meaning", fold=True),
        )
        screen.table(columns, rows)
