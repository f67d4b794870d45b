-- name: read-now
select now() as now
