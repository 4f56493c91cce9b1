-- The current schema. migrations/ upgrades older databases to it; a test compares the two.
-- Moments are milliseconds since 1970. An absent scope field is '', so that unique indexes see it.

create table migrations (
  name text primary key,
  sha256 text not null,
  applied_at integer not null
) strict;

-- One row: the last id in use. Ids are drawn inside the write transaction, so they are unique across processes.
create table counters (
  name text primary key,
  value integer not null
) strict;

-- Properties of the store itself, such as the analyzer of its text index.
create table store_info (
  name text primary key,
  value text not null
) strict;

create table banks (
  id integer primary key,
  name text not null unique,
  title text not null default '',
  mission text not null default '',
  config text not null default '{}',
  created_at integer not null,
  -- Counts purges, so that a process knows when to drop rows from its in-memory vectors.
  purge_count integer not null default 0
) strict;

create table memories (
  id integer primary key,
  bank_id integer not null references banks (id),
  project text not null default '',
  user_name text not null default '',
  agent text not null default '',
  run text not null default '',
  title text not null default '',
  kind text not null,
  key text not null default '',
  tags text not null default '[]',
  paths text not null default '[]',
  category text not null default '',
  happened_at integer,
  happened_until integer,
  expires_at integer,
  document_id integer references documents (id),
  version integer not null,
  version_id integer not null,
  created_at integer not null,
  updated_at integer not null,
  forgotten_at integer,
  -- Last, because they are long: a filter on the others then never walks through them.
  metadata text not null default '{}',
  text text not null
) strict;

create index memories_by_age on memories (bank_id, created_at desc, id desc);
create index memories_by_change on memories (bank_id, updated_at desc, id desc);
create index memories_by_project on memories (bank_id, project, kind);
create index memories_by_user on memories (bank_id, user_name, created_at desc) where user_name <> '';
-- Partial indexes for columns that are empty in most memories.
create index memories_by_agent on memories (bank_id, agent) where agent <> '';
create index memories_by_run on memories (bank_id, run) where run <> '';
create index memories_by_category on memories (bank_id, category) where category <> '';
create index memories_by_kind on memories (bank_id, kind) where kind <> 'note';
-- The opposite: the memories with an empty column, for banks where most have a value.
create index memories_without_user on memories (bank_id) where user_name = '';
create index memories_of_kind_note on memories (bank_id) where kind = 'note';
create index memories_untagged on memories (bank_id) where tags = '[]';
create index memories_by_happening on memories (bank_id, happened_at) where happened_at is not null;
create index memories_by_ending on memories (bank_id, happened_until, happened_at) where happened_until is not null;
create index memories_by_document on memories (document_id) where document_id is not null;
-- One chain per key: a second memory with the same key in the same scope cannot exist, forgotten or not.
create unique index memories_by_key on memories (bank_id, project, user_name, agent, run, key) where key <> '';

create table versions (
  id integer primary key,
  memory_id integer not null references memories (id),
  number integer not null,
  action text not null check (action in ('remember', 'revise', 'forget', 'restore')),
  revision integer not null,
  text text not null,
  title text not null,
  kind text not null,
  key text not null,
  tags text not null,
  metadata text not null,
  paths text not null,
  category text not null,
  happened_at integer,
  happened_until integer,
  expires_at integer,
  document_id integer,
  at integer not null,
  who text not null,
  dialect text not null,
  session text not null,
  reason text not null,
  unique (memory_id, number)
) strict;

create index versions_by_document on versions (document_id, memory_id) where document_id is not null;

-- One row per mutating call on a project. The number identifies a past state of it.
create table revisions (
  bank_id integer not null references banks (id),
  project text not null,
  number integer not null,
  action text not null,
  at integer not null,
  who text not null,
  dialect text not null,
  session text not null,
  reason text not null,
  primary key (bank_id, project, number)
) strict, without rowid;

