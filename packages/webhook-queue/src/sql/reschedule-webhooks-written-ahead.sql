with
  ahead as (
    select id
    from webhook_deliveries
    where
      state = 'pending'
      and written_at > statement_timestamp() + interval '60 s'
    order by written_at
    limit $1
    for update skip locked
  )
update webhook_deliveries d
set
  next_at = now() + coalesce(d.lease_until - d.written_at, interval '0'),
  lease_until = case
    when d.lease_until is not null then now() + coalesce(d.lease_until - d.written_at, interval '0')
  end,
  written_at = now()
from ahead
where d.id = ahead.id
