-- name: lock-throttle
-- $1 automation, $2 application
insert into automation_throttles as t (
  automation_id, application_id, next_ms, sent_ms, spacing_ms
)
values ($1, $2, 0, 0, 0)
on conflict (automation_id) do update
set spacing_ms = t.spacing_ms
returning t.next_ms, t.sent_ms, t.spacing_ms

-- name: move-throttle
-- $1 automation, $2 to $4 as above
update automation_throttles
set next_ms = $2::float8, sent_ms = $3::float8, spacing_ms = $4::float8
where automation_id = $1

-- name: delete-throttle
delete from automation_throttles where automation_id = $1
