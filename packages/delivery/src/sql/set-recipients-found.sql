update deliveries d
set
  user_id = x.user_id,
  next_at = now(),
  updated_at = now()
from unnest($1::uuid[], $2::uuid[]) as x(id, user_id)
where d.id = x.id
returning
  d.id,
  d.campaign_id,
  d.chunk_no,
  (
    select
      (
        s.channel is not null
        and (
          s.status = 'ready'
          or coalesce((a.settings ->> 'sendUntested')::boolean, false)
        )
      )
    from
      applications a
      left join channel_settings s on s.application_id = a.id
        and s.channel = d.channel
    where a.id = d.application_id
  ) as is_ready,
  (
    select c.send_at_local is not null
    from campaigns c
    where c.id = d.campaign_id
  ) as is_local
