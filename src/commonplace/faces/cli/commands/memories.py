"""The commands `add`, `list`, `show`, `revise` and `tags`."""

from dataclasses import replace
from typing import Any

import click

from commonplace import ids
from commonplace.faces.cli import completers, terminal
from commonplace.faces.cli.command import (
    CommandCall,
    read_text,
    with_call,
    with_fields,
    with_filter,
)
from commonplace.faces.cli.output import memory_out, outcome_out, tag_out
from commonplace.faces.cli.terminal import Column
from commonplace.records.memory import Draft, Edit, Memory, Outcome, Scope
from commonplace.records.query import Filter, Order

_NO_DEFAULT: dict[str, Any] = {"default": "", "show_default": False}
_CHANGE_WORDS = {
    "added": "Remembered",
    "revised": "Revised",
    "unchanged": "Nothing to change:",
    "restored": "Restored",
    "forgotten": "Forgot",
    "purged": "Purged",
}
_LIST_COLUMNS = (
    Column("Id", "cyan"),
    Column("Made"),
    Column("Kind"),
    Column("State", "red"),
    Column("Text", share=2),
    Column("About", "magenta", share=1),
)


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.option(
    "--key",
    metavar="KEY",
    **_NO_DEFAULT,
    help="A key such as deploy.port; adding it again revises the memory.",
)
@click.option(
    "--project",
    metavar="NAME",
    **_NO_DEFAULT,
    help="The project it belongs to.",
    shell_complete=completers.PROJECTS,
)
@click.option(
    "--user", metavar="NAME", **_NO_DEFAULT, help="The user it belongs to; by default the owner."
)
@with_fields
@with_call(reason=True)
def add(
    call: CommandCall,
    text: tuple[str, ...],
    key: str,
    project: str,
    user: str,
    given: dict[str, Any],
) -> None:
    """Remember a statement.

    The memory is on disk when the command returns, and the next recall finds it. A single - reads
    the text from standard input. If a memory with the same --key exists, the text becomes its next
    version.

    \b
    Examples:
      commonplace add "Staging listens on port 8080." --tag infra
      commonplace add --key deploy.region "We deploy to eu-west-1."
      git log -1 --format=%B | commonplace add - --kind commit
    """
    draft = Draft(text=read_text(text), key=key, scope=Scope(project=project, user=user), **given)
    print_outcomes(call, call.engine.remember(call.bank, draft, call.origin))


@click.command("list")
@with_filter()
@click.option("--forgotten", is_flag=True, help="Show only forgotten memories.")
@click.option("--all", "everything", is_flag=True, help="Also show forgotten and expired memories.")
@click.option(
    "--order",
    type=click.Choice(["created", "updated", "happened", "key"]),
    default="created",
    metavar="ORDER",
    help="Sort by created (newest first), updated, happened or key.",
)
@click.option("--limit", type=int, metavar="N", default=50, help="Show at most N memories.")
@click.option("--offset", type=int, metavar="N", default=0, help="Skip the first N memories.")
@with_call()
def list_memories(
    call: CommandCall,
    chosen: Filter,
    forgotten: bool,
    everything: bool,
    order: Order,
    limit: int,
    offset: int,
) -> None:
    """List memories, newest first.

    Different options narrow the list; repeating one option widens it. --json prints one object per
    line. When the output is not a terminal, columns are separated by tabs and nothing is cut.

    \b
    Examples:
      commonplace list --tag infra --since 2026-01-01
      commonplace list --contains "port" --order updated --limit 5
    """
    if forgotten or everything:
        chosen = replace(chosen, status="forgotten" if forgotten else "any", expired=True)
    bank = call.read_bank
    found = call.engine.list(bank, chosen, order=order, limit=limit, offset=offset)
    if call.as_json:
        for memory in found:
            terminal.print_json(memory_out(memory, bank))
        return
    if found:
        names = call.short_ids([memory.id for memory in found])
        terminal.print_table(
            _LIST_COLUMNS, [_list_row(memory, names[memory.id]) for memory in found]
        )
    _print_page_note(len(found), offset, call.engine.count(bank, chosen))


def _print_page_note(count: int, offset: int, total: int) -> None:
    """Print the number of further memories, or the reason why none are listed."""
    if count and offset + count < total:
        terminal.print_note(
            f"{count} of {total:,} memories; --offset {offset + count} shows the next."
        )
    elif not count:
        terminal.print_note(
            "No memory matches." if total == 0 else f"There are only {total:,} memories."
        )


