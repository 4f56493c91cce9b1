"""Parses the options of `python -m commonplace.mcp`, which match PowerMem's own server."""

import argparse
import sys
from collections.abc import Sequence

from commonplace import settings
from commonplace.dialects import registry
from commonplace.errors import CommonplaceError
from commonplace.faces.mcp.main import load_environment, serve

DIALECT = "powermem"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the server and return the exit code."""
    given = _argument_parser().parse_args(argv)
    try:
        chosen = settings.load(load_environment(given.config, given.env, given.dialect))
        return serve(given.dialect, chosen, given.bank)
    except CommonplaceError as error:
        sys.stderr.write(f"Error: {error.message}\nHint:  {error.hint}\n")
        return error.exit_code


def _argument_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m commonplace.mcp",
        description="Serve the memory to one client on standard input and output.",
    )
    parser.add_argument(
        "--dialect", default=DIALECT, metavar="NAME", help="one of " + ", ".join(registry.NAMES)
    )
    parser.add_argument("--bank", default="", metavar="ID", help="the only bank the client sees")
    parser.add_argument("--config", default="", metavar="FILE", help="a JSON file with settings")
    parser.add_argument("--env", default="", metavar="FILE", help="a file of NAME=VALUE lines")
    return parser
