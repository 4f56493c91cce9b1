-- name: session_columns
s.id, s.bank_id, s.project, s.user_name as user, s.title, s.client, s.metadata, s.status,
(select coalesce(max(e.number), 0) from events e where e.session_id = s.id) as event_count,
s.started_at, s.active_at, s.ended_at

-- name: find_session
select {session_columns} from sessions s where s.id = :id and s.bank_id = :bank_id;

-- name: session_matches
s.bank_id = :bank_id and (cast(:status as text) is null or s.status = :status)
and (cast(:projects as text) is null or s.project in ({list:projects}))
and (cast(:users as text) is null or s.user_name in ({list:users}))

-- name: list_sessions
select {session_columns} from sessions s where {session_matches}
order by s.started_at desc, s.id desc limit :limit offset :offset;

-- name: count_sessions
select count(*) as count from sessions s where {session_matches};

-- name: add_session
insert into sessions (id, bank_id, project, user_name, title, client, metadata, status, started_at, active_at)
values (:id, :bank_id, :project, :user, :title, :client, :metadata, 'active', :now, :now);

-- The clock may step back; the time of the last activity does not.
-- name: touch_session
update sessions set active_at = max(active_at, :now) where id = :id;

-- name: end_session
update sessions set status = :status, ended_at = :now where id = :id;

-- name: event_columns
e.id, e.session_id, e.number, e.role, e.kind, e.text, e.token_count, e.turn_index, e.meaningful, e.at

-- The number is drawn inside the write transaction, so numbers have no gaps and no two processes draw the same one.
-- name: add_event
insert into events (id, session_id, number, role, kind, text, token_count, turn_index, meaningful, at)
values (:id, :session_id, (select coalesce(max(number), 0) + 1 from events where session_id = :session_id),
  :role, :kind, :text, :token_count, :turn_index, :meaningful, :at);

-- name: find_event
select {event_columns} from events e where e.id = :id;

-- name: list_events
select {event_columns} from events e
where e.session_id = :session_id and e.number > :after and (e.meaningful or not :meaningful_only)
order by e.number limit :limit;

-- name: recent_events
select {event_columns} from events e
where e.session_id = :session_id and (e.meaningful or not :meaningful_only)
order by e.number desc limit :limit;

-- name: snapshot_columns
p.id, p.session_id, p.slug, p.trigger, p.text, p.at

-- name: add_snapshot
insert into snapshots (id, session_id, slug, trigger, text, at)
values (:id, :session_id, :slug, :trigger, :text, :at);

-- name: find_snapshot
select {snapshot_columns} from snapshots p join sessions s on s.id = p.session_id
where p.id = :id and s.bank_id = :bank_id;

-- name: list_snapshots
select {snapshot_columns} from snapshots p where p.session_id = :session_id order by p.at desc, p.id desc limit :limit;
