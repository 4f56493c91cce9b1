"""Rules: memories of the kind `rule`. Those for certain files come first, then those of the
project, then general ones.
"""

import re
from collections.abc import Iterable, Sequence

from commonplace import globs
from commonplace.engine.runtime import Runtime
from commonplace.records.memory import Memory, Scope
from commonplace.records.query import Filter, PageRequest
from commonplace.storage.rows import banks, memories

RULE = "rule"
_RULES_MAX = 100_000
_FILES_MAX = 50
# A name with folders and an extension is certainly a file; one with an extension alone may be a
# product, such as Node.js.
_PATH = re.compile(
    r"(?<![\w./\\~@+-])(?:[A-Za-z]:)?[\w.~@+-]*(?:[/\\][\w.@+()\[\]-]{1,255}){1,64}\.[A-Za-z]\w{0,9}\b"
)
_NAME = re.compile(r"(?<![\w./\\:@+-])[\w@+-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,9}\b(?![/\\])")
_ADDRESS = re.compile(r"\b\w+://\S+")


def visible_to(scope: Scope) -> Filter:
    """The filter of memories visible in a scope: those of the project or of none, and of the user
    or of the owner.
    """
    return Filter(
        projects=tuple(dict.fromkeys((scope.project, ""))),
        users=tuple(dict.fromkeys((scope.user, ""))),
    )


def list_rules(
    runtime: Runtime, bank: str, chosen: Filter = Filter(), files: Sequence[str] = ()
) -> tuple[Memory, ...]:
    """Every rule that matches a filter, the most specific first. With files, rules for other files
    are excluded.
    """
    found = banks.find(runtime.db, bank)
    if found is None:
        return ()
    wanted = PageRequest("created", _RULES_MAX)
    rules = memories.select(runtime.db, found.id, _only_rules(chosen), wanted, runtime.clock.now())
    return tuple(
        sorted((rule for rule in rules if not files or applies_to(rule, files)), key=_sort_key)
    )


def applies_to(rule: Memory, files: Iterable[str]) -> bool:
    """Whether a rule applies to one of the files; a rule without paths applies to all."""
    return not rule.paths or any(
        globs.path_matches(rule.paths, tail) for file in files for tail in _path_suffixes(file)
    )


def find_file_names(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The file names in a text: certain ones, and possible ones."""
    plain = _ADDRESS.sub(" ", text)
    sure = dict.fromkeys(_PATH.findall(plain))
    maybe = dict.fromkeys(_NAME.findall(_PATH.sub(" ", plain)))
    return tuple(sure)[:_FILES_MAX], tuple(maybe)[:_FILES_MAX]


def _only_rules(chosen: Filter) -> Filter:
    return Filter(kinds=(RULE,), projects=chosen.projects, users=chosen.users)


def _sort_key(rule: Memory) -> tuple[bool, bool, int]:
    return not rule.paths, not rule.scope.project, rule.id


def _path_suffixes(file: str) -> list[str]:
    """A file's path, and every suffix of an absolute path, since the root of the project is
    unknown.
    """
    plain = file.replace("\\", "/").removeprefix("./")
    if not plain.startswith(("/", "~")) and not re.match("[A-Za-z]:/", plain):
        return [plain]
    parts = plain.strip("/").split("/")
    return ["/".join(parts[at:]) for at in range(len(parts))]
