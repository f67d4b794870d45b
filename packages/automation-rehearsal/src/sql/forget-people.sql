-- name: delete-traces-of-people
delete from rehearsal_traces t where t.user_id = any($1::uuid[])
