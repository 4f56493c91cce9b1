"""The screenshots of docs/page.md show the pages as they are."""

import re

from tests.docs.loading import script


def test_the_screenshots_were_made_from_the_pages_as_they_are() -> None:
    shots = script("page_shots")

    assert shots.MADE_FROM.read_text().strip() == shots.digest(), "run `make docs`"


def test_every_screenshot_is_shown_and_small() -> None:
    folder = script("page_shots").FOLDER
    text = (folder.parent / "page.md").read_text()
    shown = re.findall(r"\(page/(\w+\.png)\)", text)

    assert sorted(shown) == sorted(file.name for file in folder.glob("*.png"))
    assert all((folder / name).stat().st_size < 150_000 for name in shown)
