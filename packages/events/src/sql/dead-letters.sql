-- name: insert-dead-letter
insert into dead_letters (
  id, consumer, application_id, request_id, topic, partition, record_offset, content_hash,
  record_key, value, headers, error_class, sql_state
)
values (
  $1, $2, (select a.id from applications a where a.id = $3), $4, $5, $6, $7, $8, $9, $10, $11, $12,
  $13
)
on conflict (consumer, topic, partition, record_offset, content_hash) do nothing

-- name: claim-replay
update dead_letters
set status = 'replayed', replays = replays + 1, updated_at = now()
where id = $1 and consumer = $2 and status = 'replaying'

-- name: fail-replay
update dead_letters
set status = 'waiting', replays = replays + 1, updated_at = now(), error_class = $3, sql_state = $4
where id = $1 and consumer = $2 and status = 'replaying'
