-- name: bank_columns
id, name, title, mission, config, created_at

-- name: find_bank
select {bank_columns} from banks where name = :name;

-- name: find_bank_by_id
select {bank_columns} from banks where id = :id;

-- name: list_banks
select {bank_columns} from banks order by name limit :limit;

-- name: add_bank
insert into banks (id, name, title, mission, config, created_at)
values (:id, :name, :title, :mission, :config, :created_at);

-- name: update_bank
update banks set title = :title, mission = :mission, config = :config where id = :id;

-- name: delete_bank
delete from banks where id = :id;

-- name: count_purge
update banks set purge_count = purge_count + 1 where id = :id;

-- name: purge_count
select purge_count from banks where id = :id;

-- The counter advances to the smallest id of the current time, or by the number of new ids if it is already past it.
-- name: draw_ids
insert into counters (name, value) values ('ids', :floor + :count)
on conflict (name) do update set value = max(value + :count, excluded.value);

-- name: last_id
select value from counters where name = 'ids';

-- name: find_store_info
select value from store_info where name = :name;

-- name: put_store_info
insert into store_info (name, value) values (:name, :value) on conflict (name) do update set value = excluded.value;

-- All rows of a bank besides its memories, children before parents.
-- name: erase_idempotency_keys
delete from idempotency_keys where bank_id = :bank_id;

-- name: erase_revisions
delete from revisions where bank_id = :bank_id;

-- name: erase_documents
delete from documents where bank_id = :bank_id;

-- name: erase_snapshots
delete from snapshots where session_id in (select id from sessions where bank_id = :bank_id);

-- name: erase_events
delete from events where session_id in (select id from sessions where bank_id = :bank_id);

-- name: erase_sessions
delete from sessions where bank_id = :bank_id;

-- name: erase_bank_items
delete from bank_items where bank_id = :bank_id;

-- name: erase_reminders
delete from reminders where bank_id = :bank_id;

-- name: erase_chunks
delete from chunks where stream_id in (select id from streams where bank_id = :bank_id);

-- name: erase_streams
delete from streams where bank_id = :bank_id;

-- name: erase_jobs
delete from jobs where bank_id = :bank_id;

-- name: erase_derivations
delete from derivations where bank_id = :bank_id;

-- name: erase_stale_derivations
delete from stale_derivations where bank_id = :bank_id;

-- name: erase_refresh_schedule
delete from refresh_schedule where bank_id = :bank_id;
