"""`python -m commonplace.mcp` is the server on standard input and output, started as PowerMem's is.

--config names a JSON file and --env a file of NAME=VALUE lines; in both, what the settings page lists is heeded.
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
