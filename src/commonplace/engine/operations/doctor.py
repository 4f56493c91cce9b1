"""Checks a store and reports faults. Derived data can be repaired; canonical data is never
changed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from commonplace import ids
from commonplace.engine.banks import list_banks
from commonplace.engine.catch_up import catch_up_embeddings
from commonplace.engine.operations.indexing import is_outdated, rebuild
from commonplace.engine.operations.worker import LATE_MS
from commonplace.engine.runtime import Runtime
from commonplace.errors import Busy, CommonplaceError, Forbidden, Unsupported
from commonplace.storage import integrity, secure_delete, text_index
from commonplace.storage.rows import vector_rows

State: TypeAlias = Literal["ok", "fixed", "warning", "problem"]

_LOG_BYTES_MAX = 64_000_000
_FREE_BYTES_MIN = 100_000_000
_QUEUE_MAX = 1_000  # The next recall embeds a smaller queue quickly.
_EMBED_MS = 600_000
_DAY_MS = 24 * 3_600_000  # An older copy is left over from a killed process.
_SHOWN_MAX = 3
_RESTORE = (
    "Make a copy of the store, then run `commonplace restore --backup FILE` with an earlier backup."
)
_REBUILD = "Run `commonplace rebuild`. If that does not help: " + _RESTORE
_FIX = "Run `commonplace doctor --fix`."


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check, with a hint how to fix it."""

    check: str
    state: State
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class _Check:
    """One check: the text if all is well, the function that finds a fault, and the repair where
    that is safe.
    """

    name: str
    ok_text: str
    find_fault: Callable[[Runtime], str]
    repair: Callable[[Runtime], None] | None = None
    state: State = "problem"
    hint: str = _FIX


def doctor(runtime: Runtime, *, fix: bool = False) -> tuple[Finding, ...]:
    """One finding per check. With `fix`, derived state, file permissions and the log are repaired.

    If the file itself is damaged, its content is neither checked nor repaired: reads cannot be
    trusted, and a write could add damage.
    """
    first = _finding(runtime, _INTEGRITY, fix)
    inside = (
        ()
        if first.state == "problem"
        else tuple(_finding(runtime, check, fix) for check in _CONTENT_CHECKS)
    )
    return (first, *inside, *(_finding(runtime, check, fix) for check in _FILE_CHECKS))


def examine_file(path: Path) -> tuple[Finding, ...]:
    """Findings about a store that cannot be opened."""
    try:
        damage = integrity.examine_file(path)
    except CommonplaceError as error:
        return (Finding("file", "problem", error.message, error.hint),)
    if not damage:
        return (Finding("file", "ok", f"{path.name!r} is a sound store."),)
    return tuple(Finding("file", "problem", line, _RESTORE) for line in damage)


def _finding(runtime: Runtime, check: _Check, fix: bool) -> Finding:
    # A check that fails with an error reports this error as its finding, so that the other checks
    # still run.
    try:
        wrong = check.find_fault(runtime)
        if not wrong:
            return Finding(check.name, "ok", check.ok_text)
        if fix and check.repair is not None:
            check.repair(runtime)
            remaining = check.find_fault(runtime)
            if not remaining:
                return Finding(check.name, "fixed", wrong)
            return Finding(
                check.name, check.state, remaining, _REBUILD if check.hint == _FIX else check.hint
            )
    except (Unsupported, Busy, Forbidden) as error:
        return Finding(check.name, "problem", error.message, error.hint)
    return Finding(check.name, check.state, wrong, check.hint)


def _damage(runtime: Runtime) -> str:
    damage = integrity.file_damage(runtime.db)
    listed = "; ".join(" ".join(line.split()) for line in damage[:_SHOWN_MAX])
    return f"The file is damaged: {listed}." if damage else ""


def _broken_references(runtime: Runtime) -> str:
    broken = integrity.broken_references(runtime.db)
    listed = ", ".join(f"{count:,} in {name}" for name, count in broken.items())
    return f"Rows refer to rows that do not exist: {listed}." if broken else ""


def _text_index_fault(runtime: Runtime) -> str:
    return (
        "" if text_index.is_sound(runtime.db) else "The text index does not match the stored texts."
    )


