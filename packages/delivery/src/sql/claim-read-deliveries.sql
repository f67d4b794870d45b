update deliveries d
set
  state = 'claimed',
  fence = x.fence,
  owner = $4,
  lease_until = now() + $5::float8 * interval '1 ms',
  updated_at = now()
from unnest($1::uuid[], $2::int[], $3::float8[]) as x(id, fence, read_until)
where
  d.id = x.id
  and x.read_until > date_part('epoch', now())
  and d.fence = x.fence - 1
  and (
    (
      d.state in ('pending', 'retry_wait')
      and (
        d.next_at <= now()
        or d.updated_at > statement_timestamp() + interval '60 s'
      )
    )
    or (
      d.state = 'claimed'
      and (
        d.lease_until < now()
        or d.updated_at > statement_timestamp() + interval '60 s'
      )
    )
  )
returning
  d.id
