-- Files of other programs. The name of the table to read replaces main.sqlite_schema.

-- name: foreign_columns
select t.name as table_name, c.name as column_name
from sqlite_schema t join pragma_table_info(t.name) c
where t.type = 'table' and t.sql not like 'create virtual%' order by t.name, c.cid;

-- name: foreign_numbers
select rowid from main.sqlite_schema order by rowid;

-- name: foreign_row
select * from main.sqlite_schema where rowid = :number;
