select
  (
    s.channel is not null
    and (
      s.status = 'ready'
      or coalesce((a.settings ->> 'sendUntested')::boolean, false)
    )
  ) as sends,
  coalesce(s.status <> 'ready', false) as is_untested
from
  applications a
  left join channel_settings s on s.application_id = a.id
    and s.channel = $2
where a.id = $1
