"""The responses of memories.sh as JSON, and the reply that carries them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from commonplace import clock, ids
from commonplace.clock import SystemClock
from commonplace.dialects.dialect import Reply, drop_empty
from commonplace.dialects.expected_version import version_field
from commonplace.dialects.kinds import MEMORIES
from commonplace.dialects.memories.scope import Target
from commonplace.dialects.replaced import replaced_field
from commonplace.dialects.unsure import unsure_field
from commonplace.engine.facts.fact_metadata import heading
from commonplace.records.memory import Link, LinkKind, Memory
from commonplace.records.query import Hit
from commonplace.records.work import Reminder, Session
from commonplace.reserved_metadata import user_metadata

if TYPE_CHECKING:
    from commonplace.engine.links.dedupe import Consolidation
    from commonplace.engine.links.links import LinkedMemory
    from commonplace.engine.sessions.compaction import Compaction
    from commonplace.engine.sessions.context import Context

VERSION = "2026-02-10"


PREVIEW_CHARS_MAX = 80


_EDGES: Mapping[LinkKind, str] = {"contradicts": "contradiction", "supersedes": "supersession"}


_DAY_CHARS = len("2026-01-31")


SUGGESTION = (
    "These memories may conflict. Consider asking the user to clarify which preference is current."
)


def reply(target: Target, data: Mapping[str, Any], text: str) -> Reply:
    """An answer: the local server's text, and the hosted server's envelope with each thing in it
    once.

    A model is shown the envelope, so it has no empty fields, and nothing that the caller has just
    said.
    """
    envelope: dict[str, Any] = {"ok": True, "data": dict(data)}
    if target.source == "git":
        envelope["meta"] = {"projectId": target.project, "projectSource": target.source}
        text = f"{text}\n\nProject: {target.project} (from the git remote)"
    return Reply(envelope, text)


def memory(one: Memory) -> dict[str, Any]:
    """A memory as programs see it. What is as usual is left out: no project is global, no expiry is
    long term.
    """
    shown_type = MEMORIES.display_kind(one.kind)
    return drop_empty(
        {
            "id": ids.short_form(one.id),
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
            "metadata": user_metadata(one.metadata),
            **version_field(one),
            "createdAt": clock.iso(one.created_at),
            "updatedAt": clock.iso(one.updated_at),
        }
    )


def memory_item(one: Memory) -> dict[str, Any]:
    """A memory in a list: the day of its last change, and whether it belongs to the caller's
    project.
    """
    shown = {
        name: value for name, value in memory(one).items() if name not in ("createdAt", "projectId")
    }
    shown["updatedAt"] = shown["updatedAt"][:_DAY_CHARS]
    return shown | ({"scope": "project"} if one.scope.project else {})


def rule(one: Memory) -> dict[str, Any]:
    """A rule in a list."""
    return {
        name: value
        for name, value in memory_item(one).items()
        if name not in ("type", "scope", "updatedAt")
    }


def context(found: "Context") -> dict[str, Any]:
    """A context as JSON; working memories come first and have the layer `working`."""
    data: dict[str, Any] = {
        "rules": [rule(one) for one in found.rules],
        **unsure_field(unsure=found.unsure, found=found.memories),
        "memories": [
            *(
                memory_item(one) | replaced_field(found.replacements.get(one.id), handle)
                for one in (*found.working, *found.lasting)
            ),
            *map(linked_memory, found.linked),
        ],
    }
    if found.conflicts:
        data["conflicts"] = [conflict(one) for one in found.conflicts]
    return data | ({"compaction": compaction(found.compaction)} if found.compaction else {})


def deletion_preview(found: Sequence[Memory], count: int) -> tuple[dict[str, Any], str]:
    """The preview of a deletion, as JSON and as text."""
    shown = [
        {
            "id": ids.short_form(one.id),
            "type": MEMORIES.display_kind(one.kind),
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
    """A found memory, the ids of its copies if it has any, and of the memory that replaced it."""
    copies = {"copies": [ids.short_form(number) for number in one.copies]}
    return drop_empty(memory_item(one.memory) | copies | replaced_field(one.replacement, handle))


def handle(one: Memory) -> str:
    """The id of a memory."""
    return ids.short_form(one.id)


def layer(one: Memory) -> str:
    """The layer of a memory: `rule` for rules, `working` if it expires, else `long_term`."""
    if one.kind == "rule":
        return "rule"
    return "long_term" if one.expires_at is None else "working"


def linked_memory(one: "LinkedMemory") -> dict[str, Any]:
    """A memory that was found over a link, and the reason of the link."""
    graph = {
        "whyIncluded": "graph_expansion",
        "linkedViaNode": f"memory:{ids.short_form(one.seed_id)}",
        "edgeType": one.link.kind,
        "hopCount": one.hop_count,
        "confidence": one.link.confidence,
        "reason": one.link.reason,
        "seedMemoryId": ids.short_form(one.seed_id),
    }
    return memory_item(one.memory) | {"graph": graph}


def conflict(link: Link) -> dict[str, Any]:
    """A pair of conflicting memories, the confidence, and a suggestion."""
    first, second = sorted((ids.short_form(link.from_id), ids.short_form(link.to_id)))
    return {
        "memoryAId": first,
        "memoryBId": second,
        "edgeType": link.kind,
        "confidence": link.confidence,
        "explanation": f"These memories are linked by a {_EDGES[link.kind]} edge. {link.reason}",
        "suggestion": SUGGESTION,
    }


def compaction(one: "Compaction") -> dict[str, Any]:
    """The reason for a compaction, and the checkpoint before it."""
    return drop_empty(
        {
            "trigger": one.trigger,
            "reason": one.reason,
            "estimatedTokens": one.token_count,
            "checkpointId": None
            if one.checkpoint_id is None
            else ids.short_form(one.checkpoint_id),
            "compactionEventId": None if one.event_id is None else ids.short_form(one.event_id),
            "error": one.failure,
        }
    )


def preview(text: str) -> str:
    """The beginning of a text on one line."""
    plain = one_line(text)
    return plain if len(plain) <= PREVIEW_CHARS_MAX else plain[:PREVIEW_CHARS_MAX] + "..."


def session(one: Session) -> dict[str, Any]:
    """A session as JSON."""
    return drop_empty(
        {
            "id": ids.short_form(one.id),
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
    """A reminder as JSON."""
    return drop_empty(
        {
            "id": ids.short_form(one.id),
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


def consolidation(done: "Consolidation") -> tuple[dict[str, Any], str]:
    """The result of a consolidation, as JSON and as text."""
    winners = [ids.short_form(one.winner_id) for one in done.merges]
    losers = [ids.short_form(number) for number in done.loser_ids]
    counts = {
        "input": done.input_count,
        "merged": len(done.merges),
        "superseded": len(losers),
        "conflicts": done.conflict_count,
    }
    name = "Dry-run consolidation" if done.dry_run else "consolidation"
    lines = [f"{name} run {ids.short_form(done.id)}"]
    lines += [f"{name}={count}" for name, count in counts.items()]
    lines += [
        f"{name}={','.join(listed)}"
        for name, listed in (("winners", winners), ("superseded_ids", losers))
        if listed
    ]
    data = {
        "runId": ids.short_form(done.id),
        "dryRun": done.dry_run,
        **counts,
        "winners": winners,
        "supersededIds": losers,
    }
    return data | {"message": lines[0]}, "\n".join(lines)


def moment(at: int | None) -> str | None:
    """The ISO text of a time; None without one."""
    return None if at is None else clock.iso(at)


def one_line(text: str) -> str:
    """A text with each run of white space as one space."""
    return " ".join(text.split())


def meta(tool: str) -> dict[str, Any]:
    """The fields that every response has."""
    return {"version": VERSION, "tool": tool, "timestamp": clock.iso(SystemClock().now())}
