"""Mental models as they are kept: the record, its row, what it rests on, and when it is made again
by itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC
from typing import Any, cast

from commonplace import validation
from commonplace.engine.erasure_ledger import Ledger
from commonplace.engine.runtime import Parts
from commonplace.engine.sessions import schedules
from commonplace.errors import NotFound
from commonplace.records.memory import Bank, Metadata
from commonplace.records.receipt import Kind
from commonplace.records.work import Standing
from commonplace.storage import bank_items as rows
from commonplace.storage import banks, derivations

KIND = "mental_model"
TOKENS_USUAL = 2048
CRONS = ("refresh_cron", "full_refresh_cron")
# Where the body of what stands in a bank has its words: the answer of a model, a directive, the
# name of a folder.
_SAID = ("content", "text", "title")
_APART = ("name", "tags", "created_at", "id")


@dataclass(frozen=True, slots=True)
class MentalModel:
    """A standing question with its answer. `trigger` says when the answer is made again and from
    what.
    """

    name: str
    title: str
    query: str
    tags: tuple[str, ...] = ()
    tokens_max: int = TOKENS_USUAL
    trigger: Metadata = field(default_factory=dict[str, object])
    content: str = ""
    sources: tuple[int, ...] = ()
    history: tuple[Mapping[str, object], ...] = ()
    # What the trigger's schema made of the answer, and why it made nothing.
    structured: Mapping[str, object] | None = None
    structured_error: str | None = None
    refreshed_at: int | None = None
    failed_at: int | None = None
    # The change of a memory that the answer saw last: its moment and the id of that version. 0
    # means that it saw none.
    changed_at: int | None = None
    seen_id: int = 0
    created_at: int = 0
    id: int = 0
    # Of a knowledge page the folder that it is in, "" at the top; None where a model is no page.
    folder: str | None = None

    @property
    def rests_on(self) -> tuple[int, ...]:
        """The memories that the answer, or one before it, was made of."""
        earlier = (
            number for entry in self.history for number in cast(list[int], entry.get("sources", []))
        )
        return tuple(dict.fromkeys((*self.sources, *earlier)))


def find(parts: Parts, bank: str, name: str) -> Standing:
    """The row of a model, which must exist."""
    place = banks.find(parts.db, validation.name(bank, what="bank"))
    found = rows.find(parts.db, place.id, KIND, name.strip()) if place else None
    if found is None:
        raise NotFound(f"Mental model '{name}' not found in bank '{bank}'")
    return found


def put(parts: Parts, bank_id: int, model: MentalModel) -> None:
    """Store a model, and what it rests on."""
    names = [one.name for one in fields(MentalModel) if one.name not in _APART]
    body = {name: getattr(model, name) for name in names}
    row = Standing(
        model.id, bank_id, KIND, model.name, model.tags, body, model.created_at, parts.clock.now()
    )
    rows.put(parts.db, row)
    derivations.put(parts.db, bank_id, model.id, model.rests_on)


def plan(parts: Parts, bank_id: int, model: MentalModel) -> None:
    """Note when a model is made again by itself: at the next moment of its schedules, after
    consolidation, or never.
    """
    now = parts.clock.now()
    moments = [
        schedules.next_time(str(model.trigger[one]), UTC, now)
        for one in CRONS
        if model.trigger.get(one)
    ]
    row = Standing(model.id, bank_id, KIND, model.name, (), {}, 0, 0)
    follows = bool(model.trigger.get("refresh_after_consolidation"))
    rows.put_turn(
        parts.db,
        row,
        min((one for one in moments if one is not None), default=None),
        follows=follows,
    )


def read(row: Standing) -> MentalModel:
    """A row as the model it is."""
    known = {one.name for one in fields(MentalModel)}
    body = {name: value for name, value in cast(dict[str, Any], row.body).items() if name in known}
    for name in ("sources", "history"):
        body[name] = tuple(body[name])
    return MentalModel(name=row.name, tags=row.tags, created_at=row.created_at, id=row.id, **body)


def emptied(model: MentalModel) -> MentalModel:
    """A model without its answer and without the answers before."""
    given = ("title", "query", "tags", "tokens_max", "trigger", "folder", "created_at")
    return MentalModel(
        name=model.name, id=model.id, **{name: getattr(model, name) for name in given}
    )


def distrust(parts: Parts, holders: Iterable[int]) -> None:
    """Mark those of some holders that are models as out of date: what they rest on has changed."""
    for row in _models(parts, holders):
        put(parts, row.bank_id, replace(read(row), seen_id=0))


def release(parts: Parts, gone: Sequence[int]) -> list[MentalModel]:
    """Take the answers away that rest on memories that are going for good, now or in their history,
    to be made anew.

    The models as they were.
    """
    released: list[MentalModel] = []
    for row in _models(parts, derivations.holders(parts.db, gone)):
        released.append(read(row))
        derivations.drop(parts.db, [row.id])
        put(parts, row.bank_id, emptied(released[-1]))
        rows.hasten_turn(parts.db, row, parts.clock.now())
    return released


def note(parts: Parts, place: Bank, ledger: Ledger) -> None:
    """Write down all that stands in a bank, before it goes with the bank."""
    for row in rows.of_bank(parts.db, place.id):
        said = next((row.body[name] for name in _SAID if row.body.get(name)), row.name)
        ledger.gone(cast(Kind, row.kind), row.id, str(said))


def _models(parts: Parts, holders: Iterable[int]) -> list[Standing]:
    found = (rows.by_id(parts.db, number) for number in holders)
    return [row for row in found if row is not None and row.kind == KIND]
