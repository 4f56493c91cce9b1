-- What observations and mental models were made of, now or before, so that they follow what becomes of it.
create table grounds (
  memory_id integer not null,
  -- The observation, which is a memory, or the mental model, which is a standing.
  holder_id integer not null,
  bank_id integer not null,
  primary key (memory_id, holder_id)
) strict, without rowid;

create index grounds_by_holder on grounds (holder_id);
create index grounds_by_bank on grounds (bank_id);

-- Memories that changed since what rests on them was made.
create table unsettled (
  memory_id integer primary key,
  bank_id integer not null
) strict;

create index unsettled_by_bank on unsettled (bank_id);

-- Mental models that are made again by themselves: at a moment, or whenever facts were consolidated.
create table turns (
  standing_id integer primary key,
  bank_id integer not null,
  next_at integer,
  follows integer not null
) strict;

create index turns_by_time on turns (next_at) where next_at is not null;
create index turns_by_bank on turns (bank_id);

insert or ignore into grounds (memory_id, holder_id, bank_id)
select s.value, m.id, m.bank_id
from memories m join versions v on v.memory_id = m.id, json_each(v.metadata, '$.fact.sources') s
where m.kind = 'observation' and s.type = 'integer';

insert or ignore into grounds (memory_id, holder_id, bank_id)
select s.value, t.id, t.bank_id from standings t, json_each(t.body, '$.sources') s
where t.kind = 'mental_model' and s.type = 'integer';

insert or ignore into grounds (memory_id, holder_id, bank_id)
select s.value, t.id, t.bank_id from standings t, json_each(t.body, '$.history') h, json_each(h.value, '$.sources') s
where t.kind = 'mental_model' and s.type = 'integer';

-- Schedules were kept and not run before; they are planned when a server starts.
insert into turns (standing_id, bank_id, next_at, follows)
select t.id, t.bank_id, null, 1 from standings t
where t.kind = 'mental_model' and json_extract(t.body, '$.trigger.refresh_after_consolidation') = 1
  and json_extract(t.body, '$.trigger.refresh_cron') is null;
