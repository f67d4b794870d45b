-- name: list-configured-channels
select s.channel, -- include: accounts/is-ready(s) as is_ready,
  s.version, s.tested_at, s.account_name as name, s.status,
  coalesce(
    (
      select jsonb_agg(jsonb_build_object('name', k.name, 'status', k.status))
      from channel_accounts k
      where k.application_id = s.application_id and k.channel = s.channel
    ),
    '[]'
  ) as others
from channel_settings s
where s.application_id = $1
