-- Counts over the whole store, for monitoring.

-- name: count_all_memories
select count(*) as count from memories where forgotten_at is null;

-- name: count_jobs_by_state
select state, count(*) as count from jobs group by state order by state;

-- name: count_store_bytes
select page_count * page_size as bytes from pragma_page_count, pragma_page_size;
