-- Which folder is a bank's folder of notes, so that no other in its place is taken for it.
create table vaults (
  -- By its name, because the bank itself may be gone while files of it are still to be removed.
  bank text primary key,
  -- What the folder's mark says.
  mark text not null,
  -- A digest of the path at which the folder was last seen.
  place text not null
) strict;

-- Which files we made. A note whose first version came from a file is a person's.
alter table notes rename to old_notes;
drop index notes_by_path;
create table notes (
  memory_id integer primary key,
  bank_id integer not null,
  path text not null,
  -- 0 until the file is on disk.
  mtime_ns integer not null,
  size integer not null,
  sha256 text not null,
  -- The version of the memory that the file holds.
  version integer not null,
  -- Since when the file is not to be found.
  missing_at integer,
  -- Whether we made the file; one that a person made is never removed.
  made_here integer not null default 0
) strict;

create index notes_by_path on notes (bank_id, path);
insert into notes (memory_id, bank_id, path, mtime_ns, size, sha256, version, missing_at, made_here)
select memory_id, bank_id, path, mtime_ns, size, sha256, version, missing_at, exists (
  select 1 from versions v where v.memory_id = o.memory_id and v.number = 1 and v.reason <> 'changed in the folder'
) from old_notes o;
drop table old_notes;

alter table erased_notes rename to old_erased_notes;
drop index erased_notes_by_bank;
create table erased_notes (
  memory_id integer primary key,
  -- By its name, because the bank itself may be gone.
  bank text not null,
  path text not null,
  mtime_ns integer not null,
  size integer not null,
  sha256 text not null,
  stays integer not null default 0,
  made_here integer not null default 0
) strict;

create index erased_notes_by_bank on erased_notes (bank);
insert into erased_notes (memory_id, bank, path, mtime_ns, size, sha256, stays)
select memory_id, bank, path, mtime_ns, size, sha256, stays from old_erased_notes;
drop table old_erased_notes;
