"""Rules for files that are not notes: templates, drawings and what a person excludes.

The file `.commonplaceignore` has the syntax of a `.gitignore`. Its rules come after the
defaults, and the last matching rule decides, so `!Templates/` includes the templates.
"""

import json
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, cast

from commonplace.globs import path_matches, text_matches

IGNORE_NAME = ".commonplaceignore"
DEFAULTS = ("Templates/", "_templates/", "node_modules/", "*.excalidraw.md")
# Without O_NONBLOCK, opening a pipe without a writer would block. Windows has neither flag.
OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)
_BYTES_MAX = 100_000
_RULES_MAX = 1_000
_WILD = frozenset("*?{")
# Settings of Obsidian: folders of templates, and excluded files.
_OBSIDIAN = (
    (".obsidian/templates.json", "folder"),
    (".obsidian/plugins/templater-obsidian/data.json", "templates_folder"),
    (".obsidian/app.json", "userIgnoreFilters"),
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A line of an ignore file."""

    text: str
    source: str
    pattern: str
    negated: bool = False
    folders_only: bool = False
    # Whether the pattern is a path from the root, and not a name at any depth.
    anchored: bool = False

    def matches(self, path: str, name: str) -> bool:
        """Whether the rule matches a file or folder; `name` is the last part of its path."""
        subject = path if self.anchored else name
        if not _WILD.intersection(self.pattern):
            return subject.lower() == self.pattern.lower()
        if not self.anchored:
            return text_matches(self.pattern, subject)
        # Without a slash, a pattern would match at any depth.
        return ("/" in self.pattern or "/" not in path) and path_matches((self.pattern,), path)


@dataclass(frozen=True)
class IgnoreRules:
    """The rules of a folder, in their order."""

    rules: tuple[Rule, ...]

    def file_reason(self, path: str, name: str) -> str:
        """The reason why a file is ignored; "" if it is not."""
        return _reason(self._for_files, path, name)

    def folder_reason(self, path: str, name: str) -> str:
        """The reason why a folder is ignored, with its content; "" if it is not."""
        return _reason(self.rules, path, name)

    @cached_property
    def _for_files(self) -> tuple[Rule, ...]:
        # Cached, because a listing checks every file.
        return tuple(rule for rule in self.rules if not rule.folders_only)


def ignore_rules(root: Path) -> IgnoreRules:
    """The rules of a folder: the defaults, those from Obsidian's settings, and its own."""
    return IgnoreRules((*_default_rules(), *_obsidian_rules(root), *_folder_rules(root)))


def parse_rules(text: str, source: str) -> tuple[Rule, ...]:
    """Parse the lines of an ignore file."""
    found = (_parse_rule(line.rstrip("\r"), source) for line in text.split("\n")[:_RULES_MAX])
    return tuple(rule for rule in found if rule)


def _reason(rules: tuple[Rule, ...], path: str, name: str) -> str:
    last = next((rule for rule in reversed(rules) if rule.matches(path, name)), None)
    return f"{last.text} in {last.source} ignores it." if last and not last.negated else ""


def _parse_rule(line: str, source: str) -> Rule | None:
    text = line.strip()
    if not text or text.startswith("#"):
        return None
    negated = text.startswith("!")
    rest = text[negated:].strip()
    pattern = rest.strip("/")
    if not pattern:
        return None
    return Rule(
        text, source, pattern, negated, rest.endswith("/"), rest.startswith("/") or "/" in pattern
    )


@lru_cache(maxsize=1)
def _default_rules() -> tuple[Rule, ...]:
    return parse_rules("\n".join(DEFAULTS), "the default rules")


def _folder_rules(root: Path) -> tuple[Rule, ...]:
    return parse_rules(_read_small_file(root / IGNORE_NAME), IGNORE_NAME)


def _obsidian_rules(root: Path) -> Iterator[Rule]:
    for name, key in _OBSIDIAN:
        if text := _read_small_file(root / name):
            for folder in _setting_paths(text, key):
                # Regular expressions are not supported.
                if folder.strip("/") and not (folder.startswith("/") and folder.endswith("/")):
                    yield Rule(
                        folder,
                        name,
                        folder.strip("/"),
                        folders_only=not folder.endswith(".md"),
                        anchored=True,
                    )


@lru_cache(maxsize=64)
def _setting_paths(text: str, key: str) -> tuple[str, ...]:
    """The paths in a setting of Obsidian."""
    try:
        settings: Any = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    value = cast("dict[str, object]", settings).get(key) if isinstance(settings, dict) else None
    listed = cast("list[object]", value) if isinstance(value, list) else [value]
    return tuple(one for one in listed[:_RULES_MAX] if isinstance(one, str))


def _read_small_file(file: Path) -> str:
    """The text of a small file; "" if it cannot be read."""
    with suppress(OSError):
        seen = file.lstat()
        return _load_text(file, seen.st_mtime_ns, seen.st_size)
    return ""


@lru_cache(maxsize=256)
def _load_text(file: Path, _mtime_ns: int, size: int) -> str:
    if size > _BYTES_MAX:
        return ""
    with open(os.open(file, OPEN_FLAGS), "rb") as stream:
        plain = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
        return stream.read(_BYTES_MAX).decode(errors="replace") if plain else ""
