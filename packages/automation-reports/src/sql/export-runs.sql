-- name: runs-to-export
-- $1 person, $2 after a run, $3 limit
select r.id, a.slug, r.version, r.status, r.entry_key, r.trigger_message,
  r.trigger_time::text as trigger_time, r.data::text as data,
  -- include: ms(r.entered_at) as entered_at,
  -- include: ms(r.ended_at) as ended_at,
  -- include: ms(r.goal_at) as goal_at
from automation_runs r join automations a on a.id = r.automation_id
where r.user_id = $1 and ($2::uuid is null or r.id > $2)
order by r.id
limit $3

-- name: traces-to-export
select t.run_id, t.node, t.outcome, t.reason, t.campaign_id, t.delivery_id,
  -- include: ms(t.at) as at
from automation_trace t
where t.run_id = any($1::uuid[])
order by t.run_id, t.line

-- name: triggers-to-export
-- In the order of the index of their person: a page reads its own rows.
-- $1 person, $2 to $5 after a trigger, $6 limit
select t.automation_id, a.slug, t.request_id, t.message_index, t.result, t.run_id, t.kind,
  t.at::text as place,
  -- include: ms(t.at) as at,
  -- include: ms(t.occurred_at) as occurred_at
from automation_triggers t join automations a on a.id = t.automation_id
where t.user_id = $1
  and (
    $2::uuid is null
    or (t.automation_id, t.at, t.request_id, t.message_index)
      > ($2::uuid, $3::timestamptz, $4::uuid, $5::integer)
  )
order by t.automation_id, t.at, t.request_id, t.message_index
limit $6

-- name: entries-to-export
select a.slug, e.entry_key, e.entries,
  -- include: ms(e.last_entered_at) as last_entered_at
from automation_entries e join automations a on a.id = e.automation_id
where e.user_id = $1
order by a.slug, e.entry_key
