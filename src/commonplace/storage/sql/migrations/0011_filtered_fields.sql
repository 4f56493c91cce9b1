-- What stands in metadata, by field and value, so that a filter on it finds its memories without a look at all of them.
-- A list counts as each of its members; long texts are cut; what the engine notes there for itself is left out.
create table fields (
  bank_id integer not null,
  path text not null,
  value any not null,
  memory_id integer not null,
  primary key (bank_id, path, value, memory_id)
) strict, without rowid;

create index fields_by_memory on fields (memory_id);

insert or ignore into fields (bank_id, path, value, memory_id)
with recursive inside (memory_id, bank_id, path, type, value) as (
  select m.id, m.bank_id, '$."' || e.key || '"', e.type, e.value
  from memories m, json_each(case when json_valid(m.metadata) then m.metadata else '{}' end) e
  where m.metadata <> '{}' and e.key not in ('fact', 'vault')
  union all
  select i.memory_id, i.bank_id, i.path || '."' || e.key || '"', e.type, e.value
  from inside i, json_each(i.value) e where i.type = 'object'
), leaves (memory_id, bank_id, path, value) as (
  select memory_id, bank_id, path, value from inside where type not in ('array', 'object', 'null')
  union all
  select i.memory_id, i.bank_id, i.path, e.atom from inside i, json_each(i.value) e
  where i.type = 'array' and e.atom is not null
)
select bank_id, path, case typeof(value) when 'text' then substr(value, 1, 100) else value end, memory_id from leaves;

-- The others of what filters single out: the memories that have nothing there, where most have something.
create index memories_of_nobody on memories (bank_id) where user = '';
create index memories_of_notes on memories (bank_id) where kind = 'note';
create index memories_untagged on memories (bank_id) where tags = '[]';
create index memories_by_happening on memories (bank_id, happened_at) where happened_at is not null;
create index memories_by_ending on memories (bank_id, happened_until, happened_at) where happened_until is not null;
