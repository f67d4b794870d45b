-- part: run-columns(r)
r.id, r.application_id, r.automation_id, r.version, r.user_id, u.custom_user_id, r.shard, r.node,
  -- include: milliseconds(r.waits_until) as waits_until,
  -- include: milliseconds(r.entered_at) as entered_at,
  r.trigger_request, r.trigger_index,
  -- include: milliseconds(r.trigger_received_at) as trigger_received_at,
  r.trigger_time::text as trigger_time, r.trigger_message, r.data::text as data,
  -- include: milliseconds(r.settles_until) as settles_until,
  (
    r.settles_until is null
    or exists (
      select
      from ingest_requests i
      where i.request_id = r.trigger_request
        and i.received_at = r.trigger_received_at
        and i.taken_by_users
    )
  ) as is_settled,
  r.skips_sends, r.end_requested, r.failures,
  -- include: milliseconds(r.last_sent_at) as last_sent_at,
  r.lines, r.status,
  -- include: milliseconds(r.ended_at) as ended_at,
  -- include: milliseconds(r.goal_until) as goal_until

-- part: milliseconds(at)
floor(extract(epoch from at) * 1000)::float8

-- name: read-runs
select -- include: run-columns(r)
from automation_runs r join users u on u.id = r.user_id
where r.id = any($1::uuid[])

-- name: read-due-timers
-- Of a shard, the oldest of each application that has some, so that none waits behind another's.
-- Applications are looked through only if more is due than one of them may have beside others. One
-- that has all timers of the shard has all of the step.
-- $1 shard, $2 of an application, $3 in all
with recursive oldest as materialized (
  select t.run_id, t.due_at
  from automation_timers t
  where t.shard = $1 and not t.is_parked and t.due_at <= now()
  order by t.due_at
  limit $2::int + 1
),
application as (
  (
    select t.application_id
    from automation_timers t
    where t.shard = $1 and not t.is_parked and (select count(*) from oldest) > $2::int
    order by t.application_id
    limit 1
  )
  union all
  select (
      select t.application_id
      from automation_timers t
      where t.shard = $1 and not t.is_parked and t.application_id > a.application_id
      order by t.application_id
      limit 1
    )
  from application a
  where a.application_id is not null
),
share as materialized (
  select greatest($2::int, $3::int / greatest(count(a.application_id), 1)) as runs
  from application a
)
select due.id
from (
  select o.run_id as id, 1 as turn, o.due_at
  from oldest o
  where (select count(*) from oldest) <= $2::int
  union all
  select t.run_id, t.turn, t.due_at
  from application a
    cross join lateral (
      select t.run_id, t.due_at, row_number() over (order by t.due_at) as turn
      from automation_timers t
      where t.shard = $1
        and not t.is_parked
        and t.application_id = a.application_id
        and t.due_at <= now()
      order by t.due_at
      limit (select s.runs from share s)
    ) t
  where a.application_id is not null
) due
order by due.turn, due.due_at
limit $3::int

-- name: read-automations-of-runs
select a.id, a.slug, a.status, a.live_version, a.moved_to,
  -- include: milliseconds(a.ends_before) as ends_before
from automations a
where a.id = any($1::uuid[])
