with
  marked as (
    update delivery_addresses d
    set
      state = 'sending',
      attempts = d.attempts + 1,
      lease_until = clock_timestamp() + $3::float8 * interval '1 ms',
      updated_at = now()
    from unnest($1::uuid[], $2::int[], $4::smallint[]) as x(id, fence, no)
    where
      d.delivery_id = x.id
      and d.address_no = x.no
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
      d.delivery_id as id,
      d.address_no,
      d.fence,
      d.campaign_id,
      d.chunk_no,
      d.lease_until
  )
select
  id,
  address_no,
  fence,
  campaign_id,
  chunk_no,
  lease_until::text as lease_until
from marked
