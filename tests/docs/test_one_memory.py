"""The page about one memory under five tongues is what happens when they are spoken."""

from pathlib import Path

from commonplace.dialects import registry
from tests.docs.loading import script

PAGE = Path(__file__).parent.parent.parent / "docs" / "one-memory.md"


def test_the_session_of_the_page_happens_just_so() -> None:
    told = script("one_memory").page()
    assert PAGE.read_text(encoding="utf-8") == told, "run `make docs`"
    for name in registry.NAMES:
        assert any(f": {tool} " in told for tool in registry.find(name).tools), name
