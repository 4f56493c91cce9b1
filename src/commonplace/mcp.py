"""`python -m commonplace.mcp` starts the server on standard input and output, as PowerMem does.

--config names a JSON file and --env a file of NAME=VALUE lines. Both may set what the settings
page lists.
"""

import sys

from commonplace import interrupts


def main() -> int:
    """The exit code of one run of the server."""
    return interrupts.run(_load)


def _load() -> interrupts.Program:
    from commonplace.faces.mcp.command import main as command

    return command


if __name__ == "__main__":
    sys.exit(main())
