-- Every canonical row, for export and import. `export_` reads pages in the order of the file, `find_archived_` looks
-- a row up by its key in any bank, `put_archived_` stores it; only types that can change are written over. A column whose
-- name in an archive is another one is read under both.

-- name: archived_bank_is_meant
(cast(:bank_id as integer) is null or bank_id = :bank_id)

-- The export of a part of a bank has the memories of a user, a project or a document and the rows they refer to, but
-- never rows about the whole bank.
-- name: archive_is_whole
(cast(:user as text) is null and cast(:project as text) is null and cast(:document as text) is null)

-- name: archived_memory_is_meant
{archived_bank_is_meant}
and (cast(:user as text) is null or user_name = :user) and (cast(:project as text) is null or project = :project)
and (cast(:document as text) is null or document_id in (select d.id from documents d where d.name = :document))

-- name: archived_scope_is_meant
{archived_bank_is_meant} and cast(:document as text) is null
and (cast(:user as text) is null or user_name = :user) and (cast(:project as text) is null or project = :project)

-- name: archived_stream_is_meant
{archived_bank_is_meant} and cast(:document as text) is null
and (cast(:user as text) is null or json_extract(draft, '$.scope.user') = :user)
and (cast(:project as text) is null or json_extract(draft, '$.scope.project') = :project)

-- name: archived_document_is_meant
{archived_bank_is_meant} and ({archive_is_whole} or name = :document
  or (cast(:project as text) is null and json_extract(metadata, '$.user') = :user)
  or id in (select document_id from memories where {archived_memory_is_meant}))

-- name: archived_revision_is_meant
{archived_bank_is_meant} and ({archive_is_whole}
  or (bank_id, project) in (select bank_id, project from memories where {archived_memory_is_meant}))

-- name: archived_rest_is_meant
{archived_bank_is_meant} and {archive_is_whole}

-- A bank in which nothing of the part lies stays out: its name and mission belong to others.
-- name: archived_bank_has_part
(cast(:bank_id as integer) is null or id = :bank_id)
and ({archive_is_whole} or id in (
  select bank_id from memories where {archived_memory_is_meant}
  union all select bank_id from documents where {archived_document_is_meant}
  union all select bank_id from sessions where {archived_scope_is_meant}
  union all select bank_id from reminders where {archived_scope_is_meant}
  union all select bank_id from streams where {archived_stream_is_meant}))

-- name: archived_document_bank
select bank_id from documents where id = :id;

-- name: archived_owner
select id from memories where id = :id union all select memory_id from versions where id = :id limit 1;

-- name: archived_bank_columns
id, name, title, mission, config, created_at

-- name: count_archived_bank
select count(*) as count from banks where {archived_bank_has_part};

-- name: export_bank
select {archived_bank_columns} from banks
where id > :after_id and {archived_bank_has_part}
order by id limit :limit;

-- name: find_archived_bank
select {archived_bank_columns} from banks where id = :id;

-- name: put_archived_bank
insert into banks ({archived_bank_columns})
values (:id, :name, :title, :mission, :config, :created_at);

-- name: archived_revision_columns
bank_id, project, number, action, at, who, dialect, session, reason

-- name: count_archived_revision
select count(*) as count from revisions where {archived_revision_is_meant};

-- The export of a part leaves out who made the project's changes. Versions name their authors themselves.
-- name: archived_revision_origin
iif({archive_is_whole}, who, '') as who, iif({archive_is_whole}, dialect, '') as dialect,
iif({archive_is_whole}, session, '') as session, iif({archive_is_whole}, reason, '') as reason

-- name: export_revision
select bank_id, project, number, action, at, {archived_revision_origin} from revisions
where (bank_id, project, number) > (:after_bank_id, :after_project, :after_number) and {archived_revision_is_meant}
order by bank_id, project, number limit :limit;

-- name: find_archived_revision
select {archived_revision_columns} from revisions where bank_id = :bank_id and project = :project and number = :number;

-- name: put_archived_revision
insert into revisions ({archived_revision_columns})
values (:bank_id, :project, :number, :action, :at, :who, :dialect, :session, :reason);

-- name: archived_document_columns
id, bank_id, name, title, text, sha256, tags, metadata, created_at, updated_at

-- name: count_archived_document
select count(*) as count from documents where {archived_document_is_meant};

-- name: export_document
select {archived_document_columns} from documents
where id > :after_id and {archived_document_is_meant}
order by id limit :limit;

-- name: find_archived_document
select {archived_document_columns} from documents where id = :id;

-- name: put_archived_document
insert into documents ({archived_document_columns})
values (:id, :bank_id, :name, :title, :text, :sha256, :tags, :metadata, :created_at, :updated_at)
on conflict (id) do update set title = excluded.title, text = excluded.text, sha256 = excluded.sha256,
  tags = excluded.tags, metadata = excluded.metadata, updated_at = excluded.updated_at;

