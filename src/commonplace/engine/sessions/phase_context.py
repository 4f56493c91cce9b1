"""The memories for a phase of work: first those tagged for it, then those similar to it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from commonplace import validation
from commonplace.engine import memories, recall
from commonplace.engine.runtime import Runtime
from commonplace.errors import Invalid, TooLarge
from commonplace.limits import LIST_MAX, NAME_CHARS_MAX, PHASES_MAX, RECALL_MAX
from commonplace.records.memory import Memory
from commonplace.records.query import Filter, Match, Query, TagMatch

# Typical terms of common phases. Any other phase is searched by its name.
_PHASE_TERMS = {
    "setup": "setup install configure environment tools dependencies getting started",
    "plan": "plan design decision goal requirement open question approach",
    "work": "work implement build code convention decision known issue how to",
    "review": "review check quality test standard feedback convention",
    "release": "release version deploy publish changelog ship",
    "bugfix": "bug fix error failure known issue workaround cause",
    "documenter": "documentation write explain guide reference readme",
}


def for_phases(
    runtime: Runtime,
    bank: str,
    phases: Sequence[str],
    chosen: Filter,
    metadata_path: tuple[str, ...] = (),
) -> tuple[Memory, ...]:
    """The memories for some phases, best first, each once.

    A memory is tagged for a phase by a tag of that name, by `phase:NAME`, or by a list in its
    metadata at `metadata_path`.
    """
    wanted = _validate(phases)
    found = {
        one.id: one
        for one in _tagged_memories(
            runtime, bank, [*map(str.strip, phases), *wanted], chosen, metadata_path
        )
    }
    scores: dict[int, float] = {}
    by_id: dict[int, Memory] = {}
    for phase in wanted:
        query = Query(f"{phase} {_PHASE_TERMS.get(phase, '')}".strip(), chosen, limit=RECALL_MAX)
        for hit in recall.recall(runtime, bank, query).hits:
            by_id[hit.memory.id] = hit.memory
            scores[hit.memory.id] = max(hit.score, scores.get(hit.memory.id, 0.0))
    tagged = sorted(
        found.values(), key=lambda one: (-scores.get(one.id, 0.0), -one.updated_at, -one.id)
    )
    rest = [one for one in by_id.values() if one.id not in found]
    return (*tagged, *sorted(rest, key=lambda one: (-scores[one.id], -one.updated_at, -one.id)))


def _validate(phases: Sequence[str]) -> list[str]:
    wanted = [
        validation.line(phase, what="phase", chars_max=NAME_CHARS_MAX).lower() for phase in phases
    ]
    wanted = list(dict.fromkeys(phase for phase in wanted if phase))
    if not wanted:
        raise Invalid("No phase was given.", hint='Give at least one, for example ["work"].')
    if len(wanted) > PHASES_MAX:
        raise TooLarge(
            f"{len(wanted)} phases; the limit is {PHASES_MAX}.", hint="Request fewer in one call."
        )
    return wanted


def _tagged_memories(
    runtime: Runtime,
    bank: str,
    phases: Sequence[str],
    chosen: Filter,
    metadata_path: tuple[str, ...],
) -> list[Memory]:
    spelled = [
        form
        for phase in phases
        for form in (phase, phase.capitalize(), phase.title(), phase.upper())
    ]
    tags = tuple(
        tag for form in dict.fromkeys(spelled) for tag in (form, f"phase:{form}", f"#{form}")
    )
    found = list(
        memories.list_memories(runtime, bank, replace(chosen, where=TagMatch(tags)), limit=LIST_MAX)
    )
    if metadata_path:
        with_field = replace(chosen, where=Match(metadata_path, "ne", None))
        found += [
            one
            for one in memories.list_memories(runtime, bank, with_field, limit=LIST_MAX)
            if set(phases) & _phases(one.metadata, metadata_path)
        ]
    return found


def _phases(metadata: Mapping[str, object], path: tuple[str, ...]) -> set[str]:
    value: Any = metadata
    for name in path:
        value = cast("dict[str, Any]", value).get(name) if isinstance(value, dict) else None
    return (
        {str(one).strip().lower() for one in cast("list[Any]", value)}
        if isinstance(value, list)
        else set()
    )
