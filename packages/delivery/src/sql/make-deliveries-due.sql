-- Rows that wait for quiet hours or a cap keep their time. So do those that wait for the local time
-- of their recipient: they were never claimed.
with
  waiting as (
    select d.id
    from
      unnest($1::uuid[], $2::int[]) as x(campaign_id, chunk_no)
      join deliveries d on d.campaign_id = x.campaign_id
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
          and (
            d.fence > 0
            or not exists (
              select
              from campaigns c
              where
                c.id = d.campaign_id
                and c.send_at_local is not null
            )
          )
        )
      )
    order by d.id
    for update of d
  )
update deliveries d
set
  next_at = now(),
  updated_at = now()
from waiting w
where d.id = w.id
