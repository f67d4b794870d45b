-- name: list-configured-channels
select s.channel, -- include: accounts/is-ready(s) as is_ready,
  s.version, s.tested_at
from channel_settings s
where s.application_id = $1
