"""One module a noun, with its verbs. A module is imported when it is first used: `engine.recall.recall`."""

from typing import TYPE_CHECKING

from commonplace import lazy

if TYPE_CHECKING:
    from commonplace.engine import (
        archive as archive,
        asking as asking,
        backups as backups,
        banks as banks,
        bundles as bundles,
        consolidation as consolidation,
        context as context,
        correcting as correcting,
        derived as derived,
        directives as directives,
        doctor as doctor,
        documents as documents,
        erasing as erasing,
        forgetting as forgetting,
        history as history,
        jobs as jobs,
        keys as keys,
        knowledge as knowledge,
        knowledge_search as knowledge_search,
        links as links,
        memories as memories,
        mental_models as mental_models,
        notes as notes,
        passages as passages,
        portions as portions,
        recall as recall,
        reflecting as reflecting,
        reminders as reminders,
        replies as replies,
        retaining as retaining,
        rules as rules,
        sessions as sessions,
        settling as settling,
        short_ids as short_ids,
        streams as streams,
        superseded as superseded,
        surveys as surveys,
        taking as taking,
        tasks as tasks,
        telling as telling,
        worker as worker,
    )

__getattr__ = lazy.submodules(__name__)
