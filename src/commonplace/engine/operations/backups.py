"""Backup and restore of the whole store. Faces and other processes may go on working meanwhile."""

from dataclasses import dataclass
from pathlib import Path

from commonplace.engine.operations.archive import Progress
from commonplace.engine.runtime import Parts
from commonplace.storage import backups, secure_delete


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A backup that was made and checked."""

    name: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """A backup that is now the store's content, and the name of the file that keeps what was there
    before.
    """

    name: str
    kept: str


def backup(parts: Parts, target: Path, *, progress: Progress | None = None) -> BackupReport:
    """Copy the store into a new file that only its owner can read. It is one state, whatever others
    write meanwhile.
    """
    return BackupReport(target.name, backups.write(parts.db, target, progress))


def restore_backup(
    parts: Parts, source: Path, *, progress: Progress | None = None
) -> RestoreReport:
    """Put a backup in the place of the store's content; what was there before is kept beside the
    store.
    """
    kept = backups.restore(parts.db, source, parts.clock, progress)
    # The whole content went through the log, which would otherwise stay as large as the store.
    secure_delete.scrub(parts.db)
    return RestoreReport(source.name, kept.name)
