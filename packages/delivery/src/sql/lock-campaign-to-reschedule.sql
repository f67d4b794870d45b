select
  case
    when lane = 'scheduled'
      and status = 'queued' then 'scheduled'
    else status
  end as status,
  send_at,
  send_at_local,
  expires_at,
  to_timestamp($3::float8 / 1000) between now() - $4::float8 * interval '1 min'
  and now() + $5::float8 * interval '1 day' as is_in_range
from campaigns
where
  id = $1
  and application_id = $2
for no key update
