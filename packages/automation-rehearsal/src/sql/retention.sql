-- name: delete-old-rehearsals
-- $1 days, $2 limit
with old as materialized (
  select r.id
  from rehearsals r
  where r.created_at < now() - $1 * interval '1 day' and r.status <> 'running'
  order by r.created_at
  limit $2
  for update skip locked
),
traces as (
  delete from rehearsal_traces t using old where t.rehearsal_id = old.id
)
delete from rehearsals r using old where r.id = old.id
