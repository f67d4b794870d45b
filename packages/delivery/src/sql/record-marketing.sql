insert into marketing_sends (user_id, channel, delivery_id, armed_at)
select
  d.user_id,
  $2,
  d.id,
  clock_timestamp()
from deliveries d
where
  d.id = any($1)
  and d.user_id is not null
on conflict (user_id, channel, delivery_id) do update
set armed_at = excluded.armed_at
