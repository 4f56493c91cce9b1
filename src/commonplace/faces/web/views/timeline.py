"""Timeline: the changes of each day, sessions with their events, and the store at a revision."""

from itertools import groupby
from pathlib import Path

from commonplace import clock, ids
from commonplace.engine.engine import Engine
from commonplace.engine.hooks import hook_log
from commonplace.engine.hooks.hook_log import LogLine
from commonplace.faces.web.json_twins import version_json
from commonplace.faces.web.rendering import moment_text
from commonplace.faces.web.visit import Answer, Page, Visit
from commonplace.records.memory import Revision

_REVISIONS_SHOWN = 200
_SESSIONS_SHOWN = 50
_MEMORIES_SHOWN = 100
_HOOKS_SHOWN = 50


def timeline_page(visit: Visit) -> Answer:
    """The changes and sessions of a project, and its memories at a chosen revision."""
    engine, bank, project = visit.engine, visit.bank, visit.get("project")
    newest = engine.revision(bank, project)
    number = min(visit.number("revision", newest), newest)
    revisions = engine.revisions(bank, project, limit=_REVISIONS_SHOWN)
    state = engine.at_revision(bank, project, number) if newest else ()
    shown = sorted(state, key=lambda one: one.at, reverse=True)[:_MEMORIES_SHOWN]
    moment = next((one.at for one in revisions if one.number == number), None)
    data = {
        "project": project,
        "projects": [one.name for one in engine.list_projects(bank)],
        "newest": newest,
        "number": number,
        "moment": moment,
        "state_count": len(state),
        "state": shown,
        "days": _by_day(revisions),
        "sessions": engine.list_sessions(bank, limit=_SESSIONS_SHOWN).items,
        "hooks": _hooks(visit),
    }
    twin = {
        "project": project,
        "revision": number,
        "newest_revision": newest,
        "memories": [version_json(one) for one in shown],
        "revisions": [
            {"number": one.number, "action": one.action, "at": clock.iso(one.at)}
            for one in revisions
        ],
    }
    return Page("timeline.html", data, twin)


def _hooks(visit: Visit) -> list[LogLine]:
    """What hooks did last: what they showed to agents, and what they kept."""
    home = visit.facts().get("home")
    return hook_log.read(Path(str(home)), _HOOKS_SHOWN) if home else []


def session_page(visit: Visit) -> Answer:
    """One session with its events and checkpoints."""
    engine: Engine = visit.engine
    session = engine.get_session(visit.bank, visit.path[1])
    events = engine.list_events(visit.bank, session.id, limit=1_000)
    snapshots = engine.list_snapshots(visit.bank, session.id)
    data = {"session": session, "events": events, "snapshots": snapshots}
    twin = {
        "id": ids.short_form(session.id),
        "title": session.title,
        "events": [
            {"kind": one.kind, "role": one.role, "text": one.text, "at": clock.iso(one.at)}
            for one in events
        ],
    }
    return Page("session.html", data, twin)


def _by_day(revisions: tuple[Revision, ...]) -> list[tuple[str, list[Revision]]]:
    days = groupby(revisions, key=lambda one: moment_text(one.at)[:10])
    return [(day, list(some)) for day, some in days]
