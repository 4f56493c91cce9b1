"""Directives: instructions of a bank that apply to every answer from it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from commonplace import ids, validation
from commonplace.engine.banks import require_bank
from commonplace.engine.erasure.erasure import erasing_transaction
from commonplace.engine.reflect.reflect import Guidance
from commonplace.engine.runtime import Runtime
from commonplace.errors import NotFound
from commonplace.limits import COUNT_MAX, LIST_MAX, TITLE_CHARS_MAX
from commonplace.records.work import BankItem
from commonplace.storage.rows import bank_items, banks

KIND = "directive"
DISPOSITION_TRAITS = ("skepticism", "literalism", "empathy")


@dataclass(frozen=True, slots=True)
class Directive:
    """One instruction with its priority. Several may have the same title."""

    title: str
    text: str
    priority: int = 0
    active: bool = True
    tags: tuple[str, ...] = ()
    id: int = 0
    created_at: int = 0
    updated_at: int = 0


def add_directive(runtime: Runtime, bank: str, draft: Directive) -> Directive:
    """Store an instruction."""
    title = validation.name(draft.title, what="name", chars_max=TITLE_CHARS_MAX)
    text, tags, name = (
        validation.nonempty_text(draft.text, what="content"),
        validation.tags(draft.tags),
        validation.name(bank, what="bank"),
    )
    validation.count(abs(draft.priority), what="priority", most=COUNT_MAX)
    with runtime.db.transaction():
        now = runtime.clock.now()
        bank_id, number = banks.ensure(runtime.db, name, now).id, banks.new_ids(runtime.db, now)[0]
        body = {"title": title, "text": text, "priority": draft.priority, "active": draft.active}
        bank_items.put(
            runtime.db,
            BankItem(number, bank_id, KIND, ids.short_form(number), tags, body, now, now),
        )
    return replace(draft, title=title, tags=tags, id=number, created_at=now, updated_at=now)


def update_directive(runtime: Runtime, bank: str, number: int, **changes: Any) -> Directive:
    """Change fields of an instruction."""
    with runtime.db.transaction():
        before = get_directive(runtime, bank, number)
        found = require_bank(runtime, bank)
        after = replace(before, **changes)
        title = validation.name(after.title, what="name", chars_max=TITLE_CHARS_MAX)
        text = validation.nonempty_text(after.text, what="content")
        tags = validation.tags(after.tags)
        validation.count(abs(after.priority), what="priority", most=COUNT_MAX)
        now = max(runtime.clock.now(), before.updated_at)
        body = {"title": title, "text": text, "priority": after.priority, "active": after.active}
        name, made = ids.short_form(before.id), before.created_at
        bank_items.put(runtime.db, BankItem(before.id, found.id, KIND, name, tags, body, made, now))
    return replace(after, title=title, tags=tags, updated_at=now)


def get_directive(runtime: Runtime, bank: str, number: int) -> Directive:
    """One instruction."""
    found = banks.find(runtime.db, validation.name(bank, what="bank"))
    row = bank_items.find(runtime.db, found.id, KIND, ids.short_form(number)) if found else None
    if row is None:
        raise NotFound(f"There is no directive {number}.", hint="List the directives.")
    return _from_row(row)


def list_directives(
    runtime: Runtime, bank: str, tags: Sequence[str] = (), *, active_only: bool = True
) -> tuple[Directive, ...]:
    """The instructions of a bank, by priority. Instructions without tags apply to every tag."""
    bank_record = banks.find(runtime.db, validation.name(bank, what="bank"))
    all_directives = (
        [
            _from_row(one)
            for one in bank_items.list_items(runtime.db, bank_record.id, KIND, LIST_MAX)
        ]
        if bank_record
        else []
    )
    selected = [one for one in all_directives if one.active or not active_only]
    matching = [one for one in selected if not tags or not one.tags or set(tags) & set(one.tags)]
    return tuple(sorted(matching, key=lambda one: -one.priority))


def delete_directive(runtime: Runtime, bank: str, number: int) -> None:
    """Remove an instruction for good."""
    with erasing_transaction(runtime):
        bank_record = banks.find(runtime.db, validation.name(bank, what="bank"))
        found = (
            bank_items.find(runtime.db, bank_record.id, KIND, ids.short_form(number))
            if bank_record and number
            else None
        )
        if found is None:
            raise NotFound(f"There is no directive {number}.", hint="List the directives.")
        bank_items.delete(runtime.db, found.id)


def directives_in_force(
    runtime: Runtime, bank: str, tags: Sequence[str] = (), *, every: bool = False
) -> tuple[Directive, ...]:
    """The active instructions for some tags, including those without tags; or all of them."""
    return tuple(
        one
        for one in list_directives(runtime, bank)
        if every or not one.tags or set(tags) & set(one.tags)
    )


def guidance(
    runtime: Runtime, bank: str, tags: Sequence[str] = (), context: str = "", *, every: bool = False
) -> Guidance:
    """How to answer from a bank: its mission, its disposition and its active instructions."""
    bank_record = banks.find(runtime.db, validation.name(bank, what="bank"))
    if bank_record is None:
        return Guidance(context=context)
    mission = bank_record.config.get("reflect_mission", bank_record.mission)
    traits = {
        name: int(str(bank_record.config.get(f"disposition_{name}", 3)))
        for name in DISPOSITION_TRAITS
    }
    instructions = tuple(one.text for one in directives_in_force(runtime, bank, tags, every=every))
    return Guidance(str(mission), traits, instructions, context)


def _from_row(one: BankItem) -> Directive:
    title, text = str(one.body["title"]), str(one.body["text"])
    priority, active = int(str(one.body["priority"])), bool(one.body["active"])
    return Directive(
        title, text, priority, active, one.tags, one.id, one.created_at, one.updated_at
    )
