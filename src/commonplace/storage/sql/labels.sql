-- Labels: the tags of a memory, and its project and agent in the form of tags.

-- name: labels
(select value from json_each(m.tags) union all select 'project:' || m.project where m.project <> ''
  union all select 'agent:' || m.agent where m.agent <> '')

-- name: unlabelled
(m.tags = '[]' and m.project = '' and m.agent = '')

-- name: label_any
({unlabelled} or {label_any_strict})

-- name: label_any_strict
exists (select 1 from {labels} t where t.value in ({list:v#}))

-- name: label_all
({unlabelled} or {label_all_strict})

-- name: label_all_strict
(not {unlabelled} and not exists (select 1 from ({list:v#}) w where w.value not in (select value from {labels})))

-- name: label_exact
(not exists (select 1 from ({list:v#}) w where w.value not in (select value from {labels}))
 and not exists (select 1 from {labels} t where t.value not in ({list:v#})))

-- name: labelled
m.bank_id = :bank_id and m.forgotten_at is null and (m.expires_at is null or m.expires_at > :now)
and (cast(:user as text) is null or m.user_name = :user)

-- The projects and agents of live memories in the form of tags.
-- name: list_labels
select 'project:' || m.project as tag, count(*) as count from memories m where {labelled} and m.project <> ''
group by m.project
union all
select 'agent:' || m.agent, count(*) from memories m where {labelled} and m.agent <> '' group by m.agent
order by 2 desc, 1 limit :limit;
