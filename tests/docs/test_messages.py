"""Errors, hints and findings are sentences: what happened, and what to do about it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace.errors import CommonplaceError
from tests.docs.loading import ROOT

SOURCE = ROOT / "src" / "commonplace"
KINDS = {kind.__name__ for kind in CommonplaceError.__subclasses__()}
# Answers in the words of the products that we stand in for are compared with theirs elsewhere.
PRODUCTS = (
    "dialects/",
    "engine/reflect/knowledge.py",
    "engine/reflect/mental_model_rows.py",
    "faces/mcp/protocol.py",
    "faces/rest/products/hindsight/",
)
_SENTENCE = re.compile(r".*[.?…]", re.DOTALL)
_HINT = re.compile(r"[A-Z`…-].*(?:[.…\]}]|…|http\S+|[A-Z_]+)", re.DOTALL)
# What no manual of this field says.
_RIDDLES = re.compile(
    r"(?<!There )\bis no (?!longer\b)|\bLook whether\b|\b[Tt]he least \w+ is\b|\bsomething else"
    r" than\b"
)


def text_of(node: ast.expr) -> str | None:
    """A text as it is written; … stands for a value. None for what is put together elsewhere."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(
                str(part.value) if isinstance(part, ast.Constant) else "…" for part in parts
            )
        case _:
            return None


def failures(text: str) -> Iterator[tuple[int, str, str]]:
    """The line, the message and the hint of each error of ours that a source makes."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KINDS:
            hints = [keyword.value for keyword in node.keywords if keyword.arg == "hint"]
            message, hint = (text_of(given[0]) if given else None for given in (node.args, hints))
            yield node.lineno, message or "", hint or ""


def faults(text: str) -> list[str]:
    """The texts of a source that are not plain sentences."""
    wrong: list[str] = []
    for line, message, hint in failures(text):
        if message and not _SENTENCE.fullmatch(message):
            wrong.append(f"{line}: message {message!r}")
        if hint and not _HINT.fullmatch(hint):
            wrong.append(f"{line}: hint {hint!r}")
        wrong += [f"{line}: {one!r}" for one in (message, hint) if _RIDDLES.search(one)]
    return wrong


@pytest.mark.parametrize(
    "wrong",
    [
        'Invalid("bad value")',
        'Invalid("The value is wrong.", hint="try another")',
        "Invalid(\"'x' is no name for an entry.\")",
        'Invalid("The least score is 1.2.")',
        'NotFound("It is not there.", hint="Look whether it is.")',
    ],
)
def test_a_text_that_is_not_a_plain_sentence_is_noticed(wrong: str) -> None:
    assert faults(f"raise {wrong}")


def test_every_error_says_what_happened_and_every_hint_what_to_do() -> None:
    files = [file for file in sorted(SOURCE.rglob("*.py")) if not named(file).startswith(PRODUCTS)]

    assert sum(len(list(failures(file.read_text(encoding="utf-8")))) for file in files) > 250
    assert [
        f"{named(file)}:{fault}"
        for file in files
        for fault in faults(file.read_text(encoding="utf-8"))
    ] == []


def named(file: Path) -> str:
    return file.relative_to(SOURCE).as_posix()
