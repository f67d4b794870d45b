delete from devices d
where
  d.user_id = any($1)
  or (
    d.proved_user_id = any($1)
    and d.user_id_at_proof = d.user_id
  )
