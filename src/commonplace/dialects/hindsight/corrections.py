"""Hindsight's tools that correct one memory and take one out of use."""

from dataclasses import replace
from typing import Annotated, Any, Literal

from commonplace import engine
from commonplace.dialects.dialect import Call, ToolRole
from commonplace.dialects.expected_version import ExpectedVersion
from commonplace.dialects.hindsight import responses
from commonplace.dialects.hindsight.registration import bank_tool
from commonplace.dialects.parameters import About
from commonplace.errors import Invalid
from commonplace.limits import REASON_CHARS_MAX
from commonplace.records.memory import UNSET, Unset

Json = dict[str, Any]
MemoryId = Annotated[str, About("The ID of the memory.")]
_CHANGES = "text, context, occurred_start, occurred_end, mentioned_at, fact_type, entities"


@bank_tool("writes", ToolRole("revise", id="memory_id", text="text"))
def update_memory(
    call: Call,
    memory_id: MemoryId,
    text: Annotated[str | None, About("New text.", 1, 1_000_000)] = None,
    context: Annotated[
        str | None, About("New context; an empty string clears it.", None, 2_000)
    ] = None,
    occurred_start: Annotated[
        str | None, About("ISO 8601: when it began; an empty string clears it.")
    ] = None,
    occurred_end: Annotated[
        str | None, About("ISO 8601: when it ended; an empty string clears it.")
    ] = None,
    mentioned_at: Annotated[
        str | None, About("ISO 8601: when it was said; empty: when it was stored.")
    ] = None,
    fact_type: Annotated[
        Literal["world", "experience"] | None, About("world or experience.")
    ] = None,
    entities: Annotated[
        list[str] | None, About("The names it mentions; they replace the old ones.")
    ] = None,
    resolve_entities: Annotated[
        bool, About("Accepted and ignored: names that differ only in case are one entity.")
    ] = True,
    expected_version: ExpectedVersion = None,
) -> Json:
    """Correct one memory: its text, context, dates, fact type or entities. What is not given stays.

    Observations cannot be edited: they follow the facts they come from at once. The version before
    stays in the memory's history.
    """
    before = responses.get_memory(call, memory_id)
    if before.forgotten_at is not None:
        raise Invalid(
            f"Memory '{memory_id[:60]}' is invalidated.",
            hint="Restore it first: invalidate_memory with restore.",
        )
    given = engine.facts.corrections.Correction(
        text=UNSET if text is None else text,
        kind=UNSET if fact_type in (None, responses.fact_type(before)) else fact_type,
        context=UNSET if context is None else context,
        happened_at=_parse_moment(occurred_start, "occurred_start"),
        happened_until=_parse_moment(occurred_end, "occurred_end"),
        mentioned_at=_parse_moment(mentioned_at, "mentioned_at"),
        entities=UNSET if entities is None else tuple(entities),
    )
    if all(
        one is None
        for one in (text, context, occurred_start, occurred_end, mentioned_at, fact_type, entities)
    ):
        raise Invalid("Nothing to update.", hint=f"Give at least one of: {_CHANGES}.")
    # An unchanged fact type is no error.
    done = call.engine.correct(
        call.bank, before.id, given, call.origin("hindsight"), expected=expected_version
    )
    return responses.full_memory(call, done.memory)


@bank_tool(
    "destroys",
    ToolRole("forget", id="memory_id"),
    ToolRole("restore", id="memory_id", arguments={"restore": True}),
)
def invalidate_memory(
    call: Call,
    memory_id: MemoryId,
    reason: Annotated[
        str | None, About("Why it no longer holds; kept with it.", None, REASON_CHARS_MAX)
    ] = None,
    restore: Annotated[bool, About("Bring an invalidated memory back.")] = False,
) -> Json:
    """Take one memory out of use, or bring it back with restore.

    An invalidated memory is hidden from recall, reflections, observations and lists; nothing is
    erased.
    """
    before = responses.get_memory(call, memory_id)
    origin = replace(call.origin("hindsight"), reason=(reason or "").strip())
    change = call.engine.restore if restore else call.engine.forget
    (done,) = change(call.bank, [before.id], origin)
    return responses.full_memory(call, done.memory)


def _parse_moment(text: str | None, what: str) -> int | None | Unset:
    """The parsed time; None for an empty text, which clears the field."""
    return UNSET if text is None else responses.parse_moment(text, what=what)
