-- name: reminder_columns
r.id, r.bank_id, r.project, r.user_name as user, r.cron, r.timezone, r.message, r.enabled, r.next_at, r.last_at, r.created_at

-- name: find_reminder
select {reminder_columns} from reminders r where r.id = :id and r.bank_id = :bank_id;

-- name: reminder_matches
r.bank_id = :bank_id
and (cast(:projects as text) is null or r.project in ({list:projects}))
and (cast(:users as text) is null or r.user_name in ({list:users}))

-- name: list_reminders
select {reminder_columns} from reminders r where {reminder_matches} and (r.enabled or :include_disabled)
order by r.enabled desc, r.next_at, r.id limit :limit;

-- name: due_reminders
select {reminder_columns} from reminders r where {reminder_matches} and r.enabled = 1 and r.next_at <= :now
order by r.next_at, r.id limit :limit;

-- name: add_reminder
insert into reminders (id, bank_id, project, user_name, cron, timezone, message, enabled, next_at, created_at)
values (:id, :bank_id, :project, :user, :cron, :timezone, :message, 1, :next_at, :created_at);

-- name: schedule_reminder
update reminders set enabled = :enabled, next_at = :next_at, last_at = :last_at where id = :id;

-- name: delete_reminder
delete from reminders where id = :id;
