"""Starts the HTTP server, runs it, and stops it without interrupting calls."""

import errno
import logging
import os
import platform
import signal
import socket
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from commonplace import interrupts, spelling
from commonplace.app import open_engine
from commonplace.dialects import registry
from commonplace.dialects.dialect import Dialect, add_instructions
from commonplace.engine.engine import Engine
from commonplace.engine.operations import maintenance
from commonplace.engine.operations.maintenance import JOB_TASKS
from commonplace.engine.operations.worker import Tasks, Worker
from commonplace.engine.runtime import Runtime
from commonplace.errors import Busy, CommonplaceError, Forbidden, Invalid
from commonplace.faces.http import head_limits, logging_setup, tokens
from commonplace.faces.http.access import AccessPolicy, ApiKeys, is_loopback
from commonplace.faces.http.app import Site, SiteConfig
from commonplace.faces.warm import server_file
from commonplace.limits import HEAD_BYTES_MAX, SHUTDOWN_S_MAX
from commonplace.settings import Settings
from commonplace.vault.sync_loop import SyncLoop

HOST = "127.0.0.1"
PORT = 8888
_BACKLOG = 512
# Longer than clients keep a connection, so that clients close it and never find it closed.
_KEEP_ALIVE_S = 75
_log = logging.getLogger("commonplace.http")


def run(
    settings: Settings,
    *,
    host: str = HOST,
    port: int = PORT,
    dialect: str | None = None,
    log_json: bool = False,
    dialects: Mapping[str, Dialect] | None = None,
) -> int:
    """Serve until a signal arrives, and return the exit code: 130 after Ctrl-C, otherwise 0.

    Without `dialects`, all dialects are served.
    """
    _check_keys(settings, host)
    served = _served_dialects(settings, dialects)
    if dialect is not None and dialect not in served:
        raise Invalid(
            f"There is no dialect called {dialect!r}.", hint=spelling.hint(dialect, served)
        )
    logging_setup.configure(settings.log_level, log_json)
    listener = _listen(host, port)
    with listener:
        engine = open_engine(settings)
        plan = _site_config(
            settings, served, dialect or registry.HTTP_DEFAULT, host, listener.getsockname()[1]
        )
        site = Site(engine, plan)
        _print_banner(settings, plan, host, log_json)
        here = (settings.database_path, host, plan.admission.port, plan.admission.keys.local)
        with running_workers(engine, JOB_TASKS) as workers, server_file.published(*here):
            site.workers = workers
            code = serve(site, listener)
    _close_engine(engine, site, code)
    return code


def _check_keys(settings: Settings, host: str) -> None:
    """Raise Forbidden if a key is missing."""
    if not is_loopback(host) and not settings.api_key:
        raise Forbidden(
            f"Without a key, everyone who can reach {host} could use the memory.",
            hint="Set COMMONPLACE_API_KEY, or serve on 127.0.0.1.",
        )
    if settings.hindsight_tenant and not (settings.hindsight_api_key or settings.api_key):
        # This setting asks for protected endpoints.
        raise Forbidden(
            "HINDSIGHT_API_TENANT_EXTENSION is set without a key.",
            hint="Set HINDSIGHT_API_TENANT_API_KEY.",
        )


def _served_dialects(
    settings: Settings, dialects: Mapping[str, Dialect] | None
) -> dict[str, Dialect]:
    served = dict(dialects or {name: registry.find(name) for name in registry.NAMES})
    if "hindsight" in served:
        served["hindsight"] = add_instructions(served["hindsight"], settings.hindsight_instructions)
    if not settings.hindsight_enabled:
        served.pop("hindsight", None)
    return served


@contextmanager
def running_workers(engine: Engine, tasks: Tasks) -> Generator[dict[str, Worker]]:
    """Run the background workers: one for jobs, one for note files and maintenance."""
    watch = SyncLoop(engine)

    def sync_notes(_runtime: Runtime) -> None:
        watch.sync_if_due()

    # Two workers, because a job may wait for a model, which must not delay note files.
    keeper = Worker(engine, {}, idle={"notes": sync_notes, **maintenance.IDLE_TASKS})
    worker = Worker(engine, tasks)
    try:
        maintenance.sweep(engine)
    except CommonplaceError as error:
        # The disk is full or the store is busy. The server can still answer, and the next start
        # repeats this.
        _log.warning("Cannot remove old jobs and streams: %s", error.message)
    watch.start(keeper.notify)
    for one in (keeper, worker):
        one.start()
    try:
        yield {"upkeep": keeper, "jobs": worker}
    finally:
        for one in (keeper, worker):
            one.stop()
        for one in (keeper, worker):
            one.join(SHUTDOWN_S_MAX)
        watch.close()


