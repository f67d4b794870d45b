with
  taken as (
    update devices
    set
      address = null,
      address_hash = null
    where
      application_id = $1
      and address_hash = $6
      and device_id <> $2
    returning device_id
  ),
  written as (
    insert into
      devices as d (
        application_id,
        device_id,
        user_id,
        kind,
        address,
        address_hash,
        time_zone,
        locale,
        proved_user_id,
        user_id_at_proof
      )
      -- Reading the count runs the update of `taken` before this insert.
    select
      $1,
      $2,
      $3,
      $4,
      $5,
      $6,
      $7,
      $8,
      $11::uuid,
      $3
    from
      (
        select count(*)
        from taken
      ) t
    on conflict (application_id, device_id) do update
    set
      user_id = excluded.user_id,
      kind = excluded.kind,
      address = excluded.address,
      address_hash = excluded.address_hash,
      time_zone = case
        when $9 then excluded.time_zone
        else d.time_zone
      end,
      locale = case
        when $10 then excluded.locale
        else d.locale
      end,
      proved_user_id = coalesce(excluded.proved_user_id, d.proved_user_id),
      user_id_at_proof = case
        when excluded.proved_user_id is null then d.user_id_at_proof
        else excluded.user_id
      end,
      seen_at = now()
  )
select device_id
from taken
