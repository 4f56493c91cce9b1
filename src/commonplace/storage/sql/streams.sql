-- name: stream_columns
s.id, s.bank_id, s.chunk_count, s.text_bytes, s.text_chars, s.started_at, s.touched_at

-- name: find_stream
select {stream_columns} from streams s where s.id = :id and s.bank_id = :bank_id and s.touched_at > :idle_since;

-- name: stream_draft
select draft from streams where id = :id;

-- name: add_stream
insert into streams (id, bank_id, draft, started_at, touched_at) values (:id, :bank_id, :draft, :now, :now);

-- name: add_chunk
insert into chunks (stream_id, number, text) values (:stream_id, :number, :text);

-- name: grow_stream
update streams set chunk_count = :chunk_count, text_bytes = :text_bytes, text_chars = :text_chars,
  touched_at = :touched_at
where id = :id;

-- name: list_chunks
select text from chunks where stream_id = :stream_id order by number limit :limit;

-- name: delete_chunks
delete from chunks where stream_id = :id;

-- name: delete_stream
delete from streams where id = :id;

-- name: idle_streams
select {stream_columns} from streams s where s.bank_id = :bank_id and s.touched_at <= :idle_since
order by s.id limit :limit;
