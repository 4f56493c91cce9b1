"""The commands `serve`, `mcp` and `token`.

The servers are imported when they run, so that other commands start fast.
"""

import http.client
import webbrowser
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import click

from commonplace import settings as settings_table
from commonplace.dialects import registry
from commonplace.errors import Busy
from commonplace.faces.cli import completers, terminal
from commonplace.faces.cli.command import CommandCall, with_call

HOST = "127.0.0.1"
PORT = 8888
_ANSWER_S = 5


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


@click.command("open")
@with_call(bank=False)
@click.option(
    "--port",
    default=PORT,
    type=click.IntRange(1, 65535),
    metavar="NUMBER",
    help="The port of the running server.",
)
@click.option(
    "--bank",
    default="",
    show_default=False,
    metavar="NAME",
    help="The bank to show first.",
    shell_complete=completers.BANKS,
)
@click.option("--print", "only_print", is_flag=True, help="Print the address and open no browser.")
def open_pages(call: CommandCall, port: int, bank: str, only_print: bool) -> None:
    """Open the pages of the running server in the browser.

    They show what is remembered: to search, correct and clean up. `commonplace serve` serves them.

    \b
    Examples:
      commonplace open
      commonplace open --bank work
    """
    _require_server(port)
    query = f"memories?{urlencode({'bank': bank})}" if bank else ""
    address = f"http://{HOST}:{port}/{query}"
    opened = not only_print and webbrowser.open(address)
    if call.as_json:
        terminal.print_json({"address": address, "opened": opened})
        return
    click.echo(address)
    if not (opened or only_print):
        terminal.print_note("No browser was found. Open the address in one.")


def _require_server(port: int) -> None:
    """Raise Busy when no server of ours answers on a port of this machine."""
    connection = http.client.HTTPConnection(HOST, port, timeout=_ANSWER_S)
    try:
        # The only path that needs no key.
        connection.request("GET", "/health")
        found = b'"status"' in connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        found = False
    finally:
        connection.close()
    if not found:
        raise Busy(
            f"No Commonplace server answers on port {port}.",
            hint="Start one with `commonplace serve`, or name its port with --port.",
        )


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
