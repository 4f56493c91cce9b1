"""The project of a folder is read from the files of git in it."""

from pathlib import Path

import pytest

from commonplace import git_project


@pytest.mark.parametrize(
    ("remote", "expected"),
    [
        ("git@github.com:User/Repo.git", "github.com/User/Repo"),
        ("https://github.com/u/r.git", "github.com/u/r"),
        ("https://GitHub.com/U/r", "github.com/U/r"),
        ("https://tok:x@github.com/u/r.git", "github.com/u/r"),
        ("http://h.com:8080/u/r/", "h.com/u/r"),
        ("ssh://git@h.com:22/u/r", "h.com/u/r"),
        ("ssh://h.com/u/r.git/", "h.com/u/r"),
        ("git://h.com/u/r.git", "h.com/u/r"),
        ("git+ssh://git@h.com/u/r.git", "h.com/u/r"),
        ("git@gitlab.com:group/sub/repo.git", "gitlab.com/group/sub/repo"),
        ("https://dev.azure.com/o/My%20Project/_git/r", "dev.azure.com/o/My Project/_git/r"),
        ("user@h.com:u/r.git", "h.com/u/r"),
        ("github-work:u/r.git", "github-work/u/r"),
        ("git@[::1]:u/r.git", "::1/u/r"),
        ("file:///tmp/x.git", "file:///tmp/x"),
        ("/srv/git/x.git", "/srv/git/x"),
        ("../x.git", "../x"),
        ("C:\\git\\x", "C:\\git\\x"),
        ("  https://h.com/u/r.git  ", "h.com/u/r"),
        ("", ""),
    ],
)
def test_a_remote_as_a_project_id(remote: str, expected: str) -> None:
    assert git_project.project_id(remote) == expected


def config(folder: Path, text: str) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text(text)
    return folder


ORIGIN = '[remote "origin"]\n\turl = https://h.com/u/r.git\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ORIGIN, "h.com/u/r"),
        ('[remote "upstream"]\n\turl = https://h.com/u/r.git\n', ""),
        ('[remote "upstream"]\n\turl = https://h.com/a/b\n' + ORIGIN, "h.com/u/r"),
        (
            '[remote "origin"]\n\tfetch = +refs/*\n\tURL=https://h.com/u/r\n\turl = https://h.com/second\n',
            "h.com/u/r",
        ),
        ('[REMOTE "origin"] url = "https://h.com/u/r.git" ; a comment\n', "h.com/u/r"),
        ('[remote "origin"]\n\turl = https://h.com/u/r # comment\n', "h.com/u/r"),
        ('[remote "origin"]\n\turl = https://h.com/\\\nu/r\n', "h.com/u/r"),
        ('[remote "Origin"]\n\turl = https://h.com/u/r\n', ""),
        ("[core]\n\tbare = false\n", ""),
        ("\x00\xff broken [[[ \n", ""),
        ("", ""),
    ],
)
def test_only_the_remote_origin_counts(tmp_path: Path, text: str, expected: str) -> None:
    assert git_project.project_of_folder(str(config(tmp_path / "r", text))) == expected


def test_a_folder_below_the_repository_belongs_to_it(tmp_path: Path) -> None:
    below = config(tmp_path / "r", ORIGIN) / "a" / "b"
    below.mkdir(parents=True)
    assert git_project.project_of_folder(str(below)) == "h.com/u/r"


def test_a_work_tree_and_a_submodule_are_followed(tmp_path: Path) -> None:
    main = config(tmp_path / "main", ORIGIN)
    inner = main / ".git" / "worktrees" / "w"
    inner.mkdir(parents=True)
    (inner / "commondir").write_text("../..\n")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {inner}\n")
    assert git_project.project_of_folder(str(tree)) == "h.com/u/r"

    module = main / ".git" / "modules" / "lib"
    module.mkdir(parents=True)
    (module / "config").write_text('[remote "origin"]\n\turl = git@h.com:u/lib.git\n')
    (main / "lib").mkdir()
    (main / "lib" / ".git").write_text("gitdir: ../.git/modules/lib\n")
    assert git_project.project_of_folder(str(main / "lib")) == "h.com/u/lib"


def test_a_folder_without_git_has_no_project(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / ".git").write_text("gitdir: /nowhere/at/all\n")
    for folder in ("", str(tmp_path), str(tmp_path / "missing"), str(tmp_path / "broken")):
        assert git_project.project_of_folder(folder) == ""
