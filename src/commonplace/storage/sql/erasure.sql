-- The rows that an erasure removes or redacts besides the memories.

-- name: versions_of_memories
select v.memory_id, v.number, v.document_id, v.text, v.title, v.metadata
from ({list:ids}) i cross join versions v on v.memory_id = i.value order by v.memory_id, v.number;

-- name: memories_of_document
select distinct v.memory_id as id from versions v where v.document_id = :id;

-- A document is erased with the last memory that refers to it.
-- name: delete_empty_documents
delete from documents where id in ({list:ids})
  and not exists (select 1 from memories m where m.document_id = documents.id);

-- The result of a finished job contains keys and ids of memories, and nothing needs it any more.
-- name: blank_job_results
update jobs set result = 'null', error = ''
where bank_id = :bank_id and state in ('completed', 'failed', 'cancelled') and (result <> 'null' or error <> '');

-- name: delete_jobs_of_documents
delete from jobs where bank_id = :bank_id and state <> 'running'
  and json_extract(payload, '$.document') in ({list:names});

-- A running job finds nothing left to do.
-- name: blank_jobs_of_documents
update jobs set payload = json_set(payload, '$.document', '')
where bank_id = :bank_id and json_extract(payload, '$.document') in ({list:names});

-- name: delete_jobs_of_model
delete from jobs where bank_id = :bank_id and state <> 'running' and json_extract(payload, '$.mental_model') = :name;

-- An idempotency key may contain erased text, and the hash of a short text can be reversed by trying. The digest of the
-- key stays, so that a retry does not store the erased text again.
-- name: blank_idempotency_keys
update idempotency_keys set content_hash = '', key = digest(key) where bank_id = :bank_id and json_type(result) = 'integer'
  and content_hash <> '' and cast(result as integer) in ({list:ids});

-- The reason of a change may contain erased text too.
-- name: blank_reasons
update revisions set reason = '' where bank_id = :bank_id and reason <> '' and (project, number) in (
  select m.project, v.revision from ({list:ids}) i
    cross join memories m on m.id = i.value cross join versions v on v.memory_id = m.id);

-- The events and snapshots of a bank, page by page.
-- name: events_after
select e.id, e.text from events e join sessions s on s.id = e.session_id
where e.id > :after and s.bank_id = :bank_id order by e.id limit :limit;

-- name: snapshots_after
select {snapshot_columns} from snapshots p join sessions s on s.id = p.session_id
where p.id > :after and s.bank_id = :bank_id order by p.id limit :limit;

-- name: rewrite_event
update events set text = :text, token_count = null where id = :id;

-- name: rewrite_snapshot
update snapshots set text = :text where id = :id;

-- name: sessions_of_portion
select s.id, s.title from sessions s
where s.bank_id = :bank_id
  and (cast(:user as text) is null or s.user_name = :user)
  and (cast(:project as text) is null or s.project = :project)
  and (cast(:session as integer) is null or s.id = :session)
order by s.id;

-- name: events_of_session
select e.id, e.text from events e where e.session_id = :session_id order by e.id;

-- name: snapshots_of_session
select {snapshot_columns} from snapshots p where p.session_id = :session_id order by p.id;

-- name: delete_events_of_session
delete from events where session_id = :session_id;

-- name: delete_snapshots_of_session
delete from snapshots where session_id = :session_id;

-- name: delete_session
delete from sessions where id = :session_id;

-- name: reminders_of_portion
select r.id, r.message as text from reminders r
where r.bank_id = :bank_id
  and (cast(:user as text) is null or r.user_name = :user) and (cast(:project as text) is null or r.project = :project)
order by r.id;

-- name: streams_of_portion
select s.id, coalesce((select group_concat(c.text, '') from chunks c where c.stream_id = s.id), '') as text
from streams s
where s.bank_id = :bank_id
  and (cast(:user as text) is null or json_extract(s.draft, '$.scope.user') = :user)
  and (cast(:project as text) is null or json_extract(s.draft, '$.scope.project') = :project)
order by s.id;

-- Documents without memories. The documents of a project have its name in theirs.
-- name: bare_documents
select d.id, d.text from documents d
where d.bank_id = :bank_id and not exists (select 1 from versions v where v.document_id = d.id)
  and (cast(:user as text) is null or coalesce(json_extract(d.metadata, '$.user'), '') = :user)
  and (cast(:project as text) is null
    or (substr(d.name, 1, length(:project) + 1) = :project || '/'
      and substr(d.name, -17, 1) = '/' and substr(d.name, -16) not glob '*[^0-9a-f]*'))
order by d.id;

-- A project without memories needs no revisions.
-- name: delete_revisions_of_project
delete from revisions where bank_id = :bank_id and project = :project
  and not exists (select 1 from memories m where m.bank_id = :bank_id and m.project = :project);

-- name: delete_jobs_of_portion
delete from jobs where bank_id = :bank_id and state <> 'running'
  and (cast(:user as text) is null or json_extract(payload, '$.user') = :user)
  and (cast(:project as text) is null or json_extract(payload, '$.project') = :project);

-- name: projects_of_portion
select distinct m.project from memories m
where m.bank_id = :bank_id and m.project <> '' and (m.user_name = :user or m.project = :project);
