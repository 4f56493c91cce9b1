"""Words that this code does not use: riddles, persons for programs, and names it gave up.

The words are looked for in the names of modules, functions and classes, and in docstrings and
comments. Texts for callers have their own test, tests/docs/test_messages.py.
"""

import ast
import io
import re
import tokenize
from collections import Counter
from functools import cache

from tests.test_house import FILES, PACKAGE

# Neither in names nor in docstrings and comments.
RIDDLES = frozenset(
    (
        "whoever whomever tongue tongues heal heals healed hear hears heard hearing mend mends"
        " mended told tell tells telling retell sayings settle settles settled"
    ).split()
)
# Not as a part of a name: participles and words whose thing has another name today.
NAMES = RIDDLES | frozenset(
    (
        "led meant passing judged faded taking bringing standing standings ground grounds notice"
        " notices look looks sureness nearness fading unsettled marks retelling triggers"
        " upkeep"
    ).split()
)
# How often they are still there, by file. This may only shrink.
REMAINING: dict[str, int] = {
    "dialects/hindsight/knowledge.py": 1,  # Hindsight's own description of its tool.
    "faces/web/views/inbox.py": 1,  # A question of the inbox is settled.
    "importers/json_stream.py": 1,  # `tell` is a method of Python's files.
}


def parts_of(name: str) -> list[str]:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().strip("_").split("_")


def prose_of(text: str) -> list[str]:
    """The docstrings and comments of a module."""
    found = [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    ]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.append(ast.get_docstring(node) or "")
    return found


def words_to_replace(name: str, text: str) -> list[str]:
    """The words of a module that are listed above, with what they are a part of."""
    names = [
        node.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    found = [f"{one}: {word}" for one in (name, *names) for word in parts_of(one) if word in NAMES]
    for prose in prose_of(text):
        words = re.findall(r"[a-z]+", re.sub(r"`[^`]*`|\"[^\"]*\"", "", prose).lower())
        found += [f"{prose[:60]!r}: {word}" for word in words if word in RIDDLES]
    return found


@cache
def counts() -> Counter[str]:
    return Counter(
        {
            file.relative_to(PACKAGE).as_posix(): len(
                words_to_replace(file.stem, file.read_text(encoding="utf-8"))
            )
            for file in FILES
        }
    )


def test_words_that_were_given_up_do_not_come_back() -> None:
    more = {name: count for name, count in counts().items() if count > REMAINING.get(name, 0)}
    assert [
        f"{name}: {word}"
        for name in more
        for word in words_to_replace(name, (PACKAGE / name).read_text(encoding="utf-8"))
    ] == []


def test_such_a_word_is_noticed_wherever_it_stands() -> None:
    assert words_to_replace("tongues", "")
    assert words_to_replace("good", "def heal_vectors(): ...")
    assert words_to_replace("good", "class Telling: ...")
    assert words_to_replace("good", "def good():\n    '''Whoever asks gets it.'''")
    assert words_to_replace("good", "x = 1  # who is told")
    assert not words_to_replace("good", "x = 1  # the user wrote \"I told you\"\ny = 'told'")
