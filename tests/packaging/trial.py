"""What somebody does first with an installed program, done outside the checkout."""

import os
import re
import subprocess
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters

from tests.faces.http_client import collected

ROOT = Path(__file__).parent.parent.parent
KNOWN = "Staging listens on port 8080."
STRANGERS = ("COMMONPLACE_", "HINDSIGHT_", "PYTHON", "VIRTUAL_ENV")


def tried(environment: Path, folder: Path) -> str:
    """The version of the program in a virtual environment, once it remembered, recalled and
    served.
    """
    bare = {name: value for name, value in os.environ.items() if not name.startswith(STRANGERS)}
    place = bare | {"HOME": str(folder), "COMMONPLACE_HOME": str(folder / "home")}
    program = str(environment / "bin" / "commonplace")

    def ran(*command: str) -> str:
        done = subprocess.run(
            command, cwd=folder, env=place, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    imported = ran(
        str(environment / "bin" / "python"), "-c", "import commonplace; print(commonplace.__file__)"
    )
    assert Path(imported).is_relative_to(environment)
    place["PATH"] = f"{environment / 'bin'}{os.pathsep}{place['PATH']}"
    printed = {command: ran("sh", "-c", command) for command in first_commands()}
    assert KNOWN in printed['commonplace recall "which port does staging use?"']
    assert "cross-encoder" in ran(program, "settings")
    anyio.run(_spoken_to, program, folder, place)
    _served(program, folder, place)
    return printed["commonplace --version"]


def first_commands() -> list[str]:
    """What docs/install.md says to type after the installation."""
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^Then:\n\n```sh\n(.*?)```$", page, re.DOTALL | re.MULTILINE)
    return block.splitlines()


async def _spoken_to(program: str, folder: Path, place: dict[str, str]) -> None:
    server = StdioServerParameters(command=program, args=["mcp"], cwd=folder, env=place)
    with anyio.fail_after(120):
        async with Client(server) as client:
            assert client.server_info
            assert client.server_info.name == "commonplace"
            answer = await client.call_tool("recall", {"query": "Which port does staging use?"})
            assert KNOWN in answer.content[0].text  # pyright: ignore


def _served(program: str, folder: Path, place: dict[str, str]) -> None:
    process = subprocess.Popen(
        [program, "serve", "--port", "0"],
        cwd=folder,
        env=place,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with collected(process, folder / "home") as running:
        assert running.get("/health").status == 200
