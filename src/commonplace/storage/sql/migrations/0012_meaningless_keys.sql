-- A key that is a digest of its own text used to be half of what a short fact meant; such facts get new vectors.
insert or ignore into stale (memory_id, bank_id)
select id, bank_id from memories where length(key) = 24 and key not glob '*[^0-9a-f]*';