-- The reply for each idempotency key, written in the transaction that did the work.
create table idempotency_keys (
  bank_id integer not null references banks (id),
  session text not null,
  tool text not null,
  key text not null,
  content_hash text not null,
  result text not null,
  at integer not null,
  primary key (bank_id, session, tool, key)
) strict, without rowid;

create table documents (
  id integer primary key,
  bank_id integer not null references banks (id),
  name text not null,
  title text not null default '',
  sha256 text not null,
  tags text not null default '[]',
  metadata text not null default '{}',
  created_at integer not null,
  updated_at integer not null,
  -- The text comes last and its length before it, so that a list need not read through megabytes of texts.
  text_chars integer not null generated always as (length(text)) stored,
  text text not null,
  unique (bank_id, name)
) strict;

create index documents_by_change on documents (bank_id, updated_at desc, id desc);

create table sessions (
  id integer primary key,
  bank_id integer not null references banks (id),
  project text not null default '',
  user_name text not null default '',
  title text not null default '',
  client text not null default '',
  metadata text not null default '{}',
  status text not null check (status in ('active', 'closed', 'compacted')),
  started_at integer not null,
  active_at integer not null,
  ended_at integer
) strict;

create index sessions_by_age on sessions (bank_id, started_at desc);

create table events (
  id integer primary key,
  session_id integer not null references sessions (id),
  number integer not null,
  role text not null,
  kind text not null,
  text text not null,
  token_count integer,
  turn_index integer,
  meaningful integer not null,
  at integer not null,
  unique (session_id, number)
) strict;

create table snapshots (
  id integer primary key,
  session_id integer not null references sessions (id),
  slug text not null,
  trigger text not null,
  text text not null,
  at integer not null
) strict;

create index snapshots_by_session on snapshots (session_id, at desc);

create table reminders (
  id integer primary key,
  bank_id integer not null references banks (id),
  project text not null default '',
  user_name text not null default '',
  cron text not null,
  timezone text not null,
  message text not null,
  enabled integer not null,
  next_at integer,
  last_at integer,
  created_at integer not null
) strict;

create index reminders_by_next_at on reminders (bank_id, next_at) where enabled = 1;
create index reminders_by_bank on reminders (bank_id);

create table streams (
  id integer primary key,
  bank_id integer not null references banks (id),
  -- The draft to be, as JSON, without its text.
  draft text not null,
  -- Kept beside the chunks, so that a long stream is not added up again for every chunk.
  chunk_count integer not null default 0,
  text_bytes integer not null default 0,
  text_chars integer not null default 0,
  started_at integer not null,
  touched_at integer not null
) strict;

create index streams_by_bank on streams (bank_id);

create table chunks (
  stream_id integer not null references streams (id),
  number integer not null,
  text text not null,
  primary key (stream_id, number)
) strict, without rowid;

create table jobs (
  id integer primary key,
  bank_id integer not null references banks (id),
  kind text not null,
  payload text not null,
  state text not null check (state in ('pending', 'running', 'completed', 'failed', 'cancelled')),
  done_count integer not null default 0,
  total_count integer,
  stage text not null default '',
  attempt_count integer not null default 0,
  attempts_max integer not null,
  run_at integer not null,
  leased_until integer,
  worker text not null default '',
  cancel_asked integer not null default 0,
  error text not null default '',
  result text not null default 'null',
  created_at integer not null,
  updated_at integer not null,
  finished_at integer
) strict;

create index jobs_by_run_at on jobs (run_at, id) where state in ('pending', 'running');
create index jobs_by_bank on jobs (bank_id, created_at desc);

-- Items of a bank besides its memories: directives, mental models with their text and its history, folders.
create table bank_items (
  id integer primary key,
  bank_id integer not null references banks (id),
  kind text not null,
  name text not null,
  tags text not null default '[]',
  created_at integer not null,
  updated_at integer not null,
  -- Last, because it is long.
  body text not null,
  unique (bank_id, kind, name)
) strict;

-- Derived tables from here on: they can be dropped and rebuilt from those above.

