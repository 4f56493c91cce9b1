-- Index lookups for filters: each finds all memories that match one part of a filter, and perhaps others. Each $ becomes
-- the number of the part, so that every part has its own bound values.

-- name: way_ids
select value as id from json_each(:v$)

-- name: way_bank
select id from memories indexed by memories_by_age where bank_id = :bank_id

-- name: way_projects
select id from memories indexed by memories_by_project
where bank_id = :bank_id and project in ({list:v$})

-- name: way_users
select id from memories indexed by memories_by_user
where bank_id = :bank_id and user_name <> '' and user_name in ({list:v$})

-- name: way_usual_users
select id from memories indexed by memories_without_user where bank_id = :bank_id and user_name = ''

-- name: way_agents
select id from memories indexed by memories_by_agent
where bank_id = :bank_id and agent <> '' and agent in ({list:v$})

-- name: way_runs
select id from memories indexed by memories_by_run
where bank_id = :bank_id and run <> '' and run in ({list:v$})

-- name: way_categories
select id from memories indexed by memories_by_category
where bank_id = :bank_id and category <> '' and category in ({list:v$})

-- name: way_kinds
select id from memories indexed by memories_by_kind
where bank_id = :bank_id and kind <> 'note' and kind in ({list:v$})

-- name: way_usual_kinds
select id from memories indexed by memories_of_kind_note where bank_id = :bank_id and kind = 'note'

-- name: way_document
select id from memories indexed by memories_by_document where document_id = :v$

-- name: way_created
select id from memories indexed by memories_by_age
where bank_id = :bank_id and created_at >= :l$ and created_at <= :h$

-- name: way_updated
select id from memories indexed by memories_by_change
where bank_id = :bank_id and updated_at >= :l$ and updated_at <= :h$

-- Events that begin in a time span, and events that began before it and end in it or later.
-- name: way_happened
select id from memories indexed by memories_by_happening
where bank_id = :bank_id and happened_at >= :l$ and happened_at <= :h$
union all
select id from memories indexed by memories_by_ending
where bank_id = :bank_id and happened_until >= :l$ and happened_at < :l$

-- Forgotten memories have no indexed tags, so this finds live memories only.
-- name: way_tags
select memory_id as id from tags where bank_id = :bank_id and tag in ({list:v$})

-- name: way_untagged
select id from memories indexed by memories_untagged where bank_id = :bank_id and tags = '[]'

-- name: way_field
select memory_id as id from metadata_index where bank_id = :bank_id and path = :p$

-- The index has only the beginnings of long texts, so they are looked up by their beginnings.
-- name: way_field_values
select memory_id as id from metadata_index where bank_id = :bank_id and path = :p$
  and value in (select case type when 'text' then substr(atom, 1, 100) else atom end from json_each(:v$))

-- name: way_field_span
select memory_id as id from metadata_index where bank_id = :bank_id and path = :p$
  and value >= case typeof(:l$) when 'text' then substr(:l$, 1, 100) else :l$ end
  and value <= case typeof(:h$) when 'text' then substr(:h$, 1, 100) else :h$ end

-- Queries that follow a lookup with the name `way`.
-- name: count_way
, some as (select 1 from way limit :most) select count(*) as count from some

-- name: found_on_way
, found as (select distinct id from way) select group_concat(id, ' ') as ids from found
