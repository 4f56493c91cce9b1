-- What stands in a bank besides its memories: directives, and mental models with their text and its history.
create table standings (
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
