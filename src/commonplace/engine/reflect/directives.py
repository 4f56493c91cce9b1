"""Directives: standing instructions of a bank, for whoever answers from it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from commonplace import ids, validation
from commonplace.engine.erasure import for_good
from commonplace.engine.reflect.reflect import Guidance
from commonplace.engine.runtime import Parts
from commonplace.errors import NotFound
from commonplace.limits import COUNT_MAX, LIST_MAX, TITLE_CHARS_MAX
from commonplace.records.work import Standing
from commonplace.storage import bank_items, banks

KIND = "directive"
DISPOSITION = ("skepticism", "literalism", "empathy")


@dataclass(frozen=True, slots=True)
class Directive:
    """One instruction, how much it matters, and whether it is in force. Several may have one
    title.
    """

    title: str
    text: str
    priority: int = 0
    active: bool = True
    tags: tuple[str, ...] = ()
    id: int = 0
    created_at: int = 0
    updated_at: int = 0


def add_directive(parts: Parts, bank: str, draft: Directive) -> Directive:
    """Store an instruction."""
    title = validation.name(draft.title, what="name", chars_max=TITLE_CHARS_MAX)
    text, tags, name = (
        validation.body(draft.text, what="content"),
        validation.tags(draft.tags),
        validation.name(bank, what="bank"),
    )
    validation.count(abs(draft.priority), what="priority", most=COUNT_MAX)
    with parts.db.transaction():
        now = parts.clock.now()
        bank_id, number = banks.ensure(parts.db, name, now).id, banks.new_ids(parts.db, now)[0]
        body = {"title": title, "text": text, "priority": draft.priority, "active": draft.active}
        bank_items.put(
            parts.db, Standing(number, bank_id, KIND, ids.short(number), tags, body, now, now)
        )
    return replace(draft, title=title, tags=tags, id=number, created_at=now, updated_at=now)


def list_directives(
    parts: Parts, bank: str, tags: Sequence[str] = (), *, active_only: bool = True
) -> tuple[Directive, ...]:
    """The instructions of a bank, the weightiest first. Those without tags hold for every tag."""
    found = banks.find(parts.db, validation.name(bank, what="bank"))
    every = (
        [_directive(one) for one in bank_items.listed(parts.db, found.id, KIND, LIST_MAX)]
        if found
        else []
    )
    kept = [one for one in every if one.active or not active_only]
    meant = [one for one in kept if not tags or not one.tags or set(tags) & set(one.tags)]
    return tuple(sorted(meant, key=lambda one: -one.priority))


def delete_directive(parts: Parts, bank: str, number: int) -> None:
    """Remove an instruction for good."""
    with for_good(parts):
        place = banks.find(parts.db, validation.name(bank, what="bank"))
        found = (
            bank_items.find(parts.db, place.id, KIND, ids.short(number))
            if place and number
            else None
        )
        if found is None:
            raise NotFound(f"There is no directive {number}.", hint="List the directives.")
        bank_items.delete(parts.db, found.id)


def in_force(
    parts: Parts, bank: str, tags: Sequence[str] = (), *, every: bool = False
) -> tuple[Directive, ...]:
    """The active instructions for an answer about some tags: those without tags, those with one of
    them, or all.
    """
    return tuple(
        one
        for one in list_directives(parts, bank)
        if every or not one.tags or set(tags) & set(one.tags)
    )


def guidance(
    parts: Parts, bank: str, tags: Sequence[str] = (), context: str = "", *, every: bool = False
) -> Guidance:
    """Who answers from a bank: its mission, its disposition, and the instructions in force."""
    found = banks.find(parts.db, validation.name(bank, what="bank"))
    if found is None:
        return Guidance(context=context)
    mission = found.config.get("reflect_mission", found.mission)
    traits = {name: int(str(found.config.get(f"disposition_{name}", 3))) for name in DISPOSITION}
    told = tuple(one.text for one in in_force(parts, bank, tags, every=every))
    return Guidance(str(mission), traits, told, context)


def _directive(one: Standing) -> Directive:
    title, text = str(one.body["title"]), str(one.body["text"])
    priority, active = int(str(one.body["priority"])), bool(one.body["active"])
    return Directive(
        title, text, priority, active, one.tags, one.id, one.created_at, one.updated_at
    )
