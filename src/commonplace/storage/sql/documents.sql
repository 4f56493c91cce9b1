-- name: document_columns
d.id, d.bank_id, d.name, d.title, d.text_chars, d.sha256, d.tags, d.metadata,
(select count(*) from memories m where m.document_id = d.id and m.forgotten_at is null) as memory_count,
d.created_at, d.updated_at

-- name: find_document
select {document_columns}, d.text from documents d where d.bank_id = :bank_id and d.name = :name;

-- name: find_document_by_id
select {document_columns}, d.text from documents d where d.id = :id;

-- The metadata of a document names its user, if it has one.
-- name: document_matches
d.bank_id = :bank_id
and (cast(:user as text) is null or coalesce(json_extract(d.metadata, '$.user'), '') = :user)
and (cast(:words as text) is null or instr(fold(d.name), fold(:words)) > 0 or instr(fold(d.title), fold(:words)) > 0
  or instr(fold(d.text), fold(:words)) > 0)

-- Lists leave the texts out, because a page of them could be a gigabyte.
-- name: list_documents
select {document_columns}, '' as text from documents d where {document_matches}
order by d.updated_at desc, d.id desc limit :limit offset :offset;

-- name: count_documents
select count(*) as count from documents d where {document_matches};

-- name: document_names
select d.id, d.name from documents d
where d.bank_id = :bank_id and d.id in ({list:ids}) limit :limit;

-- name: add_document
insert into documents (id, bank_id, name, title, text, sha256, tags, metadata, created_at, updated_at)
values (:id, :bank_id, :name, :title, :text, :sha256, :tags, :metadata, :created_at, :updated_at);

-- name: update_document
update documents set title = :title, text = :text, sha256 = :sha256, tags = :tags, metadata = :metadata,
  updated_at = :updated_at
where id = :id;

-- name: delete_document
delete from documents where id = :id;