def serve(site: Site, listener: socket.socket) -> int:
    """Serve an app on a socket until a signal arrives, and return the exit code."""
    config = uvicorn.Config(
        site,
        # uvloop and httptools where they exist, asyncio and h11 elsewhere.
        loop="auto",
        http=head_limits.protocol_class(),
        h11_max_incomplete_event_size=HEAD_BYTES_MAX,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
        backlog=_BACKLOG,
        limit_concurrency=head_limits.connections_max(),
        timeout_graceful_shutdown=SHUTDOWN_S_MAX,
    )
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    # uvicorn raises the signal again at its end; a stop by a supervisor is a success.
    raised: list[int] = []
    before = {
        one: signal.signal(one, lambda number, _frame: raised.append(number))
        for one in (signal.SIGTERM, signal.SIGINT)
    }
    try:
        SiteServer(config, site).run([listener])
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
    return interrupts.EXIT_CODE if signal.SIGINT in raised else 0


class SiteServer(uvicorn.Server):
    """A uvicorn server that also starts and stops the app."""

    def __init__(self, config: uvicorn.Config, site: Site) -> None:
        super().__init__(config)
        self._site = site

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then load what only some requests need."""
        await super().startup(sockets)
        self._site.start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait for running calls, but not for idle streams."""
        self._site.end_streams()
        await super().shutdown(sockets)
        await self._site.stop()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    if platform.system() != "Windows":
        # A port can be reused right after another server has released it.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host.strip("[]"), port))
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise Busy(
                f"Port {port} is in use on {host}.",
                hint="Stop the other server, or choose another port with --port.",
            ) from error
        raise Invalid(
            f"Cannot listen on {host} port {port}: {error.strerror or 'no such address'}.",
            hint="Use 127.0.0.1 and a port from 1024 to 65535.",
        ) from error
    listener.listen(_BACKLOG)
    return listener


def _site_config(
    settings: Settings, dialects: Mapping[str, Dialect], default: str, host: str, port: int
) -> SiteConfig:
    keys = {"hindsight": settings.hindsight_api_key}
    if "vault" in dialects:
        keys["vault"] = tokens.vault_token(settings.home)
    return SiteConfig(
        dialects=dialects,
        default=default,
        banks={"hindsight": settings.hindsight_bank},
        admission=AccessPolicy(
            port, ApiKeys(settings.api_key, keys), (host, *settings.allowed_hosts)
        ),
        home=settings.home,
    )


def _print_banner(settings: Settings, plan: SiteConfig, host: str, log_json: bool) -> None:
    """Print the address of the server and how to connect."""
    where = f"[{host}]" if ":" in host else host
    address = f"http://{where}:{plan.admission.port}"
    there = plan.default in plan.dialects
    short, path = (f"{address}/mcp ({plan.default}), ", "/mcp") if there else ("", "/DIALECT/mcp")
    lines = [
        f"Commonplace listens on {address}",
        f"  memories   {abbreviate_home(settings.database_path)}",
        f"  endpoints  {short}{address}/DIALECT/mcp for {', '.join(plan.dialects)}",
        f"  connect    claude mcp add --transport http commonplace {address}{path}",
        "  stop       Ctrl+C",
    ]
    if settings.hindsight_api_key and not settings.api_key:
        lines.append(
            "  warning    only hindsight requires a key; set COMMONPLACE_API_KEY to protect the"
            " other endpoints"
        )
    said = (
        logging_setup.JsonFormatter().format(logging_setup.info_record(lines[0]))
        if log_json
        else "\n".join(lines)
    )
    sys.stderr.write(said + "\n")
    sys.stderr.flush()


def abbreviate_home(path: Path) -> str:
    """A path with ~ for the home folder of the user."""
    home = str(Path.home())
    text = str(path)
    return "~" + text.removeprefix(home) if text.startswith(home + os.sep) else text


def _close_engine(engine: Engine, site: Site, code: int) -> None:
    deadline = time.monotonic() + 1
    while site.calls.running and time.monotonic() < deadline:
        time.sleep(0.01)
    if not site.calls.running:
        engine.db.close()
        return
    # A hanging call would keep the process alive for ever. Its uncommitted changes are dropped.
    _log.warning("%d calls did not finish in time and were stopped.", site.calls.running)
    sys.stderr.flush()
    os._exit(code)
