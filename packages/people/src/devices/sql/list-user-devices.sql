select
  d.application_id,
  d.device_id,
  coalesce(p.id, u.id) as user_id,
  p.custom_user_id,
  i.service_user_id,
  coalesce(o.custom_user_id, u.custom_user_id) as joined_to,
  d.kind,
  d.address,
  d.time_zone,
  d.locale,
  d.created_at,
  d.seen_at
from
  devices d
  join users u on u.id = d.user_id
  left join users p on p.id = case
    when d.user_id_at_proof = d.user_id then d.proved_user_id
  end
  left join users o on o.id = u.merged_into
  cross join lateral (
    select service_user_id
    from user_identities
    where user_id = d.user_id
    order by
      created_at,
      service_user_id
    limit 1
  ) i
where
  (
    d.proved_user_id = $1
    and d.user_id_at_proof = d.user_id
  )
  or d.user_id = $1
  or d.user_id = any(
    array(
      select id
      from users
      where merged_into = $1
    )
  )
order by
  d.seen_at desc,
  d.device_id
