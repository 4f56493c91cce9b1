-- name: memory_columns
m.id, m.bank_id, m.project, m.user_name as user, m.agent, m.run, m.text, m.title, m.kind, m.key, m.tags, m.metadata, m.paths,
m.category, m.happened_at, m.happened_until, m.expires_at, m.document_id, m.version, m.version_id, m.created_at,
m.updated_at, m.forgotten_at

-- name: find_memory
select {memory_columns} from memories m where m.id = :id and m.bank_id = :bank_id;

-- The id of a version finds its memory.
-- name: find_memory_of_version
select {memory_columns} from versions v join memories m on m.id = v.memory_id where v.id = :id and m.bank_id = :bank_id;

-- name: memories_in_range
select {memory_columns} from memories m where m.id between :first and :last and m.bank_id = :bank_id
order by m.id desc limit :limit;

-- The ids right before and after some ids, in any bank.
-- name: neighbouring_ids
select given.value as id,
  (select max(m.id) from memories m where m.id < given.value) as before,
  (select min(m.id) from memories m where m.id > given.value) as after
from ({list:ids}) given;

-- name: find_memory_by_key
select {memory_columns} from memories m
where m.bank_id = :bank_id and m.project = :project and m.user_name = :user and m.agent = :agent and m.run = :run
  and m.key = :key and m.key <> '';

-- Agents and runs share the keys of a project, so a key is found without their names. Their rows are at the end of the
-- index, and usually there are none.
-- name: find_memory_by_key_of_agents
select {memory_columns} from memories m
where m.bank_id = :bank_id and m.project = :project and m.user_name = :user and (m.agent, m.run) > ('', '')
  and m.key = :key and m.key <> ''
order by m.forgotten_at is not null, m.id desc limit 1;

-- name: select_memories
select {memory_columns} from memories m where m.bank_id = :bank_id

-- name: count_memories
select count(*) as count from memories m where m.bank_id = :bank_id

-- name: select_memory_ids
select m.id from memories m where m.bank_id = :bank_id

-- name: memories_by_ids
-- The cross join keeps the planner from reading the whole bank to find a few ids.
select {memory_columns} from ({list:ids}) i cross join memories m on m.id = i.value
where m.bank_id = :bank_id;

-- name: add_memory
insert into memories (id, bank_id, project, user_name, agent, run, text, title, kind, key, tags, metadata, paths, category,
  happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at)
values (:id, :bank_id, :project, :user, :agent, :run, :text, :title, :kind, :key, :tags, :metadata, :paths, :category,
  :happened_at, :happened_until, :expires_at, :document_id, :version, :version_id, :created_at, :updated_at,
  :forgotten_at);

-- Optimistic concurrency: a writer with an outdated version changes no row.
-- name: update_memory
update memories set text = :text, title = :title, kind = :kind, tags = :tags, metadata = :metadata, paths = :paths,
  category = :category, happened_at = :happened_at, happened_until = :happened_until, expires_at = :expires_at,
  document_id = :document_id, version = :version, version_id = :version_id, updated_at = :updated_at,
  forgotten_at = :forgotten_at
where id = :id and version = :version - 1;

-- name: add_version
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category,
  happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason)
values (:id, :memory_id, :number, :action, :revision, :text, :title, :kind, :key, :tags, :metadata, :paths, :category,
  :happened_at, :happened_until, :expires_at, :document_id, :at, :who, :dialect, :session, :reason);

-- name: version_columns
v.id, v.memory_id, v.number, v.action, v.revision, v.text, v.title, v.kind, v.key, v.tags, v.metadata, v.paths,
v.category, v.happened_at, v.happened_until, v.expires_at, v.document_id, v.at, v.who, v.dialect, v.session, v.reason

-- name: list_versions
select {version_columns} from versions v where v.memory_id = :memory_id order by v.number limit :limit;

-- name: find_version
select {version_columns} from versions v join memories m on m.id = v.memory_id
where v.id = :id and m.bank_id = :bank_id;

-- name: find_numbered_version
select {version_columns} from versions v where v.memory_id = :memory_id and v.number = :number;

-- The newest version of each memory up to a revision, without memories that were forgotten then.
-- name: versions_at_revision
select {version_columns} from versions v join memories m on m.id = v.memory_id
where m.bank_id = :bank_id and m.project = :project and m.user_name = :user and v.action <> 'forget'
  and v.number = (select max(w.number) from versions w where w.memory_id = m.id and w.revision <= :revision)
-- If two memories have the same key, the one without agent and run comes last, and is used.
order by m.agent <> '' or m.run <> '' desc, m.id limit :limit;

-- name: purge_versions
delete from versions where memory_id in ({list:ids});

-- name: purge_memories
delete from memories where id in ({list:ids});

-- name: add_revision
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason)
values (:bank_id, :project, :number, :action, :at, :who, :dialect, :session, :reason);

-- name: newest_revision
select max(number) as number from revisions where bank_id = :bank_id and project = :project;

-- name: list_revisions
select number, action, at, who, dialect, session, reason from revisions
where bank_id = :bank_id and project = :project order by number desc limit :limit;

-- name: list_projects
select m.project, count(*) as memory_count, max(r.number) as revision, max(r.at) as changed_at
from (select project, bank_id from memories
      where bank_id = :bank_id and forgotten_at is null and project <> ''
        and (cast(:user as text) is null or user_name = :user)) m
join (select project, max(number) as number, max(at) as at from revisions
      where bank_id = :bank_id group by project) r on r.project = m.project
group by m.project order by changed_at desc, m.project limit :limit;

-- name: find_idempotency_key
select content_hash, result as reply from idempotency_keys
where bank_id = :bank_id and session = :session and tool = :tool and key in (:key, digest(:key));

-- name: add_idempotency_key
insert into idempotency_keys (bank_id, session, tool, key, content_hash, result, at)
values (:bank_id, :session, :tool, :key, :content_hash, :reply, :at);

-- name: update_idempotency_key
update idempotency_keys set content_hash = :content_hash, result = :reply, at = :at
where bank_id = :bank_id and session = :session and tool = :tool and key in (:key, digest(:key));

-- A stored reply may contain the purged text. A reply that is only an id cannot, and is kept for retries.
-- name: purge_idempotency_keys
delete from idempotency_keys where bank_id = :bank_id and json_type(result) <> 'integer';

-- name: list_tags
select t.tag, count(*) as count from tags t
where t.bank_id = :bank_id and (:pattern = '' or text_matches(:pattern, t.tag))
  and (cast(:user as text) is null or exists (select 1 from memories m where m.id = t.memory_id and m.user_name = :user))
group by t.tag order by count desc, t.tag limit :limit;

-- name: select_superseded
select {version_columns} from versions v join memories m on m.id = v.memory_id
where m.bank_id = :bank_id and v.number < m.version and v.action <> 'forget'

-- name: order_versions
order by v.id desc limit :limit
