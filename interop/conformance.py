"""`make conformance`: the official suite, whole on the fixtures, and on every dialect what needs no
fixtures.
"""

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from commonplace.dialects import registry
from interop.tools import (
    HERE,
    MODULES,
    Report,
    TrialFailed,
    environment,
    install,
    node,
    run,
    scratch,
    serving,
)

REVISIONS = ("2025-11-25", "2026-07-28")
SUITE = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
# Scenarios that ask for nothing but what every server has.
WITHOUT_FIXTURES = (
    "caching",
    "completion-complete",
    "dns-rebinding-protection",
    "http-header-validation",
    "input-required-result-ignore-extra-params",
    "input-required-result-missing-input-response",
    "input-required-result-unsupported-methods",
    "input-required-result-validate-input",
    "logging-set-level",
    "ping",
    "prompts-list",
    "resources-list",
    "resources-subscribe",
    "resources-unsubscribe",
    "sep-2164-resource-not-found",
    "server-initialize",
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "server-stateless",
    "tools-list",
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m interop.conformance", description=__doc__)
    parser.add_argument("--dialect", action="append", help="only this dialect; may be repeated")
    parser.add_argument("--skip-fixtures", action="store_true", help="only the real dialects")
    chosen = parser.parse_args()
    install()
    report, used = Report(), set[str]()
    if not chosen.skip_fixtures:
        with (
            report.guarded("fixtures"),
            scratch() as folder,
            serving(folder, served("fixtures")) as url,
        ):
            for revision in REVISIONS:
                report.trial("all fixtures", revision, lambda r=revision: whole(url, r, folder))
    dialects = chosen.dialect or registry.NAMES
    for dialect in dialects:
        with report.guarded(dialect), scratch() as folder, serving(folder, served(dialect)) as url:
            for revision in REVISIONS:
                report.trial(
                    f"dialect {dialect}",
                    revision,
                    lambda r=revision, d=dialect: real(url, r, folder, d, used),
                )
    if not chosen.dialect:
        report.trial("baseline", "has no stale entry", lambda: fresh(used))
    return report.finish("conformance")


def served(what: str) -> list[str]:
    return [sys.executable, "-m", "tests.conformance.server", "PORT", what]


def suite(
    url: str, revision: str, folder: Path
) -> tuple[int, str, dict[str, list[dict[str, str]]]]:
    """The exit code of the suite, what it said, and the checks of each scenario."""
    out = folder / f"checks-{revision}"
    command = [
        str(node()),
        str(SUITE),
        "server",
        "--url",
        f"{url}/mcp",
        "--requirements",
        revision,
        "-o",
        str(out),
    ]
    ran = run(command, environment(folder / "home"), cwd=folder, timeout_s=240)
    checks: dict[str, list[dict[str, str]]] = {}
    for file in sorted(out.glob("server-*/checks.json")):
        scenario = re.sub(
            r"-\d{4}-\d\d-\d\dT[\d-]+Z$", "", file.parent.name.removeprefix("server-")
        )
        checks[scenario] = json.loads(file.read_text())
    if not checks:
        raise TrialFailed(f"the suite ended with {ran.code} and no results: {ran.both[-400:]}")
    return ran.code, ran.out, checks


def whole(url: str, revision: str, folder: Path) -> str:
    """Everything the revision requires passes."""
    code, said, checks = suite(url, revision, folder)
    found = re.search(r"Not scored for [\d-]+: (\d+) scenario\(s\) run, (\d+) failing", said)
    beside, failing = (int(found[1]), int(found[2])) if found else (0, 0)
    if code:
        failed = [f"{scenario}:{one}" for scenario, one in failures(checks)]
        raise TrialFailed(f"exit {code}: {', '.join(failed)[:800]}")
    return (
        f"all {len(checks) - beside} required scenarios passed; of {beside} not required {failing}"
        " failed"
    )


def real(url: str, revision: str, folder: Path, dialect: str, used: set[str]) -> str:
    """What needs no fixtures passes, but for what the baseline names."""
    _, _, checks = suite(url, revision, folder)
    looked_at = {scenario: checks[scenario] for scenario in WITHOUT_FIXTURES if scenario in checks}
    excused, wrong = 0, list[str]()
    for scenario, check in failures(looked_at):
        name = f"{scenario}:{check}"
        entry = next((one for one in exceptions() if fits(one, name, dialect)), None)
        if entry is None:
            wrong.append(f"{name} ({message(looked_at[scenario], check)})")
        else:
            excused += 1
            used |= {str(entry["check"]), f"{entry['check']} for {dialect}"}
    if wrong:
        raise TrialFailed("; ".join(wrong)[:1200])
    passed = sum(one["status"] == "SUCCESS" for scenario in looked_at.values() for one in scenario)
    return f"{len(looked_at)} scenarios, {passed} checks passed, {excused} excused by the baseline"


def fresh(used: set[str]) -> str:
    needed = [
        name
        for one in exceptions()
        for name in [f"{one['check']} for {dialect}" for dialect in one.get("dialects", ())]
        or [str(one["check"])]
    ]
    stale = [name for name in needed if name not in used]
    if stale:
        raise TrialFailed(f"remove from interop/baseline.toml: {', '.join(stale)}")
    return f"{len(exceptions())} exceptions, each with a reason"


def exceptions() -> list[dict[str, Any]]:
    return tomllib.loads((HERE / "baseline.toml").read_text())["exception"]


def fits(entry: dict[str, Any], name: str, dialect: str) -> bool:
    return fnmatchcase(name, entry["check"]) and dialect in entry.get("dialects", [dialect])


def failures(checks: dict[str, list[dict[str, str]]]) -> Iterable[tuple[str, str]]:
    return sorted(
        {(scenario, one["id"]) for scenario, found in checks.items() for one in found if bad(one)}
    )


def bad(check: dict[str, str]) -> bool:
    return check["status"] == "FAILURE"


def message(found: list[dict[str, str]], check: str) -> str:
    return next(
        (one.get("errorMessage", "") for one in found if one["id"] == check and bad(one)), ""
    )[:200]


if __name__ == "__main__":
    sys.exit(main())
