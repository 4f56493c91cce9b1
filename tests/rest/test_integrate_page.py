"""The examples of docs/integrate.md, as they stand there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faces.http_client import server

PAGE = (Path(__file__).parents[2] / "docs" / "integrate.md").read_text()


def example(heading: str, language: str) -> str:
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    found = re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)
    assert found, heading
    return found[1]


@pytest.mark.parametrize(
    ("heading", "language", "command", "expected"),
    [
        ("curl", "bash", ["bash", "-eu", "-c"], "Ada drinks green tea."),
        ("Python", "python", [sys.executable, "-c"], "Ben plays the violin."),
    ],
)
def test_an_example_of_the_page_runs(
    tmp_path: Path, heading: str, language: str, command: list[str], expected: str
) -> None:
    with server(
        tmp_path, "serve", "--port", "0", module="commonplace", COMMONPLACE_API_KEY="a-key"
    ) as running:
        environment = os.environ | {"URL": running.url, "KEY": "a-key"}
        done = subprocess.run(
            [*command, example(heading, language)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    assert done.stdout.count(expected) >= 1
    assert "hits" in done.stdout if language == "bash" else "0." in done.stdout
