-- name: bank_item_columns
s.id, s.bank_id, s.kind, s.name, s.tags, s.body, s.created_at, s.updated_at

-- name: find_bank_item
select {bank_item_columns} from bank_items s where s.bank_id = :bank_id and s.kind = :kind and s.name = :name;

-- name: find_bank_item_by_id
select {bank_item_columns} from bank_items s where s.id = :id;

-- name: list_bank_items
select {bank_item_columns} from bank_items s where s.bank_id = :bank_id and s.kind = :kind
order by s.created_at desc, s.id desc limit :limit;

-- name: all_bank_items
select {bank_item_columns} from bank_items s where s.bank_id = :bank_id order by s.id;

-- name: put_bank_item
insert into bank_items (id, bank_id, kind, name, tags, body, created_at, updated_at)
values (:id, :bank_id, :kind, :name, :tags, :body, :created_at, :updated_at)
on conflict (id) do update set tags = excluded.tags, body = excluded.body, updated_at = excluded.updated_at;

-- name: delete_bank_item
delete from bank_items where id = :id;

-- name: put_refresh
insert into refresh_schedule (item_id, bank_id, next_at, after_consolidation) values (:item_id, :bank_id, :next_at, :follows)
on conflict (item_id) do update set next_at = excluded.next_at, after_consolidation = excluded.after_consolidation;

-- An earlier refresh stays.
-- name: hasten_refresh
insert into refresh_schedule (item_id, bank_id, next_at, after_consolidation) values (:item_id, :bank_id, :next_at, 0)
on conflict (item_id) do update set next_at = min(ifnull(next_at, excluded.next_at), excluded.next_at);

-- name: drop_refresh
delete from refresh_schedule where item_id = :item_id;

-- name: due_refreshes
select t.item_id, b.name as bank from refresh_schedule t join banks b on b.id = t.bank_id
where t.next_at is not null and t.next_at <= :now and (cast(:bank_id as integer) is null or t.bank_id = :bank_id)
order by t.next_at, t.item_id limit :limit;

-- name: claim_refresh
update refresh_schedule set next_at = null where item_id = :item_id and next_at <= :now;

-- name: refreshed_after_consolidation
select item_id from refresh_schedule where bank_id = :bank_id and after_consolidation = 1;

-- name: models_without_refresh
select s.id from bank_items s
where s.kind = 'mental_model' and s.id not in (select item_id from refresh_schedule);
