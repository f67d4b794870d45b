-- name: begin-build
-- $1 automation, $2 application, $3 trigger, $4 its activation in milliseconds
insert into automation_date_builds as b (
  automation_id, application_id, build, trigger, activated_at, after
)
values ($1, $2, 1, $3::jsonb, to_timestamp($4::float8 / 1000), '')
on conflict (automation_id) do update
set build = b.build + 1, trigger = excluded.trigger, activated_at = excluded.activated_at,
  after = '', listens_since = null, began_at = now(), retry_at = null, failures = 0
where b.trigger <> excluded.trigger or b.activated_at <> excluded.activated_at

-- name: end-build
-- The row stays: by it the job finds the dates that are to be deleted. $1 automation
update automation_date_builds
set trigger = 'null', after = null
where automation_id = $1

-- name: lock-build
-- Applications have turns. One goes on when all transactions have ended that may store a date and
-- announce no change. After a restore the numbers of transactions may begin anew: an hour is enough
-- then.
select b.automation_id, b.application_id, b.trigger, b.after,
  b.listens_since is not null as "isHeard"
from automation_date_builds b
  join (
    select o.automation_id, max(o.looked_at) over (partition by o.application_id) as turn
    from automation_date_builds o
    where o.after is not null
  ) o on o.automation_id = b.automation_id
where b.after is not null
  and (b.retry_at is null or b.retry_at <= now())
  and (
    b.listens_since is null
    or b.listens_since < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    or b.began_at < now() - interval '1 hour'
  )
order by o.turn nulls first, b.looked_at nulls first
limit 1
for update of b skip locked

-- name: note-heard
-- Who sees the row after its commit has a number that is later than those of all transactions that
-- may have read before it what is listened to. $1 automation
update automation_date_builds
set listens_since = pg_current_xact_id()::text::bigint
where automation_id = $1

-- name: read-people-of-build
-- $1 application, $2 after, $3 limit
select u.id, u.custom_user_id
from users u
where u.application_id = $1 and u.registered_at is not null and u.custom_user_id > $2
order by u.custom_user_id
limit $3

-- name: move-build
update automation_date_builds
set after = $2, looked_at = now(), retry_at = null, failures = 0
where automation_id = $1

-- name: put-off-build
-- After a minute, then five, then 15.
update automation_date_builds
set retry_at = now() + (array[1, 5, 15])[least(failures + 1, 3)] * interval '1 minute',
  failures = least(failures + 1, 3), looked_at = now()
where automation_id = $1

-- part: is-over(b)
not exists (
  select
  from automations a
    join automation_versions v on v.automation_id = a.id and v.version = a.live_version
  where a.id = b.automation_id and a.archived_at is null and v.definition -> 'trigger' ? 'date'
)

-- name: delete-old-dates
-- After a stop everyone is looked at again in any case. The build keeps its number.
delete from automation_dates d
where d.ctid = any (
  array (
    select o.ctid
    from automation_date_builds b join automation_dates o on o.automation_id = b.automation_id
    where exists (
        select from automations a where a.id = b.automation_id and a.status = 'stopped'
      )
      or -- include: is-over(b)
    limit $1
  )
)

-- name: delete-old-builds
delete from automation_date_builds b
where -- include: is-over(b)
