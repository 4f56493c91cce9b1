"""The responses of memories.sh as markdown."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from commonplace import ids
from commonplace.dialects.kinds import MEMORIES
from commonplace.dialects.memories import responses
from commonplace.dialects.replaced import replaced_note
from commonplace.dialects.unsure import NONE_SURE
from commonplace.engine.facts.fact_metadata import heading
from commonplace.records.memory import Memory
from commonplace.records.query import Replacement

if TYPE_CHECKING:
    from commonplace.engine.sessions.compaction import Compaction
    from commonplace.engine.sessions.context import Context

_LABELS = {
    "rule": "📌 RULE",
    "decision": "💡 DECISION",
    "fact": "📋 FACT",
    "note": "📝 NOTE",
    "skill": "🔧 SKILL",
}


def label(kind: str) -> str:
    """The symbol and the name of a type."""
    return _LABELS[MEMORIES.display_kind(kind)]


def line(one: Memory, replacement: Replacement | None = None) -> str:
    """A memory as a list item, with its title above the text if it has one, and with the id of the
    memory that replaced it. Its lines are indented, so that none looks like the start of another
    memory.
    """
    scope = "P" if one.scope.project else "G"
    title = heading(one)
    text = _indent(one.text if not title or one.text.startswith(title) else f"{title}\n{one.text}")
    note = replaced_note(replacement, responses.handle)
    return f"{label(one.kind)} ({scope}) {ids.short_form(one.id)}: {text}{note}{_suffix(one)}"


def rule_line(one: Memory) -> str:
    """A rule as an item of a list, with its id, the files it is for and its category."""
    paths = f" (paths: {','.join(one.paths)})" if one.paths else ""
    return (
        f"- {ids.short_form(one.id)}:"
        f" {_indent(one.text)}{paths}{f' {{{one.category}}}' if one.category else ''}"
    )


def rule_sections(rules: Sequence[Memory]) -> str:
    """Rules for readers, those of the project and those for all, each below its heading."""
    general = [one for one in rules if not one.scope.project]
    special = [one for one in rules if one.scope.project]
    parts = (("## Global Rules", general), ("## Project Rules", special))
    return "\n\n".join(
        "\n".join([title, *map(rule_line, listed)]) for title, listed in parts if listed
    )


def context_text(found: "Context", query: str) -> str:
    """A context for readers: rules, memories, conflicts, and the compaction if it is due."""
    sections: list[list[str]] = []
    if found.rules:
        sections.append(["## Active Rules", *map(rule_line, found.rules)])
    if found.memories:
        sections.append(_memory_lines(found, query))
    if found.conflicts:
        sections.append(["## Conflicts", *_conflict_lines(found), responses.SUGGESTION])
    if found.compaction:
        sections.append(_compaction_lines(found.compaction))
    empty = "No context found. Use add_memory to store rules and knowledge."
    return "\n\n".join("\n".join(section) for section in sections) or empty


def _memory_lines(found: "Context", query: str) -> list[str]:
    title = "## Recent Memories"
    if query.strip():
        title = f'## Relevant to: "{responses.one_line(query)}"'
    doubts = [NONE_SURE] if found.unsure else []
    lines = (line(one, found.replacements.get(one.id)) for one in found.memories)
    return [title, *doubts, *lines]


def _conflict_lines(found: "Context") -> list[str]:
    pairs = [responses.conflict(one) for one in found.conflicts]
    return [
        f"- {one['memoryAId']} <-> {one['memoryBId']} (confidence {one['confidence']:.2f}):"
        f" {one['explanation']}"
        for one in pairs
    ]


def _compaction_lines(one: "Compaction") -> list[str]:
    lines = ["## Compaction", f"Trigger: {one.trigger}", f"Reason: {one.reason}"]
    if one.checkpoint_id is None or one.event_id is None:
        return [*lines, f"Write-ahead checkpoint failed: {one.failure}"]
    written = f"Write-ahead checkpoint: {ids.short_form(one.checkpoint_id)}"
    return [*lines, written, f"Compaction event: {ids.short_form(one.event_id)}"]


def _suffix(one: Memory) -> str:
    tags = f" [{','.join(one.tags)}]" if one.tags else ""
    paths = f" (paths: {','.join(one.paths)})" if one.paths else ""
    return f"{tags}{paths}{f' {{{one.category}}}' if one.category else ''}"


def _indent(text: str) -> str:
    return text.replace("\n", "\n    ")
