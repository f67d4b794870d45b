-- part: ms(at)
floor(extract(epoch from at) * 1000)::float8

-- name: insert-rehearsal
-- Nothing where one of the application runs.
-- $1 application, $2 automation, $3 definition, $4 from and $5 to in milliseconds, $6 by
insert into rehearsals (application_id, automation_id, definition, from_at, to_at, created_by)
values ($1, $2, $3::jsonb, to_timestamp($4::float8 / 1000), to_timestamp($5::float8 / 1000), $6)
on conflict (application_id) where status = 'running' do nothing
returning id

-- name: delete-excess-rehearsals
-- All but the latest. One runs at a time, so there is one more at most.
-- $1 application, $2 how many stay
with excess as materialized (
  select r.id
  from rehearsals r
  where r.application_id = $1
  order by r.created_at desc, r.id desc
  offset $2
  limit 1000
),
traces as (
  delete from rehearsal_traces t using excess where t.rehearsal_id = excess.id
)
delete from rehearsals r using excess where r.id = excess.id and r.status <> 'running'

-- name: read-rehearsal
select r.id, a.slug, r.definition, r.status, r.created_by, r.result::text as result, r.error,
  -- include: ms(r.from_at) as from_at,
  -- include: ms(r.to_at) as to_at,
  -- include: ms(r.created_at) as created_at,
  -- include: ms(r.ended_at) as ended_at
from rehearsals r join automations a on a.id = r.automation_id
where r.application_id = $1 and r.id = $2

-- name: read-rehearsal-traces
-- Of people who are still there.
select u.custom_user_id, t.run::text as run
from rehearsal_traces t join users u on u.id = t.user_id
where t.rehearsal_id = $1 and u.custom_user_id is not null
order by t.no
