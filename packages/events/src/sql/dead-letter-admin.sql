-- part: dead-letter-columns
id, consumer, request_id, topic, partition, record_offset, error_class, sql_state, status, replays,
created_at, updated_at, coalesce(octet_length(value), 0) as size

-- name: list-dead-letters
(
  select -- include: dead-letter-columns
  from dead_letters
  where application_id = $1 and ($2::text is null or status = $2) and ($3::uuid is null or id < $3)
  order by id desc
  limit $4
)
union all (
  select -- include: dead-letter-columns
  from dead_letters
  where application_id is null
    and $5
    and ($2::text is null or status = $2)
    and ($3::uuid is null or id < $3)
  order by id desc
  limit $4
)
order by id desc
limit $4

-- name: read-dead-letter
select -- include: dead-letter-columns,
  value
from dead_letters
where id = $1 and (application_id = $2 or ($3 and application_id is null))

-- name: request-replay
update dead_letters
set status = 'replaying', updated_at = now()
where id = $1
  and (application_id = $2 or ($3 and application_id is null))
  and status in ('waiting', 'replaying')
returning -- include: dead-letter-columns,
  record_key, value, headers

-- name: cancel-replay
update dead_letters
set status = 'waiting', updated_at = now()
where id = $1 and status = 'replaying'

-- name: discard-dead-letter
update dead_letters
set status = 'discarded', updated_at = now(), record_key = null, headers = '{}', value = null
where id = $1 and (application_id = $2 or ($3 and application_id is null)) and status = 'waiting'
returning -- include: dead-letter-columns

-- name: dead-letter-exists
select 1
from dead_letters
where id = $1 and (application_id = $2 or ($3 and application_id is null))
