-- A sketch beside each vector, and an index that holds all that a process reads of a bank before it can search it.
-- Vectors are derived, so they are made again; their numbers go on, because processes tell by them what they have read.
alter table vectors rename to old_vectors;
drop index vectors_by_bank;

create table vectors (
  seq integer primary key autoincrement,
  bank_id integer not null,
  memory_id integer not null unique,
  version integer not null,
  embedder text not null,
  live integer not null,
  vector blob not null,
  sketch blob not null default x''
) strict;

create index vectors_by_bank on vectors (bank_id, seq, memory_id, live, embedder, sketch);

insert into sqlite_sequence (name, seq) select 'vectors', seq from sqlite_sequence where name = 'old_vectors';
drop table old_vectors;
insert or ignore into stale (memory_id, bank_id) select id, bank_id from memories;

-- What filters single out, in a bank where most memories have nothing there.
create index memories_by_agent on memories (bank_id, agent) where agent <> '';
create index memories_by_run on memories (bank_id, run) where run <> '';
create index memories_by_category on memories (bank_id, category) where category <> '';
create index memories_by_kind on memories (bank_id, kind) where kind <> 'note';
