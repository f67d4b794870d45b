-- name: read-enterable
-- Automations that an event may enter, or that list it as one of their pause.
select a.id, a.application_id, a.live_version as version,
  floor(extract(epoch from a.activated_at) * 1000)::float8 as activated_at,
  floor(extract(epoch from a.pause_began_at) * 1000)::float8 as pause_began_at,
  ceil(extract(epoch from a.pause_ended_at) * 1000)::float8 as pause_ended_at
from automations a
where a.application_id = any($1::uuid[])
  and a.archived_at is null
  and a.status in ('active', 'paused')
order by a.id

-- name: read-decided
-- What was decided before: one look into the index for each, also before the first statistics.
-- $1 automations, $2 requests, $3 messages
select t.automation_id, t.request_id, t.message_index
from unnest($1::uuid[], $2::uuid[], $3::int[]) as x(automation_id, request_id, message_index)
  cross join lateral (
    select t.automation_id, t.request_id, t.message_index
    from automation_triggers t
    where t.automation_id = x.automation_id
      and t.request_id = x.request_id
      and t.message_index = x.message_index
    limit 1
  ) t

-- name: read-earlier-entries
-- Of people in automations: when they entered last by key, and whether a run is in progress; read
-- by person, also before the first statistics: the order is that of the index by person, and of no
-- other. $1 automations, $2 users
select q.automation_id, q.user_id, q.entry_key, q.last_entered, q.is_running
from unnest($1::uuid[], $2::uuid[]) as x(automation_id, user_id)
  cross join lateral (
    (
      select e.automation_id, e.user_id, e.entry_key,
        floor(extract(epoch from e.last_entered_at) * 1000)::float8 as last_entered,
        false as is_running
      from automation_entries e
      where e.automation_id = x.automation_id and e.user_id = x.user_id
      order by e.entry_key
      offset 0
    )
    union all
    (
      select r.automation_id, r.user_id, r.entry_key, null, true
      from automation_runs r
      where r.automation_id = x.automation_id and r.user_id = x.user_id and r.ended_at is null
      order by r.entry_key
      offset 0
    )
  ) q

-- name: insert-triggers
-- $1 automations, $2 application, $3 requests, $4 messages, $5 users, $6 results, $7 runs,
-- $8 what entered them unless events did, $9 its instants in milliseconds
insert into automation_triggers (
  automation_id, application_id, request_id, message_index, user_id, result, run_id, kind,
  occurred_at
)
select x.automation_id, $2, x.request_id, x.message_index, x.user_id, x.result, x.run_id, x.kind,
  to_timestamp(x.occurred / 1000.0)
from unnest(
    $1::uuid[], $3::uuid[], $4::int[], $5::uuid[], $6::text[], $7::uuid[], $8::text[], $9::float8[]
  ) as x(
    automation_id, request_id, message_index, user_id, result, run_id, kind, occurred
  )
on conflict do nothing

-- name: insert-runs
-- $1 ids, $2 automations, $3 application, $4 versions, $5 users, $6 keys, $7 shards, $8 requests,
-- $9 messages, $10 received, $11 times, $12 message ids, $13 until when they settle. Milliseconds.
insert into automation_runs (
  id, automation_id, application_id, version, user_id, entry_key, shard, trigger_request,
  trigger_index, trigger_received_at, trigger_time, trigger_message, settles_until
)
select x.id, x.automation_id, $3, x.version, x.user_id, x.entry_key, x.shard, x.request_id,
  x.message_index, to_timestamp(x.received_ms / 1000.0), x.time, x.message_id,
  to_timestamp(x.settles_ms / 1000.0)
from unnest(
    $1::uuid[], $2::uuid[], $4::int[], $5::uuid[], $6::text[], $7::int[], $8::uuid[], $9::int[],
    $10::float8[], $11::bigint[], $12::text[], $13::float8[]
  ) as x(
    id, automation_id, version, user_id, entry_key, shard, request_id, message_index, received_ms,
    time, message_id, settles_ms
  )
