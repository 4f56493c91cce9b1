"""Rules: memories of the kind `rule`. Those for certain files come first, then the project's, then
the general ones.
"""

import re
from collections.abc import Iterable, Sequence

from commonplace import globs
from commonplace.engine.runtime import Parts
from commonplace.records.memory import Memory, Scope
from commonplace.records.query import Filter, Page
from commonplace.storage import banks, memories

RULE = "rule"
_RULES_MAX = 100_000
_FILES_MAX = 50
# A name with folders and an ending is a file for sure; one with an ending alone may be a product,
# such as Node.js.
_PATH = re.compile(
    r"(?<![\w./\\~@+-])(?:[A-Za-z]:)?[\w.~@+-]*(?:[/\\][\w.@+()\[\]-]{1,255}){1,64}\.[A-Za-z]\w{0,9}\b"
)
_NAME = re.compile(r"(?<![\w./\\:@+-])[\w@+-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,9}\b(?![/\\])")
_ADDRESS = re.compile(r"\b\w+://\S+")


def visible(scope: Scope) -> Filter:
    """What a reader sees: a project and what belongs to none, a user's own and the owner's."""
    return Filter(
        projects=tuple(dict.fromkeys((scope.project, ""))),
        users=tuple(dict.fromkeys((scope.user, ""))),
    )


def list_rules(
    parts: Parts, bank: str, chosen: Filter = Filter(), files: Sequence[str] = ()
) -> tuple[Memory, ...]:
    """Every rule a filter means, the most special first. With files, rules for other files are left
    out.
    """
    found = banks.find(parts.db, bank)
    if found is None:
        return ()
    wanted = Page("created", _RULES_MAX)
    rules = memories.select(parts.db, found.id, _only_rules(chosen), wanted, parts.clock.now())
    return tuple(sorted((rule for rule in rules if not files or applies(rule, files)), key=_rank))


def applies(rule: Memory, files: Iterable[str]) -> bool:
    """Whether a rule is for one of the files; a rule without paths is for all."""
    return not rule.paths or any(
        globs.path_matches(rule.paths, tail) for file in files for tail in _tails(file)
    )


def files_named(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The files a text names: those that are files for sure, and names that may be."""
    plain = _ADDRESS.sub(" ", text)
    sure = dict.fromkeys(_PATH.findall(plain))
    maybe = dict.fromkeys(_NAME.findall(_PATH.sub(" ", plain)))
    return tuple(sure)[:_FILES_MAX], tuple(maybe)[:_FILES_MAX]


def _only_rules(chosen: Filter) -> Filter:
    return Filter(kinds=(RULE,), projects=chosen.projects, users=chosen.users)


def _rank(rule: Memory) -> tuple[bool, bool, int]:
    return not rule.paths, not rule.scope.project, rule.id


def _tails(file: str) -> list[str]:
    """A file's path, and of one from the root of the disk every end: where in it the project begins
    is unknown.
    """
    plain = file.replace("\\", "/").removeprefix("./")
    if not plain.startswith(("/", "~")) and not re.match("[A-Za-z]:/", plain):
        return [plain]
    parts = plain.strip("/").split("/")
    return ["/".join(parts[at:]) for at in range(len(parts))]
