"""Writes docs/connect.md from the table of clients: `make docs`. With `-` the page goes to standard output."""

import sys
import tempfile
from pathlib import Path

from commonplace.faces.connect import edits
from commonplace.faces.connect.clients import CLIENTS, Client, Machine
from commonplace.faces.connect.edits import Wanted

PAGE = Path(__file__).parent.parent / "docs" / "connect.md"
PROGRAM = "/home/ada/.local/bin/commonplace"
URL = "http://127.0.0.1:8888/memstate/mcp"

HEAD = """# Connect an assistant

<!-- Written by scripts/connect_page.py from the table of clients. Change the table and run `make docs`. -->

One command shows the change to the assistant's configuration file, the same command with `--write` makes it:

```console
$ commonplace connect cursor --dialect memstate
$ commonplace connect cursor --dialect memstate --write
```

- Only our entry is changed. Other entries, comments and the layout stay as they are, and a copy of the old file is kept
  beside it (`….commonplace-1.bak`).
- Doing it twice changes nothing the second time. `commonplace disconnect cursor --write` takes the entry out again.
- A file that cannot be read, or cannot be changed safely, is left alone, and the message says what to do.
- `commonplace connect` alone lists the assistants, their files and which are connected.
- `--name notes` makes a second entry beside the first, for another `--dialect` or `--bank`.
- `--home`, or COMMONPLACE_HOME if it is set, is written into the entry: an assistant started from a desktop does not
  know the variables of your shell.

## By a command or by an address

Without more, the assistant starts the program itself and speaks to it over standard input and output: nothing has to
run beforehand, and several assistants may do so at once on the same memory. With `--http URL` it speaks to a running
`commonplace serve` instead:

```console
$ commonplace serve &
$ commonplace connect cursor --http URL --key-variable COMMONPLACE_API_KEY --write
```

An address without a path gets that of `--dialect` and, if there is one, of `--bank`. `--key-variable` names the
environment variable that holds the server's key; the key itself is never written. Leave it out where there is no key.

## The assistants

What follows is what the program writes into an empty file on Linux for `--dialect memstate`, by command and by address.
""".replace("URL --key", f"{URL} --key")


def page() -> str:
    return HEAD + "".join(section(client) for client in CLIENTS)


def section(client: Client) -> str:
    folder = Path("/home/ada")
    places = {"Linux": Machine(folder, "linux", {}), "macOS": Machine(folder, "darwin", {})}
    shown = {system: str(client.path(machine)).replace(str(folder), "~") for system, machine in places.items()}
    windows = Machine(Path("~"), "win32", {"APPDATA": "%APPDATA%"})
    shown["Windows"] = str(client.path(windows)).replace("~", "%USERPROFILE%").replace("/", "\\")
    files = "\n".join(f"- {system}: `{path}`" for system, path in shown.items())
    local = written(client, Wanted("memstate", program=(PROGRAM,)))
    parts = [
        f"\n### {client.title}\n\n`commonplace connect {client.name} --write`\n\n{files}\n",
        f"\n```{client.format}\n{local}```\n",
    ]
    if client.remote:
        remote = written(client, Wanted("memstate", url=URL, key_variable="COMMONPLACE_API_KEY"))
        parts.append(f"\n```{client.format}\n{remote}```\n")
    else:
        parts.append(f"\n{client.title} takes no address from this file.\n")
    return "".join([*parts, f"\n{client.then}\n"])


def written(client: Client, wanted: Wanted) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return edits.plan(client, wanted, Machine(Path(folder), "linux", {})).after


if __name__ == "__main__":
    if sys.argv[1:] == ["-"]:
        print(page(), end="")
    else:
        PAGE.write_text(page())
