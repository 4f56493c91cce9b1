-- What observations and mental models were made of, and what of it changed since.

-- name: put_ground
insert into grounds (memory_id, holder_id, bank_id) values (:memory_id, :holder_id, :bank_id) on conflict do nothing;

-- name: drop_holders
delete from grounds where holder_id in (select value from json_each(:ids));

-- name: drop_grounds
delete from grounds where memory_id in (select value from json_each(:ids));

-- name: holders_of
select distinct g.holder_id as id from json_each(:ids) i cross join grounds g on g.memory_id = i.value;

-- name: grounds_of
select distinct g.memory_id as id from json_each(:ids) i cross join grounds g on g.holder_id = i.value;

-- A memory on which nothing rests has nothing to settle.
-- name: unsettle
insert into unsettled (memory_id, bank_id)
select :memory_id, :bank_id where exists (select 1 from grounds g where g.memory_id = :memory_id)
on conflict do nothing;

-- name: unsettle_again
insert into unsettled (memory_id, bank_id) values (:memory_id, :bank_id) on conflict do nothing;

-- name: unsettled_ids
select memory_id as id from unsettled where bank_id = :bank_id order by memory_id limit :limit;

-- name: unsettled_banks
select b.name from (select distinct bank_id from unsettled) u join banks b on b.id = u.bank_id order by b.name;

-- name: something_waits
select 1 from banks b where b.name = :bank and (
  exists (select 1 from unsettled u where u.bank_id = b.id)
  or exists (select 1 from turns t where t.bank_id = b.id and t.next_at <= :now));

-- name: count_unsettled
select count(*) as count from unsettled where bank_id = :bank_id;

-- name: drop_unsettled
delete from unsettled where memory_id in (select value from json_each(:ids));

-- name: wipe_grounds
delete from grounds;

-- name: ground_observations
insert or ignore into grounds (memory_id, holder_id, bank_id)
select s.value, m.id, m.bank_id
from memories m join versions v on v.memory_id = m.id, json_each(v.metadata, '$.fact.sources') s
where m.kind = 'observation' and s.type = 'integer';

-- name: ground_models
insert or ignore into grounds (memory_id, holder_id, bank_id)
select s.value, t.id, t.bank_id from standings t, json_each(t.body, '$.sources') s
where t.kind = 'mental_model' and s.type = 'integer';

-- name: ground_earlier_models
insert or ignore into grounds (memory_id, holder_id, bank_id)
select s.value, t.id, t.bank_id from standings t, json_each(t.body, '$.history') h, json_each(h.value, '$.sources') s
where t.kind = 'mental_model' and s.type = 'integer';

-- What changed since a moment, told apart within it by the ids, which grow with every version.
-- name: newest_change
select m.updated_at, m.version_id from memories m indexed by memories_by_change
where m.bank_id = :bank_id and m.updated_at >= :at and m.version_id > :seen_id

-- name: order_change
order by m.updated_at desc, m.version_id desc limit 1
