"""Banks: the walls between memories. Reading never makes one; the first write does."""

from dataclasses import replace

from commonplace import validation
from commonplace.engine.runtime import Parts
from commonplace.errors import NotFound
from commonplace.limits import CONFIG_BYTES_MAX, LIST_MAX, TITLE_CHARS_MAX
from commonplace.records.memory import Bank, BankEdit, Unset
from commonplace.storage import banks


def create_bank(parts: Parts, bank: str, edit: BankEdit = BankEdit()) -> Bank:
    """The bank of a name, made if it was not there, with what the edit says of it."""
    name = validation.name(bank, what="bank")
    with parts.db.transaction():
        changed = _edited(banks.ensure(parts.db, name, parts.clock.now()), edit)
        banks.update(parts.db, changed)
    return changed


def update_bank(parts: Parts, bank: str, edit: BankEdit) -> Bank:
    """Change a bank's title, mission or configuration; configuration fields given as None are taken
    away.
    """
    with parts.db.transaction():
        changed = _edited(known(parts, bank), edit)
        banks.update(parts.db, changed)
    return changed


def get_bank(parts: Parts, bank: str) -> Bank:
    """One bank."""
    return known(parts, bank)


def list_banks(parts: Parts) -> tuple[Bank, ...]:
    """Every bank, by name."""
    return tuple(banks.listed(parts.db, LIST_MAX))


def known(parts: Parts, bank: str) -> Bank:
    """The bank of a name, which must exist."""
    found = banks.find(parts.db, validation.name(bank, what="bank"))
    if found is None:
        raise NotFound(
            f"There is no bank {bank!r}.",
            hint="Check the spelling; the first write to a bank creates it.",
        )
    return found


def _edited(bank: Bank, edit: BankEdit) -> Bank:
    title = bank.title
    if not isinstance(edit.title, Unset):
        title = validation.line(edit.title, what="title", chars_max=TITLE_CHARS_MAX)
    mission = (
        bank.mission
        if isinstance(edit.mission, Unset)
        else validation.passage(edit.mission, what="mission")
    )
    config = {**bank.config, **({} if isinstance(edit.config, Unset) else edit.config)}
    kept = {name: value for name, value in config.items() if value is not None}
    validation.metadata(kept, what="configuration", bytes_max=CONFIG_BYTES_MAX)
    return replace(bank, title=title, mission=mission, config=kept)
