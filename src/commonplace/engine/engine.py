"""The engine: the runtime and the table of verbs. Each verb is a function in the module of its
noun.

A module is imported when one of its verbs is first used, so that a command loads only what it
needs.
"""

from commonplace import engine as nouns
from commonplace.engine.runtime import Runtime
from commonplace.engine.verbs import propagating, syncing_files, using_disk_reserve, verb


class Engine(Runtime):
    """All verbs, as methods of the runtime."""

    __slots__ = ()

    create_bank = verb(lambda: nouns.banks.create_bank)
    update_bank = verb(lambda: nouns.banks.update_bank)
    get_bank = verb(lambda: nouns.banks.get_bank)
    list_banks = verb(lambda: nouns.banks.list_banks)
    delete_bank = syncing_files(lambda: using_disk_reserve(nouns.erasure.erasure.delete_bank))

    remember = propagating(lambda: nouns.memories.remember)
    remember_many = propagating(lambda: nouns.memories.remember_many)
    remember_once = syncing_files(lambda: nouns.idempotency.remember_once)
    once = verb(lambda: nouns.idempotency.once)
    get = verb(lambda: nouns.memories.get)
    list = verb(lambda: nouns.memories.list_memories)
    count = verb(lambda: nouns.memories.count)
    complete_id = verb(lambda: nouns.short_ids.complete_id)
    short_ids = verb(lambda: nouns.short_ids.short_ids)
    revise = propagating(lambda: nouns.memories.revise)
    correct = propagating(lambda: nouns.facts.corrections.correct)
    tag = propagating(lambda: nouns.memories.tag)
    list_facets = verb(lambda: nouns.facets.list_facets)
    list_tags = verb(lambda: nouns.memories.list_tags)

    add_messages = propagating(lambda: nouns.add_messages.add_messages)
    merge_statements = propagating(lambda: nouns.add_messages.merge_statements)

    recall = verb(lambda: nouns.recall.recall)
    passages_of = verb(lambda: nouns.recall.passages_of)
    recall_superseded = verb(lambda: nouns.versions.history.recall_superseded)

    forget = propagating(lambda: using_disk_reserve(nouns.erasure.deletion.forget))
    forget_where = propagating(lambda: using_disk_reserve(nouns.erasure.deletion.forget_where))
    restore = propagating(lambda: nouns.erasure.deletion.restore)
    restore_version = propagating(lambda: nouns.erasure.deletion.restore_version)
    undo = propagating(lambda: nouns.versions.undo.undo)
    move = propagating(lambda: nouns.versions.move.move)
    purge = propagating(lambda: using_disk_reserve(nouns.erasure.erasure.purge))
    purge_where = propagating(lambda: using_disk_reserve(nouns.erasure.erasure.purge_where))

    erase = propagating(lambda: using_disk_reserve(nouns.erasure.scoped_erasure.erase))
    erase_ids = propagating(lambda: using_disk_reserve(nouns.erasure.scoped_erasure.erase_ids))
    erase_bank = syncing_files(lambda: using_disk_reserve(nouns.erasure.scoped_erasure.erase_bank))

    history = verb(lambda: nouns.versions.history.history)
    get_version = verb(lambda: nouns.versions.history.get_version)
    revision = verb(lambda: nouns.versions.history.revision)
    revisions = verb(lambda: nouns.versions.history.revisions)
    at_revision = verb(lambda: nouns.versions.history.at_revision)
    list_projects = verb(lambda: nouns.versions.history.list_projects)

    set_key = propagating(lambda: nouns.keypaths.set_key)
    absorb = propagating(lambda: nouns.keypaths.absorb)
    absorb_as_job = propagating(lambda: nouns.keypaths.absorb_as_job)
    find_key = verb(lambda: nouns.keypaths.find_key)
    forget_keys = propagating(lambda: using_disk_reserve(nouns.keypaths.forget_keys))
    tree = verb(lambda: nouns.keypaths.tree)

    put_document = verb(lambda: nouns.documents.put_document)
    get_document = verb(lambda: nouns.documents.get_document)
    list_documents = verb(lambda: nouns.documents.list_documents)
    document_names = verb(lambda: nouns.documents.document_names)
    delete_document = propagating(lambda: using_disk_reserve(nouns.documents.delete_document))

    context = verb(lambda: nouns.sessions.context.context)
    list_rules = verb(lambda: nouns.sessions.rules.list_rules)
    list_derivations = verb(lambda: nouns.derivations.list_derivations)
    list_contradictions = verb(lambda: nouns.links.links.list_contradictions)
    list_links = verb(lambda: nouns.links.links.list_links)
    find_duplicates = verb(lambda: nouns.links.dedupe.find_duplicates)
    consolidate = propagating(lambda: nouns.links.dedupe.consolidate)

    start_session = verb(lambda: nouns.sessions.sessions.start_session)
    checkpoint_session = verb(lambda: nouns.sessions.sessions.checkpoint_session)
    end_session = verb(lambda: nouns.sessions.sessions.end_session)
    get_session = verb(lambda: nouns.sessions.sessions.get_session)
    list_sessions = verb(lambda: nouns.sessions.sessions.list_sessions)
    list_events = verb(lambda: nouns.sessions.sessions.list_events)
    recent_events = verb(lambda: nouns.sessions.sessions.recent_events)
    snapshot_session = verb(lambda: nouns.sessions.sessions.snapshot_session)
    publish_snapshot = verb(lambda: nouns.sessions.sessions.publish_snapshot)
    get_snapshot = verb(lambda: nouns.sessions.sessions.get_snapshot)
    list_snapshots = verb(lambda: nouns.sessions.sessions.list_snapshots)

    run_hook = propagating(lambda: nouns.hooks.run.run_hook)
    brief = verb(lambda: nouns.hooks.brief.make_brief)

    add_reminder = verb(lambda: nouns.sessions.reminders.add_reminder)
    get_reminder = verb(lambda: nouns.sessions.reminders.get_reminder)
    list_reminders = verb(lambda: nouns.sessions.reminders.list_reminders)
    run_due = verb(lambda: nouns.sessions.reminders.run_due)
    enable_reminder = verb(lambda: nouns.sessions.reminders.enable_reminder)
    disable_reminder = verb(lambda: nouns.sessions.reminders.disable_reminder)
    delete_reminder = verb(lambda: using_disk_reserve(nouns.sessions.reminders.delete_reminder))

    start_stream = verb(lambda: nouns.sessions.streams.start_stream)
    append_chunk = verb(lambda: nouns.sessions.streams.append_chunk)
    get_stream = verb(lambda: nouns.sessions.streams.get_stream)
    finalize_stream = verb(lambda: nouns.sessions.streams.finalize_stream)
    close_stream = verb(lambda: nouns.sessions.streams.close_stream)
    cancel_stream = verb(lambda: using_disk_reserve(nouns.sessions.streams.cancel_stream))
    expire_streams = verb(lambda: nouns.sessions.streams.expire_streams)

    retain = propagating(lambda: nouns.facts.retain.retain)
    retain_as_job = propagating(lambda: nouns.facts.retain.retain_as_job)
    erase_document = propagating(
        lambda: using_disk_reserve(nouns.facts.fact_erasure.erase_document)
    )
    find_document = verb(lambda: nouns.facts.fact_listing.find_document)
    browse = verb(lambda: nouns.facts.fact_listing.browse)
    clear_facts = propagating(lambda: using_disk_reserve(nouns.facts.fact_erasure.clear_facts))
    search_facts = verb(lambda: nouns.facts.fact_search.search_facts)
    fit_tokens = verb(lambda: nouns.facts.token_budget.fit_tokens)
    fact_stats = verb(lambda: nouns.facts.stats.fact_stats)
    entities = verb(lambda: nouns.facts.stats.entities)
    content_counts = verb(lambda: nouns.facts.stats.content_counts)
    reflect = verb(lambda: nouns.reflect.reflect.reflect)

    add_directive = verb(lambda: nouns.reflect.directives.add_directive)
    list_directives = verb(lambda: nouns.reflect.directives.list_directives)
    get_directive = verb(lambda: nouns.reflect.directives.get_directive)
    update_directive = verb(lambda: nouns.reflect.directives.update_directive)
    delete_directive = verb(lambda: using_disk_reserve(nouns.reflect.directives.delete_directive))
    directives_in_force = verb(lambda: nouns.reflect.directives.directives_in_force)
    guidance = verb(lambda: nouns.reflect.directives.guidance)
    add_mental_model = verb(lambda: nouns.reflect.mental_models.add_mental_model)
    list_mental_models = verb(lambda: nouns.reflect.mental_models.list_mental_models)
    get_mental_model = verb(lambda: nouns.reflect.mental_models.get_mental_model)
    update_mental_model = verb(lambda: nouns.reflect.mental_models.update_mental_model)
    delete_mental_model = verb(
        lambda: using_disk_reserve(nouns.reflect.mental_models.delete_mental_model)
    )
    clear_mental_model = verb(lambda: nouns.reflect.mental_models.clear_mental_model)
    refresh_mental_model = verb(lambda: nouns.reflect.mental_models.refresh_mental_model)
    refresh_as_job = verb(lambda: nouns.reflect.mental_models.refresh_as_job)
    is_stale = verb(lambda: nouns.reflect.mental_models.is_stale)
    knowledge = verb(lambda: nouns.reflect.knowledge.knowledge)
    knowledge_page = verb(lambda: nouns.reflect.knowledge.knowledge_page)
    search_knowledge = verb(lambda: nouns.reflect.knowledge_search.search_knowledge)
    add_folder = verb(lambda: nouns.reflect.knowledge.add_folder)
    add_page = verb(lambda: nouns.reflect.knowledge.add_page)
    update_folder = verb(lambda: nouns.reflect.knowledge.update_folder)
    update_page = verb(lambda: nouns.reflect.knowledge.update_page)
    delete_node = verb(lambda: using_disk_reserve(nouns.reflect.knowledge.delete_node))

    enqueue = verb(lambda: nouns.operations.jobs.enqueue)
    get_job = verb(lambda: nouns.operations.jobs.get_job)
    list_jobs = verb(lambda: nouns.operations.jobs.list_jobs)
    count_jobs = verb(lambda: nouns.operations.jobs.count_jobs)
    unpropagated_count = verb(lambda: nouns.facts.propagation.unpropagated_count)
    cancel_job = verb(lambda: nouns.operations.jobs.cancel_job)
    retry_job = verb(lambda: nouns.operations.jobs.retry_job)
    delete_finished_jobs = verb(
        lambda: using_disk_reserve(nouns.operations.jobs.delete_finished_jobs)
    )

    rebuild = verb(lambda: nouns.operations.indexing.rebuild)
    stale_count = verb(lambda: nouns.operations.indexing.stale_count)
    export = verb(lambda: nouns.operations.archive.export)
    export_to = verb(lambda: nouns.operations.archive.export_to)
    import_archive = syncing_files(lambda: nouns.operations.archive.import_archive)
    import_from = syncing_files(lambda: nouns.operations.archive.import_from)
    import_external = syncing_files(lambda: nouns.operations.external_import.import_external)
    import_reminder = verb(lambda: nouns.operations.external_import.import_reminder)
    backup = verb(lambda: nouns.operations.backups.backup)
    restore_backup = syncing_files(lambda: nouns.operations.backups.restore_backup)
    doctor = verb(lambda: nouns.operations.doctor.doctor)

    adopt = verb(lambda: nouns.operations.note_import.adopt)
    amend = verb(lambda: nouns.operations.note_import.amend)
    for_phases = verb(lambda: nouns.sessions.phase_context.for_phases)
