select
  case
    when c.lane = 'scheduled'
      and c.status = 'queued' then 'scheduled'
    else c.status
  end as status,
  c.source = 'test'
    or (
      s.channel is not null
      and (
        s.status = 'ready'
        or coalesce((a.settings ->> 'sendUntested')::boolean, false)
      )
    ) as is_ready,
  c.recipients_forgotten_at is not null as is_forgotten
from
  campaigns c
  join applications a on a.id = c.application_id
  left join channel_settings s on s.application_id = c.application_id
    and s.channel = c.channel
where
  c.id = $1
  and c.application_id = $2
for no key update of c
