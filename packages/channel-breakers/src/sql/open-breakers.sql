-- name: record-open-breaker
with gone as (
  delete from channel_breakers
  where application_id = $1
    and channel = $2
    and probe_at < now() - $8::float8 * interval '1 ms'
    and (receiver, owner) <> ($3, $4)
)
insert into channel_breakers (application_id, channel, receiver, owner, version, cause, probe_at)
values ($1, $2, $3, $4, $5, $6, now() + $7::float8 * interval '1 ms')
on conflict (application_id, channel, receiver, owner) do update
set version = excluded.version, cause = excluded.cause, probe_at = excluded.probe_at

-- name: record-closed-breaker
delete from channel_breakers
where application_id = $1 and channel = $2 and receiver = $3 and owner = $4

-- name: delete-worker-breakers
delete from channel_breakers where channel = $1 and owner = $2

-- name: read-open-breakers
select min(cause) as cause, min(opened_at) as opened_at, min(probe_at) as probe_at,
  count(distinct owner)::int as workers
from channel_breakers
where application_id = $1
  and channel = $2
  and version = $3
  and probe_at > now() - $4::float8 * interval '1 ms'
  and ($5::text is null or receiver = $5)
having count(*) > 0
