"""Jobs, maintenance, archives and the doctor. A module is imported on first use."""

from typing import TYPE_CHECKING

from commonplace import lazy

if TYPE_CHECKING:
    from commonplace.engine.operations import (
        archive as archive,
        archive_import as archive_import,
        backups as backups,
        disk_reserve as disk_reserve,
        doctor as doctor,
        duties as duties,
        external_import as external_import,
        indexing as indexing,
        jobs as jobs,
        link_judging as link_judging,
        maintenance as maintenance,
        note_import as note_import,
        stats as stats,
        tasks as tasks,
        worker as worker,
    )

__getattr__ = lazy.submodules(__name__)
