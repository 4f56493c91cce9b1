-- Which file holds which note, and what it held when it was last looked at.

-- name: find_note
select memory_id, bank_id, path, mtime_ns, size, sha256, version, missing_at from notes where memory_id = :memory_id;

-- name: list_notes
select memory_id, bank_id, path, mtime_ns, size, sha256, version, missing_at from notes where bank_id = :bank_id;

-- name: put_note
insert into notes (memory_id, bank_id, path, mtime_ns, size, sha256, version, missing_at)
values (:memory_id, :bank_id, :path, :mtime_ns, :size, :sha256, :version, :missing_at)
on conflict (memory_id) do update set bank_id = excluded.bank_id, path = excluded.path, mtime_ns = excluded.mtime_ns,
  size = excluded.size, sha256 = excluded.sha256, version = excluded.version, missing_at = excluded.missing_at;

-- name: drop_note
delete from notes where memory_id = :memory_id;

-- Notes that were changed through another tongue, or erased, since their files were last written, or never were.
-- name: notes_behind
select n.memory_id from notes n left join memories m on m.id = n.memory_id
where n.bank_id = :bank_id and (m.id is null or m.version > n.version or n.mtime_ns = 0) order by n.memory_id;

-- Every version draws an id, and every purge is counted in its bank.
-- name: notes_pulse
select (select value from counters where name = 'ids') as written,
  (select count(*) + sum(purge_count) from banks) as erased;

-- Notes that nobody has given a file, as after an import.
-- name: notes_without_file
select m.id from memories m left join notes n on n.memory_id = m.id
where m.bank_id = :bank_id and n.memory_id is null and json_extract(m.metadata, '$.vault.file') is not null
order by m.id;
