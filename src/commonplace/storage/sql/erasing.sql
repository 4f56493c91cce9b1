-- What an erasure looks for besides the memories themselves.

-- name: versions_of_memories
select v.memory_id, v.number, v.document_id, v.text, v.title, v.metadata
from json_each(:ids) i cross join versions v on v.memory_id = i.value order by v.memory_id, v.number;

-- name: memories_of_document
select distinct v.memory_id as id from versions v where v.document_id = :id;

-- A document that a memory still refers to goes with the last of them.
-- name: delete_empty_documents
delete from documents where id in (select value from json_each(:ids))
  and not exists (select 1 from memories m where m.document_id = documents.id);

-- Results tell keys and ids of what was written; a finished job needs them no more.
-- name: blank_job_results
update jobs set result = 'null', error = ''
where bank_id = :bank_id and state in ('completed', 'failed', 'cancelled') and (result <> 'null' or error <> '');

-- name: delete_jobs_of_documents
delete from jobs where bank_id = :bank_id and state in ('completed', 'failed', 'cancelled')
  and json_extract(payload, '$.document') in (select value from json_each(:names));

-- The hash of what was said with a key tells short texts by trying.
-- name: blank_reply_hashes
update replies set content_hash = '' where bank_id = :bank_id and json_type(reply) = 'integer'
  and cast(reply as integer) in (select value from json_each(:ids));
