"""Builds the parts: settings, database, models, engine. The only place that reads settings."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commonplace import settings as settings_table
from commonplace import validation
from commonplace.clock import Clock, SystemClock
from commonplace.engine.engine import Engine
from commonplace.engine.runtime import Parts, leave_files
from commonplace.errors import CommonplaceError, Invalid, Unsupported
from commonplace.models import providers
from commonplace.settings import Settings
from commonplace.storage import migrations, note_files

if TYPE_CHECKING:
    from commonplace.extract.llm_statements import Model
    from commonplace.recall.rerank import Reranker
    from commonplace.recall.vector_index import Semantics

_CONFIG_BYTES_MAX = 100_000


def open_engine(settings: Settings | None = None, clock: Clock | None = None) -> Engine:
    """An engine on the store the settings name, made or upgraded first where needed."""
    chosen = settings or settings_table.load()
    time = clock or SystemClock()
    semantics = _semantics(chosen.embedder)
    db = migrations.open_database(
        chosen.database_path, time, busy_timeout_ms=chosen.busy_timeout_ms
    )
    return Engine(
        db,
        time,
        semantics,
        chosen.timezone,
        reranker=reranker_named(chosen.reranker),
        llm=_llm(chosen),
        owner=_owner(chosen.powermem_dir),
        fading_days=chosen.fading_days,
        vault=chosen.vault_path,
        vault_inbox=chosen.vault_inbox,
    )


def open_home(home: str | Path | None = None) -> Engine:
    """An engine on the store in a folder, or on the one the environment names, whose files of notes
    follow by themselves: no face looks after them.
    """
    chosen = settings_table.load()
    engine = open_engine(replace(chosen, home=Path(home).absolute()) if home else chosen)
    return replace(engine, follow_files=follow_files)


def follow_files(parts: Parts) -> int:
    """Bring the files of notes in line with what was just written or erased through any dialect,
    command or verb.

    Returns how many files of erased notes were left in the folder because a person made them.
    """
    if parts.vault is None or not note_files.banks_behind(parts.db, parts.clock.now()):
        return 0
    # Whoever has no notes need not load what files need.
    from commonplace.vault.memory_to_file import catch_up

    assert isinstance(parts, Engine)
    # What this writes itself is in the files already.
    return catch_up(replace(parts, follow_files=leave_files)).left


def _llm(chosen: Settings) -> "Callable[[], Model | None]":
    @cache
    def opened() -> "Model | None":
        # A wrong address is told by the call that needs the model, and not by a start that may
        # never need it.
        found = providers.address(
            chosen.llm_provider, chosen.llm_url, chosen.llm_model, chosen.llm_api_key
        )
        return _open_llm(found.url, found.model, chosen.llm_api_key) if found else None

    return opened


def _open_llm(url: str, model: str, key: str) -> "Model":
    # The web modules take longer to load than everything else on the way to the first answer.
    from commonplace.models.llm import LanguageModel

    return LanguageModel(url, model, key)


def _owner(folder: str) -> str:
    """The name in a folder's config.json, or "" when there is none to be had there."""
    try:
        file = Path(folder).expanduser() / "config.json"
        found: Any = (
            json.loads(file.read_bytes()[:_CONFIG_BYTES_MAX]) if folder and file.is_file() else {}
        )
        return validation.line(found.get("user_id", ""), what="user")
    except (OSError, ValueError, RuntimeError, AttributeError, RecursionError, CommonplaceError):
        return ""


def _semantics(embedder: str) -> "Callable[[], Semantics | None]":
    match embedder:
        case "none":
            return lambda: None
        case "static":
            return cache(_open_static)
        case _:
            raise Invalid(
                f"There is no embedder called {embedder!r}.",
                hint="Set COMMONPLACE_EMBEDDER to static or none.",
            )


def reranker_named(name: str) -> "Callable[[], Reranker | None]":
    """A reranker, opened on first use; refused at once when it is unknown or cannot run here."""
    match name:
        case "none":
            return lambda: None
        case "cross-encoder":
            if not find_spec("onnxruntime"):
                raise Unsupported(
                    "The reranker needs the package onnxruntime, which is not installed.",
                    hint="Install it, or set COMMONPLACE_RERANKER to none.",
                )
            return _cross_encoder
        case _:
            raise Invalid(
                f"There is no reranker called {name!r}.",
                hint="Set COMMONPLACE_RERANKER to cross-encoder or none.",
            )


@cache
def _cross_encoder() -> "Reranker":
    # It takes a third of a second, which a start that only writes must not pay. It keeps nothing,
    # so one is enough.
    from commonplace.models.reranker import CrossEncoder

    return CrossEncoder()


def _open_static() -> "Semantics":
    # numpy and the weights take a tenth of a second, which a start that only writes must not pay.
    from commonplace.models.static_embedder import StaticEmbedder
    from commonplace.recall.vector_index import Semantics

    return Semantics(StaticEmbedder())
