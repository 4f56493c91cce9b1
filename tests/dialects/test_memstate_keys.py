"""Memstate's keypaths, project ids and deletions, through the MCP layer."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.app import open_engine
from commonplace.dialects.memstate import DIALECT
from commonplace.settings import load
from tests.dialects.memstate_client import ENVELOPE, Memstate
from tests.dialects.requirements import requirement

SPELLINGS = [
    "auth.session_store",
    "Auth.Session-Store",
    "auth/session store",
    " AUTH . session-store ",
    ".auth..session_store.",
]
PROJECTS = [
    "myapp",
    "my-app-v2",
    "my_app",
    "My App",
    "MyApp",
    "v1.2",
    "owner/repo",
    "Owner/Repo-x.y",
    "a+b (c)",
    "日本",
    "project",
]


@requirement("memstate:keypath:normalised")
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_all_spellings_of_a_keypath_are_one(memstate: Memstate, spelling: str) -> None:
    memstate.set("p", "auth.session_store", "first")
    assert memstate.set("p", spelling, "second")["version"] == 2
    assert memstate.tree("p", keypath=spelling) == {"auth.session_store": "second"}
    assert len(memstate.history("p", spelling)) == 2
    assert memstate.found("second", project_id="p", keypath_prefix=spelling) == [
        "auth.session_store"
    ]
    assert memstate.delete("p", spelling)["deleted_keypaths"] == ["project.p.auth.session_store"]


@requirement("memstate:keypath:prefixed-once")
@pytest.mark.parametrize("prefix", ["project.my-app.", "Project.My-App.", "project/my-app/"])
def test_the_full_keypath_works_wherever_the_short_one_does(
    memstate: Memstate, prefix: str
) -> None:
    memstate.set("my-app", prefix + "auth.provider", "x")
    assert memstate.tree("my-app") == {"auth.provider": "x"}
    assert memstate.tree("my-app", keypath=prefix + "auth") == {"auth.provider": "x"}
    assert memstate.tree("my-app", keypath=prefix) == {"auth.provider": "x"}
    assert len(memstate.history("my-app", prefix + "auth.provider")) == 1
    assert memstate.found("", project_id="my-app", keypath_prefix=prefix + "auth") == [
        "auth.provider"
    ]
    assert memstate.delete("my-app", prefix + "auth.provider")["deleted_count"] == 1


@requirement("memstate:keypath:prefixed-once")
def test_a_full_prefix_needs_no_project_id_in_a_search(memstate: Memstate) -> None:
    for project, keypath in (("iso", "b.x"), ("iso.b", "x"), ("iso.b", "y"), ("owner/repo", "b.x")):
        memstate.set(project, keypath, "a value")
    found = memstate.search("", keypath_prefix="project.iso.b.x")["results"]
    assert sorted(one["memory"]["project_id"] for one in found) == ["iso", "iso.b"]
    assert memstate.found("a value", keypath_prefix="project.owner/repo.b") == ["b.x"]
    assert memstate.found("a value", keypath_prefix="project.nowhere.b") == []


@requirement("memstate:keypath:foreign-prefix")
@pytest.mark.parametrize(
    "keypath", ["project.other.a", "project/other/a", "project.appendix.a", "PROJECT.other"]
)
def test_the_prefix_of_another_project_is_refused(memstate: Memstate, keypath: str) -> None:
    memstate.set("app", "a", "1")
    for tool, more in (
        ("set", {"value": "x"}),
        ("get", {}),
        ("history", {}),
        ("delete", {"recursive": True}),
    ):
        error = memstate.failure(tool, project_id="app", keypath=keypath, **more)
        assert "another project" in error["message"]
    memstate.failure("search", query="x", project_id="app", keypath_prefix=keypath)
    assert memstate.tree("app") == {"a": "1"}


@requirement("memstate:keypath:whole-segments")
def test_a_prefix_is_whole_segments(memstate: Memstate) -> None:
    for key in ("a", "a.b", "ab", "ab.c", "a_b"):
        memstate.set("p", key, "same value")
    assert list(memstate.tree("p", keypath="a")) == ["a", "a.b"]
    assert memstate.found("", project_id="p", keypath_prefix="a") == ["a", "a.b"]
    assert sorted(memstate.found("same value", project_id="p", keypath_prefix="a")) == ["a", "a.b"]
    assert memstate.delete("p", "a", recursive=True)["deleted_keypaths"] == [
        "project.p.a",
        "project.p.a.b",
    ]
    assert list(memstate.tree("p")) == ["a_b", "ab", "ab.c"]


@requirement("memstate:keypath:no-wildcards")
@pytest.mark.parametrize("sign", ["_", "%", "a_c", "a%", "%c", "*", "?", "a*"])
def test_no_sign_is_a_wildcard(memstate: Memstate, sign: str) -> None:
    memstate.set("p", "abc", "v")
    memstate.set("p", "abc.d", "v")
    assert memstate.tree("p", keypath=sign) == {}
    assert memstate.history("p", sign) == []
    assert memstate.found("", project_id="p", keypath_prefix=sign) == []
    assert memstate.delete("p", sign, recursive=True)["deleted_count"] == 0
    assert memstate.set("p", sign, "own value")["action"] == "created"
    assert memstate.tree("p", keypath=sign) == {sign: "own value"}


@requirement("memstate:project:any-id", "memstate:project:hyphens", "memstate:project:hyphen-stays")
@pytest.mark.parametrize("project", PROJECTS)
def test_any_project_id_works_in_every_tool(memstate: Memstate, project: str) -> None:
    for other in PROJECTS:
        memstate.set(other, "k", f"value of {other}")
    memstate.remember(project, "Port: 8080")

    assert memstate.get(project_id=project)["memories"] == {
        f"project.{project}.k": f"value of {project}",
        f"project.{project}.port": "8080",
    }
    assert memstate.tree(project, keypath=f"project.{project}.k") == {"k": f"value of {project}"}
    assert len(memstate.history(project, "k")) == 1
    assert memstate.found("value", project_id=project) == ["k"]
    assert memstate.tree(project, at_revision=1) == {"k": f"value of {project}"}
    assert memstate.delete(project, "k")["deleted_keypaths"] == [f"project.{project}.k"]
    assert memstate.delete_project(project)["deleted_keypaths"] == [f"project.{project}.port"]
    assert sorted(one["id"] for one in memstate.get()["projects"]) == sorted(
        set(PROJECTS) - {project}
    )


@requirement("memstate:project:apart")
def test_projects_whose_ids_begin_alike_stay_apart(memstate: Memstate) -> None:
    memstate.set("iso", "b.x", "of iso")
    memstate.set("iso.b", "x", "of iso.b")

    assert memstate.tree("iso") == {"b.x": "of iso"}
    assert memstate.tree("iso.b") == {"x": "of iso.b"}
    memstate.delete("iso", "b", recursive=True)
    assert memstate.tree("iso.b") == {"x": "of iso.b"}
    memstate.failure("set", project_id="iso.b", keypath="project.iso.x", value="1")


@requirement(
    "memstate:delete:tombstone", "memstate:delete:visible-in-history", "memstate:delete:answer"
)
def test_a_deletion_is_a_version_and_the_history_stays(memstate: Memstate) -> None:
    memstate.set("myapp", "config.old_setting", "v")
    assert memstate.delete("myapp", "config.old_setting") == {
        "deleted_keypaths": ["project.myapp.config.old_setting"],
        "deleted_count": 1,
        "message": "Soft-deleted 1 memory(ies) under keypath 'project.myapp.config.old_setting'",
    }
    assert memstate.tree("myapp") == {}
    assert memstate.search("v", project_id="myapp")["total_found"] == 0
    versions = memstate.history("myapp", "config.old_setting")
    assert [(one["version"], one["is_deleted"], one["is_latest"]) for one in versions] == [
        (1, False, False),
        (2, True, True),
    ]
    assert memstate.get(memory_id=versions[1]["id"])["is_deleted"]


@requirement("memstate:delete:recursive", "memstate:delete:parameters")
def test_only_a_recursive_deletion_takes_what_is_below(memstate: Memstate) -> None:
    for key in ("config", "config.port", "config.host", "configure"):
        memstate.set("myapp", key, "v")
    assert memstate.delete("myapp", "config")["deleted_count"] == 1
    assert list(memstate.tree("myapp")) == ["config.host", "config.port", "configure"]
    data = memstate.delete("myapp", "config", recursive=True)
    assert data["deleted_keypaths"] == ["project.myapp.config.host", "project.myapp.config.port"]
    assert data["message"] == "Soft-deleted 2 memory(ies) under keypath 'project.myapp.config'"
    assert list(memstate.tree("myapp")) == ["configure"]


@requirement("memstate:delete:twice")
def test_deleting_twice_is_fine_and_changes_nothing(memstate: Memstate) -> None:
    memstate.set("p", "a", "v")
    memstate.delete("p", "a")
    for _ in range(2):
        data = memstate.delete("p", "a")
        assert (data["deleted_count"], data["message"]) == (
            0,
            "No memory found at keypath 'project.p.a'",
        )
    assert len(memstate.history("p", "a")) == 2
    for project in ("p", "never"):
        data = memstate.delete_project(project)
        assert (data["deleted_count"], data["message"]) == (
            0,
            f"Project '{project}' has no memories, so nothing was deleted",
        )
    assert memstate.revision("p") == 2


@requirement(
    "memstate:delete:undelete-by-set",
    "memstate:delete:undelete-by-remember",
    "memstate:chain:revival",
)
def test_set_and_remember_bring_a_keypath_back_and_go_on_counting(memstate: Memstate) -> None:
    memstate.set("p", "port", "1")
    memstate.delete("p", "port")
    assert memstate.set("p", "port", "1")["version"] == 3
    memstate.delete("p", "port")
    memstate.remember("p", "port: 2")

    assert memstate.tree("p") == {"port": "2"}
    assert [(one["version"], one["is_deleted"]) for one in memstate.history("p", "port")] == [
        (1, False),
        (2, True),
        (3, False),
        (4, True),
        (5, False),
    ]


@requirement(
    "memstate:delete-project:tombstones",
    "memstate:delete-project:hidden",
    "memstate:delete-project:history",
    "memstate:delete-project:answer",
    "memstate:delete-project:past-survives",
)
def test_a_deleted_project_is_hidden_and_keeps_its_past(memstate: Memstate) -> None:
    for key in ("auth.provider", "config.port"):
        memstate.set("old-project", key, "v")
    assert memstate.delete_project("old-project") == {
        "project_id": "old-project",
        "deleted_keypaths": [
            "project.old-project.auth.provider",
            "project.old-project.config.port",
        ],
        "deleted_count": 2,
        "message": "Soft-deleted project 'old-project' and 2 memory(ies)",
    }
    assert memstate.get()["projects"] == []
    assert memstate.revision("old-project") == 3
    for key in ("auth.provider", "config.port"):
        assert [one["is_deleted"] for one in memstate.history("old-project", key)] == [False, True]

    memstate.set("old-project", "fresh", "w")
    assert [one["id"] for one in memstate.get()["projects"]] == ["old-project"]
    assert memstate.tree("old-project") == {"fresh": "w"}
    assert memstate.tree("old-project", at_revision=2) == {"auth.provider": "v", "config.port": "v"}
    assert memstate.tree("old-project", at_revision=3) == {}


@pytest.fixture(scope="module")
def lasting() -> Iterator[Memstate]:
    """A client of a store that all rounds of a property share."""
    with tempfile.TemporaryDirectory() as folder:
        engine = open_engine(
            load({"COMMONPLACE_HOME": str(Path(folder)), "COMMONPLACE_EMBEDDER": "none"})
        )
        yield Memstate(engine)
        engine.db.close()


ODD = st.one_of(
    st.sampled_from(
        [
            "",
            " ",
            "p",
            "a.b",
            "a",
            "project.p.a",
            "project.",
            "mem_00000000001",
            "job_00000000001",
            "x" * 900,
        ]
    ),
    st.sampled_from(
        [
            "\ud800",
            "\x00",
            "a\nb",
            "%",
            "..",
            "m00000000001",
            "note.m00000000001",
            "\u202e",
            "99999999999999999999",
        ]
    ),
    st.sampled_from(
        [
            None,
            0,
            1,
            -1,
            2**70,
            1.5,
            float("inf"),
            True,
            False,
            [],
            ["a"],
            ["\ud800"],
            {},
            [[]],
            [None],
        ]
    ),
    st.text(max_size=12),
)


PLAIN = {"project_id": "p", "keypath": "a", "query": "a", "content": "a: 1", "value": "1"}


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A tool, with what it requires and some odd things instead and besides."""
    tool = draw(st.sampled_from(list(DIALECT.tools.values())))
    plain = {one.name: PLAIN[one.name] for one in tool.parameters if one.required}
    names = st.sampled_from([one.name for one in tool.parameters])
    return tool.name, plain | draw(st.dictionaries(names, ODD, max_size=3))


@requirement("memstate:envelope:keys", "memstate:envelope:failure")
@settings(max_examples=400, deadline=None)
@given(calls())
def test_whatever_is_sent_is_answered_in_the_envelope(
    lasting: Memstate, call: tuple[str, dict[str, Any]]
) -> None:
    result = lasting.client.result(call[0], **call[1])
    answer = result["structuredContent"]
    assert set(answer) == (ENVELOPE | {"error"} if result["isError"] else ENVELOPE), (answer, call)
    assert answer["ok"] is not result["isError"]
