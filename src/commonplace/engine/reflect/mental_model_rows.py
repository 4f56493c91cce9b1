"""Stores mental models: the record, its row, its sources, and when it is refreshed next."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC
from typing import Any, cast

from commonplace import validation
from commonplace.engine.erasure.ledger import Ledger
from commonplace.engine.runtime import Runtime
from commonplace.engine.sessions import schedules
from commonplace.errors import NotFound
from commonplace.records.memory import Bank, Metadata
from commonplace.records.receipt import Kind
from commonplace.records.work import BankItem
from commonplace.storage.rows import bank_items as rows
from commonplace.storage.rows import banks, derivations

KIND = "mental_model"
TOKENS_DEFAULT = 2048
TOKENS_MIN, TOKENS_MAX = 256, 8192
PAGE_TOKENS_DEFAULT = 4096
# The default trigger of a knowledge page: it is refreshed after its memories change.
PAGE_TRIGGER: Mapping[str, object] = {
    "mode": "delta",
    "refresh_after_consolidation": True,
    "exclude_mental_models": True,
}
CRON_FIELDS = ("refresh_cron", "full_refresh_cron")
# The field of an item's body that has its text: a model's answer, a directive's text or a folder's
# title.
_TEXT_FIELDS = ("content", "text", "title")
_COLUMNS = ("name", "tags", "created_at", "id")


@dataclass(frozen=True, slots=True)
class MentalModel:
    """A stored question with its answer. `trigger` defines when and from what it is refreshed."""

    name: str
    title: str
    query: str
    tags: tuple[str, ...] = ()
    tokens_max: int = TOKENS_DEFAULT
    trigger: Metadata = field(default_factory=dict[str, object])
    content: str = ""
    sources: tuple[int, ...] = ()
    history: tuple[Mapping[str, object], ...] = ()
    # The answer in the form of the trigger's schema, or the reason why it could not be made.
    structured: Mapping[str, object] | None = None
    structured_error: str | None = None
    refreshed_at: int | None = None
    failed_at: int | None = None
    # The latest change that the answer includes: its time, and the id of that version or 0.
    changed_at: int | None = None
    seen_id: int = 0
    created_at: int = 0
    id: int = 0
    # A knowledge page's folder, "" at the top. None if the model is not a page.
    folder: str | None = None

    @property
    def all_sources(self) -> tuple[int, ...]:
        """The memories that the answer, or an earlier one, was made from."""
        earlier = (
            number for entry in self.history for number in cast(list[int], entry.get("sources", []))
        )
        return tuple(dict.fromkeys((*self.sources, *earlier)))


def find_row(runtime: Runtime, bank: str, name: str) -> BankItem:
    """The row of a model. Raises NotFound."""
    bank_record = banks.find(runtime.db, validation.name(bank, what="bank"))
    found = rows.find(runtime.db, bank_record.id, KIND, name.strip()) if bank_record else None
    if found is None:
        raise NotFound(
            f"Mental model '{name}' not found in bank '{bank}'", hint="List the mental models."
        )
    return found


def put_model(runtime: Runtime, bank_id: int, model: MentalModel) -> None:
    """Store a model and its sources."""
    names = [one.name for one in fields(MentalModel) if one.name not in _COLUMNS]
    body = {name: getattr(model, name) for name in names}
    row = BankItem(
        model.id, bank_id, KIND, model.name, model.tags, body, model.created_at, runtime.clock.now()
    )
    rows.put(runtime.db, row)
    derivations.put(runtime.db, bank_id, model.id, model.all_sources)


def schedule_refresh(runtime: Runtime, bank_id: int, model: MentalModel) -> None:
    """Record when a model is refreshed next: by its schedules, after consolidation, or never."""
    now = runtime.clock.now()
    moments = [
        schedules.next_time(str(model.trigger[one]), UTC, now)
        for one in CRON_FIELDS
        if model.trigger.get(one)
    ]
    row = BankItem(model.id, bank_id, KIND, model.name, (), {}, 0, 0)
    follows = bool(model.trigger.get("refresh_after_consolidation"))
    rows.schedule_refresh(
        runtime.db,
        row,
        min((one for one in moments if one is not None), default=None),
        follows=follows,
    )


def from_row(row: BankItem) -> MentalModel:
    """The model in a row."""
    field_names = {one.name for one in fields(MentalModel)}
    body = {
        name: value for name, value in cast(dict[str, Any], row.body).items() if name in field_names
    }
    for name in ("sources", "history"):
        body[name] = tuple(body[name])
    return MentalModel(name=row.name, tags=row.tags, created_at=row.created_at, id=row.id, **body)


def without_answer(model: MentalModel) -> MentalModel:
    """A model without its answer and its history."""
    kept_fields = ("title", "query", "tags", "tokens_max", "trigger", "folder", "created_at")
    return MentalModel(
        name=model.name, id=model.id, **{name: getattr(model, name) for name in kept_fields}
    )


def invalidate(runtime: Runtime, holders: Iterable[int]) -> None:
    """Make those of some derived items that are models stale, because their sources changed."""
    for row in _model_rows(runtime, holders):
        put_model(runtime, row.bank_id, replace(from_row(row), seen_id=0))


def clear_answers(runtime: Runtime, erased_ids: Sequence[int]) -> list[MentalModel]:
    """Clear the models whose answers, now or in their history, rest on memories to be erased.

    Their next refresh is due at once. Returns the models as they were.
    """
    cleared: list[MentalModel] = []
    for row in _model_rows(runtime, derivations.derived_ids(runtime.db, erased_ids)):
        cleared.append(from_row(row))
        derivations.drop(runtime.db, [row.id])
        put_model(runtime, row.bank_id, without_answer(cleared[-1]))
        rows.hasten_refresh(runtime.db, row, runtime.clock.now())
    return cleared


def record_in_ledger(runtime: Runtime, bank_record: Bank, ledger: Ledger) -> None:
    """Record every item of a bank in the ledger before the bank is erased."""
    for row in rows.items_of_bank(runtime.db, bank_record.id):
        text = next((row.body[name] for name in _TEXT_FIELDS if row.body.get(name)), row.name)
        ledger.record_erased(cast(Kind, row.kind), row.id, str(text))


def _model_rows(runtime: Runtime, holders: Iterable[int]) -> list[BankItem]:
    candidates = (rows.by_id(runtime.db, number) for number in holders)
    return [row for row in candidates if row is not None and row.kind == KIND]
