-- The schema in its final words. Tables, columns and indexes get other names; every row stays as it is.
alter table facts rename to store_info;

-- `user` is a reserved word of other databases.
alter table memories rename column user to user_name;
alter table sessions rename column user to user_name;
alter table reminders rename column user to user_name;
drop index memories_of_nobody;
create index memories_without_user on memories (bank_id) where user_name = '';
drop index memories_of_notes;
create index memories_of_kind_note on memories (bank_id) where kind = 'note';

alter table replies rename to idempotency_keys;
alter table idempotency_keys rename column reply to result;

alter table standings rename to bank_items;

alter table fields rename to metadata_index;
drop index fields_by_memory;
create index metadata_index_by_memory on metadata_index (memory_id);

alter table texts rename to text_index;

alter table stale rename to embedding_queue;
drop index stale_by_bank;
create index embedding_queue_by_bank on embedding_queue (bank_id);

alter table grounds rename to derivations;
alter table derivations rename column memory_id to source_id;
alter table derivations rename column holder_id to derived_id;
drop index grounds_by_holder;
drop index grounds_by_bank;
create index derivations_by_derived on derivations (derived_id);
create index derivations_by_bank on derivations (bank_id);

alter table unsettled rename to stale_derivations;
alter table stale_derivations rename column memory_id to source_id;
drop index unsettled_by_bank;
create index stale_derivations_by_bank on stale_derivations (bank_id);

alter table turns rename to refresh_schedule;
alter table refresh_schedule rename column standing_id to item_id;
alter table refresh_schedule rename column follows to after_consolidation;
drop index turns_by_time;
drop index turns_by_bank;
create index refresh_schedule_by_time on refresh_schedule (next_at) where next_at is not null;
create index refresh_schedule_by_bank on refresh_schedule (bank_id);

drop index reminders_by_turn;
create index reminders_by_next_at on reminders (bank_id, next_at) where enabled = 1;
drop index jobs_by_turn;
create index jobs_by_run_at on jobs (run_at, id) where state in ('pending', 'running');

alter table vaults rename column mark to marker;
alter table vaults rename column place to path_digest;
