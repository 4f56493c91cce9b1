-- Conflict files beside notes, which are to go when their notes are erased for good.
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

-- The names to which the links in a note point, also those that no note has yet. Derived: the notes say it again.
create table wikilinks (
  memory_id integer not null,
  bank_id integer not null,
  name text not null,
  primary key (memory_id, name)
) strict, without rowid;

create index wikilinks_by_name on wikilinks (bank_id, name);

-- Every file is read once more, for the tags and links in its text and the aliases and dates of its frontmatter.
update notes set mtime_ns = 1 where mtime_ns > 0;
