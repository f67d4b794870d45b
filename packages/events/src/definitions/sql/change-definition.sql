update definitions
set
  name = coalesce($3, name),
  discarded = coalesce($4, discarded)
where
  application_id = $1
  and slug = $2
