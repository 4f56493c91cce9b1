"""The list of memories: filters in the address, search, and changes to many at once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, unquote

from commonplace import clock, ids
from commonplace.dialects import registry
from commonplace.engine.versions.move import Destination
from commonplace.errors import Invalid
from commonplace.faces.web.json_twins import memory_json
from commonplace.faces.web.visit import Answer, Page, Redirect, Visit, address, whole_number
from commonplace.records.memory import Draft, Memory, Outcome, Scope
from commonplace.records.query import Filter, Query, Status, TagMatch

_PAGE_SIZE = 50
_PAGE_MAX = 200
_STATES: dict[str, Status] = {"": "live", "forgotten": "forgotten", "any": "any"}
# Besides the dialects, what writes memories.
WRITERS = (*registry.NAMES, "web", "cli", "import", "file")
# The filters that an address can have, with the words of the form.
FIELDS = ("project", "user", "agent", "kind", "tag", "dialect", "since", "until", "state")
_DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class Chosen:
    """One filter in force, and the address of the list without it."""

    name: str
    value: str
    without: str


def list_page(visit: Visit) -> Answer:
    """The list, or what a search in it finds."""
    question = visit.get("q")
    chosen = _filter(visit)
    if question:
        hits = visit.engine.recall(visit.bank, Query(question, chosen, limit=_PAGE_SIZE)).hits
        found, more, count = [hit.memory for hit in hits], "", len(hits)
    else:
        found, more = _page(visit, chosen)
        count = visit.engine.count(visit.bank, replace(chosen, older_than=None))
    data = {
        "memories": found,
        "count": count,
        "more": more,
        "question": question,
        "banks": [one.name for one in visit.engine.list_banks()],
        "facets": visit.engine.list_facets(visit.bank),
        "writers": WRITERS,
        "chosen": _chosen(visit),
        "values": {name: visit.get(name) for name in FIELDS},
        "done": _done(visit),
        "twin": _twin_address(visit),
        "is_empty": not found and not question and not any(visit.get(one) for one in FIELDS),
    }
    twin = {
        "bank": visit.bank,
        "count": count,
        "memories": [memory_json(one) for one in found],
        "next": more.replace("/memories?", "/memories.json?", 1),
    }
    return Page("memories.html", data, twin)


def change(visit: Visit) -> Answer:
    """Forget, restore, tag or move the chosen memories, or ask before they are erased."""
    chosen, action = visit.posted_list("id"), visit.posted("action")
    if not chosen:
        raise Invalid("No memory is chosen.", hint="Choose at least one, then repeat the change.")
    engine, bank, origin = visit.engine, visit.bank, visit.origin
    match action:
        case "forget":
            outcomes = engine.forget(bank, chosen, origin)
        case "restore":
            outcomes = engine.restore(bank, chosen, origin)
        case "tag" | "untag":
            tags = _tags(visit.posted("tags"))
            if not tags:
                raise Invalid("No tag is given.", hint="Type one or more tags, with commas.")
            added, removed = (tags, ()) if action == "tag" else ((), tags)
            outcomes = engine.tag(bank, chosen, origin, add=added, remove=removed)
        case "move":
            return _move(visit, chosen)
        case "purge":
            found = [engine.get(bank, one) for one in chosen]
            return Page("purge.html", {"memories": found, "back": visit.posted("back")})
        case _:
            raise Invalid("The form has no such action.", hint="Use the buttons of the page.")
    return _back(visit, action, [(bank, one) for one in outcomes])


def purge(visit: Visit) -> Answer:
    """Erase memories for good, after the page that asked."""
    chosen = visit.posted_list("id")
    gone = visit.engine.purge(visit.bank, chosen, visit.origin)
    base = _return_page(visit.posted("back"), visit)
    return Redirect(_with_values(base, did="purge", n=len(gone)))


def add(visit: Visit) -> Answer:
    """Store a memory that a person typed."""
    draft = Draft(
        text=visit.posted("text"),
        kind=visit.posted("kind").strip() or "note",
        tags=_tags(visit.posted("tags")),
        scope=Scope(project=visit.posted("project").strip()),
    )
    outcome = visit.engine.remember(visit.bank, draft, visit.origin)
    return _back(visit, "add", [(visit.bank, outcome)])


def undo(visit: Visit) -> Answer:
    """Take back the steps that a page offered to undo, in every bank they touched."""
    by_bank: dict[str, list[tuple[int, int]]] = {}
    for bank, memory_id, number in _read_steps(visit):
        by_bank.setdefault(bank, []).append((memory_id, number))
    count = left = 0
    for bank, steps in by_bank.items():
        outcomes = visit.engine.undo(bank, steps, visit.origin)
        count += sum(one.change != "unchanged" for one in outcomes)
        left += sum(one.change == "unchanged" for one in outcomes)
    base = _return_page(visit.posted("back"), visit)
    return Redirect(_with_values(base, did="undo", n=count, left=left or ""))


def undo_steps(outcomes: Sequence[tuple[str, Outcome]]) -> str:
    """The steps that take changes back: bank, memory and version, in a form for addresses."""
    changed = [(bank, one.memory) for bank, one in outcomes if one.change != "unchanged"]
    # A bank may have any name, a space in it too.
    return " ".join(
        f"{ids.short_form(one.id)}.{one.version}.{quote(bank, safe='')}" for bank, one in changed
    )


def _move(visit: Visit, chosen: Sequence[str]) -> Answer:
    project = visit.posted("to_project").strip()
    target = visit.posted("to_bank").strip() or visit.bank
    destination = Destination(target, project or None)
    moved = visit.engine.move(visit.bank, chosen, destination, visit.origin)
    both = [
        *((visit.bank, one) for one in moved.originals),
        *((target, one) for one in moved.copies),
    ]
    steps = undo_steps(both)
    base = _return_page(visit.posted("back"), visit)
    return Redirect(_with_values(base, did="move", n=len(moved.copies), undo=steps))


def _back(visit: Visit, did: str, outcomes: Sequence[tuple[str, Outcome]]) -> Redirect:
    count = sum(one.change != "unchanged" for _, one in outcomes)
    base = _return_page(visit.posted("back"), visit)
    return Redirect(_with_values(base, did=did, n=count, undo=undo_steps(outcomes)))


def _filter(visit: Visit) -> Filter:
    state = visit.get("state")
    if state not in _STATES:
        raise Invalid(f"There is no state {state!r}.", hint="Use forgotten, any, or none of them.")
    tags = visit.list("tag")
    return Filter(
        projects=visit.list("project") or None,
        users=visit.list("user") or None,
        agents=visit.list("agent") or None,
        kinds=visit.list("kind") or None,
        dialects=visit.list("dialect") or None,
        created_from=_day(visit.get("since")),
        created_before=_day(visit.get("until"), after_ms=_DAY_MS),
        older_than=_cursor(visit.get("after")),
        where=TagMatch(tags, "all_strict") if tags else None,
        status=_STATES[state],
        expired=state == "any",
    )


def _page(visit: Visit, chosen: Filter) -> tuple[list[Memory], str]:
    """A page of the list, and the address of the next one."""
    size = min(max(visit.number("limit", _PAGE_SIZE), 1), _PAGE_MAX)
    found = list(visit.engine.list(visit.bank, chosen, limit=size + 1))
    if len(found) <= size:
        return found, ""
    last = found[size - 1]
    cursor = f"{last.created_at}-{last.id}"
    return found[:size], _list_address(visit, after=cursor)


def _cursor(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    moment, _, number = text.partition("-")
    try:
        return whole_number(moment, "cursor", 0), int(number)
    except (ValueError, Invalid) as error:
        raise Invalid(
            "The address of this page is not complete.", hint="Start again at the first page."
        ) from error


def _day(text: str, *, after_ms: int = 0) -> int | None:
    return clock.parse_moment(text) + after_ms if text else None


def _tags(text: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in text.split(",") if one.strip())


def _chosen(visit: Visit) -> list[Chosen]:
    return [
        Chosen(name, value, _list_address(visit, without=(name, value)))
        for name in FIELDS
        for value in visit.list(name)
    ]


def _list_address(visit: Visit, *, after: str = "", without: tuple[str, str] = ("", "")) -> str:
    values = {name: [one for one in visit.list(name) if (name, one) != without] for name in FIELDS}
    given = {name: some for name, some in values.items() if some}
    limit = visit.get("limit")
    return visit.address("/memories", q=visit.get("q"), **given, limit=limit, after=after)


def _twin_address(visit: Visit) -> str:
    whole = _list_address(visit, after=visit.get("after"))
    return whole.replace("/memories", "/memories.json", 1)


def _read_steps(visit: Visit) -> list[tuple[str, int, int]]:
    steps: list[tuple[str, int, int]] = []
    for text in visit.posted("steps").split():
        memory_id, _, rest = text.partition(".")
        number, _, bank = rest.partition(".")
        version = whole_number(number, "step", 0)
        steps.append((unquote(bank) or visit.bank, ids.parse(memory_id), version))
    if not steps:
        raise Invalid("There is nothing to undo.", hint="Open the memory to see its versions.")
    return steps


def _done(visit: Visit) -> dict[str, object] | None:
    """What the last change did, as its redirect wrote it into the address."""
    did = visit.get("did")
    if did not in _DID:
        return None
    count = visit.number("n", 0)
    things = "1 memory" if count == 1 else f"{count:,} memories"
    left = visit.number("left", 0)
    text = _DID[did].format(things)
    if left:
        text += f" {left:,} got a newer version meanwhile and stayed as they are."
    return {"text": text, "steps": visit.get("undo"), "back": _list_address(visit)}


_DID = {
    "forget": "Forgot {}.",
    "restore": "Restored {}.",
    "tag": "Tagged {}.",
    "untag": "Removed the tag from {}.",
    "move": "Moved {}.",
    "purge": "Erased {} for good.",
    "add": "Stored {}.",
    "undo": "Undid the change of {}.",
}


def _return_page(back: str, visit: Visit) -> str:
    """The page to return to: a list or a memory of this server."""
    starts = ("/memories", "/memory/", "/inbox", "/timeline")
    return back if back.startswith(starts) and back.isprintable() else visit.address("/memories")


def _with_values(base: str, **values: object) -> str:
    tail = address("", **values).removeprefix("?")
    return f"{base}{'&' if '?' in base else '?'}{tail}"
