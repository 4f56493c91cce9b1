"""The real server with the dialect for tests, in a process of its own: `python -m
tests.faces.http_server`.
"""

import argparse
import threading
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from commonplace.dialects.dialect import Call, Dialect, rows, tool
from commonplace.dialects.parameters import About
from commonplace.faces.http import server
from commonplace.settings import load
from tests.faces.sample_dialect import DIALECT, STRICT, TOOLS

Bank = Annotated[str | None, About("The bank")]


@tool("reads")
def where(call: Call, bank_id: Bank = None) -> dict[str, Any]:
    """Tell which bank a call goes to."""
    return {"bank": bank_id or call.bank}


@tool("reads")
def list_banks(call: Call) -> dict[str, Any]:
    """List the banks."""
    return {"banks": [bank.name for bank in call.engine.list_banks()]}


@tool("reads")
def await_file(call: Call, path: Annotated[str, About("The file")]) -> dict[str, Any]:
    """Wait until a file is there."""
    waited = threading.Event()
    while not Path(path).exists():
        waited.wait(0.01)
        call.progress(0, None, "waiting")
    return {"found": True}


DIALECTS = {
    "test": replace(DIALECT, tools={**DIALECT.tools, **rows(await_file)}),
    "strict": STRICT,
    "hindsight": Dialect(
        "hindsight", "Hindsight", "Recall, then retain.", rows(where, list_banks, *TOOLS)
    ),
    "vault": Dialect("vault", "Vault", "Notes.", rows(where)),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--dialect")
    parser.add_argument("--log-json", action="store_true")
    given = parser.parse_args()
    server.run(load(), **vars(given), dialects=DIALECTS)


if __name__ == "__main__":
    main()
