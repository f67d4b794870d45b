-- name: update-runs
-- Times are in milliseconds.
-- $1 ids, $2 versions, $3 nodes, $4 until when they wait, $5 last sends, $6 lines added,
-- $7 statuses, $8 ends, $9 until when a goal counts, $10 when it was reached, $11 failures,
-- $12 errors, $13 until when they settle, $14 whether late sends are left out as before
update automation_runs r
set version = x.version, node = x.node, waits_until = to_timestamp(x.waits_until / 1000),
  last_sent_at = coalesce(to_timestamp(x.last_sent / 1000), r.last_sent_at),
  lines = r.lines + x.lines, status = x.status, ended_at = to_timestamp(x.ended / 1000),
  goal_until = to_timestamp(x.goal_until / 1000), goal_at = to_timestamp(x.goal_at / 1000),
  skips_sends = r.skips_sends and x.is_postponed, failures = x.failures, error = x.error,
  settles_until = to_timestamp(x.settles_until / 1000)
from unnest(
    $1::uuid[], $2::int[], $3::text[], $4::float8[], $5::float8[], $6::int[], $7::text[],
    $8::float8[], $9::float8[], $10::float8[], $11::int[], $12::text[], $13::float8[],
    $14::boolean[]
  ) as x(
    id, version, node, waits_until, last_sent, lines, status, ended, goal_until, goal_at, failures,
    error, settles_until, is_postponed
  )
where r.id = x.id

-- name: put-timers
-- $1 runs, $2 shards, $3 applications, $4 automations, $5 when they are due
insert into automation_timers as t (run_id, shard, application_id, automation_id, due_at)
select x.run_id, x.shard, x.application_id, x.automation_id,
  -- Someone takes the person out since the run was read.
  case when r.end_requested and r.ended_at is null then now() else to_timestamp(x.due / 1000) end
from unnest($1::uuid[], $2::int[], $3::uuid[], $4::uuid[], $5::float8[]) as x(
    run_id, shard, application_id, automation_id, due
  )
  join automation_runs r on r.id = x.run_id
on conflict (run_id) do update
set due_at = excluded.due_at, is_parked = false

-- name: delete-timers
delete from automation_timers where run_id = any($1::uuid[])

-- name: park-timers
-- A run that has just entered has none yet. An automation that goes on meanwhile has unparked its
-- timers already: they stay due. $1 automation, $2 runs, $3 shards, $4 applications
with paused as materialized (
  select a.id from automations a where a.id = $1 and a.status = 'paused' for share
)
insert into automation_timers as t (
  run_id, shard, application_id, automation_id, due_at, is_parked
)
select x.run_id, x.shard, x.application_id, $1, now(), exists (select from paused)
from unnest($2::uuid[], $3::int[], $4::uuid[]) as x(run_id, shard, application_id)
on conflict (run_id) do update
set is_parked = excluded.is_parked

-- name: put-waits
-- What wakes these runs from now on. $1 all runs, $2 runs, $3 users, $4 slugs, $5 applications
with wanted as materialized (
  select * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::uuid[]) as w(
    run_id, user_id, slug, application_id
  )
),
gone as (
  delete from automation_waits w
  where w.run_id = any($1::uuid[])
    and not exists (select from wanted n where n.run_id = w.run_id and n.slug = w.slug)
)
insert into automation_waits (user_id, slug, run_id, application_id)
select user_id, slug, run_id, application_id
from wanted
on conflict do nothing

-- name: insert-trace
-- $1 runs, $2 lines, $3 applications, $4 nodes, $5 outcomes, $6 reasons, $7 campaigns,
-- $8 deliveries
insert into automation_trace (
  run_id, line, application_id, node, outcome, reason, campaign_id, delivery_id
)
select *
from unnest(
  $1::uuid[], $2::int[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::uuid[], $8::uuid[]
)

-- name: add-counts
-- $1 automations, $2 versions, $3 nodes, $4 outcomes, $5 reasons, $6 shards, $7 applications,
-- $8 numbers, $9 days since 1970 on which the runs entered
insert into automation_counters as c (
  automation_id, version, node, outcome, reason, day, shard, application_id, n
)
select x.automation_id, x.version, x.node, x.outcome, x.reason,
  -- include: counted-day((date '1970-01-01' + x.day)) as day,
  x.shard, x.application_id, sum(x.n)::bigint
from unnest(
    $1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::int[], $7::uuid[], $8::bigint[],
    $9::int[]
  ) as x(automation_id, version, node, outcome, reason, shard, application_id, n, day)
group by 1, 2, 3, 4, 5, 6, 7, 8
order by 1, 2, 3, 4, 5, 6, 7
on conflict (automation_id, version, node, outcome, reason, day, shard) do update
set n = c.n + excluded.n
