-- name: job_columns
j.id, j.bank_id, b.name as bank, j.kind, j.payload, j.state, j.done_count, j.total_count, j.stage, j.attempt_count,
j.attempts_max, j.run_at, j.leased_until, j.worker, j.cancel_asked, j.error, j.result, j.created_at, j.updated_at,
j.finished_at

-- name: find_job
select {job_columns} from jobs j join banks b on b.id = j.bank_id where j.id = :id;

-- name: job_matches
j.bank_id = :bank_id and (cast(:state as text) is null or j.state = :state)
and (cast(:kind as text) is null or j.kind = :kind)

-- name: list_jobs
select {job_columns} from jobs j join banks b on b.id = j.bank_id where {job_matches}
order by j.created_at desc, j.id desc limit :limit offset :offset;

-- name: count_jobs
select count(*) as count from jobs j where {job_matches};

-- name: add_job
insert into jobs (id, bank_id, kind, payload, state, attempts_max, run_at, created_at, updated_at)
values (:id, :bank_id, :kind, :payload, 'pending', :attempts_max, :run_at, :now, :now);

-- The first condition repeats the index's own, word for word, or SQLite does not use it.
-- A worker claims only jobs of the kinds it can run; others wait for another process.
-- name: job_is_due
j.state in ('pending', 'running') and j.run_at <= :now and (j.state = 'pending' or j.leased_until <= :now)
and j.kind in ({list:kinds})

-- name: next_job
select j.id from jobs j where {job_is_due} order by j.run_at, j.id limit 1;

-- An expired lease means that its worker died. The number of attempts is limited, because the job itself may kill its worker.
-- name: fail_spent_jobs
update jobs set state = 'failed', error = :error, leased_until = null, updated_at = :now, finished_at = :now
where state in ('pending', 'running') and state = 'running' and run_at <= :now and leased_until <= :now
  and attempt_count >= attempts_max;

-- name: claim_job
update jobs set state = 'running', worker = :worker, leased_until = :leased_until, attempt_count = attempt_count + 1,
  done_count = 0, total_count = null, stage = '', updated_at = :now
where id = :id;

-- The worker and the attempt prove that the lease is held: without it no row changes.
-- name: job_is_held
id = :id and state = 'running' and worker = :worker and attempt_count = :attempt_count

-- name: progress_job
update jobs set done_count = :done_count, total_count = :total_count, stage = :stage, leased_until = :leased_until,
  updated_at = :now
where {job_is_held};

-- name: finish_job
update jobs set state = 'completed', result = :result, error = '', leased_until = null, updated_at = :now,
  finished_at = :now
where {job_is_held};

-- name: fail_job
update jobs set state = 'failed', error = :error, leased_until = null, updated_at = :now, finished_at = :now
where {job_is_held};

-- name: postpone_job
update jobs set state = 'pending', error = :error, run_at = :run_at, leased_until = null, updated_at = :now
where {job_is_held};

-- A worker that stops releases its job as if it had never claimed it.
-- name: release_job
update jobs set state = 'pending', attempt_count = attempt_count - 1, leased_until = null, updated_at = :now
where {job_is_held};

-- A running job loses its lease, so that its worker cannot store a result any more.
-- name: cancel_job
update jobs set state = 'cancelled', cancel_asked = 1, leased_until = null, updated_at = :now, finished_at = :now
where id = :id and state in ('pending', 'running');

-- name: retry_job
update jobs set state = 'pending', attempt_count = 0, run_at = :now, cancel_asked = 0, error = '', done_count = 0,
  total_count = null, stage = '', updated_at = :now, finished_at = null
where id = :id and state in ('failed', 'cancelled');

-- name: delete_finished_jobs
delete from jobs where id in (
  select j.id from jobs j where j.bank_id = :bank_id and j.finished_at < :before order by j.id limit :limit);

-- name: conclude_job
update jobs set state = 'completed', result = :result, updated_at = :now, finished_at = :now
where id = :id and state = 'pending';

-- name: count_bank_jobs
select state, count(*) as count from jobs where bank_id = :bank_id group by state order by state;
