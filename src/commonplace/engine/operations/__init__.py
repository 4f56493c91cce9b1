"""Jobs, maintenance, archives and the doctor. A module is imported on first use."""

from typing import TYPE_CHECKING

from commonplace import lazy

if TYPE_CHECKING:
    from commonplace.engine.operations import (
        archive as archive,
    )
    from commonplace.engine.operations import (
        archive_import as archive_import,
    )
    from commonplace.engine.operations import (
        backups as backups,
    )
    from commonplace.engine.operations import (
        doctor as doctor,
    )
    from commonplace.engine.operations import (
        duties as duties,
    )
    from commonplace.engine.operations import (
        external_import as external_import,
    )
    from commonplace.engine.operations import (
        indexing as indexing,
    )
    from commonplace.engine.operations import (
        jobs as jobs,
    )
    from commonplace.engine.operations import (
        maintenance as maintenance,
    )
    from commonplace.engine.operations import (
        stats as stats,
    )
    from commonplace.engine.operations import (
        tasks as tasks,
    )
    from commonplace.engine.operations import (
        worker as worker,
    )

__getattr__ = lazy.submodules(__name__)
