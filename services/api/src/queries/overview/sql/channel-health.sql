-- name: list-configured-channels
select s.channel, -- include: accounts/is-ready(s) as is_ready,
  s.version, greatest(s.tested_at, further.tested_at) as tested_at, s.account_name as name,
  s.status, further.others
from channel_settings s
  cross join lateral (
    select max(k.tested_at) as tested_at,
      coalesce(jsonb_agg(jsonb_build_object('name', k.name, 'status', k.status)), '[]') as others
    from channel_accounts k
    where -- include: accounts/further-account(k, s)
  ) further
where s.application_id = $1
