-- name: delete-old-runs
-- A run that is tried again meanwhile has no end. One with a timer may still reach its goal, and an
-- engine may have it. $1 days, $2 limit
with old as materialized (
  select r.id
  from automation_runs r
  where r.ended_at < now() - $1 * interval '1 day'
    and not exists (select from automation_timers t where t.run_id = r.id)
  order by r.ended_at
  limit $2
  for update skip locked
),
trace as (
  delete from automation_trace l using old where l.run_id = old.id
)
delete from automation_runs r using old where r.id = old.id

-- name: delete-old-triggers
-- $1 days, $2 limit
delete from automation_triggers t
where t.ctid = any (
  array (
    select o.ctid
    from automation_triggers o
    where o.at < now() - $1 * interval '1 day'
    order by o.at
    limit $2
    for update skip locked
  )
)
