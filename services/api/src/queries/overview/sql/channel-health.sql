-- name: list-configured-channels
select s.channel, -- include: accounts/is-ready(s) as is_ready,
  s.version, further.n > 0 as has_several, greatest(s.tested_at, further.tested_at) as tested_at
from channel_settings s
  cross join lateral (
    select count(*) as n, max(k.tested_at) as tested_at
    from channel_accounts k
    where -- include: accounts/further-account(k, s)
  ) further
where s.application_id = $1
