"""The brief: what an agent should know when it starts to work in a project, within a budget."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from commonplace import clock, validation
from commonplace.engine.hooks.rendering import InjectedText, Section, memory_lines, render
from commonplace.engine.memories import list_memories
from commonplace.engine.runtime import Runtime
from commonplace.engine.sessions.reminders import list_reminders
from commonplace.engine.sessions.rules import RULE, list_rules, visible_to
from commonplace.engine.sessions.sessions import list_sessions
from commonplace.limits import BRIEF_TOKENS_DEFAULT, BRIEF_TOKENS_MAX
from commonplace.records.memory import Memory, Scope
from commonplace.records.query import Filter
from commonplace.records.work import SessionFilter

_CURRENT_MAX, _CHANGED_MAX, _REMINDERS_MAX, _OWN_MAX = 40, 15, 5, 15
# A part of the budget, so that many rules leave room for the rest.
_RULES_SHARE = 0.5
_REMINDER_AHEAD_MS = 24 * 3_600_000


@dataclass(frozen=True, slots=True)
class BriefQuery:
    """A request for a brief. `own_ids` are the memories that this session made itself; `known_ids`
    are in the model's context already.
    """

    project: str = ""
    session_id: int = 0
    own_ids: tuple[int, ...] = ()
    known_ids: Collection[int] = ()
    tokens_max: int = BRIEF_TOKENS_DEFAULT
    chars_max: int = 100_000


def make_brief(runtime: Runtime, bank: str, query: BriefQuery) -> InjectedText:
    """Rules, reminders, what changed since the last session, and what is current in a project."""
    validation.name(bank, what="bank")
    validation.count(query.tokens_max, what="token budget", least=100, most=BRIEF_TOKENS_MAX)
    visible = visible_to(Scope(project=query.project))
    with runtime.db.snapshot():
        rules = list_rules(runtime, bank, visible)
        chosen = replace(visible, kinds_not=(RULE,))
        newest = list_memories(
            runtime, bank, chosen, order="updated", limit=_CURRENT_MAX + _CHANGED_MAX
        )
        since = _last_session_at(runtime, bank, query)
        sections = (
            _rules_section(rules, query.tokens_max),
            Section("Open reminders", _reminder_lines(runtime, bank, query.project)),
            _own_section(newest, query.own_ids),
            *_memory_sections(newest, query, since),
        )
    known = frozenset(query.known_ids)
    wanted = [
        replace(one, lines=tuple(line for line in one.lines if line[1] not in known))
        for one in sections
    ]
    return render(wanted, tokens_max=query.tokens_max, chars_max=query.chars_max)


def _rules_section(rules: tuple[Memory, ...], tokens_max: int) -> Section:
    lines = tuple(
        (f"(for {', '.join(one.paths)}) {line}" if one.paths else line, number)
        for one, (line, number) in zip(rules, memory_lines(rules), strict=True)
    )
    title = "Rules that the user saved"
    # Measured together, so that the share holds whatever the rules look like.
    fitting = render(
        [Section(title, lines)], tokens_max=int(tokens_max * _RULES_SHARE), chars_max=100_000
    )
    return Section(title, tuple(line for line in lines if line[1] in fitting.memory_ids))


def _own_section(newest: tuple[Memory, ...], own_ids: tuple[int, ...]) -> Section:
    own = [one for one in newest if one.id in own_ids]
    return Section("Kept earlier in this session", memory_lines(own[:_OWN_MAX]))


def _memory_sections(
    newest: tuple[Memory, ...], query: BriefQuery, since: int | None
) -> tuple[Section, Section]:
    others = [one for one in newest if one.id not in query.own_ids]
    changed = [one for one in others if since is not None and one.updated_at > since]
    changed = changed[:_CHANGED_MAX]
    current = [one for one in others if one not in changed][:_CURRENT_MAX]
    # What belongs to the project comes before what belongs to none.
    current.sort(key=lambda one: one.scope.project != query.project)
    return (
        Section("Changed since the last session", memory_lines(changed)),
        Section("Current in this project", memory_lines(current)),
    )


def _last_session_at(runtime: Runtime, bank: str, query: BriefQuery) -> int | None:
    """When the last other session of the project was active."""
    found = list_sessions(
        runtime, bank, SessionFilter(projects=(query.project,), users=("",)), limit=10
    )
    return next((one.active_at for one in found.items if one.id != query.session_id), None)


def _reminder_lines(
    runtime: Runtime, bank: str, project: str
) -> tuple[tuple[str, int | None], ...]:
    before = runtime.clock.now() + _REMINDER_AHEAD_MS
    found = list_reminders(runtime, bank, projects=(project, ""), users=("",), limit=_REMINDERS_MAX)
    return tuple(
        (f"{one.message} (due {clock.iso(one.next_at)[:16]})", None)
        for one in found
        if one.next_at is not None and one.next_at <= before
    )


def visible_filter(project: str) -> Filter:
    """The memories that a session in a project may see, without rules, which the brief has."""
    return replace(visible_to(Scope(project=project)), kinds_not=(RULE,))
