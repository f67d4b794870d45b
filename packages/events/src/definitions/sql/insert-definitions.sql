insert into definitions (
  application_id,
  slug,
  kind,
  name,
  by_client_key,
  origin
)
select
  w.*,
  $6
from
  unnest(
    $1::uuid[],
    $2::text[],
    $3::text[],
    $4::text[],
    $5::boolean[]
  ) as w(application_id, slug, kind, name, by_client_key)
on conflict (application_id, slug) do update
set
  deleted_at = null,
  discarded = false,
  by_client_key = excluded.by_client_key,
  origin = excluded.origin,
  created_at = now()
