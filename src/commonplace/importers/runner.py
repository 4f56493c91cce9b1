"""Bringing a source into a bank: read, taken in batches that are each stored whole, and told in a
report.
"""

from collections import Counter
from dataclasses import dataclass, field, replace

from commonplace.engine.engine import Engine
from commonplace.engine.operations.external_import import ForeignReminder, Taken
from commonplace.engine.reflect.directives import Directive
from commonplace.engine.reflect.mental_model_rows import MentalModel
from commonplace.errors import CommonplaceError, Invalid, NotFound
from commonplace.importers import detection
from commonplace.importers.base import Place, Read, Skipped, Thing
from commonplace.importers.detection import Source
from commonplace.records.memory import Draft, Origin, Scope
from commonplace.records.work import DocumentDraft

_BATCH = 200
_SHOWN_MAX = 5
_BROKEN_MAX = 1_000
_OWN = "already in the store as a memory"
_TWICE = "a duplicate in the source"


@dataclass(frozen=True, slots=True)
class Wishes:
    """Where to bring it: a bank, a project for what has none, and the names that mean the owner."""

    bank: str
    project: str = ""
    owners: tuple[str, ...] = ()
    dry_run: bool = False


@dataclass(slots=True)
class Report:
    """What became of a source."""

    source: str
    bank: str
    dry_run: bool
    added: int = 0
    revised: int = 0
    moved: int = 0
    unchanged: int = 0
    documents: int = 0
    # Directives and mental models.
    standings: int = 0
    reminders: int = 0
    # Why things were not taken, and how many of each.
    left: Counter[str] = field(default_factory=Counter[str])
    # What cannot be read or stored, each with its place; the first of them.
    broken: list[Skipped] = field(default_factory=list[Skipped])
    broken_count: int = 0
    # The first things that were, or would be, taken.
    shown: list[Thing] = field(default_factory=list[Thing])
    # Whose they are, where they are not the owner's.
    users: Counter[str] = field(default_factory=Counter[str])

    @property
    def taken(self) -> int:
        """How much of the source is here now, or would be."""
        kept = self.documents + self.standings + self.reminders
        return self.added + self.revised + self.moved + self.unchanged + kept


def bring(engine: Engine, source: Source, place: Place, wishes: Wishes, origin: Origin) -> Report:
    """Take over everything in a source that can be; a second time changes only what changed
    there.
    """
    run = _Bringing(engine, source, wishes, origin)
    try:
        for one in source.read(place):
            run.take(one)
    except Invalid as error:
        raise detection.mistaken(place.path, source, error) from error
    finally:
        # What was read before a failure is as good as if the file had ended there.
        run.flush()
    report = run.report
    # Where all of it is broken, the report says what is wrong with each part.
    if (
        not report.taken
        and not report.left
        and not (report.broken and detection.seen_as(place.path) == source.name)
    ):
        raise detection.mistaken(place.path, source)
    return report


class _Bringing:
    def __init__(self, engine: Engine, source: Source, wishes: Wishes, origin: Origin) -> None:
        self.engine, self.source, self.wishes, self.origin = engine, source, wishes, origin
        self.report = Report(source.name, wishes.bank, wishes.dry_run)
        self.waiting: list[Thing] = []
        # Hashes instead of the keys themselves, because there may be millions.
        self.seen: set[int] = set()

    def take(self, one: Read) -> None:
        match one:
            case Skipped():
                self.skip(one)
            case DocumentDraft():
                self.flush()
                self.put(one)
            case Directive() | MentalModel():
                self.set_up(one)
            case ForeignReminder():
                self.remind(one)
            case Thing():
                self.wait(one)

    def skip(self, one: Skipped) -> None:
        if not one.broken:
            self.report.left[one.why] += 1
            return
        self.report.broken_count += 1
        if len(self.report.broken) < _BROKEN_MAX:
            self.report.broken.append(one)

    def put(self, draft: DocumentDraft) -> None:
        bank = self.wishes.bank
        try:
            before = self.engine.find_document(bank, draft.name)
            if not self.wishes.dry_run:
                self.engine.put_document(bank, draft)
        except CommonplaceError as error:
            self.skip(Skipped(f"document {draft.name}", error.message, broken=True))
            return
        if before and before.text == draft.text:
            self.report.unchanged += 1
        else:
            self.report.documents += 1

    def set_up(self, one: Directive | MentalModel) -> None:
        bank = self.wishes.bank
        try:
            if self._stands(one):
                self.report.unchanged += 1
                return
            if not self.wishes.dry_run and isinstance(one, Directive):
                self.engine.add_directive(bank, one)
            elif not self.wishes.dry_run and isinstance(one, MentalModel):
                self.engine.add_mental_model(bank, one)
        except CommonplaceError as error:
            self.skip(
                Skipped(one.title or "a directive or mental model", error.message, broken=True)
            )
            return
        self.report.standings += 1

    def remind(self, one: ForeignReminder) -> None:
        placed = replace(
            one, draft=replace(one.draft, project=one.draft.project or self.wishes.project)
        )
        taken = self.engine.take_reminder(
            self.wishes.bank, self.source.name, placed, dry_run=self.wishes.dry_run
        )
        match taken.change:
            case "refused" | "left":
                where = f"reminder {one.key}"
                self.skip(Skipped(where, taken.why, broken=taken.change == "refused"))
            case "unchanged":
                self.report.unchanged += 1
            case _:
                self.report.reminders += 1

    def _stands(self, one: Directive | MentalModel) -> bool:
        """Whether it is here already, by its words or its name."""
        try:
            if isinstance(one, MentalModel):
                return any(
                    known.name == one.name
                    for known in self.engine.list_mental_models(self.wishes.bank)
                )
            known = self.engine.list_directives(self.wishes.bank, active_only=False)
        except NotFound:  # The bank is not there yet.
            return False
        return any((given.title, given.text) == (one.title, one.text) for given in known)

    def wait(self, thing: Thing) -> None:
        key = hash(thing.foreign.key)
        if key in self.seen:
            self.skip(Skipped(thing.where, _TWICE))
            return
        self.seen.add(key)
        if thing.own is not None and self._is_here(thing.own):
            self.skip(Skipped(thing.where, _OWN))
            return
        self.waiting.append(
            replace(thing, foreign=replace(thing.foreign, draft=self._placed(thing)))
        )
        if len(self.waiting) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        if not self.waiting:
            return
        things, self.waiting = self.waiting, []
        foreign = [thing.foreign for thing in things]
        taken = self.engine.take_over(
            self.wishes.bank, self.source.name, foreign, self.origin, dry_run=self.wishes.dry_run
        )
        for thing, outcome in zip(things, taken, strict=True):
            self._count(thing, outcome)

    def _count(self, thing: Thing, taken: Taken) -> None:
        match taken.change:
            case "refused":
                self.skip(Skipped(thing.where, taken.why, broken=True))
                return
            case "left":
                self.skip(Skipped(thing.where, taken.why))
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
        if len(self.report.shown) < _SHOWN_MAX:
            self.report.shown.append(thing)
        if user := thing.foreign.draft.scope.user:
            self.report.users[user] += 1

    def _placed(self, thing: Thing) -> Draft:
        draft = thing.foreign.draft
        scope = draft.scope
        user = (
            ""
            if scope.user in (*self.wishes.owners, *self.source.owners, self.engine.owner)
            else scope.user
        )
        return replace(
            draft, scope=Scope(scope.project or self.wishes.project, user, scope.agent, scope.run)
        )

    def _is_here(self, number: int) -> bool:
        try:
            self.engine.get(self.wishes.bank, number)
        except NotFound:
            return False
        return True