-- name: archived_memory_columns
id, bank_id, project, user_name, agent, run, text, title, kind, key, tags, metadata, paths, category, happened_at,
happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at

-- name: count_archived_memory
select count(*) as count from memories where {archived_memory_is_meant};

-- name: export_memory
select {archived_memory_columns}, user_name as user from memories
where id > :after_id and {archived_memory_is_meant}
order by id limit :limit;

-- name: find_archived_memory
select {archived_memory_columns}, user_name as user from memories where id = :id;

-- name: put_archived_memory
insert into memories ({archived_memory_columns})
values (:id, :bank_id, :project, :user, :agent, :run, :text, :title, :kind, :key, :tags, :metadata, :paths, :category,
  :happened_at, :happened_until, :expires_at, :document_id, :version, :version_id, :created_at, :updated_at,
  :forgotten_at)
on conflict (id) do update set text = excluded.text, title = excluded.title, kind = excluded.kind,
  tags = excluded.tags, metadata = excluded.metadata, paths = excluded.paths, category = excluded.category,
  happened_at = excluded.happened_at, happened_until = excluded.happened_until, expires_at = excluded.expires_at,
  document_id = excluded.document_id, version = excluded.version, version_id = excluded.version_id,
  updated_at = excluded.updated_at, forgotten_at = excluded.forgotten_at;

-- name: archived_version_columns
id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at,
happened_until, expires_at, document_id, at, who, dialect, session, reason

-- name: count_archived_version
select count(*) as count from versions
where memory_id in (select id from memories where {archived_memory_is_meant});

-- name: export_version
select {archived_version_columns} from versions
where number > :after_number and memory_id = :memory_id
order by number limit :limit;

-- name: find_archived_version
select {archived_version_columns} from versions where memory_id = :memory_id and number = :number;

-- name: put_archived_version
insert into versions ({archived_version_columns})
values (:id, :memory_id, :number, :action, :revision, :text, :title, :kind, :key, :tags, :metadata, :paths, :category,
  :happened_at, :happened_until, :expires_at, :document_id, :at, :who, :dialect, :session, :reason);

-- name: archived_reply_columns
bank_id, session, tool, key, content_hash, result, at

-- name: count_archived_reply
select count(*) as count from idempotency_keys where {archived_rest_is_meant};

-- name: export_reply
select {archived_reply_columns}, result as reply from idempotency_keys
where (bank_id, session, tool, key) > (:after_bank_id, :after_session, :after_tool, :after_key) and {archived_rest_is_meant}
order by bank_id, session, tool, key limit :limit;

-- name: find_archived_reply
select {archived_reply_columns}, result as reply from idempotency_keys
where bank_id = :bank_id and session = :session and tool = :tool and key = :key;

-- name: put_archived_reply
insert into idempotency_keys ({archived_reply_columns})
values (:bank_id, :session, :tool, :key, :content_hash, :reply, :at);

-- name: archived_session_columns
id, bank_id, project, user_name, title, client, metadata, status, started_at, active_at, ended_at

-- name: count_archived_session
select count(*) as count from sessions where {archived_scope_is_meant};

-- name: export_session
select {archived_session_columns}, user_name as user from sessions
where id > :after_id and {archived_scope_is_meant}
order by id limit :limit;

-- name: find_archived_session
select {archived_session_columns}, user_name as user from sessions where id = :id;

-- name: put_archived_session
insert into sessions ({archived_session_columns})
values (:id, :bank_id, :project, :user, :title, :client, :metadata, :status, :started_at, :active_at, :ended_at)
on conflict (id) do update set project = excluded.project, user_name = excluded.user_name, title = excluded.title,
  client = excluded.client, metadata = excluded.metadata, status = excluded.status, active_at = excluded.active_at,
  ended_at = excluded.ended_at;

-- name: archived_event_columns
id, session_id, number, role, kind, text, token_count, turn_index, meaningful, at

-- name: count_archived_event
select count(*) as count from events
where session_id in (select id from sessions where {archived_scope_is_meant});

-- name: export_event
select {archived_event_columns} from events
where number > :after_number and session_id = :session_id
order by number limit :limit;

-- name: find_archived_event
select {archived_event_columns} from events where session_id = :session_id and number = :number;

-- name: put_archived_event
insert into events ({archived_event_columns})
values (:id, :session_id, :number, :role, :kind, :text, :token_count, :turn_index, :meaningful, :at);

-- name: archived_snapshot_columns
id, session_id, slug, trigger, text, at

-- name: count_archived_snapshot
select count(*) as count from snapshots
where session_id in (select id from sessions where {archived_scope_is_meant});

