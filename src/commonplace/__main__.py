"""`commonplace` and `python -m commonplace` are the command line."""

import sys

from commonplace import interrupts


def main() -> int:
    """The exit code of one run of the program."""
    return interrupts.run(_load)


def _load() -> interrupts.Program:
    # Loaded here and not above, so that Ctrl-C finds `interrupts` at work all the while.
    from commonplace.faces.cli import main as command_line

    return command_line


if __name__ == "__main__":
    sys.exit(main())
