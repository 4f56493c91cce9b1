"""What memories.sh promises: every sentence of its contract page, and every point its issue
decides.
"""

from tests.dialects.requirements import Requirement

_PAGE, _ISSUE = "contract/memories-sh.md", "issue 5"


def _promises(source: str, table: str) -> tuple[Requirement, ...]:
    """A line a promise: id, sentence, and after a second bar what we do instead."""
    rows = [[part.strip() for part in line.split("|")] for line in table.strip().splitlines()]
    return tuple(
        Requirement(f"memories:{row[0]}", source, row[1], row[2] if len(row) > 2 else None)
        for row in rows
    )


_CONTRACT = _promises(
    _PAGE,
    """
    tools:all | There are nine core tools, five lifecycle tools, six reminder tools and four streaming tools.
    tools:availability | The hosted server has the core tools and the local one all. | all 24, with the features of both
    tools:parameters | Every tool has the parameters of the page, with their types, enums and defaults.
    scope:tenant | tenant_id is the security and database boundary.
    scope:user | user_id is the end-user scope inside tenant_id.
    scope:project | project_id is an optional repo context filter and no boundary.
    get_context:primary | It returns all active rules, with path and category, plus memories relevant to a query.
    get_context:rules-first | All rules come first, followed by the search results.
    get_context:query | The query finds relevant memories.
    get_context:ranking | FTS5 ranks with BM25, and LIKE is the way out. | words and meaning are searched together
    get_context:limit | At most limit memories come back, 5 unless told.
    get_context:strategy | retrieval_strategy is baseline or hybrid_graph.
    get_context:graph-depth | graph_depth is 0, 1 or 2 hops.
    get_context:graph-limit | At most graph_limit memories are added over the graph.
    get_context:mode | mode is all, working, long_term or rules_only.
    get_context:session | session_id with hints makes the retrieval aware of the session.
    get_context:budget | A token budget that is exceeded gives a compaction section.
    get_context:turns | A turn budget that is exceeded gives a compaction section.
    get_context:inactivity | Inactivity beyond the threshold gives a compaction section.
    get_context:task-completed | A completed task gives a compaction section.
    get_context:include-summary | include_session_summary is reserved and accepted.
    get_context:write-ahead | A checkpoint is written before compaction.
    get_context:similar | Similar memories may be added over similar_to edges.
    get_context:edges | Conflict and refinement links are followed over contradicts and supersedes edges.
    get_context:conflicts | conflicts[] has pair ids, edge type, confidence, explanation and suggestion.
    get_context:trace | trace has the strategy and the conflict count.
    trace:dropped | On request a trace tells what found each memory with which score, and what was left out and why.
    start_session:starts | It starts a new session with title, client, user, metadata and project.
    start_session:global | global starts a global session.
    checkpoint_session:appends | It appends an event to an active session.
    checkpoint_session:defaults | Role is assistant, kind is checkpoint, and the event is meaningful unless told.
    checkpoint_session:fields | Token count and turn index are kept with the event.
    end_session:closes | It closes a session, as closed unless told.
    end_session:compacted | The final status may be compacted.
    snapshot_session:events | A snapshot is raw markdown of the recent events, 15 unless told.
    snapshot_session:transcript | A snapshot may be an explicit transcript.
    snapshot_session:trigger | source_trigger is one of four, manual unless told.
    snapshot_session:slug | The slug may be given.
    snapshot_session:meaningful | Only meaningful events are taken unless told.
    consolidate:merges | It merges duplicates.
    consolidate:supersedes | It supersedes stale truths.
    consolidate:audit | It writes audit rows.
    consolidate:types | types says which memory types are included.
    consolidate:include-global | Global memories are included unless told.
    consolidate:global-only | global_only restricts to global memories.
    consolidate:project | project_id names the project.
    consolidate:dry-run | A dry run previews and mutates no row.
    consolidate:model | The model is kept as audit metadata.
    add_memory:stores | It stores a memory with metadata, path scoping and category.
    add_memory:type | The type is rule, decision, fact, note or skill, note unless told.
    add_memory:project | Without a project the memory is global.
    add_memory:skill | A skill has a category and metadata with name and description.
    search_memories:finds | It is full-text search, best first.
    search_memories:ranking | FTS5 ranks with BM25, and LIKE is the way out. | words and meaning are searched together
    search_memories:type | type filters by memory type.
    search_memories:limit | At most limit results come back, 10 unless told.
    search_memories:project | project_id filters by project.
    get_rules:split | All active rules come, split by global and project scope.
    list_memories:recent | It lists recent memories.
    list_memories:type | type filters by type.
    list_memories:tags | tags is a substring match: test also matches testing.
    list_memories:limit | At most limit results come back, 20 unless told.
    edit_memory:updates | It updates content, type, tags, paths, category and metadata.
    forget_memory:soft | It soft-deletes a memory by id.
    bulk_forget:filters | It soft-deletes what matches types, tags, age and pattern.
    bulk_forget:tags | tags is a substring match.
    bulk_forget:age | older_than_days must be at least 1.
    bulk_forget:pattern | In a pattern * is any chars and ? a single one, and it matches anywhere in the content.
    bulk_forget:project | project_id filters by project.
    bulk_forget:all | all deletes everything and cannot be combined with other filters.
    bulk_forget:needs-filter | At least one filter or all is needed.
    bulk_forget:preview | A dry run gives count and memories with id, type and contentPreview.
    bulk_forget:result | A real run gives count and ids.
    bulk_forget:batches | Deletes are batched in groups of 500. | all deletions of one call are one transaction
    vacuum:purges | It hard-deletes every soft-deleted row.
    vacuum:answer | It returns purged and a message.
    add_reminder:creates | It creates a reminder with a 5-field cron expression and a message.
    add_reminder:global | global stores a global reminder.
    list_reminders:scope | It lists the reminders in the current scope.
    list_reminders:disabled | Disabled reminders come only when asked for.
    run_due:emits | It evaluates and emits due reminders.
    run_due:dry-run | A dry run does not advance the schedule.
    enable_reminder:recomputes | It enables a reminder and recomputes the next trigger.
    disable_reminder:keeps | It disables a reminder without deleting it.
    delete_reminder:deletes | It deletes a reminder by id.
    stream:start | It starts a stream with type, tags and project.
    stream:append | It appends a chunk to an active stream.
    stream:finalize | It finalizes the stream and creates the memory.
    stream:cancel | It cancels the stream and discards the chunks.
    """,
)