def _log_size(runtime: Runtime) -> str:
    size = integrity.log_bytes(runtime.db)
    return f"The write-ahead log has {size:,} bytes." if size > _LOG_BYTES_MAX else ""


def _checkpoint(runtime: Runtime) -> None:
    secure_delete.scrub(runtime.db)


def _embedding_backlog(runtime: Runtime) -> str:
    count = vector_rows.queue_length(runtime.db)
    many = f"{count:,} memories wait for a vector; until then they are found by their words only."
    return many if count > _QUEUE_MAX else ""


def _embed(runtime: Runtime) -> None:
    for bank in list_banks(runtime):
        catch_up_embeddings(runtime, bank.id, _EMBED_MS)


def _outdated_index(runtime: Runtime) -> str:
    semantics = runtime.semantics()
    count = vector_rows.foreign_vector_count(runtime.db, semantics.name) if semantics else 0
    if count:
        return f"{count:,} vectors were made by another embedder and are not used."
    return (
        "The text index was made by another analyzer, or a rebuild was interrupted."
        if is_outdated(runtime)
        else ""
    )


def _rebuild(runtime: Runtime) -> None:
    rebuild(runtime)


def _job_delays(runtime: Runtime) -> str:
    now = runtime.clock.now()
    left, late = (
        integrity.expired_leases(runtime.db, now),
        integrity.late_jobs(runtime.db, now - LATE_MS),
    )
    faults = [f"{left:,} jobs belong to a worker that has stopped."] if left else []
    if late:
        faults.append(
            f"{late:,} jobs have waited for more than a minute: no worker is running, or it has"
            " fallen behind."
        )
    return " ".join(faults)


def _id_counter_lag(runtime: Runtime) -> str:
    behind = integrity.id_counter_lag(runtime.db)
    return f"The id counter is {behind:,} behind the highest id." if behind else ""


def _open_permissions(runtime: Runtime) -> str:
    names = integrity.paths_open_to_others(runtime.db)
    return f"Other users have access to: {', '.join(names)}." if names else ""


def _leftovers(runtime: Runtime) -> str:
    names = integrity.leftovers(runtime.db, runtime.clock.now() - _DAY_MS)
    return f"Unfinished copies: {', '.join(names[:_SHOWN_MAX])}." if names else ""


def _remove_leftovers(runtime: Runtime) -> None:
    integrity.remove_leftovers(runtime.db, runtime.clock.now() - _DAY_MS)


def _low_space(runtime: Runtime) -> str:
    free, size = integrity.free_bytes(runtime.db)
    return f"The disk has {free:,} bytes left." if free < max(_FREE_BYTES_MIN, 2 * size) else ""


def _schema_fault(runtime: Runtime) -> str:
    return integrity.schema_fault(runtime.db)


def _fault_by_ids(name: str, what: str) -> Callable[[Runtime], str]:
    """A check that counts the ids returned by a named query and shows the first ones."""
    return lambda runtime: _summarize_ids(integrity.found_ids(runtime.db, name), what)


def _unreadable_fields(runtime: Runtime) -> str:
    return _summarize_ids(
        integrity.unreadable_ids(runtime.db), "Memories with a field that cannot be read"
    )


def _summarize_ids(found: list[int], what: str) -> str:
    shown = ", ".join(ids.short_form(number) for number in found[:_SHOWN_MAX])
    more = ", …" if len(found) > _SHOWN_MAX else ""
    return f"{what}: {len(found):,} ({shown}{more})." if found else ""


def _reindex(name: str) -> Callable[[Runtime], None]:
    return lambda runtime: integrity.reindex_found(runtime.db, name)


