-- The conditions a Filter may add to a query on memories m. Each is a fragment; values are always bound.

-- name: filter_ids
m.id in ({list:ids})

-- name: filter_projects
m.project in ({list:projects})

-- name: filter_users
m.user_name in ({list:users})

-- name: filter_agents
m.agent in ({list:agents})

-- name: filter_runs
m.run in ({list:runs})

-- name: filter_kinds
m.kind in ({list:kinds})

-- name: filter_kinds_not
m.kind not in ({list:kinds_not})

-- name: filter_categories
m.category in ({list:categories})

-- Added to a filter that excludes the most frequent value, so that SQLite can use the partial index of the others.
-- name: named_users
m.user_name <> ''

-- name: named_agents
m.agent <> ''

-- name: named_runs
m.run <> ''

-- name: named_categories
m.category <> ''

-- name: named_kinds
m.kind <> 'note'

-- name: filter_key
m.key = :key

-- A prefix matches whole segments: `a` finds `a` and `a.b`, never `ab`. The range needs no wildcard to escape.
-- name: filter_key_prefix
(m.key = :key_prefix or (m.key >= :key_prefix || '.' and m.key < :key_prefix || '/'))

-- name: filter_tags_like
exists (
  select 1 from tags t, ({list:tags_like}) wanted
  where t.memory_id = m.id and instr(fold(t.tag), fold(wanted.value)) > 0
)

-- name: filter_text_contains
(instr(fold(m.text), fold(:text_contains)) > 0 or instr(fold(m.title), fold(:text_contains)) > 0)

-- name: filter_text_pattern
text_contains(:text_pattern, m.text)

-- name: filter_title
m.title = :title

-- name: filter_path
path_matches(m.paths, :path)

-- name: filter_document_id
m.document_id = :document_id

-- name: filter_dialects
exists (select 1 from versions v
        where v.memory_id = m.id and v.number = 1 and v.dialect in ({list:dialects}))

-- The bounds of a page: the first condition finds it in the index of ages, the second cuts it.
-- name: filter_older_than
m.created_at <= json_extract(:older_than, '$[0]')
and (m.created_at < json_extract(:older_than, '$[0]') or m.id < json_extract(:older_than, '$[1]'))

-- name: filter_created_from
m.created_at >= :created_from

-- name: filter_created_before
m.created_at < :created_before

-- name: filter_updated_from
m.updated_at >= :updated_from

-- name: filter_updated_before
m.updated_at < :updated_before

-- An event matches if any part of its time span is inside the range.
-- name: filter_happened_from
coalesce(m.happened_until, m.happened_at) >= :happened_from

-- name: filter_happened_before
m.happened_at < :happened_before

-- name: filter_lasting
(m.expires_at is null) = :lasting

-- name: filter_live
m.forgotten_at is null

-- name: filter_forgotten
m.forgotten_at is not null

-- name: filter_unexpired
(m.expires_at is null or m.expires_at > :now)

-- name: order_id
order by m.id

-- name: order_created
order by m.created_at desc, m.id desc limit :limit offset :offset

-- name: order_updated
order by m.updated_at desc, m.id desc limit :limit offset :offset

-- name: order_happened
order by coalesce(m.happened_at, m.created_at) desc, m.id desc limit :limit offset :offset

-- name: order_key
order by m.key = '', m.key, m.id limit :limit offset :offset

-- The conditions of a Condition tree; each # becomes the condition's place in the tree.

-- name: match_any
(m.tags = '[]' or exists (select 1 from json_each(m.tags) t where t.value in ({list:v#})))

-- name: match_any_strict
exists (select 1 from json_each(m.tags) t where t.value in ({list:v#}))

-- name: match_all
(m.tags = '[]'
 or not exists (select 1 from ({list:v#}) w where w.value not in (select value from json_each(m.tags))))

-- name: match_all_strict
(m.tags <> '[]'
 and not exists (select 1 from ({list:v#}) w where w.value not in (select value from json_each(m.tags))))

-- name: match_exact
(not exists (select 1 from ({list:v#}) w where w.value not in (select value from json_each(m.tags)))
 and not exists (select 1 from json_each(m.tags) t where t.value not in ({list:v#})))

-- The columns of a memory in the form of metadata, so that the same conditions apply to them.
-- name: own_id
json_object('id', m.id)

-- name: own_kind
json_object('kind', m.kind)

-- name: own_category
json_object('category', nullif(m.category, ''))

-- name: own_user
json_object('user', m.user_name)

-- name: own_agent
json_object('agent', nullif(m.agent, ''))

-- name: own_run
json_object('run', nullif(m.run, ''))

-- name: own_text
json_object('text', m.text)

-- name: own_created_at
json_object('created_at', m.created_at)

-- name: own_updated_at
json_object('updated_at', m.updated_at)

-- name: match_null
json_extract(m.metadata, :p#) is null

-- name: match_not_null
json_extract(m.metadata, :p#) is not null

-- Type and value both count: the number 1, the text '1' and true are three things.
-- name: match_eq
(json_type(m.metadata, :p#) in ({list:t#}) and json_extract(m.metadata, :p#) = :v#)

-- name: match_ne
not coalesce(json_type(m.metadata, :p#) in ({list:t#})
  and json_extract(m.metadata, :p#) = :v#, 0)

-- name: match_gt
(json_type(m.metadata, :p#) in ({list:t#}) and json_extract(m.metadata, :p#) > :v#)

-- name: match_gte
(json_type(m.metadata, :p#) in ({list:t#}) and json_extract(m.metadata, :p#) >= :v#)

-- name: match_lt
(json_type(m.metadata, :p#) in ({list:t#}) and json_extract(m.metadata, :p#) < :v#)

-- name: match_lte
(json_type(m.metadata, :p#) in ({list:t#}) and json_extract(m.metadata, :p#) <= :v#)

-- A list in the metadata matches when any of its members does.
-- name: match_in
exists (
  select 1 from json_each(m.metadata, :p#) have, json_each(:v#) wanted
  where have.atom = wanted.atom and (have.type in ('true', 'false')) = (wanted.type in ('true', 'false'))
    and json_type(m.metadata, :p#) <> 'object'
)

-- name: match_nin
not exists (
  select 1 from json_each(m.metadata, :p#) have, json_each(:v#) wanted
  where have.atom = wanted.atom and (have.type in ('true', 'false')) = (wanted.type in ('true', 'false'))
    and json_type(m.metadata, :p#) <> 'object'
)

-- name: match_like
text_like(:v#, json_extract(m.metadata, :p#))

-- name: match_ilike
text_like(fold(:v#), fold(json_extract(m.metadata, :p#)))
