select
  delivery_id,
  words,
  (
    extract(
      epoch
      from rendered_at
    ) * 1000
  )::float8 as rendered_at,
  template_no,
  variant_no,
  renderer,
  filled_in
from delivery_data
where
  campaign_id = $1
  and delivery_id = any($2::uuid[])
