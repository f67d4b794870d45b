delete from devices
where
  (application_id, device_id) in (
    select
      d.application_id,
      d.device_id
    from devices d
    where
      d.seen_at < $1
      and (
        d.address is null
        or case
          when d.user_id_at_proof = d.user_id then d.proved_user_id
        end is null
      )
    order by d.seen_at
    limit $2
    for update of d skip locked
  )
