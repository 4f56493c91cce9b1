"""`commonplace` and `python -m commonplace` are the command line."""

import sys

from commonplace import interrupts


def main() -> int:
    """The exit code of one run of the program."""
    return interrupts.run(_load)


def _load() -> interrupts.Program:
    # Imported here, so that `interrupts` handles Ctrl-C while the modules are loaded.
    from commonplace.faces.cli import main as command_line

    return command_line


if __name__ == "__main__":
    sys.exit(main())
