-- part: automation-columns(a)
a.id, a.slug, a.status, a.draft, a.draft_version, a.live_version, a.activated_at,
  a.paused_at, a.created_at, a.updated_at, a.updated_by,
  (
    select v.definition
    from automation_versions v
    where v.automation_id = a.id and v.version = a.live_version
  ) as live

-- name: list-automations
select -- include: automation-columns(a)
from automations a
where a.application_id = $1 and a.archived_at is null and a.slug > $2
order by a.slug
limit $3

-- name: read-automation
select -- include: automation-columns(a)
from automations a
where a.application_id = $1 and a.slug = $2 and a.archived_at is null

-- name: count-automations
select count(*)::int as automations,
  (count(*) filter (where a.status in ('active', 'paused')))::int as active
from automations a
where a.application_id = $1 and a.archived_at is null

-- name: insert-automation
insert into automations (id, application_id, slug, name, status, draft, draft_version, updated_by)
values (uuidv7(), $1, $2, $3, 'draft', $4::jsonb, 1, $5)

-- name: write-automation-draft
update automations
set name = $2, draft = $3::jsonb, draft_version = draft_version + 1, updated_at = now(),
  updated_by = $4
where id = $1

-- name: insert-version
insert into automation_versions (automation_id, version, application_id, definition, created_by)
values ($1, $2, $3, $4::jsonb, $5)

-- name: activate
-- $1 automation, $2 version, $3 whether runs of older versions go on as if they were of it, $4 by
update automations
set status = 'active', live_version = $2, moved_to = case when $3 then $2 else moved_to end,
  activated_at = case when status = 'active' then activated_at else now() end, paused_at = null,
  ends_before = case when ends_before = 'infinity' then now() else ends_before end,
  updated_at = now(), updated_by = $4
where id = $1

-- name: change-status
-- $1 automation, $2 status, $3 by
update automations
set status = $2, paused_at = case when $2 = 'paused' then now() end,
  pause_began_at = case when $2 = 'paused' then now() else pause_began_at end,
  pause_ended_at = case
    when $2 = 'paused' then null
    when status = 'paused' then now()
    else pause_ended_at
  end,
  updated_at = now(), updated_by = $3
where id = $1

-- name: end-runs-of-now
-- Also of those who enter until this commits. The next activation sets the end of it.
update automations
set ends_before = 'infinity', wakes_until = now() + interval '1 minute'
where id = $1

-- name: move-runs
update automations set wakes_until = now() + interval '1 minute' where id = $1

-- name: choose-missed-sends
-- $1 automation, $2 whether messages that are late by more than an hour are left out
update automations set skips_missed = $2 where id = $1

-- name: archive-automation
with existing as (
  delete from automation_existing e where e.automation_id = $1
)
update automations set archived_at = now(), updated_by = $2 where id = $1

-- name: has-runs
select exists (
  select from automation_runs r where r.automation_id = $1 and r.ended_at is null
) as "hasRuns"

-- name: list-automation-versions
select v.version, v.definition, v.created_at, v.created_by
from automation_versions v
where v.automation_id = $1 and v.version < $2
order by v.version desc
limit $3

-- name: note-existing
-- The members of now are to enter. $1 automation, $2 application, $3 shards
insert into automation_existing (automation_id, shard, application_id, at)
select $1, s.shard, $2, a.activated_at
from automations a cross join generate_series(0, $3::int - 1) as s(shard)
where a.id = $1
on conflict (automation_id, shard) do update set at = excluded.at, after_user = null
