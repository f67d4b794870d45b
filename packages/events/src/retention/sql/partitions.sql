-- name: make-partitions
select make_partitions($1, $2::interval, $3, coalesce($4, now())) as made

-- name: read-due-partitions-end
select max(ends) as ends from partitions_of($1) where ends <= $2

-- name: drop-partitions
select drop_partitions($1, $2) as dropped
