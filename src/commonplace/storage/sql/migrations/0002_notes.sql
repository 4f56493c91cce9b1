-- Where the file of each note lies and what it held when it was last read or written. Derived: the files say it again.
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
  missing_at integer
) strict;

create index notes_by_bank on notes (bank_id);
