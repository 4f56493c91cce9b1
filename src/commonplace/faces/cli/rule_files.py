"""Renders rules and skills as the files that each tool reads. Takes memories and returns paths and
texts; it does no I/O.
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
_MARKER_START = "<!-- Written by `commonplace rules`"
_SEALED_MARKER = re.compile(re.escape(_MARKER_START) + r" \(([0-9a-f]{16})\)\.[^\n]*-->")
FileAuthor: TypeAlias = Literal["ours", "edited", "person"]
_WINDSURF_CHARS_MAX = 6_000  # Windsurf passes over what is longer.
_DESCRIPTION_CHARS_MAX = 200
_Files: TypeAlias = Iterator[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Target:
    """A tool: the paths of its rules and skills, and the front matter of its rule files.
    `single_file` is the one file for all rules, if the tool has one.
    """

    single_file: str = ""
    rules: str = ""
    ending: str = ".md"
    front: Callable[[str, tuple[str, ...]], Mapping[str, object]] | None = None
    skills: str = ""
    chars_max: int = 0


class _Unquoted(str):
    """A value without quotation marks, for tools that would read them as part of the pattern."""

    __slots__ = ()


def _claude(_name: str, paths: tuple[str, ...]) -> Mapping[str, object]:
    return {"paths": list(paths)} if paths else {}


def _cursor(name: str, paths: tuple[str, ...]) -> Mapping[str, object]:
    return {
        "description": f"Rules: {name}",
        "globs": _Unquoted(",".join(paths)),
        "alwaysApply": not paths,
    }


def _copilot(_name: str, paths: tuple[str, ...]) -> Mapping[str, object]:
    return {"applyTo": ",".join(paths)} if paths else {"applyTo": "**"}


def _windsurf(_name: str, paths: tuple[str, ...]) -> Mapping[str, object]:
    return (
        {"trigger": "glob", "globs": _Unquoted(",".join(paths))}
        if paths
        else {"trigger": "always_on"}
    )


TARGETS = {
    "claude": Target(rules=".claude/rules", front=_claude, skills=".claude/skills"),
    "cursor": Target(rules=".cursor/rules", ending=".mdc", front=_cursor, skills=".cursor/skills"),
    "copilot": Target(
        single_file=".github/copilot-instructions.md",
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
    "gemini": Target(single_file="GEMINI.md", skills=".gemini/skills"),
    "agents": Target(single_file="AGENTS.md", skills=".agents/skills"),
}


def file_author(file: str, text: str) -> FileAuthor:
    """The author of a file: this command, this command and then a person, or a person.

    The marker has a digest of the path and the text, so an edited, copied or renamed file counts as
    a person's.
    """
    sealed = _SEALED_MARKER.search(text)
    if sealed and sealed[1] == _digest(
        file, text[: sealed.start()] + MARKER + text[sealed.end() :]
    ):
        return "ours"
    return "edited" if _MARKER_START in text else "person"


def render_files(
    target: Target, rules: Sequence[Memory], skills: Sequence[Memory]
) -> dict[str, str]:
    """All files of a tool, by path in the project."""
    apart = [rule for rule in rules if rule.paths or not target.single_file] if target.rules else []
    together = [rule for rule in rules if rule not in apart]
    files = (
        dict(_render_single_file(target, together))
        | dict(_render_separate_files(target, apart))
        | dict(_render_skills(target, skills))
    )
    return {file: _seal(file, text) for file, text in files.items()}


def _seal(file: str, text: str) -> str:
    return text.replace(
        MARKER, MARKER.replace(_MARKER_START, f"{_MARKER_START} ({_digest(file, text)})"), 1
    )


def _digest(file: str, text: str) -> str:
    return hashlib.sha256(f"{file}\n{text}".encode()).hexdigest()[:16]


def _render_single_file(target: Target, rules: Sequence[Memory]) -> _Files:
    if target.single_file and rules:
        sections = [_render_section(group) for group in _group_rules(rules).values()]
        yield target.single_file, "\n\n".join(["# Rules", MARKER, *sections]) + "\n"


def _render_section(group: Sequence[Memory]) -> str:
    title = group[0].category or ("Files" if group[0].paths else "General")
    paths = [f"For {', '.join(f'`{path}`' for path in group[0].paths)}:"] if group[0].paths else []
    return "\n\n".join([f"## {title}", *paths, _bullet_list(group)])


def _render_separate_files(target: Target, rules: Sequence[Memory]) -> _Files:
    taken: set[str] = set()
    for (category, paths), group in _group_rules(rules).items():
        for part in _split_group(group, target.chars_max):
            name = _unique_name(slug(category or "general"), taken)
            front = _front_matter(target.front(name, paths)) if target.front else ""
            title = category or "General"
            yield (
                f"{target.rules}/{name}{target.ending}",
                f"{front}{MARKER}\n\n# {title}\n\n{_bullet_list(part)}\n",
            )


def _split_group(group: Sequence[Memory], chars_max: int) -> Iterator[list[Memory]]:
    """A group split into parts of at most the length that the tool reads. A single rule is never
    cut.
    """
    part: list[Memory] = []
    for rule in group:
        if part and chars_max and len(_bullet_list([*part, rule])) > chars_max - 500:
            yield part
            part = []
        part.append(rule)
    if part:
        yield part


def _render_skills(target: Target, skills: Sequence[Memory]) -> _Files:
    taken: set[str] = set()
    for skill in skills:
        wanted = skill.metadata.get("name")
        title = wanted if isinstance(wanted, str) and wanted.strip() else skill.category
        name = _unique_name(slug(title or f"skill-{ids.short_form(skill.id)}"), taken)
        described = skill.metadata.get("description")
        description = (
            described
            if isinstance(described, str) and described.strip()
            else _first_line(skill.text)
        )
        front = _front_matter({"name": name, "description": description[:_DESCRIPTION_CHARS_MAX]})
        yield f"{target.skills}/{name}/SKILL.md", f"{front}{MARKER}\n\n{skill.text.strip()}\n"


def _group_rules(rules: Sequence[Memory]) -> dict[tuple[str, tuple[str, ...]], list[Memory]]:
    found: dict[tuple[str, tuple[str, ...]], list[Memory]] = {}
    for rule in rules:
        found.setdefault((rule.category, rule.paths), []).append(rule)
    return found


def _bullet_list(rules: Sequence[Memory]) -> str:
    return "\n".join("- " + rule.text.strip().replace("\n", "\n  ") for rule in rules)


def _front_matter(fields: Mapping[str, object]) -> str:
    """Front matter. Values are as JSON, which is valid YAML, so none can end the block."""
    if not fields:
        return ""
    lines = [f"{name}: {_format_value(value)}".rstrip() for name, value in fields.items()]
    return "\n".join(["---", *lines, "---", "", ""])


def _format_value(value: object) -> str:
    return value if isinstance(value, _Unquoted) else json.dumps(value, ensure_ascii=False)


def slug(text: str) -> str:
    """A name for a file or folder: lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60].strip("-") or "rules"


def _unique_name(name: str, taken: set[str]) -> str:
    free, number = name, 2
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    taken.add(free)
    return free


def _first_line(text: str) -> str:
    return next(
        (line.strip("# ").strip() for line in text.splitlines() if line.strip("# ").strip()), ""
    )
