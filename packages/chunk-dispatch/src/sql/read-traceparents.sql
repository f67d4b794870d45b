-- name: read-traceparents
select id, traceparent from campaigns where id = any($1) and traceparent is not null
