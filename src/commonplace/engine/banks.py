"""Banks isolate memories from each other. The first write to a bank creates it; reads never do."""

from dataclasses import replace

from commonplace import validation
from commonplace.engine.runtime import Runtime
from commonplace.errors import NotFound
from commonplace.limits import CONFIG_BYTES_MAX, LIST_MAX, TITLE_CHARS_MAX
from commonplace.records.memory import Bank, BankEdit, Unset
from commonplace.storage.rows import banks, stats
from commonplace.storage.rows.stats import Totals


def create_bank(runtime: Runtime, bank: str, edit: BankEdit = BankEdit()) -> Bank:
    """The bank of a name, created if missing, with the edit applied."""
    name = validation.name(bank, what="bank")
    with runtime.db.transaction():
        changed = _apply_edit(banks.ensure(runtime.db, name, runtime.clock.now()), edit)
        banks.update(runtime.db, changed)
    return changed


def update_bank(runtime: Runtime, bank: str, edit: BankEdit) -> Bank:
    """Change a bank's title, mission or configuration. Configuration fields given as None are
    removed.
    """
    with runtime.db.transaction():
        changed = _apply_edit(require_bank(runtime, bank), edit)
        banks.update(runtime.db, changed)
    return changed


def get_bank(runtime: Runtime, bank: str) -> Bank:
    """One bank."""
    return require_bank(runtime, bank)


def list_banks(runtime: Runtime) -> tuple[Bank, ...]:
    """Every bank, by name."""
    return tuple(banks.list_banks(runtime.db, LIST_MAX))


def totals(runtime: Runtime) -> Totals:
    """The number of memories and jobs in all banks, and the size of the store."""
    with runtime.db.snapshot():
        return stats.count_totals(runtime.db)


def require_bank(runtime: Runtime, bank: str) -> Bank:
    """The bank of a name. An unknown name is an error."""
    found = banks.find(runtime.db, validation.name(bank, what="bank"))
    if found is None:
        raise NotFound(
            f"There is no bank {bank!r}.",
            hint="Check the spelling; the first write to a bank creates it.",
        )
    return found


def _apply_edit(bank: Bank, edit: BankEdit) -> Bank:
    title = bank.title
    if not isinstance(edit.title, Unset):
        title = validation.line(edit.title, what="title", chars_max=TITLE_CHARS_MAX)
    mission = (
        bank.mission
        if isinstance(edit.mission, Unset)
        else validation.any_text(edit.mission, what="mission")
    )
    config = {**bank.config, **({} if isinstance(edit.config, Unset) else edit.config)}
    kept = {name: value for name, value in config.items() if value is not None}
    validation.metadata(kept, what="configuration", bytes_max=CONFIG_BYTES_MAX)
    return replace(bank, title=title, mission=mission, config=kept)
