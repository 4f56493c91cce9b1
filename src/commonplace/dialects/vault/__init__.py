"""Vault: memory as markdown files. Four tools over notes, which are memories that have a file."""

from commonplace.dialects.dialect import Dialect, rows
from commonplace.dialects.vault import responses
from commonplace.dialects.vault.tools import (
    memory_append,
    memory_forget,
    memory_recall,
    memory_search,
)

DIALECT = Dialect(
    name="vault",
    title="Vault",
    instructions=(
        "Notes in markdown, shared by every agent of this person. Search them with memory_search"
        " before answering what may have come up before, begin a phase of work with memory_recall,"
        " and keep with memory_append what should be known next time."
    ),
    tools=rows(memory_search, memory_recall, memory_append, memory_forget),
    strict=True,
    failure=responses.failure,
)
