"""The options that stand before the command, or anywhere after it."""

from dataclasses import dataclass


@dataclass(slots=True)
class Shell:
    """What was given for all commands."""

    home: str = ""
    verbose: bool = False
