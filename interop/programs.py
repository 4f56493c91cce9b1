"""Programs of other people against our REST interfaces: mem0's published client, and schemathesis
on our OpenAPI. `python -m interop.programs`.

Their packages are heavy, so they are fetched once into `interop/out/programs`.
"""

import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable
from pathlib import Path

from tests.faces.http_client import server

PACKAGES = ("mem0ai==2.2.1", "schemathesis==4.32.5")
FOLDER = Path(__file__).parent / "out" / "programs"
KEY = "a-key"
CHECKS = "not_a_server_error,response_schema_conformance,content_type_conformance"
MEM0 = """
import asyncio, sys
from mem0 import AsyncMemoryClient, MemoryClient
from mem0.exceptions import MemoryNotFoundError

url = sys.argv[1]
client = MemoryClient(api_key="a-key", host=url)
client.add("Ada keeps the spare key under the blue pot.", user_id="ada", metadata={"from": "chat"})
found = client.search("Where is Ada's spare key?", filters={"user_id": "ada"})["results"]
assert [one["user_id"] for one in found] == ["ada"], found
number = client.get_all(filters={"user_id": "ada"})["results"][0]["id"]
assert client.update(number, text="Ada moved the key.")["memory"] == "Ada moved the key."
assert [one["event"] for one in client.history(number)] == ["ADD", "UPDATE"]
assert [one["name"] for one in client.users()["results"]] == ["ada"]
client.batch_update([{"memory_id": number, "text": "Ada lost the key."}])
assert client.get(number)["memory"] == "Ada lost the key."
client.batch_delete([{"memory_id": number}])
try:
    client.get(number)
except MemoryNotFoundError:
    pass
else:
    raise AssertionError("it is still there")
client.add("Bob sings.", user_id="bob")
client.delete_users(user_id="bob")
assert client.users()["results"] == []


async def use() -> None:
    async with AsyncMemoryClient(api_key="a-key", host=url) as other:
        await other.add("Cleo sings.", user_id="cleo")
        found = await other.search("Who sings?", filters={"user_id": "cleo"})
        assert len(found["results"]) == 1, found


asyncio.run(use())
"""


def main() -> int:
    """The number of programs that failed."""
    program = _packages()
    with (
        tempfile.TemporaryDirectory(prefix="commonplace-programs-") as home,
        server(
            Path(home),
            *("serve", "--port", "0"),
            module="commonplace",
            COMMONPLACE_API_KEY=KEY,
            COMMONPLACE_LOG_LEVEL="warning",
        ) as running,
    ):
        commands = {
            "mem0": [str(program("python")), "-c", MEM0, running.url],
            "schemathesis": [
                *(str(program("schemathesis")), "run", f"{running.url}/openapi.json"),
                *("-n", "12", "--phases", "fuzzing", "--checks", CHECKS),
                *("-H", f"Authorization: Bearer {KEY}", "--no-color"),
                # A stream of JSON lines, for which there is no serializer.
                *("--exclude-operation-id", "import_archive"),
            ],
        }
        failed = [name for name, command in commands.items() if _fails(name, command, home)]
    return len(failed)


def _fails(name: str, command: list[str], home: str) -> bool:
    environment = os.environ | {"MEM0_TELEMETRY": "False", "HOME": home}
    done = subprocess.run(
        command, cwd=home, env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    print(f"{name}: {'ok' if done.returncode == 0 else 'FAILED'}", flush=True)
    if done.returncode:
        print(done.stdout[-6_000:], done.stderr[-3_000:])
    return done.returncode != 0


def _packages() -> Callable[[str], Path]:
    folder = FOLDER / "bin" if os.name != "nt" else FOLDER / "Scripts"
    stamp = FOLDER / "packages"
    if not stamp.exists() or stamp.read_text() != repr(PACKAGES):
        print("Fetching mem0's client and schemathesis, once", flush=True)
        venv.create(FOLDER, with_pip=True)
        subprocess.run([folder / "python", "-m", "pip", "install", "-q", *PACKAGES], check=True)
        stamp.write_text(repr(PACKAGES))
    return folder.joinpath


if __name__ == "__main__":
    sys.exit(main())
