select sum(pg_table_size(name::regclass))::float8 as bytes from unnest($1::text[]) as name
