"""Writes the reference pages from the code, and the output into the sessions of docs/start.md:
`make docs`.

`python scripts/reference.py FOLDER` writes the reference pages into another folder and leaves docs/
alone.
"""

import ast
import dataclasses
import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import click

from commonplace import errors, ids, limits
from commonplace.engine.engine import Engine
from commonplace.evaluation.metrics import Estimate
from commonplace.faces.cli import SECTIONS, cli, output
from commonplace.faces.cli.commands import evaluate
from commonplace.records import memory as records
from commonplace.records import query, work
from commonplace.records.memory import Memory, Origin, Outcome, Scope, TagCount, Version
from commonplace.records.query import Hit
from commonplace.records.receipt import ErasedItem, Receipt
from commonplace.settings import SETTINGS

sys.path.insert(0, str(Path(__file__).parent))
import dialect_pages
import sessions

ROOT = Path(__file__).parent.parent
START = ROOT / "docs" / "start.md"
HEAD = (
    "<!-- Written by scripts/reference.py from the code. Change the code and run `make docs`. -->"
)
WIDTH = 80
MOMENT = 1_790_000_000_000


def pages() -> dict[str, str]:
    """Every page by its file name."""
    made = {
        "commands.md": commands_page(),
        "settings.md": settings_page(),
        "errors.md": errors_page(),
        "verbs.md": verbs_page(),
        "records.md": records_page(),
        "json.md": json_page(),
        "limits.md": limits_page(),
        **dialect_pages.pages(),
    }
    titles = {name: page.partition("\n")[0].removeprefix("# ") for name, page in made.items()}
    index = "\n".join(f"- [{title}]({name})" for name, title in titles.items())
    made["README.md"] = f"# Reference\n\nWritten from the code by `make docs`.\n\n{index}\n"
    return {name: page.replace("\n", f"\n\n{HEAD}\n", 1) for name, page in made.items()}


def commands_page() -> str:
    """The overview and the help of every command, as the program prints them."""
    names = [name for _, listed in SECTIONS for name in listed if name in cli.commands]
    names += [name for name in sorted(cli.commands) if name not in names]
    parts = [
        (
            "# Commands\n\nAnswers go to standard output, everything else to standard error. A"
            " failure is two lines, what happened and what to do, and an [exit code](errors.md)."
            " `--json` answers programs; [JSON](json.md) shows the shapes.\n\n"
        ),
        f"```text\n{help_of(cli, 'commonplace')}\n```\n",
    ]
    parts += [
        f"\n## {name}\n\n```text\n{help_of(cli.commands[name], f'commonplace {name}')}\n```\n"
        for name in names
    ]
    return "".join(parts)


def help_of(command: click.Command, path: str) -> str:
    """The help of a command in 80 columns."""
    parent = click.Context(
        cli, info_name="commonplace", terminal_width=WIDTH, **cli.context_settings
    )
    ctx = (
        parent
        if command is cli
        else click.Context(command, parent=parent, info_name=path.rsplit(maxsplit=1)[-1])
    )
    return command.get_help(ctx).rstrip()


def settings_page() -> str:
    """The table of settings."""
    rows = [
        (f"`{row.variable}`", code(row.default), row.help, code(row.original)) for row in SETTINGS
    ]
    text = (
        "Settings are environment variables. `commonplace settings` shows the values in force and"
        " where each is set.\n"
    )
    return f"# Settings\n\n{text}\n" + table(
        ("Variable", "Default", "Meaning", "Also understood"), rows
    )


def errors_page() -> str:
    """The kinds of errors with their codes."""
    kinds = [kind for kind in vars(errors).values() if inspect.isclass(kind)]
    kinds = [kind for kind in kinds if issubclass(kind, errors.CommonplaceError)]
    rows = [
        (f"`{kind.__name__}`", str(kind.status), str(kind.exit_code), (kind.__doc__ or "").strip())
        for kind in kinds
    ]
    text = (
        "Every failure is one of eight kinds, with a hint that says what to do. `CommonplaceError`"
        " is their base; its codes are also those of a bug, which the command line calls an"
        " internal error, with a reference.\n\nOn the command line, 1 is also the code of a"
        " `doctor` that leaves a problem and of an answer whose reader went away (`| head`); 130 is"
        " Ctrl-C.\n"
    )
    return f"# Errors\n\n{text}\n" + table(("Kind", "HTTP status", "Exit code", "Meaning"), rows)


