"""Writes docs/connect.md and the table of the README from the tables of clients and dialects: `make
docs`.

With `-` the page goes to standard output.
"""

import re
import sys
import tempfile
from pathlib import Path

from commonplace.dialects import catalog, registry
from commonplace.faces.connect import edits
from commonplace.faces.connect.clients import CLIENTS, Client, Machine
from commonplace.faces.connect.edits import ServerSpec
from commonplace.faces.connect.keys import ANY_VARIABLE, Key

README = Path(__file__).parent.parent / "README.md"
PAGE = Path(__file__).parent.parent / "docs" / "connect.md"
PROGRAM = "/home/ada/.local/bin/commonplace"
URL = "http://127.0.0.1:8888/memstate/mcp"

HEAD = """# Connect an assistant

<!-- Written by scripts/connect_page.py from the table of clients. Change the table and run `make \
docs`. -->

One command shows the change to the assistant's configuration file, the same command with \
`--write` makes it:

```console
$ commonplace connect cursor --dialect memstate
$ commonplace connect cursor --dialect memstate --write
```

- Only our entry is changed. Other entries, comments and the layout stay as they are, and a copy \
of the old file is kept
  beside it (`….commonplace-1.bak`).
- Doing it twice changes nothing the second time. `commonplace disconnect cursor --write` takes \
the entry out again.
- A file that cannot be read, or cannot be changed safely, is left alone, and the message says \
what to do.
- `commonplace connect` alone lists the assistants, their files and which are connected.
- `--name notes` makes a second entry beside the first, for another `--dialect` or `--bank`.
- `--home`, or COMMONPLACE_HOME if it is set, is written into the entry: an assistant started from \
a desktop does not
  know the variables of your shell.

## By a command or by an address

Without more, the assistant starts the program itself and speaks to it over standard input and \
output: nothing has to
run beforehand, and several assistants may do so at once on the same memory. With `--http URL` it \
speaks to a running
`commonplace serve` instead:

```console
$ commonplace serve &
$ commonplace connect cursor --http http://127.0.0.1:8888 --dialect memstate --write
```

An address without a path gets that of `--dialect` and, if there is one, of `--bank`.

Where the server asks for a key, the entry says from which variable the assistant takes it, and \
the command says how to
set it. The key itself stays out of the file:

| Server | Variable |
|---|---|
| has COMMONPLACE_API_KEY set, or stands on another machine | `COMMONPLACE_API_KEY` |
| speaks the vault dialect without such a key | `COMMONPLACE_TOKEN`, with what `commonplace token` \
shows |
| has a key for hindsight alone | `COMMONPLACE_HINDSIGHT_API_KEY` |
| asks for none | none |

- `--key-variable NAME` takes another variable, `--key-variable ''` none.
- An assistant that is started from a desktop may not know the variable. `--write-key` writes the \
key itself, and only
  you can read the file then; the shown change hides the key. The key is the value of the \
variable; that of the vault
  is found without one.

## Which dialect

All dialects share one memory, so the choice is only about the tools that an assistant sees. \
`--dialect` makes it.

DIALECTS
Notes of the [vault](vault.md) are corrected in any editor.

## The assistants

What follows is what the program writes into an empty file on Linux for `--dialect memstate`, by \
command and by address.
"""


def dialects(link: str) -> str:
    """The table of dialects, with links to their reference."""
    heads = f"| {' | '.join(catalog.COLUMNS)} |\n" + "|---" * len(catalog.COLUMNS) + "|\n"
    return heads + "".join(_row(choice, link) for choice in catalog.choices())


def _row(choice: catalog.Choice, link: str) -> str:
    name, for_whom, *tools, count = choice.cells
    shown = [f"`{tool}`" if "_" in tool else tool for tool in tools]
    default = ", the default" if name == registry.DEFAULT else ""
    cells = [f"[{name}]({link}/dialect-{name}.md){default}", for_whom, *shown, count]
    return f"| {' | '.join(cells)} |\n"


def readme(text: str) -> str:
    """The README with the table as it is now."""
    return re.sub(
        r"(?<=<!-- dialects -->\n).*?(?=<!-- end -->)",
        lambda _: dialects("docs/reference"),
        text,
        flags=re.S,
    )


def page() -> str:
    return HEAD.replace("DIALECTS", dialects("reference")) + "".join(
        section(client) for client in CLIENTS
    )


def section(client: Client) -> str:
    folder = Path("/home/ada")
    places = {"Linux": Machine(folder, "linux", {}), "macOS": Machine(folder, "darwin", {})}
    shown = {
        system: str(client.path(machine)).replace(str(folder), "~")
        for system, machine in places.items()
    }
    windows = Machine(Path("~"), "win32", {"APPDATA": "%APPDATA%"})
    shown["Windows"] = str(client.path(windows)).replace("~", "%USERPROFILE%").replace("/", "\\")
    files = "\n".join(f"- {system}: `{path}`" for system, path in shown.items())
    local = written(client, ServerSpec("memstate", program=(PROGRAM,)))
    parts = [
        f"\n### {client.title}\n\n`commonplace connect {client.name} --write`\n\n{files}\n",
        f"\n```{client.format}\n{local}```\n",
    ]
    if client.remote:
        remote = written(client, ServerSpec("memstate", url=URL, key=Key(ANY_VARIABLE)))
        parts.append(f"\n```{client.format}\n{remote}```\n")
    else:
        parts.append(f"\n{client.title} takes no address from this file.\n")
    return "".join([*parts, f"\n{client.next_step}\n"])


def written(client: Client, wanted: ServerSpec) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return edits.plan(client, wanted, Machine(Path(folder), "linux", {})).after


if __name__ == "__main__":
    if sys.argv[1:] == ["-"]:
        print(page(), end="")
    else:
        PAGE.write_text(page())
        README.write_text(readme(README.read_text()))
