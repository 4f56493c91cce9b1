"""Imports a source into a bank, in batches that are stored atomically, with a report."""

from collections import Counter
from dataclasses import dataclass, field, replace

from commonplace.engine.engine import Engine
from commonplace.engine.operations.external_import import ExternalReminder, ImportOutcome
from commonplace.engine.reflect.directives import Directive
from commonplace.engine.reflect.mental_model_rows import MentalModel
from commonplace.errors import CommonplaceError, Invalid, NotFound
from commonplace.importers import detection
from commonplace.importers.base import ImportContext, ImportItem, Skipped, SourceItem
from commonplace.importers.detection import Source
from commonplace.records.memory import Draft, Origin, Scope
from commonplace.records.work import DocumentDraft

_BATCH = 200
_SAMPLES_MAX = 5
_BROKEN_MAX = 1_000
_IN_STORE = "already in the store as a memory"
_DUPLICATE = "a duplicate in the source"


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """The target bank, a default project, and the user names that mean the owner."""

    bank: str
    project: str = ""
    owners: tuple[str, ...] = ()
    dry_run: bool = False


@dataclass(slots=True)
class ImportReport:
    """The result of an import."""

    source: str
    bank: str
    dry_run: bool
    added: int = 0
    revised: int = 0
    moved: int = 0
    unchanged: int = 0
    documents: int = 0
    # Directives and mental models.
    bank_items: int = 0
    reminders: int = 0
    # Reasons why items were skipped, with counts.
    skipped: Counter[str] = field(default_factory=Counter[str])
    # The first items that could not be read or stored.
    broken: list[Skipped] = field(default_factory=list[Skipped])
    broken_count: int = 0
    # The first items that were, or would be, imported.
    samples: list[ImportItem] = field(default_factory=list[ImportItem])
    # Other users than the owner, with counts.
    users: Counter[str] = field(default_factory=Counter[str])

    @property
    def imported_count(self) -> int:
        """How many items of the source are, or would be, in the bank."""
        kept = self.documents + self.bank_items + self.reminders
        return self.added + self.revised + self.moved + self.unchanged + kept


def import_source(
    engine: Engine, source: Source, context: ImportContext, options: ImportOptions, origin: Origin
) -> ImportReport:
    """Import all items of a source. A second import changes only what changed in the source."""
    run = _ImportRun(engine, source, options, origin)
    try:
        for one in source.read(context):
            run.handle(one)
    except Invalid as error:
        raise detection.wrong_format(context.path, source, error) from error
    finally:
        # Items read before a failure are stored, as if the file ended there.
        run.flush()
    report = run.report
    # If all items are broken, the report lists them, so nothing is raised.
    if (
        not report.imported_count
        and not report.skipped
        and not (report.broken and detection.guess_source(context.path) == source.name)
    ):
        raise detection.wrong_format(context.path, source)
    return report


