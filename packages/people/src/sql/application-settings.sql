-- name: read-ingest-settings
select id, settings from applications where id = any($1)
