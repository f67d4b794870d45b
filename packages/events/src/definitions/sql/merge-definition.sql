update definitions
set merged_into = $3
where
  application_id = $1
  and (
    slug = $2
    or merged_into = $2
  )
