"""Random things done through random dialects, against one plain model of what is known; the walls
stand after each.
"""

import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from commonplace.app import open_engine
from commonplace.dialects import registry
from commonplace.records.memory import Draft, Scope
from commonplace.settings import load
from tests.conftest import StoppedClock
from tests.dialects.dialect_client import Client
from tests.one_memory.dialect_clients import FORMS, PROJECT, Row, Statement, new_statement, rows

BANK = "default"
# Nothing is in both of these texts and in those that the dialects write, so that nobody comes upon
# them by chance.
SECRET = "The quincunx is buried under the stairs."


@dataclass(frozen=True)
class Known:
    """What the model knows of one memory."""

    number: int
    what: Statement
    project: str
    alive: bool = True


def any_of(*deeds: str) -> st.SearchStrategy[Row]:
    return st.sampled_from([row for row in rows(*deeds) if not row.role.kind])  # pyright: ignore[reportArgumentType]


class OneMemory(RuleBasedStateMachine):
    """One bank, its owner, and five tongues."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clock = StoppedClock()
        place = {"COMMONPLACE_HOME": str(self.folder / "home"), "COMMONPLACE_EMBEDDER": "none"}
        self.engine = open_engine(load(place), self.clock)
        # A second engine on the same file, as in another process: what one writes the other must
        # see.
        self.second = open_engine(load(place), self.clock)
        self.known: list[Known] = []
        self.touched: Known | None = None
        self.pasts: dict[int, dict[str, str]] = {}

    def teardown(self) -> None:
        for number, past in self.pasts.items():
            told = self.client("memstate").result(
                "memstate_get", project_id=PROJECT, at_revision=number
            )
            shown = " ".join(told["structuredContent"]["data"]["memories"].values())
            assert {cue: sign in shown for cue, sign in past.items()} == dict.fromkeys(past, True)
            assert len(told["structuredContent"]["data"]["memories"]) == len(past)
        self.engine.db.close()
        self.second.db.close()
        shutil.rmtree(self.folder)

    def client(self, dialect: str, *, second: bool = False) -> Client:
        return Client(self.second if second else self.engine, registry.single_bank(dialect))

    def do(self, row: Row, cue: str, *, second: bool = False, **given: str) -> str:
        arguments = row.arguments(cue, **given)
        return str(self.client(row.dialect, second=second).result(row.tool.name, **arguments))

    def put(self, one: Known) -> None:
        self.known = [other for other in self.known if other.number != one.number] + [one]
        self.touched = one
        self.pasts[self.engine.revision(BANK, PROJECT)] = {
            each.what.cue: each.what.marker
            for each in self.known
            if each.project == PROJECT and each.alive
        }
        self.clock.advance(1)

    def pick(self, place: int, *, alive: bool) -> Known | None:
        fitting = [one for one in self.known if one.alive == alive]
        return fitting[place % len(fitting)] if fitting else None

    @initialize()
    def strangers(self) -> None:
        there = self.engine.remember("elsewhere", Draft(SECRET, tags=("quincunx",)))
        theirs = self.engine.remember(
            BANK, Draft(SECRET, tags=("quincunx",), scope=Scope(project=PROJECT, user="ada"))
        )
        self.behind = {"elsewhere": there.memory, BANK: theirs.memory}

    @rule(row=any_of("write"), second=st.booleans())
    def write(self, row: Row, second: bool) -> None:
        what = new_statement()
        self.do(row, what.cue, second=second, words=what.text)
        (memory,) = [one for one in self.engine.list(BANK, limit=500) if what.marker in one.text]
        self.put(Known(memory.id, what, memory.scope.project))

    @precondition(lambda self: any(one.alive for one in self.known))
    @rule(
        row=any_of("revise"),
        place=st.integers(0, 99),
        form=st.sampled_from(FORMS),
        second=st.booleans(),
    )
    def revise(self, row: Row, place: int, form: object, second: bool) -> None:
        self._change(row, place, form, second, alive=True)

    @precondition(lambda self: any(not one.alive for one in self.known))
    @rule(
        row=any_of("restore"),
        place=st.integers(0, 99),
        form=st.sampled_from(FORMS),
        second=st.booleans(),
    )
    def restore(self, row: Row, place: int, form: object, second: bool) -> None:
        self._change(row, place, form, second, alive=False)

    def _change(self, row: Row, place: int, form: object, second: bool, *, alive: bool) -> None:
        assert callable(form)
        one = self.pick(place, alive=alive)
        assert one
        after = one.what.changed() if row.role.text else one.what
        named = str(form(one.number))
        self.do(row, one.what.cue, second=second, words=after.text, form=named, project=one.project)
        self.put(replace(one, what=after, alive=True))

    @precondition(lambda self: any(one.alive for one in self.known))
    @rule(
        row=any_of("forget"),
        place=st.integers(0, 99),
        form=st.sampled_from(FORMS),
        second=st.booleans(),
    )
    def forget(self, row: Row, place: int, form: object, second: bool) -> None:
        assert callable(form)
        one = self.pick(place, alive=True)
        assert one
        self.do(row, one.what.cue, second=second, form=str(form(one.number)), project=one.project)
        self.put(replace(one, alive=False))

    @precondition(lambda self: any(one.alive for one in self.known))
    @rule(place=st.integers(0, 99))
    def sweep(self, place: int) -> None:
        one = self.pick(place, alive=True)
        assert one
        self.client("memories").result("bulk_forget_memories", pattern=one.what.marker)
        self.put(replace(one, alive=False))

    @rule(
        row=any_of("fetch", "history", "revise", "restore", "forget"), form=st.sampled_from(FORMS)
    )
    def reach_over(self, row: Row, form: object) -> None:
        assert callable(form)
        for theirs in self.behind.values():
            # A plain number may be a key in Memstate, like any other word.
            if row.role.id != "keypath" or form is not str:
                told = self.do(row, "", words="Nothing.", form=str(form(theirs.id)))
                assert "quincunx" not in told

    @invariant()
    def what_was_touched_is_known_alike_by_all(self) -> None:
        if self.touched is None:
            return
        one, self.touched = self.touched, None
        for second in (False, True):
            for row in rows("find"):
                told = self.do(
                    row, one.what.cue, second=second, words=one.what.question, project=one.project
                )
                assert (one.what.marker in told) == one.alive, (row, one)

    @invariant()
    def every_list_shows_what_is_known_and_nothing_else(self) -> None:
        live = {one.what.marker for one in self.known if one.alive}
        for row in rows("list"):
            if row.role.kind:
                continue
            told = self.do(row, "", second=True, project=PROJECT)
            shown = {one.what.marker for one in self.known if one.what.marker in told}
            # Memstate shows the tree of a project; the others show what belongs to none as well.
            tree = {one.what.marker for one in self.known if one.alive and one.project}
            assert shown == (tree if row.dialect == "memstate" else live), row
            assert "quincunx" not in told

    @invariant()
    def nothing_behind_the_walls_has_moved(self) -> None:
        for bank, theirs in getattr(self, "behind", {}).items():
            assert self.engine.get(bank, theirs.id) == theirs


TestOneMemory = OneMemory.TestCase
TestOneMemory.settings = settings(
    max_examples=20,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
