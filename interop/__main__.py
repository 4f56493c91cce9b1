"""`make interop`: real clients against the real server, over HTTP and as a process of their own."""

import argparse
import os
import sys
from pathlib import Path

from interop import agents, libraries
from interop.agents import KEY_VARIABLE, Connection
from interop.scripts import SCRIPTS
from interop.tools import Report, install, scratch, serving

LIBRARIES = (("TypeScript sdk", "sdk", "legacy"), ("TypeScript client", "client", "legacy"))
LIBRARIES += (("TypeScript client", "client", "auto"),)
ERAS = ("legacy", "modern")
KEY = "a-key-for-one-run-only"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m interop", description=__doc__)
    parser.add_argument("--dialect", action="append", help="only this dialect; may be repeated")
    parser.add_argument(
        "--only", default="", help="only trials with this in their name, such as Codex or stdio"
    )
    chosen = parser.parse_args()
    install()
    report = Report()
    # Another program under trial than the installed one, for work on the program itself.
    launcher = (
        os.environ.get("INTEROP_PROGRAM") or str(Path(sys.executable).with_name("commonplace")),
    )
    command = [*launcher, "serve", "--port", "PORT"]
    for dialect in chosen.dialect or SCRIPTS:
        with report.guarded(dialect), scratch() as folder, serving(folder, command) as url:
            ways = {
                "http": Connection(dialect, launcher, f"{url}/{dialect}/mcp"),
                "stdio": Connection(dialect, launcher),
            }
            for kind, way in ways.items():
                _try_all(report, way, folder / kind, f"{dialect} {kind}", chosen.only)
        with (
            report.guarded(dialect),
            scratch() as folder,
            serving(folder, command, {KEY_VARIABLE: KEY}) as url,
        ):
            locked = Connection(dialect, launcher, f"{url}/{dialect}/mcp", KEY)
            for number, (who, connects) in enumerate(agents.CONNECTING.items()):
                what = f"{dialect} http connects with a key"
                if chosen.only in f"{who} {what}":
                    report.trial(
                        who, what, lambda c=connects, h=folder / str(number), w=locked: c(w, h)
                    )
    return report.finish("interop")


def _try_all(report: Report, way: Connection, home: Path, named: str, only: str) -> None:
    trials = []
    for who, library, mode in LIBRARIES:
        trials.append(
            (
                f"{who}",
                f"{named} {mode}",
                lambda h, a=library, m=mode: libraries.typescript(way, h, a, m),
            )
        )
    for era in ERAS:
        trials.append(
            (
                "Inspector",
                f"{named} {era} --strict",
                lambda h, e=era: libraries.inspector_lists(way, h, e),
            )
        )
        trials.append(
            (
                "Inspector",
                f"{named} {era} calls",
                lambda h, e=era: libraries.inspector_calls(way, h, e),
            )
        )
    for who, connects in agents.CONNECTING.items():
        trials.append((who, f"{named} connects", lambda h, c=connects: c(way, h)))
    for who, works in agents.WORKING.items():
        trials.append((who, f"{named} full loop", lambda h, w=works: w(way, h)))
    for number, (who, what, tried) in enumerate(trials):
        if only in f"{who} {what}":
            report.trial(who, what, lambda t=tried, n=number: t(home / str(n)))


if __name__ == "__main__":
    sys.exit(main())
