-- The text index, tags, metadata index, vectors and embedding queue. All derived.

-- name: put_text
replace into text_index (rowid, title, body, labels) values (:memory_id, :title, :body, :labels);

-- name: same_text
select 1 from text_index where rowid = :memory_id and title = :title and body = :body and labels = :labels;

-- name: set_secure_delete
insert into text_index (text_index, rank) values ('secure-delete', :wipe);

-- name: drop_texts
delete from text_index where rowid in ({list:ids});

-- name: put_tag
insert into tags (bank_id, tag, memory_id) values (:bank_id, :tag, :memory_id) on conflict do nothing;

-- name: drop_tags
delete from tags where memory_id in ({list:ids});

-- The scalars of a memory's metadata and the members of its lists, each with its path.
-- name: put_metadata_index
insert or ignore into metadata_index (bank_id, path, value, memory_id)
with recursive inside (path, type, value) as (
  select '$."' || e.key || '"', e.type, e.value from json_each(:metadata) e
  where e.key not in ({list:apart})
  union all
  select i.path || '."' || e.key || '"', e.type, e.value from inside i, json_each(i.value) e where i.type = 'object'
), leaves (path, value) as (
  select path, value from inside where type not in ('array', 'object', 'null')
  union all
  select i.path, e.atom from inside i, json_each(i.value) e where i.type = 'array' and e.atom is not null
)
select :bank_id, path, case typeof(value) when 'text' then substr(value, 1, 100) else value end, :memory_id from leaves;

-- name: drop_metadata_index
delete from metadata_index where memory_id in ({list:ids});

-- name: queue_embedding
insert into embedding_queue (memory_id, bank_id) values (:memory_id, :bank_id) on conflict do nothing;

-- name: unqueue_embeddings
delete from embedding_queue where memory_id in ({list:ids});

-- A row that is replaced gets a new seq, which is how other processes notice.
-- name: set_live
replace into vectors (bank_id, memory_id, version, embedder, live, vector, sketch)
select bank_id, memory_id, version, embedder, :live, vector, sketch from vectors
where memory_id = :memory_id and live <> :live;

-- name: drop_vectors
delete from vectors where memory_id in ({list:ids});

-- name: drop_links_from
delete from links where from_id in ({list:ids});

-- name: drop_links_to
delete from links where to_id in ({list:ids});

-- name: count_term
select count(*) as count from (select rowid from text_index where text_index match :match limit :limit);

-- FTS5 keeps the numbers of rows and terms in the first row of its data. Counting them would read the whole index.
-- name: text_extent
select block from text_index_data where id = 1;

-- The ids of the best matches, joined into one text.
-- name: ranked_ids
select group_concat(id, ' ') as ids from (select rowid as id from text_index where text_index match :match
  order by bm25(text_index, 2.0, 1.0, 1.0), rowid desc limit :limit);

-- Reads only the newest matches without ranking them, so the terms may be common ones.
-- name: newest_matching
select m.id from (select rowid as id from text_index where text_index match :match order by rowid desc limit :reach) t
cross join memories m on m.id = t.id where m.bank_id = :bank_id

-- name: matching_ids
select group_concat(rowid, ' ') as ids from text_index where text_index match :match;

-- name: at_most
limit :limit

-- name: passing_ids
select m.id from ({list:candidates}) c cross join memories m on m.id = c.value where m.bank_id = :bank_id

-- The ids of all memories that match a filter, joined into one text.
-- name: meant_ids
select group_concat(m.id, ' ') as ids from memories m where m.bank_id = :bank_id

-- A cross join fixes the join order in SQLite: first the given ids, then the row of each.
-- name: meant_ids_among
select group_concat(m.id, ' ') as ids from ({list:among}) i cross join memories m on m.id = i.value
where m.bank_id = :bank_id

-- name: stored_terms
select t.rowid as id, substr(t.title || ' ' || t.labels || ' ' || t.body, 1, :chars) as terms
from ({list:ids}) i cross join text_index t on t.rowid = i.value;

