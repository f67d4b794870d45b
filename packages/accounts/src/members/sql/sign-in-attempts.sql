-- name: count-sign-in-attempt
update sign_in_failures f
set failures = c.failures, failed_at = $4, blocked_until = c.blocked_until
from unnest($1::bytea[], $2::int[], $3::timestamptz[]) as c (key, failures, blocked_until)
where f.key = c.key

-- name: trust-sign-in-source
insert into sign_in_failures as f (key, failures, failed_at, blocked_until, let_in_at)
values ($1, 0, $2, $3, $2)
on conflict (key) do update
set failures = 0, blocked_until = excluded.blocked_until, let_in_at = excluded.let_in_at

-- name: refund-sign-in-attempt
update sign_in_failures
set failures = greatest(failures - 1, 0),
  blocked_until = case when failed_at = $2 then $3 else blocked_until end
where key = any($1)

-- name: lock-sign-in-counters
with locked as (
  insert into sign_in_failures as f (key, failures, failed_at, blocked_until)
  select key, 0, $3::timestamptz, $4::timestamptz
  from unnest($1::bytea[]) as key
  order by key
  on conflict (key) do update
  set failures = f.failures
  returning f.*
)
select c.scope, l.*
from locked l
  join unnest($1::bytea[], $2::text[]) as c (key, scope) on c.key = l.key

-- name: read-sign-in-counters
select c.scope, f.*
from unnest($1::bytea[], $2::text[]) as c (key, scope)
  join sign_in_failures f on f.key = c.key
