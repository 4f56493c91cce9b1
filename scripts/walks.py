"""Traces three walks through the code: a recall, a remember and an edited note.

`python scripts/walks.py` prints which files each walk passes, in the order in which it first enters
them, and how many functions. docs/architecture.md describes these walks, and
tests/docs/test_architecture.py compares the two.
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
from commonplace.faces.mcp import messages, parsing, protocol
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


def prepare(
    engine: Engine, dialect: str, name: str, given: Mapping[str, Any]
) -> Callable[[], bytes]:
    """A call of a tool, from the bytes of its message to the bytes of its reply."""
    params = {"name": name, "arguments": dict(given)}
    line = messages.encode({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    table = registry.find(dialect).for_single_user()
    session = protocol.ClientSession(table, str)
    call = Call(engine, "default", "session", dialect)

    def answer() -> bytes:
        request = session.read_request(parsing.classify(parsing.decode(line))[1])
        result = protocol.execute(request, table, lambda _: call)
        return protocol.encode(messages.response(request.id, result))

    return answer


def walks(home: Path) -> dict[str, Walk]:
    """The three walks, in a store with a few memories and a note."""
    engine = commonplace.open(home)
    try:
        for text in (
            "Staging listens on port 8080.",
            "Lena deploys the shop on Tuesdays.",
            "The shop keeps sessions in signed cookies.",
        ):
            prepare(engine, "memories", "add_memory", {"content": text})()
        prepare(engine, "vault", "memory_append", {"title": "Boat", "body": "It lies at pier 7."})()
        question = {"query": "which port does staging use?"}
        recall = prepare(engine, "memories", "search_memories", question)
        statement = {"content": "Production listens on port 9090."}
        remember = prepare(engine, "memories", "add_memory", statement)
        # The first call loads modules, whose bodies would be traced too.
        recall()
        found = {"A recall": trace(recall), "A remember": trace(remember)}
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
