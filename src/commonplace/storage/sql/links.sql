-- Links between memories. Derived: every row can be made again from the memories and their versions.

-- name: put_link
insert into links (id, bank_id, kind, from_id, to_id, confidence, reason, at)
values (:id, :bank_id, :kind, :from_id, :to_id, :confidence, :reason, :at)
on conflict (kind, from_id, to_id) do update set confidence = excluded.confidence, reason = excluded.reason;

-- The links of a changed memory are made again, except those to memories that it superseded.
-- name: drop_live_links
delete from links where id in (
  select l.id from links l join memories m on m.id = l.to_id
  where l.from_id = :id and m.forgotten_at is null and l.kind in ({list:kinds})
  union all
  select l.id from links l join memories m on m.id = l.from_id
  where l.to_id = :id and m.forgotten_at is null and l.kind in ({list:kinds})
);

-- Not `or`: each half has an index of its own.
-- name: links_of
select l.kind, l.from_id, l.to_id, l.confidence, l.reason from ({list:ids}) i join links l on l.from_id = i.value
where l.bank_id = :bank_id and l.kind in ({list:kinds})
union
select l.kind, l.from_id, l.to_id, l.confidence, l.reason from ({list:ids}) i join links l on l.to_id = i.value
where l.bank_id = :bank_id and l.kind in ({list:kinds})
order by 4 desc, 2, 3, 1 limit :limit;

-- One query, because every recall makes it. The last row, without a kind, is there while links are still to be made.
-- name: replacements_of
select l.kind, l.from_id, l.to_id, l.confidence, l.reason
from ({list:ids}) i join links l on l.to_id = i.value
  join memories o on o.id = l.to_id join memories n on n.id = l.from_id
where l.bank_id = :bank_id and l.kind in ('supersedes', 'contradicts') and l.confidence >= :min_confidence
  and n.forgotten_at is null and (n.expires_at is null or n.expires_at > :now)
  and n.kind <> 'observation' and o.kind <> 'observation'
  and n.user_name = o.user_name and n.project in (o.project, '') and n.agent in (o.agent, '')
union all
select '', 0, 0, 0, '' where exists (
  select 1 from memories m where m.bank_id = :bank_id and (m.updated_at, m.id) > (
    coalesce((select cast(substr(value, 1, instr(value, '/') - 1) as integer) from store_info where name = :mark), 0),
    coalesce((select cast(substr(value, instr(value, '/') + 1) as integer) from store_info where name = :mark), 0)
  )
);

-- In the order of an index, so that changes in other banks do not slow this one.
-- name: changed_since
select {memory_columns}, v.reason from memories m join versions v on v.id = m.version_id
where m.bank_id = :bank_id and (m.updated_at, m.id) > (:at, :id) order by m.updated_at, m.id limit :limit;

-- Only live memories can contradict each other. In the order of the newest links.
-- name: links_between_live
select l.kind, l.from_id, l.to_id, l.confidence, l.reason from links l
join memories a on a.id = l.from_id join memories b on b.id = l.to_id
where l.bank_id = :bank_id and l.kind = :kind and a.forgotten_at is null and b.forgotten_at is null
order by l.id desc limit :limit;
