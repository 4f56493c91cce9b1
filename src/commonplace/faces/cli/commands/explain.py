"""The output of `recall --explain`: the evidence for each hit, and the dropped candidates by
reason.
"""

from collections.abc import Sequence

from commonplace import ids
from commonplace.faces.cli import terminal
from commonplace.faces.cli.command import CommandCall
from commonplace.faces.evidence import DESCRIPTIONS, visible_evidence
from commonplace.limits import LIST_MAX
from commonplace.records.query import Dropped, Filter, Hit

_INDENT = " " * 6
_NAME_WIDTH, _BAR_WIDTH = 16, 16
_SHOWN_MAX = 5  # Candidates shown per reason.
_EVIDENCE_GROUPS = {
    "its words": ("keyword", "coverage"),
    "its meaning": ("vector", "tokens"),
    "the text around it": ("coverage around", "vector around", "tokens around"),
    "its speaker": ("speaker",),
    "its time": ("time",),
    "a standing preference or rule": ("preference", "rule"),
}
_HINTS = {
    "beyond the limit": "a larger --limit shows more",
    "not surely an answer": "--limit N also shows merely similar ones",
    "below the minimum score": "a smaller --min-score shows more",
    "another memory says the same": "`commonplace forget ID` forgets one of them",
}


def show_evidence(hit: Hit) -> None:
    """Print the evidence for a hit as bars."""
    by = [
        way
        for way, names in _EVIDENCE_GROUPS.items()
        if any(hit.channels.get(name, 0) > 0 for name in names)
    ]
    if by:
        told = f"found by {' and '.join(filter(None, (', '.join(by[:-1]), by[-1])))}"
        terminal.print_line(
            _INDENT,
            terminal.style(terminal.shorten(told, terminal.width() - len(_INDENT)), dim=True),
        )
    room = terminal.width() - len(_INDENT) - _NAME_WIDTH - _BAR_WIDTH - 9
    for name, score in visible_evidence(hit.channels).items():
        meant = DESCRIPTIONS.get(name, "")
        terminal.print_line(
            _INDENT,
            terminal.style(name.ljust(_NAME_WIDTH), dim=True),
            terminal.style(terminal.score_bar(score, _BAR_WIDTH), fg="green"),
            f"  {score:5.2f}  ",
            terminal.style(meant if len(meant) <= room else "", dim=True),
        )
    terminal.print_line()


def show_dropped(call: CommandCall, kept_count: int, dropped: Sequence[Dropped]) -> None:
    """Print the dropped candidates by reason, the best of each first."""
    if not dropped:
        terminal.print_note("Nothing else was found.")
        return
    _print_dropped_count(kept_count, len(dropped))
    reasons = _by_reason(dropped)
    shown = tuple(one.memory_id for some in reasons.values() for one in some[:_SHOWN_MAX])
    chosen = Filter(ids=shown, status="any", expired=True)
    texts = {
        one.id: one.title or one.text
        for one in call.engine.list(call.read_bank, chosen, limit=LIST_MAX)
    }
    names = call.short_ids(shown)
    for why, some in reasons.items():
        _print_reason(why, len(some))
        for one in some[:_SHOWN_MAX]:
            name = names.get(one.memory_id) or ids.short_form(one.memory_id)
            _show_dropped_memory(one, name, texts.get(one.memory_id, ""))
        if len(some) > _SHOWN_MAX:
            more = f"      … and {len(some) - _SHOWN_MAX:,} more; --json has all"
            terminal.print_line("  ", terminal.style(more, dim=True))


def _by_reason(dropped: Sequence[Dropped]) -> dict[str, list[Dropped]]:
    reasons: dict[str, list[Dropped]] = {}
    for one in dropped:
        reasons.setdefault(one.why, []).append(one)
    return reasons


def _print_dropped_count(kept_count: int, dropped_count: int) -> None:
    count = kept_count + dropped_count
    total = terminal.pluralize(count, "memory")
    verb = "was" if count == 1 else "were"
    line = f"{total} {verb} considered: {kept_count:,} kept, {dropped_count:,} left out."
    terminal.print_line(terminal.style(line, bold=True))


def _print_reason(why: str, count: int) -> None:
    hint = f" ({_HINTS[why]})" if why in _HINTS else ""
    title = terminal.style(f"{why[:1].upper()}{why[1:]}: {count:,}")
    terminal.print_line()
    terminal.print_line("  ", title, terminal.style(hint, dim=True))


def _show_dropped_memory(one: Dropped, name: str, text: str) -> None:
    room = terminal.width() - len(name) - 10
    terminal.print_line(
        f"  {one.score:.2f}  ",
        terminal.style(name, fg="cyan"),
        "  ",
        terminal.style(terminal.shorten(text, room)),
    )
