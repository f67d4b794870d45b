update definitions
set deleted_at = now()
where
  application_id = $1
  and slug = $2