@click.command()
@click.argument("memory_id", metavar="ID")
@with_call()
def show(call: CommandCall, memory_id: str) -> None:
    """Show one memory with all its fields.

    The id can be shortened to its beginning; the id of one of its versions works too. A forgotten
    memory is shown and marked.

    \b
    Examples:
      commonplace show m0vc3sn6jr00
      commonplace show m0vc3sn6jr00 --json
    """
    memory = call.engine.get(call.read_bank, memory_id)
    if call.as_json:
        terminal.print_json(memory_out(memory, call.bank))
        return
    if memory.title:
        terminal.print_line(terminal.style(memory.title, bold=True))
    terminal.print_answer(terminal.wrap(memory.text, ""))
    terminal.print_answer()
    for name, value in _detail_rows(memory, call.bank):
        if value:
            terminal.print_line(terminal.style(f"{name:<10}", dim=True), terminal.style(value))


@click.command()
@click.argument("memory_id", metavar="ID")
@click.argument("text", nargs=-1)
@click.option(
    "--expect",
    "--expected",
    "expected",
    type=int,
    metavar="N",
    help="Refuse if N is not the newest version.",
)
@with_fields
@with_call(reason=True)
def revise(
    call: CommandCall,
    memory_id: str,
    text: tuple[str, ...],
    expected: int | None,
    given: dict[str, Any],
) -> None:
    """Change a memory; the older versions are kept.

    Fields that are not given stay as they are, and an empty value clears a field. Tags, paths and
    metadata are replaced as a whole. Older versions are kept, see `commonplace history`. A single -
    reads the text from standard input.

    \b
    Examples:
      commonplace revise m0vc3sn6jr00 "Staging listens on port 9090."
      commonplace revise m0vc3sn6jr00 --tag infra --tag staging --reason "moved"
    """
    if text:
        given["text"] = read_text(text)
    edit = Edit(**given)
    print_outcomes(
        call, call.engine.revise(call.bank, memory_id, edit, call.origin, expected=expected)
    )


@click.command()
@click.argument("pattern", default="", shell_complete=completers.TAGS)
@click.option("--limit", type=int, metavar="N", default=100, help="Show at most N tags.")
@with_call()
def tags(call: CommandCall, pattern: str, limit: int) -> None:
    """List the tags and how many memories have each.

    * and ? in the pattern are wildcards. --json prints one object per line.

    \b
    Examples:
      commonplace tags
      commonplace tags "team:*"
    """
    found = call.engine.list_tags(call.read_bank, pattern, limit=limit)
    if call.as_json:
        for tag in found:
            terminal.print_json(tag_out(tag))
    elif found:
        columns = (Column("Tag", style="magenta"), Column("Memories", right=True))
        terminal.print_table(columns, [(tag.tag, f"{tag.count}") for tag in found])
    else:
        terminal.print_note("No tag matches." if pattern else "No memory has a tag.")


def print_outcomes(call: CommandCall, *outcomes: Outcome) -> None:
    """Print the outcomes of a write: sentences on a terminal, or one JSON object per line."""
    for outcome in outcomes:
        if call.as_json:
            terminal.print_json(outcome_out(outcome, call.bank))
            continue
        memory = outcome.memory
        version = f" (version {memory.version})" if memory.version > 1 else ""
        name = call.short_ids([memory.id])[memory.id]
        terminal.print_line(
            _CHANGE_WORDS[outcome.change], " ", terminal.style(name, fg="cyan"), version
        )


def _list_row(memory: Memory, name: str) -> tuple[str, ...]:
    return (
        name,
        terminal.format_day(memory.created_at),
        memory.kind,
        "" if memory.forgotten_at is None else "forgotten",
        f"{memory.title}: {memory.text}" if memory.title else memory.text,
        " ".join(
            filter(None, (memory.key, memory.scope.project, *(f"#{tag}" for tag in memory.tags)))
        ),
    )


def _detail_rows(memory: Memory, bank: str) -> tuple[tuple[str, str], ...]:
    return (
        ("id", ids.short_form(memory.id)),
        ("bank", bank),
        ("project", memory.scope.project),
        ("user", memory.scope.user),
        ("agent", memory.scope.agent),
        ("run", memory.scope.run),
        ("kind", memory.kind),
        ("key", memory.key),
        ("category", memory.category),
        ("tags", ", ".join(memory.tags)),
        ("paths", ", ".join(memory.paths)),
        *(("metadata", f"{name}: {value}") for name, value in memory.metadata.items()),
        ("happened", _format_span(memory)),
        ("expires", terminal.format_time(memory.expires_at)),
        ("made", terminal.format_time(memory.created_at)),
        ("version", f"{memory.version} ({terminal.format_time(memory.updated_at)})"),
        ("forgotten", terminal.format_time(memory.forgotten_at)),
    )


def _format_span(memory: Memory) -> str:
    return " to ".join(
        filter(
            None,
            (terminal.format_time(memory.happened_at), terminal.format_time(memory.happened_until)),
        )
    )
