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
  ),
  leased as (
    update campaign_chunks k
    set
      leased_until = a.lease_until,
      written_at = case
        when k.written_at > statement_timestamp() + interval '60 s' then k.written_at
        else now()
      end
    from
      (
        select
          campaign_id,
          chunk_no,
          min(lease_until) as lease_until
        from marked
        group by
          1,
          2
        order by
          1,
          2
      ) a
    where
      k.campaign_id = a.campaign_id
      and k.chunk_no = a.chunk_no
      and (
        k.leased_until is null
        or k.leased_until > a.lease_until
        or k.leased_until <= now()
      )
  )
select
  id,
  address_no,
  fence
from marked
