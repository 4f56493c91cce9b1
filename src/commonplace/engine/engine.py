"""The engine: its parts, and the table of its verbs. Each verb is a function in its noun's file."""

from commonplace.engine import (
    archive,
    asking,
    backups,
    banks,
    bundles,
    consolidation,
    correcting,
    derived,
    directives,
    documents,
    erasing,
    forgetting,
    jobs,
    keys,
    knowledge_search,
    links,
    memories,
    mental_models,
    notes,
    passages,
    portions,
    reflecting,
    reminders,
    replies,
    retaining,
    rules,
    sessions,
    settling,
    short_ids,
    streams,
    superseded,
    surveys,
    taking,
    telling,
)
from commonplace.engine import context as gathering
from commonplace.engine import doctor as care
from commonplace.engine import history as past
from commonplace.engine import knowledge as pages
from commonplace.engine import recall as finding
from commonplace.engine.freeing import freeing
from commonplace.engine.parts import Parts
from commonplace.engine.settling import settled


class Engine(Parts):
    """Everything a face can ask for."""

    __slots__ = ()

    create_bank = banks.create_bank
    update_bank = banks.update_bank
    get_bank = banks.get_bank
    list_banks = banks.list_banks
    delete_bank = freeing(erasing.delete_bank)

    remember = settled(memories.remember)
    remember_many = settled(memories.remember_many)
    remember_once = replies.remember_once
    once = replies.once
    get = memories.get
    list = memories.list_memories
    count = memories.count
    complete_id = short_ids.complete_id
    short_ids = short_ids.short_ids
    revise = settled(memories.revise)
    correct = settled(correcting.correct)
    tag = settled(memories.tag)
    list_tags = memories.list_tags

    tell = settled(telling.tell)

    recall = finding.recall
    recall_superseded = superseded.recall_superseded
    passages_of = passages.passages_of

    forget = freeing(settled(forgetting.forget))
    forget_where = freeing(settled(forgetting.forget_where))
    restore = settled(forgetting.restore)
    restore_version = settled(forgetting.restore_version)
    purge = freeing(settled(erasing.purge))
    purge_where = freeing(settled(erasing.purge_where))

    erase = freeing(settled(portions.erase))
    erase_ids = freeing(settled(portions.erase_ids))
    erase_bank = freeing(portions.erase_bank)

    history = past.history
    get_version = past.get_version
    revision = past.revision
    revisions = past.revisions
    at_revision = past.at_revision
    list_projects = past.list_projects

    set_key = settled(keys.set_key)
    absorb = settled(keys.absorb)
    absorb_as_job = settled(keys.absorb_as_job)
    find_key = keys.find_key
    forget_keys = freeing(settled(keys.forget_keys))
    tree = keys.tree

    put_document = documents.put_document
    get_document = documents.get_document
    list_documents = documents.list_documents
    document_names = documents.document_names
    delete_document = freeing(settled(documents.delete_document))

    context = gathering.context
    list_rules = rules.list_rules
    list_links = links.list_links
    consolidate = settled(consolidation.consolidate)

    start_session = sessions.start_session
    checkpoint_session = sessions.checkpoint_session
    end_session = sessions.end_session
    get_session = sessions.get_session
    list_sessions = sessions.list_sessions
    list_events = sessions.list_events
    recent_events = sessions.recent_events
    snapshot_session = sessions.snapshot_session
    publish_snapshot = sessions.publish_snapshot
    get_snapshot = sessions.get_snapshot
    list_snapshots = sessions.list_snapshots

    add_reminder = reminders.add_reminder
    get_reminder = reminders.get_reminder
    list_reminders = reminders.list_reminders
    run_due = reminders.run_due
    enable_reminder = reminders.enable_reminder
    disable_reminder = reminders.disable_reminder
    delete_reminder = freeing(reminders.delete_reminder)

    start_stream = streams.start_stream
    append_chunk = streams.append_chunk
    get_stream = streams.get_stream
    finalize_stream = streams.finalize_stream
    close_stream = streams.close_stream
    cancel_stream = freeing(streams.cancel_stream)
    expire_streams = streams.expire_streams

    retain = settled(retaining.retain)
    retain_as_job = settled(retaining.retain_as_job)
    erase_document = freeing(settled(retaining.erase_document))
    find_document = retaining.find_document
    browse = retaining.browse
    clear_facts = freeing(settled(retaining.clear_facts))
    ask = asking.ask
    explain = asking.explain
    packed = asking.packed
    survey = surveys.survey
    holdings = surveys.holdings
    reflect = reflecting.reflect

    add_directive = directives.add_directive
    list_directives = directives.list_directives
    delete_directive = freeing(directives.delete_directive)
    directives_in_force = directives.in_force
    guidance = directives.guidance
    add_mental_model = mental_models.add_mental_model
    list_mental_models = mental_models.list_mental_models
    get_mental_model = mental_models.get_mental_model
    update_mental_model = mental_models.update_mental_model
    delete_mental_model = freeing(mental_models.delete_mental_model)
    clear_mental_model = mental_models.clear_mental_model
    refresh_mental_model = mental_models.refresh_mental_model
    refresh_as_job = mental_models.refresh_as_job
    is_stale = mental_models.is_stale
    knowledge = pages.knowledge
    knowledge_page = pages.knowledge_page
    search_knowledge = knowledge_search.search_knowledge
    add_folder = pages.add_folder
    add_page = pages.add_page
    update_folder = pages.update_folder
    update_page = pages.update_page
    delete_node = freeing(pages.delete_node)

    enqueue = jobs.enqueue
    get_job = jobs.get_job
    list_jobs = jobs.list_jobs
    count_jobs = jobs.count_jobs
    unsettled_count = settling.unsettled_count
    cancel_job = jobs.cancel_job
    retry_job = jobs.retry_job
    delete_finished_jobs = freeing(jobs.delete_finished_jobs)

    rebuild = derived.rebuild
    stale_count = derived.stale_count
    export = archive.export
    export_to = archive.export_to
    import_archive = archive.import_archive
    import_from = archive.import_from
    take_over = taking.take_over
    take_reminder = taking.take_reminder
    backup = backups.backup
    restore_backup = backups.restore_backup
    doctor = care.doctor

    adopt = notes.adopt
    amend = notes.amend
    for_phases = bundles.for_phases
