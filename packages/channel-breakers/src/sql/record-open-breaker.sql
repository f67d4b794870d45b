with
  gone as (
    delete from channel_breakers
    where
      application_id = $1
      and channel = $2
      and probe_at < now() - $8::float8 * interval '1 ms'
      and (receiver, owner) <> ($3, $4)
  )
insert into channel_breakers (application_id, channel, receiver, owner, version, cause, probe_at)
values ($1, $2, $3, $4, $5, $6, now() + $7::float8 * interval '1 ms')
on conflict (application_id, channel, receiver, owner) do update
set
  version = excluded.version,
  cause = excluded.cause,
  probe_at = excluded.probe_at
