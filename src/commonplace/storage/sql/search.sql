-- The text index, the tags, the vectors and the queue of memories that need new ones. All derived.

-- name: put_text
replace into texts (rowid, title, body, labels) values (:memory_id, :title, :body, :labels);

-- name: drop_texts
delete from texts where rowid in (select value from json_each(:ids));

-- name: put_tag
insert into tags (bank_id, tag, memory_id) values (:bank_id, :tag, :memory_id) on conflict do nothing;

-- name: drop_tags
delete from tags where memory_id in (select value from json_each(:ids));

-- name: mark_stale
insert into stale (memory_id, bank_id) values (:memory_id, :bank_id) on conflict do nothing;

-- name: clear_stale
delete from stale where memory_id in (select value from json_each(:ids));

-- A row that is replaced gets a new seq, which is how other processes notice.
-- name: set_live
replace into vectors (bank_id, memory_id, version, embedder, live, vector)
select bank_id, memory_id, version, embedder, :live, vector from vectors
where memory_id = :memory_id and live <> :live;

-- name: put_vector
replace into vectors (bank_id, memory_id, version, embedder, live, vector)
values (:bank_id, :memory_id, :version, :embedder, :live, :vector);

-- name: drop_vectors
delete from vectors where memory_id in (select value from json_each(:ids));

-- name: drop_links_from
delete from links where from_id in (select value from json_each(:ids));

-- name: drop_links_to
delete from links where to_id in (select value from json_each(:ids));
