-- The values that a filter can choose, found by skipping from one to the next in an index: as fast
-- in a bank of a million memories as in one of ten. Forgotten memories count too.

-- name: facet_projects
with recursive found (value) as (
  select min(project) from memories where bank_id = :bank_id and project > ''
  union all
  select (select min(m.project) from memories m where m.bank_id = :bank_id and m.project > found.value)
  from found where found.value is not null
)
select value from found where value is not null limit :limit;

-- name: facet_users
with recursive found (value) as (
  select min(user_name) from memories where bank_id = :bank_id and user_name <> ''
  union all
  select (select min(m.user_name) from memories m
          where m.bank_id = :bank_id and m.user_name <> '' and m.user_name > found.value)
  from found where found.value is not null
)
select value from found where value is not null limit :limit;

-- name: facet_agents
with recursive found (value) as (
  select min(agent) from memories where bank_id = :bank_id and agent <> ''
  union all
  select (select min(m.agent) from memories m
          where m.bank_id = :bank_id and m.agent <> '' and m.agent > found.value)
  from found where found.value is not null
)
select value from found where value is not null limit :limit;

-- name: facet_kinds
with recursive found (value) as (
  select min(kind) from memories where bank_id = :bank_id and kind <> 'note'
  union all
  select (select min(m.kind) from memories m
          where m.bank_id = :bank_id and m.kind <> 'note' and m.kind > found.value)
  from found where found.value is not null
)
select value from found where value is not null
union all
select 'note' where exists (select 1 from memories where bank_id = :bank_id and kind = 'note')
limit :limit;

-- name: facet_tags
with recursive found (value) as (
  select min(tag) from tags where bank_id = :bank_id
  union all
  select (select min(t.tag) from tags t where t.bank_id = :bank_id and t.tag > found.value)
  from found where found.value is not null
)
select value from found where value is not null limit :limit;
