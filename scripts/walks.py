"""Traces three walks through the code: a recall, a remember and an edited note.

`python scripts/walks.py` prints which files each walk passes, in the order in which it first enters
them, and how many functions. docs/architecture.md tells these walks, and a test compares.
"""

import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import commonplace
from commonplace.dialects import registry
from commonplace.dialects.dialect import Call
from commonplace.engine.engine import Engine
from commonplace.faces.mcp import messages, protocol
from commonplace.faces.mcp.parsing import Request
from commonplace.vault.sync import sync
from commonplace.vault.vault import vault_of

PACKAGE = Path(commonplace.__file__).parent


@dataclass
class Walk:
    """The files and functions that a call passes, each once, in the order of the first visit."""

    files: dict[str, None] = field(default_factory=dict[str, None])
    functions: dict[tuple[str, str], None] = field(default_factory=dict[tuple[str, str], None])

    def visit(self, frame: FrameType, event: str, _: object) -> None:
        """Note a call of a named function of this package."""
        code = frame.f_code
        if event != "call" or code.co_name.startswith("<"):
            return
        path = Path(code.co_filename)
        if path.is_relative_to(PACKAGE):
            name = path.relative_to(PACKAGE).as_posix()
            self.files.setdefault(name)
            self.functions.setdefault((name, code.co_qualname))


def trace(run: Callable[[], object]) -> Walk:
    """What a call passes in this thread."""
    walk = Walk()
    sys.setprofile(walk.visit)
    try:
        run()
    finally:
        sys.setprofile(None)
    return walk


def _tool(engine: Engine, dialect: str, name: str, given: Mapping[str, Any]) -> object:
    version = messages.LEGACY[-1]
    params = {"name": name, "arguments": dict(given)}
    request = Request(1, "tools/call", params, version, dialect)
    call = Call(engine, "default", "session", dialect)
    return protocol.execute(request, registry.find(dialect).for_single_user(), lambda _: call)


def walks(home: Path) -> dict[str, Walk]:
    """The three walks, in a store with a few memories and a note."""
    engine = commonplace.open(home)
    try:
        for text in (
            "Staging listens on port 8080.",
            "Lena deploys the shop on Tuesdays.",
            "The shop keeps sessions in signed cookies.",
        ):
            _tool(engine, "memories", "add_memory", {"content": text})
        _tool(engine, "vault", "memory_append", {"title": "Boat", "body": "It lies at pier 7."})
        recall = {"query": "which port does staging use?"}
        # Modules that are loaded at the first use would count their bodies.
        _tool(engine, "memories", "search_memories", recall)
        remember = {"content": "Production listens on port 9090."}
        found = {
            "A recall": trace(lambda: _tool(engine, "memories", "search_memories", recall)),
            "A remember": trace(lambda: _tool(engine, "memories", "add_memory", remember)),
        }
        vault = vault_of(engine, "default")
        note = next(vault.root.glob("*.md"))
        note.write_text(note.read_text().replace("pier 7", "pier 8"))
        return {**found, "An edited note": trace(lambda: sync(vault))}
    finally:
        engine.db.close()


def main() -> None:
    """Print the walks."""
    with tempfile.TemporaryDirectory() as folder:
        for name, walk in walks(Path(folder)).items():
            print(f"{name}: {len(walk.files)} files, {len(walk.functions)} functions")
            print("\n".join(f"    {file}" for file in walk.files))


if __name__ == "__main__":
    main()
