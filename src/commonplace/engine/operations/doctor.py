"""Checks a store and explains what it finds. Mends what is derived; what is canonical is reported,
never touched.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from commonplace import ids
from commonplace.engine.banks import list_banks
from commonplace.engine.operations.indexing import heal, outdated, rebuild
from commonplace.engine.operations.worker import LATE_MS
from commonplace.engine.runtime import Parts
from commonplace.errors import Busy, CommonplaceError, Forbidden, Unsupported
from commonplace.storage import integrity, secure_delete, text_index, vector_rows

State: TypeAlias = Literal["ok", "fixed", "warning", "problem"]

_LOG_BYTES_MAX = 64_000_000
_FREE_BYTES_MIN = 100_000_000
_QUEUE_MAX = 1_000  # Fewer are embedded by the next recall without anyone noticing.
_EMBED_MS = 600_000
_DAY_MS = (
    24 * 3_600_000
)  # A copy that nobody touched for this long belongs to a process that was killed.
_SHOWN = 3
_RESTORE = (
    "Make a copy of the store, then run `commonplace restore --backup FILE` with an earlier backup."
)
_REBUILD = "Run `commonplace rebuild`. If that does not help: " + _RESTORE
_FIX = "Run `commonplace doctor --fix`."


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found, and what to do about it."""

    check: str
    state: State
    text: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class _Check:
    """A thing to look at: what to say when it is well, how to see that it is not, how to mend it
    where that is safe.
    """

    name: str
    well: str
    look: Callable[[Parts], str]
    mend: Callable[[Parts], None] | None = None
    state: State = "problem"
    hint: str = _FIX


def doctor(parts: Parts, *, fix: bool = False) -> tuple[Finding, ...]:
    """One finding for each check. With `fix`, derived state, file rights and the log are mended on
    the way.

    Where the file itself is damaged, nothing inside it is looked at or mended: what is read cannot
    be trusted, and a write could do more harm.
    """
    first = _finding(parts, _INTEGRITY, fix)
    inside = (
        () if first.state == "problem" else tuple(_finding(parts, check, fix) for check in _INSIDE)
    )
    return (first, *inside, *(_finding(parts, check, fix) for check in _AROUND))


def examine_file(path: Path) -> tuple[Finding, ...]:
    """What can be said of a store that cannot be opened."""
    try:
        damage = integrity.examine(path)
    except CommonplaceError as error:
        return (Finding("file", "problem", error.message, error.hint),)
    if not damage:
        return (Finding("file", "ok", f"{path.name!r} is a sound store."),)
    return tuple(Finding("file", "problem", line, _RESTORE) for line in damage)


def _finding(parts: Parts, check: _Check, fix: bool) -> Finding:
    # A doctor who falls over at the first damage is of no use: what a check cannot get past is what
    # it found.
    try:
        wrong = check.look(parts)
        if not wrong:
            return Finding(check.name, "ok", check.well)
        if fix and check.mend is not None:
            check.mend(parts)
            remaining = check.look(parts)
            if not remaining:
                return Finding(check.name, "fixed", wrong)
            return Finding(
                check.name, check.state, remaining, _REBUILD if check.hint == _FIX else check.hint
            )
    except (Unsupported, Busy, Forbidden) as error:
        return Finding(check.name, "problem", error.message, error.hint)
    return Finding(check.name, check.state, wrong, check.hint)


def _integrity(parts: Parts) -> str:
    damage = integrity.damage(parts.db)
    listed = "; ".join(" ".join(line.split()) for line in damage[:_SHOWN])
    return f"The file is damaged: {listed}." if damage else ""


def _references(parts: Parts) -> str:
    broken = integrity.broken_references(parts.db)
    listed = ", ".join(f"{count:,} in {name}" for name, count in broken.items())
    return f"Rows refer to rows that do not exist: {listed}." if broken else ""


def _unsound_texts(parts: Parts) -> str:
    return (
        ""
        if text_index.texts_sound(parts.db)
        else "The text index does not match the stored texts."
    )


def _log(parts: Parts) -> str:
    size = integrity.log_bytes(parts.db)
    return f"The write-ahead log has {size:,} bytes." if size > _LOG_BYTES_MAX else ""


def _checkpoint(parts: Parts) -> None:
    secure_delete.scrub(parts.db)


def _waiting(parts: Parts) -> str:
    count = vector_rows.stale_count(parts.db)
    many = f"{count:,} memories wait for a vector; until then they are found by their words only."
    return many if count > _QUEUE_MAX else ""


def _embed(parts: Parts) -> None:
    for bank in list_banks(parts):
        heal(parts, bank.id, _EMBED_MS)


def _outdated(parts: Parts) -> str:
    semantics = parts.semantics()
    count = vector_rows.foreign_count(parts.db, semantics.name) if semantics else 0
    if count:
        return f"{count:,} vectors were made by another embedder and are not used."
    return (
        "The text index was made by another analyzer, or a rebuild was interrupted."
        if outdated(parts)
        else ""
    )


def _rebuild(parts: Parts) -> None:
    rebuild(parts)


def _leases(parts: Parts) -> str:
    now = parts.clock.now()
    left, late = (
        integrity.expired_leases(parts.db, now),
        integrity.late_jobs(parts.db, now - LATE_MS),
    )
    told = [f"{left:,} jobs belong to a worker that has stopped."] if left else []
    if late:
        told.append(
            f"{late:,} jobs have waited for more than a minute: no worker is running, or it has"
            " fallen behind."
        )
    return " ".join(told)


