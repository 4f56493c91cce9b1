"""`python -m evals.hooks`: twenty sessions of a scripted week through the hooks, without a model.

Prints the share of the facts that a careful person would keep, the share of junk among what was
kept, the tokens added per session, and whether a memory was added twice.
"""

import statistics
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from commonplace.app import open_engine
from commonplace.engine.engine import Engine
from commonplace.engine.hooks.hook_clients import hook_client
from commonplace.engine.hooks.payloads import read_payload
from commonplace.engine.hooks.run import HookResult
from commonplace.settings import load

SCRIPTS = ("week", "held-out")
BANK = "default"


@dataclass
class Turn:
    """A prompt and its answer, what is worth keeping of it, and what should be seen with it."""

    prompt: str
    answer: str = ""
    keep: list[str] = field(default_factory=list[str])
    see: list[str] = field(default_factory=list[str])


@dataclass
class Figures:
    """What a run of the week showed."""

    wanted: list[str] = field(default_factory=list[str])
    kept: list[str] = field(default_factory=list[str])
    tokens: list[int] = field(default_factory=list[int])
    seen_count: int = 0
    see_count: int = 0
    repeated: int = 0

    @property
    def missing(self) -> list[str]:
        """The statements that should have been kept."""
        return [
            one
            for one in self.wanted
            if not any(one.casefold() in text.casefold() for text in self.kept)
        ]

    @property
    def junk(self) -> list[str]:
        """What was kept and nobody would keep."""
        return [
            text
            for text in self.kept
            if not any(one.casefold() in text.casefold() for one in self.wanted)
        ]


def read_script(name: str) -> list[list[Turn]]:
    sessions: list[list[Turn]] = []
    text = Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        mark, _, text = line.partition(" ")
        if mark == "==":
            sessions.append([])
        elif mark == ">":
            sessions[-1].append(Turn(text))
        elif mark == "<":
            sessions[-1][-1].answer = text
        elif mark == "+":
            sessions[-1][-1].keep.append(text)
        elif mark == "=":
            sessions[-1][-1].see.append(text)
    return sessions


def run_script(engine: Engine, name: str) -> Figures:
    figures = Figures()
    for number, turns in enumerate(read_script(name), 1):
        _run_session(engine, number, turns, figures)
    return figures


def _run_session(engine: Engine, number: int, turns: list[Turn], figures: Figures) -> None:
    client = hook_client("claude-code" if number % 2 else "codex")

    def hook(event: str, **values: str) -> HookResult:
        payload = {"session_id": f"s{number}", "cwd": "/srv/tea", **values}
        return engine.run_hook(BANK, read_payload(client, event, payload))  # pyright: ignore

    results = [hook("session-start", source="startup")]
    context = results[0].injected.text
    for turn in turns:
        results.append(hook("prompt", prompt=turn.prompt))
        context += results[-1].injected.text
        figures.see_count += len(turn.see)
        figures.seen_count += sum(one in context for one in turn.see)
        done = hook("stop", last_assistant_message=turn.answer)
        figures.wanted += turn.keep
        figures.kept += [engine.get(BANK, one).text for one in done.kept_ids]
    hook("session-end", reason="exit")
    shown = [one for result in results for one in result.injected.memory_ids]
    figures.repeated += len(shown) - len(set(shown))
    figures.tokens.append(sum(one.injected.tokens for one in results))


def main() -> None:
    for name in SCRIPTS:
        _report(name)


def _report(name: str) -> None:
    with tempfile.TemporaryDirectory() as home:
        engine = open_engine(load({"COMMONPLACE_HOME": home}))
        figures = run_script(engine, name)
        engine.db.close()
    kept = len(figures.wanted) - len(figures.missing)
    print(f"{name}")
    print(f"sessions                 {len(figures.tokens)}")
    print(f"facts worth keeping      {len(figures.wanted)}")
    print(f"  kept                   {kept} ({kept / len(figures.wanted):.0%})")
    print(f"statements kept          {len(figures.kept)}")
    junk = len(figures.junk)
    print(f"  junk                   {junk} ({junk / len(figures.kept):.0%})")
    print(f"questions answered       {figures.seen_count} of {figures.see_count}")
    print(
        f"tokens per session       {statistics.mean(figures.tokens):.0f} on average,"
        f" {max(figures.tokens)} at most"
    )
    print(f"memories added twice     {figures.repeated}")
    for title, lines in (("Not kept", figures.missing), ("Junk", figures.junk)):
        print(f"{title}:", *(f"\n  {one}" for one in lines))


if __name__ == "__main__":
    main()
