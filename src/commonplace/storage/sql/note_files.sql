-- The file of each note, and its state when it was last read or written.

-- name: find_note
select memory_id, bank_id, path, mtime_ns, size, sha256, version, missing_at, made_here from notes where memory_id = :memory_id;

-- name: list_notes
select memory_id, bank_id, path, mtime_ns, size, sha256, version, missing_at, made_here from notes where bank_id = :bank_id;

-- name: concerned_notes
select memory_id, bank_id, path, mtime_ns, size, sha256, version, missing_at, made_here from notes
where bank_id = :bank_id and path in ({list:paths})
union select memory_id, bank_id, path, mtime_ns, size, sha256, version, missing_at, made_here from notes
where bank_id = :bank_id and memory_id in ({list:ids})
union select memory_id, bank_id, path, mtime_ns, size, sha256, version, missing_at, made_here from notes
where bank_id = :bank_id and missing_at is not null;

-- name: note_paths
select substr(path, length(:folder) + 1) as name from notes where bank_id = :bank_id
  and substr(path, 1, length(:folder)) = :folder and instr(substr(path, length(:folder) + 1), '/') = 0;

-- Without notes whose file is known to be deleted.
-- name: note_stamps
select n.path, case when n.missing_at is null then n.mtime_ns else -1 end as mtime_ns, n.size from notes n
where n.bank_id = :bank_id and (n.missing_at is null
  or exists (select 1 from memories m where m.id = n.memory_id and m.forgotten_at is null));

-- name: gone_notes
select n.memory_id from notes n join memories m on m.id = n.memory_id
where n.bank_id = :bank_id and n.missing_at is not null and m.forgotten_at is not null;

-- name: put_note
insert into notes (memory_id, bank_id, path, mtime_ns, size, sha256, version, missing_at, made_here)
values (:memory_id, :bank_id, :path, :mtime_ns, :size, :sha256, :version, :missing_at, :made_here)
on conflict (memory_id) do update set bank_id = excluded.bank_id, path = excluded.path, mtime_ns = excluded.mtime_ns,
  size = excluded.size, sha256 = excluded.sha256, version = excluded.version, missing_at = excluded.missing_at,
  -- A file that the program created stays marked as such.
  made_here = max(notes.made_here, excluded.made_here);

-- name: taken_ids
select i.value as id from ({list:ids}) i where exists (select 1 from memories where id = i.value)
  or exists (select 1 from versions where id = i.value)
  or exists (select 1 from erased_notes where memory_id = i.value and stays = 0);

-- Notes at whose path another note's file is now.
-- name: displace_notes
update notes set path = :nowhere || memory_id || '.md', missing_at = coalesce(missing_at, :now)
where bank_id = :bank_id and path = :path and memory_id <> :memory_id;

-- name: drop_note
delete from notes where memory_id = :memory_id;

-- Notes that another dialect changed since their files were written, or that have no file yet.
-- name: notes_behind
select n.memory_id from notes n join memories m on m.id = n.memory_id
where n.bank_id = :bank_id and (m.version > n.version or n.mtime_ns = 0) order by n.memory_id;

-- The files of purged memories, which are to be removed from the folder.
-- name: leave_notes
insert into erased_notes (memory_id, bank, path, mtime_ns, size, sha256, made_here)
select n.memory_id, b.name, n.path, n.mtime_ns, n.size, n.sha256, n.made_here from notes n join banks b on b.id = n.bank_id
where n.memory_id in ({list:ids})
on conflict (memory_id) do update set path = excluded.path, mtime_ns = excluded.mtime_ns, size = excluded.size,
  sha256 = excluded.sha256, made_here = excluded.made_here, stays = 0;

-- name: drop_notes
delete from notes where memory_id in ({list:ids});

-- name: erased_note
select memory_id, bank, path, mtime_ns, size, sha256, stays, made_here from erased_notes where memory_id = :memory_id;

-- name: erased_notes
select memory_id, bank, path, mtime_ns, size, sha256, stays, made_here from erased_notes where bank = :bank;

