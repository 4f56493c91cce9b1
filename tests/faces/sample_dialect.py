"""A dialect for tests: every type of parameter, and every way in which a tool can behave well or
badly.
"""

import os
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from commonplace.dialects.dialect import Call, Dialect, Prompt, Reply, Resource, rows, tool
from commonplace.dialects.parameters import About, parameters_of
from commonplace.errors import Busy, NotFound
from commonplace.records.memory import Draft
from commonplace.records.query import Filter

SECRET = "sk-very-secret"
_events: dict[str, threading.Event] = defaultdict(threading.Event)
_entered: dict[str, threading.Event] = defaultdict(threading.Event)


@tool("reads", always_loaded=True)
def echo(call: Call, text: Annotated[str, About("What to say back")]) -> dict[str, Any]:
    """Say something back."""
    return {"text": text}


@tool("writes", title="All kinds", idempotent=True)
def everything(
    call: Call,
    text: Annotated[str, About("A text", 1, 20, ("words",))],
    count: Annotated[int, About("How many", 0, 10)] = 3,
    share: Annotated[float, About("A part of one", 0, 1)] = 0.5,
    flag: Annotated[bool, About("Yes or no")] = False,
    kind: Annotated[Literal["red", "green"], About("A colour")] = "red",
    names: Annotated[list[str] | None, About("Some names", 0, 3)] = None,
    data: Annotated[dict[str, Any] | None, About("Anything")] = None,
    either: Annotated[str | list[str], About("One or several")] = "",
) -> dict[str, Any]:
    """Take one argument of every type."""
    given = {"text": text, "count": count, "share": share, "flag": flag, "kind": kind}
    return given | {"names": names, "data": data, "either": either}


@tool("reads")
def count_to(call: Call, number: Annotated[int, About("How far", 0, 1000)]) -> dict[str, Any]:
    """Count, and tell how far it has come."""
    for one in range(1, number + 1):
        call.progress(one, number, f"step {one}")
    return {"counted": number}


@tool("reads")
def hold(call: Call, name: Annotated[str, About("What to wait for")]) -> dict[str, Any]:
    """Wait until `release` is called with the same name or a file of that name is there, or nobody
    waits any more.
    """
    _entered[name].set()
    while not _events[name].wait(0.01) and not os.path.exists(name):
        call.progress(0, None, "waiting")
    return {"released": name}


@tool("writes")
def release(call: Call, name: Annotated[str, About("What to let go")]) -> dict[str, Any]:
    """Let `hold` go on."""
    _events[name].set()
    return {"name": name}


@tool("reads")
def await_hold(call: Call, name: Annotated[str, About("What is waited for")]) -> dict[str, Any]:
    """Answer as soon as `hold` waits for the name."""
    return {"held": _entered[name].wait(20)}


@tool("reads")
def refuse(call: Call) -> dict[str, Any]:
    """Fail as a tool fails that cannot find something."""
    raise NotFound("There is no such note.", hint="List the notes first.")


@tool("reads")
def overloaded(call: Call) -> dict[str, Any]:
    """Fail as a store fails that is busy."""
    raise Busy("Another process is writing.", hint="Try again.")


@tool("reads")
def crash(call: Call) -> dict[str, Any]:
    """Have a bug."""
    raise KeyError(f"{SECRET} in {os.getcwd()}")


@tool("reads")
def not_a_number(call: Call) -> Reply:
    """Answer with something JSON cannot say."""
    return Reply({"number": float("nan")}, "NaN")


@tool("writes")
def chatter(call: Call) -> dict[str, Any]:
    """Write to standard output in three ways and read from standard input."""
    print("noise from print", flush=True)
    os.write(1, b"noise from the descriptor\n")
    child = subprocess.run([sys.executable, "-c", "print('noise from a child', input)"], check=True)
    return {"child": child.returncode, "read": os.read(0, 10).decode()}


@tool("reads")
def whoami(call: Call) -> dict[str, Any]:
    """Tell what is known about the call."""
    return {
        "bank": call.bank,
        "session": call.session,
        "client": call.client,
        "folder": call.folder,
    }


@tool("writes", always_loaded=True)
def remember(call: Call, text: Annotated[str, About("What to remember")]) -> dict[str, Any]:
    """Write to the real store."""
    return {"id": call.engine.remember(call.bank, Draft(text)).memory.id}


@tool("reads")
def remembered(call: Call) -> dict[str, Any]:
    """Count what the real store has."""
    return {"count": call.engine.count(call.bank, Filter())}


@tool("destroys", confirm="Really erase everything?")
def erase(call: Call, name: Annotated[str, About("Of what")] = "all") -> dict[str, Any]:
    """Destroy everything, if a person agrees."""
    return {"erased": name}


def _about(call: Call) -> str:
    return f'{{"bank":"{call.bank}"}}'


def _note(call: Call, name: str) -> str:
    if name == "missing":
        raise NotFound("There is no such note.")
    if name == "broken":
        raise KeyError(SECRET)
    return f"# {name}"


def _greeting(
    call: Call,
    name: Annotated[str, About("Whom to greet")],
    tone: Annotated[str, About("How")] = "",
) -> str:
    return f"Greet {name} {tone}".strip()


def _names(call: Call, typed: str) -> Iterable[str]:
    return [name for name in (f"name-{one:03}" for one in range(150)) if name.startswith(typed)]


TOOLS = (
    *(
        echo,
        everything,
        count_to,
        hold,
        release,
        await_hold,
        refuse,
        overloaded,
        crash,
        not_a_number,
    ),
    *(chatter, whoami, remember, remembered, erase),
)
DIALECT = Dialect(
    name="test",
    title="Test",
    instructions="Recall first, remember after.",
    tools=rows(*TOOLS),
    resources=(
        Resource("memo://about", "about", "What this is", "application/json", _about),
        Resource("memo://notes/{name}", "note", "One note", "text/markdown", _note),
    ),
    completions={"name": _names},
    prompts=(Prompt("greet", "Greet", "A greeting", _greeting, parameters_of(_greeting)),),
)
STRICT = Dialect("strict", "Strict", "", rows(echo), strict=True)
