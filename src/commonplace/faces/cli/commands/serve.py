"""The commands `serve`, `mcp` and `token`.

The servers are imported when they run, so that other commands start fast.
"""

from dataclasses import replace
from pathlib import Path

import click

from commonplace import settings as settings_table
from commonplace.dialects import registry
from commonplace.faces.cli import completers, terminal
from commonplace.faces.cli.command import CommandCall, with_call

HOST = "127.0.0.1"
PORT = 8888


@click.command()
@with_call(bank=False)
@click.option(
    "--host",
    default=HOST,
    metavar="ADDRESS",
    help="Address to listen on; one that others can reach needs a key.",
)
@click.option(
    "--port",
    default=PORT,
    type=click.IntRange(0, 65535),
    metavar="NUMBER",
    help="Port to listen on; 0 takes any free port.",
)
@click.option(
    "--dialect",
    metavar="NAME",
    help=f"The dialect at /mcp; {registry.HTTP_DEFAULT} by default.",
    shell_complete=completers.DIALECTS,
)
@click.option("--log-json", is_flag=True, help="Write the log as JSON lines.")
def serve(call: CommandCall, host: str, port: int, dialect: str | None, log_json: bool) -> None:
    """Serve the memory over HTTP.

    Every dialect has its own path, such as /memstate/mcp. Ctrl-C finishes the running calls and
    stops.

    \b
    Examples:
      commonplace serve
      commonplace serve --dialect memstate --port 9000
    """
    from commonplace.faces.http.server import run

    code = run(call.settings, host=host, port=port, dialect=dialect, log_json=log_json)
    click.get_current_context().exit(code)


@click.command()
@with_call(bank=False)
@click.option(
    "--dialect",
    default=registry.DEFAULT,
    metavar="NAME",
    help="The dialect, which decides the tools the client gets.",
    shell_complete=completers.DIALECTS,
)
@click.option(
    "--bank",
    default="",
    show_default=False,
    metavar="NAME",
    help="The only bank the client sees.",
    shell_complete=completers.BANKS,
)
@click.option(
    "--config", default="", show_default=False, metavar="FILE", help="A JSON file with settings."
)
@click.option(
    "--env", default="", show_default=False, metavar="FILE", help="A file of NAME=VALUE lines."
)
def mcp(call: CommandCall, dialect: str, bank: str, config: str, env: str) -> None:
    """Serve the memory to one client on standard input and output.

    Assistants start this command themselves; `commonplace connect` configures them to.

    \b
    Examples:
      commonplace mcp --dialect memstate
    """
    from commonplace.faces.mcp import main

    chosen = settings_table.load(main.load_environment(config, env, dialect))
    if call.home:
        chosen = replace(chosen, home=Path(call.home).expanduser().absolute())
    click.get_current_context().exit(main.serve(dialect, chosen, bank))


@click.command()
@with_call(bank=False)
def token(call: CommandCall) -> None:
    """Show the token that clients of the vault dialect need.

    It is created on first use and kept in the home folder, in a file that only you can read.

    \b
    Examples:
      commonplace token
    """
    from commonplace.faces.http.tokens import vault_token

    found = vault_token(call.settings.home)
    terminal.print_json({"token": found}) if call.as_json else click.echo(found)
