select
  (
    select coalesce(jsonb_agg(distinct v.kind), '[]')
    from devices v
    where
      v.address is not null
      and v.proved_user_id = u.id
      and v.user_id_at_proof = v.user_id
      and v.kind in ('web_push', 'fcm')
  ) as kinds
from users u
where u.id = $1
