"""How memories.sh spells things: lines for readers, the envelope for programs, and failures in
both.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from commonplace import clock, ids
from commonplace.clock import SystemClock
from commonplace.dialects.dialect import Reply, filled
from commonplace.dialects.expected_version import version
from commonplace.dialects.kinds import MEMORIES
from commonplace.dialects.memories.scope import Place
from commonplace.dialects.unsure import NONE_SURE, doubt
from commonplace.engine.dedupe import Consolidation
from commonplace.engine.facts.fact_metadata import heading
from commonplace.engine.links import Reached
from commonplace.engine.sessions.compaction import Compaction
from commonplace.engine.sessions.context import Context
from commonplace.records.memory import Link, Memory
from commonplace.records.query import Dropped, Hit, Recall
from commonplace.records.work import Reminder, Session
from commonplace.reserved_metadata import told

VERSION = "2026-02-10"
PREVIEW_CHARS_MAX = 80
_DAY_CHARS = len("2026-01-31")
_DROPPED_MAX = 10  # A trace names only the best of what was left out.
SUGGESTION = (
    "These memories may conflict. Consider asking the user to clarify which preference is current."
)
_LABELS = {
    "rule": "📌 RULE",
    "decision": "💡 DECISION",
    "fact": "📋 FACT",
    "note": "📝 NOTE",
    "skill": "🔧 SKILL",
}


def reply(place: Place, data: Mapping[str, Any], text: str) -> Reply:
    """An answer: the local server's text, and the hosted server's envelope with each thing in it
    once.

    A model is shown the envelope, so it has no empty fields, and nothing that the caller has just
    said.
    """
    envelope: dict[str, Any] = {"ok": True, "data": dict(data)}
    if place.source == "git":
        envelope["meta"] = {"projectId": place.project, "projectSource": place.source}
        text = f"{text}\n\nProject: {place.project} (from the git remote)"
    return Reply(envelope, text)


def memory(one: Memory) -> dict[str, Any]:
    """A memory as programs see it. What is as usual is left out: no project is global, no expiry is
    long term.
    """
    shown_type = MEMORIES.shown(one.kind)
    return filled(
        {
            "id": ids.short(one.id),
            "content": one.text,
            "title": heading(one),
            "type": shown_type,
            "kind": one.kind if one.kind != shown_type else "",
            "layer": "working" if layer(one) == "working" else "",
            "expiresAt": moment(one.expires_at),
            "projectId": one.scope.project,
            "userId": one.scope.user,
            "tags": list(one.tags),
            "paths": list(one.paths),
            "category": one.category,
            "metadata": told(one.metadata),
            **version(one),
            "createdAt": clock.iso(one.created_at),
            "updatedAt": clock.iso(one.updated_at),
        }
    )


def seen(one: Memory) -> dict[str, Any]:
    """A memory among others: the day of its last change, and whether it is of the project that the
    caller named.
    """
    shown = {
        name: value for name, value in memory(one).items() if name not in ("createdAt", "projectId")
    }
    shown["updatedAt"] = shown["updatedAt"][:_DAY_CHARS]
    return shown | ({"scope": "project"} if one.scope.project else {})


def rule(one: Memory) -> dict[str, Any]:
    """A rule in a list of rules."""
    return {
        name: value
        for name, value in seen(one).items()
        if name not in ("type", "scope", "updatedAt")
    }


def context(found: Context) -> dict[str, Any]:
    """A context as programs see it: those in hand come first among the memories and have the layer
    `working`.
    """
    data: dict[str, Any] = {
        "rules": [rule(one) for one in found.rules],
        **doubt(unsure=found.unsure, found=found.memories),
        "memories": [*map(seen, (*found.working, *found.lasting)), *map(reached, found.reached)],
    }
    if found.conflicts:
        data["conflicts"] = [conflict(one) for one in found.conflicts]
    return data | ({"compaction": compaction(found.compaction)} if found.compaction else {})


def previews(found: Sequence[Memory], count: int) -> tuple[dict[str, Any], str]:
    """What a deletion would delete, for programs and for readers."""
    shown = [
        {
            "id": ids.short(one.id),
            "type": MEMORIES.shown(one.kind),
            "contentPreview": preview(one.text),
        }
        for one in found
    ]
    message = f"Dry run: {count} memories would be deleted"
    more = f" (showing first {len(shown)})" if count > len(shown) else ""
    lines = [f"  {one['id']} [{one['type']}] {one['contentPreview']}" for one in shown]
    text = "\n".join([f"{message}{more}:", *lines]) if lines else message
    return {"count": count, "memories": shown, "message": message, "dryRun": True}, text


def hit(one: Hit) -> dict[str, Any]:
    """A memory that was found, and the ids of others that say the same, if there are any."""
    return filled(seen(one.memory) | {"copies": [ids.short(number) for number in one.copies]})


def search_trace(found: Recall) -> dict[str, Any]:
    """How the results of a search came about."""
    return {
        "requestedStrategy": "hybrid",
        "appliedStrategy": "hybrid",
        "fallbackTriggered": False,
        "fallbackReason": None,
        **_explained(found.hits, found.dropped),
    }


def _explained(hits: Sequence[Hit], dropped: Sequence[Dropped]) -> dict[str, Any]:
    """Which channel found what with which score, and what was left out and why, the best of those
    first.
    """
    return {
        "lexicalCandidates": sum(hit.channels.get("keyword", 0) > 0 for hit in hits),
        "semanticCandidates": sum(hit.channels.get("vector", 0) > 0 for hit in hits),
        "results": [
            {"id": ids.short(hit.memory.id), "score": hit.score, "channels": dict(hit.channels)}
            for hit in hits
        ],
        "droppedCount": len(dropped),
        "dropped": [
            {"id": ids.short(one.memory_id), "score": one.score, "reason": one.why}
            for one in dropped[:_DROPPED_MAX]
        ],
    }


def layer(one: Memory) -> str:
    """The layer of a memory: rules are one, what expires is in hand, and the rest is for long."""
    if one.kind == "rule":
        return "rule"
    return "long_term" if one.expires_at is None else "working"


def reached(one: Reached) -> dict[str, Any]:
    """A memory that was found over a link, and why it is here."""
    graph = {
        "whyIncluded": "graph_expansion",
        "linkedViaNode": f"memory:{ids.short(one.seed_id)}",
        "edgeType": one.link.kind,
        "hopCount": one.hop_count,
        "confidence": one.link.confidence,
        "reason": one.link.reason,
        "seedMemoryId": ids.short(one.seed_id),
    }
    return seen(one.memory) | {"graph": graph}


def conflict(link: Link) -> dict[str, Any]:
    """A pair that is at odds, how sure that is, and what to do about it."""
    first, second = sorted((ids.short(link.from_id), ids.short(link.to_id)))
    return {
        "memoryAId": first,
        "memoryBId": second,
        "edgeType": link.kind,
        "confidence": link.confidence,
        "explanation": f"These memories are linked by a contradiction edge. {link.reason}",
        "suggestion": SUGGESTION,
    }


def compaction(one: Compaction) -> dict[str, Any]:
    """Why to compact, and what was written down first."""
    return filled(
        {
            "trigger": one.trigger,
            "reason": one.reason,
            "estimatedTokens": one.token_count,
            "checkpointId": None if one.checkpoint_id is None else ids.short(one.checkpoint_id),
            "compactionEventId": None if one.event_id is None else ids.short(one.event_id),
            "error": one.failure,
        }
    )


def label(kind: str) -> str:
    """The sign and the name of a type."""
    return _LABELS[MEMORIES.shown(kind)]


def line(one: Memory) -> str:
    """A memory on a line, below its title if it has one.

    Its own line breaks are kept, but cannot be taken for the beginning of another memory.
    """
    scope = "P" if one.scope.project else "G"
    title = heading(one)
    said = _indented(
        one.text if not title or one.text.startswith(title) else f"{title}\n{one.text}"
    )
    return f"{label(one.kind)} ({scope}) {ids.short(one.id)}: {said}{_tail(one)}"


def rule_line(one: Memory) -> str:
    """A rule as an item of a list, with its id, the files it is for and its category."""
    paths = f" (paths: {','.join(one.paths)})" if one.paths else ""
    return (
        f"- {ids.short(one.id)}:"
        f" {_indented(one.text)}{paths}{f' {{{one.category}}}' if one.category else ''}"
    )


def rule_sections(rules: Sequence[Memory]) -> str:
    """Rules for readers, those of the project and those for all, each below its heading."""
    general = [one for one in rules if not one.scope.project]
    special = [one for one in rules if one.scope.project]
    parts = (("## Global Rules", general), ("## Project Rules", special))
    return "\n\n".join(
        "\n".join([title, *map(rule_line, listed)]) for title, listed in parts if listed
    )


def context_text(found: Context, query: str) -> str:
    """A context for readers: rules, memories, what is at odds, and the compaction if it is time for
    one.
    """
    sections: list[list[str]] = []
    if found.rules:
        sections.append(["## Active Rules", *map(rule_line, found.rules)])
    if found.memories:
        title = f'## Relevant to: "{_one_line(query)}"' if query.strip() else "## Recent Memories"
        doubts = [NONE_SURE] if found.unsure else []
        sections.append([title, *doubts, *map(line, found.memories)])
    if found.conflicts:
        pairs = [conflict(one) for one in found.conflicts]
        told = (
            f"- {one['memoryAId']} <-> {one['memoryBId']} (confidence {one['confidence']:.2f}):"
            f" {one['explanation']}"
            for one in pairs
        )
        sections.append(["## Conflicts", *told, SUGGESTION])
    if found.compaction:
        sections.append(_compaction_lines(found.compaction))
    empty = "No context found. Use add_memory to store rules and knowledge."
    return "\n\n".join("\n".join(section) for section in sections) or empty


def trace(found: Context, requested: str, depth: int, most: int) -> dict[str, Any]:
    """How a context came about."""
    applied = "hybrid_graph" if requested == "hybrid_graph" and depth > 0 else "baseline"
    # What a search left out may have come in over a link.
    kept = {one.id for one in found.memories}
    return {
        "requestedStrategy": requested,
        "strategy": applied,
        "graphDepth": depth,
        "graphLimit": most,
        "baselineCandidates": len(found.working) + len(found.lasting),
        "graphCandidates": len(found.reached),
        "graphExpandedCount": len(found.reached),
        "conflictCount": len(found.conflicts),
        "rulesForOtherFiles": found.rules_apart_count,
        "fallbackTriggered": applied != requested,
        "fallbackReason": "graph_depth_0" if applied != requested else None,
        "totalCandidates": len(found.memories),
        **_explained(found.hits, [one for one in found.dropped if one.memory_id not in kept]),
    }


def brief_trace(found: Context, requested: str, depth: int, most: int) -> dict[str, Any]:
    """What the contract tells beside conflicts, and what a caller who asked for a strategy wants to
    know of it.
    """
    whole = trace(found, requested, depth, most)
    return {name: whole[name] for name in ("strategy", "conflictCount")}


def preview(text: str) -> str:
    """The beginning of a text on one line."""
    plain = _one_line(text)
    return plain if len(plain) <= PREVIEW_CHARS_MAX else plain[:PREVIEW_CHARS_MAX] + "..."


def session(one: Session) -> dict[str, Any]:
    """A session as programs see it."""
    return filled(
        {
            "id": ids.short(one.id),
            "title": one.title,
            "client": one.client,
            "status": one.status,
            "projectId": one.project,
            "userId": one.user,
            "metadata": dict(one.metadata),
            "eventCount": one.event_count,
            "startedAt": clock.iso(one.started_at),
            "lastActivityAt": clock.iso(one.active_at),
            "endedAt": moment(one.ended_at),
        }
    )


def reminder(one: Reminder) -> dict[str, Any]:
    """A reminder as programs see it."""
    return filled(
        {
            "id": ids.short(one.id),
            "cronExpression": one.cron,
            "message": one.message,
            "enabled": one.enabled,
            "projectId": one.project,
            "userId": one.user,
            "timezone": one.timezone,
            "nextTriggerAt": moment(one.next_at),
            "lastTriggeredAt": moment(one.last_at),
        }
    )


def consolidation(done: Consolidation) -> tuple[dict[str, Any], str]:
    """What a consolidation did, for programs and for readers."""
    winners = [ids.short(one.winner_id) for one in done.merges]
    losers = [ids.short(number) for number in done.loser_ids]
    counts = {
        "input": done.input_count,
        "merged": len(done.merges),
        "superseded": len(losers),
        "conflicts": done.conflict_count,
    }
    lines = [
        f"{'Dry-run consolidation' if done.dry_run else 'consolidation'} run {ids.short(done.id)}"
    ]
    lines += [f"{name}={count}" for name, count in counts.items()]
    lines += [
        f"{name}={','.join(listed)}"
        for name, listed in (("winners", winners), ("superseded_ids", losers))
        if listed
    ]
    data = {
        "runId": ids.short(done.id),
        "dryRun": done.dry_run,
        **counts,
        "winners": winners,
        "supersededIds": losers,
    }
    return data | {"message": lines[0]}, "\n".join(lines)


def moment(at: int | None) -> str | None:
    """A moment that need not be there."""
    return None if at is None else clock.iso(at)


def _compaction_lines(one: Compaction) -> list[str]:
    lines = ["## Compaction", f"Trigger: {one.trigger}", f"Reason: {one.reason}"]
    if one.checkpoint_id is None or one.event_id is None:
        return [*lines, f"Write-ahead checkpoint failed: {one.failure}"]
    written = f"Write-ahead checkpoint: {ids.short(one.checkpoint_id)}"
    return [*lines, written, f"Compaction event: {ids.short(one.event_id)}"]


def _tail(one: Memory) -> str:
    tags = f" [{','.join(one.tags)}]" if one.tags else ""
    paths = f" (paths: {','.join(one.paths)})" if one.paths else ""
    return f"{tags}{paths}{f' {{{one.category}}}' if one.category else ''}"


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def meta(tool: str) -> dict[str, Any]:
    """What every answer says of itself."""
    return {"version": VERSION, "tool": tool, "timestamp": clock.iso(SystemClock().now())}
