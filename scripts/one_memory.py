"""Writes docs/one-memory.md by calling the tools of all five dialects on one store.

`make docs` runs it. With `-` the page is printed.

The calls go through the protocol's own methods, and what the page shows of an answer is taken out
of that answer. The clock stands still and moves by a minute a call, so that ids and times are the
same at every run.
"""

import json
import sys
import tempfile
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from commonplace import ids
from commonplace.app import open_engine
from commonplace.dialects import kinds, registry
from commonplace.dialects.dialect import Call
from commonplace.engine.facts.stats import KINDS
from commonplace.faces.mcp import messages, protocol
from commonplace.faces.mcp.parsing import Request
from commonplace.settings import load

PAGE = Path(__file__).parent.parent / "docs" / "one-memory.md"
MINUTE_MS = 60_000
START_MS = 1_790_000_000_000
WIDTH = 116
CALLED = {
    "vault": "notes (vault)",
    "memories": "editor (memories.sh)",
    "memstate": "agent (Memstate)",
    "powermem": "script (PowerMem)",
    "hindsight": "assistant (Hindsight)",
}


class Minutes:
    """A clock that advances by a minute on demand."""

    def __init__(self) -> None:
        self.at = START_MS

    def now(self) -> int:
        return self.at

    def tick(self) -> None:
        self.at += MINUTE_MS


class Session:
    """Five clients of one store, and the page that shows their calls."""

    def __init__(self, home: Path) -> None:
        self.clock = Minutes()
        self.engine = open_engine(load({"COMMONPLACE_HOME": str(home)}), self.clock)
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        """A paragraph."""
        self.lines += [text if text.startswith("#") else textwrap.fill(text, WIDTH), ""]

    def ask(self, dialect: str, tool: str, **given: Any) -> dict[str, Any]:
        """What a tool answers, for programs."""
        self.clock.tick()
        request = Request(
            1, "tools/call", {"name": tool, "arguments": given}, messages.LEGACY[-1], dialect
        )
        call = Call(self.engine, "default", "s", dialect)
        return json.loads(
            json.dumps(protocol.execute(request, registry.single_bank(dialect), lambda _: call))
        )

    def show(self, *calls: tuple[str, str, dict[str, Any], Callable[[Any], object]]) -> list[Any]:
        """Calls and the part of each answer that matters here; the whole answers."""
        self.lines.append("```text")
        answers: list[Any] = []
        for place, (dialect, tool, given, part) in enumerate(calls):
            result = self.ask(dialect, tool, **given)
            answer = result["structuredContent"]
            answers.append(answer["data"] if dialect == "memories" else answer)
            self.lines += [""] if place else []
            self.lines += [
                f"{CALLED[dialect]}: {tool} {compact(given)}",
                *answered(part(answers[-1])),
            ]
        self.lines += ["```", ""]
        return answers


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def answered(value: object) -> list[str]:
    """An answer's part on as few lines as fit."""
    rows: Sequence[object] = value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType]
    texts = [row if isinstance(row, str) else compact(row) for row in rows]
    return [f"  → {line}" for text in texts for line in text.splitlines()] or ["  → nothing"]


def fields(*names: str) -> Callable[[Any], object]:
    """Some fields of an answer."""
    return lambda answer: {name: answer[name] for name in names}


def each(path: str, *names: str) -> Callable[[Any], object]:
    """Some fields of each item of a list in an answer."""

    def part(answer: Any) -> object:
        for step in path.split("."):
            answer = answer[step]
        found = [
            one[names[0]] if len(names) == 1 else {name: one[name] for name in names}
            for one in answer
        ]
        # What ranks before what is another page's matter, and not this one's to keep.
        return (
            found
            if names[0] == "version"
            else sorted(
                found, key=lambda one: compact(one[names[-1]] if isinstance(one, dict) else one)
            )
        )

    return part


def data(*names: str) -> Callable[[Any], object]:
    """Some fields of a Memstate answer."""
    return lambda answer: {name: answer["data"][name] for name in names}


def finds(
    query: str, project: str
) -> list[tuple[str, str, dict[str, Any], Callable[[Any], object]]]:
    """The same question in every dialect."""
    return [
        ("vault", "memory_search", {"query": query}, each("results", "title", "body")),
        (
            "memories",
            "search_memories",
            {"query": query, "project_id": project},
            each("memories", "type", "content"),
        ),
        (
            "memstate",
            "memstate_search",
            {"query": query},
            each("data.results", "keypath", "summary"),
        ),
        ("powermem", "search_memories", {"query": query}, each("results", "memory_type", "memory")),
        ("hindsight", "recall", {"query": query}, each("results", "fact_type", "text")),
    ]


def page() -> str:
    """The page."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session(Path(folder))
        try:
            written(session)
            found(session)
            changed(session)
            forgotten(session)
            walls(session)
        finally:
            session.engine.db.close()
    return HEAD + "\n".join([*session.lines, tables()])


HEAD = """# One memory in five dialects

