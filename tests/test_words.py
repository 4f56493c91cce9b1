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
    "faces/web/inbox.py": 1,
    "dialects/dialect.py": 6,
    "dialects/hindsight/config.py": 1,
    "dialects/hindsight/knowledge.py": 1,
    "dialects/hindsight/reflection.py": 1,
    "dialects/hindsight/registration.py": 2,
    "dialects/kinds.py": 6,
    "dialects/memories/scope.py": 1,
    "dialects/memories/traces.py": 1,
    "dialects/parameters.py": 1,
    "dialects/powermem/tools.py": 1,
    "dialects/vault/tools.py": 1,
    "engine/facts/propagation.py": 1,
    "engine/hooks/payloads.py": 1,
    "engine/hooks/run.py": 1,
    "engine/links.py": 1,
    "extract/fact_splitting.py": 1,
    "extract/key_assignment.py": 1,
    "extract/llm_facts.py": 1,
    "extract/llm_statements.py": 4,
    "extract/redaction.py": 1,
    "extract/slugs.py": 1,
    "faces/cli/__init__.py": 1,
    "faces/cli/commands/explain.py": 1,
    "faces/cli/completions.py": 1,
    "faces/cli/import_files.py": 1,
    "faces/cli/terminal.py": 1,
    "faces/connect/keys.py": 1,
    "faces/http/sdk_bridge.py": 1,
    "faces/http/server.py": 1,
    "faces/rest/codec.py": 1,
    "faces/rest/listing.py": 1,
    "importers/json_stream.py": 1,
    "language/conflict_rules.py": 1,
    "recall/answer_types.py": 1,
    "recall/calibration.py": 1,
    "recall/confidence.py": 1,
    "recall/conversation_features.py": 3,
    "recall/deduplication.py": 3,
    "recall/dialogue.py": 1,
    "recall/informativeness.py": 7,
    "recall/pagination.py": 1,
    "recall/preferences.py": 1,
    "recall/query_decomposition.py": 2,
    "recall/rerank.py": 3,
    "recall/scoring.py": 3,
    "recall/speaker_matching.py": 1,
    "recall/supersession.py": 2,
    "recall/vector_index.py": 1,
    "storage/archive_schema.py": 1,
    "storage/backups.py": 1,
    "storage/integrity.py": 1,
    "storage/rows/jobs.py": 1,
    "storage/rows/note_files.py": 1,
    "storage/text_index.py": 1,
    "vault/file_matching.py": 1,
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
