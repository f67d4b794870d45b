-- part: ms(at)
floor(extract(epoch from at) * 1000)::float8

-- part: shown-run(r, u)
r.id, u.custom_user_id, r.version, r.status, r.node, r.entry_key, r.error,
  -- include: ms(r.entered_at) as entered_at,
  -- include: ms(r.waits_until) as waits_until,
  -- include: ms(r.ended_at) as ended_at,
  -- include: ms(r.goal_at) as goal_at

-- name: list-runs
-- Newest first.
-- $1 automation, $2 status, $3 node where it waits, $4 person, $5 before a run, $6 limit
select -- include: shown-run(r, u)
from automation_runs r left join users u on u.id = r.user_id
where r.automation_id = $1
  and ($2::text is null or r.status = $2)
  and ($3::text is null or (r.node = $3 and r.ended_at is null))
  and (
    $4::text is null
    or r.user_id = (
      select p.id
      from users p
      where p.application_id = r.application_id and p.custom_user_id = $4
    )
  )
  and ($5::uuid is null or r.id < $5)
order by r.id desc
limit $6

-- name: person-of-runs
select u.id from users u where u.application_id = $1 and u.custom_user_id = $2

-- name: list-runs-of-person
-- Newest first, without those of deleted automations.
-- $1 person, $2 before a run, $3 limit
select a.slug, a.name,
  -- include: shown-run(r, u)
from automation_runs r join automations a on a.id = r.automation_id and a.archived_at is null
  left join users u on u.id = r.user_id
where r.user_id = $1 and ($2::uuid is null or r.id < $2)
order by r.id desc
limit $3

-- name: read-run
select -- include: shown-run(r, u)
from automation_runs r left join users u on u.id = r.user_id
where r.automation_id = $1 and r.id = $2

-- name: read-trace
select t.line, t.node, t.outcome, t.reason, t.campaign_id, t.delivery_id,
  -- include: ms(t.at) as at
from automation_trace t
where t.run_id = $1
order by t.line
