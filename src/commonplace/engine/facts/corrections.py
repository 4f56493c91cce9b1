"""Corrections of one fact: its words, its dates, what sort of fact it is, and whom it names."""

from dataclasses import dataclass, replace
from typing import Any

from commonplace import validation
from commonplace.engine.draft_validation import checked_edit
from commonplace.engine.facts import fact_metadata
from commonplace.engine.facts.observations import KIND as OBSERVATION
from commonplace.engine.memories import get, require_version, revise
from commonplace.engine.runtime import Parts
from commonplace.errors import Invalid
from commonplace.language import entities
from commonplace.limits import NAME_CHARS_MAX
from commonplace.records.memory import UNSET, Edit, Memory, Origin, Outcome, Unset

_ENTITIES_MAX = 100


@dataclass(frozen=True, slots=True)
class Correction:
    """The particulars of a fact that change; the others stay. None takes a date away."""

    text: str | Unset = UNSET
    kind: str | Unset = UNSET
    context: str | Unset = UNSET
    happened_at: int | None | Unset = UNSET
    happened_until: int | None | Unset = UNSET
    mentioned_at: int | None | Unset = UNSET
    entities: tuple[str, ...] | Unset = UNSET


def correct(
    parts: Parts,
    bank: str,
    memory_id: int | str,
    correction: Correction,
    origin: Origin = Origin(),
    *,
    expected: int | None = None,
) -> Outcome:
    """Make the next version of a fact with some of its particulars changed. Observations follow
    their facts instead.

    With `expected`, only if that is still its newest version.
    """
    named = correction.entities
    if not isinstance(named, Unset):
        if len(named) > _ENTITIES_MAX:
            raise Invalid(
                f"A memory can have at most {_ENTITIES_MAX} entities.", hint="Give fewer entities."
            )
        named = tuple(dict.fromkeys(validation.name(one, what="entity") for one in named))
    with parts.db.transaction():
        before = get(parts, bank, memory_id)
        require_version(before, expected)
        if before.kind == OBSERVATION:
            raise Invalid(
                "An observation is derived and cannot be edited.",
                hint="Update or invalidate the facts it comes from.",
            )
        edit = checked_edit(_edit(before, replace(correction, entities=named)))
        _check_span(before, edit)
        return revise(parts, bank, before.id, edit, origin)


def _edit(before: Memory, wanted: Correction) -> Edit:
    given: dict[str, Any] = {
        "text": wanted.text,
        "kind": wanted.kind,
        "happened_at": wanted.happened_at,
        "happened_until": wanted.happened_until,
    }
    changes = _particulars(before, wanted)
    if not isinstance(wanted.context, Unset):
        given["category"] = " ".join(wanted.context.split())[:NAME_CHARS_MAX]
    # The context of what another dialect wrote is its category alone.
    if fact_metadata.mark_in(before.metadata) or set(changes) - {"context"}:
        given["metadata"] = fact_metadata.remarked(before, **changes) if changes else UNSET
    return Edit(**given)


def _check_span(before: Memory, edit: Edit) -> None:
    """A new start is checked against the end that stays, and the other way round."""
    start = before.happened_at if isinstance(edit.happened_at, Unset) else edit.happened_at
    end = before.happened_until if isinstance(edit.happened_until, Unset) else edit.happened_until
    if start is not None and end is not None and end < start:
        raise Invalid(
            "The end is before the start.", hint="Give occurred_start and occurred_end together."
        )


def _particulars(before: Memory, wanted: Correction) -> dict[str, Any]:
    """What changes in the mark of a fact."""
    changes: dict[str, Any] = {}
    if not isinstance(wanted.context, Unset):
        changes["context"] = wanted.context
    if not isinstance(wanted.mentioned_at, Unset):
        # Every fact was said some time; without a better moment, when it was stored.
        at = before.created_at if wanted.mentioned_at is None else wanted.mentioned_at
        changes["mentioned_at"] = validation.moment(at, what="time it was mentioned")
    if not isinstance(wanted.entities, Unset):
        changes["entities"] = wanted.entities
    elif (
        fact_metadata.mark_in(before.metadata)
        and not isinstance(wanted.text, Unset)
        and wanted.text != before.text
    ):
        # Entities of words that are gone would link the fact to what it no longer names.
        changes["entities"] = entities.find(wanted.text)
    return changes
