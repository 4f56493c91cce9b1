"""docs/architecture.md agrees with the code: the floors, the walks and the figures."""

import re
from pathlib import Path

import pytest

from tests.docs.loading import ROOT, script
from tests.test_house import FLOORS, PACKAGE

PAGE = ROOT / "docs" / "architecture.md"
WALKS = ("A recall", "A remember", "An edited note")
# How far a figure of the page may be from the code.
TOLERANCE = 0.02
# Entry points that only start a face.
ENTRY_POINTS = {"__init__", "__main__", "mcp"}


def floors_shown(text: str) -> dict[int, set[str]]:
    """The words on each floor of the picture in a page."""
    shown: dict[int, set[str]] = {}
    floor = 0
    picture = next(
        block for block in text.split("```")[1::2] if re.search(r"^8  faces", block, re.M)
    )
    for line in picture.strip().splitlines():
        if line[0].isdigit():
            floor = int(line[0])
        shown.setdefault(floor, set()).update(re.findall(r"[a-z][a-z_0-9]*", line))
    return shown


def steps(title: str) -> list[str]:
    """The files of a walk on the page, in order."""
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(f"### {title}\n")
    return re.findall(r"^\d+\. `([^`]+)`", rest.split("\n#")[0], re.M)


def out_of_order(steps: list[str], passed: list[str]) -> list[str]:
    """The steps that a trace does not pass, or passes before the step above them."""
    wrong: list[str] = []
    reached = 0
    for step in steps:
        if step in passed[reached:]:
            reached = passed.index(step, reached) + 1
        else:
            wrong.append(step)
    return wrong


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    found = script("walks").walks(tmp_path_factory.mktemp("walks") / "home")
    return {title: list(walk.files) for title, walk in found.items()}


@pytest.mark.parametrize("page", ["docs/architecture.md", "AGENTS.md"])
def test_the_picture_shows_every_package_on_its_floor(page: str) -> None:
    shown = floors_shown((ROOT / page).read_text(encoding="utf-8"))
    expected = [
        (floor, name, folder.name)
        for name, floor in FLOORS.items()
        if name not in ENTRY_POINTS
        for folder in (PACKAGE / name, *subpackages(PACKAGE / name))
    ]

    assert [one for one in expected if one[2] not in shown.get(one[0], set())] == []


def subpackages(package: Path) -> list[Path]:
    # The words of the languages are data of one package.
    return [file.parent for file in package.glob("*/__init__.py")]


@pytest.mark.parametrize("title", WALKS)
def test_a_walk_passes_the_files_of_the_page_in_their_order(
    title: str, traced: dict[str, list[str]]
) -> None:
    assert len(steps(title)) >= 8
    assert out_of_order(steps(title), traced[title]) == []


def test_a_file_that_a_walk_does_not_pass_or_passes_earlier_is_noticed() -> None:
    assert out_of_order(["a.py", "c.py"], ["a.py", "b.py", "c.py"]) == []
    assert out_of_order(["a.py", "d.py"], ["a.py", "b.py"]) == ["d.py"]
    assert out_of_order(["b.py", "a.py"], ["a.py", "b.py"]) == ["a.py"]


def test_the_table_of_figures_is_current() -> None:
    figures = script("code_figures")
    shown = figures.read_table(PAGE.read_text(encoding="utf-8"))
    own = figures.own_figures()
    outdated = [
        f"{label}: {shown.get(label)} on the page, {own[name]} measured"
        for name, label in figures.NAMES.items()
        if not is_near(float(shown.get(label, "-1").replace(",", "")), own[name])
    ]
    assert outdated == [], "run `make docs`"


def is_near(shown: float, measured: float) -> bool:
    # Ratios are rounded to two digits.
    return abs(shown - measured) <= max(TOLERANCE * abs(measured), 0.02 if measured % 1 else 0)


def test_a_figure_that_is_out_of_date_is_noticed() -> None:
    assert is_near(51_000, 51_900)
    assert not is_near(51_000, 53_000)
    assert not is_near(3.65, 3.20)
    assert not is_near(24, 25)
