"""Writes docs/answers.md: what each reading tool's answer costs a model, beside the same in plain
text: `make docs`.

One store is filled through every dialect and asked through every reading tool, as a server on
standard input and output answers. Tokens are those of the embedder's tokenizer, which is in the
package. With `-` the page is printed.
"""

import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from commonplace.app import open_engine
from commonplace.dialects import registry
from commonplace.dialects.dialect import Call
from commonplace.faces.mcp import messages, protocol
from commonplace.faces.mcp.parsing import Request
from commonplace.models.static_embedder import StaticEmbedder
from commonplace.settings import load

PAGE = Path(__file__).parent.parent / "docs" / "answers.md"
START_MS = 1_790_000_000_000
MINUTE_MS = 60_000
RATIO_MAX = 1.6
PROJECT = "shop"
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)[\d:.]*Z")
# The fields that hold what a record says; everything else stands in brackets behind it.
_NAMES, _WORDS = (
    ("title", "name", "tag"),
    ("content", "text", "memory", "summary", "body", "markdown", "original_text"),
)

# Tools whose answers cost more, how much more they may cost, and the sentence that forces it.
FORCED: Mapping[str, tuple[float, str]] = {
    "memstate.memstate_history": (
        2.1,
        (
            "Contract: a version has id, summary, version, created_at and superseded_by, null in"
            " the newest, in an envelope with an echo of the input. Requirement history:links: and"
            " supersedes_id, is_latest and is_deleted."
        ),
    ),
    "memstate.memstate_search": (
        1.7,
        (
            "Requirement search:flat-and-nested: a result has the flat keys of the page and the"
            " nested memory of the live server. Keys of both are given twice: the id and the"
            " keypath."
        ),
    ),
    "hindsight.list_operations": (
        1.8,
        (
            "An operation has id and operation_id, which are the same: clients of the original read"
            " one or the other."
        ),
    ),
    "hindsight.get_knowledge_base_tree": (
        1.8,
        (
            "A node has id, kind, name, parent_id, managed and timestamp, a page mental_model_id"
            " and trigger as well."
        ),
    ),
}


class Minutes:
    """A clock that moves on by a minute with every call, so that the page is the same at every
    run.
    """

    def __init__(self) -> None:
        self.at = START_MS

    def now(self) -> int:
        return self.at


