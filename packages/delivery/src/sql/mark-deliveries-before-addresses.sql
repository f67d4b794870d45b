with
  marked as (
    update deliveries d
    set
      state = 'sending',
      attempts = d.attempts + 1,
      lease_until = clock_timestamp() + $3::float8 * interval '1 ms',
      updated_at = now()
    from unnest($1::uuid[], $2::int[]) as x(id, fence)
    where
      d.id = x.id
      and d.fence = x.fence
      and d.state = 'claimed'
      and d.lease_until > now()
      and (
        select
          c.status = 'sending'
            and now() < c.expires_at
        from campaigns c
        where c.id = d.campaign_id
      )
    returning
      d.id,
      d.fence,
      d.campaign_id,
      d.chunk_no,
      d.lease_until
  )
select
  id,
  fence,
  campaign_id,
  chunk_no,
  lease_until::text as lease_until
from marked