def _counter(parts: Parts) -> str:
    behind = integrity.ids_behind(parts.db)
    return f"The id counter is {behind:,} behind the highest id." if behind else ""


def _rights(parts: Parts) -> str:
    names = integrity.open_to_others(parts.db)
    return f"Other users have access to: {', '.join(names)}." if names else ""


def _leftovers(parts: Parts) -> str:
    names = integrity.leftovers(parts.db, parts.clock.now() - _DAY_MS)
    return f"Unfinished copies: {', '.join(names[:_SHOWN])}." if names else ""


def _remove_leftovers(parts: Parts) -> None:
    integrity.remove_leftovers(parts.db, parts.clock.now() - _DAY_MS)


def _space(parts: Parts) -> str:
    free, size = integrity.free_bytes(parts.db)
    return f"The disk has {free:,} bytes left." if free < max(_FREE_BYTES_MIN, 2 * size) else ""


def _schema(parts: Parts) -> str:
    return integrity.schema_fault(parts.db)


def _ids(name: str, what: str) -> Callable[[Parts], str]:
    """A look that counts the ids a named check finds, and shows the first."""
    return lambda parts: _told(integrity.found(parts.db, name), what)


def _unreadable(parts: Parts) -> str:
    return _told(integrity.unreadable(parts.db), "Memories with a field that cannot be read")


def _told(found: list[int], what: str) -> str:
    shown = ", ".join(ids.short(number) for number in found[:_SHOWN])
    more = ", …" if len(found) > _SHOWN else ""
    return f"{what}: {len(found):,} ({shown}{more})." if found else ""


def _index_again(name: str) -> Callable[[Parts], None]:
    return lambda parts: integrity.index_again(parts.db, name)


_INTEGRITY = _Check(
    "integrity",
    "The file is sound.",
    _integrity,
    lambda parts: integrity.reindex(parts.db),
    hint="If `commonplace doctor --fix` does not help: " + _RESTORE,
)
_INSIDE = (
    _Check("migrations", "The schema matches this version of Commonplace.", _schema, hint=_RESTORE),
    _Check("references", "No row refers to a row that does not exist.", _references, hint=_RESTORE),
    _Check(
        "contents",
        "Every field of every version can be read.",
        _unreadable,
        hint=_RESTORE,
    ),
    _Check(
        "versions",
        "Every memory has all its versions.",
        _ids("broken_chains", "Memories with missing versions"),
        hint=_RESTORE,
    ),
    _Check(
        "states",
        "Every memory matches its newest version.",
        _ids("memories_beside_their_version", "Memories that differ from their newest version"),
        hint=_RESTORE,
    ),
    _Check(
        "revisions",
        "Every project has all its revisions.",
        _ids("broken_numberings", "Banks with missing revisions"),
        hint=_RESTORE,
    ),
    _Check(
        "changes",
        "Every version belongs to a revision.",
        _ids("versions_without_revision", "Memories with a version that belongs to no revision"),
        hint=_RESTORE,
    ),
    _Check(
        "ids",
        "The id counter is higher than every id.",
        _counter,
        lambda parts: integrity.move_ids(parts.db),
    ),
    _Check(
        "text index",
        "The text index is sound.",
        _unsound_texts,
        lambda parts: integrity.mend_texts(parts.db),
    ),
    _Check(
        "texts",
        "Every memory is in the text index.",
        _ids("memories_without_text", "Memories missing from the text index"),
        _index_again("memories_without_text"),
    ),
    _Check(
        "lost texts",
        "The text index has no texts of deleted memories.",
        _ids("texts_without_memory", "Texts of deleted memories"),
        lambda parts: integrity.drop_orphans(parts.db),
    ),
    _Check(
        "tags",
        "The tag table agrees with the memories.",
        _ids("memories_with_wrong_tags", "Memories with wrong rows in the tag table"),
        _index_again("memories_with_wrong_tags"),
    ),
    _Check(
        "fields",
        "The table of metadata fields agrees with the memories.",
        _ids(
            "memories_with_wrong_fields", "Memories with wrong rows in the table of metadata fields"
        ),
        _index_again("memories_with_wrong_fields"),
    ),
    _Check(
        "vectors",
        "Every memory has a vector or waits for one.",
        _ids("memories_without_vector", "Memories that have no vector and do not wait for one"),
        _index_again("memories_without_vector"),
    ),
    _Check(
        "vector states",
        "Every vector has the bank and state of its memory.",
        _ids("misplaced_vectors", "Memories whose vector has another bank or state"),
        lambda parts: integrity.replace_vectors(parts.db),
    ),
    _Check(
        "orphans",
        "No derived data is left of deleted memories.",
        _ids("orphans", "Deleted memories that left derived data"),
        lambda parts: integrity.drop_orphans(parts.db),
    ),
    _Check("queue", "Few or no memories wait for a vector.", _waiting, _embed, state="warning"),
    _Check(
        "age",
        "The text index and the vectors are up to date.",
        _outdated,
        _rebuild,
        state="warning",
    ),
    _Check(
        "jobs",
        "No job is abandoned or late.",
        _leases,
        state="warning",
        hint=(
            "Start `commonplace serve`, which runs them. If it is running already, check its"
            " /health and its log."
        ),
    ),
)
_AROUND = (
    _Check("log", "The write-ahead log is small.", _log, _checkpoint, state="warning"),
    _Check(
        "rights",
        "Only you have access to the store.",
        _rights,
        lambda parts: integrity.close_to_others(parts.db),
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
        _space,
        state="warning",
        hint="Free some space, or move COMMONPLACE_HOME.",
    ),
)