<!-- Written by scripts/one_memory.py, which calls all five on one store. Change the script and \
run `make docs`. -->

Your editor speaks memories.sh, your assistant Hindsight, an agent Memstate, a script PowerMem, \
and you write notes by
hand. With Commonplace they all have the same memory: what one of them writes the others find, \
change and forget.
Nothing has to be set up for that. It is enough that they are [connected](connect.md) to the same \
store.

What follows is real: every line behind an arrow is from the answer to the call above it.

"""


def written(session: Session) -> None:
    session.say("## Each writes something")
    session.say(
        "Nobody here knows of the others. Keypath, type, tags and title are each product's own."
    )
    session.show(
        (
            "memories",
            "add_memory",
            {
                "content": "Deploy the shop on Tuesdays only.",
                "type": "rule",
                "project_id": "shop",
                "tags": ["deploy"],
            },
            fields("message"),
        ),
        (
            "memstate",
            "memstate_set",
            {
                "project_id": "shop",
                "keypath": "deploy.port",
                "value": "The shop is deployed on port 8080.",
            },
            data("memory_id", "action", "version"),
        ),
        (
            "powermem",
            "add_memory",
            {"messages": "Lena deploys the shop when I am away."},
            each("data.results", "id", "memory", "event"),
        ),
        (
            "hindsight",
            "sync_retain",
            {
                "content": "On 2 September 2026 the shop was deployed twice by mistake.",
                "tags": ["deploy"],
            },
            fields("status", "memory_ids"),
        ),
        (
            "vault",
            "memory_append",
            {
                "title": "Deploying the shop",
                "body": "Warn the warehouse an hour before.",
                "tags": ["deploy"],
            },
            fields("id", "title", "status"),
        ),
    )


def found(session: Session) -> None:
    session.say("## Each finds what all of them wrote")
    session.say(
        "The same question, five times, the answers in the order of the alphabet. memories.sh asks"
        " for a project's memories, as its contract has it; the other four look at everything that"
        " is the owner's."
    )
    session.show(*finds("how is the shop deployed?", "shop"))
    session.say(
        "What a product has no word for shows as the nearest it has: the fact of Hindsight is a"
        " `fact` in memories.sh, and the rule of memories.sh is about the `world` in Hindsight. The"
        " memory itself keeps what it was born with."
    )


def changed(session: Session) -> None:
    session.say("## A change in one is a change in all")
    note = session.engine.list("default", limit=1)[0]
    session.say(
        "Every product prints ids in its own form, and every form works in every product. Here the"
        f" editor changes the note, whose id it knows as `{ids.short_form(note.id)}`, and the"
        " script changes it again under its number:"
    )
    session.show(
        (
            "memories",
            "edit_memory",
            {"id": ids.short_form(note.id), "content": "Warn the warehouse two hours before."},
            fields("message"),
        ),
        (
            "powermem",
            "update_memory",
            {"memory_id": note.id, "content": "Warn the warehouse and Lena two hours before."},
            fields("message"),
        ),
    )
    session.say(
        "Memstate shows it as a history, with the dialect that made each version. The assistant has"
        " the new fact:"
    )
    session.show(
        (
            "memstate",
            "memstate_history",
            {"memory_id": ids.memstate_form(note.id)},
            each("data.versions", "version", "source", "summary"),
        ),
        ("hindsight", "get_memory", {"memory_id": ids.uuid_form(note.id)}, fields("text", "tags")),
    )
    session.ask("vault", "memory_search", query="warehouse")
    assert session.engine.vault
    session.say(
        "And the file in the folder of notes, which is yours to open in any editor, says it too:"
    )
    session.lines += [
        "```markdown",
        (session.engine.vault / "Deploying the shop.md").read_text().strip(),
        "```",
        "",
    ]
    session.say(
        "A change to a project can be looked at from before. The port moves, through the script"
        " this time:"
    )
    port = next(one for one in session.engine.list("default") if one.key == "deploy.port")
    session.show(
        (
            "powermem",
            "update_memory",
            {"memory_id": port.id, "content": "The shop is deployed on port 9090."},
            fields("message"),
        ),
        (
            "memstate",
            "memstate_get",
            {"project_id": "shop", "keypath": "deploy"},
            data("memories", "revision_number"),
        ),
        (
            "memstate",
            "memstate_get",
            {"project_id": "shop", "keypath": "deploy", "at_revision": 2},
            data("memories", "revision_number"),
        ),
    )


def forgotten(session: Session) -> None:
    session.say("## Forgotten once is forgotten everywhere")
    rule = next(one for one in session.engine.list("default") if one.kind == "rule")
    session.say(
        "You delete the rule from among your notes. No search, context, tree, bundle or reflection"
        " has it now:"
    )
    session.show(
        ("vault", "memory_forget", {"id": ids.note_form(rule.id)}, fields("status")),
        ("memories", "get_rules", {"project_id": "shop"}, each("projectRules", "content")),
        ("powermem", "search_memories", {"query": "Tuesdays"}, each("results", "memory")),
        ("hindsight", "recall", {"query": "Tuesdays"}, each("results", "text")),
    )
    session.say(
        "Nothing is lost by forgetting. In Memstate a new value brings a memory back, with all its"
        " history; so do `commonplace restore` and, for a note, the word `active` in its file."
    )
    session.show(
        (
            "memstate",
            "memstate_set",
            {
                "project_id": "shop",
                "keypath": ids.short_form(rule.id),
                "value": "Deploy the shop on Mondays only.",
            },
            data("action", "version"),
        ),
        ("memories", "get_rules", {"project_id": "shop"}, each("projectRules", "content", "tags")),
    )
    session.say(
        "What really erases is what its product says erases: `vacuum_memories`, `delete_document`,"
        " `clear_memories`, `delete_bank` and our own `commonplace purge`."
    )


def walls(session: Session) -> None:
    session.say("## What stays apart")
    session.say(
        "A bank is a wall: Hindsight's `bank_id`, the `tenant_id` of memories.sh, and for the"
        " others the bank of the connection. A named user's memories are that user's; whoever names"
        " no user is the owner, and PowerMem's default user is the owner under another name. A"
        " project is a way to look, not a wall. What a bank's allowlist forbids is forbidden in"
        " every dialect; see [compatibility.md](compatibility.md#the-allowlist-of-a-bank)."
    )
    session.show(
        (
            "powermem",
            "add_memory",
            {"messages": "Tom wants the shop closed in August.", "user_id": "tom"},
            each("data.results", "memory", "event"),
        ),
        (
            "powermem",
            "search_memories",
            {"query": "what does Tom want?", "user_id": "tom"},
            each("results", "user_id", "memory"),
        ),
        (
            "powermem",
            "search_memories",
            {"query": "what does Tom want?"},
            each("results", "memory"),
        ),
        (
            "memories",
            "search_memories",
            {"query": "what does Tom want?", "user_id": "tom"},
            each("memories", "userId", "content"),
        ),
        ("hindsight", "recall", {"query": "what does Tom want?"}, each("results", "text")),
        ("vault", "memory_search", {"query": "what does Tom want?"}, each("results", "body")),
    )


def tables() -> str:
    number = ids.smallest_id(START_MS) + 1
    forms = [
        ("memories.sh and the command line", ids.short_form(number)),
        ("Memstate", ids.memstate_form(number)),
        ("vault", ids.note_form(number)),
        ("Hindsight", ids.uuid_form(number)),
        ("PowerMem", str(number)),
    ]
    every = sorted({*kinds.MEMORIES.names, *kinds.MEMSTATE.names, *KINDS})
    shown = [
        (
            kind,
            kinds.MEMORIES.display_kind(kind),
            kinds.MEMSTATE.display_kind(kind),
            kind if kind in KINDS else "world",
        )
        for kind in [*every, "anything else"]
    ]
    return "\n".join(
        [
            "## Who calls what how",
            "",
            "One memory's id, as each prints it:",
            "",
            "| In | Id |",
            "|---|---|",
            *(f"| {name} | `{form}` |" for name, form in forms),
            "",
            "What a kind of memory is called; PowerMem's `memory_type` is the kind itself:",
            "",
            "| Kind | memories.sh | Memstate | Hindsight |",
            "|---|---|---|---|",
            *(f"| {' | '.join(row)} |" for row in shown),
            "",
            (
                "A list or a search for a type finds what is shown as that type. An edit that only"
                " repeats the type it was"
            ),
            "shown leaves the kind as it is.",
            "",
            "| A memory's | vault | memories.sh | Memstate | PowerMem | Hindsight |",
            "|---|---|---|---|---|---|",
            "| text | body | content | content | memory | text |",
            (
                "| title | title | title, the first line | before the summary | title | context, if"
                " no category |"
            ),
            "| tags | tags | tags | topics | tags | tags |",
            "| project | – | projectId | project_id | – | the tag `project:NAME` |",
            "| category | – | category | – | – | context |",
            "| key of a short value | title | title, the first line | keypath | title | context |",
            "| time it speaks of | – | – | – | – | occurred_start |",
            (
                "| birth, last change | created_at, updated_at | createdAt, updatedAt | history |"
                " created_at, updated_at | mentioned_at, updated_at |"
            ),
            "",
            (
                "What a product does not show it does not touch either: a memory that is edited"
                " there keeps it."
            ),
            "",
        ]
    )


if __name__ == "__main__":
    if sys.argv[1:] == ["-"]:
        print(page(), end="")
    else:
        PAGE.write_text(page(), encoding="utf-8")