-- name: export_snapshot
select {archived_snapshot_columns} from snapshots
where id > :after_id and session_id = :session_id
order by id limit :limit;

-- name: find_archived_snapshot
select {archived_snapshot_columns} from snapshots where id = :id;

-- name: put_archived_snapshot
insert into snapshots ({archived_snapshot_columns})
values (:id, :session_id, :slug, :trigger, :text, :at);

-- name: archived_reminder_columns
id, bank_id, project, user_name, cron, timezone, message, enabled, next_at, last_at, created_at

-- name: count_archived_reminder
select count(*) as count from reminders where {archived_scope_is_meant};

-- name: export_reminder
select {archived_reminder_columns}, user_name as user from reminders
where id > :after_id and {archived_scope_is_meant}
order by id limit :limit;

-- name: find_archived_reminder
select {archived_reminder_columns}, user_name as user from reminders where id = :id;

-- name: put_archived_reminder
insert into reminders ({archived_reminder_columns})
values (:id, :bank_id, :project, :user, :cron, :timezone, :message, :enabled, :next_at, :last_at, :created_at)
on conflict (id) do update set project = excluded.project, user_name = excluded.user_name, cron = excluded.cron,
  timezone = excluded.timezone, message = excluded.message, enabled = excluded.enabled, next_at = excluded.next_at,
  last_at = excluded.last_at;

-- name: archived_standing_columns
id, bank_id, kind, name, tags, body, created_at, updated_at

-- name: count_archived_standing
select count(*) as count from bank_items where {archived_rest_is_meant};

-- name: export_standing
select {archived_standing_columns} from bank_items
where id > :after_id and {archived_rest_is_meant}
order by id limit :limit;

-- name: find_archived_standing
select {archived_standing_columns} from bank_items where id = :id;

-- name: put_archived_standing
insert into bank_items ({archived_standing_columns})
values (:id, :bank_id, :kind, :name, :tags, :body, :created_at, :updated_at)
on conflict (id) do update set tags = excluded.tags, body = excluded.body, updated_at = excluded.updated_at;

-- name: archived_stream_columns
id, bank_id, draft, chunk_count, text_bytes, text_chars, started_at, touched_at

-- name: count_archived_stream
select count(*) as count from streams where {archived_stream_is_meant};

-- name: export_stream
select {archived_stream_columns} from streams
where id > :after_id and {archived_stream_is_meant}
order by id limit :limit;

-- name: find_archived_stream
select {archived_stream_columns} from streams where id = :id;

-- name: put_archived_stream
insert into streams ({archived_stream_columns})
values (:id, :bank_id, :draft, :chunk_count, :text_bytes, :text_chars, :started_at, :touched_at)
on conflict (id) do update set draft = excluded.draft, chunk_count = excluded.chunk_count,
  text_bytes = excluded.text_bytes, text_chars = excluded.text_chars, touched_at = excluded.touched_at;

-- name: archived_chunk_columns
stream_id, number, text

-- name: count_archived_chunk
select count(*) as count from chunks
where stream_id in (select id from streams where {archived_stream_is_meant});

-- name: export_chunk
select {archived_chunk_columns} from chunks
where number > :after_number and stream_id = :stream_id
order by number limit :limit;

-- name: find_archived_chunk
select {archived_chunk_columns} from chunks where stream_id = :stream_id and number = :number;

-- name: put_archived_chunk
insert into chunks ({archived_chunk_columns})
values (:stream_id, :number, :text);

-- name: archived_job_columns
id, bank_id, kind, payload, state, done_count, total_count, stage, attempt_count, attempts_max, run_at, leased_until,
worker, cancel_asked, error, result, created_at, updated_at, finished_at

-- name: count_archived_job
select count(*) as count from jobs where {archived_rest_is_meant};

-- name: export_job
select {archived_job_columns} from jobs
where id > :after_id and {archived_rest_is_meant}
order by id limit :limit;

-- name: find_archived_job
select {archived_job_columns} from jobs where id = :id;

-- name: put_archived_job
insert into jobs ({archived_job_columns})
values (:id, :bank_id, :kind, :payload, :state, :done_count, :total_count, :stage, :attempt_count, :attempts_max,
  :run_at, :leased_until, :worker, :cancel_asked, :error, :result, :created_at, :updated_at, :finished_at)
on conflict (id) do update set payload = excluded.payload, state = excluded.state, done_count = excluded.done_count,
  total_count = excluded.total_count, stage = excluded.stage, attempt_count = excluded.attempt_count,
  attempts_max = excluded.attempts_max, run_at = excluded.run_at, leased_until = excluded.leased_until,
  worker = excluded.worker, cancel_asked = excluded.cancel_asked, error = excluded.error, result = excluded.result,
  updated_at = excluded.updated_at, finished_at = excluded.finished_at;
