"""A state machine drives several Memstate clients against lists of versions, and compares all that
can be read.
"""

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from commonplace.app import open_engine
from commonplace.settings import load
from tests.conftest import StoppedClock
from tests.dialects.memstate_client import Memstate
from tests.dialects.requirements import requirement

PROJECTS = ("app", "app.b", "Owner/my-app")
KEYS = ("a", "a.b", "ab", "a_b", "a.b.c")
# The same keys as people type them.
SPELLED = {
    "a": ("a", "A", " a "),
    "a.b": ("a.b", "a/b", "A.B"),
    "ab": ("ab", "aB"),
    "a_b": ("a_b", "a-b", "a b"),
    "a.b.c": ("a.b.c", "a/b.C"),
}
VALUES = ("tea", "coffee", "tea and cake", "no longer tea", "größe 8080", "北京")
CLIENTS = st.integers(0, 2)
KEY = st.sampled_from(KEYS)
PROJECT = st.sampled_from(PROJECTS)

State = dict[str, str]


class Clients(RuleBasedStateMachine):
    """`chains` has every version of every keypath, None for a tombstone; `pasts` every state of
    every project.
    """

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.clock = StoppedClock()
        self.chains: dict[str, dict[str, list[str | None]]] = {project: {} for project in PROJECTS}
        self.pasts: dict[str, list[State]] = {project: [{}] for project in PROJECTS}

    @initialize()
    def open(self) -> None:
        # Two engines on one file are two processes as far as the store can tell.
        chosen = load({"COMMONPLACE_HOME": str(self.folder), "COMMONPLACE_EMBEDDER": "none"})
        self.engines = [open_engine(chosen, self.clock) for _ in range(2)]
        self.clients = [
            Memstate(self.engines[number % 2], f"client {number}") for number in range(3)
        ]

    def teardown(self) -> None:
        for engine in getattr(self, "engines", ()):
            engine.db.close()
        shutil.rmtree(self.folder)

    def state(self, project: str) -> State:
        return {
            key: chain[-1] for key, chain in self.chains[project].items() if chain[-1] is not None
        }

    def changed(self, project: str, changes: dict[str, str | None]) -> None:
        """Note what a call changed; a call that changed nothing is no revision."""
        now = self.state(project)
        real = {key: value for key, value in changes.items() if now.get(key) != value}
        for key, value in real.items():
            self.chains[project].setdefault(key, []).append(value)
        if real:
            self.pasts[project].append(self.state(project))
        self.clock.advance(1)

    @rule(client=CLIENTS, project=PROJECT, key=KEY, value=st.sampled_from(VALUES), data=st.data())
    def set(self, client: int, project: str, key: str, value: str, data: st.DataObject) -> None:
        spelled = data.draw(st.sampled_from((*SPELLED[key], f"project.{project}.{key}")))
        chain = self.chains[project].get(key, [])
        same = bool(chain) and chain[-1] == value
        answer = self.clients[client].set(project, spelled, value)
        assert answer["action"] == ("unchanged" if same else "superseded" if chain else "created")
        assert answer["version"] == len(chain) + (not same)
        self.changed(project, {key: value})

    @rule(
        client=CLIENTS,
        project=PROJECT,
        facts=st.dictionaries(KEY, st.sampled_from(VALUES), min_size=1),
        form=st.sampled_from(("{}: {}", "- {}: {}", "**{}:** {}", "{} = {}", "| {} | {} |")),
    )
    def remember(self, client: int, project: str, facts: State, form: str) -> None:
        lines = [form.format(key, value) for key, value in facts.items()]
        table = ["| Key | Value |", "|-----|-------|"] if form.startswith("|") else []
        self.clients[client].remember(project, "\n".join([*table, *lines]))
        self.changed(project, dict(facts))

    @rule(client=CLIENTS, project=PROJECT, key=KEY, recursive=st.booleans())
    def delete(self, client: int, project: str, key: str, recursive: bool) -> None:
        live = self.state(project)
        gone = sorted(
            one for one in live if one == key or (recursive and one.startswith(f"{key}."))
        )
        answer = self.clients[client].delete(project, key, recursive=recursive)
        assert answer["deleted_keypaths"] == [f"project.{project}.{one}" for one in gone]
        self.changed(project, dict.fromkeys(gone))

    @rule(client=CLIENTS, project=PROJECT)
    def delete_project(self, client: int, project: str) -> None:
        gone = sorted(self.state(project))
        answer = self.clients[client].delete_project(project)
        assert answer["deleted_keypaths"] == [f"project.{project}.{one}" for one in gone]
        self.changed(project, dict.fromkeys(gone))

    @rule(client=CLIENTS, project=PROJECT, key=KEY)
    def history(self, client: int, project: str, key: str) -> None:
        chain = self.chains[project].get(key, [])
        versions = self.clients[client].history(project, key)
        assert [one["version"] for one in versions] == list(range(1, len(chain) + 1))
        assert [None if one["is_deleted"] else one["summary"] for one in versions] == chain
        assert [one["is_latest"] for one in versions] == [
            number == len(chain) for number in range(1, len(chain) + 1)
        ]
        for one, value in zip(versions, chain, strict=True):
            read = self.clients[client].get(memory_id=one["id"])
            assert (read["id"], read["is_latest"], read["is_deleted"]) == (
                one["id"],
                one["is_latest"],
                value is None,
            )
            assert value is None or read["content"] == value

    @rule(client=CLIENTS, project=PROJECT, key=KEY, word=st.sampled_from(("tea", "coffee", "8080")))
    def search(self, client: int, project: str, key: str, word: str) -> None:
        live = self.state(project)
        below = sorted(one for one in live if one == key or one.startswith(f"{key}."))
        listed = self.clients[client].search("", project_id=project, keypath_prefix=key)
        assert ([one["keypath"] for one in listed["results"]], listed["total_found"]) == (
            below,
            len(below),
        )
        found = self.clients[client].found(word, project_id=project, limit=100)
        assert sorted(found) == sorted(one for one, value in live.items() if word in value)

    @rule(client=CLIENTS, project=PROJECT, key=KEY)
    def every_earlier_revision(self, client: int, project: str, key: str) -> None:
        reader, past = self.clients[client], self.pasts[project]
        for number, state in enumerate(past):
            assert reader.tree(project, at_revision=number) == state
            below = {
                one: value
                for one, value in state.items()
                if one == key or one.startswith(f"{key}.")
            }
            assert reader.tree(project, keypath=key, at_revision=number) == below
        reader.failure("get", project_id=project, at_revision=len(past))

    @invariant()
    def the_present_is_the_same_for_both_processes(self) -> None:
        for client in getattr(self, "clients", ())[:2]:
            for project in PROJECTS:
                data, state = client.get(project_id=project), self.state(project)
                assert data["memories"] == {
                    f"project.{project}.{key}": value for key, value in state.items()
                }
                assert data["total_count"] == len(state)
                assert data["revision_number"] == len(self.pasts[project]) - 1
            shown = {one["id"]: one["memory_count"] for one in client.get()["projects"]}
            assert shown == {
                project: len(self.state(project)) for project in PROJECTS if self.state(project)
            }


@requirement("memstate:clients:model")
class TestSeveralClientsAgreeWithListsOfVersions(Clients.TestCase):  # type: ignore[name-defined, misc]
    settings = settings(
        max_examples=20,
        stateful_step_count=25,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
