"""Command groups that suggest the nearest name for a misspelt command, and the command `help`."""

from typing import cast

import click

from commonplace import spelling


class Group(click.Group):
    """A group that suggests the nearest name for a misspelt command."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a command. Raises UsageError with the nearest name if it is unknown."""
        if args and not ctx.resilient_parsing and args[0][:1] != "-":
            _find_command(self, ctx, args[0])
        return super().resolve_command(ctx, args)


def _find_command(command: click.Command, ctx: click.Context, name: str) -> click.Command:
    names = command.list_commands(ctx) if isinstance(command, click.Group) else []
    if name in names:
        return cast("click.Group", command).commands[name]
    if not names:
        raise click.UsageError(f"{ctx.command_path} has no commands of its own.", ctx)
    nearest = spelling.closest_name(name, names)
    raise click.UsageError(
        f"No such command {name!r}.{f' Did you mean {nearest!r}?' if nearest else ''}", ctx
    )


def _complete_command(ctx: click.Context, _param: click.Parameter, typed: str) -> list[str]:
    command: click.Command | None = ctx.find_root().command
    for name in ctx.params.get("commands") or ():
        command = command.commands.get(name) if isinstance(command, click.Group) else None
    return (
        [name for name in command.list_commands(ctx) if name.startswith(typed)]
        if isinstance(command, click.Group)
        else []
    )


@click.command("help")
@click.argument("commands", metavar="[COMMAND]...", nargs=-1, shell_complete=_complete_command)
@click.pass_context
def show_help(ctx: click.Context, commands: tuple[str, ...]) -> None:
    """Show the help of the program or of a command.

    \b
    Examples:
      commonplace help
      commonplace help recall
      commonplace help vault sync
    """
    shown = ctx.find_root()
    for name in commands:
        shown = click.Context(
            _find_command(shown.command, shown, name), parent=shown, info_name=name
        )
    click.echo(shown.get_help())
