-- part: read-devices
-- Inner join: a device whose user was deleted is not returned. A serviceUserId joined to a person
-- is no proof: the Client key, which can send both ids, is visible in every page.
select d.application_id, d.device_id, coalesce(p.id, u.id) as user_id, p.custom_user_id,
  i.service_user_id, coalesce(o.custom_user_id, u.custom_user_id) as joined_to, d.kind, d.address,
  d.time_zone, d.locale, d.created_at, d.seen_at
from devices d
  join users u on u.id = d.user_id
  left join users p on p.id = -- include: people/proved-user(d)
  left join users o on o.id = u.merged_into
  cross join lateral (
    select service_user_id
    from user_identities
    where user_id = d.user_id
    order by created_at, service_user_id
    limit 1
  ) i

-- name: read-device
-- Inner join: a device whose user was deleted is not returned. A serviceUserId joined to a person
-- is no proof: the Client key, which can send both ids, is visible in every page.
-- include: read-devices
where d.application_id = $1 and d.device_id = $2

-- name: list-user-devices
-- include: read-devices
where (
    -- include: people/proves(d, $1)
  )
  or d.user_id = $1
  or d.user_id = any(array(select id from users where merged_into = $1))
order by d.seen_at desc, d.device_id

-- name: write-device
with taken as (
  update devices
  set address = null, address_hash = null
  where application_id = $1 and address_hash = $6 and device_id <> $2
  returning device_id
),
written as (
  insert into devices as d (
    application_id, device_id, user_id, kind, address, address_hash, time_zone, locale,
    proved_user_id, user_id_at_proof
  )
  -- Reading the count runs the update of `taken` before this insert.
  select $1, $2, $3, $4, $5, $6, $7, $8, $11::uuid, $3
  from (select count(*) from taken) t
  on conflict (application_id, device_id) do update
  set user_id = excluded.user_id, kind = excluded.kind, address = excluded.address,
    address_hash = excluded.address_hash,
    time_zone = case when $9 then excluded.time_zone else d.time_zone end,
    locale = case when $10 then excluded.locale else d.locale end,
    proved_user_id = coalesce(excluded.proved_user_id, d.proved_user_id),
    user_id_at_proof = case
      when excluded.proved_user_id is null then d.user_id_at_proof
      else excluded.user_id
    end,
    seen_at = now()
)
select device_id
from taken

-- name: assign-device
update devices
set user_id = $3, proved_user_id = $4, user_id_at_proof = $3, seen_at = now()
where application_id = $1 and device_id = $2

-- name: remove-device
delete from devices where application_id = $1 and device_id = $2

-- name: purge-unseen-devices
delete from devices
where (application_id, device_id) in (
    select d.application_id, d.device_id
    from devices d
    where d.seen_at < $1
      and (
        d.address is null
        or -- include: people/proved-user(d)
        is null
      )
    order by d.seen_at
    limit $2
    for update of d skip locked
  )

-- name: delete-user-devices
delete from devices d
where d.user_id = any($1)
  or (
    -- include: people/proves(d, any($1))
  )
