-- What observations and mental models were made of, and what of it changed since.

-- name: put_ground
insert into derivations (source_id, derived_id, bank_id) values (:source_id, :derived_id, :bank_id) on conflict do nothing;

-- name: drop_holders
delete from derivations where derived_id in ({list:ids});

-- name: drop_grounds
delete from derivations where source_id in ({list:ids});

-- name: holders_of
select distinct d.derived_id as id from ({list:ids}) i cross join derivations d on d.source_id = i.value;

-- name: grounds_of
select distinct d.source_id as id from ({list:ids}) i cross join derivations d on d.derived_id = i.value;

-- A memory on which nothing rests has nothing to settle.
-- name: unsettle
insert into stale_derivations (source_id, bank_id)
select :memory_id, :bank_id where exists (select 1 from derivations d where d.source_id = :memory_id)
on conflict do nothing;

-- name: unsettle_again
insert into stale_derivations (source_id, bank_id) values (:memory_id, :bank_id) on conflict do nothing;

-- name: unsettled_ids
select source_id as id from stale_derivations where bank_id = :bank_id order by source_id limit :limit;

-- name: unsettled_banks
select b.name from (select distinct bank_id from stale_derivations) u join banks b on b.id = u.bank_id order by b.name;

-- name: something_waits
select 1 from banks b where b.name = :bank and (
  exists (select 1 from stale_derivations u where u.bank_id = b.id)
  or exists (select 1 from refresh_schedule t where t.bank_id = b.id and t.next_at <= :now));

-- name: count_unsettled
select count(*) as count from stale_derivations where bank_id = :bank_id;

-- name: drop_unsettled
delete from stale_derivations where source_id in ({list:ids});

-- name: wipe_grounds
delete from derivations;

-- name: ground_observations
insert or ignore into derivations (source_id, derived_id, bank_id)
select s.value, m.id, m.bank_id
from memories m join versions v on v.memory_id = m.id, json_each(v.metadata, '$.fact.sources') s
where m.kind = 'observation' and s.type = 'integer';

-- name: ground_models
insert or ignore into derivations (source_id, derived_id, bank_id)
select s.value, t.id, t.bank_id from bank_items t, json_each(t.body, '$.sources') s
where t.kind = 'mental_model' and s.type = 'integer';

-- name: ground_earlier_models
insert or ignore into derivations (source_id, derived_id, bank_id)
select s.value, t.id, t.bank_id from bank_items t, json_each(t.body, '$.history') h, json_each(h.value, '$.sources') s
where t.kind = 'mental_model' and s.type = 'integer';

-- What changed since a moment, told apart within it by the ids, which grow with every version.
-- name: newest_change
select m.updated_at, m.version_id from memories m indexed by memories_by_change
where m.bank_id = :bank_id and m.updated_at >= :at and m.version_id > :seen_id

-- name: order_change
order by m.updated_at desc, m.version_id desc limit 1
