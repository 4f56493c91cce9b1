"""The options that are accepted before and after the command."""

from dataclasses import dataclass


@dataclass(slots=True)
class Shell:
    """The options common to all commands."""

    home: str = ""
    verbose: bool = False