def verbs_page() -> str:
    """The verbs of the engine with their signatures."""
    rooms: dict[str, list[str]] = {}
    for name in list(vars(Engine)):
        verb = getattr(Engine, name)
        if inspect.isfunction(verb) and not name.startswith("_"):
            shown = (
                f"\n### {name}\n\n```python\n{signature(name, verb)}\n```\n\n"
                f"{inspect.getdoc(verb) or ''}\n"
            )
            rooms.setdefault(verb.__module__, []).append(shown)
    parts = ["# Engine verbs\n\n`commonplace.open()` gives an `Engine`; these are its methods.\n"]
    for room, verbs in rooms.items():
        parts += [
            f"\n## {room.rpartition('.')[2]}\n\n{first_line(inspect.getdoc(sys.modules[room]))}\n",
            *verbs,
        ]
    return "".join(parts)


def signature(name: str, verb: Callable[..., object]) -> str:
    """A verb as it is called on an engine."""
    whole = inspect.signature(verb)
    own = whole.replace(parameters=list(whole.parameters.values())[1:])
    text = plain(f"{name}{own}")
    if len(text) <= 100:
        return text
    inner = ",\n".join(f"    {plain(str(parameter))}" for parameter in own.parameters.values())
    stars = [p for p in own.parameters.values() if p.kind is p.KEYWORD_ONLY]
    inner = (
        inner.replace(f"    {plain(str(stars[0]))}", f"    *,\n    {plain(str(stars[0]))}", 1)
        if stars
        else inner
    )
    returns = plain(inspect.formatannotation(own.return_annotation))
    return f"{name}(\n{inner},\n) -> {returns}"


def records_page() -> str:
    """Every record with its fields."""
    parts = [
        "# Records\n\nPlain frozen values. A moment is whole milliseconds since 1970 in UTC.\n"
    ]
    for module in (records, query, work):
        parts.append(f"\n## {module.__name__}\n\n{first_line(inspect.getdoc(module))}\n")
        for name, record in vars(module).items():
            if (
                inspect.isclass(record)
                and dataclasses.is_dataclass(record)
                and record.__module__ == module.__name__
            ):
                rows = [
                    (f"`{f.name}`", f"`{written(f.type)}`", default(f))
                    for f in dataclasses.fields(record)
                ]
                fields = f"\n{table(('Field', 'Type', 'Default'), rows)}" if rows else ""
                parts.append(f"\n### {name}\n\n{inspect.getdoc(record)}\n{fields}")
    return "".join(parts)


def json_page() -> str:
    """An example of every JSON shape that commands print."""
    memory = Memory(
        id=ids.smallest_id(MOMENT),
        bank_id=1,
        scope=Scope(project="web"),
        text="Staging listens on port 8080.",
        title="",
        kind="note",
        key="staging.port",
        tags=("infra",),
        metadata={"source": "chat"},
        paths=("deploy/**",),
        category="",
        happened_at=None,
        happened_until=None,
        expires_at=None,
        document_id=None,
        version=1,
        version_id=ids.smallest_id(MOMENT),
        created_at=MOMENT,
        updated_at=MOMENT,
        forgotten_at=None,
    )
    shared = {
        f.name: getattr(memory, f.name)
        for f in dataclasses.fields(Version)
        if hasattr(memory, f.name)
    }
    author = Origin(who="ada", dialect="cli", reason="moved")
    own = {
        "memory_id": memory.id,
        "number": 1,
        "action": "remember",
        "revision": 1,
        "at": MOMENT,
        "origin": author,
    }
    version = Version(**shared | own)
    hit = Hit(memory, 0.92, {"keyword": 0.81, "vector": 0.64})
    bank = records.Bank(1, "default", "", "", {}, MOMENT)
    hashed = "9f2c" + "0" * 60
    gone = (
        ErasedItem("memory", memory.id, hashed),
        ErasedItem("document", memory.id + 1, hashed, derived=True),
    )
    receipt = Receipt("default", MOMENT, author, {"user": hashed}, gone, rows={"version": 2})
    nothing: list[object] = []
    examples = (
        ("A memory: `show`, and one a line from `list`", output.memory_out(memory, "default")),
        (
            "A write: `add`, `revise`, `forget`, `restore`",
            output.outcome_out(Outcome("added", memory, 1), "default"),
        ),
        ("A receipt: `purge` and `banks delete`", output.receipt_out(receipt)),
        ("A version: one a line from `history`", output.version_out(version)),
        (
            "An answer: `recall`",
            {"question": "…", "hits": [output.hit_out(hit, "default")], "dropped": nothing},
        ),
        ("A tag: one a line from `tags`", output.tag_out(TagCount("infra", 3))),
        ("A bank: one a line from `banks`", output.bank_out(bank, 3)),
        (
            "A project: one a line from `projects`",
            output.project_out(records.Project("web", 3, 7, MOMENT)),
        ),
        ("A measurement: `eval`, with every measure and every miss", _measurement()),
    )
    text = (
        "`--json` prints one object, or one object on each line where there can be several. Texts"
        " are never cut; moments are ISO 8601 in UTC or null. Objects are spread over lines here"
        " for reading only.\n"
    )
    shown = (
        f"\n## {title}\n\n```json\n{json.dumps(shape, indent=2)}\n```\n"
        for title, shape in examples
    )
    return f"# JSON\n\n{text}" + "".join(shown)


