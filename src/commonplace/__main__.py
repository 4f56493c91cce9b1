"""`commonplace` and `python -m commonplace` are the command line."""

import sys

from commonplace import interrupts


def main() -> int:
    """The exit code of one run of the program."""
    return interrupts.run(_load)


def _load() -> interrupts.Program:
    if _is_hook(sys.argv[1:]):
        # A client waits for a hook at each prompt, so it does not load the whole command line.
        from commonplace.faces.hooks.command import main as hook

        return hook
    # Imported here, so that `interrupts` handles Ctrl-C while the modules are loaded.
    from commonplace.faces.cli import main as command_line

    return command_line


def _is_hook(arguments: list[str]) -> bool:
    """Whether the arguments run a hook: `hook EVENT`, after `--home DIR` or not."""
    given = arguments[2:] if arguments[:1] == ["--home"] else arguments
    return given[:1] == ["hook"] and not {"-h", "--help"} & set(given)


if __name__ == "__main__":
    sys.exit(main())
