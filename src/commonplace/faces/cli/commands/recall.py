"""The command `recall`, with its option --explain."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from commonplace.faces.cli import terminal
from commonplace.faces.cli.command import CommandCall, with_call, with_filter
from commonplace.faces.cli.commands.explain import show_dropped, show_evidence
from commonplace.faces.cli.output import dropped_out, hit_out, path_of
from commonplace.records.query import Filter, Hit, Query, Recall

NOTHING = "Nothing relevant is known."
UNSURE = "No memory surely answers this. The closest:"
_COPIES_SHOWN = 3


@click.command()
@click.argument("question", nargs=-1, required=True)
@with_filter(full=False)
@click.option(
    "--limit", type=int, metavar="N", help="Show at most N memories, including merely similar ones."
)
@click.option(
    "--min-score",
    type=float,
    default=0.0,
    metavar="0..1",
    help="Leave out memories with a lower score.",
)
@click.option("--full", is_flag=True, help="Show the whole text of each memory.")
@click.option(
    "--explain", is_flag=True, help="Show the scores of each memory, and what was left out and why."
)
@with_call()
def recall(
    call: CommandCall,
    question: tuple[str, ...],
    chosen: Filter,
    full: bool,
    explain: bool,
    **options: Any,
) -> None:
    """Find the memories that answer a question, best first.

    Both words and meaning count; an exact name always ranks above something merely similar. By
    default the command shows only memories that surely answer: the newest where something has
    changed, and each statement once. When none surely answers, it says so and shows the closest
    few. --limit also shows merely similar memories. Of a long text it shows the passage that
    answers; --full shows the whole text. A note comes with the path of its file. --json prints one
    object: question, unsure, hits (score, channels, memory, path, copies) and dropped.

    \b
    Examples:
      commonplace recall "which port does staging use?"
      commonplace recall deployment --project web --limit 3 --explain
    """
    asked = " ".join(question)
    bank = call.read_bank
    query = Query(text=asked, filter=chosen, explain=explain, **options)
    # Before the first write there is no bank, so the answer is empty.
    found = call.engine.recall(bank, query) if call.bank_exists else Recall(())
    if call.as_json:
        terminal.print_json(_recall_out(asked, found, bank))
        return
    if not found.hits:
        terminal.print_answer(NOTHING)
    elif found.unsure:
        terminal.print_answer(UNSURE)
    if found.hits:
        _print_hits(call, asked, found, full=full, explain=explain)
    if explain:
        show_dropped(call, len(found.hits), found.dropped)


def _recall_out(asked: str, found: Recall, bank: str) -> dict[str, object]:
    hits = [hit_out(hit, bank) for hit in found.hits]
    dropped = [dropped_out(one) for one in found.dropped]
    return {"question": asked, "unsure": found.unsure, "hits": hits, "dropped": dropped}


def _print_hits(call: CommandCall, asked: str, found: Recall, *, full: bool, explain: bool) -> None:
    names = call.short_ids(
        [number for hit in found.hits for number in (hit.memory.id, *hit.copies)]
    )
    texts = [hit.memory.text for hit in found.hits]
    passages = texts if full else list(call.engine.passages_of(asked, texts))
    for hit, passage in zip(found.hits, passages, strict=True):
        _print_hit(hit, passage, explain, names)
    if passages != texts:
        terminal.print_note("--full shows the whole texts.")


def _print_hit(hit: Hit, passage: str, explain: bool, names: Mapping[int, str]) -> None:
    memory = hit.memory
    indent = " " * 6
    cut = len(passage) < len(memory.text)
    shown = _with_ellipses(passage, memory.text) if cut else passage
    text = f"{memory.title}\n{shown}" if memory.title else shown
    score = terminal.style(f"{hit.score:.2f}", fg="green", bold=True)
    terminal.print_line(score, "  ", terminal.style(_hanging_indent(text, indent)))
    details = (
        terminal.format_time(memory.created_at),
        path_of(memory),
        memory.key,
        memory.scope.project and f"project {memory.scope.project}",
        memory.scope.user and f"user {memory.scope.user}",
        " ".join(f"#{tag}" for tag in memory.tags),
        _format_copies([names[number] for number in hit.copies]),
        f"passage of {len(memory.text):,} characters" if cut else "",
    )
    number = names[memory.id]
    rest = _hanging_indent(" · ".join((number, *filter(None, details))), indent).removeprefix(
        number
    )
    terminal.print_line(indent, terminal.style(number, fg="cyan"), terminal.style(rest, dim=True))
    if explain:
        show_evidence(hit)


def _with_ellipses(passage: str, whole: str) -> str:
    """The passage with … at the sides where it was cut."""
    plain = whole.strip()
    before = "" if plain.startswith(passage) else "… "
    after = "" if plain.endswith(passage) else " …"
    return f"{before}{passage}{after}"


def _format_copies(copies: Sequence[str]) -> str:
    shown = ", ".join(copies[:_COPIES_SHOWN])
    more = len(copies) - _COPIES_SHOWN
    return f"also {shown}{f' and {more:,} more' if more > 0 else ''}" if copies else ""


def _hanging_indent(text: str, indent: str) -> str:
    return terminal.wrap(text, indent).removeprefix(indent)
