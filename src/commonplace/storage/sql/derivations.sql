-- The sources of observations and mental models, and which of them changed since.

-- name: put_derivation
insert into derivations (source_id, derived_id, bank_id) values (:source_id, :derived_id, :bank_id) on conflict do nothing;

-- name: drop_derivations_by_derived
delete from derivations where derived_id in ({list:ids});

-- name: drop_derivations_by_source
delete from derivations where source_id in ({list:ids});

-- name: derived_ids
select distinct d.derived_id as id from ({list:ids}) i cross join derivations d on d.source_id = i.value;

-- name: source_ids
select distinct d.source_id as id from ({list:ids}) i cross join derivations d on d.derived_id = i.value;

-- Only for memories from which something is derived.
-- name: mark_source_changed
insert into stale_derivations (source_id, bank_id)
select :memory_id, :bank_id where exists (select 1 from derivations d where d.source_id = :memory_id)
on conflict do nothing;

-- name: mark_source_changed_again
insert into stale_derivations (source_id, bank_id) values (:memory_id, :bank_id) on conflict do nothing;

-- name: changed_source_ids
select source_id as id from stale_derivations where bank_id = :bank_id order by source_id limit :limit;

-- name: banks_with_stale_derivations
select b.name from (select distinct bank_id from stale_derivations) u join banks b on b.id = u.bank_id order by b.name;

-- name: something_waits
select 1 from banks b where b.name = :bank and (
  exists (select 1 from stale_derivations u where u.bank_id = b.id)
  or exists (select 1 from refresh_schedule t where t.bank_id = b.id and t.next_at <= :now));

-- name: count_stale_derivations
select count(*) as count from stale_derivations where bank_id = :bank_id;

-- name: drop_stale_derivations
delete from stale_derivations where source_id in ({list:ids});

-- name: wipe_derivations
delete from derivations;

-- name: rebuild_derivations_of_observations
insert or ignore into derivations (source_id, derived_id, bank_id)
select s.value, m.id, m.bank_id
from memories m join versions v on v.memory_id = m.id, json_each(v.metadata, '$.fact.sources') s
where m.kind = 'observation' and s.type = 'integer';

-- name: rebuild_derivations_of_models
insert or ignore into derivations (source_id, derived_id, bank_id)
select s.value, t.id, t.bank_id from bank_items t, json_each(t.body, '$.sources') s
where t.kind = 'mental_model' and s.type = 'integer';

-- name: rebuild_derivations_of_earlier_models
insert or ignore into derivations (source_id, derived_id, bank_id)
select s.value, t.id, t.bank_id from bank_items t, json_each(t.body, '$.history') h, json_each(h.value, '$.sources') s
where t.kind = 'mental_model' and s.type = 'integer';

-- The newest change since a moment. Version ids grow, so they order the changes of one millisecond.
-- name: newest_change
select m.updated_at, m.version_id from memories m indexed by memories_by_change
where m.bank_id = :bank_id and m.updated_at >= :at and m.version_id > :seen_id

-- name: order_change
order by m.updated_at desc, m.version_id desc limit 1
