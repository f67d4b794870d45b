-- Rows that wait for quiet hours or a cap keep their time. None waits for a local time: addresses
-- are made after it.
with
  waiting as (
    select
      d.delivery_id,
      d.address_no
    from
      unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
      join delivery_addresses d on d.campaign_id = x.campaign_id
        and d.chunk_no = x.chunk_no
    where
      d.next_at > now()
      and (
        (
          d.state = 'retry_wait'
          and d.reason in ('provider_auth', 'provider_rejected')
        )
        or (
          d.state = 'pending'
          and coalesce(d.reason, '') not in ('quiet_hours', 'frequency_capped', 'spend_cap')
        )
      )
    order by
      d.delivery_id,
      d.address_no
    for update of d
  )
update delivery_addresses d
set
  next_at = now(),
  updated_at = now()
from waiting w
where
  d.delivery_id = w.delivery_id
  and d.address_no = w.address_no
