update devices
set
  user_id = $3,
  proved_user_id = $4,
  user_id_at_proof = $3,
  seen_at = now()
where
  application_id = $1
  and device_id = $2