_DECIDED = _promises(
    _ISSUE,
    """
    answers:twice | Every success has readable text and the envelope, and nothing is in the envelope twice.
    errors:twice | A failure is a readable sentence and a typed error.
    limits:maxima | Limits are at most 50, 50 and 100; below one they are the usual ones.
    scope:every-tool | A user's rows are out of reach of others on edit, forget, bulk, vacuum, reminders and sessions.
    scope:owner | A call without user_id is the owner and never sees another user's rows.
    scope:read | A read with project_id shows that project and the global rows.
    scope:both | global together with project_id is refused.
    project:git | The project is told by the git remote of the working folder, without starting a program.
    project:echo | The project that was told by the git remote is echoed in the answer.
    rules:order | Rules for files come before project rules, and those before global ones.
    rules:paths | Path globs select rules when the query or the metadata names a file.
    rules:limit | All rules come whatever the limit.
    context:no-query | Without a query the recent memories come.
    context:no-match | A query that matches nothing gives rules and no memories.
    layer:working | The layer working is accepted on add and shown by mode working, for a day.
    compaction:session | An unknown or closed session still gets its context.
    compaction:on-disk | The checkpoint is on disk before the answer.
    links:made | Links are made without a model, each with confidence and reason.
    session:closed | A checkpoint on a closed session is refused.
    snapshot:file | A snapshot is also a markdown file.
    consolidate:hidden | Superseded rows are hidden from every read.
    consolidate:categories | Rules that share only a category stay apart.
    consolidate:newest | The newest wins, to the millisecond.
    consolidate:again | A second run merges nothing.
    consolidate:fast | Ten thousand memories take seconds, in one transaction, with progress.
    bulk:blank | A blank pattern or tag is refused.
    bulk:dry-refuses | A dry run refuses what the real run refuses.
    vacuum:shrinks | The file becomes smaller.
    reminders:cron | Names, steps, both days and leap days work; 30 February is refused.
    reminders:missed | Missed runs fire once.
    streams:restart | Streams survive a restart.
    streams:expire | Streams nobody touches expire.
    resources:three | There are resources for the rules, the recent memories and a project, whose id may have slashes.
    ids:twelve | Ids have twelve characters.
    crowd:none-lost | Two stdio processes and one HTTP server write at the same time and nothing is lost.
    rules:command | `commonplace rules --for` writes each tool's own files and leaves hand-written ones alone.
    rules:keeps | `commonplace rules` removes no file that a person wrote, edited, copied or linked.
    rules:asks | `commonplace rules` asks before it removes more than three files, or all of them.
    """,
)

REQUIREMENTS = _CONTRACT + _DECIDED
