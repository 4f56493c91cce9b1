-- Files whose notes were erased for good: to be removed, or to stay because they are a person's own, and not be read again.
create table erased_notes (
  memory_id integer primary key,
  -- By its name, because the bank itself may be gone.
  bank text not null,
  path text not null,
  mtime_ns integer not null,
  size integer not null,
  sha256 text not null,
  stays integer not null default 0
) strict;

create index erased_notes_by_bank on erased_notes (bank);

drop index notes_by_bank;

create index notes_by_path on notes (bank_id, path);

delete from notes where bank_id not in (select id from banks);
