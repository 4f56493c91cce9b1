"""Completers for the values of options and arguments. Their module is imported only during
completion.
"""

from collections.abc import Callable
from typing import TypeAlias

import click

from commonplace import lazy

Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[str]]

DEFAULT_BANK = "default"


def _lazy(reference: str) -> Completer:
    def complete(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[str]:
        completer: Completer = lazy.load(reference)
        return completer(ctx, parameter, typed)

    return complete


BANKS = _lazy("commonplace.faces.cli.completions:BANKS")
TAGS = _lazy("commonplace.faces.cli.completions:TAGS")
PROJECTS = _lazy("commonplace.faces.cli.completions:PROJECTS")
CLIENTS = _lazy("commonplace.faces.cli.completions:CLIENTS")
DIALECTS = _lazy("commonplace.faces.cli.completions:DIALECTS")
TOOLS = _lazy("commonplace.faces.cli.completions:TOOLS")
SOURCES = _lazy("commonplace.faces.cli.completions:SOURCES")