_INTEGRITY = _Check(
    "integrity",
    "The file is sound.",
    _damage,
    lambda runtime: integrity.reindex(runtime.db),
    hint="If `commonplace doctor --fix` does not help: " + _RESTORE,
)
_CONTENT_CHECKS = (
    _Check(
        "migrations",
        "The schema matches this version of Commonplace.",
        _schema_fault,
        hint=_RESTORE,
    ),
    _Check(
        "references",
        "No row refers to a row that does not exist.",
        _broken_references,
        hint=_RESTORE,
    ),
    _Check(
        "contents",
        "Every field of every version can be read.",
        _unreadable_fields,
        hint=_RESTORE,
    ),
    _Check(
        "versions",
        "Every memory has all its versions.",
        _fault_by_ids("broken_chains", "Memories with missing versions"),
        hint=_RESTORE,
    ),
    _Check(
        "states",
        "Every memory matches its newest version.",
        _fault_by_ids(
            "memories_beside_their_version", "Memories that differ from their newest version"
        ),
        hint=_RESTORE,
    ),
    _Check(
        "revisions",
        "Every project has all its revisions.",
        _fault_by_ids("broken_numberings", "Banks with missing revisions"),
        hint=_RESTORE,
    ),
    _Check(
        "changes",
        "Every version belongs to a revision.",
        _fault_by_ids(
            "versions_without_revision", "Memories with a version that belongs to no revision"
        ),
        hint=_RESTORE,
    ),
    _Check(
        "ids",
        "The id counter is higher than every id.",
        _id_counter_lag,
        lambda runtime: integrity.advance_id_counter(runtime.db),
    ),
    _Check(
        "text index",
        "The text index is sound.",
        _text_index_fault,
        lambda runtime: integrity.rebuild_text_index(runtime.db),
    ),
    _Check(
        "texts",
        "Every memory is in the text index.",
        _fault_by_ids("memories_without_text", "Memories missing from the text index"),
        _reindex("memories_without_text"),
    ),
    _Check(
        "lost texts",
        "The text index has no texts of deleted memories.",
        _fault_by_ids("texts_without_memory", "Texts of deleted memories"),
        lambda runtime: integrity.drop_orphans(runtime.db),
    ),
    _Check(
        "tags",
        "The tag table agrees with the memories.",
        _fault_by_ids("memories_with_wrong_tags", "Memories with wrong rows in the tag table"),
        _reindex("memories_with_wrong_tags"),
    ),
    _Check(
        "fields",
        "The table of metadata fields agrees with the memories.",
        _fault_by_ids(
            "memories_with_wrong_fields", "Memories with wrong rows in the table of metadata fields"
        ),
        _reindex("memories_with_wrong_fields"),
    ),
    _Check(
        "vectors",
        "Every memory has a vector or waits for one.",
        _fault_by_ids(
            "memories_without_vector", "Memories that have no vector and do not wait for one"
        ),
        _reindex("memories_without_vector"),
    ),
    _Check(
        "vector states",
        "Every vector has the bank and state of its memory.",
        _fault_by_ids("misplaced_vectors", "Memories whose vector has another bank or state"),
        lambda runtime: integrity.replace_vectors(runtime.db),
    ),
    _Check(
        "orphans",
        "No derived data is left of deleted memories.",
        _fault_by_ids("orphans", "Deleted memories that left derived data"),
        lambda runtime: integrity.drop_orphans(runtime.db),
    ),
    _Check(
        "queue",
        "Few or no memories wait for a vector.",
        _embedding_backlog,
        _embed,
        state="warning",
    ),
    _Check(
        "age",
        "The text index and the vectors are up to date.",
        _outdated_index,
        _rebuild,
        state="warning",
    ),
    _Check(
        "jobs",
        "No job is abandoned or late.",
        _job_delays,
        state="warning",
        hint=(
            "Start `commonplace serve`, which runs them. If it is running already, check its"
            " /health and its log."
        ),
    ),
)
_FILE_CHECKS = (
    _Check("log", "The write-ahead log is small.", _log_size, _checkpoint, state="warning"),
    _Check(
        "rights",
        "Only you have access to the store.",
        _open_permissions,
        lambda runtime: integrity.restrict_permissions(runtime.db),
        state="warning",
    ),
    _Check(
        "leftovers",
        "There are no unfinished copies.",
        _leftovers,
        _remove_leftovers,
        state="warning",
    ),
    _Check(
        "space",
        "The disk has enough space.",
        _low_space,
        state="warning",
        hint="Free some space, or move COMMONPLACE_HOME.",
    ),
)
