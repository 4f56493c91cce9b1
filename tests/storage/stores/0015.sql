pragma auto_vacuum = incremental;
pragma application_id = -1070354420;
pragma user_version = 11;
CREATE TABLE migrations (
  name text primary key,
  sha256 text not null,
  applied_at integer not null
) strict;
CREATE TABLE counters (
  name text primary key,
  value integer not null
) strict;
CREATE TABLE facts (
  name text primary key,
  value text not null
) strict;
CREATE TABLE banks (
  id integer primary key,
  name text not null unique,
  title text not null default '',
  mission text not null default '',
  config text not null default '{}',
  created_at integer not null,
  -- Counts purges, so that a process knows when to drop rows from its in-memory vectors.
  purge_count integer not null default 0
) strict;
CREATE TABLE memories (
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
CREATE TABLE versions (
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
CREATE TABLE revisions (
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
CREATE TABLE replies (
  bank_id integer not null references banks (id),
  session text not null,
  tool text not null,
  key text not null,
  content_hash text not null,
  reply text not null,
  at integer not null,
  primary key (bank_id, session, tool, key)
) strict, without rowid;
CREATE TABLE documents (
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
CREATE TABLE sessions (
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
CREATE TABLE events (
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
CREATE TABLE snapshots (
  id integer primary key,
  session_id integer not null references sessions (id),
  slug text not null,
  trigger text not null,
  text text not null,
  at integer not null
) strict;
CREATE TABLE reminders (
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
CREATE TABLE streams (
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
CREATE TABLE chunks (
  stream_id integer not null references streams (id),
  number integer not null,
  text text not null,
  primary key (stream_id, number)
) strict, without rowid;
CREATE TABLE jobs (
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
CREATE TABLE tags (
  bank_id integer not null,
  tag text not null,
  memory_id integer not null,
  primary key (bank_id, tag, memory_id)
) strict, without rowid;
CREATE VIRTUAL TABLE texts using fts5 (
  title, body, labels,
  tokenize = "ascii tokenchars '!#$%&*+,-./:;<=>?@\^_`|~'"
);
CREATE TABLE stale (
  memory_id integer primary key,
  bank_id integer not null
) strict;
CREATE TABLE links (
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
CREATE TABLE standings (
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
CREATE TABLE grounds (
  memory_id integer not null,
  -- The observation, which is a memory, or the mental model, which is a standing.
  holder_id integer not null,
  bank_id integer not null,
  primary key (memory_id, holder_id)
) strict, without rowid;
CREATE TABLE unsettled (
  memory_id integer primary key,
  bank_id integer not null
) strict;
CREATE TABLE turns (
  standing_id integer primary key,
  bank_id integer not null,
  next_at integer,
  follows integer not null
) strict;
CREATE TABLE vectors (
  seq integer primary key autoincrement,
  bank_id integer not null,
  memory_id integer not null unique,
  version integer not null,
  embedder text not null,
  live integer not null,
  vector blob not null,
  sketch blob not null default x''
) strict;
CREATE TABLE fields (
  bank_id integer not null,
  path text not null,
  value any not null,
  memory_id integer not null,
  primary key (bank_id, path, value, memory_id)
) strict, without rowid;
CREATE TABLE vaults (
  -- By its name, because the bank itself may be gone while files of it are still to be removed.
  bank text primary key,
  -- What the folder's mark says.
  mark text not null,
  -- A digest of the path at which the folder was last seen.
  place text not null
) strict;
CREATE TABLE notes (
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
CREATE TABLE erased_notes (
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
CREATE TABLE conflict_files (
  -- By its name, because the bank itself may be gone.
  bank text not null,
  path text not null,
  memory_id integer not null,
  sha256 text not null,
  -- Whether the note was erased for good.
  erased integer not null default 0,
  primary key (bank, path)
) strict, without rowid;
CREATE TABLE wikilinks (
  memory_id integer not null,
  bank_id integer not null,
  name text not null,
  primary key (memory_id, name)
) strict, without rowid;
insert into texts (texts, rank) values ('secure-delete', 1);
insert into migrations (name, sha256, applied_at) values ('0001_first', '115814e1357b83a4e8758632310357a72f80d6d8c5c1c0cf507f7a9b1ac37493', 1790000000000);
insert into migrations (name, sha256, applied_at) values ('0002_notes', 'd4e247d9d1775853c744941ebef71f05fe0f692984f67eb7b75864f3f680e9ed', 1790000000000);
insert into migrations (name, sha256, applied_at) values ('0003_standings', '16d6c8d98984b633bf94a23c0f70e795dbab630c0c3792805566ae796ba8d60a', 1790000000000);
insert into migrations (name, sha256, applied_at) values ('0004_vault_erased', '064664b596ccb5b06cb608a291905b8f80707bb5d55c98db7cf71f94a897bbb7', 1790000000000);
insert into migrations (name, sha256, applied_at) values ('0005_hindsight_grounds', '373706b3188296c494d0844131af8e6f145afda39f007c60f6f347f34becda09', 1790000000000);
insert into migrations (name, sha256, applied_at) values ('0007_scale_sketches', '09e55ff79a78e7ef2cbc44b659abbbb406e28eb87b9498642917c3c436996078', 1790000000000);
insert into migrations (name, sha256, applied_at) values ('0011_filtered_fields', 'fd4eaee9a88886c8b9d06506d04c46dacbf2292d3188e06afd75dff76d2615ae', 1790000000000);
insert into migrations (name, sha256, applied_at) values ('0012_meaningless_keys', '5c9def30ccfd911f17b7b5d260ab1c80ed0446cb7da4f092eb0d3e6f0b88f5f3', 1790000000000);
insert into migrations (name, sha256, applied_at) values ('0013_erased_documents', '7411593312e8946199a2b2bab19e19a9d3394dbfb2959f171400bfa31785c98f', 1790000000000);
insert into migrations (name, sha256, applied_at) values ('0014_vault_roots', '5f4609bcd1d0bf53b3cf6f1486b68c00395dd21d30d7caad6328e75db4241d55', 1790000000000);
insert into migrations (name, sha256, applied_at) values ('0015_vault_conflicts_and_links', 'c1222e94355dd2033d0f0b10bc7504246b25f01c110369700649f58e1b250b25', 1790000000000);
insert into counters (name, value) values ('ids', 869020471312386);
insert into facts (name, value) values ('links:869020467200001', '1790000000000/869020467200003');
insert into facts (name, value) values ('links:869020467200007', '1790000000000/869020467200017');
insert into facts (name, value) values ('links:869020467200029', '1790000000003/869020467212294');
insert into facts (name, value) values ('links:869020467212301', '1790000001003/869020471308305');
insert into facts (name, value) values ('unscrubbed', '');
insert into banks (id, name, title, mission, config, created_at, purge_count) values (869020467200001, 'work', 'Work', 'Remember 工作', '{"b": 1, "a": [true, null, 1.5]}', 1790000000000, 0);
insert into banks (id, name, title, mission, config, created_at, purge_count) values (869020467200007, 'home', '', '', '{}', 1790000000000, 1);
insert into banks (id, name, title, mission, config, created_at, purge_count) values (869020467200029, 'lamps', 'Lamps', '', '{"mcp_enabled_tools": ["recall", "sync_retain"]}', 1790000000000, 1);
insert into banks (id, name, title, mission, config, created_at, purge_count) values (869020467212301, 'default', '', '', '{}', 1790000000003, 3);
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020467200003, 869020467200001, '', '', '', '', '', 'note', '', '["b","a"]', '["src/**"]', '', NULL, NULL, NULL, 869020467200002, 3, 869020467200006, 1790000000000, 1790000000000, NULL, '{"z":{"ü":[1,2.5,1.0]},"a":"北京\n","big":1000000000000000000000000000000}', 'It went on. 🐙   \u0000');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020467200008, 869020467200007, 'app', 'ada', 'agent', 'run', '', 'note', 'db.port', '[]', '[]', '', NULL, NULL, NULL, NULL, 4, 869020467200014, 1790000000000, 1790000000000, 1790000000000, '{}', '5432');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020467200010, 869020467200007, '', '', '', '', '', 'note', 'db.port', '[]', '[]', '', -5, 7, 9000000000000, NULL, 1, 869020467200011, 1790000000000, 1790000000000, NULL, '{}', '5432');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020467200017, 869020467200007, '', '', '', '', '', 'note', '', '[]', '[]', '', NULL, NULL, NULL, NULL, 1, 869020467200018, 1790000000000, 1790000000000, NULL, '{}', 'Once.');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020467200030, 869020467200029, 'harbour', 'ben', 'scout', 'night', '', 'note', '', '["oil"]', '[]', '', NULL, NULL, NULL, NULL, 1, 869020467200031, 1790000000000, 1790000000000, NULL, '{"shelf":{"number":7,"sides":["left","right"],"label":"üüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüü"}}', 'The lamp oil is kept on shelf seven.');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020467200032, 869020467200029, 'harbour', 'ben', '', '', '', 'rule', '', '["wicks"]', '["lamps/**"]', 'supplies', NULL, NULL, NULL, NULL, 1, 869020467200033, 1790000000000, 1790000000000, NULL, '{}', 'Wicks are a hand long.');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020467204097, 869020467200029, '', '', '', '', '', 'note', '', '[]', '[]', '', NULL, NULL, NULL, NULL, 1, 869020467204098, 1790000000001, 1790000000001, NULL, '{"shelf":{"number":8,"full":true}}', 'Port: 8080');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020467208193, 869020467200029, '', '', '', '', '', 'note', '', '[]', '[]', '', NULL, NULL, NULL, NULL, 1, 869020467208194, 1790000000002, 1790000000002, NULL, '{"shelf":{"number":9,"full":true}}', 'Port: 9090');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020467212289, 869020467200029, '', '', '', '', '', 'note', '', '[]', '[]', '', NULL, NULL, NULL, NULL, 1, 869020467212290, 1790000000003, 1790000000003, NULL, '{"shelf":{"number":10,"full":true}}', 'The sail is mended by Cleo.');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020467212291, 869020467200029, 'harbour', '', '', '', '', 'note', 'lamps.metal', '[]', '[]', '', 5, 9, NULL, NULL, 2, 869020467212293, 1790000000003, 1790000000003, NULL, '{}', 'Copper');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020467212294, 869020467200029, '', '', '', '', '', 'note', '', '[]', '[]', '', NULL, NULL, 1790000000008, NULL, 2, 869020467212296, 1790000000003, 1790000000003, 1790000000003, '{}', 'The old tower was white.');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020467212303, 869020467212301, '', '', '', '', '', 'world', '534e23348c54dec4b4330ba2', '["people"]', '[]', 'general', NULL, NULL, NULL, 869020467212302, 1, 869020467212304, 1790000000003, 1790000000003, NULL, '{"fact":{"context":"general","mentioned_at":1790000000003,"entities":["Dora","Rome"],"documents":[869020467212302]}}', 'Dora lives in Rome.');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020467212305, 869020467212301, '', '', '', '', '', 'world', '766622e4d3db0ebe20a5f4d9', '["people"]', '[]', 'general', NULL, NULL, NULL, 869020467212302, 1, 869020467212306, 1790000000003, 1790000000003, NULL, '{"fact":{"context":"general","mentioned_at":1790000000003,"entities":["Dora","Acme"],"documents":[869020467212302]}}', 'Dora works at Acme.');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020467212307, 869020467212301, '', '', '', '', '', 'world', 'be882b42a5ab64eb518b6a8f', '["people"]', '[]', 'general', NULL, NULL, NULL, 869020467212302, 1, 869020467212308, 1790000000003, 1790000000003, NULL, '{"fact":{"context":"general","mentioned_at":1790000000003,"entities":["Dora"],"documents":[869020467212302]}}', 'Dora has a dog.');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020467212309, 869020467212301, '', '', '', '', '', 'observation', '53d4c6d3958a8e96215d8b99', '["people"]', '[]', '', NULL, NULL, NULL, NULL, 1, 869020467212310, 1790000000003, 1790000000003, NULL, '{"fact":{"mentioned_at":1790000000003,"entities":["Dora","Acme","Rome"],"sources":[869020467212307,869020467212305,869020467212303],"subject":"dora"}}', 'Dora has a dog. Dora works at Acme. Dora lives in Rome.');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020471308291, 869020467212301, '', '', '', '', '', 'world', 'dbb03b9be4aac0988518ea6f', '[]', '[]', 'general', NULL, NULL, NULL, 869020471308290, 1, 869020471308292, 1790000001003, 1790000001003, NULL, '{"fact":{"context":"general","mentioned_at":1790000001003,"entities":["Dora"],"documents":[869020471308290]}}', 'Dora plays chess.');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020471308297, 869020467212301, 'harbour', 'ada', '', '', '', 'note', '', '["nets"]', '[]', '', NULL, NULL, NULL, NULL, 1, 869020471308298, 1790000001003, 1790000001003, NULL, '{}', 'Ada mends the nets.');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020471308301, 869020467212301, '', '', '', '', 'Plan', 'note', '', '["trip"]', '[]', '', NULL, NULL, NULL, NULL, 3, 869020471308310, 1790000001003, 1790000001003, NULL, '{"vault":{"file":"Plan.md"}}', 'Buy oil.'||char(10)||''||char(10)||'Write to Ada.'||char(10)||''||char(10)||'See [[Shore]].');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020471308303, 869020467212301, '', '', '', '', 'Shore', 'note', '', '[]', '[]', '', NULL, NULL, NULL, NULL, 1, 869020471308304, 1790000001003, 1790000001003, NULL, '{"vault":{"file":"Shore.md"}}', 'The shore is far.');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020471308305, 869020467212301, '', '', '', '', 'Lost', 'note', '', '[]', '[]', '', NULL, NULL, NULL, NULL, 1, 869020471308306, 1790000001003, 1790000001003, NULL, '{"vault":{"file":"Lost.md"}}', 'Nobody finds it.');
insert into memories (id, bank_id, project, user, agent, run, title, kind, key, tags, paths, category, happened_at, happened_until, expires_at, document_id, version, version_id, created_at, updated_at, forgotten_at, metadata, text) values (869020471312385, 869020467200029, '', '', '', '', '', 'note', '', '[]', '[]', '', NULL, NULL, NULL, NULL, 1, 869020471312386, 1790000001004, 1790000001004, NULL, '{}', 'The newest lamp has no vector yet.');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467200004, 869020467200003, 1, 'remember', 1, 'It began.', '', 'note', '', '[]', '{}', '["src/**"]', '', NULL, NULL, NULL, 869020467200002, 1790000000000, 'ada', 'vault', 's1', 'because so');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467200005, 869020467200003, 2, 'revise', 2, 'It went on. 🐙   \u0000', '', 'note', '', '["b","a"]', '{}', '["src/**"]', '', NULL, NULL, NULL, 869020467200002, 1790000000000, 'ada', 'vault', 's1', 'because so');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467200006, 869020467200003, 3, 'revise', 3, 'It went on. 🐙   \u0000', '', 'note', '', '["b","a"]', '{"z":{"ü":[1,2.5,1.0]},"a":"北京\n","big":1000000000000000000000000000000}', '["src/**"]', '', NULL, NULL, NULL, 869020467200002, 1790000000000, '', '', '', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467200009, 869020467200008, 1, 'remember', 1, '5432', '', 'note', 'db.port', '[]', '{}', '[]', '', NULL, NULL, NULL, NULL, 1790000000000, '', '', '', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467200011, 869020467200010, 1, 'remember', 1, '5432', '', 'note', 'db.port', '[]', '{}', '[]', '', -5, 7, 9000000000000, NULL, 1790000000000, '', '', '', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467200012, 869020467200008, 2, 'forget', 2, '5432', '', 'note', 'db.port', '[]', '{}', '[]', '', NULL, NULL, NULL, NULL, 1790000000000, 'ada', 'vault', 's1', 'because so');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467200013, 869020467200008, 3, 'restore', 3, '5432', '', 'note', 'db.port', '[]', '{}', '[]', '', NULL, NULL, NULL, NULL, 1790000000000, '', '', '', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467200014, 869020467200008, 4, 'forget', 4, '5432', '', 'note', 'db.port', '[]', '{}', '[]', '', NULL, NULL, NULL, NULL, 1790000000000, '', '', '', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467200018, 869020467200017, 1, 'remember', 2, 'Once.', '', 'note', '', '[]', '{}', '[]', '', NULL, NULL, NULL, NULL, 1790000000000, '', '', '', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467200031, 869020467200030, 1, 'remember', 1, 'The lamp oil is kept on shelf seven.', '', 'note', '', '["oil"]', '{"shelf":{"number":7,"sides":["left","right"],"label":"üüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüü"}}', '[]', '', NULL, NULL, NULL, NULL, 1790000000000, '', '', '', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467200033, 869020467200032, 1, 'remember', 2, 'Wicks are a hand long.', '', 'rule', '', '["wicks"]', '{}', '["lamps/**"]', 'supplies', NULL, NULL, NULL, NULL, 1790000000000, 'ada', 'vault', 's1', 'because so');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467204098, 869020467204097, 1, 'remember', 1, 'Port: 8080', '', 'note', '', '[]', '{"shelf":{"number":8,"full":true}}', '[]', '', NULL, NULL, NULL, NULL, 1790000000001, '', '', '', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467208194, 869020467208193, 1, 'remember', 2, 'Port: 9090', '', 'note', '', '[]', '{"shelf":{"number":9,"full":true}}', '[]', '', NULL, NULL, NULL, NULL, 1790000000002, '', '', '', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467212290, 869020467212289, 1, 'remember', 3, 'The sail is mended by Cleo.', '', 'note', '', '[]', '{"shelf":{"number":10,"full":true}}', '[]', '', NULL, NULL, NULL, NULL, 1790000000003, '', '', '', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467212292, 869020467212291, 1, 'remember', 3, 'Brass', '', 'note', 'lamps.metal', '[]', '{}', '[]', '', 5, 9, NULL, NULL, 1790000000003, '', '', '', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467212293, 869020467212291, 2, 'revise', 4, 'Copper', '', 'note', 'lamps.metal', '[]', '{}', '[]', '', 5, 9, NULL, NULL, 1790000000003, 'ada', 'vault', 's1', 'because so');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467212295, 869020467212294, 1, 'remember', 4, 'The old tower was white.', '', 'note', '', '[]', '{}', '[]', '', NULL, NULL, 1790000000008, NULL, 1790000000003, '', '', '', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467212296, 869020467212294, 2, 'forget', 5, 'The old tower was white.', '', 'note', '', '[]', '{}', '[]', '', NULL, NULL, 1790000000008, NULL, 1790000000003, 'ada', 'vault', 's1', 'because so');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467212304, 869020467212303, 1, 'remember', 1, 'Dora lives in Rome.', '', 'world', '534e23348c54dec4b4330ba2', '["people"]', '{"fact":{"context":"general","mentioned_at":1790000000003,"entities":["Dora","Rome"],"documents":[869020467212302]}}', '[]', 'general', NULL, NULL, NULL, 869020467212302, 1790000000003, 'tester', 'hindsight', 's', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467212306, 869020467212305, 1, 'remember', 1, 'Dora works at Acme.', '', 'world', '766622e4d3db0ebe20a5f4d9', '["people"]', '{"fact":{"context":"general","mentioned_at":1790000000003,"entities":["Dora","Acme"],"documents":[869020467212302]}}', '[]', 'general', NULL, NULL, NULL, 869020467212302, 1790000000003, 'tester', 'hindsight', 's', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467212308, 869020467212307, 1, 'remember', 1, 'Dora has a dog.', '', 'world', 'be882b42a5ab64eb518b6a8f', '["people"]', '{"fact":{"context":"general","mentioned_at":1790000000003,"entities":["Dora"],"documents":[869020467212302]}}', '[]', 'general', NULL, NULL, NULL, 869020467212302, 1790000000003, 'tester', 'hindsight', 's', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020467212310, 869020467212309, 1, 'remember', 1, 'Dora has a dog. Dora works at Acme. Dora lives in Rome.', '', 'observation', '53d4c6d3958a8e96215d8b99', '["people"]', '{"fact":{"mentioned_at":1790000000003,"entities":["Dora","Acme","Rome"],"sources":[869020467212307,869020467212305,869020467212303],"subject":"dora"}}', '[]', '', NULL, NULL, NULL, NULL, 1790000000003, 'tester', 'hindsight', 's', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020471308292, 869020471308291, 1, 'remember', 2, 'Dora plays chess.', '', 'world', 'dbb03b9be4aac0988518ea6f', '[]', '{"fact":{"context":"general","mentioned_at":1790000001003,"entities":["Dora"],"documents":[869020471308290]}}', '[]', 'general', NULL, NULL, NULL, 869020471308290, 1790000001003, 'tester', 'hindsight', 's', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020471308298, 869020471308297, 1, 'remember', 1, 'Ada mends the nets.', '', 'note', '', '["nets"]', '{}', '[]', '', NULL, NULL, NULL, NULL, 1790000001003, 'tester', 'memories', 's', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020471308302, 869020471308301, 1, 'remember', 3, 'Buy oil.'||char(10)||''||char(10)||'Call Ada.'||char(10)||''||char(10)||'See [[Shore]].', 'Plan', 'note', '', '["trip"]', '{"vault":{"file":"Plan.md"}}', '[]', '', NULL, NULL, NULL, NULL, 1790000001003, 'ada', '', '', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020471308304, 869020471308303, 1, 'remember', 4, 'The shore is far.', 'Shore', 'note', '', '[]', '{"vault":{"file":"Shore.md"}}', '[]', '', NULL, NULL, NULL, NULL, 1790000001003, 'ada', '', '', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020471308306, 869020471308305, 1, 'remember', 5, 'Nobody finds it.', 'Lost', 'note', '', '[]', '{"vault":{"file":"Lost.md"}}', '[]', '', NULL, NULL, NULL, NULL, 1790000001003, 'ada', '', '', '');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020471308309, 869020471308301, 2, 'revise', 7, 'Buy oil.'||char(10)||''||char(10)||'Call Ben.'||char(10)||''||char(10)||'See [[Shore]].', 'Plan', 'note', '', '["trip"]', '{"vault":{"file":"Plan.md"}}', '[]', '', NULL, NULL, NULL, NULL, 1790000001003, 'ada', 'vault', 's1', 'because so');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020471308310, 869020471308301, 3, 'revise', 8, 'Buy oil.'||char(10)||''||char(10)||'Write to Ada.'||char(10)||''||char(10)||'See [[Shore]].', 'Plan', 'note', '', '["trip"]', '{"vault":{"file":"Plan.md"}}', '[]', '', NULL, NULL, NULL, NULL, 1790000001003, '', 'vault', '', 'changed in the folder');
insert into versions (id, memory_id, number, action, revision, text, title, kind, key, tags, metadata, paths, category, happened_at, happened_until, expires_at, document_id, at, who, dialect, session, reason) values (869020471312386, 869020471312385, 1, 'remember', 9, 'The newest lamp has no vector yet.', '', 'note', '', '[]', '{}', '[]', '', NULL, NULL, NULL, NULL, 1790000001004, '', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200001, '', 1, 'remember', 1790000000000, 'ada', 'vault', 's1', 'because so');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200001, '', 2, 'revise', 1790000000000, 'ada', 'vault', 's1', 'because so');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200001, '', 3, 'revise', 1790000000000, '', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200007, '', 1, 'remember', 1790000000000, '', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200007, '', 2, 'remember', 1790000000000, '', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200007, 'app', 1, 'remember', 1790000000000, '', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200007, 'app', 2, 'forget', 1790000000000, 'ada', 'vault', 's1', 'because so');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200007, 'app', 3, 'restore', 1790000000000, '', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200007, 'app', 4, 'forget', 1790000000000, '', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200007, 'app', 5, 'remember', 1790000000000, '', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200007, 'app', 6, 'purge', 1790000000000, '', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200029, '', 1, 'remember', 1790000000001, '', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200029, '', 2, 'remember', 1790000000002, '', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200029, '', 3, 'remember', 1790000000003, '', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200029, '', 4, 'remember', 1790000000003, '', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200029, '', 5, 'forget', 1790000000003, 'ada', 'vault', 's1', 'because so');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200029, '', 6, 'remember', 1790000000003, 'ada', 'vault', 's1', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200029, '', 7, 'remember', 1790000000003, 'ada', 'vault', 's1', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200029, '', 8, 'purge', 1790000000003, 'ada', 'vault', 's1', 'because so');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200029, '', 9, 'remember', 1790000001004, '', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200029, 'harbour', 1, 'remember', 1790000000000, '', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200029, 'harbour', 2, 'remember', 1790000000000, 'ada', 'vault', 's1', 'because so');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200029, 'harbour', 3, 'remember', 1790000000003, '', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467200029, 'harbour', 4, 'revise', 1790000000003, 'ada', 'vault', 's1', 'because so');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467212301, '', 1, 'retain', 1790000000003, 'tester', 'hindsight', 's', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467212301, '', 10, 'purge', 1790000001003, 'ada', 'vault', 's1', 'because so');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467212301, '', 11, 'purge', 1790000001003, 'ada', 'vault', 's1', 'because so');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467212301, '', 12, 'remember', 1790000001003, 'ada', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467212301, '', 13, 'purge', 1790000001003, 'ada', 'vault', 's1', 'because so');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467212301, '', 2, 'retain', 1790000001003, 'tester', 'hindsight', 's', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467212301, '', 3, 'remember', 1790000001003, 'ada', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467212301, '', 4, 'remember', 1790000001003, 'ada', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467212301, '', 5, 'remember', 1790000001003, 'ada', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467212301, '', 6, 'adopt', 1790000001003, '', 'vault', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467212301, '', 7, 'revise', 1790000001003, 'ada', 'vault', 's1', 'because so');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467212301, '', 8, 'revise', 1790000001003, '', 'vault', '', 'changed in the folder');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467212301, '', 9, 'remember', 1790000001003, 'ada', '', '', '');
insert into revisions (bank_id, project, number, action, at, who, dialect, session, reason) values (869020467212301, 'harbour', 1, 'remember', 1790000001003, 'tester', 'memories', 's', '');
insert into replies (bank_id, session, tool, key, content_hash, reply, at) values (869020467200007, '', 'tool', 'k2', 'b09c7d54e7dd3d63683312b9913f78ac3779abcfd921d4a795469bd76017a4d5', '{"answer": ["ü", null, 1]}', 1790000000000);
insert into replies (bank_id, session, tool, key, content_hash, reply, at) values (869020467200007, 's', 'add', 'k1', '806752b54de4724bdba4283fcd2dba9a7dd3289f70e233a34268887782e02ae1', '869020467200017', 1790000000000);
insert into replies (bank_id, session, tool, key, content_hash, reply, at) values (869020467200029, 's', 'add', 'sha256:1dd9fb612aac31eccdb1690a1ce14107cc79e9c70e2fc1485bf238b026c4f8dc', '', '869020467212299', 1790000000003);
insert into replies (bank_id, session, tool, key, content_hash, reply, at) values (869020467200029, 's', 'add', 'sha256:6db7d803e74f1ffa7d8f5adc0bf95b3e15bf4c8373fffadf546227cc6c6742cb', '', '869020467212297', 1790000000003);
insert into documents (id, bank_id, name, title, sha256, tags, metadata, created_at, updated_at, text) values (869020467200002, 869020467200001, 'notes.md', '', '23519a43c66b4c342f25b32e09797ec5f3fc0be388cd8243fb3449afbdce4013', '["x", "y"]', '{}', 1790000000000, 1790000000000, 'A'||char(10)||'B');
insert into documents (id, bank_id, name, title, sha256, tags, metadata, created_at, updated_at, text) values (869020467212302, 869020467212301, 'dora.md', '', '3f5f10785732e9a620cc68c4592e4821e8ed8bc24d30ef5c807dc0d9a7b1df48', '["people"]', '{"context": "general", "metadata": {}}', 1790000000003, 1790000000003, 'Dora lives in Rome. Dora works at Acme. Dora has a dog.');
insert into documents (id, bank_id, name, title, sha256, tags, metadata, created_at, updated_at, text) values (869020471308290, 869020467212301, 'c0330b1a-ce00-8000-8003-165e987eb001', '', 'e042ccc06997dd4faa1af626e2099c14b752a94b6c45201e986a8eec08424b95', '[]', '{"context": "general", "metadata": {}}', 1790000001003, 1790000001003, 'Dora plays chess.');
insert into sessions (id, bank_id, project, user, title, client, metadata, status, started_at, active_at, ended_at) values (869020467200019, 869020467200007, '', '', 'Talk', '', '{"k": "v"}', 'closed', 1790000000000, 1790000000000, 1790000000000);
insert into sessions (id, bank_id, project, user, title, client, metadata, status, started_at, active_at, ended_at) values (869020471308300, 869020467212301, 'harbour', 'ada', 'Open talk', 'tester', '{}', 'active', 1790000001003, 1790000001003, NULL);
insert into events (id, session_id, number, role, kind, text, token_count, turn_index, meaningful, at) values (869020467200020, 869020467200019, 1, 'assistant', 'checkpoint', 'Said 0', 0, NULL, 1, 1790000000000);
insert into events (id, session_id, number, role, kind, text, token_count, turn_index, meaningful, at) values (869020467200021, 869020467200019, 2, 'assistant', 'checkpoint', 'Said 1', 1, NULL, 1, 1790000000000);
insert into events (id, session_id, number, role, kind, text, token_count, turn_index, meaningful, at) values (869020467200022, 869020467200019, 3, 'assistant', 'checkpoint', 'Said 2', 2, NULL, 1, 1790000000000);
insert into snapshots (id, session_id, slug, trigger, text, at) values (869020467200023, 869020467200019, 'talk-2026-09-21t14-13-20-000z', 'manual', '# Talk'||char(10)||''||char(10)||'Session: m0rpbtc4000k'||char(10)||''||char(10)||'### assistant (checkpoint)'||char(10)||''||char(10)||'Said 0'||char(10)||''||char(10)||'### assistant (checkpoint)'||char(10)||''||char(10)||'Said 1'||char(10)||''||char(10)||'### assistant (checkpoint)'||char(10)||''||char(10)||'Said 2'||char(10)||'', 1790000000000);
insert into reminders (id, bank_id, project, user, cron, timezone, message, enabled, next_at, last_at, created_at) values (869020467200024, 869020467200007, '', '', '0 9 * * 1', 'Europe/Rome', 'Stand up!', 1, 1790578800000, NULL, 1790000000000);
insert into reminders (id, bank_id, project, user, cron, timezone, message, enabled, next_at, last_at, created_at) values (869020471308299, 869020467212301, '', '', '30 8 * * *', 'Europe/Rome', 'Fill the lamps.', 0, NULL, NULL, 1790000001003);
insert into streams (id, bank_id, draft, chunk_count, text_bytes, text_chars, started_at, touched_at) values (869020467200026, 869020467200007, '{"text": "", "title": "", "kind": "note", "key": "", "tags": ["later"], "metadata": {}, "paths": [], "category": "", "happened_at": null, "happened_until": null, "expires_at": null, "document_id": null, "scope": {"project": "", "user": "", "agent": "", "run": ""}}', 2, 6, 6, 1790000000000, 1790000000000);
insert into chunks (stream_id, number, text) values (869020467200026, 1, 'first ');
insert into chunks (stream_id, number, text) values (869020467200026, 2, '');
insert into jobs (id, bank_id, kind, payload, state, done_count, total_count, stage, attempt_count, attempts_max, run_at, leased_until, worker, cancel_asked, error, result, created_at, updated_at, finished_at) values (869020467200027, 869020467200001, 'index', '{"ids": [869020467200003]}', 'pending', 0, NULL, '', 0, 3, 1790000000000, NULL, '', 0, '', 'null', 1790000000000, 1790000000000, NULL);
insert into jobs (id, bank_id, kind, payload, state, done_count, total_count, stage, attempt_count, attempts_max, run_at, leased_until, worker, cancel_asked, error, result, created_at, updated_at, finished_at) values (869020467200028, 869020467200001, 'index', '{}', 'cancelled', 0, NULL, '', 0, 3, 1790000000000, NULL, '', 1, '', 'null', 1790000000000, 1790000000000, 1790000000000);
insert into jobs (id, bank_id, kind, payload, state, done_count, total_count, stage, attempt_count, attempts_max, run_at, leased_until, worker, cancel_asked, error, result, created_at, updated_at, finished_at) values (869020467212312, 869020467212301, 'refresh_mental_model', '{"mental_model": "dora"}', 'completed', 0, NULL, 'writing', 1, 3, 1790000000003, NULL, 'vm:30104:30104', 0, '', 'null', 1790000000003, 1790000000003, 1790000000003);
insert into jobs (id, bank_id, kind, payload, state, done_count, total_count, stage, attempt_count, attempts_max, run_at, leased_until, worker, cancel_asked, error, result, created_at, updated_at, finished_at) values (869020467212314, 869020467212301, 'refresh_mental_model', '{"mental_model": "dogs"}', 'completed', 0, NULL, 'writing', 1, 3, 1790000000003, NULL, 'vm:30104:30104', 0, '', 'null', 1790000000003, 1790000000003, 1790000000003);
insert into jobs (id, bank_id, kind, payload, state, done_count, total_count, stage, attempt_count, attempts_max, run_at, leased_until, worker, cancel_asked, error, result, created_at, updated_at, finished_at) values (869020467212317, 869020467212301, 'refresh_mental_model', '{"mental_model": "kp-00000000000000000003165e9840301c"}', 'completed', 0, NULL, 'writing', 1, 3, 1790000000003, NULL, 'vm:30104:30104', 0, '', 'null', 1790000000003, 1790000000003, 1790000000003);
insert into jobs (id, bank_id, kind, payload, state, done_count, total_count, stage, attempt_count, attempts_max, run_at, leased_until, worker, cancel_asked, error, result, created_at, updated_at, finished_at) values (869020471308293, 869020467212301, 'refresh_mental_model', '{"mental_model": "kp-00000000000000000003165e9840301c"}', 'completed', 0, NULL, 'writing', 1, 3, 1790000001003, NULL, 'vm:30104:30104', 0, '', 'null', 1790000001003, 1790000001003, 1790000001003);
insert into jobs (id, bank_id, kind, payload, state, done_count, total_count, stage, attempt_count, attempts_max, run_at, leased_until, worker, cancel_asked, error, result, created_at, updated_at, finished_at) values (869020471308294, 869020467200029, 'good', '{"n": 1}', 'completed', 0, NULL, '', 1, 3, 1790000001003, NULL, 'vm:30104:30104', 0, '', '{"found": 3}', 1790000001003, 1790000001003, 1790000001003);
insert into jobs (id, bank_id, kind, payload, state, done_count, total_count, stage, attempt_count, attempts_max, run_at, leased_until, worker, cancel_asked, error, result, created_at, updated_at, finished_at) values (869020471308295, 869020467200029, 'bad', '{"n": 2}', 'failed', 0, NULL, '', 1, 1, 1790000001003, NULL, 'vm:30104:30104', 0, 'An internal error stopped the job (ValueError); the log has the details.', 'null', 1790000001003, 1790000001003, 1790000001003);
insert into jobs (id, bank_id, kind, payload, state, done_count, total_count, stage, attempt_count, attempts_max, run_at, leased_until, worker, cancel_asked, error, result, created_at, updated_at, finished_at) values (869020471308296, 869020467200029, 'slow', '{"document": "dora.md"}', 'running', 0, NULL, '', 1, 3, 1790000001003, 1790000061003, 'worker that was killed', 0, '', 'null', 1790000001003, 1790000001003, NULL);
insert into tags (bank_id, tag, memory_id) values (869020467200001, 'a', 869020467200003);
insert into tags (bank_id, tag, memory_id) values (869020467200001, 'b', 869020467200003);
insert into tags (bank_id, tag, memory_id) values (869020467200029, 'oil', 869020467200030);
insert into tags (bank_id, tag, memory_id) values (869020467200029, 'wicks', 869020467200032);
insert into tags (bank_id, tag, memory_id) values (869020467212301, 'nets', 869020471308297);
insert into tags (bank_id, tag, memory_id) values (869020467212301, 'people', 869020467212303);
insert into tags (bank_id, tag, memory_id) values (869020467212301, 'people', 869020467212305);
insert into tags (bank_id, tag, memory_id) values (869020467212301, 'people', 869020467212307);
insert into tags (bank_id, tag, memory_id) values (869020467212301, 'people', 869020467212309);
insert into tags (bank_id, tag, memory_id) values (869020467212301, 'trip', 869020471308301);
insert into texts (rowid, title, body, labels) values (869020467200003, '', 'it went on 🐙 u0000', 'b a');
insert into texts (rowid, title, body, labels) values (869020467200008, '', '5432', 'db port');
insert into texts (rowid, title, body, labels) values (869020467200010, '', '5432', 'db port');
insert into texts (rowid, title, body, labels) values (869020467200017, '', 'onc', '');
insert into texts (rowid, title, body, labels) values (869020467200030, '', 'the lamp oil is kept on shelf seven', 'oil');
insert into texts (rowid, title, body, labels) values (869020467200032, '', 'wick are a hand long', 'wick suppli');
insert into texts (rowid, title, body, labels) values (869020467204097, '', 'port 8080', '');
insert into texts (rowid, title, body, labels) values (869020467208193, '', 'port 9090', '');
insert into texts (rowid, title, body, labels) values (869020467212289, '', 'the sail is mend by cleo', '');
insert into texts (rowid, title, body, labels) values (869020467212291, '', 'copper', 'lamp metal');
insert into texts (rowid, title, body, labels) values (869020467212294, '', 'the old tower was white', '');
insert into texts (rowid, title, body, labels) values (869020467212303, '', 'dora live in rome', 'peopl 534e23348c54dec4b4330ba2 general');
insert into texts (rowid, title, body, labels) values (869020467212305, '', 'dora work at acm', 'peopl 766622e4d3db0ebe20a5f4d9 general');
insert into texts (rowid, title, body, labels) values (869020467212307, '', 'dora has a dog', 'peopl be882b42a5ab64eb518b6a8f general');
insert into texts (rowid, title, body, labels) values (869020467212309, '', 'dora has a dog dora work at acm dora live in rome', 'peopl 53d4c6d3958a8e96215d8b99');
insert into texts (rowid, title, body, labels) values (869020471308291, '', 'dora play chess', 'dbb03b9be4aac0988518ea6f general');
insert into texts (rowid, title, body, labels) values (869020471308297, '', 'ada mend the net', 'net');
insert into texts (rowid, title, body, labels) values (869020471308301, 'plan', 'buy oil write to ada see shore', 'trip');
insert into texts (rowid, title, body, labels) values (869020471308303, 'shore', 'the shore is far', '');
insert into texts (rowid, title, body, labels) values (869020471308305, 'lost', 'nobodi find it', '');
insert into texts (rowid, title, body, labels) values (869020471312385, '', 'the newest lamp has no vector yet', '');
insert into stale (memory_id, bank_id) values (869020471312385, 869020467200029);
insert into links (id, bank_id, kind, from_id, to_id, confidence, reason, at) values (869020471308316, 869020467200029, 'contradicts', 869020467208193, 869020467204097, 0.8, 'Both say what "port" is, and they differ.', 1790000001003);
insert into standings (id, bank_id, kind, name, tags, created_at, updated_at, body) values (869020467200025, 869020467200007, 'directive', 'm0rpbtc4000s', '["style"]', 1790000000000, 1790000000000, '{"title": "Tone", "text": "Be brief.", "priority": 2, "active": true}');
insert into standings (id, bank_id, kind, name, tags, created_at, updated_at, body) values (869020467212311, 869020467212301, 'mental_model', 'dora', '[]', 1790000000003, 1790000000003, '{"title": "Dora", "query": "Where does Dora live?", "tokens_max": 2048, "trigger": {}, "content": "Dora:\n- Dora has a dog. (2026-09-21) [c0330b1a-ce00-8000-8003-165e98403013]\n- Dora works at Acme. (2026-09-21) [c0330b1a-ce00-8000-8003-165e98403011]\n- Dora lives in Rome. (2026-09-21) [c0330b1a-ce00-8000-8003-165e9840300f]", "sources": [869020467212303, 869020467212305, 869020467212307], "history": [], "structured": null, "structured_error": null, "refreshed_at": 1790000000003, "failed_at": null, "changed_at": 1790000000003, "seen_id": 869020467212310, "folder": null}');
insert into standings (id, bank_id, kind, name, tags, created_at, updated_at, body) values (869020467212313, 869020467212301, 'mental_model', 'dogs', '[]', 1790000000003, 1790000000003, '{"title": "Dogs", "query": "Who has a dog?", "tokens_max": 2048, "trigger": {"refresh_cron": "0 3 * * *"}, "content": "Dora:\n- Dora has a dog. (2026-09-21) [c0330b1a-ce00-8000-8003-165e98403013]\n- Dora works at Acme. (2026-09-21) [c0330b1a-ce00-8000-8003-165e98403011]\n- Dora lives in Rome. (2026-09-21) [c0330b1a-ce00-8000-8003-165e9840300f]", "sources": [869020467212307, 869020467212305, 869020467212303], "history": [], "structured": null, "structured_error": null, "refreshed_at": 1790000000003, "failed_at": null, "changed_at": 1790000000003, "seen_id": 869020467212310, "folder": null}');
insert into standings (id, bank_id, kind, name, tags, created_at, updated_at, body) values (869020467212315, 869020467212301, 'knowledge_folder', 'kf-00000000000000000003165e9840301b', '[]', 1790000000003, 1790000000003, '{"title": "People", "parent": ""}');
insert into standings (id, bank_id, kind, name, tags, created_at, updated_at, body) values (869020467212316, 869020467212301, 'mental_model', 'kp-00000000000000000003165e9840301c', '[]', 1790000000003, 1790000001003, '{"title": "Page of Dora", "query": "What does Dora do?", "tokens_max": 4096, "trigger": {"mode": "delta", "refresh_after_consolidation": true, "exclude_mental_models": true}, "content": "Dora:\n- Dora plays chess. (2026-09-21) [c0330b1a-ce00-8000-8003-165e987eb003]\n- Dora has a dog. (2026-09-21) [c0330b1a-ce00-8000-8003-165e98403013]\n- Dora works at Acme. (2026-09-21) [c0330b1a-ce00-8000-8003-165e98403011]\n- Dora lives in Rome. (2026-09-21) [c0330b1a-ce00-8000-8003-165e9840300f]", "sources": [869020467212305, 869020471308291, 869020467212303, 869020467212307], "history": [{"content": "Dora:\n- Dora has a dog. (2026-09-21) [c0330b1a-ce00-8000-8003-165e98403013]\n- Dora works at Acme. (2026-09-21) [c0330b1a-ce00-8000-8003-165e98403011]\n- Dora lives in Rome. (2026-09-21) [c0330b1a-ce00-8000-8003-165e9840300f]", "at": 1790000000003, "sources": [869020467212305, 869020467212303, 869020467212307]}], "structured": null, "structured_error": null, "refreshed_at": 1790000001003, "failed_at": null, "changed_at": 1790000001003, "seen_id": 869020471308292, "folder": "kf-00000000000000000003165e9840301b"}');
insert into standings (id, bank_id, kind, name, tags, created_at, updated_at, body) values (869020467212318, 869020467212301, 'directive', 'm0rpbtc40c0y', '[]', 1790000000003, 1790000000003, '{"title": "Tone", "text": "Be brief.", "priority": 0, "active": true}');
insert into grounds (memory_id, holder_id, bank_id) values (869020467212303, 869020467212309, 869020467212301);
insert into grounds (memory_id, holder_id, bank_id) values (869020467212303, 869020467212311, 869020467212301);
insert into grounds (memory_id, holder_id, bank_id) values (869020467212303, 869020467212313, 869020467212301);
insert into grounds (memory_id, holder_id, bank_id) values (869020467212303, 869020467212316, 869020467212301);
insert into grounds (memory_id, holder_id, bank_id) values (869020467212305, 869020467212309, 869020467212301);
insert into grounds (memory_id, holder_id, bank_id) values (869020467212305, 869020467212311, 869020467212301);
insert into grounds (memory_id, holder_id, bank_id) values (869020467212305, 869020467212313, 869020467212301);
insert into grounds (memory_id, holder_id, bank_id) values (869020467212305, 869020467212316, 869020467212301);
insert into grounds (memory_id, holder_id, bank_id) values (869020467212307, 869020467212309, 869020467212301);
insert into grounds (memory_id, holder_id, bank_id) values (869020467212307, 869020467212311, 869020467212301);
insert into grounds (memory_id, holder_id, bank_id) values (869020467212307, 869020467212313, 869020467212301);
insert into grounds (memory_id, holder_id, bank_id) values (869020467212307, 869020467212316, 869020467212301);
insert into grounds (memory_id, holder_id, bank_id) values (869020471308291, 869020467212316, 869020467212301);
insert into unsettled (memory_id, bank_id) values (869020467212303, 869020467212301);
insert into turns (standing_id, bank_id, next_at, follows) values (869020467212313, 869020467212301, 1790046000000, 0);
insert into turns (standing_id, bank_id, next_at, follows) values (869020467212316, 869020467212301, NULL, 1);
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (1, 869020467212301, 869020467212303, 1, 'hash-16', 1, X'CBAAD0B6333234270EB1DDA0D33318240F36C4B4FEB54136EEA08CB191B2EDB4', X'33900000000000008E9C000000000000');
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (10, 869020467200007, 869020467200008, 4, 'hash-16', 0, X'D0B0F03626A4D9B5443751314C2474A82835EAB23EA76534FDB08BAC62369C2C', X'4E93000000000000E9BE000000000000');
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (11, 869020467200007, 869020467200010, 1, 'hash-16', 1, X'D0B0F03626A4D9B5443751314C2474A82835EAB23EA76534FDB08BAC62369C2C', X'4E93000000000000E9BE000000000000');
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (12, 869020467200007, 869020467200017, 1, 'hash-16', 1, X'97B6C630BF2FD1A9532D56AE7E9DB9317BB630A898B85736CF31B72FA7A89032', X'691D0000000000001653000000000000');
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (13, 869020467200029, 869020467200030, 1, 'hash-16', 1, X'9E2CC5B35636B3B555B3A833D5B2D22E6AA5783509B048361EB00B2F81B53FB3', X'A55400000000000026F8000000000000');
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (14, 869020467200029, 869020467200032, 1, 'hash-16', 1, X'1D2A4DB3D7B1B43101AF04340FA93AB43937493601294E2F87B41BB844ABD0AF', X'94F00000000000002EC3000000000000');
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (15, 869020467200029, 869020467204097, 1, 'hash-16', 1, X'4AB742B0EB33C9B716336D2C2432DB997232E631DDAC432A58AAC6AEC8375FB3', X'2ED200000000000069AE000000000000');
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (16, 869020467200029, 869020467208193, 1, 'hash-16', 1, X'4E2ECC2DB427B7A1A632D72657AE1F314C38EFB5DA293AAEE6327EB03336F8B7', X'EDAA0000000000001A9E000000000000');
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (17, 869020467200029, 869020467212289, 1, 'hash-16', 1, X'4CB4B5B0E3B3BC3249A4BF345B305BAB9DB5B23535B2CB379DB326AFEEB460AA', X'16500000000000004D75000000000000');
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (18, 869020467200029, 869020467212291, 2, 'hash-16', 1, X'B6B75CB136ACAC31C9367CA681308E325AA779AAEEAC8738092A33A925A8B5B5', X'1B180000000000006DF6000000000000');
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (19, 869020467200029, 869020467212294, 2, 'hash-16', 0, X'45AEA8384232D1302F3790357E2CFB2726B2952975B0461C31259D9D37A834B7', X'7F58000000000000EC26000000000000');
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (2, 869020467212301, 869020467212305, 1, 'hash-16', 1, X'792F61B6E72FB9B3F1B4683476B0A7B086B5A9A7E1B22F3081B662B5A92088B4', X'A4120000000000000760000000000000');
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (20, 869020467200001, 869020467200003, 3, 'hash-16', 1, X'4CAF5A2D4BB0CBB6533575A36F35AF328FB7C72CF93073360834DD30642DBD2A', X'4B7F000000000000AF18000000000000');
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (3, 869020467212301, 869020467212307, 1, 'hash-16', 1, X'A7308CAD09AF53B5C8B54C370B31C32ACD34A2309BB6D5351427CA28E8B37B2C', X'87DD0000000000006490000000000000');
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (4, 869020467212301, 869020467212309, 1, 'hash-16', 1, X'093474B64BB225B36AB42F37A92D37B01228D8B118B46636F7AFA4B4D4AFC8AD', X'8690000000000000A55B000000000000');
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (5, 869020467212301, 869020471308291, 1, 'hash-16', 1, X'26A1E9B7E92B0DB774B384AC1E1EDFAD54AE633226B442B12CB718B5A7AD0BB2', X'224000000000000085D3000000000000');
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (6, 869020467212301, 869020471308297, 1, 'hash-16', 1, X'A032E2AFC1AE4EB34EB4F92E5CAA782490B8F829212AD932C336B4B00837D3B0', X'857A000000000000E21F000000000000');
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (7, 869020467212301, 869020471308301, 3, 'hash-16', 1, X'10AD6BB30B3613B637B215B14CA78BAF5CB58C34E4352D325B36682F08318FAF', X'207E000000000000AF69000000000000');
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (8, 869020467212301, 869020471308303, 1, 'hash-16', 1, X'8331BE3141B481B4283622B3E0AF73AD92B4CAB15D30D435B82FC8ABFF37F2B1', X'C83A0000000000000B57000000000000');
insert into vectors (seq, bank_id, memory_id, version, embedder, live, vector, sketch) values (9, 869020467212301, 869020471308305, 1, 'hash-16', 1, X'87361BB147B7952CC82C54AF7C309B33D9B0D231FB30DC2BDCB621B628A3B5B4', X'9B70000000000000C582000000000000');
insert into fields (bank_id, path, value, memory_id) values (869020467200001, '$."a"', '北京'||char(10)||'', 869020467200003);
insert into fields (bank_id, path, value, memory_id) values (869020467200001, '$."big"', 1.0e+30, 869020467200003);
insert into fields (bank_id, path, value, memory_id) values (869020467200001, '$."z"."ü"', 1, 869020467200003);
insert into fields (bank_id, path, value, memory_id) values (869020467200001, '$."z"."ü"', 2.5, 869020467200003);
insert into fields (bank_id, path, value, memory_id) values (869020467200029, '$."shelf"."full"', 1, 869020467204097);
insert into fields (bank_id, path, value, memory_id) values (869020467200029, '$."shelf"."full"', 1, 869020467208193);
insert into fields (bank_id, path, value, memory_id) values (869020467200029, '$."shelf"."full"', 1, 869020467212289);
insert into fields (bank_id, path, value, memory_id) values (869020467200029, '$."shelf"."label"', 'üüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüüü', 869020467200030);
insert into fields (bank_id, path, value, memory_id) values (869020467200029, '$."shelf"."number"', 10, 869020467212289);
insert into fields (bank_id, path, value, memory_id) values (869020467200029, '$."shelf"."number"', 7, 869020467200030);
insert into fields (bank_id, path, value, memory_id) values (869020467200029, '$."shelf"."number"', 8, 869020467204097);
insert into fields (bank_id, path, value, memory_id) values (869020467200029, '$."shelf"."number"', 9, 869020467208193);
insert into fields (bank_id, path, value, memory_id) values (869020467200029, '$."shelf"."sides"', 'left', 869020467200030);
insert into fields (bank_id, path, value, memory_id) values (869020467200029, '$."shelf"."sides"', 'right', 869020467200030);
insert into vaults (bank, mark, place) values ('default', 'vault_e46b2be5723afc7b', '503e016939987373');
insert into notes (memory_id, bank_id, path, mtime_ns, size, sha256, version, missing_at, made_here) values (869020471308301, 869020467212301, 'Plan.md', 1795101122602917028, 184, 'a71d81cae4934003717a45ecfa7ba8722c46c2cc00636b52935ed41115f5fddf', 3, NULL, 1);
insert into notes (memory_id, bank_id, path, mtime_ns, size, sha256, version, missing_at, made_here) values (869020471308303, 869020467212301, 'Shore.md', 1795101122504231139, 159, 'a59ca0288574b6f2ac91c88be1d3a35f14c614e29e632c9b3149c227a8c5a560', 1, NULL, 1);
insert into notes (memory_id, bank_id, path, mtime_ns, size, sha256, version, missing_at, made_here) values (869020471308305, 869020467212301, 'Lost.md', 1795101122533867795, 157, '4e00e965375ecaa35a7f1274b9e4b9305c6472baa332e0cd7cb5e186d0066ee6', 1, 1790000001003, 1);
insert into erased_notes (memory_id, bank, path, mtime_ns, size, sha256, stays, made_here) values (807232009284, 'default', 'hand.md', 1795101122580339313, 28, '757fc9f195994342b2fe23cdb4effe710856e98deb8009a446ccab0d52edfe90', 0, 0);
insert into erased_notes (memory_id, bank, path, mtime_ns, size, sha256, stays, made_here) values (869020471308313, 'default', 'Burning.md', 1795101122667908585, 155, '10133317dbb724948b33c8f4984b811ea0d8cfffef2b553533949537512d8bed', 0, 1);
insert into conflict_files (bank, path, memory_id, sha256, erased) values ('default', 'Plan (conflicted copy, version 2).md', 869020471308301, '3c1c8d8b6beb6a534c802f1acfb8dc84a1eecae7d261ac76217aff516e96ea23', 0);
insert into wikilinks (memory_id, bank_id, name) values (869020471308301, 869020467212301, 'shore');
insert into sqlite_sequence (name, seq) values ('vectors', 20);
CREATE INDEX memories_by_age on memories (bank_id, created_at desc, id desc);
CREATE INDEX memories_by_change on memories (bank_id, updated_at desc, id desc);
CREATE INDEX memories_by_project on memories (bank_id, project, kind);
CREATE INDEX memories_by_user on memories (bank_id, user, created_at desc) where user <> '';
CREATE INDEX memories_by_document on memories (document_id) where document_id is not null;
CREATE UNIQUE INDEX memories_by_key on memories (bank_id, project, user, agent, run, key) where key <> '';
CREATE INDEX documents_by_change on documents (bank_id, updated_at desc, id desc);
CREATE INDEX sessions_by_age on sessions (bank_id, started_at desc);
CREATE INDEX snapshots_by_session on snapshots (session_id, at desc);
CREATE INDEX reminders_by_turn on reminders (bank_id, next_at) where enabled = 1;
CREATE INDEX reminders_by_bank on reminders (bank_id);
CREATE INDEX streams_by_bank on streams (bank_id);
CREATE INDEX jobs_by_turn on jobs (run_at, id) where state in ('pending', 'running');
CREATE INDEX jobs_by_bank on jobs (bank_id, created_at desc);
CREATE INDEX tags_by_memory on tags (memory_id);
CREATE INDEX stale_by_bank on stale (bank_id);
CREATE INDEX links_by_source on links (from_id);
CREATE INDEX links_by_target on links (to_id);
CREATE INDEX grounds_by_holder on grounds (holder_id);
CREATE INDEX grounds_by_bank on grounds (bank_id);
CREATE INDEX unsettled_by_bank on unsettled (bank_id);
CREATE INDEX turns_by_time on turns (next_at) where next_at is not null;
CREATE INDEX turns_by_bank on turns (bank_id);
CREATE INDEX vectors_by_bank on vectors (bank_id, seq, memory_id, live, embedder, sketch);
CREATE INDEX memories_by_agent on memories (bank_id, agent) where agent <> '';
CREATE INDEX memories_by_run on memories (bank_id, run) where run <> '';
CREATE INDEX memories_by_category on memories (bank_id, category) where category <> '';
CREATE INDEX memories_by_kind on memories (bank_id, kind) where kind <> 'note';
CREATE INDEX fields_by_memory on fields (memory_id);
CREATE INDEX memories_of_nobody on memories (bank_id) where user = '';
CREATE INDEX memories_of_notes on memories (bank_id) where kind = 'note';
CREATE INDEX memories_untagged on memories (bank_id) where tags = '[]';
CREATE INDEX memories_by_happening on memories (bank_id, happened_at) where happened_at is not null;
CREATE INDEX memories_by_ending on memories (bank_id, happened_until, happened_at) where happened_until is not null;
CREATE INDEX versions_by_document on versions (document_id, memory_id) where document_id is not null;
CREATE INDEX notes_by_path on notes (bank_id, path);
CREATE INDEX erased_notes_by_bank on erased_notes (bank);
CREATE INDEX conflict_files_by_note on conflict_files (memory_id);
CREATE INDEX wikilinks_by_name on wikilinks (bank_id, name);