class _ImportRun:
    def __init__(
        self, engine: Engine, source: Source, options: ImportOptions, origin: Origin
    ) -> None:
        self.engine, self.source, self.options, self.origin = engine, source, options, origin
        self.report = ImportReport(source.name, options.bank, options.dry_run)
        self.waiting: list[ImportItem] = []
        # Hashes of keys, to save memory: there may be millions.
        self.seen: set[int] = set()

    def handle(self, one: SourceItem) -> None:
        match one:
            case Skipped():
                self.record_skipped(one)
            case DocumentDraft():
                self.flush()
                self.put_document(one)
            case Directive() | MentalModel():
                self.add_bank_item(one)
            case ExternalReminder():
                self.add_reminder(one)
            case ImportItem():
                self.queue(one)

    def record_skipped(self, one: Skipped) -> None:
        if not one.is_broken:
            self.report.skipped[one.reason] += 1
            return
        self.report.broken_count += 1
        if len(self.report.broken) < _BROKEN_MAX:
            self.report.broken.append(one)

    def put_document(self, draft: DocumentDraft) -> None:
        bank = self.options.bank
        try:
            before = self.engine.find_document(bank, draft.name)
            if not self.options.dry_run:
                self.engine.put_document(bank, draft)
        except CommonplaceError as error:
            self.record_skipped(Skipped(f"document {draft.name}", error.message, is_broken=True))
            return
        if before and before.text == draft.text:
            self.report.unchanged += 1
        else:
            self.report.documents += 1

    def add_bank_item(self, one: Directive | MentalModel) -> None:
        bank = self.options.bank
        try:
            if self._has_bank_item(one):
                self.report.unchanged += 1
                return
            if not self.options.dry_run and isinstance(one, Directive):
                self.engine.add_directive(bank, one)
            elif not self.options.dry_run and isinstance(one, MentalModel):
                self.engine.add_mental_model(bank, one)
        except CommonplaceError as error:
            self.record_skipped(
                Skipped(one.title or "a directive or mental model", error.message, is_broken=True)
            )
            return
        self.report.bank_items += 1

    def add_reminder(self, one: ExternalReminder) -> None:
        placed = replace(
            one, draft=replace(one.draft, project=one.draft.project or self.options.project)
        )
        taken = self.engine.import_reminder(
            self.options.bank, self.source.name, placed, dry_run=self.options.dry_run
        )
        match taken.change:
            case "refused" | "left":
                location = f"reminder {one.key}"
                self.record_skipped(
                    Skipped(location, taken.why, is_broken=taken.change == "refused")
                )
            case "unchanged":
                self.report.unchanged += 1
            case _:
                self.report.reminders += 1

    def _has_bank_item(self, one: Directive | MentalModel) -> bool:
        """Whether the bank has an equal directive, or a mental model of the same name."""
        try:
            if isinstance(one, MentalModel):
                return any(
                    known.name == one.name
                    for known in self.engine.list_mental_models(self.options.bank)
                )
            known = self.engine.list_directives(self.options.bank, active_only=False)
        except NotFound:  # The bank does not exist yet.
            return False
        return any((given.title, given.text) == (one.title, one.text) for given in known)

    def queue(self, item: ImportItem) -> None:
        key = hash(item.external.key)
        if key in self.seen:
            self.record_skipped(Skipped(item.location, _DUPLICATE))
            return
        self.seen.add(key)
        if item.vault_id is not None and self._is_stored(item.vault_id):
            self.record_skipped(Skipped(item.location, _IN_STORE))
            return
        self.waiting.append(
            replace(item, external=replace(item.external, draft=self._with_scope(item)))
        )
        if len(self.waiting) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        if not self.waiting:
            return
        items, self.waiting = self.waiting, []
        foreign = [item.external for item in items]
        taken = self.engine.import_external(
            self.options.bank, self.source.name, foreign, self.origin, dry_run=self.options.dry_run
        )
        for item, outcome in zip(items, taken, strict=True):
            self._count(item, outcome)

    def _count(self, item: ImportItem, taken: ImportOutcome) -> None:
        match taken.change:
            case "refused":
                self.record_skipped(Skipped(item.location, taken.why, is_broken=True))
                return
            case "left":
                self.record_skipped(Skipped(item.location, taken.why))
                return
            case "added":
                self.report.added += 1
            case "revised":
                self.report.revised += 1
            case "moved":
                self.report.moved += 1
            case "unchanged":
                self.report.unchanged += 1
                return
        if len(self.report.samples) < _SAMPLES_MAX:
            self.report.samples.append(item)
        if user := item.external.draft.scope.user:
            self.report.users[user] += 1

    def _with_scope(self, item: ImportItem) -> Draft:
        draft = item.external.draft
        scope = draft.scope
        user = (
            ""
            if scope.user in (*self.options.owners, *self.source.owners, self.engine.owner)
            else scope.user
        )
        return replace(
            draft, scope=Scope(scope.project or self.options.project, user, scope.agent, scope.run)
        )

    def _is_stored(self, number: int) -> bool:
        try:
            self.engine.get(self.options.bank, number)
        except NotFound:
            return False
        return True
