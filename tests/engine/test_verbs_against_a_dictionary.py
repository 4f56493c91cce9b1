"""A state machine drives the verbs against a plain dictionary and compares every past revision."""

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from commonplace.app import open_engine
from commonplace.records.memory import Draft, Edit, IdempotencyKey, Scope
from commonplace.records.query import Filter
from commonplace.settings import load
from tests.conftest import StoppedClock

PROJECTS = ("", "app", "lib")
WORDS = st.sampled_from(
    ["tea", "port 8080", "Größe", "北京大学", "the cat sat", "x_y-z/1.2", "emoji 🐙"]
)
KEYS = st.sampled_from(["a", "a.b", "ab"])
TAGS = st.lists(st.sampled_from(["red", "blue", "green"]), unique=True).map(tuple)


@dataclass
class Known:
    """What the model knows of one memory: its states, oldest first, None where it was forgotten."""

    project: str
    key: str
    states: list[tuple[str, tuple[str, ...]] | None] = field(default_factory=list)

    @property
    def last_said(self) -> tuple[str, tuple[str, ...]]:
        return next(state for state in reversed(self.states) if state is not None)


class Memories(RuleBasedStateMachine):
    ids = Bundle("ids")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clock = StoppedClock()
        settings_ = load({"COMMONPLACE_HOME": str(self.folder), "COMMONPLACE_EMBEDDER": "none"})
        self.engine = open_engine(settings_, self.clock)
        self.known: dict[int, Known] = {}
        self.pasts: dict[str, list[dict[int, tuple[str, tuple[str, ...]]]]] = {
            project: [{}] for project in PROJECTS
        }
        self.replies: dict[str, tuple[tuple[str, str], int]] = {}

    def teardown(self) -> None:
        self.engine.db.close()
        shutil.rmtree(self.folder)

    def state(self, project: str) -> dict[int, tuple[str, tuple[str, ...]]]:
        return {
            n: k.states[-1]
            for n, k in self.known.items()
            if k.project == project and k.states[-1] is not None
        }

    def changed(self, *projects: str) -> None:
        for project in set(projects):
            self.pasts[project].append(self.state(project))
        self.clock.advance(1)

    @rule(target=ids, project=st.sampled_from(PROJECTS), text=WORDS, tags=TAGS)
    def remember(self, project: str, text: str, tags: tuple[str, ...]) -> int:
        memory = self.engine.remember(
            "b", Draft(text, tags=tags, scope=Scope(project=project))
        ).memory
        self.known[memory.id] = Known(project, "", [(text, tags)])
        self.changed(project)
        return memory.id

    @rule(target=ids, project=st.sampled_from(PROJECTS), text=WORDS, key=KEYS)
    def remember_with_key(self, project: str, text: str, key: str) -> object:
        outcome = self.engine.remember("b", Draft(text, key=key, scope=Scope(project=project)))
        number = outcome.memory.id
        known = next((k for k in self.known.values() if (k.project, k.key) == (project, key)), None)
        if known is None:
            assert outcome.change == "added"
            self.known[number] = Known(project, key, [(text, ())])
        elif known.states[-1] == (text, ()):
            assert outcome.change == "unchanged"
            return multiple()
        else:
            assert outcome.change == ("revised" if known.states[-1] else "restored")
            known.states.append((text, ()))
        self.changed(project)
        return number if known is None else multiple()

    @rule(
        target=ids, texts=st.lists(WORDS, min_size=1, max_size=4), project=st.sampled_from(PROJECTS)
    )
    def remember_many(self, texts: list[str], project: str) -> object:
        drafts = [Draft(text, scope=Scope(project=project)) for text in texts]
        numbers = [outcome.memory.id for outcome in self.engine.remember_many("b", drafts)]
        self.known.update(
            {n: Known(project, "", [(text, ())]) for n, text in zip(numbers, texts, strict=True)}
        )
        self.changed(project)
        return multiple(*numbers)

    @rule(target=ids, key=st.sampled_from(["k1", "k2"]), text=WORDS)
    def remember_once(self, key: str, text: str) -> object:
        said = self.replies.get(key)
        if said and said[0] != (key, text):
            return multiple()
        if said and said[1] not in self.known:
            return multiple()
        number = self.engine.remember_once(
            "b", IdempotencyKey("s", "add", key), Draft(text)
        ).memory.id
        if said:
            assert number == said[1]
            return multiple()
        self.replies[key] = ((key, text), number)
        self.known[number] = Known("", "", [(text, ())])
        self.changed("")
        return number

    @rule(number=ids, text=WORDS)
    def revise(self, number: int, text: str) -> None:
        known = self.known.get(number)
        if known is None or known.states[-1] is None:
            return
        outcome = self.engine.revise("b", number, Edit(text=text), expected=len(known.states))
        if known.states[-1][0] == text:
            assert outcome.change == "unchanged"
            return
        known.states.append((text, known.states[-1][1]))
        self.changed(known.project)

    @rule(numbers=st.lists(ids, max_size=3, unique=True), tags=TAGS)
    def tag(self, numbers: list[int], tags: tuple[str, ...]) -> None:
        alive = [n for n in numbers if n in self.known and self.known[n].states[-1]]
        self.engine.tag("b", alive, add=tags) if self.known else None
        touched = []
        for number in alive:
            text, before = self.known[number].last_said
            after = (*before, *(tag for tag in tags if tag not in before))
            if after != before:
                self.known[number].states.append((text, after))
                touched.append(self.known[number].project)
        self.changed(*touched)

    @rule(numbers=st.lists(ids, max_size=3, unique=True))
    def forget(self, numbers: list[int]) -> None:
        there = [n for n in numbers if n in self.known]
        if self.known:
            self.engine.forget("b", there)
        self._forgotten([n for n in there if self.known[n].states[-1]])

    @rule(project=st.sampled_from(PROJECTS), tag=st.sampled_from(["red", "blue"]))
    def forget_where(self, project: str, tag: str) -> None:
        if self.known:
            self.engine.forget_where("b", Filter(projects=(project,), tags_like=(tag,)))
        self._forgotten(
            [
                n
                for n, k in self.known.items()
                if k.project == project and k.states[-1] and tag in k.states[-1][1]
            ]
        )

    def _forgotten(self, numbers: list[int]) -> None:
        for number in numbers:
            self.known[number].states.append(None)
        self.changed(*(self.known[number].project for number in numbers))

    @rule(numbers=st.lists(ids, max_size=3, unique=True))
    def restore(self, numbers: list[int]) -> None:
        there = [n for n in numbers if n in self.known]
        if self.known:
            self.engine.restore("b", there)
        back = [n for n in there if self.known[n].states[-1] is None]
        for number in back:
            self.known[number].states.append(self.known[number].last_said)
        self.changed(*(self.known[number].project for number in back))

    @rule(number=consumes(ids))
    def purge(self, number: int) -> None:
        if number not in self.known:
            return
        assert self.engine.purge("b", [number]) == (number,)
        project = self.known.pop(number).project
        for past in self.pasts[project]:
            past.pop(number, None)
        self.changed(project)

    @invariant()
    def the_present_is_the_same(self) -> None:
        now = {m.id: (m.text, m.tags) for m in self.engine.list("b", limit=1000)}
        assert now == {n: k.states[-1] for n, k in self.known.items() if k.states[-1] is not None}
        assert self.engine.count("b", Filter(status="forgotten")) == len(self.known) - len(now)

    @invariant()
    def every_past_is_the_same(self) -> None:
        for project, pasts in self.pasts.items():
            assert self.engine.revision("b", project) == len(pasts) - 1
            for number, past in enumerate(pasts):
                there = self.engine.at_revision("b", project, number)
                assert {v.memory_id: (v.text, v.tags) for v in there} == past

    @invariant()
    def every_history_is_the_same(self) -> None:
        for number, known in self.known.items():
            versions = self.engine.history("b", number)
            said = [None if v.forgotten else (v.text, v.tags) for v in versions]
            assert said == known.states
            assert [v.number for v in versions] == list(range(1, len(versions) + 1))

    @invariant()
    def tags_count_only_what_lives(self) -> None:
        alive = [k.states[-1][1] for k in self.known.values() if k.states[-1]]
        counts = {t.tag: t.count for t in self.engine.list_tags("b")}
        assert counts == {
            tag: n for tag in ("red", "blue", "green") if (n := sum(tag in tags for tags in alive))
        }


Memories.TestCase.settings = settings(
    max_examples=60, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
test_the_store_behaves_like_a_dictionary_with_a_memory = Memories.TestCase
