"""The options of `python -m commonplace.mcp`, which are those of PowerMem's own server."""

import argparse
import sys
from collections.abc import Sequence

from commonplace import settings
from commonplace.dialects import registry
from commonplace.errors import CommonplaceError
from commonplace.faces.mcp import main as start

DIALECT = "powermem"


def main(argv: Sequence[str] | None = None) -> int:
    """The exit code of one run of the server."""
    given = _options().parse_args(argv)
    try:
        chosen = settings.load(start.environment(given.config, given.env, given.dialect))
        return start.serve(given.dialect, chosen, given.bank)
    except CommonplaceError as error:
        sys.stderr.write(f"Error: {error.message}\nHint:  {error.hint}\n")
        return error.exit_code


def _options() -> argparse.ArgumentParser:
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
