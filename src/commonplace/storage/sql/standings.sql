-- name: standing_columns
s.id, s.bank_id, s.kind, s.name, s.tags, s.body, s.created_at, s.updated_at

-- name: find_standing
select {standing_columns} from standings s where s.bank_id = :bank_id and s.kind = :kind and s.name = :name;

-- name: standing_by_id
select {standing_columns} from standings s where s.id = :id;

-- name: list_standings
select {standing_columns} from standings s where s.bank_id = :bank_id and s.kind = :kind
order by s.created_at desc, s.id desc limit :limit;

-- name: standings_of_bank
select {standing_columns} from standings s where s.bank_id = :bank_id order by s.id;

-- name: put_standing
insert into standings (id, bank_id, kind, name, tags, body, created_at, updated_at)
values (:id, :bank_id, :kind, :name, :tags, :body, :created_at, :updated_at)
on conflict (id) do update set tags = excluded.tags, body = excluded.body, updated_at = excluded.updated_at;

-- name: delete_standing
delete from standings where id = :id;

-- name: put_turn
insert into turns (standing_id, bank_id, next_at, follows) values (:standing_id, :bank_id, :next_at, :follows)
on conflict (standing_id) do update set next_at = excluded.next_at, follows = excluded.follows;

-- An earlier turn stays.
-- name: hasten_turn
insert into turns (standing_id, bank_id, next_at, follows) values (:standing_id, :bank_id, :next_at, 0)
on conflict (standing_id) do update set next_at = min(ifnull(next_at, excluded.next_at), excluded.next_at);

-- name: drop_turn
delete from turns where standing_id = :standing_id;

-- name: due_turns
select t.standing_id, b.name as bank from turns t join banks b on b.id = t.bank_id
where t.next_at is not null and t.next_at <= :now and (cast(:bank_id as integer) is null or t.bank_id = :bank_id)
order by t.next_at, t.standing_id limit :limit;

-- name: take_turn
update turns set next_at = null where standing_id = :standing_id and next_at <= :now;

-- name: following_turns
select standing_id from turns where bank_id = :bank_id and follows = 1;

-- name: turnless_models
select s.id from standings s
where s.kind = 'mental_model' and s.id not in (select standing_id from turns);