class Store:
    """A store that every dialect has written to, and what the tools of each answer."""

    def __init__(self, home: Path) -> None:
        self.clock = Minutes()
        self.engine = open_engine(load({"COMMONPLACE_HOME": str(home)}), self.clock)
        self.spoken = {name: registry.find(name).for_single_user() for name in registry.NAMES}
        self.made: dict[str, Any] = {}

    def ask(self, dialect: str, tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """The result of a call as a client gets it."""
        self.clock.at += MINUTE_MS
        request = Request(
            1, "tools/call", {"name": tool, "arguments": dict(given)}, messages.LEGACY[-1], dialect
        )
        call = Call(self.engine, "default", "s", dialect)
        result = json.loads(
            json.dumps(protocol.execute(request, self.spoken[dialect], lambda _: call))
        )
        assert not result["isError"], (dialect, tool, result)
        return result

    def fill(self) -> None:
        """Write through every dialect what a project and a person leave behind in some weeks."""
        for tool, given in WRITTEN:
            dialect, _, name = tool.partition(".")
            self.made[tool] = self.ask(dialect, name, given)["structuredContent"]


@dataclass(frozen=True)
class Size:
    """What one answer costs."""

    tool: str
    shown: int
    plain: int

    @property
    def ratio(self) -> float:
        return self.shown / self.plain


WRITTEN: tuple[tuple[str, dict[str, Any]], ...] = (
    *(
        ("memories.add_memory", {"content": text, "type": kind, "project_id": PROJECT, **more})
        for text, kind, more in (
            (
                "Deploy the shop on Tuesdays only, never before a holiday.",
                "rule",
                {"tags": ["deploy"]},
            ),
            (
                "Every endpoint of the shop checks the session first.",
                "rule",
                {"paths": ["src/api/**"]},
            ),
            (
                "We chose PostgreSQL for the shop because of its full-text search.",
                "decision",
                {"tags": ["database"]},
            ),
            (
                "The shop keeps sessions in signed cookies that last a week.",
                "fact",
                {"tags": ["auth"]},
            ),
            ("Ask Lena before changing how the shop is deployed.", "note", {}),
        )
    ),
    *(
        ("memstate.memstate_set", {"project_id": PROJECT, "keypath": path, "value": value, **more})
        for path, value, more in (
            ("deploy.port", "The shop is deployed on port 8080.", {"category": "fact"}),
            ("deploy.port", "The shop is deployed on port 9090.", {"category": "fact"}),
            ("deploy.region", "The shop is deployed in eu-west-1.", {"topics": ["aws"]}),
            (
                "auth.provider",
                "Customers sign in to the shop with a passwordless code.",
                {"category": "decision"},
            ),
        )
    ),
    (
        "powermem.add_memory",
        {"messages": "Lena deploys the shop when I am away.", "metadata": {"category": "work"}},
    ),
    ("powermem.add_memory", {"messages": "I am allergic to peanuts."}),
    (
        "hindsight.sync_retain",
        {
            "content": (
                "On 2 September 2026 the shop was deployed twice by mistake. Lena rolled the second"
                " one back."
            ),
            "context": "incidents",
            "tags": ["deploy"],
            "document_id": "incident-7",
        },
    ),
    (
        "hindsight.retain",
        {
            "content": "Ana moved to Oslo in June and works on the shop from there.",
            "tags": ["people"],
        },
    ),
    (
        "hindsight.create_mental_model",
        {
            "name": "Deploying",
            "source_query": "How is the shop deployed?",
            "mental_model_id": "deploying",
        },
    ),
    (
        "hindsight.create_directive",
        {"name": "Short", "content": "Answer in one sentence.", "priority": 2},
    ),
    ("hindsight.create_knowledge_folder", {"name": "Operations"}),
    (
        "hindsight.create_knowledge_page",
        {"name": "Deploying", "source_query": "How is the shop deployed?"},
    ),
    (
        "vault.memory_append",
        {
            "title": "Deploying the shop",
            "body": (
                "Warn the warehouse an hour before. Look at the dashboard of the queue for ten"
                " minutes after."
            ),
            "tags": ["deploy"],
        },
    ),
    (
        "memories.add_reminder",
        {"cron_expression": "0 9 * * 2", "message": "Deploy the shop.", "project_id": PROJECT},
    ),
)
_ASKED = "how is the shop deployed?"


def calls(made: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """One call of each reading tool, as an agent makes it."""
    page = made["hindsight.create_knowledge_page"]
    fact = made["hindsight.sync_retain"]["memory_ids"][0]
    note = made["powermem.add_memory"]["memory_id"]
    return {
        "commonplace.recall": {"query": _ASKED, "project_id": PROJECT},
        "commonplace.brief": {"project_id": PROJECT},
        "memories.get_context": {"query": _ASKED, "project_id": PROJECT},
        "memories.search_memories": {"query": _ASKED, "project_id": PROJECT},
        "memories.get_rules": {"project_id": PROJECT},
        "memories.list_memories": {"project_id": PROJECT},
        "memories.list_reminders": {"project_id": PROJECT},
        "memstate.memstate_get": {"project_id": PROJECT},
        "memstate.memstate_search": {"query": _ASKED, "project_id": PROJECT},
        "memstate.memstate_history": {"project_id": PROJECT, "keypath": "deploy.port"},
        "powermem.search_memories": {"query": _ASKED},
        "powermem.get_memory": {"memory_id": note},
        "powermem.list_memories": {},
        "mem0.search_memories": {"query": _ASKED},
        "mem0.get_memories": {},
        "mem0.get_memory": {"memory_id": note},
        "mem0.list_entities": {},
        "mem0.search_memory": {"query": _ASKED},
        "mem0.list_memories": {},
        "vault.memory_search": {"query": _ASKED},
        "vault.memory_recall": {"phases": ["deploy"]},
        "hindsight.recall": {"query": _ASKED},
        "hindsight.reflect": {"query": _ASKED},
        "hindsight.list_mental_models": {},
        "hindsight.get_mental_model": {"mental_model_id": "deploying"},
        "hindsight.list_banks": {},
        "hindsight.list_directives": {},
        "hindsight.list_memories": {},
        "hindsight.get_memory": {"memory_id": fact},
        "hindsight.list_documents": {},
        "hindsight.get_document": {"document_id": "incident-7"},
        "hindsight.list_operations": {},
        "hindsight.get_operation": {"operation_id": made["hindsight.retain"]["operation_id"]},
        "hindsight.list_tags": {},
        "hindsight.get_bank": {},
        "hindsight.get_bank_stats": {},
        "hindsight.get_knowledge_base_tree": {},
        "hindsight.search_knowledge_base": {"query": _ASKED},
        "hindsight.get_knowledge_page": {"page_id": page["page_id"]},
    }


def reading() -> list[str]:
    """Every tool of every dialect that reads, in the order of the tables."""
    return [
        f"{name}.{tool.name}"
        for name in registry.NAMES
        for tool in registry.find(name).tools.values()
        if tool.listed and tool.effect == "reads"
    ]


def shown(result: Mapping[str, Any]) -> str:
    """What a model is shown of an answer: its structure, in one line."""
    return json.dumps(result["structuredContent"], ensure_ascii=False, separators=(",", ":"))


def plain(result: Mapping[str, Any]) -> str:
    """The same in plain text: that of the dialect, or where this is JSON as well, a line for each
    record.

    A line has the id, the words and then the other values, days for moments, without names of
    fields, without what is empty and without what stands in the answer already.
    """
    text: str = result["content"][0]["text"]
    if not text.startswith("{"):
        return text
    return "\n".join(line for line in _lines(json.loads(text), set()) if line)


def _lines(value: Mapping[str, Any], said: set[str]) -> Iterator[str]:
    inner = {name: one for name, one in value.items() if _is_record(one) or _is_records(one)}
    flat = {
        name: one for name, one in value.items() if not _is_record(one) and not _is_records(one)
    }
    if len(flat) > 1 and all("." in name for name in flat):  # Keypaths are no names of fields.
        yield from (f"{name}: {one}" for name, one in flat.items())
        return
    yield _line(flat, said)
    for name, one in inner.items():
        if name == "scores":
            yield f"score {one['final']}"
        elif isinstance(one, list):
            for each in cast(list[dict[str, Any]], one):
                yield from _lines(each, said)
        elif lines := [line for line in _lines(one, said) if line]:
            yield f"{name.replace('_', ' ')}: " + "\n".join(lines)


def _line(flat: Mapping[str, Any], said: set[str]) -> str:
    head = [_told(flat[name], said) for name in ("id", *_NAMES) if flat.get(name)]
    words = [_told(flat[name], said) for name in _WORDS if flat.get(name)]
    rest = [
        (
            _named(name, one)
            if isinstance(one, int | float) or _MOMENT.fullmatch(str(one))
            else _told(one, said)
        )
        for name, one in flat.items()
        if name not in ("id", *_NAMES, *_WORDS)
        and one is not None
        and one is not False
        and one not in ("", [], {})
    ]
    shown = ": ".join(one for one in (*head, *words) if one)
    values = ", ".join(one for one in rest if one)
    return f"{shown} ({values})" if shown and values else shown or values


def _named(name: str, value: object) -> str:
    """A number, a mark or a moment, which say nothing without the name."""
    label = name.replace("_", " ")
    return label if value is True else f"{label} " + _MOMENT.sub(r"\1 \2", str(value))


def _told(value: object, said: set[str]) -> str:
    if isinstance(value, list):
        return ", ".join(filter(None, (_told(one, said) for one in cast(list[object], value))))
    text = str(value)
    # A sentence or an id that stands there already is not said again.
    if len(text) > 12:
        if text in said:
            return ""
        said.add(text)
    return text


def _is_record(value: object) -> bool:
    return isinstance(value, dict)


def _is_records(value: object) -> bool:
    return isinstance(value, list) and any(
        isinstance(one, dict) for one in cast(list[object], value)
    )


@cache
def _embedder() -> StaticEmbedder:
    return StaticEmbedder()


def tokens(text: str) -> int:
    """How many tokens a text has."""
    return _embedder().token_counts([text])[0]


def answers() -> dict[str, dict[str, Any]]:
    """What each reading tool answers."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        try:
            store.fill()
            asked = calls(store.made)
            named = [(tool, *tool.partition(".")[::2]) for tool in reading()]
            return {tool: store.ask(dialect, name, asked[tool]) for tool, dialect, name in named}
        finally:
            store.engine.db.close()


def sizes() -> list[Size]:
    """What each reading tool's answer costs."""
    return [Size(tool, tokens(shown(one)), tokens(plain(one))) for tool, one in answers().items()]


def allowed(tool: str) -> float:
    """How many tokens an answer of a tool may cost for each token of its plain text."""
    return FORCED[tool][0] if tool in FORCED else RATIO_MAX


def page() -> str:
    """docs/answers.md."""
    rows = [
        f"| `{one.tool}` | {one.shown:,} | {one.plain:,} | {one.ratio:.2f} |" for one in sizes()
    ]
    forced = [f"- `{tool}`, up to {most}: {why}" for tool, (most, why) in FORCED.items()]
    head = (
        "| tool | tokens of the answer | tokens of its plain text | ratio |",
        "|---|---:|---:|---:|",
    )
    return "\n".join([_HEAD, "", *head, *rows, "", _FORCED_HEAD, "", *forced, ""])


_HEAD = f"""# What an answer costs

<!-- Written by scripts/answer_sizes.py (`make docs`). -->

Claude Code and Codex show a model the structured result of a tool. This page compares what that \
costs with the same
answer in plain text: the text form of the dialect or, where this is JSON as well, a line for each \
record. One small
store is filled through every dialect and asked through every reading tool, as a server on \
standard input and output
answers. Tokens are those of the embedder's tokenizer, which is in the package.

No answer costs more than {RATIO_MAX} times its plain text, except those named below. A test keeps \
that and these
numbers: `tests/dialects/test_answer_sizes.py`. Empty fields are left out; traces come with \
`include_trace` only."""
_FORCED_HEAD = "These cost more, because what they promise forces it:"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
