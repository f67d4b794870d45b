-- name: lock-definitions
select 1 from applications where id = $1 for no key update
