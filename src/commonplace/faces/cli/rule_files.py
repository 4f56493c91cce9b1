"""Rules and skills as the files that each tool reads by itself. Pure: memories in, names and texts
of files out.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from commonplace import ids
from commonplace.records.memory import Memory

MARKER = (
    "<!-- Written by `commonplace rules`. Edit the memories instead: an edited file is no longer"
    " updated. -->"
)
_SIGN = "<!-- Written by `commonplace rules`"
_SEALED = re.compile(re.escape(_SIGN) + r" \(([0-9a-f]{16})\)\.[^\n]*-->")
Author: TypeAlias = Literal["ours", "edited", "person"]
_WINDSURF_CHARS_MAX = 6_000  # Windsurf passes over what is longer.
_DESCRIPTION_CHARS_MAX = 200
_Files: TypeAlias = Iterator[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Target:
    """A tool: where its rules and skills go, and how its rule files begin. `whole` is one file for
    all rules.
    """

    whole: str = ""
    rules: str = ""
    ending: str = ".md"
    front: Callable[[str, tuple[str, ...]], Mapping[str, object]] | None = None
    skills: str = ""
    chars_max: int = 0


class _Bare(str):
    """A value that its tool reads up to the end of the line: quotation marks would become a part of
    the pattern.
    """

    __slots__ = ()


def _claude(_name: str, paths: tuple[str, ...]) -> Mapping[str, object]:
    return {"paths": list(paths)} if paths else {}


def _cursor(name: str, paths: tuple[str, ...]) -> Mapping[str, object]:
    return {
        "description": f"Rules: {name}",
        "globs": _Bare(",".join(paths)),
        "alwaysApply": not paths,
    }


def _copilot(_name: str, paths: tuple[str, ...]) -> Mapping[str, object]:
    return {"applyTo": ",".join(paths)} if paths else {"applyTo": "**"}


def _windsurf(_name: str, paths: tuple[str, ...]) -> Mapping[str, object]:
    return (
        {"trigger": "glob", "globs": _Bare(",".join(paths))} if paths else {"trigger": "always_on"}
    )


TARGETS = {
    "claude": Target(rules=".claude/rules", front=_claude, skills=".claude/skills"),
    "cursor": Target(rules=".cursor/rules", ending=".mdc", front=_cursor, skills=".cursor/skills"),
    "copilot": Target(
        whole=".github/copilot-instructions.md",
        rules=".github/instructions",
        ending=".instructions.md",
        front=_copilot,
        skills=".github/skills",
    ),
    "windsurf": Target(
        rules=".windsurf/rules",
        front=_windsurf,
        skills=".windsurf/skills",
        chars_max=_WINDSURF_CHARS_MAX,
    ),
    "gemini": Target(whole="GEMINI.md", skills=".gemini/skills"),
    "agents": Target(whole="AGENTS.md", skills=".agents/skills"),
}


def author(file: str, text: str) -> Author:
    """Who wrote a file of a project: this command, this command and then a person who edited it, or
    a person.

    The marker carries a digest of the file's path and text, so an edited, copied or renamed file is
    not ours.
    """
    sealed = _SEALED.search(text)
    if sealed and sealed[1] == _digest(
        file, text[: sealed.start()] + MARKER + text[sealed.end() :]
    ):
        return "ours"
    return "edited" if _SIGN in text else "person"


def written(target: Target, rules: Sequence[Memory], skills: Sequence[Memory]) -> dict[str, str]:
    """Every file of a tool, by its path inside the project."""
    apart = [rule for rule in rules if rule.paths or not target.whole] if target.rules else []
    together = [rule for rule in rules if rule not in apart]
    files = (
        dict(_whole(target, together)) | dict(_apart(target, apart)) | dict(_skills(target, skills))
    )
    return {file: _sealed(file, text) for file, text in files.items()}


def _sealed(file: str, text: str) -> str:
    return text.replace(MARKER, MARKER.replace(_SIGN, f"{_SIGN} ({_digest(file, text)})"), 1)


def _digest(file: str, text: str) -> str:
    return hashlib.sha256(f"{file}\n{text}".encode()).hexdigest()[:16]


def _whole(target: Target, rules: Sequence[Memory]) -> _Files:
    if target.whole and rules:
        sections = [_section(group) for group in _groups(rules).values()]
        yield target.whole, "\n\n".join(["# Rules", MARKER, *sections]) + "\n"


def _section(group: Sequence[Memory]) -> str:
    title = group[0].category or ("Files" if group[0].paths else "General")
    paths = [f"For {', '.join(f'`{path}`' for path in group[0].paths)}:"] if group[0].paths else []
    return "\n\n".join([f"## {title}", *paths, _items(group)])


def _apart(target: Target, rules: Sequence[Memory]) -> _Files:
    taken: set[str] = set()
    for (category, paths), group in _groups(rules).items():
        for part in _parts(group, target.chars_max):
            name = _free(slug(category or "general"), taken)
            front = _front(target.front(name, paths)) if target.front else ""
            title = category or "General"
            yield (
                f"{target.rules}/{name}{target.ending}",
                f"{front}{MARKER}\n\n# {title}\n\n{_items(part)}\n",
            )


def _parts(group: Sequence[Memory], chars_max: int) -> Iterator[list[Memory]]:
    """A group in parts that are no longer than a tool reads; one rule is never cut."""
    part: list[Memory] = []
    for rule in group:
        if part and chars_max and len(_items([*part, rule])) > chars_max - 500:
            yield part
            part = []
        part.append(rule)
    if part:
        yield part


def _skills(target: Target, skills: Sequence[Memory]) -> _Files:
    taken: set[str] = set()
    for skill in skills:
        wanted = skill.metadata.get("name")
        title = wanted if isinstance(wanted, str) and wanted.strip() else skill.category
        name = _free(slug(title or f"skill-{ids.short(skill.id)}"), taken)
        told = skill.metadata.get("description")
        description = told if isinstance(told, str) and told.strip() else _first_line(skill.text)
        front = _front({"name": name, "description": description[:_DESCRIPTION_CHARS_MAX]})
        yield f"{target.skills}/{name}/SKILL.md", f"{front}{MARKER}\n\n{skill.text.strip()}\n"


def _groups(rules: Sequence[Memory]) -> dict[tuple[str, tuple[str, ...]], list[Memory]]:
    found: dict[tuple[str, tuple[str, ...]], list[Memory]] = {}
    for rule in rules:
        found.setdefault((rule.category, rule.paths), []).append(rule)
    return found


def _items(rules: Sequence[Memory]) -> str:
    return "\n".join("- " + rule.text.strip().replace("\n", "\n  ") for rule in rules)


def _front(fields: Mapping[str, object]) -> str:
    """Front matter. JSON is YAML too, so values are written as JSON and nothing in them can break
    out.
    """
    if not fields:
        return ""
    lines = [f"{name}: {_value(value)}".rstrip() for name, value in fields.items()]
    return "\n".join(["---", *lines, "---", "", ""])


def _value(value: object) -> str:
    return value if isinstance(value, _Bare) else json.dumps(value, ensure_ascii=False)


def slug(text: str) -> str:
    """The name of a file or folder: lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60].strip("-") or "rules"


def _free(name: str, taken: set[str]) -> str:
    free, number = name, 2
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    taken.add(free)
    return free


def _first_line(text: str) -> str:
    return next(
        (line.strip("# ").strip() for line in text.splitlines() if line.strip("# ").strip()), ""
    )
