"""Jobs, maintenance, archives and the doctor. A module is imported on first use."""

from typing import TYPE_CHECKING

from commonplace import lazy

if TYPE_CHECKING:
    from commonplace.engine.operations import (
        archive as archive,
        archive_import as archive_import,
        background_task as background_task,
        backups as backups,
        doctor as doctor,
        external_import as external_import,
        indexing as indexing,
        jobs as jobs,
        maintenance as maintenance,
        note_import as note_import,
        worker as worker,
    )
    from commonplace.engine.links import link_judging as link_judging

__getattr__ = lazy.submodules(__name__)