-- name: put_erased_note
insert into erased_notes (memory_id, bank, path, mtime_ns, size, sha256, stays, made_here)
values (:memory_id, :bank, :path, :mtime_ns, :size, :sha256, :stays, :made_here)
on conflict (memory_id) do update set path = excluded.path, mtime_ns = excluded.mtime_ns, size = excluded.size,
  sha256 = excluded.sha256, stays = excluded.stays;

-- name: drop_erased_note
delete from erased_notes where memory_id = :memory_id;

-- name: banks_with_notes
select b.name from banks b where exists (select 1 from notes n where n.bank_id = b.id) order by b.name;

-- name: banks_to_erase
select bank from erased_notes where stays = 0 union select bank from conflict_files where erased = 1 order by 1;

-- name: banks_of_erased
select distinct bank from erased_notes where memory_id in ({list:ids}) order by bank;

-- The banks with files to write, for memories changed since an id, or to remove.
-- name: banks_behind
select distinct b.name from versions v join notes n on n.memory_id = v.memory_id
  join memories m on m.id = n.memory_id join banks b on b.id = n.bank_id
where v.id > :since and m.version > n.version and n.mtime_ns > 0
union select bank from erased_notes where stays = 0
union select bank from conflict_files where erased = 1;

-- Together they detect every change: each one adds a version or raises the purge count of its bank.
-- name: notes_pulse
select (select max(id) from versions) as written,
  (select count(*) + sum(purge_count) from banks) as erased;

-- Notes without a file, as after an import.
-- name: notes_without_file
select m.id from memories m left join notes n on n.memory_id = m.id
where m.bank_id = :bank_id and n.memory_id is null and json_extract(m.metadata, '$.vault.file') is not null
order by m.id;

-- name: vault_root
select marker as mark, path_digest as place from vaults where bank = :bank;

-- name: put_vault_root
insert into vaults (bank, marker, path_digest) values (:bank, :mark, :place)
on conflict (bank) do update set marker = excluded.marker, path_digest = excluded.path_digest;

-- name: drop_vault_root
delete from vaults where bank = :bank;

-- The files expected in a bank's folder, those found there last first, and the files of erased notes.
-- name: expected_files
select memory_id, path, sha256, present from (
  select n.memory_id, n.path, n.sha256, n.missing_at is null as present from notes n join banks b on b.id = n.bank_id
  where b.name = :bank and n.mtime_ns > 0
  union all
  select memory_id, path, sha256, 1 from erased_notes where bank = :bank
) order by present desc, memory_id desc limit :limit;

-- Notes whose files are not in the folder are written again.
-- name: rehome_notes
update notes set path = :nowhere || memory_id || '.md', mtime_ns = 0, missing_at = null
where bank_id = :bank_id and path not in ({list:present})
  and exists (select 1 from memories m where m.id = notes.memory_id and m.forgotten_at is null);

-- Forgotten notes are not written again: their files are marked as missing.
-- name: rehome_forgotten_notes
update notes set path = :nowhere || memory_id || '.md', missing_at = coalesce(missing_at, :now)
where bank_id = :bank_id and path not in ({list:present})
  and exists (select 1 from memories m where m.id = notes.memory_id and m.forgotten_at is not null);

-- name: put_conflict_file
insert into conflict_files (bank, path, memory_id, sha256) values (:bank, :path, :memory_id, :sha256)
on conflict (bank, path) do update set memory_id = excluded.memory_id, sha256 = excluded.sha256, erased = 0;

-- The conflict files of purged memories.
-- name: leave_conflict_files
update conflict_files set erased = 1 where memory_id in ({list:ids});

-- name: erased_conflict_files
select path, sha256 from conflict_files where bank = :bank and erased = 1 order by path;

-- name: drop_conflict_file
delete from conflict_files where bank = :bank and path = :path;

-- name: wikilinks_of
select memory_id, name from wikilinks where memory_id in ({list:ids});

-- name: put_wikilink
insert into wikilinks (memory_id, bank_id, name) values (:memory_id, :bank_id, :name);

-- name: drop_wikilinks
delete from wikilinks where memory_id in ({list:ids});

-- name: backlinks
select w.name, w.memory_id, n.path from ({list:names}) i
  join wikilinks w on w.bank_id = :bank_id and w.name = i.value
  join memories m on m.id = w.memory_id and m.forgotten_at is null
  join notes n on n.memory_id = w.memory_id
order by n.path, w.name;
