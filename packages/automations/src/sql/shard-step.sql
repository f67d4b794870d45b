-- name: wake
-- $1 people, $2 what happened
update automation_timers t
set due_at = now()
from automation_waits w
  join unnest($1::uuid[], $2::text[]) as x(user_id, slug)
    on x.user_id = w.user_id and x.slug = w.slug
where t.run_id = w.run_id and t.due_at > now()

-- name: read-changed-people
-- Whom changes name, as they are now.
select u.id, u.application_id, u.registered_at is not null as is_registered, u.merged_into
from users u
where u.id = any($1::uuid[])
