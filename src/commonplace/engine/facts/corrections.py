"""Corrections of one fact: its text, its dates, its kind and its entities."""

from dataclasses import dataclass, replace
from typing import Any

from commonplace import validation
from commonplace.engine.draft_validation import validate_edit
from commonplace.engine.facts import fact_metadata
from commonplace.engine.facts.observations import KIND as OBSERVATION
from commonplace.engine.memories import get, require_version, revise
from commonplace.engine.runtime import Runtime
from commonplace.errors import Invalid
from commonplace.language import entities
from commonplace.limits import NAME_CHARS_MAX
from commonplace.records.memory import UNSET, Edit, Memory, Origin, Outcome, Unset

_ENTITIES_MAX = 100


@dataclass(frozen=True, slots=True)
class Correction:
    """The fields of a fact to change; unset fields stay. None removes a date."""

    text: str | Unset = UNSET
    kind: str | Unset = UNSET
    context: str | Unset = UNSET
    happened_at: int | None | Unset = UNSET
    happened_until: int | None | Unset = UNSET
    mentioned_at: int | None | Unset = UNSET
    entities: tuple[str, ...] | Unset = UNSET


def correct(
    runtime: Runtime,
    bank: str,
    memory_id: int | str,
    correction: Correction,
    origin: Origin = Origin(),
    *,
    expected: int | None = None,
) -> Outcome:
    """Make the next version of a fact with some fields changed.

    With `expected`, only if that is still the newest version. Observations cannot be corrected
    because they are derived from facts.
    """
    entity_names = correction.entities
    if not isinstance(entity_names, Unset):
        if len(entity_names) > _ENTITIES_MAX:
            raise Invalid(
                f"A memory can have at most {_ENTITIES_MAX} entities.", hint="Give fewer entities."
            )
        entity_names = tuple(
            dict.fromkeys(validation.name(one, what="entity") for one in entity_names)
        )
    with runtime.db.transaction():
        before = get(runtime, bank, memory_id)
        require_version(before, expected)
        if before.kind == OBSERVATION:
            raise Invalid(
                "An observation is derived and cannot be edited.",
                hint="Change the facts that it is derived from.",
            )
        edit = validate_edit(_build_edit(before, replace(correction, entities=entity_names)))
        _check_span(before, edit)
        return revise(runtime, bank, before.id, edit, origin)


def _build_edit(before: Memory, wanted: Correction) -> Edit:
    edit_fields: dict[str, Any] = {
        "text": wanted.text,
        "kind": wanted.kind,
        "happened_at": wanted.happened_at,
        "happened_until": wanted.happened_until,
    }
    changes = _metadata_changes(before, wanted)
    if not isinstance(wanted.context, Unset):
        edit_fields["category"] = " ".join(wanted.context.split())[:NAME_CHARS_MAX]
    # A memory of another dialect has no context besides its category.
    if fact_metadata.parse_fact_metadata(before.metadata) or set(changes) - {"context"}:
        edit_fields["metadata"] = (
            fact_metadata.update_fact_metadata(before, **changes) if changes else UNSET
        )
    return Edit(**edit_fields)


def _check_span(before: Memory, edit: Edit) -> None:
    """Check a new start against the stored end, and the other way round."""
    start = before.happened_at if isinstance(edit.happened_at, Unset) else edit.happened_at
    end = before.happened_until if isinstance(edit.happened_until, Unset) else edit.happened_until
    if start is not None and end is not None and end < start:
        raise Invalid("The end is before the start.", hint="Give the start and the end together.")


def _metadata_changes(before: Memory, wanted: Correction) -> dict[str, Any]:
    """The changes of the fact metadata."""
    changes: dict[str, Any] = {}
    if not isinstance(wanted.context, Unset):
        changes["context"] = wanted.context
    if not isinstance(wanted.mentioned_at, Unset):
        # Every fact needs a time; the default is when it was stored.
        at = before.created_at if wanted.mentioned_at is None else wanted.mentioned_at
        changes["mentioned_at"] = validation.moment(at, what="time it was mentioned")
    if not isinstance(wanted.entities, Unset):
        changes["entities"] = wanted.entities
    elif (
        fact_metadata.parse_fact_metadata(before.metadata)
        and not isinstance(wanted.text, Unset)
        and wanted.text != before.text
    ):
        # The old entities would link the fact to things that its new text does not name.
        changes["entities"] = entities.find_entities(wanted.text)
    return changes
