-- The first schema.

create table migrations (
  name text primary key,
  sha256 text not null,
  applied_at integer not null
) strict;

-- One row: the last id given out. Drawing ids inside the write transaction makes them unique across processes.
create table counters (
  name text primary key,
  value integer not null
) strict;

-- Facts about this store, such as which analyzer wrote the text index.
create table facts (
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
  user text not null default '',
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
create index memories_by_user on memories (bank_id, user, created_at desc) where user <> '';
create index memories_by_document on memories (document_id) where document_id is not null;
-- One chain per key: a second memory with the same key in the same scope cannot exist, forgotten or not.
create unique index memories_by_key on memories (bank_id, project, user, agent, run, key) where key <> '';

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

-- One row per mutating call on a project; the number is what `at revision` means.
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

-- Answers already given to an idempotency key, written in the transaction that did the work.
create table replies (
  bank_id integer not null references banks (id),
  session text not null,
  tool text not null,
  key text not null,
  content_hash text not null,
  reply text not null,
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
  user text not null default '',
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
  user text not null default '',
  cron text not null,
  timezone text not null,
  message text not null,
  enabled integer not null,
  next_at integer,
  last_at integer,
  created_at integer not null
) strict;

create index reminders_by_turn on reminders (bank_id, next_at) where enabled = 1;
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

create index jobs_by_turn on jobs (run_at, id) where state in ('pending', 'running');
create index jobs_by_bank on jobs (bank_id, created_at desc);

-- Derived from here on: everything below can be dropped and rebuilt from what is above.

create table tags (
  bank_id integer not null,
  tag text not null,
  memory_id integer not null,
  primary key (bank_id, tag, memory_id)
) strict, without rowid;

create index tags_by_memory on tags (memory_id);

-- Words are split, folded and stemmed by text.py before they come here, so the tokenizer only has to cut at spaces.
create virtual table texts using fts5 (
  title, body, labels,
  tokenize = "ascii tokenchars '!#$%&*+,-./:;<=>?@\^_`|~'"
);

-- Without this, words of deleted rows stay readable in the index until a merge happens to drop them.
insert into texts (texts, rank) values ('secure-delete', 1);

-- seq grows with every change, so that a process catches up by reading what is newer than what it has.
create table vectors (
  seq integer primary key autoincrement,
  bank_id integer not null,
  memory_id integer not null unique,
  version integer not null,
  embedder text not null,
  live integer not null,
  vector blob not null
) strict;

create index vectors_by_bank on vectors (bank_id, seq);

-- Memories whose vectors are out of date, queued by the write that made them so.
create table stale (
  memory_id integer primary key,
  bank_id integer not null
) strict;

create index stale_by_bank on stale (bank_id);

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
