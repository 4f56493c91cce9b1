"""Inbox: what a person should decide: contradictions, near twins, and reminders that are due."""

from dataclasses import dataclass

from commonplace import ids
from commonplace.errors import Invalid
from commonplace.faces.web.views.memories import undo_steps
from commonplace.faces.web.visit import Answer, Page, Redirect, Visit
from commonplace.records.memory import Link, Memory
from commonplace.records.query import Filter
from commonplace.records.work import DueReminder

_SHOWN_MAX = 50
# In a larger bank, near twins are searched for only when a person asks for it.
_TWINS_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two memories that cannot both hold, the newer one first."""

    newer: Memory
    older: Memory
    link: Link


@dataclass(frozen=True, slots=True)
class Twins:
    """A memory, and those that say the same."""

    kept: Memory
    others: list[Memory]


def inbox_page(visit: Visit) -> Answer:
    """Everything that waits for a decision."""
    contradictions = _contradictions(visit)
    searched = bool(visit.get("twins")) or visit.engine.count(visit.bank) <= _TWINS_AT_ONCE
    twins = _twins(visit) if searched else []
    due = visit.engine.run_due(visit.bank, dry_run=True)
    data = {
        "contradictions": contradictions,
        "twins": twins,
        "searched": searched,
        "due": due,
        "count": len(contradictions) + len(twins) + len(due),
        "done": _done(visit),
    }
    twin = {
        "contradictions": [
            [ids.short_form(one.newer.id), ids.short_form(one.older.id)] for one in contradictions
        ],
        "twins": [
            [ids.short_form(one.id) for one in (group.kept, *group.others)] for group in twins
        ],
        "due": [_due_json(one) for one in due],
    }
    return Page("inbox.html", data, twin)


def settle(visit: Visit) -> Answer:
    """Carry out one decision."""
    engine, bank, action = visit.engine, visit.bank, visit.posted("action")
    chosen = visit.posted_list("id")
    match action:
        case "forget":
            outcomes = engine.forget(bank, chosen, visit.origin)
            steps = undo_steps([(bank, one) for one in outcomes])
        case "merge":
            wanted = Filter(ids=tuple(ids.parse(one) for one in chosen))
            done = engine.consolidate(bank, wanted, visit.origin)
            steps = " ".join(
                f"{ids.short_form(one)}.{engine.get(bank, one).version}" for one in done.loser_ids
            )
        case "seen":
            engine.run_due(bank)
            steps = ""
        case _:
            raise Invalid("The form has no such action.", hint="Use the buttons of the page.")
    return Redirect(visit.address("/inbox", did=action, undo=steps))


def _contradictions(visit: Visit) -> list[Contradiction]:
    links = visit.engine.list_contradictions(visit.bank, limit=_SHOWN_MAX)
    wanted = {one.from_id for one in links} | {one.to_id for one in links}
    known = {
        one.id: one
        for one in visit.engine.list(visit.bank, Filter(ids=tuple(wanted)), limit=2 * _SHOWN_MAX)
    }
    return [
        Contradiction(known[one.from_id], known[one.to_id], one)
        for one in links
        if one.from_id in known and one.to_id in known
    ]


def _twins(visit: Visit) -> list[Twins]:
    engine, bank = visit.engine, visit.bank
    return [
        Twins(engine.get(bank, one.winner_id), [engine.get(bank, it) for it in one.loser_ids])
        for one in engine.find_duplicates(bank)[:_SHOWN_MAX]
    ]


def _due_json(one: DueReminder) -> dict[str, object]:
    return {"id": ids.short_form(one.reminder.id), "message": one.reminder.message}


def _done(visit: Visit) -> dict[str, object] | None:
    texts = {
        "forget": "Forgot the other memory.",
        "merge": "Merged.",
        "seen": "The reminders come back at their next time.",
        "undo": "Undid the change.",
    }
    text = texts.get(visit.get("did"))
    back = visit.address("/inbox")
    return {"text": text, "steps": visit.get("undo"), "back": back} if text else None