-- The memories written just before and after some others, of the same project and kind, nearest first.
-- name: surroundings
select m.id,
  (select group_concat(id, ' ') from (select p.id from memories p
    where p.bank_id = m.bank_id and p.project = m.project and p.kind = m.kind and p.id < m.id
    order by p.id desc limit :reach)) as before,
  (select group_concat(id, ' ') from (select n.id from memories n
    where n.bank_id = m.bank_id and n.project = m.project and n.kind = m.kind and n.id > m.id
    order by n.id limit :reach)) as after
from ({list:ids}) i cross join memories m on m.id = i.value where m.bank_id = :bank_id;

-- A note's title with its other names.
-- name: beginnings
select m.id, case when instr(m.metadata, '"aliases"') then m.title || coalesce(
    ' (' || (select group_concat(value, ', ') from json_each(m.metadata, '$.vault.aliases')) || ')', '') else m.title end
    as title,
  substr(m.text, 1, :chars) as text, m.user_name || char(31) || m.agent || char(31) || m.run as scope,
  coalesce(m.happened_at, m.created_at) as at,
  coalesce(m.document_id, -m.created_at) as origin
from ({list:ids}) i cross join memories m on m.id = i.value where m.bank_id = :bank_id;

-- name: vector_mark
select seq from sqlite_sequence where name = 'vectors';

-- Thousands of rows joined into one, which is ten times as fast. All columns are joined in the same order. Vectors of
-- another embedder are returned empty, so that the ones they replaced are dropped.
-- name: newer_sketches
select count(*) as count, max(seq) as seq, group_concat(memory_id, ' ') as ids, group_concat(live, ' ') as live,
  group_concat(length(sketch), ' ') as sizes, cast(group_concat(sketch, '') as blob) as sketches
from (select seq, memory_id, live,
    case when embedder = :embedder and length(sketch) % :bytes = 0 then sketch else x'' end as sketch
  from vectors where bank_id = :bank_id and seq > :seq order by seq limit :limit);

-- name: vector_ids
select group_concat(memory_id, ' ') as ids from vectors where bank_id = :bank_id;

-- name: vectors_of
select v.memory_id, substr(v.vector, 1, :bytes) as vector from ({list:ids}) i cross join vectors v on v.memory_id = i.value
where v.bank_id = :bank_id and v.embedder = :embedder;

-- name: embedding_queue_ids
select memory_id from embedding_queue where bank_id = :bank_id and memory_id > :after order by memory_id limit :limit;

-- name: count_embedding_queue
select count(*) as count from embedding_queue where cast(:bank_id as integer) is null or bank_id = :bank_id;

-- Only for the version that was embedded: a memory that changed meanwhile stays in the queue.
-- name: put_vector_of_version
replace into vectors (bank_id, memory_id, version, embedder, live, vector, sketch)
select bank_id, id, version, :embedder, forgotten_at is null, :vector, :sketch from memories
where id = :memory_id and version = :version;

-- name: unqueue_embedding_of_version
delete from embedding_queue where memory_id = :memory_id
  and not exists (select 1 from memories where id = :memory_id and version <> :version);

-- name: memories_after
select id, bank_id from memories where id > :after order by id limit :limit;

-- name: count_memories_after
select count(*) as count from memories where id > :after;

-- name: count_foreign_vectors
select count(*) as count from vectors where embedder <> :embedder;

-- name: drop_lost_texts
delete from text_index where rowid in (select id from text_index_content where id not in (select id from memories));

-- name: drop_lost_tags
delete from tags where memory_id not in (select id from memories);

-- name: drop_lost_metadata_index
delete from metadata_index where memory_id not in (select id from memories);

-- name: drop_lost_vectors
delete from vectors where memory_id not in (select id from memories);

-- name: drop_lost_embedding_queue
delete from embedding_queue where memory_id not in (select id from memories);

-- name: check_texts
insert into text_index (text_index, rank) values ('integrity-check', 1);

-- name: repair_texts
insert into text_index (text_index) values ('rebuild');

-- name: banks_with_embedding_queue
select distinct s.bank_id from embedding_queue s limit 10000;