def _measurement() -> dict[str, object]:
    expected = [ids.short_form(ids.smallest_id(MOMENT))]
    miss = {"question": "…", "bank": "default", "why": "missed", "expected": expected, "found": []}
    return evaluate.report_out(40, 10, {"recall@5": Estimate(0.9, 0.8, 0.975, 40)}, [miss])


def limits_page() -> str:
    """Every limit with its value and, where there is one, the remark beside it."""
    source = inspect.getsource(limits)
    rows = [
        (f"`{name}`", f"{value:,}", remark)
        for name, value, remark in constants(limits, source)
        if isinstance(value, int | float)
    ]
    return f"# Limits\n\n{inspect.getdoc(limits)}\n\n" + table(("Name", "Value", "Of"), rows)


def constants(module: ModuleType, source: str) -> Iterator[tuple[str, object, str]]:
    """The names a module sets, with their values and the comments at the end of their lines."""
    lines = source.splitlines()
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            yield name, getattr(module, name), lines[node.lineno - 1].partition("  # ")[2]


def default(field: "dataclasses.Field[object]") -> str:
    """The default of a field, as code, or nothing when it must be given."""
    if field.default is not dataclasses.MISSING:
        return (
            f"`{plain(repr(field.default))}`"
            if not isinstance(field.default, records.Unset)
            else "unchanged"
        )
    return (
        ""
        if field.default_factory is dataclasses.MISSING
        else f"`{plain(repr(field.default_factory()))}`"
    )


def written(annotation: object) -> str:
    """A type as the code writes it."""
    return plain(inspect.formatannotation(annotation)).replace("|", "\\|")


def plain(text: str) -> str:
    """Names without the modules they come from, and empty records without their fields."""
    short = re.sub(
        r"\b(?:commonplace|collections|typing|pathlib)(?:\.[a-z_]+)*\.(?=[A-Z])", "", text
    )
    short = re.sub(
        r"\b(Origin|Scope|Filter|BankEdit)\([^()]*(?:\([^()]*\)[^()]*)*\)", r"\1()", short
    )
    return re.sub(r"'(Draft|Filter|Memory|Condition|Semantics[^']*)'", r"\1", short)


def code(text: str) -> str:
    """The text marked as code, or nothing."""
    return f"`{text}`" if text else ""


def first_line(text: str | None) -> str:
    """The first line of a docstring."""
    return (text or "").partition("\n")[0]


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A markdown table."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def main() -> None:
    """Write the pages."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "reference"
    target.mkdir(parents=True, exist_ok=True)
    for name, page in pages().items():
        (target / name).write_text(page, encoding="utf-8")
    if len(sys.argv) == 1:
        START.write_text(
            sessions.rerun(START.read_text(encoding="utf-8"), os.environ), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
