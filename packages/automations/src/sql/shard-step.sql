-- name: wake
-- Also by the name of a definition that was merged since the wait began.
-- $1 people, $2 what happened
update automation_timers t
set due_at = now()
from unnest($1::uuid[], $2::text[]) as x(user_id, slug)
  join automation_waits w on w.user_id = x.user_id
    and (
      w.slug = x.slug
      or exists (
        select
        from definitions d
        where d.application_id = w.application_id
          and d.slug = ltrim(w.slug, '?')
          and d.merged_into = ltrim(x.slug, '?')
          and starts_with(w.slug, '?') = starts_with(x.slug, '?')
      )
    )
where t.run_id = w.run_id and t.due_at > now()

-- name: read-changed-people
-- Whom changes name, as they are now.
select u.id, u.application_id, u.registered_at is not null as is_registered, u.merged_into
from users u
where u.id = any($1::uuid[])
