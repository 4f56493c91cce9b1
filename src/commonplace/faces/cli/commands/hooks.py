"""`commonplace hook`, as help and completion know it."""

import sys

import click

from commonplace.engine.hooks.hook_clients import CLIENTS, EVENTS
from commonplace.faces.cli.command import CommandCall, with_call
from commonplace.faces.hooks import command


@click.command()
@click.argument("event", type=click.Choice(EVENTS))
@with_call()
@click.option(
    "--client",
    default="generic",
    type=click.Choice([one.name for one in CLIENTS]),
    help="The client whose form of JSON is read and written.",
)
def hook(call: CommandCall, event: str, client: str) -> None:
    """Run a hook for an assistant.

    Reads the client's JSON on standard input and writes the answer in its form. The exit code is
    always 0; `commonplace hooks status` shows what failed.

    \b
    Examples:
      commonplace hook session-start --client claude-code < payload.json
    """
    sys.stdout.flush()
    home = ["--home", call.home] if call.home else []
    command.main([event, "--client", client, "--bank", call.bank, *home])
