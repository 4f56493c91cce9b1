"""Health: the calls of clients, the size of the store, jobs, and what doctor finds."""

from collections.abc import Mapping
from typing import Any, cast

from commonplace import ids
from commonplace.engine.banks import totals
from commonplace.faces.web.json_twins import iso_or_none
from commonplace.faces.web.visit import Answer, Page, Redirect, Visit
from commonplace.records.work import Job

_JOBS_SHOWN = 50


def status_page(visit: Visit) -> Answer:
    """The state of the server and of its store. Doctor runs only when it is asked to."""
    engine, facts = visit.engine, visit.facts()
    banks = engine.list_banks()
    jobs = [
        (bank.name, job)
        for bank in banks
        for job in engine.list_jobs(bank.name, limit=_JOBS_SHOWN).items
    ]
    jobs.sort(key=lambda one: one[1].created_at, reverse=True)
    findings = engine.doctor() if visit.get("check") else ()
    held = totals(engine)
    health = cast("Mapping[str, Any]", facts.get("health", {}))
    data = {
        "totals": held,
        "bank_count": len(banks),
        "health": health,
        "running": facts.get("running", 0),
        "tools": facts.get("tools", []),
        "clients": facts.get("clients", []),
        "keys": facts.get("keys", []),
        "uptime_s": facts.get("uptime_s", 0),
        "unindexed": engine.stale_count(),
        "jobs": jobs[:_JOBS_SHOWN],
        "findings": findings,
        "was_checked": bool(visit.get("check")),
        "fixable": any(one.state in ("warning", "problem") for one in findings),
        "done": _done(visit),
    }
    twin = {
        "memories": held.memory_count,
        "store_bytes": held.store_bytes,
        "banks": len(banks),
        "jobs": [_job_json(bank, job) for bank, job in jobs[:_JOBS_SHOWN]],
        "findings": [
            {"check": one.check, "state": one.state, "text": one.text, "hint": one.hint}
            for one in findings
        ],
        "health": health,
    }
    return Page("status.html", data, twin)


def fix(visit: Visit) -> Answer:
    """Let doctor repair what can be repaired safely."""
    fixed = [one for one in visit.engine.doctor(fix=True) if one.state == "fixed"]
    return Redirect(visit.address("/status", check=1, fixed=len(fixed) or "none"))


def change_job(visit: Visit) -> Answer:
    """Cancel a job, or try it again."""
    job = visit.posted("id")
    if visit.posted("action") == "retry":
        visit.engine.retry_job(visit.posted("job_bank"), job)
    else:
        visit.engine.cancel_job(visit.posted("job_bank"), job)
    return Redirect(visit.address("/status", did=visit.posted("action")))


def _done(visit: Visit) -> dict[str, object] | None:
    if fixed := visit.get("fixed"):
        text = "Nothing needed a repair." if fixed == "none" else f"Repaired {fixed}."
        return {"text": text, "steps": ""}
    texts = {"cancel": "The job ends at its next step.", "retry": "The job is tried again."}
    text = texts.get(visit.get("did"))
    return {"text": text, "steps": ""} if text else None


def _job_json(bank: str, job: Job) -> dict[str, object]:
    return {
        "id": ids.job_form(job.id),
        "bank": bank,
        "kind": job.kind,
        "state": job.state,
        "done": job.done_count,
        "total": job.total_count,
        "error": job.error,
        "finished_at": iso_or_none(job.finished_at),
    }
