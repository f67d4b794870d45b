update templates
set
  archived_at = now(),
  updated_at = now(),
  updated_by = $3
where
  application_id = $1
  and slug = $2
  and archived_at is null
returning slug
