-- Inner join: a device whose user was deleted is not returned. A serviceUserId joined to a person
-- is no proof: the Client key, which can send both ids, is visible in every page.
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
  d.application_id = $1
  and d.device_id = $2
