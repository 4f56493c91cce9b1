"""The page about one memory in five dialects shows what their tools answer."""

from pathlib import Path

from commonplace.dialects import registry
from tests.docs.loading import script

PAGE = Path(__file__).parent.parent.parent / "docs" / "one-memory.md"


def test_the_page_shows_what_the_tools_answer() -> None:
    written = script("one_memory").page()
    assert PAGE.read_text(encoding="utf-8") == written, "run `make docs`"
    for name in registry.NAMES:
        assert any(f": {tool} " in written for tool in registry.find(name).tools), name
