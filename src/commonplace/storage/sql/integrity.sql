-- The checks of the doctor and of a restore. Nothing here changes a canonical row.

-- name: page_size
select page_size from pragma_page_size;

-- name: integrity
select integrity_check as line from pragma_integrity_check limit 20;

-- The caller compares the names with the migrations of this version.
-- name: recorded_steps
select name, sha256 from migrations order by name;

-- name: broken_references
select "table" as name, count(*) as count from pragma_foreign_key_check group by 1 order by 1;

-- name: memories_beside_their_version
select m.id from memories m left join versions v on v.id = m.version_id
where v.id is null or v.memory_id <> m.id or v.number <> m.version or v.text <> m.text or v.title <> m.title
  or v.kind <> m.kind or v.key <> m.key or v.tags <> m.tags or v.metadata <> m.metadata or v.paths <> m.paths
  or v.category <> m.category or v.happened_at is distinct from m.happened_at or v.happened_until is distinct from m.happened_until
  or v.expires_at is distinct from m.expires_at or v.document_id is distinct from m.document_id or v.at <> m.updated_at
  or (v.action = 'forget') <> (m.forgotten_at is not null)
order by m.id limit :limit;

-- name: broken_chains
select m.id from memories m
left join (select memory_id, count(*) as count, min(number) as least, max(number) as most from versions
           group by memory_id) v on v.memory_id = m.id
where v.count is null or v.least <> 1 or v.most <> v.count or v.most <> m.version
order by m.id limit :limit;

-- name: broken_numberings
select bank_id as id from revisions group by bank_id, project having min(number) <> 1 or max(number) <> count(*)
order by bank_id limit :limit;

-- name: versions_without_revision
select v.memory_id as id from versions v join memories m on m.id = v.memory_id
where not exists (select 1 from revisions r
                  where r.bank_id = m.bank_id and r.project = m.project and r.number = v.revision)
order by v.memory_id limit :limit;

-- As bytes, because the driver cannot return the invalid UTF-8 that this query looks for.
-- name: memory_bytes
select id, id as memory_id, cast(text || title || kind || key || category || project || user_name || agent || run as blob)
  as bytes, json_valid(tags) and json_valid(metadata) and json_valid(paths) as valid
from memories where id > :after order by id limit :limit;

-- name: version_bytes
select id, memory_id, cast(text || title || kind || key || category || who || dialect || session || reason as blob)
  as bytes, json_valid(tags) and json_valid(metadata) and json_valid(paths) as valid
from versions where id > :after order by id limit :limit;

-- name: memories_without_text
select id from memories where id not in (select rowid from text_index) order by id limit :limit;

-- name: texts_without_memory
select rowid as id from text_index where rowid not in (select id from memories) order by rowid limit :limit;

-- name: readable_tags
json_each(case when json_valid(m.tags) then m.tags else '[]' end)

-- name: memories_with_wrong_tags
select m.id from memories m, {readable_tags} t
where m.forgotten_at is null
  and not exists (select 1 from tags g where g.bank_id = m.bank_id and g.tag = t.value and g.memory_id = m.id)
union
select g.memory_id from tags g join memories m on m.id = g.memory_id
where m.forgotten_at is not null or m.bank_id <> g.bank_id
  or not exists (select 1 from {readable_tags} t where t.value = g.tag)
order by 1 limit :limit;

-- name: memories_with_wrong_fields
with recursive inside (memory_id, bank_id, path, type, value) as (
  select m.id, m.bank_id, '$."' || e.key || '"', e.type, e.value
  from memories m, json_each(case when json_valid(m.metadata) then m.metadata else '{}' end) e
  where e.key not in ('fact', 'vault')
  union all
  select i.memory_id, i.bank_id, i.path || '."' || e.key || '"', e.type, e.value
  from inside i, json_each(i.value) e where i.type = 'object'
), leaves (memory_id, bank_id, path, value) as (
  select memory_id, bank_id, path, value from inside where type not in ('array', 'object', 'null')
  union all
  select i.memory_id, i.bank_id, i.path, e.atom from inside i, json_each(i.value) e
  where i.type = 'array' and e.atom is not null
), expected as (
  select bank_id, path, case typeof(value) when 'text' then substr(value, 1, 100) else value end as value, memory_id
  from leaves
), kept as (select bank_id, path, value, memory_id from metadata_index where memory_id in (select id from memories))
select memory_id as id from (select * from expected except select * from kept)
union select memory_id from (select * from kept except select * from expected)
order by 1 limit :limit;

-- A memory without a vector that is not in the queue would never get one.
-- name: memories_without_vector
select m.id from memories m
where not exists (select 1 from vectors v where v.memory_id = m.id)
  and not exists (select 1 from embedding_queue s where s.memory_id = m.id)
order by m.id limit :limit;

-- name: misplaced_vectors
select v.memory_id as id from vectors v join memories m on m.id = v.memory_id
where v.bank_id <> m.bank_id or v.live <> (m.forgotten_at is null)
order by v.memory_id limit :limit;

-- name: orphans
select memory_id as id from tags where memory_id not in (select id from memories)
union select memory_id from metadata_index where memory_id not in (select id from memories)
union select memory_id from vectors where memory_id not in (select id from memories)
union select memory_id from embedding_queue where memory_id not in (select id from memories)
union select from_id from links where from_id not in (select id from memories)
union select to_id from links where to_id not in (select id from memories)
order by 1 limit :limit;

-- name: drop_lost_links
delete from links where from_id not in (select id from memories) or to_id not in (select id from memories);

-- name: highest_id
select coalesce(max(id), 0) as id from (
  select max(id) as id from banks union all select max(id) from memories union all select max(id) from versions
  union all select max(id) from documents union all select max(id) from sessions union all select max(id) from events
  union all select max(id) from snapshots union all select max(id) from reminders union all select max(id) from streams
  union all select max(id) from jobs union all select max(id) from links);

-- name: count_expired_leases
select count(*) as count from jobs where state = 'running' and leased_until <= :now;

-- name: count_late_jobs
select count(*) as count from jobs where state = 'pending' and run_at <= :before;

-- name: bank_of_memory
select bank_id from memories where id = :id;

-- The sequence numbers by which processes detect new rows.
-- name: newest_mark
select max(coalesce((select max(seq) from sqlite_sequence where name = 'vectors'), 0),
           coalesce((select max(purge_count) from banks), 0)) as mark;

-- name: renew_purge_counts
update banks set purge_count = :mark;

-- name: lowest_vector
select coalesce(min(seq), 0) as seq from vectors;

-- In two steps, because numbers are unique: first to negative numbers, then to numbers after the last one, in order.
-- name: lift_vectors
update vectors set seq = -seq;

-- name: settle_vectors
update vectors set seq = :mark + 1 - seq - :lowest;

-- name: drop_vector_mark
delete from sqlite_sequence where name = 'vectors';

-- name: set_vector_mark
insert into sqlite_sequence (name, seq) select 'vectors', max(:mark, coalesce(max(seq), 0)) from vectors;