create table tags (
  bank_id integer not null,
  tag text not null,
  memory_id integer not null,
  primary key (bank_id, tag, memory_id)
) strict, without rowid;

create index tags_by_memory on tags (memory_id);

-- The values in metadata by field, so that a filter on them needs no scan of the bank. A list is stored as its members,
-- long texts are cut, and fields of the engine itself are left out.
create table metadata_index (
  bank_id integer not null,
  path text not null,
  value any not null,
  memory_id integer not null,
  primary key (bank_id, path, value, memory_id)
) strict, without rowid;

create index metadata_index_by_memory on metadata_index (memory_id);

-- language/analyzer.py splits, folds and stems the words beforehand, so the tokenizer only splits at spaces.
create virtual table text_index using fts5 (
  title, body, labels,
  tokenize = "ascii tokenchars '!#$%&*+,-./:;<=>?@\^_`|~'"
);

-- Without this, words of deleted rows stay readable in the index until a merge happens to drop them.
insert into text_index (text_index, rank) values ('secure-delete', 1);

-- seq grows with every change, so that a process catches up by reading what is newer than what it has.
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

-- What a process reads before it can search a bank: sketches select candidates, and vectors score them.
create index vectors_by_bank on vectors (bank_id, seq, memory_id, live, embedder, sketch);

-- Memories whose vectors are outdated, queued by the write that changed them.
create table embedding_queue (
  memory_id integer primary key,
  bank_id integer not null
) strict;

create index embedding_queue_by_bank on embedding_queue (bank_id);

create table links (
  id integer primary key,
  bank_id integer not null,
  kind text not null,
  from_id integer not null,
  to_id integer not null,
  confidence real not null,
  reason text not null,
  at integer not null,
  unique (kind, from_id, to_id)
) strict;

create index links_by_source on links (from_id);
create index links_by_target on links (to_id);

-- The path of each note's file, and its state when it was last read or written. Derived: the files contain it.
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

-- Files of erased notes: either to be removed, or kept because the user created them, but never read again.
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

-- The identity of a bank's folder of notes, so that another folder at its path is not mistaken for it.
create table vaults (
  -- By its name, because the bank itself may be gone while files of it are still to be removed.
  bank text primary key,
  -- The id in the folder's marker file.
  marker text not null,
  -- A digest of the path at which the folder was last seen.
  path_digest text not null
) strict;

-- Conflict files beside notes, which are removed when their notes are erased.
create table conflict_files (
  -- By its name, because the bank itself may be gone.
  bank text not null,
  path text not null,
  memory_id integer not null,
  sha256 text not null,
  -- Whether the note was erased for good.
  erased integer not null default 0,
  primary key (bank, path)
) strict, without rowid;

create index conflict_files_by_note on conflict_files (memory_id);

-- The targets of the links in a note, also of links to missing notes. Derived: the notes contain them.
create table wikilinks (
  memory_id integer not null,
  bank_id integer not null,
  name text not null,
  primary key (memory_id, name)
) strict, without rowid;

create index wikilinks_by_name on wikilinks (bank_id, name);

-- The sources of observations and mental models, now or before, so that changes propagate to them.
create table derivations (
  source_id integer not null,
  -- The observation, which is a memory, or the mental model, which is an item of its bank.
  derived_id integer not null,
  bank_id integer not null,
  primary key (source_id, derived_id)
) strict, without rowid;

create index derivations_by_derived on derivations (derived_id);
create index derivations_by_bank on derivations (bank_id);

-- Memories that changed since observations and mental models were derived from them.
create table stale_derivations (
  source_id integer primary key,
  bank_id integer not null
) strict;

create index stale_derivations_by_bank on stale_derivations (bank_id);

-- Mental models with an automatic refresh: at a time, or after facts were consolidated.
create table refresh_schedule (
  item_id integer primary key,
  bank_id integer not null,
  next_at integer,
  after_consolidation integer not null
) strict;

create index refresh_schedule_by_time on refresh_schedule (next_at) where next_at is not null;
create index refresh_schedule_by_bank on refresh_schedule (bank_id);
