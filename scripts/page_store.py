"""A small store to show on the pages: a team's memories, written through several dialects."""

import sys
from pathlib import Path

from commonplace.app import open_engine
from commonplace.dialects import registry
from commonplace.dialects.dialect import Call
from commonplace.engine.engine import Engine
from commonplace.records.memory import Draft, Edit, Origin, Scope
from commonplace.records.work import EventDraft, ReminderDraft, SessionDraft
from commonplace.settings import load

CLAUDE = Origin(who="claude-code", dialect="memories", session="login-page")
CODEX = Origin(who="codex", dialect="memstate", session="release-42")
DRAFTS: tuple[tuple[str, Draft], ...] = (
    ("memories", Draft("The staging server listens on port 8080.", key="deploy.port")),
    ("memories", Draft("Deploys run on Tuesdays after the release meeting.", tags=("process",))),
    ("hindsight", Draft("Ada prefers small pull requests with one subject each.")),
    ("hindsight", Draft("Bob reviews everything that touches payments.", tags=("people",))),
    (
        "memories",
        Draft("Never log the body of a payment request.", kind="rule", tags=("security",)),
    ),
    ("memories", Draft("Use the design tokens of the kit; no colours in components.", kind="rule")),
    ("memstate", Draft("The checkout service uses Postgres 17 with row level security.")),
    ("memstate", Draft("Invoices are numbered per country, without gaps.", tags=("billing",))),
    (
        "vault",
        Draft("We chose queues over webhooks because partners retry badly.", kind="decision"),
    ),
    ("powermem", Draft("The on-call rotation changes every Monday at nine.", tags=("process",))),
    ("hindsight", Draft("The search index is rebuilt every night at two.", tags=("search",))),
    ("memories", Draft("CI needs about eleven minutes; the browser tests take four of them.")),
    ("vault", Draft("Names of feature flags begin with the team: `checkout.fast-pay`.")),
    ("hindsight", Draft("خادم النسخ الاحتياطي موجود في فرانكفورت.", tags=("infrastructure",))),
)


def fill(engine: Engine) -> None:
    """Write the memories, some corrections, sessions and reminders."""
    projects = ("shop", "shop", "", "shop", "shop", "site", "shop", "billing", "shop", "", "search")
    for number, (dialect, draft) in enumerate(DRAFTS):
        project = projects[number] if number < len(projects) else "shop"
        who = {"memories": "claude-code", "memstate": "codex"}.get(dialect, "gemini")
        scoped = Draft(
            draft.text, kind=draft.kind, key=draft.key, tags=draft.tags, scope=Scope(project)
        )
        engine.remember("default", scoped, Origin(who=who, dialect=dialect))
    port = engine.list("default", order="created", limit=100)[-1]
    moved = Edit(text="The staging server listens on port 9090 since the move to the new cluster.")
    engine.revise("default", port.id, moved, CODEX)
    engine.remember("default", Draft("The staging server listens on port 8443."), CLAUDE)
    for text in ("Deploys run on Tuesdays, after the meeting.", "Ada prefers large pull requests."):
        engine.remember("default", Draft(text), CLAUDE)
    session = engine.start_session(
        "default", SessionDraft("Log-in page", client="claude-code", project="site")
    )
    for text in ("Read the design kit.", "Wrote the form and its tests.", "All tests pass."):
        engine.checkpoint_session("default", session.id, EventDraft(text))
    reminder = ReminderDraft("0 9 * * 1", "Look at the flaky browser test.", project="site")
    engine.add_reminder("default", reminder)
    hindsight = registry.find("hindsight")
    facts = ("Ada works at Acme in Berlin.", "Ada moved to Paris in May.", "Acme makes bicycles.")
    for text in facts:
        hindsight.call("retain", {"content": text}, Call(engine, "team"))


def main() -> None:
    engine = open_engine(load({"COMMONPLACE_HOME": str(Path(sys.argv[1]).absolute())}))
    fill(engine)
    engine.db.close()


if __name__ == "__main__":
    main()
