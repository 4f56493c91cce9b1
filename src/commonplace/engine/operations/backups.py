"""Backup and restore of the whole store, while faces and other processes keep working."""

from dataclasses import dataclass
from pathlib import Path

from commonplace.engine.operations.archive import Progress
from commonplace.engine.runtime import Runtime
from commonplace.storage import backups, secure_delete


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A complete and verified backup."""

    name: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """A restored backup, and the name of the file with the former content."""

    name: str
    kept: str


def backup(runtime: Runtime, target: Path, *, progress: Progress | None = None) -> BackupReport:
    """Copy the store into a new file that only its owner can read. It is one consistent state,
    whatever others write meanwhile.
    """
    return BackupReport(target.name, backups.write(runtime.db, target, progress))


def restore_backup(
    runtime: Runtime, source: Path, *, progress: Progress | None = None
) -> RestoreReport:
    """Replace the store's content with a backup. The former content is kept in a file beside the
    store.
    """
    kept = backups.restore(runtime.db, source, runtime.clock, progress)
    # The whole content passed through the write-ahead log, which would otherwise stay as large as
    # the store.
    secure_delete.scrub(runtime.db)
    return RestoreReport(source.name, kept.name)
