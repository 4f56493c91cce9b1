-- name: standing_columns
s.id, s.bank_id, s.kind, s.name, s.tags, s.body, s.created_at, s.updated_at

-- name: find_standing
select {standing_columns} from standings s where s.bank_id = :bank_id and s.kind = :kind and s.name = :name;

-- name: list_standings
select {standing_columns} from standings s where s.bank_id = :bank_id and s.kind = :kind
order by s.created_at desc, s.id desc limit :limit;

-- name: put_standing
insert into standings (id, bank_id, kind, name, tags, body, created_at, updated_at)
values (:id, :bank_id, :kind, :name, :tags, :body, :created_at, :updated_at)
on conflict (id) do update set tags = excluded.tags, body = excluded.body, updated_at = excluded.updated_at;

-- name: delete_standing
delete from standings where id = :id;
