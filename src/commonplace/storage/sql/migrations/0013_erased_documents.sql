-- Erasing a memory asks which others a document still carries, in their present state or an earlier one.
create index versions_by_document on versions (document_id, memory_id) where document_id is not null;
