"""PowerMem's configuration, in both generations, as our settings, with warnings about values that
have no effect.

A `.env` file in the working folder is not trusted, because it comes with any repository that is
cloned. Only the names below are read from it, and no address of a model outside this machine.
Values are never shown.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import cast

from commonplace.errors import CommonplaceError
from commonplace.models import providers

USED_VARIABLES = ("LLM_PROVIDER", "LLM_API_KEY", "LLM_MODEL", "LLM_BASE_URL", "POWERMEM_DIR")
# The names of PowerMem's variables; those that have no effect are listed in a warning.
_VARIABLE = re.compile(
    r"(?:LLM|EMBEDDING|DATABASE|SQLITE|OCEANBASE|INTELLIGENT_MEMORY|MEMORY_DECAY|MEMORY_SEARCH|RERANKER|SPARSE|GRAPH_STORE|"
    r"QUERY_REWRITE|SKILL_STORE|SOURCE_STORE|SNOWFLAKE|POWERMEM|AGENT_MEMORY|ACCESS_CONTROL)_[A-Z0-9_]+|"
    r"[A-Z]+_(?:LLM|EMBEDDING)_BASE_URL"
)
_STORES = ("DATABASE_PROVIDER", "VECTOR_STORE_PROVIDER")
# The sections of the configuration file, and what the fields of the one that counts are called.
_SECTIONS = frozenset(
    "vector_store database llm embedder embedding graph_store reranker intelligent_memory"
    " agent_memory audit logging telemetry sub_stores sparse_embedder query_rewrite skill_store"
    " source_store memory_decay performance security custom_fact_extraction_prompt"
    " custom_update_memory_prompt timezone version audio_llm".split()
)
_STORE_SECTIONS = ("vector_store", "database")
_LLM_FIELDS = {"model": "LLM_MODEL", "api_key": "LLM_API_KEY"}


def from_env_file(assignments: Iterable[tuple[str, str]]) -> tuple[dict[str, str], list[str]]:
    """The variables to take from a `.env` file in the working folder, and warnings."""
    found = {name: value for name, value in assignments if value and _VARIABLE.fullmatch(name)}
    remote = [name for name, value in found.items() if _is_remote_address(name, value)]
    warnings = [
        f"{name} in .env is ignored: a file in a folder may not send memories elsewhere. "
        "Name the file with --env to allow it."
        for name in remote
        if "LLM" in name
    ]
    # The owner's name comes from the person's own folder, not from one named in a repository.
    ignored = {*remote, "POWERMEM_DIR"}
    return {name: value for name, value in found.items() if name not in ignored}, warnings


def _is_remote_address(name: str, value: str) -> bool:
    return name.endswith("_BASE_URL") and not providers.is_local(value)


def from_config(
    config_file: Mapping[str, object], known: Iterable[str]
) -> tuple[dict[str, str], list[str]]:
    """A configuration file in PowerMem's form as variables, and warnings about unknown keys and
    unused sections.
    """
    given = _llm_variables(_object(config_file.get("llm")))
    for section in _STORE_SECTIONS:
        if isinstance(provider := _object(config_file.get(section)).get("provider"), str):
            given["DATABASE_PROVIDER"] = provider
    return given, _section_warnings(config_file, {*known, *_SECTIONS})


def _llm_variables(section: Mapping[str, object]) -> dict[str, str]:
    given: dict[str, str] = {}
    if isinstance(provider := section.get("provider"), str):
        given["LLM_PROVIDER"] = provider
    for name, value in {**section, **_object(section.get("config"))}.items():
        variable = _LLM_FIELDS.get(name) or ("LLM_BASE_URL" if name.endswith("base_url") else "")
        if variable and isinstance(value, str) and value:
            given[variable] = value
    return given


def _section_warnings(config_file: Mapping[str, object], known: Collection[str]) -> list[str]:
    unknown = sorted(name for name in config_file if name not in known)
    unused = sorted(
        name for name in config_file if name in _SECTIONS and name not in ("llm", *_STORE_SECTIONS)
    )
    warnings: list[str] = []
    if unknown:
        warnings.append(f"Unknown keys in --config: {', '.join(unknown)}.")
    if unused:
        warnings.append(f"These sections of --config have no effect here: {', '.join(unused)}.")
    return warnings


def normalize_environment(environment: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The environment with the newer names for the model, and warnings about unused variables."""
    given = dict(environment)
    provider = given.get("LLM_PROVIDER", "").strip()
    own_url = f"{provider.upper()}_LLM_BASE_URL"
    if provider and given.get(own_url) and not given.get("LLM_BASE_URL"):
        given["LLM_BASE_URL"] = given[own_url]
    idle = sorted(name for name in given if _is_unused(name, given[name], own_url))
    warnings: list[str] = []
    if idle:
        warnings.append(
            f"No effect here: {', '.join(idle)}. Texts are embedded on this machine, and memories"
            " live in the folder that `commonplace settings` shows."
        )
    return given, warnings + _model_warnings(given)


def is_powermem_variable(name: str) -> bool:
    """Whether a variable has a name of PowerMem's."""
    return _VARIABLE.fullmatch(name) is not None


def _model_warnings(given: Mapping[str, str]) -> list[str]:
    provider, url, model, key = (
        (given.get(f"COMMONPLACE_{ours}") or given.get(theirs) or "").strip()
        for ours, theirs in (
            ("LLM_PROVIDER", "LLM_PROVIDER"),
            ("LLM_URL", "LLM_BASE_URL"),
            ("LLM_MODEL", "LLM_MODEL"),
            ("LLM_API_KEY", "LLM_API_KEY"),
        )
    )
    try:
        found = providers.resolve_address(provider, url, model, key)
    except CommonplaceError as error:
        return [f"{error.message} Until then, memories are added without a model."]
    if found is None and (model or key) and provider.lower() not in providers.NO_PROVIDER[1:]:
        return [
            "No language model is used, because neither LLM_PROVIDER nor LLM_BASE_URL is set. "
            "Memories are added without one."
        ]
    return []


def _is_unused(name: str, value: str, own_url: str) -> bool:
    if name in USED_VARIABLES or name == own_url or not value or not _VARIABLE.fullmatch(name):
        return False
    return not (name in _STORES and value.strip().lower() == "sqlite")


def _object(value: object) -> Mapping[str, object]:
    return cast(dict[str, object], value) if isinstance(value, dict) else {}
