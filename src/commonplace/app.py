"""Builds the runtime: settings, database, models, engine. The only place that reads settings."""

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
from commonplace.engine.runtime import Runtime, skip_file_sync
from commonplace.errors import CommonplaceError, Invalid, Unsupported
from commonplace.models import providers
from commonplace.settings import Settings
from commonplace.storage import migrations
from commonplace.storage.rows import note_files

if TYPE_CHECKING:
    from commonplace.extract.llm_statements import Model
    from commonplace.recall.rerank import Reranker
    from commonplace.recall.vector_index import VectorIndex

_CONFIG_BYTES_MAX = 100_000


def open_engine(settings: Settings | None = None, clock: Clock | None = None) -> Engine:
    """An engine on the store that the settings name. Creates or upgrades the store if needed."""
    chosen = settings or settings_table.load()
    time = clock or SystemClock()
    semantics = _semantics_factory(chosen.embedder)
    db = migrations.open_database(
        chosen.database_path, time, busy_timeout_ms=chosen.busy_timeout_ms
    )
    return Engine(
        db,
        time,
        semantics,
        chosen.timezone,
        reranker=reranker_factory(chosen.reranker),
        llm=_llm_factory(chosen),
        owner=_owner_from_config(chosen.powermem_dir),
        half_life_days=chosen.fading_days,
        vault=chosen.vault_path,
        vault_inbox=chosen.vault_inbox,
        hook_mode=chosen.hooks,
        brief_tokens=chosen.brief_tokens,
    )


def open_home(home: str | Path | None = None) -> Engine:
    """An engine on the store in a folder, or on the store that the environment names.

    The engine updates the files of notes itself, because no face does.
    """
    chosen = settings_table.load()
    engine = open_engine(replace(chosen, home=Path(home).absolute()) if home else chosen)
    return replace(engine, sync_note_files=update_note_files)


def update_note_files(runtime: Runtime) -> int:
    """Update the files of notes after a write or an erasure through any dialect, command or verb.

    Returns how many files of erased notes remain because the user created them.
    """
    if runtime.vault is None or not note_files.banks_with_outdated_files(
        runtime.db, runtime.clock.now()
    ):
        return 0
    # Imported here, because a store without notes does not need it.
    from commonplace.vault.memory_to_file import catch_up_files

    assert isinstance(runtime, Engine)
    # Without the hook, because what this call writes comes from the files.
    return catch_up_files(replace(runtime, sync_note_files=skip_file_sync)).left


def _llm_factory(chosen: Settings) -> "Callable[[], Model | None]":
    @cache
    def opened() -> "Model | None":
        # A wrong address is reported by the first call that needs the model: the start may never
        # need it.
        found = providers.resolve_address(
            chosen.llm_provider, chosen.llm_url, chosen.llm_model, chosen.llm_api_key
        )
        return _open_llm(found.url, found.model, chosen.llm_api_key) if found else None

    return opened


def _open_llm(url: str, model: str, key: str) -> "Model":
    # The web modules take longer to load than everything else before the first answer.
    from commonplace.models.llm import LanguageModel

    return LanguageModel(url, model, key)


def _owner_from_config(folder: str) -> str:
    """The user name in a folder's config.json, or "" when it has none."""
    try:
        file = Path(folder).expanduser() / "config.json"
        found: Any = (
            json.loads(file.read_bytes()[:_CONFIG_BYTES_MAX]) if folder and file.is_file() else {}
        )
        return validation.line(found.get("user_id", ""), what="user")
    except (OSError, ValueError, RuntimeError, AttributeError, RecursionError, CommonplaceError):
        return ""


def _semantics_factory(embedder: str) -> "Callable[[], VectorIndex | None]":
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


def reranker_factory(name: str) -> "Callable[[], Reranker | None]":
    """A function that opens a reranker on first use. Raises when it is unknown or not installed."""
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
    # Loading takes a third of a second, which a start that only writes must not pay. The reranker
    # has no state, so one instance is enough.
    from commonplace.models.reranker import CrossEncoder

    return CrossEncoder()


def _open_static() -> "VectorIndex":
    # Loading numpy and the weights takes a tenth of a second, which a start that only writes must
    # not pay.
    from commonplace.models.static_embedder import StaticEmbedder
    from commonplace.recall.vector_index import VectorIndex

    return VectorIndex(StaticEmbedder())
